/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_ORDER_H
#define _MM_INTERLEAVE_ORDER_H

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

u32 interleave_reduce(struct interleave_share *shares, unsigned int nr);
u16 interleave_next(struct interleave_share *shares, unsigned int nr, u32 round,
		    u32 step);
unsigned long interleave_window(const u16 *order, u32 round, u32 first,
				unsigned long nr_pages, u16 node);
bool interleave_is_even(const nodemask_t *nodes, const u8 *weights);
int interleave_run_node(const nodemask_t *nodes, const u8 *weights, u32 index);

#endif
