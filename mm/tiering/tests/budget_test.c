// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the promotion budget: whatever is asked for and when, the rate
 * holds.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/sched/signal.h>
#include <linux/kthread.h>
#include <linux/completion.h>
#include <linux/slab.h>

#include "../budget.h"

#define START	(1000 * (u64)NSEC_PER_SEC)
#define MSEC	((u64)NSEC_PER_MSEC)
#define SEC	((u64)NSEC_PER_SEC)

/* 8 MB/s in pages of 4 KiB */
#define RATE	2048

static u64 most(u32 rate, u64 ns)
{
	return div_u64(rate * (ns + PROMOTION_BURST_NS), NSEC_PER_SEC);
}

/* How many of @pages at a time are taken from @from to @to, every @step */
static u64 take_all(struct promotion_budget *budget, u64 from, u64 to, u64 step,
		    u32 rate, unsigned int pages)
{
	u64 now, taken = 0;

	for (now = from; now < to; now += step)
		while (promotion_budget_take(budget, now, rate, pages))
			taken += pages;
	return taken;
}

static void holds_the_rate(struct kunit *test)
{
	static const u32 rates[] = { 1, 256, RATE, 16384, 1 << 20, 1 << 24 };
	struct promotion_budget budget;
	unsigned int i;
	u64 taken;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		/* Enough pages, asked for more often than the burst is long */
		u64 span = min(div_u64(200000 * SEC, rates[i]), 200 * SEC);

		budget = (struct promotion_budget) {};
		taken = take_all(&budget, START, START + span, div_u64(span, 5000),
				 rates[i], 1);
		KUNIT_EXPECT_LE(test, taken, most(rates[i], span) + 1);
		/* One part in 50 is what rounding may cost */
		KUNIT_EXPECT_GE(test, taken,
				div_u64(div_u64(rates[i] * span, NSEC_PER_SEC) * 49, 50));
	}
}

/* Every interval of a random sequence, not only those that begin at a pause */
static void holds_in_any_interval(struct kunit *test)
{
	enum { CALLS = 3000 };
	struct promotion_budget budget = {};
	struct rnd_state random;
	u64 *when, *taken, now = START;
	unsigned int i, j;

	when = kunit_kcalloc(test, CALLS, sizeof(*when), GFP_KERNEL);
	taken = kunit_kcalloc(test, CALLS, sizeof(*taken), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, when);
	KUNIT_ASSERT_NOT_NULL(test, taken);
	prandom_seed_state(&random, 61);
	for (i = 0; i < CALLS; i++) {
		u32 draw = prandom_u32_state(&random);
		unsigned int pages = draw % 16 ? 1 : PROMOTION_LARGEST;

		/* Clusters, and now and then a pause of up to 4 s */
		now += draw >> 28 ? draw % MSEC : draw % (4 * SEC);
		when[i] = now;
		if (promotion_budget_take(&budget, now, RATE, pages))
			taken[i] = pages;
	}
	for (i = 0; i < CALLS; i++) {
		u64 sum = 0;

		for (j = i; j < CALLS; j++) {
			sum += taken[j];
			if (sum > most(RATE, when[j] - when[i]) + PROMOTION_LARGEST) {
				KUNIT_FAIL(test, "%llu pages in %llu ns", sum,
					   when[j] - when[i]);
				return;
			}
		}
	}
}

static void no_window_edge(struct kunit *test)
{
	struct promotion_budget budget = {};
	u64 first, second;

	/* The end of one second and the beginning of the next */
	first = take_all(&budget, START + 999 * MSEC, START + 1000 * MSEC, MSEC,
			 RATE, 1);
	second = take_all(&budget, START + 1001 * MSEC, START + 1002 * MSEC,
			  MSEC, RATE, 1);
	KUNIT_EXPECT_EQ(test, first, (u64)RATE / 4);
	KUNIT_EXPECT_LE(test, second, (u64)RATE / 500 + 1);
}

static void huge_pages_are_paid_for(struct kunit *test)
{
	struct promotion_budget budget = {};
	u64 taken;

	taken = take_all(&budget, START, START + 100 * SEC, 10 * MSEC, RATE,
			 PROMOTION_LARGEST);
	KUNIT_EXPECT_LE(test, taken, most(RATE, 100 * SEC) + PROMOTION_LARGEST);
	KUNIT_EXPECT_GE(test, taken, 100ULL * RATE * 95 / 100);
}

/* Small pages cannot keep a huge one from its turn. */
static void huge_pages_are_not_starved(struct kunit *test)
{
	struct promotion_budget budget = {};
	unsigned int huge = 0, small = 0;
	u64 now;

	for (now = START; now < START + 100 * SEC; now += MSEC) {
		if (promotion_budget_take(&budget, now, RATE, 1))
			small++;
		if (promotion_budget_take(&budget, now, RATE, PROMOTION_LARGEST))
			huge++;
	}
	KUNIT_EXPECT_GE(test, huge, 100U);
	KUNIT_EXPECT_GE(test, small, 100U);

	/* Nor at a rate below one huge page a second */
	budget = (struct promotion_budget) {};
	huge = 0;
	for (now = START; now < START + 100 * SEC; now += MSEC)
		if (promotion_budget_take(&budget, now, 256, PROMOTION_LARGEST))
			huge++;
	KUNIT_EXPECT_GE(test, huge, 50U);
	KUNIT_EXPECT_LE(test, huge, 51U);
}

static void refund(struct kunit *test)
{
	struct promotion_budget budget = {};
	u64 now = START;
	unsigned int i;

	for (i = 0; i < 10 * RATE; i++) {
		KUNIT_ASSERT_TRUE(test, promotion_budget_take(&budget, now, RATE, 1));
		promotion_budget_return(&budget, RATE, 1);
	}
	KUNIT_EXPECT_TRUE(test, promotion_budget_take(&budget, now, RATE,
						      PROMOTION_LARGEST));
	KUNIT_EXPECT_EQ(test, take_all(&budget, now, now + 1, 1, RATE, 1), 0ULL);
	promotion_budget_return(&budget, RATE, PROMOTION_LARGEST);
	KUNIT_EXPECT_EQ(test, take_all(&budget, now, now + 1, 1, RATE, 1),
			(u64)RATE / 4);
}

/* What comes back after a pause is no credit beyond the burst. */
static void refund_is_no_credit(struct kunit *test)
{
	struct promotion_budget budget = {};

	promotion_budget_return(&budget, RATE, PROMOTION_LARGEST);
	KUNIT_EXPECT_EQ(test, take_all(&budget, START, START + 1, 1, RATE, 1),
			(u64)RATE / 4);
}

static void no_rate_and_no_limit(struct kunit *test)
{
	struct promotion_budget budget = {};
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, promotion_budget_take(&budget, START, 0, 1));
	for (i = 0; i < 100000; i++)
		if (!promotion_budget_take(&budget, START, PROMOTION_NO_LIMIT,
					   PROMOTION_LARGEST))
			break;
	KUNIT_EXPECT_EQ(test, i, 100000U);
	promotion_budget_return(&budget, PROMOTION_NO_LIMIT, PROMOTION_LARGEST);
	promotion_budget_return(&budget, 0, PROMOTION_LARGEST);
	KUNIT_EXPECT_EQ(test, 0LL, (s64)atomic64_read(&budget.paid_until));
}

static void clock_jumps(struct kunit *test)
{
	struct promotion_budget budget = {};

	take_all(&budget, START, START + 1, 1, RATE, 1);
	/* An hour on, there is one burst and not an hour's worth */
	KUNIT_EXPECT_EQ(test, take_all(&budget, START + 3600 * SEC,
				       START + 3600 * SEC + 1, 1, RATE, 1),
			(u64)RATE / 4);
	/* Back, the debt is what a huge page can leave, and no hour's */
	KUNIT_EXPECT_FALSE(test, promotion_budget_take(&budget, START, RATE, 1));
	KUNIT_EXPECT_TRUE(test, promotion_budget_take(&budget, START + SEC, RATE, 1));
}

static void rate_changes(struct kunit *test)
{
	struct promotion_budget budget = {};

	/* A huge page at one page a second is a debt of minutes ... */
	KUNIT_EXPECT_TRUE(test, promotion_budget_take(&budget, START, 1,
						      PROMOTION_LARGEST));
	KUNIT_EXPECT_FALSE(test, promotion_budget_take(&budget, START + 60 * SEC,
						       1, 1));
	/* ... that a higher rate forgives */
	KUNIT_EXPECT_TRUE(test, promotion_budget_take(&budget, START + 61 * SEC,
						      RATE, 1) ||
			  promotion_budget_take(&budget, START + 62 * SEC,
						RATE, 1));
	/* Down again: no more than the burst of the new rate */
	KUNIT_EXPECT_LE(test, take_all(&budget, START + 100 * SEC,
				       START + 110 * SEC, MSEC, 256, 1),
			most(256, 10 * SEC) + 1);
}

static void what_is_left(struct kunit *test)
{
	struct promotion_budget budget = {};

	KUNIT_EXPECT_EQ(test, promotion_budget_left(&budget, START, RATE),
			(s64)RATE / 4);
	promotion_budget_take(&budget, START, RATE, PROMOTION_LARGEST);
	KUNIT_EXPECT_EQ(test, promotion_budget_left(&budget, START, RATE), 0LL);
	budget = (struct promotion_budget) {};
	promotion_budget_take(&budget, START, RATE / 2, 1);
	promotion_budget_take(&budget, START, RATE / 2, PROMOTION_LARGEST);
	KUNIT_EXPECT_LT(test, promotion_budget_left(&budget, START, RATE / 2), 0LL);
}

#define TAKERS	8
/* Long enough that all are at it together, and a whole number of ns for a page */
#define TAKEN_RATE	20000000

struct taker {
	struct promotion_budget *budget;
	struct completion *begin;
	struct completion done;
	u64 taken;
};

static int takes(void *arg)
{
	struct taker *taker = arg;

	wait_for_completion(taker->begin);
	/* All see the same time: together they may have one burst. */
	while (promotion_budget_take(taker->budget, START, TAKEN_RATE, 1))
		taker->taken++;
	complete(&taker->done);
	return 0;
}

static void from_many_threads(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(begin);
	struct promotion_budget budget = {};
	unsigned int nr, i;
	struct taker *taker;
	u64 taken = 0;

	taker = kunit_kcalloc(test, TAKERS, sizeof(*taker), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, taker);
	for (nr = 0; nr < TAKERS; nr++) {
		taker[nr].budget = &budget;
		taker[nr].begin = &begin;
		init_completion(&taker[nr].done);
		if (IS_ERR(kthread_run(takes, &taker[nr], "promotion_budget/%u", nr)))
			break;
	}
	complete_all(&begin);
	for (i = 0; i < nr; i++) {
		wait_for_completion(&taker[i].done);
		taken += taker[i].taken;
	}
	KUNIT_EXPECT_EQ(test, nr, TAKERS);
	KUNIT_EXPECT_EQ(test, taken, (u64)TAKEN_RATE / 4);
}

static struct kunit_case budget_cases[] = {
	KUNIT_CASE(holds_the_rate),
	KUNIT_CASE(holds_in_any_interval),
	KUNIT_CASE(no_window_edge),
	KUNIT_CASE(huge_pages_are_paid_for),
	KUNIT_CASE(huge_pages_are_not_starved),
	KUNIT_CASE(refund),
	KUNIT_CASE(refund_is_no_credit),
	KUNIT_CASE(no_rate_and_no_limit),
	KUNIT_CASE(clock_jumps),
	KUNIT_CASE(rate_changes),
	KUNIT_CASE(what_is_left),
	KUNIT_CASE(from_many_threads),
	{}
};

static struct kunit_suite budget_suite = {
	.name = "promotion_budget",
	.test_cases = budget_cases,
};

kunit_test_suite(budget_suite);

MODULE_LICENSE("GPL");
