// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of scores: pages that are touched at random, at known rates, are hot or
 * are not; and of what the latencies of many pages say together.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/promotion_looks.h>

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
				       prandom_u32_state(&random), 0)) {
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

	KUNIT_EXPECT_TRUE(test, score_step(&score, 11, 4, 960, 0, 0));
	KUNIT_EXPECT_FALSE(test, score_step(&score, 12, 4, 960, 0, 0));
	/* Not where latencies are too coarse to tell */
	KUNIT_EXPECT_FALSE(test, score_step(&score, 0, 4, 255, 0, 0));
	KUNIT_EXPECT_TRUE(test, score_step(&score, 0, 4, 256, 0, 0));
}

/* Touches without a delay until a page with this score is hot, with what chance gives */
static unsigned int touches_until_hot(unsigned int score, u8 random)
{
	unsigned int touches = 1;

	while (!score_step(&score, 0, 4, 4, random, 0) && touches < 100)
		touches++;
	return touches;
}

/* A page that has been left alone for long has to come all the way, and no further. */
static void scores_have_an_end(struct kunit *test)
{
	unsigned int score = SCORE_HIGHEST;

	KUNIT_EXPECT_FALSE(test, score_step(&score, (1 << 18) - 1, 1, 1, 255, 0));
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

	KUNIT_EXPECT_FALSE(test, score_step(&score, 0, 1, 0, 255, 0));
	KUNIT_EXPECT_EQ(test, score, (unsigned int)SCORE_LOWEST);
}

/* The nearest latencies that can be told apart, ms */
#define FINEST	4

static unsigned int below(const struct promotion_looks *looks, unsigned int level)
{
	return looks->below[level];
}

static unsigned int enough(const struct promotion_looks *looks, unsigned int threshold)
{
	return looks_short_enough(looks, FINEST, threshold);
}

/* Adds latencies of one kind, each long after the one before */
static void add(struct promotion_looks *looks, unsigned int times, unsigned int latency,
		unsigned int threshold)
{
	while (times--)
		looks_add(looks, latency, FINEST, threshold, looks->at + 100);
}

/*
 * As many touches at random with this mean, every other one of pages that are touched far
 * more often if @hotter; returns after how many one of this length was enough, 0 for never
 */
static unsigned int enough_after(unsigned int touches, unsigned int mean, bool hotter,
				 unsigned int threshold, unsigned int latency)
{
	struct promotion_looks looks = {};
	struct rnd_state random;
	unsigned int i;

	prandom_seed_state(&random, 3);
	for (i = 1; i <= touches; i++) {
		unsigned int often = hotter && i % 2 ? threshold / 40 : mean;

		add(&looks, 1, draw_latency(&random, often), threshold);
		if (enough(&looks, threshold) >= latency)
			return i;
	}
	return 0;
}

/* The mean of touches at random of which half come within the threshold */
#define ALIKE(threshold)	((threshold) * 1443 / 1000)

static void pages_that_are_alike_wait(struct kunit *test)
{
	static const unsigned int thresholds[] = { 8, 64, 160, 1000, 20000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
		unsigned int threshold = thresholds[i];

		KUNIT_EXPECT_EQ(test, 0U, enough_after(PAGES, ALIKE(threshold), false,
						       threshold, 1));
		KUNIT_EXPECT_EQ(test, 0U, enough_after(PAGES, threshold, false,
						       threshold, 1));
	}
}

/* Where the threshold is too long for them by far they do not; nor half of all pages. */
static void hotter_ones_do_not(struct kunit *test)
{
	static const unsigned int thresholds[] = { 160, 1000, 20000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
		unsigned int threshold = thresholds[i], after;

		after = enough_after(200, ALIKE(threshold), true, threshold, threshold / 16);
		KUNIT_EXPECT_LE(test, 64U, after);
		KUNIT_EXPECT_GE(test, 120U, after);
		after = enough_after(200, threshold / 10, false, threshold, threshold / 4);
		KUNIT_EXPECT_LE(test, 64U, after);
		KUNIT_EXPECT_GE(test, 70U, after);
	}
}

/* What is hot lies together: what the scan has come by before it does not hide it. */
static void what_was_before_is_soon_forgotten(struct kunit *test)
{
	struct promotion_looks looks = {};

	add(&looks, 1000, THRESHOLD / 2, THRESHOLD);
	KUNIT_EXPECT_EQ(test, 0U, enough(&looks, THRESHOLD));
	add(&looks, 128, THRESHOLD / 10, THRESHOLD);
	KUNIT_EXPECT_EQ(test, THRESHOLD / 4U, enough(&looks, THRESHOLD));
	add(&looks, 128, THRESHOLD / 2, THRESHOLD);
	KUNIT_EXPECT_EQ(test, 0U, enough(&looks, THRESHOLD));
}

static void a_few_latencies_say_nothing(struct kunit *test)
{
	struct promotion_looks looks = {};

	add(&looks, 63, 0, THRESHOLD);
	KUNIT_EXPECT_EQ(test, 0U, enough(&looks, THRESHOLD));
	add(&looks, 1, THRESHOLD, THRESHOLD);
	KUNIT_EXPECT_EQ(test, 0U, enough(&looks, THRESHOLD));
	add(&looks, 1, THRESHOLD - 1, THRESHOLD);
	KUNIT_EXPECT_EQ(test, THRESHOLD / 4U, enough(&looks, THRESHOLD));
}

/*
 * With t = 960 it is 23 in 34 below a quarter, or 23 in 94 below a 16th; where latencies
 * can hardly be told apart, all or more.
 */
static void many_are_a_share_of_all(struct kunit *test)
{
	static const struct {
		unsigned int threshold, lower, others, latency, enough;
	} counts[] = {
		{ 960, 69, 33, 236, 240 },
		{ 960, 68, 34, 236, 0 },
		{ 960, 100, 0, 237, 0 },
		{ 960, 23, 71, 56, 60 },
		{ 960, 22, 72, 56, 0 },
		{ 960, 60, 40, 57, 0 },
		{ 64, 69, 33, 12, 16 },
		{ 64, 68, 34, 12, 0 },
		{ 64, 23, 71, 0, 4 },
		{ 64, 22, 72, 0, 0 },
		{ 16, 46, 22, 0, 4 },
		{ 16, 45, 22, 0, 0 },
		{ 8, 96, 4, 0, 4 },
		{ 8, 95, 5, 0, 0 },
		{ 4, 100, 0, 0, 0 },
		{ 0, 100, 0, 0, 0 },
		{ INT_MAX / 2, 25, 75, INT_MAX / 40, INT_MAX / 32 },
		{ INT_MAX / 2, 24, 76, INT_MAX / 40, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		struct promotion_looks looks = {};

		add(&looks, counts[i].others, counts[i].threshold - 1, counts[i].threshold);
		add(&looks, counts[i].lower, counts[i].latency, counts[i].threshold);
		KUNIT_EXPECT_EQ(test, enough(&looks, counts[i].threshold), counts[i].enough);
	}
}

/* What is walked in a row; the time may wrap around meanwhile. */
static void what_comes_together_counts_once(struct kunit *test)
{
	struct promotion_looks looks = { .at = U16_MAX - 1000 };
	unsigned int i, time = U16_MAX - 2;

	for (i = 0; i < PAGES; i++)
		looks_add(&looks, 0, FINEST, THRESHOLD, time + i % 4);
	KUNIT_EXPECT_EQ(test, below(&looks, 0), 1U);
	KUNIT_EXPECT_EQ(test, below(&looks, 2), 1U);
	looks_add(&looks, 0, FINEST, THRESHOLD, (time + 4) & U16_MAX);
	KUNIT_EXPECT_EQ(test, below(&looks, 0), 2U);
	/* A latency that is too long is none of them. */
	looks_add(&looks, THRESHOLD, FINEST, THRESHOLD, (time + 8) & U16_MAX);
	looks_add(&looks, 0, FINEST, THRESHOLD, (time + 9) & U16_MAX);
	KUNIT_EXPECT_EQ(test, below(&looks, 0), 3U);
}

static void each_pass_forgets(struct kunit *test)
{
	struct promotion_looks looks = {};
	unsigned int level;

	add(&looks, 127, 0, THRESHOLD);
	KUNIT_EXPECT_EQ(test, below(&looks, 0), 127U);
	add(&looks, 1, 0, THRESHOLD);
	for (level = 0; level < LOOK_LEVELS; level++)
		KUNIT_EXPECT_EQ(test, below(&looks, level), 64U);
	KUNIT_EXPECT_NE(test, 0U, enough(&looks, THRESHOLD));
	looks_begin_pass(&looks, 0);
	KUNIT_EXPECT_EQ(test, below(&looks, 0), 64U);
	looks_begin_pass(&looks, 1);
	for (level = 0; level < LOOK_LEVELS; level++)
		KUNIT_EXPECT_EQ(test, below(&looks, level), 32U);
	KUNIT_EXPECT_EQ(test, 0U, enough(&looks, THRESHOLD));
	looks_begin_pass(&looks, 3);
	KUNIT_EXPECT_EQ(test, below(&looks, 0), 8U);
	looks_begin_pass(&looks, 35);
	for (level = 0; level < LOOK_LEVELS; level++)
		KUNIT_EXPECT_EQ(test, below(&looks, level), 0U);
}

/* Passes in which one is enough, of those that begin with number @from */
static unsigned int passes_with(struct promotion_looks *looks, unsigned int from,
				unsigned int passes, unsigned int latency)
{
	unsigned int i, with = 0;

	for (i = from; i < from + passes; i++) {
		looks_begin_pass(looks, i);
		/* So at each touch */
		looks_begin_pass(looks, i);
		add(looks, 100, latency, THRESHOLD);
		with += enough(looks, THRESHOLD) != 0;
		/* More of them later in the pass that say nothing change nothing. */
		add(looks, 1000, THRESHOLD / 2, THRESHOLD);
	}
	return with;
}

/* What does not come in some passes does not come: not before there was a pass without. */
static void it_is_not_for_ever(struct kunit *test)
{
	struct promotion_looks looks = {};

	KUNIT_EXPECT_EQ(test, passes_with(&looks, 1, 2, 0), 2U);
	KUNIT_EXPECT_EQ(test, passes_with(&looks, 3, 300, 0), 0U);
	KUNIT_EXPECT_EQ(test, passes_with(&looks, 303, 1, THRESHOLD / 2), 0U);
	KUNIT_EXPECT_EQ(test, passes_with(&looks, 304, 10, 0), 2U);
	/* One in which nothing was touched is without. */
	KUNIT_EXPECT_EQ(test, passes_with(&looks, 315, 1, 0), 1U);
	KUNIT_EXPECT_EQ(test, passes_with(&looks, 316, 10, 0), 1U);
}

static void what_cannot_move_does_not_count(struct kunit *test)
{
	struct promotion_looks looks = {};
	unsigned int level;

	add(&looks, 64, 0, THRESHOLD);
	looks_take_back(&looks);
	for (level = 0; level < LOOK_LEVELS; level++)
		KUNIT_EXPECT_EQ(test, below(&looks, level), 63U);
	KUNIT_EXPECT_EQ(test, 0U, enough(&looks, THRESHOLD));
	/* Not twice, not what was not counted, and only as what it was. */
	looks_take_back(&looks);
	add(&looks, 1, THRESHOLD, THRESHOLD);
	looks_take_back(&looks);
	add(&looks, 1, THRESHOLD / 2, THRESHOLD);
	looks_take_back(&looks);
	add(&looks, 1, THRESHOLD / 5, THRESHOLD);
	looks_take_back(&looks);
	for (level = 0; level < LOOK_LEVELS; level++)
		KUNIT_EXPECT_EQ(test, below(&looks, level), 63U);
	/* With the last one of all, when half of them are forgotten: it was the only one. */
	looks = (struct promotion_looks){};
	add(&looks, 127, THRESHOLD / 2, THRESHOLD);
	add(&looks, 1, 0, THRESHOLD);
	looks_take_back(&looks);
	KUNIT_EXPECT_EQ(test, below(&looks, 0), 63U);
	KUNIT_EXPECT_EQ(test, below(&looks, 1), 0U);
	KUNIT_EXPECT_EQ(test, below(&looks, 2), 0U);
}

static void one_latency_is_enough_then(struct kunit *test)
{
	unsigned int score = SCORE_LOWEST;

	KUNIT_EXPECT_FALSE(test, score_step(&score, 56, 4, 960, 0, 0));
	KUNIT_EXPECT_LT(test, (unsigned int)SCORE_LOWEST, score);
	score = SCORE_LOWEST;
	KUNIT_EXPECT_TRUE(test, score_step(&score, 56, 4, 960, 0, 60));
	/* It has come as far as without, should there be no budget. */
	KUNIT_EXPECT_LT(test, (unsigned int)SCORE_LOWEST, score);
	score = SCORE_LOWEST;
	KUNIT_EXPECT_FALSE(test, score_step(&score, 57, 4, 960, 0, 60));
	KUNIT_EXPECT_TRUE(test, score_step(&score, 0, 4, 16, 0, 4));
	score = SCORE_LOWEST;
	KUNIT_EXPECT_FALSE(test, score_step(&score, 1, 4, 16, 0, 4));
	KUNIT_EXPECT_FALSE(test, score_step(&score, 0, 4, 0, 0, 4));
}

static struct kunit_case score_cases[] = {
	KUNIT_CASE(draws_are_as_said),
	KUNIT_CASE(hot_pages_are_hot),
	KUNIT_CASE(cold_pages_are_not),
	KUNIT_CASE(much_hotter_ones_at_once),
	KUNIT_CASE(scores_have_an_end),
	KUNIT_CASE(nothing_is_hot),
	KUNIT_CASE(pages_that_are_alike_wait),
	KUNIT_CASE(hotter_ones_do_not),
	KUNIT_CASE(what_was_before_is_soon_forgotten),
	KUNIT_CASE(a_few_latencies_say_nothing),
	KUNIT_CASE(many_are_a_share_of_all),
	KUNIT_CASE(what_comes_together_counts_once),
	KUNIT_CASE(each_pass_forgets),
	KUNIT_CASE(it_is_not_for_ever),
	KUNIT_CASE(what_cannot_move_does_not_count),
	KUNIT_CASE(one_latency_is_enough_then),
	{}
};

static struct kunit_suite score_suite = {
	.name = "promotion_score",
	.test_cases = score_cases,
};

kunit_test_suite(score_suite);

MODULE_LICENSE("GPL");
