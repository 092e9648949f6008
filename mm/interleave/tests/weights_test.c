// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the global weights and the live sets. Any node id may be in a
 * set here: no page is allocated.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../internal.h"
#include "../order.h"

/* What the nodes follow, and what nodes 0 and 1 have if they do not */
static u8 saved_derived[MAX_NUMNODES];
static u8 saved[2];
static bool saved_auto;

static int save_weights(struct kunit *test)
{
	memcpy(saved, interleave_weights, sizeof(saved));
	saved_auto = interleave_auto();
	if (interleave_auto_store(true))
		return -ENOMEM;
	memcpy(saved_derived, interleave_weights, nr_node_ids);
	return 0;
}

static void restore_weights(struct kunit *test)
{
	int nid;

	for (nid = 0; nid < min_t(int, nr_node_ids, ARRAY_SIZE(saved)); nid++)
		interleave_weight_store(nid, saved[nid]);
	interleave_weights_derive(saved_derived);
	interleave_auto_store(saved_auto);
}

static struct interleave_set *set_of_two(struct kunit *test)
{
	nodemask_t nodes = NODE_MASK_NONE;
	struct interleave_set *set;

	if (nr_node_ids < 2)
		kunit_skip(test, "needs two possible nodes");
	node_set(0, nodes);
	node_set(1, nodes);
	set = interleave_set_find_or_make(&nodes, NULL, GFP_KERNEL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	return set;
}

static u32 pages_of(struct interleave_set *set, int nid)
{
	struct interleave_order *order;
	u32 i, pages = 0;

	rcu_read_lock();
	order = rcu_dereference(set->order);
	for (i = 0; i < order->round; i++)
		pages += order->node[i] == nid;
	rcu_read_unlock();
	return pages;
}

static u8 *room_for_weights(struct kunit *test)
{
	u8 *weights = kunit_kmalloc(test, nr_node_ids, GFP_KERNEL);

	if (nr_node_ids < 2)
		kunit_skip(test, "needs two possible nodes");
	KUNIT_ASSERT_NOT_NULL(test, weights);
	return weights;
}

static void same_nodes_share_a_set(struct kunit *test)
{
	struct interleave_set *one = set_of_two(test);
	struct interleave_set *two = set_of_two(test);

	KUNIT_EXPECT_PTR_EQ(test, one, two);
	interleave_set_put(one);
	KUNIT_EXPECT_EQ(test, refcount_read(&two->refs), 1u);
	interleave_set_put(two);
}

static void other_nodes_have_another_set(struct kunit *test)
{
	struct interleave_set *two = set_of_two(test), *one;
	nodemask_t nodes = nodemask_of_node(1);

	one = interleave_set_find_or_make(&nodes, NULL, GFP_KERNEL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(one));
	KUNIT_EXPECT_PTR_NE(test, one, two);
	KUNIT_EXPECT_EQ(test, pages_of(one, 1), 1u);
	KUNIT_EXPECT_EQ(test, pages_of(one, 0), 0u);
	interleave_set_put(one);
	interleave_set_put(two);
}

static void a_set_ends_with_its_highest_node(struct kunit *test)
{
	struct interleave_set *set = set_of_two(test);
	nodemask_t nodes = nodemask_of_node(0);

	KUNIT_EXPECT_EQ(test, set->nr_ids, 2u);
	KUNIT_EXPECT_FALSE(test, interleave_set_is_of(set, &nodes, NULL));
	node_set(1, nodes);
	KUNIT_EXPECT_TRUE(test, interleave_set_is_of(set, &nodes, NULL));
	if (nr_node_ids > 2) {
		node_set(2, nodes);
		KUNIT_EXPECT_FALSE(test, interleave_set_is_of(set, &nodes, NULL));
	}
	interleave_set_put(set);
}

static void empty_mask_has_no_set(struct kunit *test)
{
	nodemask_t nodes = NODE_MASK_NONE;

	KUNIT_EXPECT_EQ(test, -EINVAL,
			(int)PTR_ERR(interleave_set_find_or_make(&nodes, NULL, GFP_KERNEL)));
}

static void a_store_reaches_live_sets(struct kunit *test)
{
	struct interleave_set *set = set_of_two(test);

	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(0, 100));
	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(1, 37));
	KUNIT_EXPECT_EQ(test, pages_of(set, 0), 100u);
	KUNIT_EXPECT_EQ(test, pages_of(set, 1), 37u);
	KUNIT_EXPECT_EQ(test, refcount_read(&set->refs), 1u);

	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(1, 50));
	KUNIT_EXPECT_EQ(test, pages_of(set, 0), 2u);
	KUNIT_EXPECT_EQ(test, pages_of(set, 1), 1u);
	interleave_set_put(set);
}

/* Some of them in one bucket */
#define MANY_SETS 130

static void a_store_reaches_many_sets(struct kunit *test)
{
	struct interleave_set **sets;
	nodemask_t nodes = NODE_MASK_NONE;
	u8 *own = room_for_weights(test);
	unsigned int nr, i;

	sets = kunit_kcalloc(test, MANY_SETS, sizeof(*sets), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sets);
	memset(own, 0, nr_node_ids);
	node_set(0, nodes);
	node_set(1, nodes);

	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(1, 1));
	for (nr = 0; nr < MANY_SETS; nr++) {
		own[0] = nr + 1;
		sets[nr] = interleave_set_find_or_make(&nodes, own, GFP_KERNEL);
		if (IS_ERR(sets[nr]))
			break;
	}
	KUNIT_EXPECT_EQ(test, nr, MANY_SETS);
	KUNIT_EXPECT_EQ(test, 0, interleave_weight_store(1, 2));
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, 2 * pages_of(sets[i], 0), (i + 1) * pages_of(sets[i], 1));
		KUNIT_EXPECT_EQ(test, refcount_read(&sets[i]->refs), 1u);
		interleave_set_put(sets[i]);
	}
}

static void a_new_set_takes_the_weights_in_force(struct kunit *test)
{
	struct interleave_set *set = set_of_two(test);

	interleave_set_put(set);
	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(0, 255));
	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(1, 254));
	set = set_of_two(test);
	KUNIT_EXPECT_EQ(test, pages_of(set, 0), 255u);
	KUNIT_EXPECT_EQ(test, pages_of(set, 1), 254u);
	interleave_set_put(set);
}

/* In place of what was derived; all nodes follow, and the old one is in @old */
static void derive_two(struct kunit *test, u8 *old, u8 first, u8 second)
{
	u8 *derived = kunit_kmalloc(test, nr_node_ids, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, derived);
	KUNIT_ASSERT_EQ(test, 0, interleave_auto_store(true));
	memcpy(old, interleave_weights, nr_node_ids);
	memcpy(derived, old, nr_node_ids);
	derived[0] = first;
	derived[1] = second;
	interleave_weights_derive(derived);
}

static void derived_weights_are_in_force(struct kunit *test)
{
	struct interleave_set *set = set_of_two(test);
	u8 *old = room_for_weights(test);

	derive_two(test, old, 21, 4);
	KUNIT_EXPECT_EQ(test, pages_of(set, 0), 21u);
	KUNIT_EXPECT_EQ(test, pages_of(set, 1), 4u);
	KUNIT_EXPECT_TRUE(test, interleave_auto());
	interleave_weights_derive(old);
	interleave_set_put(set);
}

static void a_store_ends_automatic_weights(struct kunit *test)
{
	u8 *old = room_for_weights(test);

	derive_two(test, old, 21, 4);
	KUNIT_EXPECT_EQ(test, 0, interleave_weight_store(0, 9));
	KUNIT_EXPECT_FALSE(test, interleave_auto());
	KUNIT_EXPECT_EQ(test, interleave_weights[1], 4);
	/* Nobody follows any more. */
	interleave_weights_derive(old);
	KUNIT_EXPECT_EQ(test, interleave_weights[0], 9);
	KUNIT_EXPECT_EQ(test, interleave_weights[1], 4);
}

static void zero_hands_a_node_back(struct kunit *test)
{
	u8 *old = room_for_weights(test);

	derive_two(test, old, 21, 4);
	KUNIT_EXPECT_EQ(test, 0, interleave_weight_store(0, 9));
	KUNIT_EXPECT_EQ(test, 0, interleave_weight_store(1, 8));
	KUNIT_EXPECT_EQ(test, 0, interleave_weight_store(0, 0));
	KUNIT_EXPECT_FALSE(test, interleave_auto());
	KUNIT_EXPECT_EQ(test, interleave_weights[0], 21);
	KUNIT_EXPECT_EQ(test, interleave_weights[1], 8);
	/* It follows, alone. */
	interleave_weights_derive(old);
	KUNIT_EXPECT_EQ(test, interleave_weights[0], old[0]);
	KUNIT_EXPECT_EQ(test, interleave_weights[1], 8);
}

static void switched_off_and_on(struct kunit *test)
{
	u8 *old = room_for_weights(test);

	derive_two(test, old, 21, 4);
	KUNIT_EXPECT_EQ(test, 0, interleave_auto_store(false));
	KUNIT_EXPECT_EQ(test, interleave_weights[0], 21);
	interleave_weights_derive(old);
	KUNIT_EXPECT_EQ(test, interleave_weights[0], 21);
	KUNIT_EXPECT_EQ(test, 0, interleave_weight_store(1, 77));
	KUNIT_EXPECT_EQ(test, 0, interleave_auto_store(true));
	KUNIT_EXPECT_EQ(test, 0, memcmp(interleave_weights, old, nr_node_ids));
}

static void an_order_that_was_lost_comes_back(struct kunit *test)
{
	struct interleave_set *set = set_of_two(test);
	struct interleave_order *order;

	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(0, 3));
	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(1, 2));
	/* Nobody else has a set of the group of kernel threads with this mask. */
	order = rcu_replace_pointer(set->order, NULL, true);
	synchronize_rcu();
	kvfree(order);
	KUNIT_EXPECT_EQ(test, 0, interleave_set_complete(set, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, rcu_access_pointer(set->order));
	KUNIT_EXPECT_EQ(test, pages_of(set, 0), 3u);
	KUNIT_EXPECT_EQ(test, pages_of(set, 1), 2u);
	/* Nothing to do */
	KUNIT_EXPECT_EQ(test, 0, interleave_set_complete(set, GFP_KERNEL));
	interleave_set_put(set);
}

static struct kunit_case weights_cases[] = {
	KUNIT_CASE(same_nodes_share_a_set),
	KUNIT_CASE(other_nodes_have_another_set),
	KUNIT_CASE(a_set_ends_with_its_highest_node),
	KUNIT_CASE(empty_mask_has_no_set),
	KUNIT_CASE(a_store_reaches_live_sets),
	KUNIT_CASE(a_store_reaches_many_sets),
	KUNIT_CASE(a_new_set_takes_the_weights_in_force),
	KUNIT_CASE(derived_weights_are_in_force),
	KUNIT_CASE(a_store_ends_automatic_weights),
	KUNIT_CASE(zero_hands_a_node_back),
	KUNIT_CASE(switched_off_and_on),
	KUNIT_CASE(an_order_that_was_lost_comes_back),
	{}
};

static struct kunit_suite weights_suite = {
	.name = "interleave_weights",
	.init = save_weights,
	.exit = restore_weights,
	.test_cases = weights_cases,
};

kunit_test_suite(weights_suite);
