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
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/*
 * Memory on the slow node, of which half has room on the fast one. Returns who fills
 * that, 0 for a failure, and less where a node is too small.
 */
static pid_t map_twice_the_room(struct context *ctx, struct area *area, bool huge)
{
	pid_t filler;

	if (!has_room(ctx->slow, MOST_PAGES))
		return -ENOMEM;
	filler = fill(ctx->fast, MOST_PAGES / 2, true);
	if (filler > 0 && map_on(area, ctx->slow, MOST_PAGES, huge)) {
		unfill(filler);
		return 0;
	}
	return filler;
}

#define SLOT_MS	10

/* Less than the shortest latency that can be told */
#define FINE_SLOT_MS	2

/* Touches the pages of @area that are due in the @slot-th slot, each every so often */
static void touch_slot(const struct area *area, size_t slot, int slot_ms, int every_ms)
{
	const size_t slots = every_ms / slot_ms, page = page_bytes();

	slot %= slots;
	touch(area->start + slot * page, (area->len / page - slot) / slots, slots * page);
}

/*
 * Pages promoted in @ms, while all pages of @area are touched every so often: one after
 * the other, so that whenever the scan comes by some are just about to be. @slot is where
 * that begins, and becomes where it ends.
 */
static long long promoted_from_slot(const struct area *area, size_t *slot, int slot_ms,
				    int every_ms, int ms)
{
	long long before = counter("pgpromote_success");
	double next = seconds_now(), end = next + ms / 1e3;

	for (; next < end; (*slot)++) {
		touch_slot(area, *slot, slot_ms, every_ms);
		next += slot_ms / 1e3;
		while (seconds_now() < next)
			;
	}
	return counter("pgpromote_success") - before;
}

static long long promoted_in(const struct area *area, int every_ms, int ms)
{
	size_t slot = 0;

	return promoted_from_slot(area, &slot, SLOT_MS, every_ms, ms);
}

/* Makes @node give up what nobody uses, programs that lie in memory before all. */
static bool push_out(int node)
{
	struct nodeset nodes = nodeset_of(node);
	pid_t pid = fork_child();
	struct area area;
	int status;

	if (!pid)
		_exit(area_map(&area, node_free_pages(node) + MOST_PAGES, 1) ||
		      policy_bind(area.start, area.len, MPOL_BIND, &nodes, 0) ||
		      (touch(area.start, area.len / page_bytes(), page_bytes()), 0));
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

enum { TURN_MS = 400 };

static int compare_longs(const void *one, const void *other)
{
	const long a = *(const long *)one, b = *(const long *)other;

	return (a > b) - (a < b);
}

/*
 * More is in use than fits, and all of it every TURN_MS: no page is worth a move. Returns
 * the threshold that is found then, ms, or -1 where a node is too small: the median of
 * many looks, as hardly a page is demoted when it has been found, and a few that went
 * together may be touched together.
 */
static long take_no_turns(struct __test_metadata *_metadata, struct context *ctx, bool huge)
{
	enum {
		PASS_MS = 2000,
		FIRST = 8,
		PASSES = 6,
		PARTS = 4,
		LOOKS = (FIRST / 2 + PASSES) * PARTS,
	};
	const int slot_ms = huge ? FINE_SLOT_MS : SLOT_MS;
	long long first, pages, tried = 0;
	long found[LOOKS], median;
	struct area area;
	size_t slot = 0;
	pid_t filler;
	int i;

	/* Else that is demoted in place of the area, and says nothing of it. */
	EXPECT_TRUE(push_out(ctx->fast));
	filler = map_twice_the_room(ctx, &area, huge);
	if (filler < 0)
		return -1;
	EXPECT_LT(0, filler);
	EXPECT_EQ(0, set_pace(16, PASS_MS));
	first = promoted_from_slot(&area, &slot, slot_ms, TURN_MS, FIRST / 2 * PASS_MS);
	for (i = 0; i < LOOKS; i++) {
		if (i == FIRST / 2 * PARTS)
			tried = counter("pgpromote_candidate");
		pages = promoted_from_slot(&area, &slot, slot_ms, TURN_MS, PASS_MS / PARTS);
		if (i < FIRST / 2 * PARTS)
			first += pages;
		found[i] = threshold(ctx->fast);
	}
	tried = counter("pgpromote_candidate") - tried;
	qsort(found, LOOKS, sizeof(found[0]), compare_longs);
	median = found[LOOKS / 2];
	note("%lld pages in %d passes, then %lld tried in %d; threshold %ld ms, %ld to %ld",
	     first, FIRST, tried, PASSES, median, found[0], found[LOOKS - 1]);
	/* What there is room for comes up at first. */
	EXPECT_LT(SOME_PAGES, first);
	EXPECT_GT(PASSES * MOST_PAGES / 16, tried);
	unfill(filler);
	area_unmap(&area);
	return median;
}

/*
 * Half of what is demoted is touched within half an interval. While nothing has to be
 * demoted the threshold grows from there, until some pages come up again.
 */
TEST_F_TIMEOUT(steady, pages_that_are_alike_take_no_turns, 120)
{
	struct context *ctx = &self->ctx;
	long found;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	found = take_no_turns(_metadata, ctx, false);
	if (found < 0)
		SKIP(return, "a node is too small");
	/* Touches come TURN_MS / 2 after the scan, on average. */
	EXPECT_LT(TURN_MS / 2 / 4, found);
	EXPECT_GT(TURN_MS / 2 * 4, found);
}

/*
 * Huge pages are few, and each is worth its pages: of all of them something is about to
 * be touched whenever the scan comes by. In slots that can be told they would be as far
 * from the threshold as one is long, or not, as it comes.
 */
TEST_F_TIMEOUT(steady, huge_pages_that_are_alike_take_no_turns, 120)
{
	struct context *ctx = &self->ctx;
	long found;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	found = take_no_turns(_metadata, ctx, true);
	if (found < 0)
		SKIP(return, "a node is too small");
	EXPECT_GT(TURN_MS / 4, found);
}

enum { USED_MS = 600, HOT_MS = 50 };

/* Touches one area more often than the other, for @ms */
static void use_both(const struct area *used, const struct area *hot, int ms)
{
	double next = seconds_now(), end = next + ms / 1e3;
	size_t slot;

	for (slot = 0; next < end; slot++) {
		touch_slot(used, slot, SLOT_MS, USED_MS);
		touch_slot(hot, slot, SLOT_MS, HOT_MS);
		next += SLOT_MS / 1e3;
		while (seconds_now() < next)
			;
	}
}

/*
 * For a while kswapd finds nothing to demote, and gives the node up. Later all of it is
 * in use more often than once a pass, and still what is hotter comes up.
 */
TEST_F_TIMEOUT(steady, hot_pages_come_to_a_node_that_was_given_up, 120)
{
	enum { PASS_MS = 1000 };
	struct context *ctx = &self->ctx;
	struct area used, hot;
	pid_t filler;
	int slow, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	filler = fill(ctx->fast, MOST_PAGES / 2, true);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_LT(0, filler);
	ASSERT_EQ(0, map_on(&used, ctx->fast,
			    MOST_PAGES / 2 - zone_pages(ctx->fast, "high"), false));
	ASSERT_EQ(0, map_on(&hot, ctx->slow, MOST_PAGES, false));
	ASSERT_EQ(0, mlock(used.start, used.len));
	ASSERT_EQ(0, mlock(hot.start, hot.len));
	ASSERT_EQ(0, set_pace(16, PASS_MS));
	for (i = 0; i < 16 && !is_given_up(ctx->fast); i++)
		use_both(&used, &hot, PASS_MS);
	EXPECT_TRUE(is_given_up(ctx->fast));
	slow = count_on(&hot, ctx->slow);
	EXPECT_LT(SOME_PAGES, slow);
	EXPECT_EQ(0, munlock(used.start, used.len));
	EXPECT_EQ(0, munlock(hot.start, hot.len));
	use_both(&used, &hot, 24 * PASS_MS);
	note("given up after %d passes with %d hot pages left, later %d", i, slow,
	     count_on(&hot, ctx->slow));
	EXPECT_GT(slow - SOME_PAGES, count_on(&hot, ctx->slow));
	unfill(filler);
	area_unmap(&used);
	area_unmap(&hot);
}

/* Nothing can be demoted for what is hot: that is no reason to take more for hot. */
TEST_F_TIMEOUT(steady, threshold_does_not_grow_for_want_of_room, 120)
{
	enum { PASS_MS = 1000 };
	struct context *ctx = &self->ctx;
	struct area area;
	pid_t filler;
	long before;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	filler = map_twice_the_room(ctx, &area, false);
	if (filler < 0)
		SKIP(return, "a node is too small");
	ASSERT_LT(0, filler);
	ASSERT_EQ(0, mlock(area.start, area.len));
	ASSERT_EQ(0, set_pace(16, PASS_MS));
	before = threshold(ctx->fast);
	promoted_in(&area, TURN_MS, 16 * PASS_MS);
	note("threshold %ld ms, then %ld ms with %d pages left", before, threshold(ctx->fast),
	     count_on(&area, ctx->slow));
	EXPECT_EQ(before, threshold(ctx->fast));
	EXPECT_LT(SOME_PAGES, count_on(&area, ctx->slow));
	unfill(filler);
	area_unmap(&area);
}

struct outside {
	/* Memory of @node is to be taken, while @takes */
	int node;
	bool takes;
	struct area area;
	int round_ms;		/* the longest time that all of it has taken */
};

/* Takes memory, some every slot, as long as its parent says: as much has to leave. */
static bool take_more(const struct outside *outside)
{
	enum { PORTION = 64 };
	struct nodeset nodes = nodeset_of(outside->node);
	const size_t len = PORTION * page_bytes();
	struct area more;
	size_t taken = 0;

	if (area_map(&more, MOST_PAGES, 1) ||
	    policy_bind(more.start, more.len, MPOL_BIND, &nodes, 0))
		return false;
	while (__atomic_load_n(&outside->takes, __ATOMIC_ACQUIRE)) {
		usleep(SLOT_MS * 1000);
		if (taken == more.len)
			continue;
		if (mlock(more.start + taken, len))
			return false;
		taken += len;
	}
	return true;
}

/* Reads a byte of each page of its parent's memory every so often, as promoted_in() does */
static void read_from_outside(struct outside *outside, int every_ms)
{
	const struct area *area = &outside->area;
	enum { MOST = 512 };
	const size_t slots = every_ms / SLOT_MS, page = page_bytes();
	struct iovec here[MOST], there[MOST];
	double begin = seconds_now();
	size_t slot, i, nr;
	char byte;
	int ms;

	for (slot = 0;; slot = (slot + 1) % slots) {
		if (!slot) {
			ms = 1e3 * (seconds_now() - begin);
			if (ms > outside->round_ms)
				outside->round_ms = ms;
			begin = seconds_now();
		}
		usleep(SLOT_MS * 1000);
		nr = 0;
		for (i = slot; i < area->len / page && nr < MOST; i += slots) {
			here[nr] = (struct iovec){ &byte, 1 };
			there[nr++] = (struct iovec){ area->start + i * page, 1 };
		}
		if (process_vm_readv(getppid(), here, nr, there, nr, 0) < 0)
			_exit(EXIT_FAILURE);
	}
}

/* The lowest threshold of @node in @ms; the caller uses its processor meanwhile */
static long lowest_threshold(int node, int ms)
{
	double end = seconds_now() + ms / 1e3;
	long lowest = threshold(node), now;

	while (seconds_now() < end) {
		now = threshold(node);
		if (now < lowest)
			lowest = now;
	}
	return lowest;
}

/* Until so many pages are on @node; who sleeps is not scanned. */
static int left_for(const struct area *area, int node, int pages)
{
	time_t begun = guard_begin();
	int there;

	do {
		usleep(SLOT_MS * 1000);
		there = count_on(area, node);
	} while (there < pages && !guard_over(begun));
	return there;
}

/*
 * What is demoted has been touched, whoever did: a debugger, a device of a machine. Else
 * the threshold would only grow. Here nobody uses the pages until half of them have left.
 */
TEST_F_TIMEOUT(steady, touches_of_others_count, 120)
{
	enum { PASS_MS = 1000, EVERY_MS = 800, PAGES = 2 * SOME_PAGES };
	struct context *ctx = &self->ctx;
	struct outside *seen;
	struct area area;
	pid_t filler, reader;
	double until;
	int status;
	long found;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	seen = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	ASSERT_NE(MAP_FAILED, seen);
	filler = fill(ctx->fast, MOST_PAGES / 2, true);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_LT(0, filler);
	ASSERT_EQ(0, map_on(&area, ctx->fast, PAGES, false));
	ASSERT_EQ(0, file_print("/proc/self/clear_refs", "1"));
	seen->node = ctx->fast;
	seen->area = area;
	seen->takes = true;
	reader = fork_child();
	ASSERT_LE(0, reader);
	if (!reader) {
		area_unmap(&area);
		if (!take_more(seen))
			_exit(EXIT_FAILURE);
		read_from_outside(seen, EVERY_MS);
	}
	EXPECT_LE(PAGES / 2, left_for(&area, ctx->slow, PAGES / 2));
	ASSERT_EQ(0, set_pace(16, PASS_MS));
	__atomic_store_n(&seen->takes, false, __ATOMIC_RELEASE);
	for (until = seconds_now() + 6.0 * PASS_MS / 1e3; seconds_now() < until;)
		;
	found = lowest_threshold(ctx->fast, PASS_MS);
	note("%d pages have left; threshold %ld ms, read every %d ms",
	     count_on(&area, ctx->slow), found, seen->round_ms);
	/* The reader has less than a processor, and takes longer. */
	EXPECT_LT(0, seen->round_ms);
	EXPECT_GT(6 * EVERY_MS, seen->round_ms);
	EXPECT_GT(seen->round_ms * 3 / 2, found);
	EXPECT_EQ(0, waitpid(reader, &status, WNOHANG));
	EXPECT_EQ(0, kill(reader, SIGKILL));
	EXPECT_EQ(reader, waitpid(reader, &status, 0));
	EXPECT_EQ(0, munmap(seen, page_bytes()));
	unfill(filler);
	area_unmap(&area);
}

/* Touches pages of @area at random, each every so often on average, for @ms */
static void touch_at_random(const struct area *area, int every_ms, int ms)
{
	const size_t page = page_bytes(), pages = area->len / page;
	double next = seconds_now(), end = next + ms / 1e3;
	unsigned int random = 1, i;

	while (next < end) {
		for (i = 0; i < pages * SLOT_MS / every_ms; i++) {
			random = random * 1664525 + 1013904223;
			touch(area->start + ((unsigned long long)random * pages >> 32) * page,
			      1, page);
		}
		next += SLOT_MS / 1e3;
		while (seconds_now() < next)
			;
	}
}

/* Where nothing is worth a move, another look tells nothing. */
TEST_F_TIMEOUT(steady, what_has_settled_is_scanned_slowly, 120)
{
	enum { EVERY_MS = 400, SETTLED_MS = 28000, LOOK_MS = 12000 };
	struct context *ctx = &self->ctx;
	long long scanned, slow;
	struct area area;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	filler = map_twice_the_room(ctx, &area, false);
	if (filler < 0)
		SKIP(return, "a node is too small");
	ASSERT_LT(0, filler);
	/* At first as fast as users have it */
	ASSERT_EQ(0, file_print(PACE_DIR "/scan_period_max_ms", "20000"));
	ASSERT_EQ(0, file_print(PACE_DIR "/scan_period_min_ms", "1000"));
	touch_at_random(&area, EVERY_MS, SETTLED_MS);
	scanned = counter("numa_pte_updates");
	touch_at_random(&area, EVERY_MS, LOOK_MS);
	scanned = counter("numa_pte_updates") - scanned;
	slow = count_on(&area, ctx->slow);
	note("%lld pages scanned in %d s, of %lld", scanned, LOOK_MS / 1000, slow);
	/* Nearly four times while there is something to see */
	EXPECT_GE(3 * slow, scanned);
	unfill(filler);
	area_unmap(&area);
}

static double own_seconds(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec + used.tv_nsec / 1e9;
}

/* Whose memory is scanned goes on meanwhile. */
TEST_F_TIMEOUT(steady, scan_takes_little_at_a_time, 120)
{
	enum { ROUNDS = 3, PASS_MS = 1000, MOST_MS = 10 };
	struct context *ctx = &self->ctx;
	double last, now, end, longest = 0;
	long long scanned;
	struct area area;
	pid_t filler;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	filler = map_twice_the_room(ctx, &area, false);
	if (filler < 0)
		SKIP(return, "a node is too small");
	ASSERT_LT(0, filler);
	ASSERT_EQ(0, set_pace(256, PASS_MS));
	/* A pass that began before that */
	ASSERT_TRUE(passes_go_by(&area, 1, touch_once));
	scanned = counter("numa_pte_updates");
	for (i = 0; i < ROUNDS; i++) {
		touch_once(&area);
		last = own_seconds();
		for (end = last + 2.0 * PASS_MS / 1e3; last < end; last = now) {
			now = own_seconds();
			if (now - last > longest)
				longest = now - last;
		}
	}
	scanned = counter("numa_pte_updates") - scanned;
	note("%lld pages scanned, %.1f ms at a time", scanned, longest * 1e3);
	EXPECT_LT(MOST_PAGES, scanned);
	EXPECT_GT(MOST_MS / 1e3, longest);
	unfill(filler);
	area_unmap(&area);
}

/* Memory of a node that no policy holds there */
static int fill_from(const struct area *area, int node)
{
	struct nodeset nodes = nodeset_of(node);
	int ret = policy_bind(area->start, area->len, MPOL_BIND, &nodes, 0);

	if (ret)
		return ret;
	touch(area->start, area->len / page_bytes(), page_bytes());
	return policy_bind(area->start, area->len, MPOL_DEFAULT, NULL, 0);
}

/* A mapping that is filled in the middle of a pass: its periods go by all that is there then. */
TEST_F_TIMEOUT(steady, what_has_grown_is_scanned_in_its_period, 120)
{
	enum { ROUNDS = 2, PASS_MS = 4000, SMALL_PAGES = 3 * 1024, PASSES = 2 };
	struct context *ctx = &self->ctx;
	long long scanned, least = MOST_PAGES;
	struct area area, small, rest;
	double end;
	long pass;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	ASSERT_EQ(0, set_pace(16, PASS_MS));
	ASSERT_EQ(0, map_on(&area, ctx->slow, MOST_PAGES, false));
	small = (struct area){ .start = area.start, .len = SMALL_PAGES * page_bytes() };
	rest = (struct area){ .start = area.start + small.len, .len = area.len - small.len };
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, madvise(rest.start, rest.len, MADV_DONTNEED));
		/* A pass has begun when the next call of the scan has come, of four. */
		for (pass = scan_passes(); scan_passes() == pass;)
			touch_once(&small);
		for (end = seconds_now() + 1.5 * PASS_MS / 4e3; seconds_now() < end;)
			;
		ASSERT_EQ(0, fill_from(&rest, ctx->slow));
		scanned = counter("numa_pte_updates");
		for (end = seconds_now() + PASSES * PASS_MS / 1e3; seconds_now() < end;)
			;
		scanned = counter("numa_pte_updates") - scanned;
		if (scanned < least)
			least = scanned;
	}
	note("%lld of %d pages scanned in %d passes", least, MOST_PAGES, PASSES);
	EXPECT_LT(MOST_PAGES * 3 / 4, least);
	area_unmap(&area);
}

/*
 * A quarter of the memory is in use sixteen times as often as the rest, and fits. The rest
 * is touched in between: hot pages that nobody touches while all cold ones come are cold.
 */
TEST_F_TIMEOUT(steady, what_is_hot_stays, 120)
{
	enum { PASS_MS = 2000, HOT_MS = 100, SLOWER = 16, PASSES = 10, LATER = 4 };
	struct context *ctx = &self->ctx;
	struct area area, hot, cold;
	long long last = 0;
	pid_t filler;
	double next;
	int slot;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	filler = map_twice_the_room(ctx, &area, false);
	if (filler < 0)
		SKIP(return, "a node is too small");
	ASSERT_LT(0, filler);
	ASSERT_EQ(0, set_pace(16, PASS_MS));
	hot = (struct area){ .start = area.start, .len = area.len / 4 };
	cold = (struct area){ .start = area.start + hot.len, .len = area.len - hot.len };
	next = seconds_now();
	for (slot = 0; slot < (PASSES + LATER) * PASS_MS / SLOT_MS; slot++) {
		if (slot == PASSES * PASS_MS / SLOT_MS) {
			EXPECT_LE(MOST_PAGES / 4 * 31 / 32, count_on(&hot, ctx->fast));
			last = counter("pgpromote_success");
		}
		touch_slot(&hot, slot, SLOT_MS, HOT_MS);
		touch_slot(&cold, slot, SLOT_MS, HOT_MS * SLOWER);
		next += SLOT_MS / 1e3;
		while (seconds_now() < next)
			;
	}
	last = counter("pgpromote_success") - last;
	note("%d pages of %d where they are fast, then %lld moved in four passes",
	     count_on(&hot, ctx->fast), MOST_PAGES / 4, last);
	EXPECT_LE(MOST_PAGES / 4 * 31 / 32, count_on(&hot, ctx->fast));
	/* Of cold ones that are alike some take turns: not most of them in each pass */
	EXPECT_GT(MOST_PAGES / 2, last);
	unfill(filler);
	area_unmap(&area);
}

/*
 * Nothing but the threshold is left of a program that had more than fits, and touched all
 * of it every so often, well within a pass: some is touched soon enough to come, and what
 * goes for it is missed. Returns it, ms, or -1 after a failure.
 */
static long leave_threshold(const struct context *ctx, int every_ms)
{
	enum { PASS_MS = 4000, PASSES = 4, SETTLED_MS = 1500 };
	pid_t pid = fork_child();
	struct area area;
	int status;

	if (!pid) {
		if (map_on(&area, ctx->slow, MOST_PAGES, false) || set_pace(16, PASS_MS))
			_exit(EXIT_FAILURE);
		promoted_in(&area, every_ms, PASSES * PASS_MS);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	/* What was hidden and not touched when it ended is forgotten with all else. */
	usleep(SETTLED_MS * 1000);
	return threshold(ctx->fast);
}

struct newcomer {
	struct area area;
	/* 1 as long as it is not known */
	int err;
};

/*
 * Touches some of its memory, all of which is on a slow node. The fast one is full of what
 * it does not touch, and is not scanned, as it is bound: nothing is known of what goes.
 */
static void begin_anew(const struct context *ctx, struct newcomer *new, int every_ms)
{
	struct nodeset fast = nodeset_of(ctx->fast);
	struct area idle;
	int ret = area_map(&idle, MOST_PAGES / 2 + SOME_PAGES, 1);
	size_t slot = 0;

	if (!ret)
		ret = policy_bind(idle.start, idle.len, MPOL_BIND, &fast, 0);
	if (!ret) {
		touch(idle.start, idle.len / page_bytes(), page_bytes());
		ret = map_on(&new->area, ctx->slow, 3 * SOME_PAGES, false);
	}
	__atomic_store_n(&new->err, ret, __ATOMIC_RELEASE);
	/* Who sleeps is not scanned. */
	if (!ret)
		promoted_from_slot(&new->area, &slot, FINE_SLOT_MS, every_ms, INT_MAX);
	_exit(1);
}

/*
 * A score takes three passes or more, and the threshold that another program has left is
 * found: what a new program uses is fast in its first pass all the same. Latencies are no
 * more than a 16th of the threshold; up to a quarter are short enough by themselves.
 */
TEST_F_TIMEOUT(steady, a_new_program_is_fast_soon, 120)
{
	enum { OTHER_MS = 1200, PASS_MS = 8000, PAGES = 3 * SOME_PAGES, FIRST_MS = 1000 };
	struct context *ctx = &self->ctx;
	long long begun, scanned = 0;
	struct newcomer *new;
	pid_t filler, pid;
	long before, after;
	int came, every_ms;
	time_t guard;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES + PAGES))
		SKIP(return, "the slow node is too small");
	new = mmap(NULL, sizeof(*new), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)new);
	EXPECT_TRUE(push_out(ctx->fast));
	filler = fill(ctx->fast, MOST_PAGES / 2, true);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_LT(0, filler);
	before = leave_threshold(ctx, OTHER_MS);
	/* It only grows before it is found. */
	ASSERT_GT(FIRST_MS, before);
	ASSERT_LE(OTHER_MS / 8, before);
	every_ms = before / 16 / FINE_SLOT_MS * FINE_SLOT_MS;
	ASSERT_EQ(0, set_pace(16, PASS_MS));
	begun = counter("numa_pte_updates");
	new->err = 1;
	guard = guard_begin();
	pid = fork_child();
	if (!pid)
		begin_anew(ctx, new, every_ms);
	ASSERT_LT(0, pid);
	while (__atomic_load_n(&new->err, __ATOMIC_ACQUIRE) > 0 && !guard_over(guard))
		usleep(SLOT_MS * 1000);
	ASSERT_EQ(0, new->err);
	/* A few pages may be passed over. */
	while (scanned < PAGES * 15 / 16 && !guard_over(guard)) {
		usleep(SLOT_MS * 1000);
		scanned = counter("numa_pte_updates") - begun;
	}
	usleep(2000 * every_ms);
	came = count_of(pid, &new->area, ctx->fast);
	after = threshold(ctx->fast);
	note("%d pages of %d have come with %lld scanned; every %d ms, threshold %ld, then %ld ms",
	     came, PAGES, scanned, every_ms, before, after);
	EXPECT_LE(PAGES * 3 / 4, came);
	/* Or so short a latency may have been enough anyway. */
	EXPECT_GE(before * 2, after);
	unfill(pid);
	unfill(filler);
	munmap(new, sizeof(*new));
}

/* Of each of two cgroups that compete */
#define RIVAL_PAGES	(2 * SOME_PAGES)

struct rival {
	struct memcg memcg;
	struct area area;
	/* 1 as long as it is not known */
	int err;
};

/*
 * In a memory cgroup of its own: touches its pages, from a slow node, at random. In turns,
 * with a scan that is about as long as a turn, all of them would look hot or cold together,
 * by where in a turn the scan came by.
 */
static void compete(const struct context *ctx, struct rival *rival, int every_ms)
{
	int ret = memcg_enter(&rival->memcg);

	if (!ret)
		ret = map_on(&rival->area, ctx->slow, RIVAL_PAGES, false);
	rival->err = ret;
	/* Who sleeps is not scanned. */
	if (!ret)
		touch_at_random(&rival->area, every_ms, INT_MAX);
	_exit(1);
}

/* Of what both have on the fast node, percent: what the first has, now */
static int share_of_first(const struct context *ctx, const pid_t *pid, const struct rival *rival)
{
	int first = count_of(pid[0], &rival[0].area, ctx->fast);
	int second = count_of(pid[1], &rival[1].area, ctx->fast);

	return first > 0 && second >= 0 ? 100 * first / (first + second) : 0;
}

static long median_of(long *number, size_t count)
{
	qsort(number, count, sizeof(*number), compare_longs);
	return number[count / 2];
}

/*
 * Two cgroups could use all of the fast node, and one touches its pages ten times as often
 * and is there first: the other one comes to its share. A pass of the scan is half a second
 * of each one's time, of which it has half, and what the scan takes of it at 3 %: about one
 * and a half seconds. A page of the slower one is seen as often as it takes to be touched
 * and then to be scanned, in 1.3 s on average: twenty times until the first share that
 * counts. At the threshold that its cgroup has while it lacks most of its share, half of
 * these pages come within as many; shares are looked at once a second. What both have goes
 * up and down by what kswapd takes at a time: the median of many looks counts.
 */
TEST_F_TIMEOUT(steady, a_faster_cgroup_leaves_a_share, 120)
{
	enum { PASS_MS = 500, ALONE = 6, LOOK_MS = 500, SETTLED = 52, LOOKS = 40 };
	static const int every_ms[2] = { 600, 60 };
	long share[SETTLED + LOOKS] = {}, *counted = share + SETTLED, early, late, first, median;
	struct context *ctx = &self->ctx;
	long long came = 0, went = 0;
	struct rival *rival;
	pid_t pid[2], filler;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	EXPECT_TRUE(push_out(ctx->fast));
	if (!has_room(ctx->slow, 2 * RIVAL_PAGES + SOME_PAGES))
		SKIP(return, "the slow node is too small");
	rival = mmap(NULL, 2 * sizeof(*rival), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)rival);
	/* The faster one has room for all that it has, and for little beside it. */
	filler = fill(ctx->fast, RIVAL_PAGES + SOME_PAGES / 2, true);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_EQ(0, set_pace(256, PASS_MS));
	for (i = 2; i-- > 0;) {
		rival[i].err = 1;
		pid[i] = fork_child();
		if (!pid[i])
			compete(ctx, &rival[i], every_ms[i]);
		ASSERT_LT(0, pid[i]);
		sleep(i ? ALONE : 0);
	}
	for (i = 0; i < SETTLED + LOOKS && rival[0].err >= 0 && rival[1].err >= 0; i++) {
		if (i == SETTLED) {
			came = counter("pgpromote_success");
			went = counter("pgdemote_kswapd");
		}
		usleep(LOOK_MS * 1000);
		share[i] = share_of_first(ctx, pid, rival);
	}
	came = counter("pgpromote_success") - came;
	went = counter("pgdemote_kswapd") - went;
	for (i = 0; i < 2; i++) {
		unfill(pid[i]);
		memcg_leave(&rival[i].memcg);
	}
	unfill(filler);
	if (rival[0].err == -EOPNOTSUPP || rival[1].err == -EOPNOTSUPP)
		SKIP(return, "needs the memory controller in cgroup 2");
	ASSERT_EQ(0, rival[0].err);
	ASSERT_EQ(0, rival[1].err);
	munmap(rival, 2 * sizeof(*rival));
	early = median_of(share, SETTLED / 2);
	late = median_of(share + SETTLED / 2, SETTLED / 2);
	first = median_of(counted, LOOKS / 2);
	note("%ld and %ld %% while it settles, then %ld and %ld", early, late, first,
	     median_of(counted + LOOKS / 2, LOOKS / 2));
	median = median_of(counted, LOOKS);
	note("%ld %% of what both have, %ld to %ld; threshold %ld ms, %lld came, %lld went", median,
	     counted[0], counted[LOOKS - 1], threshold(ctx->fast), came, went);
	EXPECT_LE(30, median);
	EXPECT_GE(60, median);
}
