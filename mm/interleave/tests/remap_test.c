// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of own weights that travel with their nodes.
 */
#include <kunit/test.h>
#include <linux/nodemask.h>
#include <linux/string.h>

#include "../remap.h"

/* Node ids to calculate with; the machine need not have them. */
#define NR	8

static nodemask_t mask(unsigned int bits)
{
	nodemask_t nodes = NODE_MASK_NONE;
	int node;

	for (node = 0; node < NR && node < MAX_NUMNODES; node++)
		if (bits & BIT(node))
			node_set(node, nodes);
	return nodes;
}

static void expect(struct kunit *test, const u8 *got, const u8 *want)
{
	int node;

	for (node = 0; node < NR; node++)
		KUNIT_EXPECT_EQ_MSG(test, got[node], want[node], "node %d",
				    node);
}

/* The nodes go where everybody else's go. */
static void remap(struct kunit *test, u8 *weights, unsigned int nodes,
		  unsigned int from, unsigned int to)
{
	nodemask_t nodes_mask = mask(nodes), from_mask = mask(from);
	nodemask_t to_mask = mask(to), want;
	u32 sums[NR];

	nodes_remap(want, nodes_mask, from_mask, to_mask);
	interleave_weights_remap(weights, sums, NR, &nodes_mask, &from_mask,
				 &to_mask);
	KUNIT_EXPECT_TRUE(test, nodes_equal(nodes_mask, want));
}

static void fold(u8 *bound, const u8 *given, unsigned int positions,
		 unsigned int onto)
{
	nodemask_t positions_mask = mask(positions), onto_mask = mask(onto);

	interleave_weights_fold(bound, NR, given, NR, &positions_mask,
				&onto_mask);
}

static void needs_eight_nodes(struct kunit *test)
{
	if (NR > MAX_NUMNODES)
		kunit_skip(test, "needs %d possible nodes", NR);
}

static void a_weight_goes_to_the_new_node(struct kunit *test)
{
	u8 weights[NR] = { 5, 1 };
	static const u8 want[NR] = { 0, 0, 5, 1 };

	needs_eight_nodes(test);
	remap(test, weights, 0x3, 0x3, 0xc);
	expect(test, weights, want);
}

static void weights_that_meet_add_up(struct kunit *test)
{
	u8 weights[NR] = { 5, 1, 7, 2 };
	static const u8 want[NR] = { 0, 0, 0, 0, 12, 3 };

	needs_eight_nodes(test);
	remap(test, weights, 0xf, 0xf, 0x30);
	expect(test, weights, want);
}

static void who_meets_a_follower_follows(struct kunit *test)
{
	u8 weights[NR] = { 5, 1, 0, 2 };
	static const u8 want[NR] = { 0, 0, 0, 0, 0, 3 };

	needs_eight_nodes(test);
	remap(test, weights, 0xf, 0xf, 0x30);
	expect(test, weights, want);
}

static void large_sums_shrink_all(struct kunit *test)
{
	u8 weights[NR] = { 255, 1, 255, 101, 0, 2 };
	static const u8 all_on_two[NR] = { 0, 0, 0, 0, 0, 0, 255, 51 };
	u8 small[NR] = { 255, 0, 255, 1 };
	static const u8 at_least_one[NR] = { 0, 0, 0, 0, 255, 1 };

	needs_eight_nodes(test);
	/* 510 and 102 */
	remap(test, weights, 0xf, 0xf, 0xc0);
	expect(test, weights, all_on_two);
	/* 510 and 1: node 1 is not in the mask */
	remap(test, small, 0xd, 0xf, 0x30);
	expect(test, small, at_least_one);
}

static void nodes_that_stay_keep_their_weight(struct kunit *test)
{
	u8 weights[NR] = { 5, 1 };
	static const u8 want[NR] = { 5, 1 };

	needs_eight_nodes(test);
	remap(test, weights, 0x3, 0x3, 0x3);
	expect(test, weights, want);
}

static void nodes_that_were_not_allowed_stay(struct kunit *test)
{
	u8 weights[NR] = { 5, 1, 0, 0, 7 };
	static const u8 want[NR] = { 0, 0, 0, 0, 12, 1 };
	u8 nowhere[NR] = { 5, 1 };
	static const u8 same[NR] = { 5, 1 };

	needs_eight_nodes(test);
	remap(test, weights, 0x13, 0x3, 0x30);
	expect(test, weights, want);
	remap(test, nowhere, 0x3, 0x3, 0);
	expect(test, nowhere, same);
}

static void nodes_that_are_not_in_use_count(struct kunit *test)
{
	u8 weights[NR] = { 5, 9, 1, 2 };
	static const u8 want[NR] = { 0, 0, 0, 0, 7, 0, 1 };

	needs_eight_nodes(test);
	remap(test, weights, 0xd, 0xf, 0x70);
	expect(test, weights, want);
}

static void positions_are_folded(struct kunit *test)
{
	static const u8 given[NR] = { 5, 1, 7, 2 };
	static const u8 two[NR] = { 0, 0, 12, 0, 0, 3 };
	static const u8 four[NR] = { 0, 5, 1, 0, 7, 2 };
	u8 bound[NR];

	needs_eight_nodes(test);
	fold(bound, given, 0xf, 0x24);
	expect(test, bound, two);
	fold(bound, given, 0xf, 0x36);
	expect(test, bound, four);
}

static void folded_positions_follow_and_shrink(struct kunit *test)
{
	static const u8 one_follows[NR] = { 5, 0, 7, 2 };
	static const u8 one_node[NR] = { 0, 0, 12 };
	static const u8 large[NR] = { 255, 1, 255, 101, 9 };
	static const u8 shrunk[NR] = { 0, 0, 255, 0, 0, 51 };
	u8 bound[NR];

	needs_eight_nodes(test);
	fold(bound, one_follows, 0xf, 0x24);
	expect(test, bound, one_node);
	/* 510 and 102: position 4 is not in use */
	fold(bound, large, 0xf, 0x24);
	expect(test, bound, shrunk);
}

static void positions_beyond_the_nodes_count(struct kunit *test)
{
	static const u8 given[NR + 2] = { 5, [NR + 1] = 7 };
	static const u8 want[NR] = { 5, 7 };
	nodemask_t positions, onto;
	u8 bound[NR];

	if (NR + 1 >= MAX_NUMNODES)
		kunit_skip(test, "needs more than %d possible nodes", NR + 1);
	positions = mask(0x1);
	node_set(NR + 1, positions);
	onto = mask(0x3);
	interleave_weights_fold(bound, NR, given, ARRAY_SIZE(given), &positions,
				&onto);
	expect(test, bound, want);
}

static void only_nodes_in_use_are_bound(struct kunit *test)
{
	static const u8 given[NR] = { 5, 1, 7, 2 };
	static const u8 want[NR] = { 0, 1, 7, 0 };
	nodemask_t nodes = mask(0x6);
	u8 bound[NR];

	needs_eight_nodes(test);
	interleave_weights_restrict(bound, NR, given, &nodes);
	expect(test, bound, want);
}

static struct kunit_case remap_cases[] = {
	KUNIT_CASE(a_weight_goes_to_the_new_node),
	KUNIT_CASE(weights_that_meet_add_up),
	KUNIT_CASE(who_meets_a_follower_follows),
	KUNIT_CASE(large_sums_shrink_all),
	KUNIT_CASE(nodes_that_stay_keep_their_weight),
	KUNIT_CASE(nodes_that_were_not_allowed_stay),
	KUNIT_CASE(nodes_that_are_not_in_use_count),
	KUNIT_CASE(positions_are_folded),
	KUNIT_CASE(folded_positions_follow_and_shrink),
	KUNIT_CASE(positions_beyond_the_nodes_count),
	KUNIT_CASE(only_nodes_in_use_are_bound),
	{}
};

static struct kunit_suite remap_suite = {
	.name = "interleave_remap",
	.test_cases = remap_cases,
};

kunit_test_suite(remap_suite);
