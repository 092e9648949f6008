// SPDX-License-Identifier: GPL-2.0
/*
 * Moving what is left behind, a piece at a time.
 *
 * Page tables are walked under mmap_lock for reading, and each under its own
 * lock; pages that are taken off the LRU lists hold a reference, so that
 * mmap_lock is given back before they are copied.
 */
#include <linux/automigrate.h>
#include <linux/memory-tiers.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmap_lock.h>
#include <linux/pagewalk.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "../internal.h"
#include "internal.h"
#include "../newer.h"

/* Pages that are off the LRU lists at a time */
#define BATCH_PAGES	128
/* Pages that are looked at for each that may be moved */
#define LOOKS_A_PAGE	16

/**
 * struct batch - pages to move together
 * @pages:  off the LRU lists
 * @count:  how many there are, in base pages
 * @room:   how many more may be taken
 * @looks:  how many more may be looked at
 * @node:   where they go
 * @next:   where to go on
 */
struct batch {
	struct list_head pages;
	unsigned int count;
	unsigned int room;
	unsigned int looks;
	int node;
	unsigned long next;
};

/**
 * automigrate_vma - may pages of a mapping move of themselves?
 * @vma: the mapping
 *
 * Not those that somebody has given a place: by a policy of the mapping, by
 * locking it, or by hugetlb's pools of the nodes. Objects that have policies,
 * as shared memory, are not this process's alone.
 *
 * Context: mmap_lock.
 * Return: whether they may.
 */
bool automigrate_vma(struct vm_area_struct *vma)
{
	if (vma->vm_policy || (vma->vm_ops && vma->vm_ops->get_policy))
		return false;
	return vma_migratable(vma) && !is_vm_hugetlb_page(vma) &&
	       !(vma->vm_flags & (VM_LOCKED | VM_MIXEDMAP));
}

/* @mapped: pages of @folio that this entry of the page table is for */
static void take_folio(struct batch *batch, struct folio *folio, long mapped)
{
	long nr = folio_nr_pages(folio);

	if (folio_is_zone_device(folio) || folio_nid(folio) == batch->node)
		return;
	if (!node_is_toptier(folio_nid(folio))) {
		count_vm_events(AUTO_MIGRATE_SKIP_SLOW, mapped);
		return;
	}
	if (folio_test_ksm(folio) ||
	    folio_precise_page_mapcount(folio, &folio->page) > automigrate_max_sharers()) {
		count_vm_events(AUTO_MIGRATE_SKIP_SHARED, mapped);
		return;
	}
	if (folio_maybe_dma_pinned(folio)) {
		count_vm_events(AUTO_MIGRATE_SKIP_PINNED, mapped);
		return;
	}
	/* Fails as well for the rest of a huge page that is mapped in parts */
	if (!folio_isolate_lru(folio))
		return;

	list_add_tail(&folio->lru, &batch->pages);
	node_stat_mod_folio(folio,
			    NR_ISOLATED_ANON + folio_is_file_lru(folio), nr);
	batch->count += nr;
	batch->room -= min_t(long, nr, batch->room);
}

/* What was looked at ends at @next; says whether that is enough. */
static int looked(struct batch *batch, unsigned int cost, unsigned long next)
{
	batch->next = next;
	batch->looks -= min(cost, batch->looks);
	return !batch->room || !batch->looks;
}

static int walk_pmd(pmd_t *pmd, unsigned long addr, unsigned long end,
		    struct mm_walk *walk)
{
	struct vm_area_struct *vma = walk->vma;
	spinlock_t *ptl = pmd_trans_huge_lock(pmd, vma);
	struct batch *batch = walk->private;
	struct folio *folio;
	pte_t *first, *pte;
	pte_t entry;

	if (ptl) {
		/* Sparse does not see that the lock was taken. */
		__acquire(ptl);
		if (pmd_present(*pmd) && !is_huge_zero_pmd(*pmd))
			take_folio(batch, page_folio(pmd_page(*pmd)),
				   HPAGE_PMD_NR);
		spin_unlock(ptl);
		return looked(batch, 1, end);
	}

	first = pte_offset_map_lock(walk->mm, pmd, addr, &ptl);
	if (!first)
		return looked(batch, 1, end);
	for (pte = first; addr != end && batch->room; pte++, addr += PAGE_SIZE) {
		entry = ptep_get(pte);
		if (!pte_present(entry))
			continue;
		folio = vm_normal_folio(vma, addr, entry);
		if (folio)
			take_folio(batch, folio, 1);
	}
	pte_unmap_unlock(first, ptl);
	cond_resched();
	return looked(batch, PTRS_PER_PTE, addr);
}

/* What has no page tables is quick to pass by, but there may be much of it. */
static int walk_hole(unsigned long addr, unsigned long end, int depth,
		     struct mm_walk *walk)
{
	return looked(walk->private, 1, end);
}

static int walk_test(unsigned long start, unsigned long end,
		     struct mm_walk *walk)
{
	if (automigrate_vma(walk->vma))
		return 0;
	return looked(walk->private, 1, end) ? -EAGAIN : 1;
}

static const struct mm_walk_ops walk_ops = {
	.pmd_entry = walk_pmd,
	.pte_hole = walk_hole,
	.test_walk = walk_test,
};

/* Where pages are copied to: what is free there, and nothing is made free. */
static struct folio *alloc_there(unsigned int order, int nid)
{
	gfp_t gfp = order ? GFP_TRANSHUGE_LIGHT :
			    GFP_HIGHUSER_MOVABLE & ~__GFP_RECLAIM;

	gfp |= __GFP_THISNODE | __GFP_NOMEMALLOC | __GFP_NORETRY | __GFP_NOWARN;
	return __folio_alloc_node(gfp, order, nid);
}

static struct folio *new_folio_there(struct folio *src, unsigned long nid)
{
	return alloc_there(folio_order(src), nid);
}

/* A huge page may find no room where there is some for others. */
static bool is_full(int nid)
{
	struct folio *folio = alloc_there(0, nid);

	if (folio)
		folio_put(folio);
	return !folio;
}

/* Moves the pages of @batch; -ENOMEM when there is no room for any more. */
static int move(struct batch *batch, unsigned int *moved)
{
	int left;

	left = migrate_pages(&batch->pages, new_folio_there, NULL, batch->node,
			     MIGRATE_ASYNC, MR_NUMA_MISPLACED, moved);
	if (!left)
		return 0;
	putback_movable_pages(&batch->pages);
	return left == -ENOMEM && is_full(batch->node) ? -ENOMEM : 0;
}

/* Takes pages from @batch->next on; -EAGAIN when others have the lock. */
static int take(struct mm_struct *mm, struct batch *batch)
{
	int stopped;

	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	stopped = walk_page_range(mm, batch->next, mm->task_size, &walk_ops,
				  batch);
	mmap_read_unlock(mm);
	/* -EINVAL: nothing lies between next and the end */
	if (!stopped || stopped == -EINVAL)
		batch->next = ULONG_MAX;
	return 0;
}

/**
 * automigrate_move - move pages of a process to a node
 * @mm:    of the current task
 * @piece: where to, from which address on, how many
 *
 * Stops at a signal, and when others have mmap_lock; does not wait for pages
 * that are locked or written back.
 *
 * Context: no locks, may sleep. AUTOMIGRATE_BUSY.
 * Return: 0, -EAGAIN when the lock was taken, -ENOMEM when the node is full.
 */
int automigrate_move(struct mm_struct *mm, struct automigrate_piece *piece)
{
	struct batch batch = {
		.looks = piece->pages * LOOKS_A_PAGE,
		.node = piece->node,
		.next = piece->address,
	};
	unsigned int moved;
	int err;

	/* What this task has touched last is not on the lists yet. */
	lru_add_drain();
	do {
		INIT_LIST_HEAD(&batch.pages);
		batch.count = 0;
		batch.room = min_t(unsigned int, piece->pages, BATCH_PAGES);
		err = take(mm, &batch);
		if (err)
			break;

		if (batch.count) {
			moved = 0;
			err = move(&batch, &moved);
			piece->misplaced += batch.count;
			piece->moved += moved;
			piece->pages -= min(piece->pages, batch.count);
		}
	} while (!err && piece->pages && batch.looks &&
		 batch.next != ULONG_MAX && !signal_pending(current));

	piece->address = batch.next;
	return err;
}
