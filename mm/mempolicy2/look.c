// SPDX-License-Identifier: GPL-2.0
/*
 * A look at the pages of a mapping, for numa_maps, that lets others in.
 */
#include <linux/errno.h>
#include <linux/hugetlb.h>
#include <linux/mempolicy2.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagewalk.h>
#include <linux/sched.h>

/**
 * mpol_look_stops - whether somebody waits for mmap_lock
 * @look: a look that mpol_look() has begun
 * @mm:   whose pages are looked at
 * @addr: what comes next
 *
 * For functions that walk_page_range() calls with an entry: they return 1 then and
 * leave the entry for later. The first one after a pause is never left, so that each
 * turn gets on.
 *
 * Context: mmap_lock held for reading.
 * Return: whether the walk has to stop before @addr.
 */
bool mpol_look_stops(struct mpol_look *look, struct mm_struct *mm, unsigned long addr)
{
	if (addr == look->begun || !mmap_lock_is_contended(mm))
		return false;
	look->stopped = addr;
	return true;
}

/**
 * mpol_look - look at all pages of a mapping, and give way to who waits
 * @look:    for mpol_look_stops()
 * @vma:     the mapping; it may be gone afterwards
 * @next:    where the caller finds the mapping after this one
 * @ops:     functions that ask mpol_look_stops() first
 * @private: for them
 *
 * Once mmap_lock was dropped, the look goes on with what is mapped at the address
 * then, if it has pages of the same size, to its end. What is not mapped any more,
 * or anew in pages of another size, ends it. @next is never set to an address before
 * those that were looked at: whoever maps the same range over and over does not
 * keep a reader in a loop.
 *
 * Context: mmap_lock held for reading, dropped and taken again; may sleep.
 * Return: 0, or -EINTR when the caller is being killed; mmap_lock is not held then.
 */
int mpol_look(struct mpol_look *look, struct vm_area_struct *vma,
	      struct vma_iterator *next, const struct mm_walk_ops *ops, void *private)
{
	unsigned long page_size = vma_kernel_pagesize(vma);
	struct mm_struct *mm = vma->vm_mm;

	look->begun = vma->vm_start;
	while (walk_page_range(mm, look->begun, vma->vm_end, ops, private)) {
		look->begun = look->stopped;
		mmap_read_unlock(mm);
		/* Whoever was woken takes it, and not this one again before he runs. */
		cond_resched();
		if (mmap_read_lock_killable(mm))
			return -EINTR;
		vma_iter_init(next, mm, look->begun);
		vma = find_vma(mm, look->begun);
		if (!vma || vma->vm_start > look->begun)
			return 0;
		vma_iter_init(next, mm, vma->vm_end);
		if (vma_kernel_pagesize(vma) != page_size)
			return 0;
	}
	return 0;
}
