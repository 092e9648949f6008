/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Weighted interleaving: what the rest of the kernel calls.
 */
#ifndef _LINUX_WEIGHTED_INTERLEAVE_H
#define _LINUX_WEIGHTED_INTERLEAVE_H

#include <linux/bits.h>
#include <linux/nodemask.h>
#include <linux/types.h>

struct file;
struct mm_struct;
struct task_struct;
struct vm_area_struct;

#ifdef CONFIG_NUMA

/* In mempolicy.flags, never seen by a user: the policy has own weights */
#define MPOL_F_HAS_WEIGHTS	BIT(5)

/*
 * The mode in a mount option, with a dash: a blank would break the columns of
 * /proc/mounts.
 */
#define WEIGHTED_INTERLEAVE_OPTION	"weighted-interleave"

struct folio;
struct interleave_own;
struct interleave_set;
struct mempolicy;
struct mpol_args;
struct page;
struct seq_file;

/* Where pages go */
unsigned int weighted_interleave_nid(const struct mempolicy *pol,
				     unsigned long index);
unsigned int weighted_interleave_nid_of(const struct mempolicy *pol,
					struct vm_area_struct *vma,
					unsigned long addr, struct folio *folio);
unsigned int weighted_interleave_peek(const struct mempolicy *pol);
unsigned int weighted_interleave_advance(const struct mempolicy *pol);
long weighted_interleave_bulk(gfp_t gfp, const struct mempolicy *pol,
			      unsigned long nr_pages, struct page **pages);

void weighted_interleave_collapse(struct vm_area_struct *vma, unsigned long addr,
				  u32 *node_load);
void weighted_interleave_collapse_file(struct mm_struct *mm, struct file *file,
				       unsigned long index, u32 *node_load);

/* Life of a policy */
int weighted_interleave_init(struct mempolicy *pol, const struct mpol_args *args);
void weighted_interleave_get_weights(const struct mempolicy *pol, bool own_only,
				     const nodemask_t *allowed, u8 *weights,
				     unsigned int nr);
bool weighted_interleave_equal(const struct mempolicy *a,
			       const struct mempolicy *b);
void weighted_interleave_bind(struct mempolicy *pol, const nodemask_t *nodes,
			      const nodemask_t *allowed);
void weighted_interleave_rebind(struct mempolicy *pol, const nodemask_t *allowed,
				void (*rebind_nodes)(struct mempolicy *pol,
						     const nodemask_t *allowed));
void *weighted_interleave_reserve(const struct mempolicy *pol);
int weighted_interleave_create(struct mempolicy *pol, const nodemask_t *nodes);
int weighted_interleave_build(struct mempolicy *pol);
void weighted_interleave_get(struct mempolicy *pol, const struct mempolicy *old,
			     void *room);
void weighted_interleave_put(struct mempolicy *pol);
void weighted_interleave_complete_task(struct task_struct *task);

/* Weights that are derived */
void weighted_interleave_set_bandwidth(unsigned int nid, unsigned int access,
				       unsigned int read, unsigned int write);

/* What is shown */
void weighted_interleave_show(struct seq_file *file, const struct mempolicy *pol);
void weighted_interleave_mount_name(char *text);

#else

static inline void weighted_interleave_collapse(struct vm_area_struct *vma,
						unsigned long addr, u32 *node_load)
{
}

static inline void weighted_interleave_collapse_file(struct mm_struct *mm,
						     struct file *file,
						     unsigned long index,
						     u32 *node_load)
{
}

static inline void weighted_interleave_complete_task(struct task_struct *task)
{
}

#endif /* CONFIG_NUMA */
#endif /* _LINUX_WEIGHTED_INTERLEAVE_H */
