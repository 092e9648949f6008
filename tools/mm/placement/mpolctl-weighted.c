// SPDX-License-Identifier: GPL-2.0
/* What mpolctl run and mpolctl set share: which nodes there are, and calls that are not */
#include "mpolctl-weighted.h"

#include <err.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "mempolicy2.h"

#define NODE_DIR	"/sys/devices/system/node"
#define MAX_LINE	4096

/* A node of @ratio that is not in @list; -1 without, or if that cannot be understood */
static int missing_node(const struct ratio *ratio, const char *list)
{
	static struct nodes nodes;
	int i;

	if (!parse_nodes(list, &nodes))
		return -1;
	for (i = 0; i < MAX_NODES; i++)
		if (ratio->weight[i] && !nodes.in[i])
			return i;
	return -1;
}

bool check_nodes(const char *command, const struct ratio *ratio, unsigned int mode_flags,
		 const char *process)
{
	bool self = !strcmp(process, "self");
	char list[MAX_LINE];
	int node = -1;

	if (mode_flags & MPOL_F_RELATIVE_NODES)
		return true;
	if (read_line(NODE_DIR "/has_memory", list, sizeof(list)))
		node = missing_node(ratio, list);
	if (node >= 0) {
		warnx("%s: node %d has no memory: use nodes out of %s", command, node, list);
		return false;
	}
	if (!(mode_flags & MPOL_F_STATIC_NODES) &&
	    read_allowed_nodes(process, list, sizeof(list)))
		node = missing_node(ratio, list);
	if (node < 0)
		return true;
	warnx("%s: node %d is not allowed by the cpuset%s%s: use nodes out of %s", command,
	      node, self ? "" : " of process ", self ? "" : process, list);
	return false;
}

void complain_missing(const char *command, const char *call)
{
	warn("%s: %s is not available here; %s", command, call,
	     errno == EPERM ? "a filter of system calls, as containers have, forbids it" :
			      "this kernel lacks it, or a filter hides it");
}
