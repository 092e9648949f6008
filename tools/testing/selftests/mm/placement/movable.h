/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of movable blocks and memory channels share: the machine as it
 * was booted, what is free of a zone, and pages that a zone has given out.
 */
#ifndef MOVABLE_H
#define MOVABLE_H

#include "physical.h"
#include "promotion.h"

#define CHANNELS_FILE "/sys/module/page_alloc/parameters/channels"

#define TOP_PAGES 1024

struct machine {
	struct ranges blocks;
	struct ranges channels;
	struct ranges ram;
	struct zone zone[MAX_ZONES];
	int zones;
	struct memory_block memory[MAX_BLOCKS];
	int memories;
	bool ordered;
	bool shuffled;
	const char *missing;
};

extern struct machine machine;

bool machine_read(void);
/* The place of its channel; behind the last one for memory that has none */
int channel_of(unsigned long frame);
/* A zone spans page frames of ZONE_MOVABLE, and the other way round */
bool zone_has(const struct zone *zone, unsigned long frame);
/* Few pages were given out since boot: the free lists are as they were made */
bool fresh(void);

/* What is free of a zone: its largest blocks, by channel, and smaller ones */
struct supply {
	int channels;
	long top[MAX_RANGES + 1];
	long loose;
};

bool supply_read(const struct zone *zone, struct supply *supply);

/* Pages of a zone in the order in which a process got them */
struct buffer {
	struct area area;
	unsigned long *frame;
	/* Which page of the area each of them is */
	size_t *page;
	size_t count;
};

void buffer_free(struct buffer *buffer);
/* Touches @pages of @node and leaves out those that @zone has not */
bool buffer_get(struct buffer *buffer, const struct zone *zone, size_t pages);

/* How often the next block is the one above in memory, in how many lists */
struct followers {
	int lists;
	int blocks;
	int found;
};

/* Adds what is in @frame, with a list for each channel */
void followers_add(struct followers *followers, const unsigned long *frame, size_t count);
/* Are there enough blocks to tell? */
bool followers_tell(const struct followers *followers);
/* Too many for chance */
bool followers_are_many(const struct followers *followers);
/*
 * More blocks of @zone than by chance are in @frame where their address would put
 * them, or all equally far from there, as some at the front were given out before
 */
bool many_are_in_place(const struct zone *zone, const unsigned long *frame, size_t count);

#endif /* MOVABLE_H */
