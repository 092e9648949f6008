// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are there already move to where the policy puts them.
 *
 * A node's pages have a list of their own, because migration gives up all that is
 * left of a list when there is no memory for one page of it: a full node must
 * not keep pages from the others.
 */
#include <linux/list.h>
#include <linux/mempolicy2.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/weighted_interleave.h>

#include "../internal.h"

/*
 * What moves off a full node makes room there. Nodes that exchange all of their
 * pages through little free memory are not worth more than this many rounds.
 */
#define MOST_ROUNDS	10

/* Returns whether pages are left, which stay in @pages. */
static bool move_to_node(struct list_head *pages, int nid, bool *again)
{
	struct migration_target_control target = {
		.nid = nid,
		.gfp_mask = GFP_HIGHUSER_MOVABLE | __GFP_THISNODE | __GFP_NOWARN,
	};
	unsigned int succeeded = 0;

	if (list_empty(pages))
		return false;
	migrate_pages(pages, alloc_migration_target, NULL, (unsigned long)&target,
		      MIGRATE_SYNC, MR_MEMPOLICY_MBIND, &succeeded);
	if (succeeded)
		*again = true;
	return !list_empty(pages);
}

/* All pages that are in @lists, as far as there is room */
static void move_lists(const nodemask_t *nodes, struct list_head *lists)
{
	bool stay, again;
	int nid, rounds = 0;

	do {
		stay = false;
		again = false;
		for_each_node_mask(nid, *nodes) {
			if (fatal_signal_pending(current))
				return;
			if (move_to_node(&lists[nid], nid, &again))
				stay = true;
		}
	} while (stay && again && ++rounds < MOST_ROUNDS);
}

/*
 * The range is walked once, unless the search meets a huge page that somebody else
 * is moving, and ends there.
 */
static void move_range(struct mm_struct *mm, unsigned long start,
		       unsigned long end, const struct mempolicy *pol,
		       unsigned long flags, struct list_head *lists)
{
	int nid, walks = 0;
	bool cut_short;

	do {
		cut_short = mpol_queue_misplaced(mm, start, end, pol, flags, lists) < 0;
		move_lists(&pol->nodes, lists);
		for (nid = 0; nid < nr_node_ids; nid++)
			if (!list_empty(&lists[nid]))
				putback_movable_pages(&lists[nid]);
	} while (cut_short && !fatal_signal_pending(current) && ++walks < MOST_ROUNDS);
}

/**
 * weighted_interleave_move - move pages to their own nodes
 * @mm:    current's
 * @start: of a range without holes
 * @end:   of the range
 * @pol:   the policy of the range, complete
 * @flags: MPOL_MF_MOVE or MPOL_MF_MOVE_ALL, and perhaps MPOL_MF_STRICT
 *
 * A page that finds no memory on its own node stays where it is, and so does what
 * is left when the caller is being killed.
 *
 * Context: may sleep; mmap_lock held for writing, lru_cache_disable() called.
 * Return: 0, or -EIO with MPOL_MF_STRICT when a page is not on its own node.
 */
int weighted_interleave_move(struct mm_struct *mm, unsigned long start,
			     unsigned long end, const struct mempolicy *pol,
			     unsigned long flags)
{
	struct list_head *lists;
	int nid;

	lists = kvmalloc_array(nr_node_ids, sizeof(*lists), GFP_KERNEL);
	/* Without room for them no page has room, either. */
	if (lists) {
		for (nid = 0; nid < nr_node_ids; nid++)
			INIT_LIST_HEAD(&lists[nid]);
		move_range(mm, start, end, pol,
			   flags & (MPOL_MF_MOVE | MPOL_MF_MOVE_ALL), lists);
		kvfree(lists);
	}
	if (!(flags & MPOL_MF_STRICT))
		return 0;
	return mpol_queue_misplaced(mm, start, end, pol, MPOL_MF_STRICT, NULL);
}
