/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_AUTOMIGRATE_INTERNAL_H
#define _MM_AUTOMIGRATE_INTERNAL_H

#include <linux/automigrate.h>
#include <linux/errno.h>
#include <linux/types.h>

struct mm_struct;
struct vm_area_struct;

/* Bits of mm_automigrate.flags */
#define AUTOMIGRATE_BUSY	0
#define AUTOMIGRATE_LAZY	1

/**
 * struct automigrate_piece - what is done about memory at a time
 * @node:      where pages go
 * @address:   where to begin; afterwards, where to go on, or ULONG_MAX
 * @pages:     how many pages to move at most, but for the rest of a huge page;
 *             afterwards, what is left of that
 * @misplaced: pages that were elsewhere and could be taken
 * @moved:     of these, pages that are on @node now
 * @marked:    or pages that were marked for lazy migration
 */
struct automigrate_piece {
	int node;
	unsigned long address;
	unsigned int pages;
	unsigned int misplaced;
	unsigned int moved;
	unsigned int marked;
};

extern unsigned int automigrate_interval;
extern unsigned int automigrate_mapcount;
extern bool automigrate_lazy;

bool automigrate_vma(struct vm_area_struct *vma);
int automigrate_move(struct mm_struct *mm, struct automigrate_piece *piece);

#ifdef CONFIG_NUMA_BALANCING
int automigrate_mark(struct mm_struct *mm, struct automigrate_piece *piece);
#else
static inline int automigrate_mark(struct mm_struct *mm,
				   struct automigrate_piece *piece)
{
	return -ENOMEM;
}
#endif

#endif /* _MM_AUTOMIGRATE_INTERNAL_H */
