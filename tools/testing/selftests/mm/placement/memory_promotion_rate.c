// SPDX-License-Identifier: GPL-2.0
/*
 * What promotion does in time: the limit, and the way to the threshold.
 *
 * Latencies are times, so a machine that is disturbed, or emulated beside
 * others, has others. These tests run where steady_clock=NS is in the
 * environment, as it is when the kernel was given it on its command line: the
 * time that each instruction takes.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "cases.h"
#include "promotion.h"

/* Enters if a processor is as fast as @most_ns for an instruction */
static bool enter_steady(struct context *ctx, int most_ns)
{
	const char *ns = getenv("steady_clock");

	ctx->missing = NULL;
	if (!ns)
		ctx->missing = "needs a machine that nothing disturbs, and steady_clock=NS";
	else if (atoi(ns) > most_ns)
		ctx->missing = "needs a faster processor";
	return ctx->missing || context_enter(ctx);
}

FIXTURE(rate)
{
	struct context ctx;
};

FIXTURE_VARIANT(rate)
{
	int mbps;
	int pass_ms;
	/* A slower processor cannot move as much. */
	int most_ns;
	/* So long the limit is used after two passes: some passes more, or what fits */
	int used_s;
};

FIXTURE_VARIANT_ADD(rate, low)
{
	.mbps = 8, .pass_ms = 3000, .most_ns = 8, .used_s = 14,
};

FIXTURE_VARIANT_ADD(rate, middle)
{
	.mbps = 16, .pass_ms = 3000, .most_ns = 8, .used_s = 14,
};

FIXTURE_VARIANT_ADD(rate, high)
{
	.mbps = 64, .pass_ms = 1500, .most_ns = 2, .used_s = 7,
};

FIXTURE_SETUP(rate)
{
	ASSERT_TRUE(enter_steady(&self->ctx, variant->most_ns));
}

FIXTURE_TEARDOWN(rate)
{
	EXPECT_TRUE(context_leave(&self->ctx));
}

FIXTURE(steady)
{
	struct context ctx;
};

FIXTURE_SETUP(steady)
{
	ASSERT_TRUE(enter_steady(&self->ctx, 8));
}

FIXTURE_TEARDOWN(steady)
{
	EXPECT_TRUE(context_leave(&self->ctx));
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/*
 * With the fast node full: in any time at most the limit and the burst of a
 * quarter of a second, which is 1.25 times the limit for one second and 1.025
 * times for ten. Between a page's leave to move and its being counted is the
 * move itself.
 */
#define LAG	0.02
TEST_F_TIMEOUT(rate, limit_holds, 300)
{
	enum { SECONDS = 27, PER_SECOND = 10 };
	const int settled = 2 * variant->pass_ms * PER_SECOND / 1000;
	const long rate = variant->mbps * ((1 << 20) / page_bytes());
	/* More than the limit allows until well after two passes */
	const size_t pages = rate * (settled + variant->used_s * PER_SECOND) / PER_SECOND;
	int last = settled;
	static long long moved[SECONDS * PER_SECOND + 1];
	static double at[SECONDS * PER_SECOND + 1];
	struct context *ctx = &self->ctx;
	long long stalls;
	struct area area;
	char limit[16];
	pid_t filler;
	int i, j;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, pages))
		SKIP(return, "the slow node is too small");
	filler = fill(ctx->fast, 2 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	snprintf(limit, sizeof(limit), "%d", variant->mbps);
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", limit));
	ASSERT_EQ(0, set_pace(8, variant->pass_ms));
	ASSERT_EQ(0, map_on(&area, ctx->slow, pages, false));
	stalls = direct_reclaims();
	for (i = 0; i <= SECONDS * PER_SECOND; i++) {
		double until;

		moved[i] = counter("pgpromote_success");
		at[i] = seconds_now();
		until = at[i] + 1.0 / PER_SECOND;
		do {
			touch_once(&area);
		} while (seconds_now() < until);
	}
	/*
	 * Everything is hot, so what the limit allows is used, from two passes
	 * on and while there is something left to promote.
	 */
	while (last < SECONDS * PER_SECOND &&
	       moved[last] - moved[0] < (long long)pages * 7 / 8)
		last++;
	note("%.1f %% of the limit are used from %d to %d tenths of a second on",
	     100 * (moved[last] - moved[settled]) / (rate * (at[last] - at[settled])),
	     settled, last);
	EXPECT_LE(settled + variant->used_s * PER_SECOND / 2, last);
	EXPECT_LT(rate * 8 / 10 * (at[last] - at[settled]),
		  moved[last] - moved[settled]);
	for (i = 0; i < SECONDS * PER_SECOND; i++) {
		for (j = i + 1; j <= SECONDS * PER_SECOND; j++) {
			double most = rate * (at[j] - at[i] + 0.25 + LAG);

			if (moved[j] - moved[i] > most) {
				EXPECT_LE(moved[j] - moved[i], most)
					TH_LOG("in %.3f s", at[j] - at[i]);
				i = SECONDS * PER_SECOND;
				break;
			}
		}
	}
	EXPECT_EQ(stalls, direct_reclaims());
	unfill(filler);
	area_unmap(&area);
}

/* As long as base pages do: the last one may be begun when the burst is nearly used. */
TEST_F_TIMEOUT(steady, huge_pages_wait_for_the_limit, 120)
{
	enum { MBPS = 8, SECONDS = 2, HUGE_PAGES = 16 };
	const size_t huge = HUGE_BYTES / page_bytes(), pages = HUGE_PAGES * huge;
	const double rate = MBPS * ((1 << 20) / page_bytes());
	struct context *ctx = &self->ctx;
	double begin, now;
	struct area area;
	long long moved;
	pid_t filler;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK))
		SKIP(return, "no huge pages in this kernel");
	if (!has_room(ctx->slow, pages))
		SKIP(return, "the slow node is too small");
	ASSERT_EQ(0, file_print("/proc/sys/vm/compact_memory", "1"));
	filler = fill(ctx->fast, 4 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "8"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, pages, true));
	for (i = 0; i < pages; i++)
		*(size_t *)(area.start + i * page_bytes() + 64) = i;
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	moved = counter("pgpromote_success");
	begin = seconds_now();
	for (now = begin; now < begin + SECONDS; now = seconds_now())
		touch_once(&area);
	moved = counter("pgpromote_success") - moved;
	now = seconds_now();
	note("%lld pages in %.2f s", moved, now - begin);
	EXPECT_LE(moved, rate * (now - begin + 0.25 + LAG) + huge);
	EXPECT_GE(moved, rate * SECONDS / 4);
	/* And they are what they were. */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "65536"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, pages / 2));
	for (i = 0; i < pages; i++)
		ASSERT_EQ(i, *(size_t *)(area.start + i * page_bytes() + 64));
	unfill(filler);
	area_unmap(&area);
}

/* Pages side by side are touched every so many milliseconds, in turn */
static const int every_ms[] = { 200, 800, 2000, 4000 };
#define GROUPS ARRAY_LEN(every_ms)

static void touch_groups(const struct area *area, double next[GROUPS])
{
	const size_t page = page_bytes();
	double now = seconds_now();
	size_t i;

	for (i = 0; i < GROUPS; i++) {
		if (now < next[i])
			continue;
		touch(area->start + i * page, area->len / page / GROUPS,
		      GROUPS * page);
		next[i] = now + every_ms[i] / 1e3;
	}
}

/* What has come up goes back to the slow node: the others keep what is touched how often. */
static int move_back(const struct area *area, int node)
{
	struct nodeset nodes = nodeset_of(node);
	int ret = policy_bind(area->start, area->len, MPOL_BIND, &nodes, MPOL_MF_MOVE);

	return ret ? ret : policy_bind(area->start, area->len, MPOL_DEFAULT, NULL, 0);
}

/*
 * With the fast node full of what nobody uses, and a limit below what is hot, of
 * which little is away at any time. Two passes after the first
 * one has begun the threshold is where it stays: on the mean of a pass within a
 * bin, an eighth of an octave, at no time further than two.
 */
TEST_F_TIMEOUT(steady, threshold_settles_in_two_passes, 120)
{
	enum { PASS_MS = 8000 };
	double next[GROUPS] = {}, start, now, back, sum[2] = {};
	struct context *ctx = &self->ctx;
	long settled, last, least = LONG_MAX, most = 0;
	struct area area;
	int count[2] = {};
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "3"));
	ASSERT_EQ(0, set_pace(1, PASS_MS));
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	filler = fill(ctx->fast, 2 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_EQ(0, map_on(&area, ctx->slow, 4 * SOME_PAGES, false));
	/* The histogram starts with this. */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	start = back = seconds_now();
	/* The third pass, and the one after it */
	for (now = start; now < start + 4 * PASS_MS / 1e3; now = seconds_now()) {
		int later = now >= start + 3 * PASS_MS / 1e3;
		long found;

		/* Without a break: what sleeps is not scanned. */
		touch_groups(&area, next);
		if (now >= back) {
			ASSERT_EQ(0, move_back(&area, ctx->slow));
			back = now + 0.5;
		}
		if (now < start + 2 * PASS_MS / 1e3)
			continue;
		found = threshold(ctx->fast);
		least = found < least ? found : least;
		most = found > most ? found : most;
		sum[later] += found;
		count[later]++;
	}
	ASSERT_LT(0, count[0]);
	ASSERT_LT(0, count[1]);
	settled = sum[0] / count[0];
	last = sum[1] / count[1];
	note("threshold in the third pass %ld ms, then %ld ms, always %ld to %ld ms",
	     settled, last, least, most);
	/* A bin is an eighth of an octave, so at most 12.5 % wide. */
	EXPECT_LE(last * 8, settled * 9);
	EXPECT_GE(last * 9, settled * 8);
	EXPECT_LE(last * 8 * 8, least * 9 * 9);
	EXPECT_GE(last * 9 * 9, most * 8 * 8);
	/* Neither where it began nor where it cannot go on */
	EXPECT_LT(100, settled);
	EXPECT_GT(1000, settled);
	unfill(filler);
	area_unmap(&area);
}
