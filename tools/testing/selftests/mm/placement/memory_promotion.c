// SPDX-License-Identifier: GPL-2.0
/*
 * kernel.numa_balancing=2: hot pages of slow nodes come to fast ones, and the
 * knobs and counters of that.
 *
 * The pace of the scan is raised through debugfs. What is asserted is where pages
 * are, and what was counted, after so many passes of the scan.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cases.h"
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

/* Is all of it mapped by huge pages? */
static bool is_huge(const struct area *area)
{
	unsigned long start, end, kb, found = 0;
	bool within = false;
	char line[256];
	FILE *file;

	file = fopen("/proc/self/smaps", "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			within = start >= (uintptr_t)area->start &&
				 end <= (uintptr_t)area->start + area->len;
		else if (within && sscanf(line, "AnonHugePages: %lu", &kb) == 1)
			found += kb << 10;
	}
	if (file)
		fclose(file);
	return found == area->len;
}

TEST_F_TIMEOUT(promotion, huge_pages_come_up, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long success, wanted;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK))
		SKIP(return, "no huge pages in this kernel");
	ASSERT_EQ(0, file_print("/proc/sys/vm/compact_memory", "1"));
	/* Nothing comes up before it is counted. */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, true));
	ASSERT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
	ASSERT_TRUE(is_huge(&area));
	success = counter("pgpromote_success");
	wanted = counter("pgpromote_free_space") + counter("pgpromote_candidate");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	/* In base pages, and as a whole */
	EXPECT_LE(SOME_PAGES, counter("pgpromote_success") - success);
	EXPECT_LE(SOME_PAGES, counter("pgpromote_free_space") +
			      counter("pgpromote_candidate") - wanted);
	EXPECT_TRUE(is_huge(&area));
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
	EXPECT_TRUE(is_scanned(&area, FEW_PASSES));
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
	/* The scan has been there, and has left all of it alone. */
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, touch_once));
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
 * While the scan goes by, -1 if it does not. Memory that is local to the only
 * thread of a process is never scanned, so there are two.
 */
static long long hint_faults_on_fast(struct context *ctx, bool huge)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	long long before, faults;
	pthread_t thread;
	struct area area;

	if (map_on(&area, ctx->fast, SOME_PAGES, huge))
		return -1;
	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, waits, &lock))
		return -1;
	before = counter("numa_hint_faults");
	faults = passes_go_by(&area, FEW_PASSES, touch_once) ?
		 counter("numa_hint_faults") - before : -1;
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
	EXPECT_EQ(0, hint_faults_on_fast(ctx, false));
	EXPECT_EQ(0, hint_faults_on_fast(ctx, true));
	/* They are scanned in mode 1, so the test can tell */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "1"));
	EXPECT_LE(SOME_PAGES, hint_faults_on_fast(ctx, false));
}

/* Of all pages, in which a few passes of the scan go by if there are any */
#define TOUCHES	10000

TEST_F(promotion, nothing_comes_up_in_other_modes)
{
	struct context *ctx = &self->ctx;
	long long success;
	struct area area;
	long passes;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	success = counter("pgpromote_free_space") + counter("pgpromote_candidate");
	passes = scan_passes();
	ASSERT_LE(0, passes);
	/* No pass goes by, so it is touched more often than while some do below. */
	for (i = 0; i < TOUCHES; i++)
		touch_once(&area);
	EXPECT_EQ(passes, scan_passes());
	EXPECT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
	EXPECT_EQ(success, counter("pgpromote_free_space") +
			   counter("pgpromote_candidate"));
	/* All of it does in this one, with no more touches. */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	for (i = 0; i < TOUCHES && count_on(&area, ctx->fast) < SOME_PAGES; i++)
		touch_once(&area);
	EXPECT_EQ(SOME_PAGES, count_on(&area, ctx->fast));
	area_unmap(&area);
}

/* To mode 1 a slow node is one more: neither a limit nor a score keeps its pages there. */
TEST_F_TIMEOUT(promotion, mode_1_knows_no_tiers, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long wanted;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node has too little free memory");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "1"));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	wanted = counter("pgpromote_free_space") + counter("pgpromote_candidate");
	EXPECT_TRUE(comes_within(&area, ctx->fast, SOME_PAGES, 2 * FEW_PASSES));
	EXPECT_EQ(wanted, counter("pgpromote_free_space") +
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

/* A scan of no pages, or of so many that their count is 0, would divide by that. */
TEST_F(promotion, scan_has_a_size)
{
	/* The first one that is too large, whatever the pages */
	unsigned long long beyond = (1ULL << 32) * page_bytes() >> 20;
	const char *size = PACE_DIR "/scan_size_mb";
	struct context *ctx = &self->ctx;
	long long before;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	before = file_number(size);
	EXPECT_EQ(-EINVAL, file_print(size, "0"));
	EXPECT_EQ(-EINVAL, file_print(size, "-1"));
	EXPECT_EQ(-EINVAL, file_print(size, "x"));
	EXPECT_EQ(-EINVAL, file_print(size, "%llu", beyond));
	EXPECT_EQ(before, file_number(size));
	EXPECT_EQ(0, file_print(size, "%llu", beyond - 1));
	EXPECT_EQ(beyond - 1, file_number(size));
	EXPECT_EQ(0, file_print(size, "1"));
	EXPECT_EQ(1, file_number(size));
}

/* Without demotion the pages of a full node are not swapped out for others. */
TEST_F_TIMEOUT(promotion, nothing_is_reclaimed_without_demotion, PATIENT_TIMEOUT)
{
	struct counters before, after;
	struct context *ctx = &self->ctx;
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
	ASSERT_TRUE(counters_read(&before));
	EXPECT_TRUE(is_scanned(&area, FEW_PASSES));
	ASSERT_TRUE(counters_read(&after));
	EXPECT_EQ(counters_value(&before, "pgscan_kswapd"),
		  counters_value(&after, "pgscan_kswapd"));
	EXPECT_EQ(counters_value(&before, "pgscan_direct"),
		  counters_value(&after, "pgscan_direct"));
	/* Nor is anybody asked to: without swap there would be nothing to look at. */
	EXPECT_EQ(counters_value(&before, "pageoutrun"),
		  counters_value(&after, "pageoutrun"));
	unfill(filler);
	area_unmap(&area);
}

/* Pages that are in use all the time are found at once: their bin begins at 0 ms. */
TEST_F_TIMEOUT(promotion, latencies_begin_where_their_bin_does, PATIENT_TIMEOUT)
{
	char path[64], text[4096] = "";
	struct context *ctx = &self->ctx;
	struct area area;
	int pass;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	snprintf(path, sizeof(path), TIERING_DIR "/node%d/histogram", ctx->fast);
	/* They stay where they are counted. */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, 16, false));
	/* They are counted several times in a pass. */
	for (pass = 0; pass < 2 * FEW_PASSES && strncmp(text, "0 ", 2); pass++) {
		ASSERT_TRUE(passes_go_by(&area, 1, touch_once));
		ASSERT_LE(0, file_read(path, text, sizeof(text)));
	}
	EXPECT_EQ(0, strncmp(text, "0 ", 2))
		TH_LOG("%s", text);
	area_unmap(&area);
}

/* Of the nodes that pages come to: how hot they were, and how many more may come */
TEST_F_TIMEOUT(promotion, latencies_and_budget_are_shown, PATIENT_TIMEOUT)
{
	char latencies[64], budget[64], text[4096] = "", *line, *next;
	struct context *ctx = &self->ctx;
	long start, last = -1, pages, sum = 0;
	time_t begin = guard_begin();
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	snprintf(latencies, sizeof(latencies), TIERING_DIR "/node%d/histogram", ctx->fast);
	snprintf(budget, sizeof(budget), TIERING_DIR "/node%d/budget", ctx->fast);
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	/* They are counted several times in a pass. */
	while (file_read(latencies, text, sizeof(text)) <= 0 && !guard_over(begin))
		usleep(1000);
	for (line = text; *line; line = next) {
		start = strtol(line, &next, 10);
		ASSERT_EQ(' ', *next);
		pages = strtol(next, &next, 10);
		ASSERT_EQ('\n', *next++);
		EXPECT_LT(last, start);
		EXPECT_LT(0, pages);
		last = start;
		sum += pages;
	}
	EXPECT_LT(0, sum);
	area_unmap(&area);

	ASSERT_LT(0, file_read(budget, text, sizeof(text)));
	EXPECT_STREQ("max\n", text);
	/* A quarter of a second's at most, and all of that by then */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "8"));
	sleep(1);
	EXPECT_EQ(8 * ((1 << 20) / page_bytes()) / 4, file_number(budget));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	EXPECT_EQ(0, file_number(budget));
}

/* CPUs whose node has no memory have the nearest fast memory that there is. */
TEST_F_TIMEOUT(promotion, node_without_memory_has_the_nearest, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct nodeset memory, cpu;
	struct area area;
	int node, fast;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, nodeset_read("has_memory", &memory));
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	for (node = MAX_NODES - 1; node >= 0; node--)
		if (nodeset_has(&cpu, node) && !nodeset_has(&memory, node))
			break;
	if (node < 0)
		SKIP(return, "needs a node with CPUs and without memory");
	fast = serving_node(node);
	ASSERT_LE(0, fast);
	if (!has_free_space(fast, SOME_PAGES))
		SKIP(return, "the fast node has too little free memory");
	ASSERT_EQ(0, stay_on(node));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	EXPECT_TRUE(comes_to(&area, fast, SOME_PAGES));
	area_unmap(&area);
}

/* Memory without CPUs that serves some is slow when the administrator says so. */
TEST_F_TIMEOUT(promotion, node_made_slow_is_promoted_from, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct nodeset serving, cpu;
	struct area area;
	int node;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, serving_nodes(&serving));
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	for (node = MAX_NODES - 1; node >= 0; node--)
		if (nodeset_has(&serving, node) && !nodeset_has(&cpu, node) &&
		    node != ctx->fast)
			break;
	if (node < 0)
		SKIP(return, "needs CPUs without memory, and memory nearest to them");
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node has too little free memory");
	ASSERT_EQ(0, map_on(&area, node, SOME_PAGES, false));
	ASSERT_EQ(0, distance_write(node, "2000"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	EXPECT_EQ(0, distance_write(node, "0"));
	area_unmap(&area);
}

/* A socket gets its first memory while tiering is on. */
TEST_F_TIMEOUT(promotion, node_that_comes_is_promoted_to, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct hot_node hot;
	struct nodeset cpu;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	if (hot_find(&hot) || !nodeset_has(&cpu, hot.node))
		SKIP(return, "needs a node with CPUs whose memory is offline");
	ASSERT_EQ(0, stay_on(hot.node));
	EXPECT_EQ(0, hot_add(&hot, hot.blocks));
	EXPECT_LT(0, threshold(hot.node));
	EXPECT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	EXPECT_TRUE(comes_to(&area, hot.node, SOME_PAGES));
	area_unmap(&area);
	EXPECT_EQ(0, hot_remove(&hot, hot.blocks));
}
