/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A policy to be made, as all calls describe it.
 */
#ifndef _LINUX_MEMPOLICY2_H
#define _LINUX_MEMPOLICY2_H

#include <linux/mempolicy.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>
#include <linux/types.h>

struct list_head;
struct mm_struct;
struct seq_file;

/**
 * struct mpol_args - a policy to be made
 * @mode:       MPOL_*, checked by sanitize_mpol_flags()
 * @mode_flags: what sanitize_mpol_flags() made of the user's flags
 * @home_node:  an online node, or NUMA_NO_NODE
 * @nodes:      the mask as the user gave it
 * @weights:    own weights by node id or, for a relative mask, by position, 0 to
 *              follow the global one; or NULL. Only for MPOL_WEIGHTED_INTERLEAVE.
 * @nr_weights: their number, as mpol_nr_weights() has it
 */
struct mpol_args {
	unsigned short mode;
	unsigned short mode_flags;
	int home_node;
	nodemask_t nodes;
	const u8 *weights;
	unsigned int nr_weights;
};

/* What set_mempolicy() and mbind() can say; lives as long as the block. */
#define MPOL_ARGS(_mode, _flags, _nodes)	\
	(&(const struct mpol_args) {		\
		.mode = (_mode),		\
		.mode_flags = (_flags),		\
		.home_node = NUMA_NO_NODE,	\
		.nodes = (_nodes),		\
	})

/**
 * mpol_nr_weights - how many weights can count for a policy
 * @flags: its flags
 * @nodes: the mask as the user gave it; looked at with MPOL_F_RELATIVE_NODES
 *
 * A relative mask may have positions beyond the last node, which begin again at
 * the first.
 *
 * Return: nr_node_ids or more, MAX_NUMNODES at the most.
 */
static inline unsigned int mpol_nr_weights(unsigned short flags,
					   const nodemask_t *nodes)
{
	unsigned int last;

	if (!(flags & MPOL_F_RELATIVE_NODES) || nodes_empty(*nodes))
		return nr_node_ids;
	last = find_last_bit(nodes_addr(*nodes), MAX_NUMNODES);
	return max(last + 1, nr_node_ids);
}

int sanitize_mpol_flags(int *mode, unsigned short *flags);
int mpol_check_args(const struct mpol_args *args);
long mpol_set_task(const struct mpol_args *args);
long mpol_set_range(unsigned long start, unsigned long len,
		    const struct mpol_args *args, unsigned long flags);
int mpol_queue_misplaced(struct mm_struct *mm, unsigned long start,
			 unsigned long end, const struct mempolicy *pol,
			 unsigned long flags, struct list_head *lists);
void mpol_show(struct seq_file *file, struct mempolicy *pol);
void mpol_show_option(struct seq_file *file, struct mempolicy *pol);

#endif /* _LINUX_MEMPOLICY2_H */
