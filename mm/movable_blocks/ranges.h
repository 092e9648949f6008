/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_MOVABLE_BLOCKS_RANGES_H
#define _MM_MOVABLE_BLOCKS_RANGES_H

#include <linux/types.h>

#define MEMORY_RANGES_MAX	8

/**
 * struct memory_range - page frames from one to another
 * @start: the first
 * @end:   the one behind the last
 */
struct memory_range {
	unsigned long start;
	unsigned long end;
};

/**
 * struct memory_ranges - ranges in the order of their addresses, none of which
 * overlap
 * @nr:    how many there are
 * @range: they
 */
struct memory_ranges {
	unsigned int nr;
	struct memory_range range[MEMORY_RANGES_MAX];
};

size_t memory_range_parse(const char *text, struct memory_range *range,
			  const char **wrong);
const char *memory_ranges_add(struct memory_ranges *ranges,
			      const struct memory_range *range,
			      const char *(*refuse)(const struct memory_range *));
void memory_ranges_read(struct memory_ranges *ranges, const char *name,
			const char *text,
			const char *(*refuse)(const struct memory_range *));
unsigned int memory_ranges_find(const struct memory_ranges *ranges,
				unsigned long pfn);
unsigned long memory_ranges_next(const struct memory_ranges *ranges,
				 unsigned int index, unsigned long pfn);
bool memory_ranges_hold(const struct memory_ranges *ranges,
			unsigned long start, unsigned long end);
unsigned long memory_ranges_pages(const struct memory_ranges *ranges,
				  unsigned long start, unsigned long end);
unsigned long memory_ranges_nth(const struct memory_ranges *ranges,
				unsigned long start, unsigned long end,
				unsigned long n);

#endif /* _MM_MOVABLE_BLOCKS_RANGES_H */
