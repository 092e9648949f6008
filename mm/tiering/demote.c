// SPDX-License-Identifier: GPL-2.0
/*
 * Where reclaim demotes pages to.
 *
 * The base asks for a node of the next tier and falls back to all slower ones.
 * Here those that the page's cgroup may not have are left out: where none is
 * left, that node is the last one for this memory, which is then dropped or
 * swapped out from there as from the slowest node of the machine.
 */
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/memory-tiers.h>
#include <linux/memory_demotion.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/topology.h>

#include "allowed.h"

/*
 * As the base asks: at once, or not at all. But without __GFP_HARDWALL: the page
 * belongs to somebody else, and the task that reclaims may be bound to the very
 * node that is full. It would find nothing to reclaim there, and kill.
 */
#define GFP_DEMOTION	((GFP_HIGHUSER_MOVABLE & ~(__GFP_RECLAIM | __GFP_HARDWALL)) | \
			 GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC)

/*
 * A huge page is asked for as migration does elsewhere, but for the same: the mask of
 * huge pages has __GFP_HARDWALL again.
 */
static struct folio *alloc_like(struct folio *src, gfp_t gfp, int nid, nodemask_t *nodes)
{
	if (folio_test_large(src))
		gfp = ((gfp & ~__GFP_RECLAIM) | GFP_TRANSHUGE) & ~__GFP_HARDWALL;
	return __folio_alloc(gfp, folio_order(src), nid, nodes);
}

/* Slower nodes that memory of @memcg may be on */
static nodemask_t allowed_targets(int from, struct mem_cgroup *memcg)
{
	nodemask_t targets;
	int nid;

	node_get_allowed_targets(NODE_DATA(from), &targets);
	for_each_node_mask(nid, targets)
		if (!tiering_may_hold(memcg, nid))
			node_clear(nid, targets);
	return targets;
}

static bool is_faster(int nid, int other)
{
	nodemask_t slower;

	node_get_allowed_targets(NODE_DATA(nid), &slower);
	return node_isset(other, slower);
}

/* The nearest of the fastest tier among @targets */
static int best_target(int from, const nodemask_t *targets)
{
	int nid, best = NUMA_NO_NODE;

	for_each_node_mask(nid, *targets)
		if (best == NUMA_NO_NODE || is_faster(nid, best) ||
		    (!is_faster(best, nid) &&
		     node_distance(from, nid) < node_distance(from, best)))
			best = nid;
	return best;
}

/**
 * demotion_possible - is there a slower node for memory of a cgroup?
 * @nid:   the node on which it is
 * @memcg: the memory cgroup, which stays, or NULL for any
 *
 * Context: any.
 */
bool demotion_possible(int nid, struct mem_cgroup *memcg)
{
	nodemask_t targets = allowed_targets(nid, memcg);

	return !nodes_empty(targets);
}

/**
 * demotion_alloc - a place for a folio that is demoted
 * @src:     the folio, isolated from its LRU list
 * @private: not used
 *
 * The node that is best is tried by itself first, which wakes its kswapd: else
 * pages would go to still slower nodes as long as these have room.
 *
 * Context: as what migrate_pages() calls for a target.
 * Return: the new folio, or NULL.
 */
struct folio *demotion_alloc(struct folio *src, unsigned long private)
{
	int from = folio_nid(src), nid = next_demotion_node(from);
	nodemask_t targets = allowed_targets(from, folio_memcg(src));
	struct folio *target;

	if (nodes_empty(targets))
		return NULL;
	if (nid == NUMA_NO_NODE || !node_isset(nid, targets))
		nid = best_target(from, &targets);
	target = alloc_like(src, GFP_DEMOTION | __GFP_THISNODE, nid, NULL);
	return target ?: alloc_like(src, GFP_DEMOTION, nid, &targets);
}
