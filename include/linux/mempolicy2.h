/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A policy to be made, as all calls describe it.
 */
#ifndef _LINUX_MEMPOLICY2_H
#define _LINUX_MEMPOLICY2_H

#include <linux/mempolicy.h>
#include <linux/nodemask.h>
#include <linux/types.h>

struct list_head;
struct mm_struct;

/**
 * struct mpol_args - a policy to be made
 * @mode:       MPOL_*, checked by mpol_check_mode()
 * @mode_flags: what mpol_check_mode() made of the user's flags
 * @home_node:  an online node, or NUMA_NO_NODE
 * @nodes:      the mask as the user gave it
 * @weights:    nr_node_ids own weights, by node id or, for a relative mask, by
 *              position, 0 to follow the global one; or NULL. Only for
 *              MPOL_WEIGHTED_INTERLEAVE.
 */
struct mpol_args {
	unsigned short mode;
	unsigned short mode_flags;
	int home_node;
	nodemask_t nodes;
	const u8 *weights;
};

int mpol_check_mode(int *mode, unsigned short *flags);
int mpol_check_args(const struct mpol_args *args);
long do_set_mempolicy(const struct mpol_args *args);
long do_mbind(unsigned long start, unsigned long len,
	      const struct mpol_args *args, unsigned long flags);
int mpol_queue_misplaced(struct mm_struct *mm, unsigned long start,
			 unsigned long end, const struct mempolicy *pol,
			 int nid, unsigned long flags, struct list_head *list);

#endif /* _LINUX_MEMPOLICY2_H */
