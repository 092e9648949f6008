// SPDX-License-Identifier: GPL-2.0
/*
 * A policy's own weights, when the nodes that it may use change.
 *
 * Pure arithmetic. A weight of 0 stands for a node that follows the global
 * weight. Where several nodes become one, their weights add up; if one of them
 * followed the global weight, so does the node they become. When a sum does
 * not fit into a weight any more, all own weights shrink together.
 *
 * A policy in use is read meanwhile, each weight by itself.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "remap.h"

#define FOLLOWS	U32_MAX

static void add_up(u32 *sums, unsigned int nr, unsigned int node, u8 weight)
{
	if (node >= nr)
		return;
	if (!weight || sums[node] == FOLLOWS)
		sums[node] = FOLLOWS;
	else
		sums[node] += weight;
}

static u8 to_weight(u32 sum, u32 largest)
{
	if (!sum || sum == FOLLOWS)
		return 0;
	return max(sum * U8_MAX / largest, 1u);
}

/* @nodes: those that anything was added up for, and perhaps others */
static void to_weights(u8 *weights, const u32 *sums, unsigned int nr,
		       const nodemask_t *nodes)
{
	u32 largest = U8_MAX;
	unsigned int node;

	for_each_node_mask(node, *nodes)
		if (node < nr && sums[node] != FOLLOWS)
			largest = max(largest, sums[node]);

	/* Each by one store: who places a page meanwhile reads them. */
	for (node = 0; node < nr; node++) {
		u32 sum = node_isset(node, *nodes) ? sums[node] : 0;

		WRITE_ONCE(weights[node], to_weight(sum, largest));
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
		WRITE_ONCE(bound[node], node_isset(node, *nodes) ? given[node] : 0);
}

/* Of each @step-th position from @first on, those that are in use */
static u32 sum_of(const u8 *given, unsigned int nr_given, const nodemask_t *positions,
		  unsigned int first, unsigned int step)
{
	unsigned int position;
	u32 sum = 0;

	for (position = first; position < nr_given; position += step) {
		if (!node_isset(position, *positions))
			continue;
		if (!given[position])
			return FOLLOWS;
		sum += given[position];
	}
	return sum;
}

/**
 * interleave_weights_fold - own weights of a relative mask
 * @bound:     own weight by node id, filled in
 * @nr:        number of node ids
 * @given:     own weight by position
 * @nr_given:  their number; no position in use is beyond
 * @positions: positions in use
 * @onto:      position i is the node number i of these, counted modulo their
 *             number
 *
 * Same map as nodes_fold() and nodes_onto() together. Each position is looked at
 * twice, so that there need be no room for sums.
 */
void interleave_weights_fold(u8 *bound, unsigned int nr, const u8 *given,
			     unsigned int nr_given, const nodemask_t *positions,
			     const nodemask_t *onto)
{
	unsigned int nr_onto = nodes_weight(*onto), first = 0, node;
	u32 sum, largest = U8_MAX;

	for_each_node_mask(node, *onto) {
		sum = sum_of(given, nr_given, positions, first++, nr_onto);
		if (node < nr && sum != FOLLOWS)
			largest = max(largest, sum);
	}

	/* Each by one store: who places a page meanwhile reads them. */
	first = 0;
	for (node = 0; node < nr; node++) {
		sum = 0;
		if (node_isset(node, *onto))
			sum = sum_of(given, nr_given, positions, first++, nr_onto);
		WRITE_ONCE(bound[node], to_weight(sum, largest));
	}
}

/**
 * interleave_weights_remap - own weights travel with their nodes
 * @weights: own weight by node id, replaced
 * @sums:    room for @nr sums
 * @nr:      number of node ids
 * @nodes:   nodes in use, replaced
 * @from:    nodes that were allowed
 * @to:      nodes that are allowed now
 *
 * Same map as nodes_remap(), but both masks are walked once, together: each rebind
 * does this with a lock held. With 64 nodes a look-up for each of them takes ten
 * times as long.
 */
void interleave_weights_remap(u8 *weights, u32 *sums, unsigned int nr,
			      nodemask_t *nodes, const nodemask_t *from,
			      const nodemask_t *to)
{
	nodemask_t stay = *nodes, came = NODE_MASK_NONE;
	unsigned int node, target = first_node(*to);

	memset(sums, 0, nr * sizeof(*sums));
	if (target < MAX_NUMNODES) {
		nodes_andnot(stay, *nodes, *from);
		for_each_node_mask(node, *from) {
			if (node_isset(node, *nodes)) {
				node_set(target, came);
				add_up(sums, nr, target, node < nr ? weights[node] : 0);
			}
			target = next_node(target, *to);
			if (target >= MAX_NUMNODES)
				target = first_node(*to);
		}
	}
	for_each_node_mask(node, stay)
		add_up(sums, nr, node, node < nr ? weights[node] : 0);
	nodes_or(*nodes, stay, came);
	to_weights(weights, sums, nr, nodes);
}
