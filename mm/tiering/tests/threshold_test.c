// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the hot threshold: latencies of known distributions give the
 * quantile that arithmetic gives, and those of demoted pages their median.
 */
#include <kunit/test.h>
#include <linux/slab.h>

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

static const struct hot_threshold_ops *const ops = &demoted_threshold_ops;

#define FINEST	4
#define LONGEST	30000
#define LOOK_MS	1000

struct context {
	struct latency_window window;
	struct latency_part part;
	struct latency_part touched;
	struct demoted_counts since;
	struct demoted_latencies demoted;
	struct hot_threshold threshold;
};

static struct context *context_of(struct kunit *test)
{
	struct context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->threshold.finest = FINEST;
	ctx->threshold.longest = LONGEST;
	ops->init(&ctx->threshold, DEF);
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

static unsigned int next(struct context *ctx)
{
	latency_window_add(&ctx->window, &ctx->part);
	ops->next(&ctx->threshold, &ctx->window, &ctx->demoted);
	return ctx->threshold.ms;
}

/*
 * So many demoted pages; each is touched some time within @every_ms of the scan, which
 * comes by when a look begins.
 */
static unsigned int look(struct context *ctx, unsigned int every_ms, unsigned int pages,
			 unsigned int hidden)
{
	struct group group = { every_ms, pages };
	unsigned int bin;

	memset(&ctx->touched, 0, sizeof(ctx->touched));
	fill(&ctx->touched, &group, 1);
	for (bin = 0; bin < LATENCY_BINS; bin++) {
		bool fresh = latency_bin_start(bin) < LOOK_MS;

		ctx->since.fresh[bin] = fresh ? ctx->touched.pages[bin] : 0;
		ctx->since.touched[bin] = fresh ? 0 : ctx->touched.pages[bin];
	}
	ctx->since.hidden = hidden;
	demoted_latencies_add(&ctx->demoted, &ctx->since, LOOK_MS);
	ops->look(&ctx->threshold, &ctx->demoted);
	return ctx->threshold.ms;
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

/* Nothing is demoted: what is configured, or what the hotter half of a pass is below */
static void begins_with_the_hotter_half(struct kunit *test)
{
	static const unsigned int every[] = { 200, 5000, 40000 };
	struct context *ctx;
	unsigned int i, part;

	for (i = 0; i < ARRAY_SIZE(every); i++) {
		const struct group group = { every[i], 8000 };

		ctx = context_of(test);
		fill(&ctx->part, &group, LATENCY_PARTS);
		for (part = 1; part < LATENCY_PARTS; part++)
			KUNIT_EXPECT_EQ(test, next(ctx), (unsigned int)DEF);
		/* Some pages are lost where a part has a fraction of one */
		next(ctx);
		KUNIT_EXPECT_LE(test, ctx->threshold.ms, max(DEF, every[i] * 51 / 100));
		KUNIT_EXPECT_GE(test, ctx->threshold.ms, max(DEF, every[i] * 49 / 100));
		KUNIT_EXPECT_FALSE(test, ctx->threshold.found);
	}
}

/* What is hot lies together and is scanned within one part of each pass. */
static void clustered(struct kunit *test)
{
	static const struct group hot = { 500, 8000 }, cold = { 8000, 20000 };
	struct context *ctx = context_of(test);
	unsigned int part, want;

	/* 14,000 pages: 8,000 of the first, and as many of the others as are below that */
	want = 6000 * 8000 / 20000;
	for (part = 0; part < 4 * LATENCY_PARTS; part++) {
		memset(ctx->part.pages, 0, sizeof(ctx->part.pages));
		if (part % LATENCY_PARTS == 1)
			fill(&ctx->part, &hot, 1);
		if (part % LATENCY_PARTS == 5)
			fill(&ctx->part, &cold, 1);
		next(ctx);
		if (part == LATENCY_PARTS - 1)
			expect_near(test, ctx->threshold.ms, want);
		if (part >= LATENCY_PARTS - 1)
			KUNIT_EXPECT_LE(test, want, ctx->threshold.ms + 1);
	}
}

static void few_pages_say_nothing(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	ctx->part.pages[LATENCY_BINS - 1] = LATENCY_ENOUGH / LATENCY_PARTS - 1;
	for (part = 0; part < 40 * LATENCY_PARTS; part++)
		KUNIT_EXPECT_EQ(test, next(ctx), (unsigned int)DEF);
	KUNIT_EXPECT_EQ(test, ctx->threshold.quiet, 0U);
}

/* Half of them are touched within so long. */
static void as_hot_as_what_is_demoted(struct kunit *test)
{
	static const unsigned int medians[] = { 400, 20, 100, 400 };
	struct context *ctx = context_of(test);
	unsigned int i, round, ms = 0;

	for (i = 0; i < ARRAY_SIZE(medians); i++) {
		for (round = 0; round < 40; round++)
			ms = look(ctx, 2 * medians[i], 1000, 1000);
		KUNIT_EXPECT_LE(test, ms, medians[i] * 9 / 8 + 1);
		KUNIT_EXPECT_GE(test, ms + 1, medians[i] * 8 / 9);
		KUNIT_EXPECT_TRUE(test, ctx->threshold.found);
	}
}

/* The scan comes by once in a while, and the touches follow for many looks. */
static void bursts_count_as_they_were(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int burst, round, bin, later, most = 0, least = UINT_MAX;

	for (burst = 0; burst < 4; burst++) {
		for (round = 0; round < 16; round++) {
			memset(&ctx->since, 0, sizeof(ctx->since));
			/* 8,000 pages, 1,000 a look from 0 to 8 s */
			for (later = 0; later < LOOK_MS && round && round <= 8; later += 10) {
				bin = latency_bin((round - 1) * LOOK_MS + later);
				ctx->since.touched[bin] += 10;
			}
			ctx->since.hidden = round ? 0 : 8000;
			demoted_latencies_add(&ctx->demoted, &ctx->since, LOOK_MS);
			ops->look(&ctx->threshold, &ctx->demoted);
			if (burst && round > 8) {
				most = max(most, ctx->threshold.ms);
				least = min(least, ctx->threshold.ms);
			}
		}
	}
	KUNIT_EXPECT_LE(test, 3400U, least);
	KUNIT_EXPECT_GE(test, 4600U, most);
}

/* The scan has come by just now: what it has hidden is touched as soon as all else was. */
static void what_is_yet_to_come_is_waited_for(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int round, ms = 0;

	for (round = 0; round < 40; round++)
		ms = look(ctx, 400, 100, 100);
	look(ctx, 400, 0, 8000);
	KUNIT_EXPECT_LE(test, ctx->threshold.ms, ms);
	ctx->since.hidden = 0;
	memset(ctx->since.fresh, 0, sizeof(ctx->since.fresh));
	memcpy(ctx->since.touched, ctx->touched.pages, sizeof(ctx->since.touched));
	ctx->since.touched[latency_bin(200)] += 8000;
	demoted_latencies_add(&ctx->demoted, &ctx->since, LOOK_MS);
	ops->look(&ctx->threshold, &ctx->demoted);
	expect_near(test, ctx->threshold.ms / 32, 200 / 32);
}

/* What is touched so late that nobody has seen it yet */
static void colder_than_can_be_seen(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int round, before = DEF, ms;

	for (round = 0; round < 40; round++) {
		ms = look(ctx, 100, 300, 1000);
		KUNIT_EXPECT_GE(test, ms, before);
		KUNIT_EXPECT_LE(test, ms, before + before / 4 + 1);
		before = ms;
	}
	KUNIT_EXPECT_EQ(test, before, (unsigned int)LONGEST);
}

/* As many as there can be, for ever: half of them are touched all the same. */
static void many_demoted_are_many(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int round;

	ctx->since.touched[latency_bin(100)] = U32_MAX;
	ctx->since.fresh[latency_bin(100)] = U32_MAX;
	ctx->since.hidden = U32_MAX;
	for (round = 0; round < 40; round++) {
		demoted_latencies_add(&ctx->demoted, &ctx->since, LOOK_MS);
		ops->look(&ctx->threshold, &ctx->demoted);
		if (round)
			KUNIT_EXPECT_LT(test, U32_MAX / 2, ctx->demoted.hidden);
	}
	KUNIT_EXPECT_LE(test, 96U, ctx->threshold.ms);
	KUNIT_EXPECT_GE(test, 104U, ctx->threshold.ms);
}

/* Down at once, but not by a few */
static void few_demoted_say_nothing(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int round;

	for (round = 0; round < 40; round++)
		look(ctx, 100, DEMOTED_ENOUGH / 8 - 2, DEMOTED_ENOUGH / 8 - 2);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, (unsigned int)DEF);
	look(ctx, 100, 1000, 1000);
	look(ctx, 100, 0, 0);
	KUNIT_EXPECT_GT(test, 100U, ctx->threshold.ms);
}

/* A threshold that is too short for anything to be demoted */
static void grows_while_nothing_is_demoted(struct kunit *test)
{
	static const struct group often = { 20, 4000 };
	struct context *ctx = context_of(test);
	unsigned int part, before;

	/* Nor is anything touched */
	for (part = 0; part < 40 * LATENCY_PARTS; part++)
		KUNIT_EXPECT_EQ(test, next(ctx), (unsigned int)DEF);

	/* As hot as everything else: none is, while that is remembered */
	look(ctx, FINEST / 2, 1000, 1000);
	look(ctx, FINEST / 2, 0, 0);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 0U);
	fill(&ctx->part, &often, 1);
	for (part = 0; part < 8 * LATENCY_PARTS; part++)
		KUNIT_EXPECT_EQ(test, next(ctx), 0U);
	for (part = 0; part < 100; part++)
		look(ctx, FINEST / 2, 0, 0);

	/* It is not too short for as long as it takes to be hot. */
	for (part = 0; part < 4 * LATENCY_PARTS; part++)
		KUNIT_EXPECT_EQ(test, next(ctx), 0U);
	for (part = 0; part < 40 * LATENCY_PARTS; part++) {
		before = ctx->threshold.ms;
		next(ctx);
		KUNIT_EXPECT_GE(test, ctx->threshold.ms, before);
		KUNIT_EXPECT_LE(test, ctx->threshold.ms, before + before / 16 + 1);
	}
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, (unsigned int)LONGEST);
}

/* While pages are hot, nothing is gained by taking more for hot. */
static void stays_while_pages_are_wanted(struct kunit *test)
{
	static const struct group often = { 20, 4000 };
	struct context *ctx = context_of(test);
	unsigned int part;

	fill(&ctx->part, &often, 1);
	/* One part is enough for a pass. */
	for (part = 0; part < 40 * LATENCY_PARTS; part++) {
		ctx->part.wanted = part % LATENCY_PARTS ? 0 : DEMOTED_ENOUGH;
		KUNIT_EXPECT_EQ(test, next(ctx), (unsigned int)DEF);
	}
	KUNIT_EXPECT_EQ(test, ctx->threshold.quiet, 0U);
	/* A few are not. */
	for (part = 0; part < 6 * LATENCY_PARTS; part++) {
		ctx->part.wanted = (DEMOTED_ENOUGH - 1) / LATENCY_PARTS;
		next(ctx);
	}
	KUNIT_EXPECT_LT(test, (unsigned int)DEF, ctx->threshold.ms);
}

/* The largest that can be configured stays, but not for longer than it takes to know. */
static void configured(struct kunit *test)
{
	struct context *ctx = context_of(test);
	unsigned int part;

	ops->init(&ctx->threshold, INT_MAX / 2);
	fill_all(&ctx->part, LATENCY_PARTS);
	for (part = 0; part < 40 * LATENCY_PARTS; part++)
		KUNIT_EXPECT_EQ(test, next(ctx), INT_MAX / 2U);
	for (part = 0; part < 4; part++)
		look(ctx, 100, 1000, 1000);
	look(ctx, 100, 0, 0);
	KUNIT_EXPECT_GT(test, 100U, ctx->threshold.ms);
	ops->init(&ctx->threshold, 1);
	KUNIT_EXPECT_EQ(test, ctx->threshold.ms, 1U);
	KUNIT_EXPECT_FALSE(test, ctx->threshold.found);
}

static struct kunit_case threshold_cases[] = {
	KUNIT_CASE(bins),
	KUNIT_CASE(quantile),
	KUNIT_CASE(begins_with_the_hotter_half),
	KUNIT_CASE(clustered),
	KUNIT_CASE(few_pages_say_nothing),
	KUNIT_CASE(as_hot_as_what_is_demoted),
	KUNIT_CASE(what_is_yet_to_come_is_waited_for),
	KUNIT_CASE(bursts_count_as_they_were),
	KUNIT_CASE(colder_than_can_be_seen),
	KUNIT_CASE(many_demoted_are_many),
	KUNIT_CASE(few_demoted_say_nothing),
	KUNIT_CASE(grows_while_nothing_is_demoted),
	KUNIT_CASE(stays_while_pages_are_wanted),
	KUNIT_CASE(configured),
	{}
};

static struct kunit_suite threshold_suite = {
	.name = "hot_threshold",
	.test_cases = threshold_cases,
};

kunit_test_suite(threshold_suite);

MODULE_LICENSE("GPL");
