// SPDX-License-Identifier: GPL-2.0
/*
 * A policy's own weights, when the nodes that it may use change.
 *
 * Pure arithmetic. A weight of 0 stands for a node that follows the global
 * weight. Where several nodes become one, their weights add up; if one of them
 * followed the global weight, so does the node they become. When a sum does
 * not fit into a weight any more, all own weights shrink together.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "remap.h"

#define FOLLOWS	U32_MAX

static void add_up(u32 *sums, unsigned int nr, int node, u8 weight)
{
	if ((unsigned int)node >= nr)
		return;
	if (!weight || sums[node] == FOLLOWS)
		sums[node] = FOLLOWS;
	else
		sums[node] += weight;
}

static void to_weights(u8 *weights, const u32 *sums, unsigned int nr)
{
	u32 largest = U8_MAX;
	unsigned int node;

	for (node = 0; node < nr; node++)
		if (sums[node] != FOLLOWS)
			largest = max(largest, sums[node]);

	for (node = 0; node < nr; node++) {
		u32 sum = sums[node];

		if (!sum || sum == FOLLOWS)
			weights[node] = 0;
		else
			weights[node] = max(sum * U8_MAX / largest, 1u);
	}
}

/**
 * interleave_weights_restrict - own weights where nodes stay what they are
 * @bound: own weight by node id, filled in; 0 outside of @nodes
 * @nr:    number of node ids
 * @given: own weight by node id
 * @nodes: nodes in use
 */
void interleave_weights_restrict(u8 *bound, unsigned int nr, const u8 *given,
				 const nodemask_t *nodes)
{
	unsigned int node;

	for (node = 0; node < nr; node++)
		bound[node] = node_isset(node, *nodes) ? given[node] : 0;
}

/**
 * interleave_weights_fold - own weights of a relative mask
 * @bound:     own weight by node id, filled in
 * @sums:      room for @nr sums
 * @nr:        number of node ids; positions from there on have no own weight
 * @given:     own weight by position
 * @positions: positions in use
 * @onto:      position i is the node number i of these, counted modulo their
 *             number
 *
 * Same map as nodes_fold() and nodes_onto() together.
 */
void interleave_weights_fold(u8 *bound, u32 *sums, unsigned int nr,
			     const u8 *given, const nodemask_t *positions,
			     const nodemask_t *onto)
{
	unsigned int nr_onto = nodes_weight(*onto);
	unsigned int position;

	memset(sums, 0, nr * sizeof(*sums));
	if (nr_onto) {
		for_each_node_mask(position, *positions) {
			int node = find_nth_bit(nodes_addr(*onto), MAX_NUMNODES,
						position % nr_onto);

			add_up(sums, nr, node,
			       position < nr ? given[position] : 0);
		}
	}
	to_weights(bound, sums, nr);
}

/**
 * interleave_weights_remap - own weights travel with their nodes
 * @weights: own weight by node id, replaced
 * @sums:    room for @nr sums
 * @nr:      number of node ids
 * @nodes:   nodes in use before
 * @from:    nodes that were allowed
 * @to:      nodes that are allowed now
 *
 * Same map as node_remap().
 */
void interleave_weights_remap(u8 *weights, u32 *sums, unsigned int nr,
			      const nodemask_t *nodes, const nodemask_t *from,
			      const nodemask_t *to)
{
	int node;

	memset(sums, 0, nr * sizeof(*sums));
	for_each_node_mask(node, *nodes)
		add_up(sums, nr, node_remap(node, *from, *to),
		       node < nr ? weights[node] : 0);
	to_weights(weights, sums, nr);
}
