/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Physical memory as a user can see it: ranges of boot parameters and of
 * /proc/iomem, zones, memory blocks, page frames and what they are used for.
 *
 * Functions that can fail return 0 or a value on success, -errno otherwise.
 */
#ifndef PHYSICAL_H
#define PHYSICAL_H

#include <linux/kernel-page-flags.h>

#include "placement.h"

/* Not in the header for programs */
#ifndef KPF_RESERVED
#define KPF_RESERVED 32
#endif

/* A block of the page allocator's largest order */
#define TOP_BYTES (4UL << 20)

#define MAX_RANGES 64
#define MAX_ZONES 256

struct range {
	unsigned long start;
	unsigned long end;
};

struct ranges {
	int nr;
	struct range range[MAX_RANGES];
};

/* SIZE@BASE[,SIZE@BASE...]; other items are passed by */
int ranges_parse(const char *list, struct ranges *ranges);
/* All that the command line gives to @name, which ends in "=", but what the log says is left out */
int ranges_of_boot(const char *name, struct ranges *ranges);
/* The lines of /proc/iomem that say "System RAM" */
int ranges_of_ram(struct ranges *ranges);
/* The place of the range with @address, @ranges->nr if none has it */
int ranges_find(const struct ranges *ranges, unsigned long address);
/* Bytes of [start, end) that are in @ranges, which do not overlap */
unsigned long ranges_within(const struct ranges *ranges, unsigned long start, unsigned long end);

/* Does the log have a line with @text? */
bool log_has(const char *text);

/* A zone that spans memory, which it should have some of; in pages */
struct zone {
	int node;
	char name[16];
	long start;
	long spanned;
	long present;
	long managed;
	long free;
	long high;
	/* Free, too, but kept by the CPUs, which hand them out first */
	long cached;
};

/* In the order of /proc/zoneinfo: of a node, the zone that is used first is last */
int zones_read(struct zone *zones, int max);
const struct zone *zone_find(const struct zone *zones, int count, int node,
			     const char *name);
bool zone_is_movable(const struct zone *zone);

struct memory_block {
	int id;
	/* -1 if it has memory of several nodes */
	int node;
	bool online;
	unsigned long start;
	unsigned long end;
};

/* In the order of their addresses */
int memory_blocks_read(struct memory_block *blocks, int max);
/* What valid_zones says, without the end of the line */
int memory_block_zones(const struct memory_block *block, char *buf, size_t size);
int memory_block_write(const struct memory_block *block, const char *state);

/* The page frame of each of @count pages; 0 where there is none */
int frames_of_pages(const void *addr, size_t count, unsigned long *frame);
/* The flags, KPF_*, of @count page frames from @first on */
int flags_of_frames(unsigned long first, size_t count, unsigned long *flags);

#endif /* PHYSICAL_H */
