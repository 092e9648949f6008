/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_AUTOMIGRATE_TYPES_H
#define _LINUX_AUTOMIGRATE_TYPES_H

#include <linux/types.h>

/**
 * struct mm_automigrate - where the memory of a process is on its way to
 * @flags:   AUTOMIGRATE_BUSY: one thread at a time works on the rest, and on
 *           the memory. AUTOMIGRATE_LAZY: pages were marked, so that a hint
 *           fault moves them
 * @address: where the next piece begins, ULONG_MAX when there is none
 * @since:   when it set out, jiffies
 * @moved:   pages that were moved or marked since then
 * @node:    the node that it follows its threads to, NUMA_NO_NODE before the
 *           first time
 *
 * Part of mm_struct, not inherited by fork() and gone with exec(). Written
 * under AUTOMIGRATE_BUSY; the scheduler reads the last three without it.
 */
struct mm_automigrate {
	unsigned long flags;
	unsigned long address;
	unsigned long since;
	unsigned long moved;
	int node;
};

#endif /* _LINUX_AUTOMIGRATE_TYPES_H */
