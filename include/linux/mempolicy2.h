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

struct folio;
struct list_head;
struct mm_struct;
struct mm_walk_ops;
struct seq_file;
struct task_struct;
struct vm_area_struct;
struct vma_iterator;

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
long mpol_set_range_of(struct task_struct *task, struct mm_struct *mm,
		       unsigned long start, unsigned long len,
		       const struct mpol_args *args, unsigned long flags);
struct mempolicy *mpol_of_thread(struct task_struct *task);
struct mempolicy *mpol_replace(struct task_struct *task, struct mempolicy *new);
struct mempolicy *mpol_make(const struct mpol_args *args, struct task_struct *task);
int mpol_move_unbound(struct task_struct *task, struct mm_struct *mm,
		      struct mempolicy *pol);
void mpol_show(struct seq_file *file, struct mempolicy *pol);
void mpol_show_option(struct seq_file *file, struct mempolicy *pol);

/**
 * struct mpol_look - a look at the pages of a mapping that lets others in
 * @begun:   address where mmap_lock was taken last
 * @stopped: address that is looked at when it is taken again
 */
struct mpol_look {
	unsigned long begun;
	unsigned long stopped;
};

bool mpol_look_stops(struct mpol_look *look, struct mm_struct *mm, unsigned long addr);
int mpol_look(struct mpol_look *look, struct vm_area_struct *vma,
	      struct vma_iterator *next, const struct mm_walk_ops *ops, void *private);

/**
 * struct mpol_portion - pages to be moved, as many as are taken at a time
 * @next:     address to go on at
 * @end:      address behind the last one
 * @flags:    MPOL_MF_*
 * @nodes:    what pages move goes by these and @from
 * @from:     pages on @nodes move, whatever their policy is; else pages elsewhere
 *            that have @pol
 * @pol:      a policy, NULL for the default
 * @dest:     the policy by which pages are allocated, @pol unless that is NULL
 * @by:       @dest if it says by its address where a page goes; NULL when all go the
 *            same way
 * @own_node: a page goes where @by says and nowhere else, also from @nodes
 * @within:   of another process: nodes that pages may go to; NULL of current's
 * @near:     with @within and without @by, a node that they are to be near to
 * @lists:    receive the pages, by node id with @by; NULL to look only
 * @taken:    end of the last large folio that was taken: if it is mapped by parts,
 *            these are met one by one, also when it has moved and is another folio
 * @full:     with @own_node, nodes that have had no room
 * @room:     base pages that may still be taken; a huge page may exceed it
 * @looks:    entries of page tables that may still be looked at
 * @failed:   pages that could not be taken this time, where the base counts them
 * @missed:   a page could not be taken or moved
 * @progress: pages have moved, or somebody else is moving some
 */
struct mpol_portion {
	unsigned long next;
	unsigned long end;
	unsigned long flags;
	const nodemask_t *nodes;
	bool from;
	struct mempolicy *pol;
	struct mempolicy *dest;
	struct mempolicy *by;
	bool own_node;
	nodemask_t *within;
	int near;
	struct list_head *lists;
	unsigned long taken;
	nodemask_t full;
	unsigned int room;
	unsigned int looks;
	unsigned int failed;
	bool missed;
	bool progress;
};

/* Called by mpol_collect(), under mmap_lock */
bool mpol_portion_takes(const struct mpol_portion *portion,
			struct vm_area_struct *vma);
bool mpol_portion_wants(struct mpol_portion *portion, struct vm_area_struct *vma,
			unsigned long addr, struct folio *folio, int own);
bool mpol_portion_passes_by(struct mpol_portion *portion);

/**
 * mpol_portion_full - look at one more entry of a page table?
 * @portion: the portion
 * @addr:    address of the entry
 *
 * Return: true when there is enough for this time; the next one begins at @addr.
 */
static inline bool mpol_portion_full(struct mpol_portion *portion, unsigned long addr)
{
	if (portion->room && portion->looks) {
		portion->looks--;
		return false;
	}
	portion->next = addr;
	return true;
}

int mpol_collect(struct mm_struct *mm, struct mpol_portion *portion);
int mpol_move_between(struct mm_struct *mm, int source, int dest, unsigned long flags);
int mpol_move_range(struct task_struct *task, struct mm_struct *mm,
		    unsigned long start, unsigned long end,
		    struct mempolicy *pol, struct mempolicy *dest,
		    const nodemask_t *nodes, unsigned long flags, bool own_node);

#ifdef CONFIG_NUMA
void mpol_next_fork(struct task_struct *child);
#else
static inline void mpol_next_fork(struct task_struct *child)
{
}
#endif

#endif /* _LINUX_MEMPOLICY2_H */
