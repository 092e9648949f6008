// SPDX-License-Identifier: GPL-2.0
/* What mpolctl run and mpolctl set share: which nodes there are, and calls that are not */
#include "mpolctl-weighted.h"

#include <err.h>
#include <errno.h>
#include <stddef.h>

#include "mempolicy2.h"

#define NODE_DIR	"/sys/devices/system/node"
#define MAX_LINE	4096

/* True when all nodes of @ratio are in @list, or @list cannot be understood */
static bool nodes_are_in(const char *command, const struct ratio *ratio, const char *list,
			 const char *meaning)
{
	static struct nodes nodes;
	int i;

	if (!parse_nodes(list, &nodes))
		return true;
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i] || nodes.in[i])
			continue;
		warnx("%s: node %d %s: use nodes out of %s", command, i, meaning, list);
		return false;
	}
	return true;
}

bool check_nodes(const char *command, const struct ratio *ratio, unsigned int mode_flags,
		 const char *process)
{
	char list[MAX_LINE];

	if (mode_flags & MPOL_F_RELATIVE_NODES)
		return true;
	if (read_line(NODE_DIR "/has_memory", list, sizeof(list)) &&
	    !nodes_are_in(command, ratio, list, "has no memory"))
		return false;
	if (mode_flags & MPOL_F_STATIC_NODES)
		return true;
	return !read_allowed_nodes(process, list, sizeof(list)) ||
	       nodes_are_in(command, ratio, list, "is not allowed by the cpuset");
}

void complain_missing(const char *command, const char *call)
{
	warn("%s: %s is not available here; %s", command, call,
	     errno == EPERM ? "a filter of system calls, as containers have, forbids it" :
			      "this kernel lacks it, or a filter hides it");
}
