// SPDX-License-Identifier: GPL-2.0
/* Which nodes belong together: by package, or as --topology says */
#include "bwactl-groups.h"

#include <ctype.h>
#include <err.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "bwactl-machine.h"
#include "common.h"

static struct group *add_group(struct groups *groups, int package)
{
	struct group *group = &groups->group[groups->count++];

	memset(group, 0, sizeof(*group));
	group->package = package;
	return group;
}

/* The group of a package from @first on; a new one where there is none */
static struct group *find_group(struct groups *groups, size_t first,
				int package)
{
	size_t i;

	for (i = first; i < groups->count && package >= 0; i++) {
		if (groups->group[i].package == package)
			return &groups->group[i];
	}
	return add_group(groups, package);
}

static int group_distance(const struct machine *machine,
			  const struct group *group, int memory)
{
	int nearest = INT_MAX;
	int i;

	for (i = next_node(&group->compute, -1); i >= 0;
	     i = next_node(&group->compute, i)) {
		if (machine->distance[i][memory] < nearest)
			nearest = machine->distance[i][memory];
	}
	return nearest;
}

static bool group_initiates(const struct machine *machine,
			    const struct group *group, int memory)
{
	int i;

	for (i = next_node(&group->compute, -1); i >= 0;
	     i = next_node(&group->compute, i)) {
		if (machine->initiator[memory][i])
			return true;
	}
	return false;
}

/*
 * Adds a node without CPUs to the nearest group. When several are equally
 * near, firmware may know one of them to be nearest after all; otherwise the
 * node is shared.
 */
static void add_far_memory(const struct machine *machine,
			   struct groups *groups, int memory)
{
	int nearest = INT_MAX;
	bool told = false;
	struct group *group;
	size_t i;

	for (i = 0; i < groups->count; i++) {
		int distance = group_distance(machine, &groups->group[i],
					      memory);
		bool initiates = group_initiates(machine, &groups->group[i],
						 memory);

		if (distance < nearest) {
			nearest = distance;
			told = initiates;
		} else if (distance == nearest) {
			told |= initiates;
		}
	}
	for (i = 0; i < groups->count; i++) {
		group = &groups->group[i];
		if (group_distance(machine, group, memory) == nearest &&
		    (!told || group_initiates(machine, group, memory)))
			group->memory.in[memory] = true;
	}
}

void group_by_package(const struct machine *machine, struct groups *groups)
{
	struct group *group;
	int i;

	groups->count = 0;
	for (i = next_node(&machine->compute, -1); i >= 0;
	     i = next_node(&machine->compute, i)) {
		group = find_group(groups, 0, machine->package[i]);
		group->compute.in[i] = true;
		group->memory.in[i] = machine->memory.in[i];
	}
	for (i = next_node(&machine->memory, -1); i >= 0;
	     i = next_node(&machine->memory, i)) {
		if (!machine->compute.in[i])
			add_far_memory(machine, groups, i);
	}
}

/* The next character that is no blank, which is taken if it is @wanted */
static bool take(const char **at, char wanted)
{
	while (isspace((unsigned char)**at))
		++*at;
	if (**at != wanted)
		return false;
	++*at;
	return true;
}

static bool complain_node(const struct machine *machine, const char *node,
			  int len, const char *what)
{
	char list[256];

	format_set(&machine->online, list, sizeof(list));
	warnx("--topology: node %.*s %s: nodes of this machine are %s", len,
	      node, what, list);
	return false;
}

static bool take_node(const char **at, const struct machine *machine,
		      struct nodes *seen, struct nodes *nodes)
{
	size_t len = strspn(*at, "0123456789");
	unsigned long node;

	if (!parse_number(*at, len, MAX_NODES - 1, &node) ||
	    !machine->online.in[node])
		return complain_node(machine, *at, len, "does not exist");
	if (seen->in[node])
		return complain_node(machine, *at, len, "stands there twice");
	if (!machine->compute.in[node] && !machine->memory.in[node])
		return complain_node(machine, *at, len,
				     "has neither CPUs nor memory");
	seen->in[node] = true;
	nodes->in[node] = true;
	*at += len;
	return true;
}

static bool complain_syntax(const char *text)
{
	warnx("--topology: '%s' is not a list of groups of nodes: write it like [[0,2],[1,3]]",
	      text);
	return false;
}

/* Nodes of several packages in one group share its memory */
static bool add_nodes(const struct machine *machine, const struct nodes *nodes,
		      struct groups *groups)
{
	size_t first = groups->count;
	struct nodes memory = {};
	char list[256];
	size_t g;
	int i;

	for (i = next_node(nodes, -1); i >= 0; i = next_node(nodes, i)) {
		memory.in[i] = machine->memory.in[i];
		if (machine->compute.in[i])
			find_group(groups, first, machine->package[i])
				->compute.in[i] = true;
	}
	if (groups->count == first) {
		format_set(nodes, list, sizeof(list));
		warnx("--topology: no node of %s has CPUs: add the node whose CPUs use it",
		      list);
		return false;
	}
	for (g = first; g < groups->count; g++)
		groups->group[g].memory = memory;
	return true;
}

bool parse_topology(const char *text, const struct machine *machine,
		    struct groups *groups)
{
	struct nodes seen = {}, nodes;
	const char *at = text;

	groups->count = 0;
	if (!take(&at, '['))
		return complain_syntax(text);
	do {
		memset(&nodes, 0, sizeof(nodes));
		if (!take(&at, '['))
			return complain_syntax(text);
		do {
			while (isspace((unsigned char)*at))
				at++;
			if (!isdigit((unsigned char)*at))
				return complain_syntax(text);
			if (!take_node(&at, machine, &seen, &nodes))
				return false;
		} while (take(&at, ','));
		if (!take(&at, ']'))
			return complain_syntax(text);
		if (!add_nodes(machine, &nodes, groups))
			return false;
	} while (take(&at, ','));
	if (!take(&at, ']') || !take(&at, '\0'))
		return complain_syntax(text);
	return true;
}
