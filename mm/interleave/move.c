// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are there already move to where the policy puts them.
 *
 * A node's pages are moved together, because migration gives up all that is
 * left of a list when there is no memory for one page of it: a full node must
 * not keep pages from the others.
 */
#include <linux/list.h>
#include <linux/mempolicy2.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/weighted_interleave.h>

#include "../internal.h"

/*
 * What moves off a full node makes room there. Nodes that exchange all of their
 * pages through little free memory are not worth more than this many rounds.
 */
#define MOST_ROUNDS	10

/*
 * Returns whether pages may be left that should go to @nid. @again tells whether
 * another attempt may find it different: something moved, or the search met a
 * huge page that somebody else was moving, and ended there.
 */
static bool move_to_node(struct mm_struct *mm, unsigned long start,
			 unsigned long end, const struct mempolicy *pol, int nid,
			 unsigned long flags, bool *again)
{
	struct migration_target_control target = {
		.nid = nid,
		.gfp_mask = GFP_HIGHUSER_MOVABLE | __GFP_THISNODE | __GFP_NOWARN,
	};
	unsigned int succeeded = 0;
	LIST_HEAD(pages);
	bool cut_short;
	int stay;

	cut_short = mpol_queue_misplaced(mm, start, end, pol, nid, flags,
					 &pages) < 0;
	if (cut_short)
		*again = true;
	if (list_empty(&pages))
		return cut_short;

	stay = migrate_pages(&pages, alloc_migration_target, NULL,
			     (unsigned long)&target, MIGRATE_SYNC,
			     MR_MEMPOLICY_MBIND, &succeeded);
	if (stay)
		putback_movable_pages(&pages);
	if (succeeded)
		*again = true;
	return stay || cut_short;
}

/**
 * weighted_interleave_move - move pages to their own nodes
 * @mm:    current's
 * @start: of a range without holes
 * @end:   of the range
 * @pol:   the policy of the range, complete
 * @flags: MPOL_MF_MOVE or MPOL_MF_MOVE_ALL, and perhaps MPOL_MF_STRICT
 *
 * A page that finds no memory on its own node stays where it is.
 *
 * Context: may sleep; mmap_lock held for writing, lru_cache_disable() called.
 * Return: 0, -EIO with MPOL_MF_STRICT when a page is not on its own node, or
 * -EINTR when the caller is being killed.
 */
int weighted_interleave_move(struct mm_struct *mm, unsigned long start,
			     unsigned long end, const struct mempolicy *pol,
			     unsigned long flags)
{
	unsigned long move = flags & (MPOL_MF_MOVE | MPOL_MF_MOVE_ALL);
	bool stay, again;
	int nid, rounds = 0;

	do {
		stay = false;
		again = false;
		for_each_node_mask(nid, pol->nodes) {
			if (fatal_signal_pending(current))
				return -EINTR;
			if (move_to_node(mm, start, end, pol, nid, move, &again))
				stay = true;
		}
	} while (stay && again && ++rounds < MOST_ROUNDS);

	if (!(flags & MPOL_MF_STRICT))
		return 0;
	return mpol_queue_misplaced(mm, start, end, pol, NUMA_NO_NODE,
				    MPOL_MF_STRICT, NULL);
}
