// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of scores: pages that are touched at random, at known rates, are hot or
 * are not.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "../score.h"

#define THRESHOLD	1000
#define PAGES		4000

/*
 * A latency with this mean, as touches at random have it: -mean * ln(u) for a u that is
 * even between 0 and 1, which is so many halvings and the rest by a straight line.
 */
static unsigned int draw_latency(struct rnd_state *random, unsigned int mean)
{
	u32 u = prandom_u32_state(random) | 1;
	unsigned int halvings = __builtin_clz(u);
	u64 rest = (u64)(u << halvings) << 1 & U32_MAX;

	/* log2(1 + x) is x but for 9 %, and ln 2 is 693 thousandths */
	return (u64)mean * 693 * ((u64)(halvings + 1) * BIT_ULL(32) - rest) / 1000 >> 32;
}

/* Of PAGES that are touched with this mean latency, how many are hot within @touches */
static unsigned int hot_within(unsigned int touches, unsigned int mean)
{
	unsigned int page, touch, hot = 0;
	struct rnd_state random;

	prandom_seed_state(&random, 1);
	for (page = 0; page < PAGES; page++) {
		unsigned int score = SCORE_NEW;

		for (touch = 0; touch < touches; touch++)
			if (score_step(&score, draw_latency(&random, mean), 1, THRESHOLD,
				       prandom_u32_state(&random))) {
				hot++;
				break;
			}
	}
	return hot;
}

static void draws_are_as_said(struct kunit *test)
{
	struct rnd_state random;
	unsigned int i, half = 0;
	u64 sum = 0;

	prandom_seed_state(&random, 2);
	for (i = 0; i < PAGES; i++) {
		unsigned int latency = draw_latency(&random, THRESHOLD);

		sum += latency;
		half += latency < THRESHOLD * 693 / 1000;
	}
	KUNIT_EXPECT_LE(test, sum, (u64)PAGES * THRESHOLD * 11 / 10);
	KUNIT_EXPECT_GE(test, sum, (u64)PAGES * THRESHOLD * 9 / 10);
	KUNIT_EXPECT_LE(test, half, PAGES * 21U / 40);
	KUNIT_EXPECT_GE(test, half, PAGES * 19U / 40);
}

static void hot_pages_are_hot(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, PAGES * 4U / 5, hot_within(4, THRESHOLD / 10));
	KUNIT_EXPECT_LE(test, PAGES * 19U / 20, hot_within(6, THRESHOLD / 10));
	KUNIT_EXPECT_LE(test, PAGES * 9U / 10, hot_within(10, THRESHOLD / 3));
	KUNIT_EXPECT_LE(test, PAGES * 3U / 4, hot_within(12, THRESHOLD / 2));
}

/* A single latency would say so of four in ten of the first, and of a tenth of the last. */
static void cold_pages_are_not(struct kunit *test)
{
	KUNIT_EXPECT_GE(test, PAGES / 8U, hot_within(10, 2 * THRESHOLD));
	KUNIT_EXPECT_GE(test, PAGES / 30U, hot_within(10, 4 * THRESHOLD));
	KUNIT_EXPECT_GE(test, PAGES / 50U, hot_within(10, 10 * THRESHOLD));
}

static void much_hotter_ones_at_once(struct kunit *test)
{
	unsigned int score = SCORE_LOWEST;

	KUNIT_EXPECT_TRUE(test, score_step(&score, 11, 4, 960, 0));
	KUNIT_EXPECT_FALSE(test, score_step(&score, 12, 4, 960, 0));
	/* Not where latencies are too coarse to tell */
	KUNIT_EXPECT_FALSE(test, score_step(&score, 0, 4, 255, 0));
	KUNIT_EXPECT_TRUE(test, score_step(&score, 0, 4, 256, 0));
}

/* Touches without a delay until a page with this score is hot, with what chance gives */
static unsigned int touches_until_hot(unsigned int score, u8 random)
{
	unsigned int touches = 1;

	while (!score_step(&score, 0, 4, 4, random) && touches < 100)
		touches++;
	return touches;
}

/* A page that has been left alone for long has to come all the way, and no further. */
static void scores_have_an_end(struct kunit *test)
{
	unsigned int score = SCORE_HIGHEST;

	KUNIT_EXPECT_FALSE(test, score_step(&score, (1 << 18) - 1, 1, 1, 255));
	KUNIT_EXPECT_EQ(test, score, (unsigned int)SCORE_LOWEST);
	KUNIT_EXPECT_EQ(test, touches_until_hot(SCORE_LOWEST, 255), 4U);
	KUNIT_EXPECT_EQ(test, touches_until_hot(SCORE_LOWEST, 0), 7U);
	KUNIT_EXPECT_EQ(test, touches_until_hot(SCORE_NEW, 255), 3U);
	KUNIT_EXPECT_EQ(test, touches_until_hot(SCORE_NEW, 0), 5U);
	KUNIT_EXPECT_EQ(test, touches_until_hot(SCORE_HIGHEST, 0), 1U);
}

static void nothing_is_hot(struct kunit *test)
{
	unsigned int score = SCORE_HIGHEST;

	KUNIT_EXPECT_FALSE(test, score_step(&score, 0, 1, 0, 255));
	KUNIT_EXPECT_EQ(test, score, (unsigned int)SCORE_LOWEST);
}

static void a_new_process_needs_one_touch(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, score_of_new(249, 1, THRESHOLD, 0));
	KUNIT_EXPECT_TRUE(test, score_of_new(249, 1, THRESHOLD, 1));
	KUNIT_EXPECT_FALSE(test, score_of_new(249, 1, THRESHOLD, 2));
	KUNIT_EXPECT_FALSE(test, score_of_new(249, 1, THRESHOLD, UINT_MAX));
	KUNIT_EXPECT_FALSE(test, score_of_new(250, 1, THRESHOLD, 0));
	/* Not where latencies are too coarse to tell */
	KUNIT_EXPECT_TRUE(test, score_of_new(0, 4, 16, 0));
	KUNIT_EXPECT_FALSE(test, score_of_new(0, 4, 15, 0));
	KUNIT_EXPECT_FALSE(test, score_of_new(0, 4, 0, 0));
}

/* Three passes in all, as the memory of a process has doubled in its first one */
static void who_has_doubled_is_new_again(struct kunit *test)
{
	unsigned long before = 0;

	KUNIT_EXPECT_EQ(test, score_passes(0, true, 1000, &before), 0U);
	KUNIT_EXPECT_EQ(test, before, 1000UL);
	KUNIT_EXPECT_EQ(test, score_passes(0, false, 2001, &before), 0U);
	KUNIT_EXPECT_EQ(test, score_passes(0, true, 2001, &before), 1U);
	KUNIT_EXPECT_EQ(test, score_passes(1, true, 500, &before), 2U);
	KUNIT_EXPECT_EQ(test, score_passes(2, true, 1000, &before), 2U);
	KUNIT_EXPECT_EQ(test, before, 1000UL);
	KUNIT_EXPECT_EQ(test, score_passes(2, false, 2002, &before), 0U);
	KUNIT_EXPECT_EQ(test, before, 2002UL);
}

static struct kunit_case score_cases[] = {
	KUNIT_CASE(draws_are_as_said),
	KUNIT_CASE(hot_pages_are_hot),
	KUNIT_CASE(cold_pages_are_not),
	KUNIT_CASE(much_hotter_ones_at_once),
	KUNIT_CASE(scores_have_an_end),
	KUNIT_CASE(nothing_is_hot),
	KUNIT_CASE(a_new_process_needs_one_touch),
	KUNIT_CASE(who_has_doubled_is_new_again),
	{}
};

static struct kunit_suite score_suite = {
	.name = "promotion_score",
	.test_cases = score_cases,
};

kunit_test_suite(score_suite);

MODULE_LICENSE("GPL");
