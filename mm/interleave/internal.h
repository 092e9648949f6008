/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_INTERNAL_H
#define _MM_INTERLEAVE_INTERNAL_H

#include <linux/cache.h>
#include <linux/gfp.h>
#include <linux/nodemask.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct interleave_order;
struct mem_cgroup;

/**
 * struct interleave_set - what policies of one memory cgroup share that have the
 *                         same nodes, and the same weights of their own
 * @order:  the order in force, replaced when a weight changes; NULL while the
 *          cgroup has no memory for it
 * @own:    own weight by node id, 0 for nodes that follow the global weight;
 *          NULL when all do. Never changes.
 * @memcg:  the cgroup, which pays; with a reference
 * @nr_ids: the highest node and one; all that is sized goes by it, as there may be
 *          far more nodes that are only possible
 * @refs:   policies that point here, and who works at the order. Not on
 *          the line of @order: each fork and split would take that line away
 *          from the faults of other tasks.
 * @hash:   of all that a set is found by
 * @tree:   in the tree of its bucket
 * @rcu:    a policy may lose its set while a reader looks at it
 * @nodes:  the nodes, @nr_ids bits, and behind them what @own points to, if anything;
 *          never changes
 */
struct interleave_set {
	struct interleave_order __rcu *order;
	const u8 *own;
	struct mem_cgroup *memcg;
	unsigned int nr_ids;
	refcount_t refs ____cacheline_aligned_in_smp;
	u32 hash;
	struct rb_node tree;
	struct rcu_head rcu;
	unsigned long nodes[];
};

/* Weight of a node of which nothing is known, and nobody has written one. */
#define INTERLEAVE_DEFAULT_WEIGHT	1

/* Weight in force by node id, 1..255. Read with READ_ONCE(). */
extern u8 interleave_weights[MAX_NUMNODES];

/*
 * How often weights have changed. Written after them, and before the orders of
 * the sets that are there then.
 */
extern unsigned long interleave_generation;

struct interleave_set *interleave_set_find_or_make(const nodemask_t *nodes,
						   const u8 *own, gfp_t gfp);
bool interleave_set_is_of(const struct interleave_set *set,
			  const nodemask_t *nodes, const u8 *own);
int interleave_set_complete(struct interleave_set *set, gfp_t gfp);
void interleave_set_get(struct interleave_set *set);
void interleave_set_put(struct interleave_set *set);
void interleave_sets_renew(const nodemask_t *changed);

int interleave_weight_store(int nid, u8 weight);
bool interleave_auto(void);
int interleave_auto_store(bool on);
void interleave_weights_derive(const u8 *derived);

#ifdef CONFIG_HMEM_REPORTING
void interleave_derive_now(void);
unsigned int interleave_mix(void);
void interleave_mix_store(unsigned int reads);
#else
static inline void interleave_derive_now(void) {}
#endif

#endif
