/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_ORDER_H
#define _MM_INTERLEAVE_ORDER_H

#include <linux/compiler.h>
#include <linux/nodemask.h>
#include <linux/types.h>

/*
 * Node ids from 0 on, and pages, that interleave_count() can count: in a byte each,
 * with those between two rows in addition, and in an array for a stack.
 */
#define INTERLEAVE_COUNT_NODES	256
#define INTERLEAVE_COUNT_PAGES	128

/**
 * struct interleave_order - the nodes of one round; never changes
 * @round:  number of pages in a round
 * @stride: pages from one row of counts to the next, a power of two; 0: there are
 *          no rows
 * @even:   every node has one page in a round
 * @rcu:    readers hold nothing but the RCU read lock
 * @stale:  the next one that waits with this one for its readers
 * @node:   node of each page of the round; the rows are behind it
 */
struct interleave_order {
	u32 round;
	u16 stride;
	bool even;
	union {
		struct rcu_head rcu;
		struct interleave_order *stale;
	};
	u16 node[];
};

/**
 * struct interleave_share - one node's part in a round
 * @node:   node id
 * @weight: pages of the node in one round, 1..255
 * @placed: pages the node was given so far in this round
 */
struct interleave_share {
	u16 node;
	u8 weight;
	u8 placed;
};

/**
 * interleave_weight_of - weight of a node for a policy
 * @own:    own weight by node id, 0 for nodes that follow; or NULL
 * @global: global weight by node id; it may change meanwhile
 * @node:   node id
 *
 * Return: 1..255.
 */
static inline u8 interleave_weight_of(const u8 *own, const u8 *global, int node)
{
	u8 weight = own ? READ_ONCE(own[node]) : 0;

	return weight ?: READ_ONCE(global[node]);
}

u32 interleave_reduce(struct interleave_share *shares, unsigned int nr);
u16 interleave_next(struct interleave_share *shares, unsigned int nr, u32 round,
		    u32 step);
u16 interleave_stride(const struct interleave_share *shares, unsigned int nr,
		      u32 round);
size_t interleave_order_size(u32 round, u16 stride);
void interleave_step(struct interleave_order *order,
		     struct interleave_share *shares, unsigned int nr, u32 step);
void interleave_count(const struct interleave_order *order, u32 first,
		      u32 nr_pages, unsigned long *count);
bool interleave_is_even(const nodemask_t *nodes, const u8 *own,
			const u8 *global);
int interleave_run_node(const nodemask_t *nodes, const u8 *own,
			const u8 *global, u32 index);

#endif
