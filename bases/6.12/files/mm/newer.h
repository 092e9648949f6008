/* SPDX-License-Identifier: GPL-2.0 */
/*
 * New files call things as newer kernels do. Here is what this one calls otherwise, or has
 * for files of its own alone.
 *
 * For these files only, behind all other headers.
 */
#ifndef _MM_NEWER_H
#define _MM_NEWER_H

#include <linux/fs.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/pagewalk.h>

#define PARTS_COUNT true /* a hint fault of a part of a folio */

/* Where in its rounds a folio of shared memory is */
static inline unsigned long shmem_turn(const struct inode *inode, pgoff_t index,
				       unsigned int order)
{
	return inode->i_ino + (index >> order);
}

/* The same for what a mapping has of its own: copies of shared memory count as their fault did */
static inline unsigned long private_turn(struct vm_area_struct *vma, unsigned long addr,
					 pgoff_t index, unsigned int order)
{
	pgoff_t first;

	mpol_cond_put(__get_vma_policy(vma, addr, &first));
	return first + (index >> order);
}

/* How often a page is mapped: by itself, and with all of its folio */
static inline int folio_precise_page_mapcount(const struct folio *folio, const struct page *page)
{
	int mappings = atomic_read(&page->_mapcount) + 1;

	if (folio_test_large(folio))
		mappings += folio_entire_mapcount(folio);
	return mappings;
}

/* A lock is taken, and RCU's for reading, of which sparse sees one. */
static inline pte_t *newer_pte_offset_map_lock(struct mm_struct *mm, pmd_t *pmd,
					       unsigned long addr, spinlock_t **ptlp)
{
	pte_t *pte = pte_offset_map_lock(mm, pmd, addr, ptlp);

	(void)__cond_lock(*ptlp, pte);
	return pte;
}

#define pte_offset_map_lock newer_pte_offset_map_lock

/* Sparse does not see that a walk takes locks, and is not to see that they are dropped. */
#ifdef __CHECKER__
#undef folio_walk_end
#define folio_walk_end(walk, vma) ((void)(walk), (void)(vma))
#endif

#endif /* _MM_NEWER_H */
