// SPDX-License-Identifier: GPL-2.0
/*
 * The node of the next page.
 *
 * Pages of a mapping go by their offset in the object, so that a layout is the
 * same whoever touches which page first. Single pages without an address (page
 * cache, slab, vmalloc in bulk) go by a counter of the task, larger ones by one for
 * each size, interleave_turns.h, as by an offset.
 *
 * These functions run inside the page and slab allocators. They allocate
 * nothing, take no lock and read the order of a policy under rcu_read_lock()
 * only. The policy itself stays because the caller has a reference, holds
 * mmap_lock, or is the task whose policy it is.
 */
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/topology.h>
#include <linux/vmstat.h>
#include <linux/weighted_interleave.h>

#include "order.h"
#include "policy.h"
#include "../newer.h"

/*
 * What each page goes through is inline, as gcc would not do it at -Os: calls
 * cost half as much as all that is done in them.
 */

/* The order in force, or NULL while the policy is incomplete. */
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
	nodemask_t nodes = interleave_nodes_now(pol);
	int nid = interleave_run_node(&nodes, own_weights(pol),
				      interleave_weights, index);

	count_vm_event(INTERLEAVE_RUN_ORDER);
	interleave_complete_later(pol);
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

/* Which huge page of its object it is: linear_page_index() says that in some kernels only. */
static unsigned long huge_index(struct vm_area_struct *vma, unsigned long addr)
{
	struct hstate *pool = hstate_vma(vma);

	return ((addr - vma->vm_start) >> huge_page_shift(pool)) +
	       (vma->vm_pgoff >> huge_page_order(pool));
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
	unsigned long index = linear_page_index(vma, addr);
	unsigned int order = folio_order(folio);

	if (folio_test_hugetlb(folio))
		return weighted_interleave_nid(pol, huge_index(vma, addr));
	/*
	 * The folio's first page, whichever part of it is mapped here, and wherever
	 * the mapping begins. What KSM has merged has no offset of its own.
	 */
	if (!folio_test_ksm(folio))
		index = folio->index;
	if (counts_from_inode(vma, folio))
		return weighted_interleave_nid(pol, shmem_turn(file_inode(vma->vm_file),
							       index, order));
	return weighted_interleave_nid(pol, private_turn(vma, addr, index, order));
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

/**
 * weighted_interleave_peek - node that the task's counter gives next
 * @pol: current's own MPOL_WEIGHTED_INTERLEAVE policy
 *
 * Return: node id.
 */
unsigned int weighted_interleave_peek(const struct mempolicy *pol)
{
	const struct interleave_order *order;
	unsigned int nid;

	rcu_read_lock();
	order = order_of(pol);
	if (likely(order))
		nid = order->node[position_in(order)];
	else
		nid = run_nid(pol, current->il_position);
	rcu_read_unlock();
	return nid;
}

/**
 * weighted_interleave_advance - node for a single page without an address
 * @pol: current's own MPOL_WEIGHTED_INTERLEAVE policy
 *
 * Moves the task's counter on by one page. Larger ones have others.
 *
 * Context: task context; interrupts may be off (slab).
 * Return: node id.
 */
unsigned int weighted_interleave_advance(const struct mempolicy *pol)
{
	const struct interleave_order *order;
	unsigned int nid;
	u32 position;

	rcu_read_lock();
	order = order_of(pol);
	if (likely(order)) {
		position = position_in(order);
		current->il_position = position + 1;
		nid = order->node[position];
	} else {
		nid = run_nid(pol, current->il_position++);
	}
	rcu_read_unlock();
	return nid;
}

/* Do all nodes of the policy have the same weight? */
static bool is_even(const struct mempolicy *pol)
{
	nodemask_t nodes = interleave_nodes_now(pol);
	const struct interleave_order *order;
	bool even;

	rcu_read_lock();
	order = order_of(pol);
	even = order ? order->even :
		       interleave_is_even(&nodes, own_weights(pol),
					  interleave_weights);
	rcu_read_unlock();
	return even;
}

/*
 * How many of the next @nr_pages of the task each node gets, and where in the
 * round they begin; false when there is nothing to count them by.
 */
static __always_inline bool count_pages(const struct mempolicy *pol, u32 nr_pages,
					unsigned long *count, u32 *position)
{
	const struct interleave_order *order;
	bool counted;

	rcu_read_lock();
	order = order_of(pol);
	counted = likely(order && order->stride);
	if (counted) {
		*position = position_in(order);
		interleave_count(order, *position, nr_pages, count);
	}
	rcu_read_unlock();
	return counted;
}

/**
 * weighted_interleave_bulk - many pages without an address
 * @gfp:      flags, passed on as they are
 * @pol:      current's own MPOL_WEIGHTED_INTERLEAVE policy
 * @nr_pages: how many pages are wanted
 * @pages:    room for them, all NULL
 *
 * Takes the pages of each node in one go and moves the task's counter on by
 * the number of pages that were got. The pages are counted before the first of
 * them is taken, as the order is not kept while the page allocator may sleep. If
 * there is none, or memory is short, fewer pages come back and the caller goes on
 * page by page.
 *
 * Context: as @gfp allows.
 * Return: how many there are now, at most INTERLEAVE_COUNT_PAGES. -EOPNOTSUPP, and
 * nothing was done, when MPOL_INTERLEAVE places the same way.
 */
long weighted_interleave_bulk(gfp_t gfp, const struct mempolicy *pol,
			      unsigned long nr_pages, struct page **pages)
{
	unsigned long count[INTERLEAVE_COUNT_NODES / sizeof(long)] __uninitialized;
	struct page **next = pages, **end;
	unsigned long nid, want, here;
	u32 position;

	end = pages + min_t(unsigned long, nr_pages, INTERLEAVE_COUNT_PAGES);
	if (unlikely(!count_pages(pol, end - pages, count, &position)))
		return is_even(pol) ? -EOPNOTSUPP : 0;

	for (nid = 0; next < end; nid++) {
		want = ((u8 *)count)[nid];
		if (!want)
			continue;
		do {
			here = __alloc_pages_bulk(gfp, nid, NULL, want, NULL, next);
			if (!here)
				goto out;
			next += here;
			want -= here;
		} while (want);
	}
out:
	current->il_position = position + (next - pages);
	return next - pages;
}
