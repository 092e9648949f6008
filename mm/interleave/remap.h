/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_REMAP_H
#define _MM_INTERLEAVE_REMAP_H

#include <linux/nodemask.h>
#include <linux/types.h>

void interleave_weights_restrict(u8 *bound, unsigned int nr, const u8 *given,
				 const nodemask_t *nodes);
/**
 * interleave_node_at - node that a position of a relative mask stands for
 * @position: the position
 * @onto:     the nodes that there are
 * @nr_onto:  their number, not 0
 *
 * Return: node id.
 */
static inline unsigned int interleave_node_at(unsigned int position,
					      const nodemask_t *onto,
					      unsigned int nr_onto)
{
	return find_nth_bit(nodes_addr(*onto), MAX_NUMNODES, position % nr_onto);
}

void interleave_weights_fold(u8 *bound, unsigned int nr, const u8 *given,
			     unsigned int nr_given, const nodemask_t *positions,
			     const nodemask_t *onto);
void interleave_weights_remap(u8 *weights, u32 *sums, unsigned int nr,
			      nodemask_t *nodes, const nodemask_t *from,
			      const nodemask_t *to);

#endif
