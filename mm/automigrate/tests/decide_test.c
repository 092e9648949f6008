// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of whether memory follows a task.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/sizes.h>

#include "../decide.h"

/* A task alone on node 1, whose memory never went anywhere */
static const struct automigrate_facts moved = {
	.node = 1,
	.follows = NUMA_NO_NODE,
	.arrived = true,
	.allowed = true,
	.fast = true,
	.here = 1,
	.threads = 1,
};

static void memory_follows(struct kunit *test)
{
	struct automigrate_facts facts = moved;

	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_START);
	/* Long ago it went elsewhere, or here */
	facts.follows = 0;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_START);
	facts.follows = 1;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_START);
}

static void begun_is_ended(struct kunit *test)
{
	struct automigrate_facts facts = moved;

	facts.follows = 1;
	facts.held = true;
	facts.arrived = false;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_GO_ON);
	/* Even if it takes longer than the interval, or threads come and go */
	facts.held = false;
	facts.threads = 4;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_GO_ON);
	facts.held = true;
	facts.arrived = true;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_DONE);
}

static void not_to_and_fro(struct kunit *test)
{
	struct automigrate_facts facts = moved;

	facts.follows = 0;
	facts.held = true;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_INTERVAL);
	facts.arrived = false;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_INTERVAL);
}

static void most_threads_decide(struct kunit *test)
{
	struct automigrate_facts facts = moved;

	facts.threads = 2;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_THREADS);
	facts.threads = 3;
	facts.here = 2;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_START);
}

static void others_have_said(struct kunit *test)
{
	struct automigrate_facts facts = moved;

	facts.balanced = true;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_PREFERRED);
	facts.fast = false;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_NO_MEMORY);
	facts.allowed = false;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_CPUSET);
	facts.own_policy = true;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_POLICY);
	/* Also to what has been begun */
	facts.follows = 1;
	facts.arrived = false;
	KUNIT_EXPECT_EQ(test, automigrate_decide(&facts), AUTOMIGRATE_POLICY);
}

static void intervals_end(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, automigrate_held(0, 10, 100, 100));
	KUNIT_EXPECT_TRUE(test, automigrate_held(9, 10, 100, 100));
	KUNIT_EXPECT_FALSE(test, automigrate_held(10, 10, 100, 100));
	/* jiffies have come more than halfway round */
	KUNIT_EXPECT_FALSE(test, automigrate_held(LONG_MAX + 2UL, 10, 100, 100));
}

static void new_memory_is_not_held(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, automigrate_held(0, 10, 0, 0));
	KUNIT_EXPECT_FALSE(test, automigrate_held(0, 10, 0, 100));
	KUNIT_EXPECT_FALSE(test, automigrate_held(0, 10, 25, 100));
	KUNIT_EXPECT_TRUE(test, automigrate_held(0, 10, 26, 100));
	/* Some of it is gone */
	KUNIT_EXPECT_TRUE(test, automigrate_held(0, 10, 100, 1));
}

static void pieces_make_a_gibibyte_a_second(struct kunit *test)
{
	static const unsigned int hz[] = { 24, 100, 250, 300, 1000, 1024 };
	unsigned int i;
	u64 pages;

	for (i = 0; i < ARRAY_SIZE(hz); i++) {
		pages = (u64)automigrate_pages_a_return(hz[i]) * hz[i];
		KUNIT_EXPECT_GE(test, pages, (u64)SZ_1G >> PAGE_SHIFT);
		KUNIT_EXPECT_LT(test, pages, ((u64)SZ_1G >> PAGE_SHIFT) + hz[i]);
	}
	KUNIT_EXPECT_LT(test, 0U, automigrate_pages_a_return(0));
	KUNIT_EXPECT_EQ(test, 1U, automigrate_pages_a_return(UINT_MAX));
}

static struct kunit_case decide_cases[] = {
	KUNIT_CASE(memory_follows),
	KUNIT_CASE(begun_is_ended),
	KUNIT_CASE(not_to_and_fro),
	KUNIT_CASE(most_threads_decide),
	KUNIT_CASE(others_have_said),
	KUNIT_CASE(intervals_end),
	KUNIT_CASE(new_memory_is_not_held),
	KUNIT_CASE(pieces_make_a_gibibyte_a_second),
	{}
};

static struct kunit_suite decide_suite = {
	.name = "automigrate_decide",
	.test_cases = decide_cases,
};

kunit_test_suite(decide_suite);
