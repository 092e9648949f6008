/* SPDX-License-Identifier: GPL-2.0 */
/*
 * New files call things as newer kernels do. Here is what this one calls otherwise.
 *
 * For these files only, behind all other headers: names that mean something else here are
 * taken over.
 */
#ifndef _MM_NEWER_H
#define _MM_NEWER_H

#include <linux/memory-tiers.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched/rt.h>

#include "internal.h"

#define PARTS_COUNT false /* a hint fault of a part of a folio */
#define PF_USER_WORKER PF_IO_WORKER
#define folio_last_cpupid(folio) page_cpupid_last(&(folio)->page)
#define folio_precise_page_mapcount(folio, page) page_mapcount(page)
#define folio_xchg_last_cpupid(folio, cpupid) page_cpupid_xchg_last(&(folio)->page, cpupid)
#define mem_cgroup_below_low(target, memcg) mem_cgroup_below_low(memcg)
#define mem_cgroup_below_min(target, memcg) mem_cgroup_below_min(memcg)
#define memcg_kmem_online_key memcg_kmem_enabled_key
#define put_memory_type destroy_memory_type
#define rt_or_dl_task_policy task_is_realtime
#define untagged_addr_remote(mm, addr) untagged_addr(addr)

/* Where in its rounds a folio of shared memory is */
#define shmem_turn(inode, index, order) (((index) + (inode)->i_ino) >> (order))

/* The same for what a mapping has of its own */
#define private_turn(vma, addr, index, order) ((index) >> (order))

/* Whether it was taken off its list, not an error */
static inline bool newer_folio_isolate_lru(struct folio *folio)
{
	return !folio_isolate_lru(folio);
}

#define folio_isolate_lru newer_folio_isolate_lru

/* NULL when there is no page table any more, or none yet */
static inline pte_t *newer_pte_offset_map_lock(struct mm_struct *mm, pmd_t *pmd,
					       unsigned long addr, spinlock_t **ptlp)
{
	pte_t *pte;

	if (pmd_trans_unstable(pmd))
		return NULL;
	pte = pte_offset_map_lock(mm, pmd, addr, ptlp);
	/* Sparse is to take the lock for held only where this is not NULL. */
	__release(*ptlp);
	(void)__cond_lock(*ptlp, pte);
	return pte;
}

#undef pte_offset_map_lock
#define pte_offset_map_lock newer_pte_offset_map_lock

/* With MM_CP_PROT_NUMA, which says what the protection will be */
static inline long newer_change_protection(struct mmu_gather *tlb, struct vm_area_struct *vma,
					   unsigned long start, unsigned long end,
					   unsigned long cp_flags)
{
	return change_protection(tlb, vma, start, end, PAGE_NONE, cp_flags);
}

#define change_protection newer_change_protection

/* @ilx: what a shared object's rounds begin with, which callers find out elsewhere */
static inline struct mempolicy *newer_get_vma_policy(struct vm_area_struct *vma,
						     unsigned long addr, pgoff_t *ilx)
{
	*ilx = 0;
	return __get_vma_policy(vma, addr);
}

#define __get_vma_policy newer_get_vma_policy

/* Who gives folios, and what with: functions that give pages get this. */
struct newer_target {
	struct folio *(*get_new_folio)(struct folio *src, unsigned long private);
	unsigned long private;
};

static inline struct page *newer_new_page(struct page *page, unsigned long private)
{
	struct newer_target *target = (struct newer_target *)private;
	struct folio *folio = target->get_new_folio(page_folio(page), target->private);

	return folio ? &folio->page : NULL;
}

/* @unused: who would take folios back, NULL */
static inline int newer_migrate_pages(struct list_head *from,
				      struct folio *(*get_new_folio)(struct folio *src,
								     unsigned long private),
				      void *unused, unsigned long private,
				      enum migrate_mode mode, int reason,
				      unsigned int *succeeded)
{
	struct newer_target target = { .get_new_folio = get_new_folio, .private = private };

	return migrate_pages(from, newer_new_page, NULL, (unsigned long)&target, mode,
			     reason, succeeded);
}

#define migrate_pages newer_migrate_pages

struct folio_walk {
	struct folio *folio;
	struct page *page;
};

/* The folio stays by a reference, not by the lock of the page table. */
static inline struct folio *folio_walk_start(struct folio_walk *walk,
					     struct vm_area_struct *vma,
					     unsigned long addr, unsigned int flags)
{
	/* FOLL_FORCE: also what NUMA balancing has made inaccessible */
	struct page *page = follow_page(vma, addr, FOLL_GET | FOLL_DUMP | FOLL_FORCE);

	walk->page = page;
	walk->folio = IS_ERR_OR_NULL(page) ? NULL : page_folio(page);
	return walk->folio;
}

static inline void folio_walk_end(struct folio_walk *walk, struct vm_area_struct *vma)
{
	put_page(walk->page);
}

/* Until it is moved it stays by another reference. */
static inline int migrate_misplaced_folio_prepare(struct folio *folio,
						  struct vm_area_struct *vma, int nid)
{
	folio_get(folio);
	return 0;
}

static inline int migrate_misplaced_folio(struct folio *folio, struct vm_area_struct *vma,
					  int nid)
{
	return migrate_misplaced_page(&folio->page, vma, nid) ? 0 : -EAGAIN;
}

#endif /* _MM_NEWER_H */
