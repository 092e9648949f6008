// SPDX-License-Identifier: GPL-2.0
/*
 * From weights to the order in which nodes get the pages of one round.
 *
 * A round of weights w[0..n-1] has W = sum(w) pages, w[i] of them on node i.
 * Three machines, two rounds each:
 *
 *	weights 1:1	0 1 | 0 1
 *	weights 5:1	0 0 0 1 0 0 | 0 0 0 1 0 0
 *	weights 3:2:1	0 1 0 2 1 0 | 0 1 0 2 1 0
 *
 * The order is smooth: whichever number k of pages of a round has been placed,
 * no node is further than 1 - 1/(2n-2) pages from its ideal share k * w[i] / W,
 * with two nodes or more.
 * A buffer that is shorter than a round, or cuts one in the middle, still gets
 * its nodes in the ratio of the weights.
 *
 * Nothing here knows of tasks, locks or page tables.
 */
#include <linux/gcd.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "order.h"

/**
 * interleave_reduce - prepare the shares of a round
 * @shares: the nodes, ascending, each with its weight
 * @nr:     their number, at least 1
 *
 * Divides the weights by their greatest common divisor: the ratio stays and
 * the round gets as short as it can be.
 *
 * Return: pages in one round, at least @nr and at most 255 * @nr.
 */
u32 interleave_reduce(struct interleave_share *shares, unsigned int nr)
{
	unsigned long common = 0;
	unsigned int i;
	u32 round = 0;

	for (i = 0; i < nr; i++)
		common = gcd(common, shares[i].weight);

	for (i = 0; i < nr; i++) {
		shares[i].weight /= common;
		shares[i].placed = 0;
		round += shares[i].weight;
	}
	return round;
}

/**
 * interleave_next - give the next page of a round to a node
 * @shares: the nodes, as interleave_reduce() left them, then as the previous
 *          step did
 * @nr:     their number
 * @round:  what interleave_reduce() returned, W
 * @step:   1 for the first page of the round, W for the last
 *
 * R. Tijdeman, "The chairman assignment problem", Discrete Mathematics 32
 * (1980): a node may take page k once it lags by k*w/W - x >= 1/(2n-2), where
 * x is what it has already; of those that may, the one that must take a page
 * soonest does. A node is due when it would lag by 1 - 1/(2n-2), that is at
 * k = W * (x + 1 - 1/(2n-2)) / w. Both are compared in integers. Of two nodes
 * or more, some node may always take the page, because the lags add up to 1. A
 * single node takes every page.
 *
 * Equal deadlines go to the lower node, so that equal weights give the nodes
 * in ascending order, which is what MPOL_INTERLEAVE does.
 *
 * Return: the node.
 */
u16 interleave_next(struct interleave_share *shares, unsigned int nr, u32 round,
		    u32 step)
{
	struct interleave_share *next = shares;
	u64 parts = 2 * (u64)nr - 2;
	u64 next_due = U64_MAX;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct interleave_share *share = &shares[i];
		s64 lag = (s64)step * share->weight - (s64)share->placed * round;
		u64 due = parts * (share->placed + 1) - 1;

		if (lag * (s64)parts < round)
			continue;
		if (next_due == U64_MAX ||
		    due * next->weight < next_due * share->weight) {
			next = share;
			next_due = due;
		}
	}
	next->placed++;
	return next->node;
}

static void count_range(const u16 *order, u32 from, u32 to,
			unsigned long *count, u16 node, unsigned int nr)
{
	for (; from < to; from++) {
		/* Beyond all of them for a node before the first one */
		unsigned int at = order[from] - node;

		if (at < nr)
			count[at]++;
	}
}

/**
 * interleave_count - pages of some nodes in a stretch of consecutive pages
 * @order:    the nodes of one round
 * @round:    its length
 * @first:    position in the round where the stretch begins, below @round
 * @nr_pages: length of the stretch; it may span many rounds
 * @count:    gets how many of the pages belong on each of the nodes
 * @node:     id of the first of these nodes
 * @nr:       how many nodes, with ids one after the other
 */
void interleave_count(const u16 *order, u32 round, u32 first,
		      unsigned long nr_pages, unsigned long *count, u16 node,
		      unsigned int nr)
{
	unsigned long rounds = nr_pages / round;
	u32 end = first + (nr_pages - rounds * round);
	unsigned int i;

	memset(count, 0, nr * sizeof(*count));
	if (rounds) {
		count_range(order, 0, round, count, node, nr);
		for (i = 0; i < nr; i++)
			count[i] *= rounds;
	}
	count_range(order, first, min(end, round), count, node, nr);
	if (end > round)
		count_range(order, 0, end - round, count, node, nr);
}

/**
 * interleave_is_even - do all nodes of a mask have the same weight?
 * @nodes:   the mask; it may change meanwhile, the answer is then that of
 *           either or of a mixture
 * @own:     own weight by node id, or NULL; see interleave_weight_of()
 * @global:  global weight by node id
 *
 * Return: true when they have, or when the mask is empty.
 */
bool interleave_is_even(const nodemask_t *nodes, const u8 *own,
			const u8 *global)
{
	int node, first = 0;

	for_each_node_mask(node, *nodes) {
		u8 weight = interleave_weight_of(own, global, node);

		if (!first)
			first = weight;
		if (weight != first)
			return false;
	}
	return true;
}

/**
 * interleave_run_node - the node of a page when no order was computed
 * @nodes:   the mask; it may change meanwhile
 * @own:     own weight by node id, or NULL; see interleave_weight_of()
 * @global:  global weight by node id, each at least 1
 * @index:   number of the page
 *
 * Walks the mask: the first weight[n] pages of a round go to its first node,
 * and so on. Counts per round are right, prefixes are not smooth. Even weights
 * count as 1 each, as they do in a computed order.
 *
 * Return: the node, or NUMA_NO_NODE when the mask is empty.
 */
int interleave_run_node(const nodemask_t *nodes, const u8 *own,
			const u8 *global, u32 index)
{
	bool even = interleave_is_even(nodes, own, global);
	int node, last = NUMA_NO_NODE;
	u32 round = 0;

	for_each_node_mask(node, *nodes)
		round += even ? 1 : interleave_weight_of(own, global, node);
	if (!round)
		return NUMA_NO_NODE;

	index %= round;
	for_each_node_mask(node, *nodes) {
		u32 weight = even ? 1 : interleave_weight_of(own, global, node);

		last = node;
		if (index < weight)
			break;
		index -= weight;
	}
	return last;
}
