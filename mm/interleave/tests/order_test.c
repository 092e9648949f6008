// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the order of a round: pure arithmetic.
 */
#include <kunit/test.h>
#include <linux/gcd.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "../order.h"

#define MOST_NODES	64
#define LONGEST_ROUND	(MOST_NODES * 255)

struct round {
	unsigned int nr;
	u32 length;
	u8 weight[MOST_NODES];		/* reduced */
	u16 order[LONGEST_ROUND];
};

static struct round *make_round(struct kunit *test, const u8 *weights,
				unsigned int nr)
{
	struct interleave_share *shares;
	struct round *round;
	unsigned int i;
	u32 step;

	round = kunit_kzalloc(test, sizeof(*round), GFP_KERNEL);
	shares = kunit_kcalloc(test, nr, sizeof(*shares), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, round);
	KUNIT_ASSERT_NOT_NULL(test, shares);

	for (i = 0; i < nr; i++) {
		shares[i].node = i;
		shares[i].weight = weights[i];
		shares[i].placed = 99;
	}
	round->nr = nr;
	round->length = interleave_reduce(shares, nr);
	KUNIT_ASSERT_LE(test, round->length, LONGEST_ROUND);
	for (i = 0; i < nr; i++)
		round->weight[i] = shares[i].weight;
	for (step = 1; step <= round->length; step++)
		round->order[step - 1] = interleave_next(shares, nr,
							 round->length, step);
	kunit_kfree(test, shares);
	return round;
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
		KUNIT_ASSERT_LT(test, (unsigned int)round->order[step - 1],
				round->nr);
		placed[round->order[step - 1]]++;
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
	kunit_kfree(test, round);
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
			KUNIT_EXPECT_EQ(test, (unsigned int)round->order[i], i);
		kunit_kfree(test, round);
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

static void each_node_is_counted(struct kunit *test)
{
	static const u8 weights[] = { 7, 3, 1 };
	struct round *round = make_round(test, weights, 3);
	unsigned long pages, i;
	u32 first;
	u16 node;

	for (first = 0; first < round->length; first++) {
		for (pages = 0; pages < 40; pages++) {
			unsigned long want[4] = {}, count[4];

			for (i = first; i < first + pages; i++)
				want[round->order[i % round->length]]++;
			interleave_count(round->order, round->length, first,
					 pages, count, 0, 4);
			for (node = 0; node < 4; node++)
				KUNIT_ASSERT_EQ(test, want[node], count[node]);
			/* Nodes before and behind those that are asked for */
			interleave_count(round->order, round->length, first,
					 pages, count, 1, 1);
			KUNIT_ASSERT_EQ(test, want[1], count[0]);
		}
	}
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
	KUNIT_CASE(each_node_is_counted),
	KUNIT_CASE(run_order_has_exact_counts),
	KUNIT_CASE(run_order_of_even_weights_alternates),
	{}
};

static struct kunit_suite order_suite = {
	.name = "interleave_order",
	.test_cases = order_cases,
};

kunit_test_suite(order_suite);
