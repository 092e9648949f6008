/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Weighted interleaving: what the rest of the kernel calls.
 */
#ifndef _LINUX_WEIGHTED_INTERLEAVE_H
#define _LINUX_WEIGHTED_INTERLEAVE_H

#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/mempolicy.h>
#include <linux/sched.h>

#ifdef CONFIG_NUMA

/* In mempolicy.flags, never seen by a user: the policy has own weights */
#define MPOL_F_HAS_WEIGHTS	BIT(5)
/* And: it has one of the two modes that interleave; faults test for both at once */
#define MPOL_F_INTERLEAVES	BIT(6)

struct interleave_own;
struct node_hmem_attrs;

/**
 * mpol_flags_of_mode - flags that every policy of a mode has
 * @mode: the mode
 *
 * Return: MPOL_F_INTERLEAVES, or 0.
 */
static inline unsigned short mpol_flags_of_mode(unsigned short mode)
{
	return mode == MPOL_INTERLEAVE || mode == MPOL_WEIGHTED_INTERLEAVE ?
	       MPOL_F_INTERLEAVES : 0;
}

/**
 * mpol_is_interleave - does a policy spread pages over its nodes?
 * @pol: the policy
 *
 * Return: true for MPOL_INTERLEAVE and MPOL_WEIGHTED_INTERLEAVE.
 */
static inline bool mpol_is_interleave(const struct mempolicy *pol)
{
	return pol->flags & MPOL_F_INTERLEAVES;
}

/**
 * mpol_home_node - home node of a policy of any mode
 * @pol: the policy
 *
 * Return: the home node, or NUMA_NO_NODE.
 */
static inline int mpol_home_node(const struct mempolicy *pol)
{
	return pol->mode == MPOL_WEIGHTED_INTERLEAVE ? NUMA_NO_NODE :
						       pol->home_node;
}

/* Where pages go */
unsigned int weighted_interleave_nid(const struct mempolicy *pol,
				     unsigned long index);
unsigned int weighted_interleave_nid_of(const struct mempolicy *pol,
					struct vm_area_struct *vma,
					unsigned long addr, struct folio *folio);
unsigned int weighted_interleave_peek(const struct mempolicy *pol);
unsigned int weighted_interleave_advance(const struct mempolicy *pol);
bool weighted_interleave_is_even(const struct mempolicy *pol);
unsigned long weighted_interleave_bulk(gfp_t gfp, const struct mempolicy *pol,
				       unsigned long nr_pages,
				       struct page **pages);

int weighted_interleave_move(struct mm_struct *mm, unsigned long start,
			     unsigned long end, const struct mempolicy *pol,
			     unsigned long flags);

/* Life of a policy */
void weighted_interleave_init(struct mempolicy *pol);
int weighted_interleave_set_weights(struct mempolicy *pol, const u8 *weights);
void weighted_interleave_get_weights(const struct mempolicy *pol, bool own_only,
				     u8 *weights);
bool weighted_interleave_equal(const struct mempolicy *a,
			       const struct mempolicy *b);
void weighted_interleave_bind(struct mempolicy *pol, const nodemask_t *nodes,
			      const nodemask_t *allowed);
void weighted_interleave_rebind(struct mempolicy *pol,
				const nodemask_t *allowed);
struct interleave_own *weighted_interleave_reserve(const struct mempolicy *pol);
void weighted_interleave_separate(struct mempolicy *pol,
				  struct interleave_own *room);
int weighted_interleave_create(struct mempolicy *pol, const nodemask_t *nodes);
int weighted_interleave_build(struct mempolicy *pol);
void weighted_interleave_rebuild(struct mempolicy *pol, struct mm_struct *mm);
void weighted_interleave_get(struct mempolicy *pol);
void weighted_interleave_put(struct mempolicy *pol);
void weighted_interleave_detach(struct mempolicy *pol);
void weighted_interleave_rebuild_task(struct task_struct *task);

/* Weights that are derived */
void weighted_interleave_set_bandwidth(unsigned int nid,
				       const struct node_hmem_attrs *attrs,
				       unsigned int access);

/* Names */
bool weighted_interleave_is_name(const char *name);
void weighted_interleave_mount_name(char *text);

#else

static inline void weighted_interleave_rebuild_task(struct task_struct *task)
{
}

#endif /* CONFIG_NUMA */
#endif /* _LINUX_WEIGHTED_INTERLEAVE_H */
