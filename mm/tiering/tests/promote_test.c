// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is taken back when a page could not be moved, and of how fast the
 * scan is.
 */
#include <kunit/test.h>
#include <linux/memory_promotion.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/vmstat.h>

#include "../promote.h"

/*
 * A fault may be charged to one node and its page go to another one, to which
 * nothing is promoted: a lazy mbind2() has its own. At boot no node has a state.
 */
static void fails_on_a_node_without_a_state(struct kunit *test)
{
	int nid = first_online_node;

	KUNIT_ASSERT_PTR_EQ(test, promotion_node_of(nid), NULL);
	promotion_begin(1, 1);
	promotion_failed(nid);
	KUNIT_EXPECT_EQ(test, current->numa_promotion_pages, 0);
	KUNIT_EXPECT_EQ(test, current->numa_promotion_charged, 0);
}

static void pace_goes_by_what_is_touched(struct kunit *test)
{
	static const struct {
		struct pace_pass pass;
		int step;
	} passes[] = {
		{ { 0, 0, 0 }, 0 },
		{ { 1, 0, 0 }, 1 },
		{ { 1000, 100, 20 }, 1 },
		{ { 1000, 449, 24 }, 1 },
		{ { 1000, 450, 0 }, 0 },
		{ { 1000, 0, 25 }, 0 },
		{ { 1000, 599, 124 }, 0 },
		{ { 1000, 600, 0 }, -1 },
		{ { 1000, 0, 125 }, -1 },
		{ { 1000, 1000, 1000 }, -1 },
		{ { UINT_MAX, UINT_MAX, UINT_MAX }, -1 },
		{ { UINT_MAX, 1, 1 }, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(passes); i++)
		KUNIT_EXPECT_EQ(test, pace_step(&passes[i].pass), passes[i].step);
}

static struct kunit_case promote_cases[] = {
	KUNIT_CASE(fails_on_a_node_without_a_state),
	KUNIT_CASE(pace_goes_by_what_is_touched),
	{}
};

static struct kunit_suite promote_suite = {
	.name = "promotion",
	.test_cases = promote_cases,
};

kunit_test_suite(promote_suite);

MODULE_LICENSE("GPL");
