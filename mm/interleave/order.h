/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_ORDER_H
#define _MM_INTERLEAVE_ORDER_H

#include <linux/compiler.h>
#include <linux/nodemask.h>
#include <linux/types.h>

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
void interleave_count(const u16 *order, u32 round, u32 first,
		      unsigned long nr_pages, unsigned long *count, u16 node,
		      unsigned int nr);
bool interleave_is_even(const nodemask_t *nodes, const u8 *own,
			const u8 *global);
int interleave_run_node(const nodemask_t *nodes, const u8 *own,
			const u8 *global, u32 index);

#endif
