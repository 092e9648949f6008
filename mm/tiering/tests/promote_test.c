// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is taken back when a page could not be moved, and of how fast the
 * scan is.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/jiffies.h>
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

#define WHOLE	BIT(PACE_SHIFT)

static void pace_goes_by_what_is_touched(struct kunit *test)
{
	static const struct {
		unsigned int usual;
		struct pace_pass pass;
		int step;
	} passes[] = {
		{ 0, { 0, 0, 0 }, 0 },
		{ 0, { 1, 0, 0 }, 1 },
		{ 0, { 1000, 99, 49 }, 1 },
		{ 0, { 1000, 104, 0 }, 0 },
		{ 0, { 1000, 0, 50 }, 0 },
		{ 0, { 1000, 199, 124 }, 0 },
		{ 0, { 1000, 204, 0 }, -1 },
		{ 0, { 1000, 0, 125 }, -1 },
		{ WHOLE / 2, { 1000, 599, 49 }, 1 },
		{ WHOLE / 2, { 1000, 604, 0 }, 0 },
		{ WHOLE / 2, { 1000, 699, 0 }, 0 },
		{ WHOLE / 2, { 1000, 704, 0 }, -1 },
		{ WHOLE, { 1000, 1000, 0 }, 1 },
		{ WHOLE, { 1000, 1000, 1000 }, -1 },
		{ 0, { UINT_MAX, UINT_MAX, UINT_MAX }, -1 },
		{ WHOLE, { UINT_MAX, UINT_MAX, 1 }, 1 },
		/* Pages change their node while they are counted. */
		{ WHOLE, { 1, UINT_MAX, 0 }, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(passes); i++) {
		unsigned int usual = passes[i].usual;

		KUNIT_EXPECT_EQ(test, pace_step(&usual, &passes[i].pass), passes[i].step);
	}
}

/* What always was warm is no news. */
static void pace_gets_used_to_what_is_warm(struct kunit *test)
{
	static const struct pace_pass half = { 1000, 500, 0 }, none = { 1000, 0, 0 };
	unsigned int usual = 0;
	int i;

	KUNIT_EXPECT_EQ(test, pace_step(&usual, &half), -1);
	for (i = 0; i < 3; i++)
		pace_step(&usual, &half);
	KUNIT_EXPECT_EQ(test, pace_step(&usual, &half), 1);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, pace_step(&usual, &none), 1);
	KUNIT_EXPECT_EQ(test, pace_step(&usual, &half), -1);
}

/* However long it takes: no portion is too small, and none is without its ticks. */
static void scan_comes_in_portions(struct kunit *test)
{
	static const unsigned int sizes[] = { 1, 4, 16, 256, 65536 };
	static const unsigned int periods[] = { 1, 16, 100, 1000, 60000, 600000 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (j = 0; j < ARRAY_SIZE(periods); j++) {
			unsigned long pages = (unsigned long)sizes[i] << (20 - PAGE_SHIFT);
			unsigned int portions = scan_portions(periods[j], sizes[i]);

			KUNIT_EXPECT_GE(test, portions, 1U);
			if (portions == 1)
				continue;
			KUNIT_EXPECT_GE(test, pages / portions, 1024UL);
			KUNIT_EXPECT_GE(test, msecs_to_jiffies(periods[j]) / portions, 4UL);
		}
	}
	KUNIT_EXPECT_EQ(test, scan_portions(60000, 256), (256U << (20 - PAGE_SHIFT)) / 1024);
}

static struct kunit_case promote_cases[] = {
	KUNIT_CASE(fails_on_a_node_without_a_state),
	KUNIT_CASE(pace_goes_by_what_is_touched),
	KUNIT_CASE(pace_gets_used_to_what_is_warm),
	KUNIT_CASE(scan_comes_in_portions),
	{}
};

static struct kunit_suite promote_suite = {
	.name = "promotion",
	.test_cases = promote_cases,
};

kunit_test_suite(promote_suite);

MODULE_LICENSE("GPL");
