// SPDX-License-Identifier: GPL-2.0
/*
 * kernel.numa_balancing=2: hot pages of slow nodes come to fast ones, and the
 * knobs and counters of that.
 *
 * The pace of the scan is raised through debugfs. Waiting has a limit in
 * seconds; what is asserted is where pages are and what was counted.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "promotion.h"

FIXTURE(promotion)
{
	struct context ctx;
};

FIXTURE_SETUP(promotion)
{
	ASSERT_TRUE(context_enter(&self->ctx));
}

FIXTURE_TEARDOWN(promotion)
{
	EXPECT_TRUE(context_leave(&self->ctx));
}

TEST_F_TIMEOUT(promotion, hot_pages_come_up, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long success, free_space, failed;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node has too little free memory");
	/* A slow machine promotes before the pages are counted. */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
	success = counter("pgpromote_success");
	free_space = counter("pgpromote_free_space");
	failed = counter("pgpromote_failed");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	/* There is room: none of them had to be chosen */
	EXPECT_LE(SOME_PAGES, counter("pgpromote_success") - success);
	EXPECT_LE(SOME_PAGES, counter("pgpromote_free_space") - free_space);
	EXPECT_EQ(0, counter("pgpromote_failed") - failed);
	area_unmap(&area);
}

/*
 * New pages wait in the CPU's batch until others follow, and the scan passes over
 * what waits there.
 */
TEST_F_TIMEOUT(promotion, a_single_page_comes_up, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node has too little free memory");
	ASSERT_EQ(0, map_on(&area, ctx->slow, 1, false));
	EXPECT_TRUE(comes_to(&area, ctx->fast, 1));
	area_unmap(&area);
}

TEST_F_TIMEOUT(promotion, huge_pages_come_up, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long success;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, true));
	if (count_on(&area, ctx->slow) != SOME_PAGES)
		SKIP(return, "no huge pages on the slow node");
	success = counter("pgpromote_success");
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	/* In base pages */
	EXPECT_LE(SOME_PAGES, counter("pgpromote_success") - success);
	area_unmap(&area);
}

TEST_F_TIMEOUT(promotion, counted_where_they_go, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long fast, slow;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node has too little free memory");
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	fast = node_counter(ctx->fast, "pgpromote_free_space");
	slow = node_counter(ctx->slow, "pgpromote_free_space");
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	EXPECT_LE(SOME_PAGES, node_counter(ctx->fast, "pgpromote_free_space") - fast);
	EXPECT_EQ(slow, node_counter(ctx->slow, "pgpromote_free_space"));
	area_unmap(&area);
}

/* Nothing comes up under a limit of 0, not even into free memory */
TEST_F_TIMEOUT(promotion, limit_of_nothing, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long success, refused;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	success = counter("pgpromote_success");
	refused = counter("pgpromote_rate_limited");
	EXPECT_TRUE(is_scanned(&area, 3));
	EXPECT_EQ(success, counter("pgpromote_success"));
	EXPECT_EQ(0, count_on(&area, ctx->fast));
	EXPECT_LT(refused, counter("pgpromote_rate_limited"));
	/* And all of it with one */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "65536"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	area_unmap(&area);
}

/* Promotion follows at once when a node is said to be DRAM, or not to be */
TEST_F_TIMEOUT(promotion, follows_the_distance, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long success;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	/* A slow machine promotes before the node is DRAM. */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_EQ(0, distance_write(ctx->slow, "576"));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	success = counter("pgpromote_success");
	usleep(3000000);
	touch_once(&area);
	EXPECT_EQ(0, count_on(&area, ctx->fast));
	EXPECT_EQ(success, counter("pgpromote_success"));
	ASSERT_EQ(0, distance_write(ctx->slow, "0"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	area_unmap(&area);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

/*
 * Memory that is local to the only thread of a process is never scanned. Looks
 * for some seconds, or until there are more than @enough.
 */
static long long hint_faults_on_fast(struct context *ctx, bool huge,
				     int seconds, long long enough)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	time_t end = time(NULL) + seconds;
	long long before, faults = 0;
	pthread_t thread;
	struct area area;

	if (map_on(&area, ctx->fast, SOME_PAGES, huge))
		return -1;
	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, waits, &lock))
		return -1;
	before = counter("numa_hint_faults");
	while (time(NULL) < end && faults <= enough) {
		touch_once(&area);
		faults = counter("numa_hint_faults") - before;
	}
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	area_unmap(&area);
	return faults;
}

/* Some for the program itself, whose pages may be anywhere, but none of these */
TEST_F_TIMEOUT(promotion, fast_pages_are_left_alone, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	EXPECT_EQ(0, hint_faults_on_fast(ctx, false, 4, 0));
	EXPECT_EQ(0, hint_faults_on_fast(ctx, true, 4, 0));
	/* They are scanned in mode 1, so the test can tell */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "1"));
	EXPECT_LT(SOME_PAGES / 2,
		  hint_faults_on_fast(ctx, false, patience(), SOME_PAGES / 2));
}

TEST_F(promotion, nothing_comes_up_in_other_modes)
{
	struct context *ctx = &self->ctx;
	time_t end = time(NULL) + 4;
	long long success;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	success = counter("pgpromote_free_space") + counter("pgpromote_candidate");
	while (time(NULL) < end)
		touch_once(&area);
	EXPECT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
	EXPECT_EQ(success, counter("pgpromote_free_space") +
			   counter("pgpromote_candidate"));
	area_unmap(&area);
}

TEST_F(promotion, threshold_is_the_configured_one)
{
	struct context *ctx = &self->ctx;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	EXPECT_EQ(1000 * slowdown(), threshold(ctx->fast));
	EXPECT_EQ(0, sysctl_write("numa_balancing_hot_threshold_ms", "250"));
	EXPECT_EQ(250, threshold(ctx->fast));
	/* Its other name */
	EXPECT_EQ(0, file_write(PACE_DIR "/hot_threshold_ms", "400", 3));
	EXPECT_EQ(400, sysctl_read("numa_balancing_hot_threshold_ms"));
	EXPECT_EQ(0, sysctl_write("numa_balancing_hot_threshold_ms", "1"));
	EXPECT_EQ(1, threshold(ctx->fast));
}

TEST_F(promotion, bad_input)
{
	static const struct { const char *name, *text; } bad[] = {
		{ "numa_balancing", "4" },
		{ "numa_balancing", "-1" },
		{ "numa_balancing", "x" },
		{ "numa_balancing", "4294967298" },
		{ "numa_balancing_hot_threshold_ms", "0" },
		{ "numa_balancing_hot_threshold_ms", "-1" },
		{ "numa_balancing_hot_threshold_ms", "1073741824" },
		{ "numa_balancing_hot_threshold_ms", "ten" },
		{ "numa_balancing_hot_threshold_ms", "99999999999" },
		{ "numa_balancing_rate_limit_mbps", "-1" },
		{ "numa_balancing_rate_limit_mbps", "x" },
		{ "numa_balancing_rate_limit_mbps", "4294967296" },
		{ "numa_balancing_promote_rate_limit_MBps", "-1" },
		{ "numa_balancing_promote_rate_limit_MBps", "x" },
	};
	struct context *ctx = &self->ctx;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		long before = sysctl_read(bad[i].name);

		EXPECT_EQ(-EINVAL, sysctl_write(bad[i].name, bad[i].text))
			TH_LOG("%s = %s", bad[i].name, bad[i].text);
		EXPECT_EQ(before, sysctl_read(bad[i].name));
	}
	for (i = 0; i < 4; i++) {
		char mode[2] = { '0' + i };

		EXPECT_EQ(0, sysctl_write("numa_balancing", mode));
		EXPECT_EQ(i, sysctl_read("numa_balancing"));
	}
	/* One limit, two names */
	EXPECT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "123"));
	EXPECT_EQ(123, sysctl_read("numa_balancing_promote_rate_limit_MBps"));
	EXPECT_EQ(0, sysctl_write("numa_balancing_promote_rate_limit_MBps", "456"));
	EXPECT_EQ(456, sysctl_read("numa_balancing_rate_limit_mbps"));
}

/* Without demotion the pages of a full node are not swapped out for others. */
TEST_F_TIMEOUT(promotion, nothing_is_reclaimed_without_demotion, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long scanned;
	struct area area;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, file_write(DEMOTION, "0", 1));
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	filler = fill(ctx->fast, 2 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_EQ(0, map_on(&area, ctx->slow, MOST_PAGES, false));
	scanned = counter("pgscan_kswapd") + counter("pgscan_direct");
	EXPECT_TRUE(is_scanned(&area, 3));
	EXPECT_EQ(scanned, counter("pgscan_kswapd") + counter("pgscan_direct"));
	unfill(filler);
	area_unmap(&area);
}

TEST_HARNESS_MAIN
