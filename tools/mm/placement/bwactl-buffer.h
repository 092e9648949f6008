/* SPDX-License-Identifier: GPL-2.0 */
/* Memory to measure with */
#ifndef BWACTL_BUFFER_H
#define BWACTL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct machine;
struct ratio;

struct buffer {
	char *memory;
	size_t size;			/* bytes */
};

/* All caches from the second level on that hold data of these CPUs, in bytes */
unsigned long long count_caches(const struct machine *machine,
				const bool *cpus);

/* How much memory of a node is free, in bytes; 0 when that is not known */
unsigned long long node_room(const struct machine *machine, int node);

/* Says so if a cgroup limits the time of CPUs */
void note_quota(const struct machine *machine);

/*
 * Gets @size bytes; 0: as many as are large against @caches. There are @room
 * bytes where they are to come from, which @what names. Complains and returns
 * false when there is too little.
 */
bool get_buffer(const struct machine *machine, unsigned long long size,
		unsigned long long caches, unsigned long long room,
		const char *what, struct buffer *buffer);

/* Gives back what get_buffer() got */
void put_buffer(struct buffer *buffer);

/* Pages come from this node as long as it has some; complains, returns false */
bool prefer_node(const struct buffer *buffer, int node);

/* Complains and returns false when other nodes had to give too many pages */
bool check_placement(const struct buffer *buffer, int node);

/*
 * Pages come from nodes in this ratio: with weights of their own, else with the
 * global ones if they are the same; complains and returns false
 */
bool spread_buffer(const struct machine *machine, const struct buffer *buffer,
		   const struct ratio *ratio);

#endif /* BWACTL_BUFFER_H */
