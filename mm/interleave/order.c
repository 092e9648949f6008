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
#include <linux/log2.h>
#include <linux/overflow.h>
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

/**
 * interleave_stride - how far the rows of counts of an order are apart
 * @shares: the nodes, as interleave_reduce() left them
 * @nr:     their number
 * @round:  what interleave_reduce() returned
 *
 * A row has a byte for each node id. There are as many pages between two rows as
 * make them as long together as the order itself is.
 *
 * Return: pages from one row to the next, a power of two. 0: the order has no
 * rows, since nobody counts even weights and no stack has room for so many nodes.
 */
u16 interleave_stride(const struct interleave_share *shares, unsigned int nr,
		      u32 round)
{
	u16 last = shares[nr - 1].node;

	if (round == nr || last >= INTERLEAVE_COUNT_NODES)
		return 0;
	return max_t(u32, roundup_pow_of_two(last + 1), sizeof(long)) / 2;
}

/**
 * interleave_order_size - room that an order takes
 * @round:  what interleave_reduce() returned
 * @stride: what interleave_stride() returned
 *
 * Return: bytes of a struct interleave_order with its table and its rows.
 */
size_t interleave_order_size(u32 round, u16 stride)
{
	size_t size = struct_size_t(struct interleave_order, node, round);

	if (!stride)
		return size;
	return ALIGN(size, sizeof(long)) + 2 * (stride + round_up(round, stride));
}

/* The first row is that of the whole round, the next one of its beginning. */
static __always_inline u8 *first_row(const struct interleave_order *order)
{
	return PTR_ALIGN((u8 *)(order->node + order->round), sizeof(long));
}

/* The row of how many pages of each node are before @position, a multiple of stride */
static __always_inline u8 *row_at(const struct interleave_order *order, u32 position)
{
	return first_row(order) + 2 * (order->stride + position);
}

static void write_row(u8 *row, u16 stride, const struct interleave_share *shares,
		      unsigned int nr)
{
	unsigned int i;

	memset(row, 0, 2 * stride);
	for (i = 0; i < nr; i++)
		row[shares[i].node] = shares[i].placed;
}

/**
 * interleave_step - write the next page of a round into an order
 * @order:  the order, of interleave_order_size() bytes, with round and stride
 * @shares: as for interleave_next()
 * @nr:     their number
 * @step:   1 for the first page of the round, then one after the other
 */
void interleave_step(struct interleave_order *order,
		     struct interleave_share *shares, unsigned int nr, u32 step)
{
	u32 position = step - 1;

	if (order->stride && position % order->stride == 0)
		write_row(row_at(order, position), order->stride, shares, nr);
	order->node[position] = interleave_next(shares, nr, order->round, step);
	if (order->stride && step == order->round)
		write_row(first_row(order), order->stride, shares, nr);
}

/* Of the @nr pages before @until, fewer than stride */
static __always_inline void add_pages(u8 *count, const u16 *until, u32 nr, u8 each)
{
	if (!nr)
		return;
	do
		count[*--until] += each;
	while (--nr);
}

/**
 * interleave_count - pages of each node in a stretch of consecutive pages
 * @order:    an order with rows
 * @first:    position in the round where the stretch begins, below its length
 * @nr_pages: length of the stretch, at most INTERLEAVE_COUNT_PAGES; it may span
 *            many rounds
 * @count:    gets a byte for each node id below 2 * stride, as many as a row has
 *
 * The rows before both ends are taken from each other a word at a time: where
 * each byte of the result is right, so is the word. Up to the ends themselves
 * there are fewer than stride pages.
 */
void interleave_count(const struct interleave_order *order, u32 first,
		      u32 nr_pages, unsigned long *count)
{
	u32 stride = order->stride, rounds = nr_pages / order->round;
	u32 end = first + nr_pages % order->round;
	const unsigned long *whole, *before, *until;
	unsigned int i = 0;

	if (end >= order->round) {
		end -= order->round;
		rounds++;
	}
	whole = (unsigned long *)first_row(order);
	before = (unsigned long *)row_at(order, first & -stride);
	until = (unsigned long *)row_at(order, end & -stride);
	do
		count[i] = rounds * whole[i] + until[i] - before[i];
	while (++i < 2 * stride / sizeof(long));
	add_pages((u8 *)count, order->node + first, first & (stride - 1), -1);
	add_pages((u8 *)count, order->node + end, end & (stride - 1), 1);
}

/**
 * interleave_is_even - do all nodes of a mask have the same weight?
 * @nodes:   the mask
 * @own:     own weight by node id, or NULL; see interleave_weight_of()
 * @global:  global weight by node id; both may change meanwhile, the answer is
 *           then that of either or of a mixture
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
 * @nodes:   the mask
 * @own:     own weight by node id, or NULL; see interleave_weight_of()
 * @global:  global weight by node id, each at least 1; both may change meanwhile
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
