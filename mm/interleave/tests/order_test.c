// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the order of a round: pure arithmetic.
 */
#include <kunit/test.h>
#include <linux/gcd.h>
#include <linux/nodemask.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../order.h"

#define MOST_NODES	64
#define LONGEST_ROUND	(MOST_NODES * 255)

/* What an order must leave as it is behind itself */
#define GUARD		8
#define GUARD_BYTE	0xa5

struct round {
	unsigned int nr;
	u32 length;
	u8 weight[MOST_NODES];		/* reduced */
	size_t size;
	struct interleave_order *order;
};

/* @nodes: ids, ascending; NULL: from 0 on */
static struct round *make_round_of(struct kunit *test, const u16 *nodes,
				   const u8 *weights, unsigned int nr)
{
	struct interleave_share *shares;
	struct interleave_order *order;
	struct round *round;
	unsigned int i;
	u16 stride;
	u32 step;

	round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);
	shares = kunit_kcalloc(test, nr, sizeof(*shares), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round);
	KUNIT_ASSERT_NOT_NULL(test, shares);

	for (i = 0; i < nr; i++) {
		shares[i].node = nodes ? nodes[i] : i;
		shares[i].weight = weights[i];
		shares[i].placed = 99;
	}
	round->nr = nr;
	round->length = interleave_reduce(shares, nr);
	KUNIT_ASSERT_LE(test, round->length, LONGEST_ROUND);
	for (i = 0; i < nr; i++)
		round->weight[i] = shares[i].weight;

	stride = interleave_stride(shares, nr, round->length);
	round->size = interleave_order_size(round->length, stride);
	order = kunit_kmalloc(test, round->size + GUARD, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, order);
	memset(order, GUARD_BYTE, round->size + GUARD);
	order->round = round->length;
	order->stride = stride;
	for (step = 1; step <= round->length; step++)
		interleave_step(order, shares, nr, step);
	KUNIT_EXPECT_NULL(test, memchr_inv((u8 *)order + round->size, GUARD_BYTE, GUARD));
	round->order = order;
	kunit_kfree(test, shares);
	return round;
}

static struct round *make_round(struct kunit *test, const u8 *weights,
				unsigned int nr)
{
	return make_round_of(test, NULL, weights, nr);
}

static void free_round(struct kunit *test, struct round *round)
{
	kunit_kfree(test, round->order);
	kunit_kfree(test, round);
}

/* Each node within 1 - 1/(2n-2) pages of its share at each prefix, in integers */
static void expect_smooth(struct kunit *test, const struct round *round)
{
	u32 placed[MOST_NODES] = {}, total = 0;
	s64 parts = 2 * (s64)round->nr - 2, worst = 0;
	unsigned int i;
	u32 step;

	for (i = 0; i < round->nr; i++)
		total += round->weight[i];
	KUNIT_EXPECT_EQ(test, round->length, total);

	for (step = 1; step <= round->length; step++) {
		KUNIT_ASSERT_LT(test, (unsigned int)round->order->node[step - 1],
				round->nr);
		placed[round->order->node[step - 1]]++;
		for (i = 0; i < round->nr; i++) {
			s64 lag = (s64)step * round->weight[i] -
				  (s64)placed[i] * round->length;

			worst = max(worst, abs(lag));
		}
	}
	if (round->nr > 1)
		KUNIT_EXPECT_LE(test, worst * parts, (parts - 1) * round->length);
	for (i = 0; i < round->nr; i++)
		KUNIT_EXPECT_EQ(test, placed[i], (u32)round->weight[i]);
}

static void check_weights(struct kunit *test, const u8 *weights, unsigned int nr)
{
	struct round *round = make_round(test, weights, nr);

	expect_smooth(test, round);
	free_round(test, round);
}

#define CHECK_WEIGHTS(test, ...) do {					\
	static const u8 set[] = { __VA_ARGS__ };			\
	check_weights(test, set, ARRAY_SIZE(set));			\
} while (0)

static void order_of_known_sets(struct kunit *test)
{
	CHECK_WEIGHTS(test, 1);
	CHECK_WEIGHTS(test, 255);
	CHECK_WEIGHTS(test, 100, 37);
	CHECK_WEIGHTS(test, 255, 254);
	CHECK_WEIGHTS(test, 255, 31, 17, 3);
	/* nginx's order strays by 1.05 pages here, and by 1.18 */
	CHECK_WEIGHTS(test, 12, 254, 254, 1);
	CHECK_WEIGHTS(test, 1, 1, 254, 20, 254);
	CHECK_WEIGHTS(test, 3, 251, 17, 90, 255, 1, 2, 128, 64, 33, 7, 5, 199,
		      211, 48, 1);
}

static void order_of_all_pairs(struct kunit *test)
{
	struct interleave_share shares[2];
	u8 a, b;

	for (a = 1; a < 255; a += 2) {
		for (b = 1; b < 255; b += 6) {
			u32 step, length, placed = 0;
			s64 worst = 0;

			shares[0] = (struct interleave_share){ 0, a, 0 };
			shares[1] = (struct interleave_share){ 1, b, 0 };
			length = interleave_reduce(shares, 2);
			KUNIT_ASSERT_EQ(test, length, (a + b) / (u32)gcd(a, b));
			for (step = 1; step <= length; step++) {
				placed += !interleave_next(shares, 2, length, step);
				worst = max(worst, abs((s64)step * shares[0].weight -
						       (s64)placed * length));
			}
			KUNIT_ASSERT_EQ(test, placed, (u32)shares[0].weight);
			KUNIT_ASSERT_LE(test, 2 * worst, (s64)length);
		}
	}
}

static void order_of_any_number_of_nodes(struct kunit *test)
{
	u8 weights[MOST_NODES];
	unsigned int nr, i;
	u32 seed = 1;

	for (nr = 1; nr <= MOST_NODES; nr++) {
		for (i = 0; i < nr; i++) {
			seed = seed * 1664525 + 1013904223;
			weights[i] = 1 + (seed >> 16) % (nr > 16 ? 9 : 255);
		}
		check_weights(test, weights, nr);
	}
	for (i = 0; i < 16; i++)
		weights[i] = 255 - i;
	check_weights(test, weights, 16);
}

static void even_weights_ascend(struct kunit *test)
{
	u8 weights[MOST_NODES];
	unsigned int nr, i;

	for (nr = 1; nr <= MOST_NODES; nr++) {
		struct round *round;

		memset(weights, 1 + nr * 3, nr);
		round = make_round(test, weights, nr);
		KUNIT_ASSERT_EQ(test, round->length, nr);
		for (i = 0; i < nr; i++)
			KUNIT_EXPECT_EQ(test, (unsigned int)round->order->node[i], i);
		/* Nobody counts them. */
		KUNIT_EXPECT_EQ(test, round->order->stride, 0);
		free_round(test, round);
	}
}

static void weights_are_reduced(struct kunit *test)
{
	static const u8 weights[] = { 250, 100, 50 };
	struct round *round = make_round(test, weights, 3);

	KUNIT_EXPECT_EQ(test, round->length, 8u);
	KUNIT_EXPECT_EQ(test, round->weight[0], 5);
	KUNIT_EXPECT_EQ(test, round->weight[1], 2);
	KUNIT_EXPECT_EQ(test, round->weight[2], 1);
}

/* Stretches of every length, as a walk from page to page has them */
static void expect_counts(struct kunit *test, const struct round *round)
{
	static unsigned long count[INTERLEAVE_COUNT_NODES / sizeof(long)];
	static u8 want[INTERLEAVE_COUNT_NODES];
	const struct interleave_order *order = round->order;
	size_t width = 2 * order->stride;
	u32 first, pages;

	KUNIT_ASSERT_GT(test, width, 0ul);
	KUNIT_ASSERT_LE(test, width, sizeof(count));
	for (first = 0; first < order->round; first += 1 + order->round / 40) {
		memset(want, 0, sizeof(want));
		for (pages = 0; pages <= INTERLEAVE_COUNT_PAGES; pages++) {
			memset(count, GUARD_BYTE, sizeof(count));
			interleave_count(order, first, pages, count);
			KUNIT_ASSERT_EQ_MSG(test, 0, memcmp(count, want, width),
					    "%u pages from %u on", pages, first);
			KUNIT_ASSERT_NULL(test, memchr_inv((u8 *)count + width, GUARD_BYTE,
							   sizeof(count) - width));
			want[order->node[(first + pages) % order->round]]++;
		}
	}
}

static void check_counts(struct kunit *test, const u16 *nodes, const u8 *weights,
			 unsigned int nr)
{
	struct round *round = make_round_of(test, nodes, weights, nr);
	struct interleave_order *order = round->order;

	KUNIT_EXPECT_LT(test, order->node[order->round - 1], 2 * order->stride);
	expect_counts(test, round);
	/* A page has two bytes in the rows, and two in the table. */
	KUNIT_EXPECT_LE(test, round->size, 2 * struct_size(order, node, order->round) +
					   4 * order->stride);
	free_round(test, round);
}

static void stretches_of_two_nodes_are_counted(struct kunit *test)
{
	static const u16 nodes[][2] = {
		{ 0, 1 }, { 2, 7 }, { 7, 8 }, { 0, 33 }, { 63, 64 }, { 0, 128 }, { 1, 255 },
	};
	static const u8 weights[][2] = {
		{ 5, 1 }, { 1, 2 }, { 100, 37 }, { 255, 254 }, { 1, 255 }, { 255, 1 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(nodes); i++)
		for (j = 0; j < ARRAY_SIZE(weights); j++)
			check_counts(test, nodes[i], weights[j], 2);
}

static void stretches_of_many_nodes_are_counted(struct kunit *test)
{
	static const unsigned int spread[] = { 1, 2, 4 };
	u8 alternate[MOST_NODES], any[MOST_NODES];
	u16 nodes[MOST_NODES];
	unsigned int i, j, nr;
	u32 seed = 1;

	for (i = 0; i < MOST_NODES; i++) {
		seed = seed * 1664525 + 1013904223;
		any[i] = 1 + (seed >> 16) % 255;
		alternate[i] = i % 2 ? 37 : 100;
	}
	for (j = 0; j < ARRAY_SIZE(spread); j++) {
		for (i = 0; i < MOST_NODES; i++)
			nodes[i] = (i + 1) * spread[j] - 1;
		for (nr = 3; nr <= MOST_NODES; nr = nr * 5 / 3) {
			check_counts(test, nodes, alternate, nr);
			check_counts(test, nodes, any, nr);
		}
		check_counts(test, nodes, any, MOST_NODES);
	}
}

static void ids_beyond_a_row_have_an_order_without_rows(struct kunit *test)
{
	static const u16 nodes[] = { 3, INTERLEAVE_COUNT_NODES };
	static const u8 weights[] = { 2, 1 };
	struct round *round = make_round_of(test, nodes, weights, 2);

	KUNIT_EXPECT_EQ(test, round->order->stride, 0);
	KUNIT_EXPECT_EQ(test, round->size, struct_size(round->order, node, 3));
	KUNIT_EXPECT_EQ(test, round->order->node[0], 3);
	KUNIT_EXPECT_EQ(test, round->order->node[1], INTERLEAVE_COUNT_NODES);
	KUNIT_EXPECT_EQ(test, round->order->node[2], 3);
	free_round(test, round);
}

static void run_order_has_exact_counts(struct kunit *test)
{
	static const u8 weights[8] = { 9, 5, 1, 200, 7, 7, 7, 1 };
	nodemask_t nodes = NODE_MASK_NONE;
	u32 index;

	if (MAX_NUMNODES < 8)
		kunit_skip(test, "needs node ids up to 7");

	KUNIT_EXPECT_EQ(test, interleave_run_node(&nodes, NULL, weights, 3),
			NUMA_NO_NODE);

	node_set(1, nodes);
	node_set(2, nodes);
	node_set(4, nodes);
	KUNIT_EXPECT_FALSE(test, interleave_is_even(&nodes, NULL, weights));
	for (index = 0; index < 39; index++) {
		int want = index % 13 < 5 ? 1 : index % 13 < 6 ? 2 : 4;

		KUNIT_EXPECT_EQ(test, want,
				interleave_run_node(&nodes, NULL, weights, index));
	}
}

static void run_order_of_even_weights_alternates(struct kunit *test)
{
	static const u8 weights[8] = { 9, 5, 1, 200, 7, 7, 7, 1 };
	nodemask_t nodes = NODE_MASK_NONE;
	u32 index;

	if (MAX_NUMNODES < 8)
		kunit_skip(test, "needs node ids up to 7");

	node_set(4, nodes);
	node_set(5, nodes);
	node_set(6, nodes);
	KUNIT_EXPECT_TRUE(test, interleave_is_even(&nodes, NULL, weights));
	for (index = 0; index < 9; index++)
		KUNIT_EXPECT_EQ(test, 4 + (int)index % 3,
				interleave_run_node(&nodes, NULL, weights, index));
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(order_of_known_sets),
	KUNIT_CASE(order_of_all_pairs),
	KUNIT_CASE(order_of_any_number_of_nodes),
	KUNIT_CASE(even_weights_ascend),
	KUNIT_CASE(weights_are_reduced),
	KUNIT_CASE(stretches_of_two_nodes_are_counted),
	KUNIT_CASE(stretches_of_many_nodes_are_counted),
	KUNIT_CASE(ids_beyond_a_row_have_an_order_without_rows),
	KUNIT_CASE(run_order_has_exact_counts),
	KUNIT_CASE(run_order_of_even_weights_alternates),
	{}
};

static struct kunit_suite order_suite = {
	.name = "interleave_order",
	.test_cases = order_cases,
};

kunit_test_suite(order_suite);
