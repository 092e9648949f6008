/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_INTERNAL_H
#define _MM_INTERLEAVE_INTERNAL_H

#include <linux/cache.h>
#include <linux/gfp.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

/**
 * struct interleave_order - the nodes of one round; never changes
 * @round: number of pages in a round
 * @even:  every node has one page in a round
 * @rcu:   readers hold nothing but the RCU read lock
 * @node:  node of each page of the round
 */
struct interleave_order {
	u32 round;
	bool even;
	struct rcu_head rcu;
	u16 node[];
};

/**
 * struct interleave_set - what policies over the same nodes, and with the same
 *                         weights of their own, share
 * @order:  the order in force, replaced when a weight changes; never NULL
 * @nodes:  the nodes; never changes
 * @own:    own weight by node id, 0 for nodes that follow the global weight;
 *          NULL when all do. Never changes.
 * @refs:   policies that point here, and a writer of weights at work. Not on
 *          the line of @order: each fork and split would take that line away
 *          from the faults of other tasks.
 * @staged: the order to come, while interleave_lock is held
 * @hash:   in the table of sets
 * @list:   in the list of sets
 * @rcu:    a policy may lose its set while a reader looks at it
 * @own_weights: where @own points to, if anywhere
 */
struct interleave_set {
	struct interleave_order __rcu *order;
	nodemask_t nodes;
	const u8 *own;
	refcount_t refs ____cacheline_aligned_in_smp;
	struct interleave_order *staged;
	struct hlist_node hash;
	struct list_head list;
	struct rcu_head rcu;
	u8 own_weights[];
};

/*
 * Held while weights change and while a set joins the others. Whoever waits for
 * it may hold cpuset or mmap locks, so nothing that waits for a memory cgroup is
 * done under it.
 */
extern struct mutex interleave_lock;

/* How often weights have changed; written under interleave_lock. */
extern unsigned long interleave_generation;

/* A new weight is not worth the out-of-memory killer. */
#define STAGE_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Weight in force by node id, 1..255. Read with READ_ONCE(). */
extern u8 interleave_weights[MAX_NUMNODES];

struct interleave_set *interleave_set_find_or_make(const nodemask_t *nodes,
						   const u8 *own, gfp_t gfp);
bool interleave_set_is_of(const struct interleave_set *set,
			  const nodemask_t *nodes, const u8 *own);
void interleave_set_get(struct interleave_set *set);
void interleave_set_put(struct interleave_set *set);
int interleave_sets_stage(const u8 *weights);
void interleave_sets_publish(void);

int interleave_weight_store(int nid, u8 weight);
bool interleave_auto(void);
int interleave_auto_store(bool on);
int interleave_weights_derive(const u8 *derived);

#endif
