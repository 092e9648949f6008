// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the hot threshold: latencies of known distributions give the
 * quantile that arithmetic gives.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#include "../budget.h"
#include "../threshold.h"

#define DEF	1000
#define PART_MS	7500

/* Pages that are touched every so often: their latency is anything up to that */
struct group {
	unsigned int every_ms;
	unsigned int pages;
};

static const struct group mixture[] = {
	{ 10, 4000 }, { 100, 8000 }, { 500, 16000 }, { 2000, 50000 },
	{ 10000, 200000 }, { 100000, 700000 },
};

static const struct hot_threshold_ops *const ops = &quantile_threshold_ops;

struct context {
	struct latency_window window;
	struct latency_part part;
	struct hot_threshold threshold;
};

static struct context *context_of(struct kunit *test)
{
	struct context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ops->init(&ctx->threshold, PROMOTION_NO_LIMIT, DEF);
	ctx->part.ms = PART_MS;
	return ctx;
}

/* Pages of all groups that are touched within @ms */
static u64 touched_within(unsigned int ms)
{
	unsigned int i;
	u64 pages = 0;

	for (i = 0; i < ARRAY_SIZE(mixture); i++)
		pages += div_u64((u64)mixture[i].pages *
				 min(ms, mixture[i].every_ms),
				 mixture[i].every_ms);
	return pages;
}

static unsigned int quantile_by_hand(u64 count)
{
	unsigned int ms = 1;

	while (touched_within(ms) < count)
		ms++;
	return ms;
}

/* One @share-th of each group */
static void fill(struct latency_part *part, const struct group *group,
		 unsigned int share)
{
	unsigned int bin, start, end, before = 0, below;

	for (bin = 0; bin < LATENCY_BINS; bin++) {
		start = latency_bin_start(bin);
		end = min(latency_bin_start(bin + 1), group->every_ms);
		if (start >= end)
			break;
		below = div_u64((u64)group->pages / share * end, group->every_ms);
		part->pages[bin] += below - before;
		before = below;
	}
}

static void fill_all(struct latency_part *part, unsigned int share)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mixture); i++)
		fill(part, &mixture[i], share);
}

static void next(struct context *ctx, u32 rate)
{
	latency_window_add(&ctx->window, &ctx->part);
	ops->next(&ctx->threshold, &ctx->window, rate, DEF);
}

/* What is left of a budget under the brake as it is */
static u32 rate_of(struct context *ctx, u32 budget)
{
	ops->update(&ctx->threshold, &ctx->window, budget, DEF);
	return ctx->threshold.rate;
}

/* Pages of a bin are spread evenly here, too: what is left is the millisecond */
static void expect_near(struct kunit *test, unsigned int have, unsigned int want)
{
	KUNIT_EXPECT_GE(test, have + 1, want);
	KUNIT_EXPECT_LE(test, have, want + 1);
}

static void bins(struct kunit *test)
{
	unsigned int bin, ms;

	for (bin = 0; bin < LATENCY_BINS; bin++) {
		ms = latency_bin_start(bin);
		KUNIT_EXPECT_EQ(test, latency_bin(ms), bin);
		KUNIT_EXPECT_LT(test, ms, latency_bin_start(bin + 1));
		KUNIT_EXPECT_EQ(test, latency_bin(latency_bin_start(bin + 1) - 1),
				bin);
	}
	KUNIT_EXPECT_EQ(test, latency_bin_start(LATENCY_BINS), 1U << LATENCY_BITS);
	KUNIT_EXPECT_EQ(test, latency_bin(1U << LATENCY_BITS), LATENCY_BINS - 1U);
	KUNIT_EXPECT_EQ(test, latency_bin(UINT_MAX), LATENCY_BINS - 1U);
	/* Eight an octave, so that one is an eighth of its latency at most */
	for (ms = 16; ms < 1 << (LATENCY_BITS - 1); ms *= 2)
		KUNIT_EXPECT_EQ(test, latency_bin(2 * ms) - latency_bin(ms), 8U);
}

static void quantile(struct kunit *test)
{
	static const u64 counts[] = {
		100, 1000, 5000, 11000, 20000, 40000, 70000, 100000, 500000,
	};
	struct context *ctx = context_of(test);
	unsigned int i;

	fill_all(&ctx->part, 1);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		expect_near(test, latency_quantile(ctx->part.pages, counts[i]),
			    quantile_by_hand(counts[i]));
	KUNIT_EXPECT_EQ(test, latency_quantile(ctx->part.pages, 0), 1U);
	KUNIT_EXPECT_EQ(test, latency_quantile(ctx->part.pages, 1 << 30), UINT_MAX);
}

/* The first pass says it; after that it stays. */
static void settles_in_one_pass(struct kunit *test)
{
	static const u32 rates[] = { 200, 500, 1000 };
	struct context *ctx = context_of(test);
	unsigned int i, part, want;

	fill_all(&ctx->part, LATENCY_PARTS);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		want = quantile_by_hand(rates[i] * PART_MS / 1000 * LATENCY_PARTS);
		want = min(want, 2U * DEF);
		memset(&ctx->window, 0, sizeof(ctx->window));
		ops->init(&ctx->threshold, PROMOTION_NO_LIMIT, DEF);
		for (part = 1; part <= 3 * LATENCY_PARTS; part++) {
			next(ctx, rates[i]);
			if (part < LATENCY_PARTS)
				KUNIT_EXPECT_LE(test, ctx->threshold.ms, (unsigned int)DEF);
			else
				expect_near(test, ctx->threshold.ms, want);
		}
	}
}

/* What is hot lies together and is scanned within one part of each pass. */
static void clustered(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part, i, want;

	want = quantile_by_hand(400 * PART_MS / 1000 * LATENCY_PARTS);
	for (part = 0; part < 4 * LATENCY_PARTS; part++) {
		memset(ctx->part.pages, 0, sizeof(ctx->part.pages));
		i = part % LATENCY_PARTS;
		if (i < ARRAY_SIZE(mixture))
			fill(&ctx->part, &mixture[i], 1);
		next(ctx, 400);
		if (part >= LATENCY_PARTS - 1)
			expect_near(test, ctx->threshold.ms, want);
	}
}

/* The budget is that of the time that went by. */
static void parts_of_any_length(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	for (part = 0; part < 2 * LATENCY_PARTS; part++) {
		memset(ctx->part.pages, 0, sizeof(ctx->part.pages));
		ctx->part.ms = part % 2 ? PART_MS : 3 * PART_MS;
		fill_all(&ctx->part, LATENCY_PARTS);
		next(ctx, 100);
	}
	expect_near(test, ctx->threshold.ms,
		    quantile_by_hand(100 * PART_MS / 1000 * LATENCY_PARTS * 2));
}

static void follows_a_change(struct kunit *test)
{
	static const struct group hot = { 20, 100000 };
	struct context *ctx = context_of(test);
	unsigned int part;

	fill_all(&ctx->part, LATENCY_PARTS);
	for (part = 0; part < LATENCY_PARTS; part++)
		next(ctx, 1000);
	memset(ctx->part.pages, 0, sizeof(ctx->part.pages));
	fill(&ctx->part, &hot, LATENCY_PARTS);
	for (part = 0; part < LATENCY_PARTS; part++)
		next(ctx, 1000);
	/* 60 s of 1000 pages are 60 % of those */
	expect_near(test, ctx->threshold.ms, 12);
}

static void no_limit_no_ratchet(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	for (part = 0; part < 4 * LATENCY_PARTS; part++) {
		next(ctx, PROMOTION_NO_LIMIT);
		KUNIT_EXPECT_EQ(test, ctx->threshold.ms, (unsigned int)DEF);
	}
	fill_all(&ctx->part, 1);
	for (part = 0; part < 4 * LATENCY_PARTS; part++) {
		next(ctx, PROMOTION_NO_LIMIT);
		KUNIT_EXPECT_EQ(test, ctx->threshold.ms, (unsigned int)DEF);
	}
}

static void few_pages_say_nothing(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	fill_all(&ctx->part, LATENCY_PARTS);
	for (part = 0; part < LATENCY_PARTS; part++)
		next(ctx, 200);
	KUNIT_EXPECT_LT(test, ctx->threshold.ms, (unsigned int)DEF);
	memset(ctx->part.pages, 0, sizeof(ctx->part.pages));
	ctx->part.pages[100] = LATENCY_ENOUGH / LATENCY_PARTS - 1;
	for (part = 0; part < LATENCY_PARTS - 1; part++)
		next(ctx, 200);
	/* The last of the many pages are about to leave the window. */
	part = ctx->threshold.ms;
	next(ctx, 200);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, part);
	next(ctx, 200);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, part);
}

static void cap(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	fill_all(&ctx->part, LATENCY_PARTS);
	for (part = 0; part < 2 * LATENCY_PARTS; part++)
		next(ctx, 1 << 20);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 2U * DEF);
}

static void nothing_to_take(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	fill_all(&ctx->part, LATENCY_PARTS);
	for (part = 0; part < LATENCY_PARTS; part++)
		next(ctx, 0);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 1U);
}

/* Pages that come straight back lower the cap; it recovers without them. */
static void brake(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	fill_all(&ctx->part, LATENCY_PARTS);
	ctx->part.moved = 10000;
	ctx->part.back = 6000;
	for (part = 0; part < LATENCY_PARTS; part++)
		next(ctx, 1 << 20);
	KUNIT_EXPECT_LE(test, ctx->threshold.ms, DEF / 4U);
	for (part = 0; part < 4 * LATENCY_PARTS; part++)
		next(ctx, PROMOTION_NO_LIMIT);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, DEF / 64U);
	/* What cannot be told apart by latency is left where it is. */
	KUNIT_EXPECT_EQ(test, rate_of(ctx, 5000), 1000U);
	KUNIT_EXPECT_EQ(test, rate_of(ctx, 1), 1U);
	KUNIT_EXPECT_EQ(test, rate_of(ctx, 0), 0U);
	KUNIT_EXPECT_EQ(test, rate_of(ctx, PROMOTION_NO_LIMIT), PROMOTION_NO_LIMIT);

	ctx->part.back = 100;
	for (part = 0; part < 8 * LATENCY_PARTS; part++)
		next(ctx, 1 << 20);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 2U * DEF);
	KUNIT_EXPECT_EQ(test, rate_of(ctx, 2048), 2048U);
}

/* The smallest and the largest that can be configured */
static void configured(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	fill_all(&ctx->part, LATENCY_PARTS);
	ctx->part.moved = 1000;
	ctx->part.back = 1000;
	ops->init(&ctx->threshold, PROMOTION_NO_LIMIT, 1);
	for (part = 0; part < 2 * LATENCY_PARTS; part++) {
		latency_window_add(&ctx->window, &ctx->part);
		ops->next(&ctx->threshold, &ctx->window, 1 << 20, 1);
		KUNIT_EXPECT_GE(test, ctx->threshold.ms, 1U);
		KUNIT_EXPECT_LE(test, ctx->threshold.ms, 2U);
	}
	ops->init(&ctx->threshold, PROMOTION_NO_LIMIT, INT_MAX / 2);
	latency_window_add(&ctx->window, &ctx->part);
	ops->next(&ctx->threshold, &ctx->window, PROMOTION_NO_LIMIT, INT_MAX / 2);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, INT_MAX / 2U);
}

/* Another configured threshold holds at once, with the brake as tight as it was. */
static void configured_anew(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int cap, part;

	ops->update(&ctx->threshold, &ctx->window, PROMOTION_NO_LIMIT, 10 * DEF);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 10U * DEF);
	ops->update(&ctx->threshold, &ctx->window, PROMOTION_NO_LIMIT, 1);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 1U);
	ops->update(&ctx->threshold, &ctx->window, PROMOTION_NO_LIMIT, DEF);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, (unsigned int)DEF);

	fill_all(&ctx->part, LATENCY_PARTS);
	ctx->part.moved = 10000;
	ctx->part.back = 6000;
	for (part = 0; part < LATENCY_PARTS; part++)
		next(ctx, PROMOTION_NO_LIMIT);
	cap = ctx->threshold.cap;
	KUNIT_EXPECT_LT(test, cap, DEF / 2U);
	ops->update(&ctx->threshold, &ctx->window, PROMOTION_NO_LIMIT, 10 * DEF);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 10 * cap);
}

static struct kunit_case threshold_cases[] = {
	KUNIT_CASE(bins),
	KUNIT_CASE(quantile),
	KUNIT_CASE(settles_in_one_pass),
	KUNIT_CASE(clustered),
	KUNIT_CASE(parts_of_any_length),
	KUNIT_CASE(follows_a_change),
	KUNIT_CASE(no_limit_no_ratchet),
	KUNIT_CASE(few_pages_say_nothing),
	KUNIT_CASE(cap),
	KUNIT_CASE(nothing_to_take),
	KUNIT_CASE(brake),
	KUNIT_CASE(configured),
	KUNIT_CASE(configured_anew),
	{}
};

static struct kunit_suite threshold_suite = {
	.name = "hot_threshold",
	.test_cases = threshold_cases,
};

kunit_test_suite(threshold_suite);

MODULE_LICENSE("GPL");
