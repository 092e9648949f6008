/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interleaving: what reading pages in from swap calls.
 */
#ifndef _LINUX_INTERLEAVE_SWAPIN_H
#define _LINUX_INTERLEAVE_SWAPIN_H

#include <linux/types.h>

struct vm_area_struct;

#ifdef CONFIG_NUMA

bool interleave_needs_address(struct vm_area_struct *vma, unsigned long addr);

#else

static inline bool interleave_needs_address(struct vm_area_struct *vma,
					    unsigned long addr)
{
	return false;
}

#endif /* CONFIG_NUMA */
#endif /* _LINUX_INTERLEAVE_SWAPIN_H */
