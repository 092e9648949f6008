/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A mode of memory policy is a row.
 *
 * mpol_ops[] in mm/mempolicy.c has one for each mode. Whatever of a mode is more
 * than the nodes of a policy, the row says: how policies are made, copied,
 * compared and freed, and where their pages go. The policy itself changes under
 * task_lock() of the task that it belongs to, mmap_lock of a mapping held for
 * writing, or not at all once it is of a shared object.
 */
#ifndef _LINUX_MEMPOLICY_OPS_H
#define _LINUX_MEMPOLICY_OPS_H

#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/mempolicy.h>
#include <linux/numa.h>
#include <linux/types.h>

struct folio;
struct mpol_args;
struct page;
struct vm_area_struct;

/*
 * In mempolicy.flags, never seen by a user: pages go to all nodes in turns.
 * BIT(5) is MPOL_F_HAS_WEIGHTS.
 */
#define MPOL_F_INTERLEAVES	BIT(6)

/**
 * struct mempolicy_operations - a mode
 * @name:    in numa_maps and in mount options; a mode without does not build
 * @option:  in mount options as well, where @name has a blank; or NULL
 * @flags:   MPOL_F_INTERLEAVES for a mode that has @nid, @next, @peek and
 *           @nid_of; each policy of the mode has them
 * @create:  Gives a policy that is not yet visible its nodes, those of the
 *           user's that may be used. Called under task_lock(), or with mmap_lock
 *           held for writing. Returns 0, -EINVAL when the mode cannot have these,
 *           or -EAGAIN for @build without task_lock(), and for another call where
 *           the nodes that may be used can have changed meanwhile.
 * @rebind:  Takes a policy to other nodes that may be used. Called under what
 *           protects the policy, perhaps with interrupts off.
 *
 * All others are optional.
 *
 * @init:    Begins a policy that is not yet visible; may sleep. Returns 0, or
 *           -ENOMEM and the policy holds nothing.
 * @bind:    Called before @create, with the nodes as the user gave them and
 *           those that may be used. Does not sleep.
 * @build:   Makes what @create could not, for a policy that is not yet visible;
 *           may sleep. Returns 0 or -ENOMEM.
 * @reserve: Room for a copy of a policy; may sleep. Returns it, NULL when none is
 *           needed, or ERR_PTR(-ENOMEM).
 * @get:     @pol has been copied byte by byte from @old. It keeps the room; without
 *           any, the copy will be of a shared object. Does not sleep.
 * @put:     The policy is about to be freed. Does not sleep.
 * @equal:   Do two policies agree that have the same flags and nodes?
 * @nid:     Node of a page by its offset in the object, which counts in units
 *           of the folio; of one of several pages without an address, by how many
 *           turns its size has taken. Called for each page, as @next is: no lock,
 *           no allocation. The caller sees to it that the policy stays.
 * @next:    Node of the next single page of current without an address. Counts it.
 * @peek:    What @next would answer.
 * @nid_of:  Node that a mapped folio belongs on. Called under mmap_lock.
 * @bulk:    Many pages without an address, for current. Returns how many, or
 *           -EOPNOTSUPP when the nodes get even shares, which the caller knows to
 *           do.
 * @own_node: A page that is not on its own node is misplaced, on whichever node
 *           of the policy it is: mbind() with MPOL_MF_MOVE moves it there, and
 *           nowhere else. Needs @nid_of.
 */
struct mempolicy_operations {
	char name[24];
	const char *option;
	unsigned short flags;
	int (*create)(struct mempolicy *pol, const nodemask_t *nodes);
	void (*rebind)(struct mempolicy *pol, const nodemask_t *nodes);

	int (*init)(struct mempolicy *pol, const struct mpol_args *args);
	void (*bind)(struct mempolicy *pol, const nodemask_t *nodes,
		     const nodemask_t *allowed);
	int (*build)(struct mempolicy *pol);
	void *(*reserve)(const struct mempolicy *pol);
	void (*get)(struct mempolicy *pol, const struct mempolicy *old, void *room);
	void (*put)(struct mempolicy *pol);
	bool (*equal)(const struct mempolicy *a, const struct mempolicy *b);

	unsigned int (*nid)(const struct mempolicy *pol, unsigned long index);
	unsigned int (*next)(const struct mempolicy *pol);
	unsigned int (*peek)(const struct mempolicy *pol);
	unsigned int (*nid_of)(const struct mempolicy *pol,
			       struct vm_area_struct *vma, unsigned long addr,
			       struct folio *folio);
	long (*bulk)(gfp_t gfp, const struct mempolicy *pol,
		     unsigned long nr_pages, struct page **pages);
	bool own_node;
};

/**
 * mpol_is_interleave - do pages of a policy go to all of its nodes in turns?
 * @pol: the policy
 *
 * Return: true for MPOL_INTERLEAVE and for modes that say so in their row.
 */
static inline bool mpol_is_interleave(const struct mempolicy *pol)
{
	return pol->flags & MPOL_F_INTERLEAVES;
}

/**
 * mpol_is_beyond - is the mode of a policy one that goes by its row alone?
 * @pol:  the policy
 * @last: the last mode that is called directly
 *
 * Each page asks, so that nothing is asked while there are no such modes.
 *
 * Return: true for modes behind @last.
 */
static __always_inline bool mpol_is_beyond(const struct mempolicy *pol, int last)
{
	return MPOL_MAX - 1 > last && pol->mode > last;
}

/**
 * mpol_home_node - home node of a policy of any mode
 * @pol: the policy
 *
 * Return: the home node, or NUMA_NO_NODE.
 */
static inline int mpol_home_node(const struct mempolicy *pol)
{
	return pol->mode == MPOL_BIND || pol->mode == MPOL_PREFERRED_MANY ?
	       pol->home_node : NUMA_NO_NODE;
}

#endif /* _LINUX_MEMPOLICY_OPS_H */
