// SPDX-License-Identifier: GPL-2.0
/*
 * The node of the next page.
 *
 * Pages of a mapping go by their offset in the object, so that a layout is the
 * same whoever touches which page first. Allocations without an address (page
 * cache, slab, vmalloc in bulk) go by a counter of the task.
 *
 * These functions run inside the page and slab allocators. They allocate
 * nothing, take no lock and read the order of a policy under rcu_read_lock()
 * only. The policy itself stays because the caller has a reference, holds
 * mmap_lock, or is the task whose policy it is.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmstat.h>
#include <linux/weighted_interleave.h>

#include "order.h"
#include "policy.h"

/* Nodes whose pages are counted at a time: what a stack has room for */
#define BULK_NODES 32

/*
 * What each page goes through is inline, as gcc would not do it at -Os: calls
 * cost half as much as all that is done in them.
 */

/* The order in force, or NULL after a rebind that is not yet completed. */
static __always_inline const struct interleave_order *
order_of(const struct mempolicy *pol)
{
	struct interleave_set *set;

	if (pol->flags & MPOL_F_HAS_WEIGHTS)
		set = rcu_dereference(pol->own->set);
	else
		set = rcu_dereference(pol->interleave);
	return likely(set) ? rcu_dereference(set->order) : NULL;
}

static const u8 *own_weights(const struct mempolicy *pol)
{
	return pol->flags & MPOL_F_HAS_WEIGHTS ? interleave_bound(pol->own) :
						 NULL;
}

static noinline unsigned int run_nid(const struct mempolicy *pol, u32 index)
{
	int nid = interleave_run_node(&pol->nodes, own_weights(pol),
				      interleave_weights, index);

	count_vm_event(INTERLEAVE_RUN_ORDER);
	return nid == NUMA_NO_NODE ? numa_node_id() : nid;
}

/**
 * weighted_interleave_nid - node of a page by its offset
 * @pol:   an MPOL_WEIGHTED_INTERLEAVE policy
 * @index: offset in the object, in units of the folio that is allocated.
 *         Truncated to 32 bits, as MPOL_INTERLEAVE does, so that even weights
 *         give the same node as there.
 *
 * Context: any in which @pol is stable.
 * Return: node id.
 */
unsigned int weighted_interleave_nid(const struct mempolicy *pol,
				     unsigned long index)
{
	const struct interleave_order *order;
	unsigned int nid;

	rcu_read_lock();
	order = order_of(pol);
	if (likely(order))
		nid = order->node[(u32)index % order->round];
	else
		nid = run_nid(pol, index);
	rcu_read_unlock();
	return nid;
}

/*
 * A shared memory object counts from its inode number on, so that many small
 * files do not all begin on the same node.
 */
static bool counts_from_inode(struct vm_area_struct *vma, struct folio *folio)
{
	return !folio_test_anon(folio) && vma->vm_file &&
	       shmem_mapping(vma->vm_file->f_mapping);
}

/**
 * weighted_interleave_nid_of - node that a mapped folio belongs on
 * @pol:   an MPOL_WEIGHTED_INTERLEAVE policy
 * @vma:   a mapping of @folio
 * @addr:  an address of @folio in @vma
 * @folio: the folio
 *
 * The same node as was chosen, or would be, when the folio is allocated.
 *
 * Context: mmap_lock held; @folio cannot be freed.
 * Return: node id.
 */
unsigned int weighted_interleave_nid_of(const struct mempolicy *pol,
					struct vm_area_struct *vma,
					unsigned long addr, struct folio *folio)
{
	unsigned int order = folio_order(folio);
	unsigned long index;

	if (counts_from_inode(vma, folio)) {
		index = round_down(linear_page_index(vma, addr), 1UL << order);
		index += file_inode(vma->vm_file)->i_ino;
		return weighted_interleave_nid(pol, index >> order);
	}

	/* A part of a huge page may be all that is left in the mapping. */
	addr = max(round_down(addr, PAGE_SIZE << order), vma->vm_start);
	index = vma->vm_pgoff >> order;
	index += (addr - vma->vm_start) >> (PAGE_SHIFT + order);
	return weighted_interleave_nid(pol, index);
}

/*
 * The task's position may lie beyond the round: the last page of a round leaves
 * it there, and weights or nodes may have changed since.
 */
static u32 position_in(const struct interleave_order *order)
{
	u32 position = current->il_position;

	return unlikely(position >= order->round) ? position % order->round :
						    position;
}

static __always_inline unsigned int task_nid(const struct mempolicy *pol, u32 *position)
{
	const struct interleave_order *order;
	unsigned int nid;

	rcu_read_lock();
	order = order_of(pol);
	if (likely(order)) {
		*position = position_in(order);
		nid = order->node[*position];
	} else {
		*position = current->il_position;
		nid = run_nid(pol, *position);
	}
	rcu_read_unlock();
	return nid;
}

/**
 * weighted_interleave_peek - node that the task's counter gives next
 * @pol: current's own MPOL_WEIGHTED_INTERLEAVE policy
 *
 * Return: node id.
 */
unsigned int weighted_interleave_peek(const struct mempolicy *pol)
{
	u32 position;

	return task_nid(pol, &position);
}

/**
 * weighted_interleave_advance - node for a page without an address
 * @pol: current's own MPOL_WEIGHTED_INTERLEAVE policy
 *
 * Moves the task's counter on by one page.
 *
 * Context: task context; interrupts may be off (slab).
 * Return: node id.
 */
unsigned int weighted_interleave_advance(const struct mempolicy *pol)
{
	u32 position;
	unsigned int nid = task_nid(pol, &position);

	current->il_position = position + 1;
	return nid;
}

/* Do all nodes of the policy have the same weight? */
static bool is_even(const struct mempolicy *pol)
{
	const struct interleave_order *order;
	bool even;

	rcu_read_lock();
	order = order_of(pol);
	even = order ? order->even :
		       interleave_is_even(&pol->nodes, own_weights(pol),
					  interleave_weights);
	rcu_read_unlock();
	return even;
}

/*
 * Pages of the nodes from @first on among the next @nr_pages of the task; none
 * without an order.
 */
static void count_pages(const struct mempolicy *pol, u32 position,
			unsigned long nr_pages, unsigned long *count, int first)
{
	const struct interleave_order *order;

	rcu_read_lock();
	order = order_of(pol);
	if (likely(order))
		interleave_count(order->node, order->round,
				 position % order->round, nr_pages, count,
				 first, BULK_NODES);
	else
		memset(count, 0, BULK_NODES * sizeof(*count));
	rcu_read_unlock();
}

/*
 * The bulk allocator gives a single page where pages are charged to a memory
 * cgroup, and stops at the low watermark. The node's other pages are taken one
 * by one then, or the ratio would suffer.
 */
static unsigned long alloc_on_node(gfp_t gfp, int nid, unsigned long want,
				   struct page **pages)
{
	unsigned long got;

	got = __alloc_pages_bulk(gfp, nid, NULL, want, NULL, pages);
	while (got < want) {
		struct page *page = __alloc_pages(gfp, 0, nid, NULL);

		if (!page)
			break;
		pages[got++] = page;
	}
	return got;
}

/**
 * weighted_interleave_bulk - many pages without an address
 * @gfp:      flags, passed on as they are
 * @pol:      current's own MPOL_WEIGHTED_INTERLEAVE policy
 * @nr_pages: how many pages are wanted
 * @pages:    room for them, all NULL
 * @got:      how many there are now, at most @nr_pages
 *
 * Takes the pages of each node in one go and moves the task's counter on by
 * the number of pages that were got. The order is not kept while the page
 * allocator may sleep. If it changes between two groups of nodes, there is none,
 * or memory is short, fewer pages come back and the caller goes on page by page.
 *
 * Context: as @gfp allows.
 * Return: false, and nothing was done, when MPOL_INTERLEAVE places the same way.
 */
bool weighted_interleave_bulk(gfp_t gfp, const struct mempolicy *pol,
			      unsigned long nr_pages, struct page **pages,
			      unsigned long *got)
{
	u32 position = current->il_position;
	unsigned long count[BULK_NODES];
	unsigned long total = 0;
	int nid, first = 0, end = 0;

	if (is_even(pol))
		return false;

	for_each_node_mask(nid, pol->nodes) {
		unsigned long want, here;

		if (nid >= end) {
			first = round_down(nid, BULK_NODES);
			end = first + BULK_NODES;
			count_pages(pol, position, nr_pages, count, first);
		}
		want = min(count[nid - first], nr_pages - total);
		if (!want)
			continue;
		here = alloc_on_node(gfp, nid, want, pages + total);
		total += here;
		if (here < want)
			break;
	}
	current->il_position = position + total;
	*got = total;
	return true;
}
