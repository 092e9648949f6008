/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of /proc/PID/numa_maps */
#ifndef NUMA_MAPS_H
#define NUMA_MAPS_H

#include <stdbool.h>

#include "common.h"

enum placing { PLACED_OTHERWISE, PLACED_EVENLY, PLACED_BY_WEIGHT };

/* One line of numa_maps; the strings are parts of that line */
struct mapping {
	const char *address;
	const char *policy;
	const char *name;		/* "file=..., "heap", "stack" or "" */
	enum placing placing;
	bool cut;			/* the policy has more nodes than the kernel shows */
	struct nodes nodes;		/* of the policy; those that are sure, if it is cut */
	bool has_own;
	struct ratio own;		/* in force, of a policy with weights of its own */
	unsigned long page_kb;		/* 0: unknown, without pages or of an old kernel */
	unsigned long pages[MAX_NODES];
	unsigned long total;
};

/* What mappings have on each node */
struct placed {
	unsigned long mappings;
	unsigned long kb[MAX_NODES];
	bool unsized;			/* pages of unknown size are not in it */
};

/* Adds one mapping; @placed is zeroed at first */
void add_mapping(struct placed *placed, const struct mapping *mapping);

/*
 * Adds up all mappings of @process, a PID; @placed is zeroed at first. False, with
 * errno: 0 for a line that is none of numa_maps
 */
bool read_placed(const char *process, struct placed *placed);

/* Reads a line, which is cut up; false when it is not one of numa_maps */
bool parse_mapping(char *line, struct mapping *mapping);

#endif /* NUMA_MAPS_H */
