// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are there already move, a portion at a time.
 *
 * What a portion is made of is protected by
 * - mappings and their policies: mmap_lock for reading, while it is collected. It
 *   is dropped before a page is copied; mappings may be split, merged, unmapped or
 *   get another policy until the next portion, which begins with an address;
 * - the policy of a shared object: a reference for as long as it is looked at;
 * - the pages: references of their own, since they are off the LRU lists;
 * - the policy by which they are allocated: the caller has a reference, or it is that
 *   of the current task, and nobody else replaces that. What it takes a mapping to
 *   find, a node by address, was found while the portion was collected;
 * - where they arrive: mm->mpol_move_lock, which is held until they are there. Who
 *   sets a policy of a mapping takes it as well, so that none is replaced meanwhile;
 *   a shared object's may be, through another mm. It is taken before mmap_lock.
 */
#include <linux/cpuset.h>
#include <linux/hugetlb.h>
#include <linux/list.h>
#include <linux/mempolicy2.h>
#include <linux/mempolicy_ops.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../internal.h"
#include "target.h"
#include "../newer.h"

/* Base pages that are off the LRU lists at a time, but for a huge page */
#define PORTION_PAGES	128
/* Entries of page tables that are looked at while mmap_lock is held */
#define PORTION_LOOKS	4096
/*
 * What moves off a full node makes room there. Nodes that exchange all of their
 * pages through little free memory are not worth more than this many rounds.
 */
#define MOST_ROUNDS	10

static bool has_policies(struct vm_area_struct *vma)
{
	return vma->vm_ops && vma->vm_ops->get_policy;
}

/**
 * mpol_portion_takes - may pages of a mapping move?
 * @portion: the portion
 * @vma:     the mapping
 *
 * Objects with policies of their own are asked page by page.
 *
 * Context: mmap_lock.
 * Return: false when it has another policy than the one that was set.
 */
bool mpol_portion_takes(const struct mpol_portion *portion,
			struct vm_area_struct *vma)
{
	return portion->from || has_policies(vma) ||
	       mpol_equal(vma->vm_policy, portion->pol);
}

static bool is_in_force(const struct mpol_portion *portion,
			struct vm_area_struct *vma, unsigned long addr)
{
	struct mempolicy *pol;
	pgoff_t unused;
	bool same;

	if (portion->from || !has_policies(vma))
		return true;
	pol = __get_vma_policy(vma, addr, &unused);
	same = mpol_equal(pol, portion->pol);
	mpol_cond_put(pol);
	return same;
}

/* Where a large folio ends of which a part is at @addr: all are mapped by their offset. */
static unsigned long end_of(struct folio *folio, struct vm_area_struct *vma,
			    unsigned long addr)
{
	unsigned long pages = folio_nr_pages(folio);

	if (!folio_test_hugetlb(folio))
		pages = min(pages, folio->index + pages - linear_page_index(vma, addr));
	return addr + (pages << PAGE_SHIFT);
}

static bool is_misplaced(const struct mpol_portion *portion, int nid, int own)
{
	if (portion->own_node)
		return nid != own;
	return node_isset(nid, *portion->nodes) == portion->from;
}

/**
 * mpol_portion_wants - is a page to be moved?
 * @portion: the portion
 * @vma:     a mapping of @folio, which mpol_portion_takes()
 * @addr:    an address of @folio in @vma
 * @folio:   the folio
 * @own:     its own node, when @portion has a policy that says so
 *
 * Context: the page table's lock.
 * Return: whether it is.
 */
bool mpol_portion_wants(struct mpol_portion *portion, struct vm_area_struct *vma,
			unsigned long addr, struct folio *folio, int own)
{
	int nid = folio_nid(folio);

	if (!is_misplaced(portion, nid, own) || !is_in_force(portion, vma, addr))
		return false;
	if (!portion->lists)
		return true;

	if (folio_test_large(folio)) {
		if (addr < portion->taken)
			return false;
		portion->taken = end_of(folio, vma, addr);
	}
	if (portion->own_node) {
		if (node_isset(own, portion->full)) {
			portion->missed = true;
			return false;
		}
		/* What leaves makes room. */
		node_clear(nid, portion->full);
	}
	portion->room -= min_t(long, folio_nr_pages(folio), portion->room);
	return true;
}

/**
 * mpol_portion_passes_by - go on behind a huge page that others are moving?
 * @portion: the portion
 *
 * Context: the page table's lock.
 * Return: false when the portion only looks.
 */
bool mpol_portion_passes_by(struct mpol_portion *portion)
{
	portion->missed = true;
	portion->progress = true;
	return portion->lists;
}

/* Collects a portion, or looks at one; -EIO, -EINTR, -ESRCH */
static int take(struct mm_struct *mm, struct mpol_portion *portion)
{
	int err;

	if (fatal_signal_pending(current))
		return -EINTR;
	/* Nobody else has it any more. */
	if (mm != current->mm && atomic_read(&mm->mm_users) <= 1)
		return -ESRCH;
	err = mmap_read_lock_killable(mm);
	if (err)
		return err;
	portion->room = PORTION_PAGES;
	portion->looks = PORTION_LOOKS;
	err = mpol_collect(mm, portion);
	mmap_read_unlock(mm);
	return err;
}

/* Until portion_end() no policy of a mapping is set. */
static int portion_begin(struct mm_struct *mm, struct mpol_portion *portion)
{
	int err;

	err = mutex_lock_killable(&mm->mpol_move_lock);
	if (err)
		return err;
	err = take(mm, portion);
	if (err)
		mutex_unlock(&mm->mpol_move_lock);
	return err;
}

static void portion_end(struct mm_struct *mm, struct mpol_portion *portion)
{
	int i, nr_lists = portion->by ? nr_node_ids : 1;

	for (i = 0; i < nr_lists; i++) {
		if (list_empty(&portion->lists[i]))
			continue;
		portion->missed = true;
		putback_movable_pages(&portion->lists[i]);
	}
	mutex_unlock(&mm->mpol_move_lock);
}

/* Near @nid, on @nodes unless that is NULL. What stays is left in @pages; as migrate_pages() */
static int move_near(struct list_head *pages, int nid, nodemask_t *nodes, gfp_t gfp,
		     int reason, bool *progress)
{
	struct mpol_target target = {
		.nid = nid,
		.nodes = nodes,
		.gfp = gfp,
		.reason = reason,
	};
	unsigned int succeeded = 0;
	int left;

	if (list_empty(pages))
		return 0;
	/* An allocation forgets a mask that leaves nothing of the caller's cpuset. */
	if (nodes && !cpuset_nodemask_valid_mems_allowed(nodes))
		return 1;
	left = migrate_pages(pages, mpol_target_near, NULL,
			     (unsigned long)&target, MIGRATE_SYNC, reason, &succeeded);
	if (succeeded)
		*progress = true;
	return left;
}

static int move_to_node(struct list_head *pages, int nid, gfp_t gfp, int reason,
			bool *progress)
{
	return move_near(pages, nid, NULL, gfp, reason, progress);
}

/*
 * A node's pages have a list of their own, because migration gives up all that is
 * left of a list when there is no memory for one page of it: a full node must
 * not keep pages from the others.
 */
static void move_to_own_nodes(struct mpol_portion *portion)
{
	bool stay, again;
	int nid, left, rounds = 0;

	do {
		stay = false;
		again = false;
		for (nid = 0; nid < nr_node_ids; nid++) {
			if (list_empty(&portion->lists[nid]))
				continue;
			left = move_to_node(&portion->lists[nid], nid,
					    __GFP_THISNODE | __GFP_NOWARN,
					    MR_MEMPOLICY_MBIND, &again);
			if (left)
				stay = true;
			if (left == -ENOMEM)
				node_set(nid, portion->full);
			else
				node_clear(nid, portion->full);
		}
		portion->progress |= again;
	} while (stay && again && ++rounds < MOST_ROUNDS);
}

/* 0; -ENOMEM when there is no memory for any more pages */
static int move_by_policy(struct mpol_portion *portion)
{
	int nid, left = 0;

	if (portion->own_node) {
		move_to_own_nodes(portion);
		return 0;
	}
	for (nid = 0; portion->by && nid < nr_node_ids && left >= 0; nid++)
		left = move_near(&portion->lists[nid], nid, portion->within,
				 __GFP_RETRY_MAYFAIL, MR_MEMPOLICY_MBIND,
				 &portion->progress);
	if (portion->by)
		return min(left, 0);
	if (portion->within)
		left = move_near(portion->lists, portion->near, portion->within,
				 __GFP_RETRY_MAYFAIL, MR_MEMPOLICY_MBIND,
				 &portion->progress);
	else if (!list_empty(portion->lists))
		left = migrate_pages(portion->lists, mpol_target_by_policy, NULL,
				     (unsigned long)portion->dest, MIGRATE_SYNC,
				     MR_MEMPOLICY_MBIND, NULL);
	return min(left, 0);
}

/*
 * Once, as far as there is memory; where each page has its own node again, as long as
 * pages are left and others make room.
 */
static int move_all(struct mm_struct *mm, unsigned long start,
		    struct mpol_portion *portion)
{
	int err, rounds = 0;

	do {
		portion->next = start;
		portion->taken = 0;
		portion->missed = false;
		portion->progress = false;
		nodes_clear(portion->full);
		do {
			err = portion_begin(mm, portion);
			if (err)
				return err;
			err = move_by_policy(portion);
			portion_end(mm, portion);
		} while (!err && portion->next < portion->end);
	} while (!err && portion->own_node && portion->missed &&
		 portion->progress && ++rounds < MOST_ROUNDS);
	return err;
}

/* Is everything on its own node? 0, -EIO, -EINTR */
static int look(struct mm_struct *mm, unsigned long start,
		struct mpol_portion *portion)
{
	int err;

	portion->next = start;
	portion->flags = MPOL_MF_STRICT;
	portion->lists = NULL;
	do {
		err = take(mm, portion);
	} while (!err && portion->next < portion->end);
	return err;
}

static struct list_head *lists_alloc(void)
{
	struct list_head *lists;
	int nid;

	lists = kvmalloc_array(nr_node_ids, sizeof(*lists), GFP_KERNEL);
	for (nid = 0; lists && nid < nr_node_ids; nid++)
		INIT_LIST_HEAD(&lists[nid]);
	return lists;
}

/* An allocation goes by the processor that runs and by the cpuset of who runs there. */
static int near_of(struct task_struct *task, const struct mempolicy *dest)
{
	int home = mpol_home_node(dest);

	if (home != NUMA_NO_NODE)
		return home;
	return dest->mode == MPOL_PREFERRED ? first_node(dest->nodes) :
					      cpu_to_node(task_cpu(task));
}

/**
 * mpol_move_range - move pages to where a policy puts them
 * @task:     a thread of the process whose they are
 * @mm:       its memory, which has a user
 * @start:    of a range whose mappings have got copies of @pol
 * @end:      of the range
 * @pol:      the policy, complete, which nobody else has; NULL for the default
 * @dest:     @pol, or the policy that the default stands for
 * @nodes:    pages elsewhere move
 * @flags:    MPOL_MF_MOVE or MPOL_MF_MOVE_ALL, and perhaps MPOL_MF_STRICT
 * @own_node: pages on @nodes move as well, unless each is on its own node
 *
 * What has another policy by now, or is mapped no more, is left alone, as is what
 * finds no memory. With @own_node each page goes to its own node or nowhere; pages of
 * another process go to a node of @dest or nowhere, as near to its home node or else
 * to @task as can be.
 *
 * Context: no locks, may sleep; lru_cache_disable() called. Takes mmap_lock and
 * mm->mpol_move_lock for a portion at a time.
 * Return: 0, -EIO with MPOL_MF_STRICT when a page could not be moved, -EINTR when
 * the caller is being killed, -ESRCH when the process has gone.
 */
int mpol_move_range(struct task_struct *task, struct mm_struct *mm,
		    unsigned long start, unsigned long end,
		    struct mempolicy *pol, struct mempolicy *dest,
		    const nodemask_t *nodes, unsigned long flags, bool own_node)
{
	nodemask_t within;
	struct mpol_portion portion = {
		.end = end,
		.flags = flags,
		.nodes = nodes,
		.pol = pol,
		.dest = dest,
		.by = mpol_is_interleave(dest) ? dest : NULL,
		.own_node = own_node,
	};
	LIST_HEAD(pages);
	int err = -ENOMEM;

	if (task != current) {
		portion.near = near_of(task, dest);
		within = dest->mode == MPOL_LOCAL ? cpuset_mems_allowed(task) : dest->nodes;
		portion.within = &within;
	}
	/* All that is left elsewhere counts in the end, whatever the reason. */
	if (own_node)
		portion.flags &= ~(unsigned long)MPOL_MF_STRICT;
	portion.lists = portion.by ? lists_alloc() : &pages;
	if (portion.lists)
		err = move_all(mm, start, &portion);
	if (portion.by)
		kvfree(portion.lists);

	if (err == -EINTR || err == -ESRCH)
		return err;
	if (!(flags & MPOL_MF_STRICT))
		return 0;
	if (own_node)
		return look(mm, start, &portion);
	return err || portion.missed ? -EIO : 0;
}

/**
 * mpol_move_between - move a process's pages from a node to another one
 * @mm:     the process's, which has a user
 * @source: node id
 * @dest:   node id
 * @flags:  MPOL_MF_MOVE or MPOL_MF_MOVE_ALL
 *
 * Context: no locks, may sleep; lru_cache_disable() called. Takes mmap_lock and
 * mm->mpol_move_lock for a portion at a time.
 * Return: how many pages could not be moved, -ENOMEM when there is no memory for
 * any more on @dest, -EINTR when the caller is being killed.
 */
int mpol_move_between(struct mm_struct *mm, int source, int dest, unsigned long flags)
{
	const nodemask_t nodes = nodemask_of_node(source);
	LIST_HEAD(pages);
	struct mpol_portion portion = {
		.end = mm->task_size,
		.flags = flags,
		.nodes = &nodes,
		.from = true,
		.lists = &pages,
	};
	int left, busy = 0;

	do {
		left = portion_begin(mm, &portion);
		if (left)
			return left;
		left = move_to_node(&pages, dest, __GFP_THISNODE, MR_SYSCALL,
				    &portion.progress);
		portion_end(mm, &portion);
		if (left < 0)
			return left;
		busy += left + portion.failed;
	} while (portion.next < portion.end);
	return busy;
}
