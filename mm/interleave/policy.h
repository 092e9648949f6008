/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_POLICY_H
#define _MM_INTERLEAVE_POLICY_H

#include <linux/mempolicy.h>
#include <linux/weighted_interleave.h>

#include "internal.h"

/**
 * struct interleave_own - weights that belong to one policy
 * @set:  as mempolicy.interleave of a policy without
 * @refs: policies that point here. Only shared policies, which are never
 *        rebound, have one together; the others change theirs in place.
 * @nr_given: how many weights the user gave, at least nr_node_ids; never changes.
 *        More for a relative mask with positions beyond
 * @weights: a byte for each node id, the weights that the nodes in use have, and
 *        @nr_given of those that the user gave, see interleave_bound() and
 *        interleave_given()
 *
 * Freed with the policy, and protected against changes like its nodes; @set
 * by policy_lock.
 */
struct interleave_own {
	struct interleave_set __rcu *set;
	refcount_t refs;
	unsigned int nr_given;
	u8 weights[];
};

static inline u8 *interleave_bound(struct interleave_own *own)
{
	return own->weights;
}

static inline u8 *interleave_given(struct interleave_own *own)
{
	return interleave_bound(own) + nr_node_ids;
}

/*
 * The nodes of a policy of a task, which a rebind may be writing: what is walked
 * is at least the same from end to end.
 */
static inline nodemask_t interleave_nodes_now(const struct mempolicy *pol)
{
	nodemask_t nodes;

	/* Old and new nodes are as good, and so is some of both. */
	data_race(nodes = pol->nodes);
	return nodes;
}

/* Where a policy points to its set. */
static inline struct interleave_set __rcu **
interleave_slot(const struct mempolicy *pol)
{
	return pol->flags & MPOL_F_HAS_WEIGHTS ?
	       &pol->own->set :
	       (struct interleave_set __rcu **)&pol->interleave;
}

int weighted_interleave_complete(struct mempolicy *pol);
void interleave_complete_later(const struct mempolicy *pol);

#endif
