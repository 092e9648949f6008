/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose turn it is, for each size of page.
 *
 * Pages without an address go to the nodes of their task's policy in turns. A
 * counter that all sizes share would run in step with sizes that repeat: with two
 * nodes and folios of 4, 8, 4, 8 pages, as readahead makes them, all of 4 would be
 * on one node and all of 8 on the other. Nor would it do to count pages, as each
 * size is a multiple of a round of two. So each size counts by itself: of any
 * number of folios of a size each node has its share, as of single pages.
 *
 * Single pages have counters that their modes know, and pay nothing for these.
 */
#ifndef _LINUX_INTERLEAVE_TURNS_H
#define _LINUX_INTERLEAVE_TURNS_H

#include <linux/minmax.h>
#include <linux/types.h>

/*
 * Orders from 1 on with a counter of their own: all of the page allocator's where
 * a page has 4 KiB. Those above share the last one.
 */
#define INTERLEAVE_TURNS	10

/**
 * struct interleave_turns - where in its round each size of a task's pages is
 * @next: by order, from 1 on: how many turns were taken, and some more from the
 *        start. The round of a policy may change meanwhile, so that who reads it
 *        divides. Every stretch of a round has the shares in it, so that little is
 *        lost where it wraps, and with rounds that are longer.
 *
 * Only the task itself takes turns; a child begins where its parent stood.
 */
struct interleave_turns {
	u16 next[INTERLEAVE_TURNS];
};

/**
 * interleave_turns_begin - begin as a new policy of the task does
 * @turns: the task's
 *
 * Each size begins elsewhere, or their first folios would all be on one node.
 */
static inline void interleave_turns_begin(struct interleave_turns *turns)
{
	unsigned int order;

	for (order = 1; order <= INTERLEAVE_TURNS; order++)
		turns->next[order - 1] = order;
}

/**
 * interleave_turn - take a turn
 * @turns: the task's
 * @order: of the pages, at least 1; perhaps more than there can be
 *
 * Return: the place in the round, not divided by it.
 */
static inline unsigned int interleave_turn(struct interleave_turns *turns,
					   unsigned int order)
{
	return turns->next[min_t(unsigned int, order, INTERLEAVE_TURNS) - 1]++;
}

#endif /* _LINUX_INTERLEAVE_TURNS_H */
