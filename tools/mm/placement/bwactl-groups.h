/* SPDX-License-Identifier: GPL-2.0 */
/* Which nodes belong together */
#ifndef BWACTL_GROUPS_H
#define BWACTL_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

struct machine;

/* Memory nodes, and the CPUs of one package that use them together */
struct group {
	struct nodes compute;
	struct nodes memory;
	int package;			/* -1: unknown */
};

struct groups {
	size_t count;
	struct group group[MAX_NODES];
};

/* A group for each package, with the memory that is nearest to it */
void group_by_package(const struct machine *machine, struct groups *groups);

/* "[[0,2],[1,3]]"; when that is wrong complains and returns false */
bool parse_topology(const char *text, const struct machine *machine,
		    struct groups *groups);

#endif /* BWACTL_GROUPS_H */
