// SPDX-License-Identifier: GPL-2.0
/*
 * Promotion to a node that is full, or was: the scan goes on, room is made, and
 * what is demoted soon after is counted.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "promotion.h"

#define MIN_FREE "/proc/sys/vm/min_free_kbytes"
#define DEFRAG "/sys/kernel/mm/transparent_hugepage/defrag"

FIXTURE(events)
{
	struct context ctx;
	/* What a test has to leave as it was, if it changes it */
	long min_free;
	char defrag[16];
};

FIXTURE_SETUP(events)
{
	ASSERT_TRUE(context_enter(&self->ctx));
}

FIXTURE_TEARDOWN(events)
{
	if (self->min_free)
		EXPECT_EQ(0, file_print(MIN_FREE, "%ld", self->min_free));
	if (*self->defrag)
		EXPECT_EQ(0, file_print(DEFRAG, "%s", self->defrag));
	EXPECT_TRUE(context_leave(&self->ctx));
}

/* The word of DEFRAG that holds, which is the one in brackets */
static bool defrag_read(char word[16])
{
	char text[128];
	const char *begin;

	if (file_read(DEFRAG, text, sizeof(text)) < 0)
		return false;
	begin = strchr(text, '[');
	return begin && sscanf(begin, "[%15[^]]", word) == 1;
}

/* By which the scan goes */
static double cpu_seconds(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec + used.tv_nsec / 1e9;
}

/* Touches that tiering_load makes of 64 MiB, with @arguments; -1 where it says nothing */
static long long run_load(const struct context *ctx, const char *arguments)
{
	char line[512], *found;
	long long count = -1;
	FILE *output;

	snprintf(line, sizeof(line),
		 "./tiering_load --mib 64 --fast %d --slow %d --every 1 --summary %s",
		 ctx->fast, ctx->slow, arguments);
	output = popen(line, "re");
	if (!output)
		return -1;
	while (fgets(line, sizeof(line), output)) {
		found = strstr(line, " touches=");
		if (found)
			count = atoll(found + strlen(" touches="));
	}
	return pclose(output) ? -1 : count;
}

/*
 * While tiering_load looks where its pages are, it goes on touching them: else all are
 * cold meanwhile. It stopped for a fourth of the time here, and kswapd took hot pages.
 */
TEST_F_TIMEOUT(events, load_goes_on_while_it_is_looked_at, PATIENT_TIMEOUT)
{
	const long long all = 4 * 100000;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!getenv("steady_clock"))
		SKIP(return, "needs a machine that nothing disturbs, and steady_clock=NS");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	EXPECT_LE(all - all / 50,
		  run_load(&self->ctx, "--rate 100000 --seconds 4"));
	/* At half of the time another hot set */
	EXPECT_LE(all - all / 50,
		  run_load(&self->ctx, "--rate 100000 --seconds 4 --distribution shifting"));
}

/*
 * A task whose hot pages come up slowly is scanned on and on: the base would
 * scan it ever more slowly, after half a minute once a minute. How often it is
 * scanned in a time depends on the processor, which here has no other work.
 */
TEST_F_TIMEOUT(events, scan_goes_on_while_pages_come_up, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct counters before, after;
	struct area area;
	double half;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!getenv("steady_clock"))
		SKIP(return, "needs a machine that nothing disturbs, and steady_clock=NS");
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	filler = fill(ctx->fast, 2 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_EQ(0, file_print(PACE_DIR "/scan_period_max_ms", "60000"));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "2"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, MOST_PAGES, false));
	half = cpu_seconds() + 12;
	while (cpu_seconds() < half)
		touch_once(&area);
	ASSERT_TRUE(counters_read(&before));
	while (cpu_seconds() < half + 12)
		touch_once(&area);
	ASSERT_TRUE(counters_read(&after));
	/* Not all have come up yet */
	EXPECT_LT(0, count_on(&area, ctx->slow));
	EXPECT_LT(counters_value(&before, "pgpromote_success"),
		  counters_value(&after, "pgpromote_success"));
	EXPECT_LE(counters_value(&before, "numa_pte_updates") + 2 * MOST_PAGES,
		  counters_value(&after, "numa_pte_updates"));
	unfill(filler);
	area_unmap(&area);
}

/* Room for huge pages on the fast node, but in single pages, and huge pages on the slow one */
static pid_t leave_pieces(struct context *ctx, struct area *area, struct area *holes)
{
	pid_t filler;
	size_t i;

	filler = fill(ctx->fast, 9 * SOME_PAGES / 4, false);
	if (filler < 0)
		return filler;
	if (map_on(holes, ctx->fast, 2 * SOME_PAGES, false) ||
	    map_on(area, ctx->slow, 2 * SOME_PAGES, true))
		return 0;
	for (i = 0; i < holes->len; i += 2 * page_bytes())
		if (madvise(holes->start + i, page_bytes(), MADV_DONTNEED))
			return 0;
	return filler;
}

/* It has to be made. */
TEST_F_TIMEOUT(events, huge_pages_come_up_where_room_is_in_pieces, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area, holes;
	long long failed;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES) || !has_room(ctx->fast, MOST_PAGES))
		SKIP(return, "a node is too small");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	/* So little that the pieces are above all marks */
	self->min_free = file_number(MIN_FREE);
	ASSERT_LT(0, self->min_free);
	ASSERT_EQ(0, file_print(MIN_FREE, "4096"));
	filler = leave_pieces(ctx, &area, &holes);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_LT(0, filler);
	failed = counter("pgpromote_failed");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	/* Those that found none, before the pieces were put together, count in base pages. */
	failed = counter("pgpromote_failed") - failed;
	if (failed)
		EXPECT_LE(HUGE_BYTES / page_bytes(), failed);
	unfill(filler);
	area_unmap(&holes);
	area_unmap(&area);
}

/* Nothing is made for those that another process maps as well: they stay where they are. */
TEST_F_TIMEOUT(events, nothing_is_made_for_huge_pages_that_stay, PATIENT_TIMEOUT)
{
	struct counters before, after;
	struct context *ctx = &self->ctx;
	struct area area, holes, whole;
	pid_t filler, pid;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES) || !has_room(ctx->fast, MOST_PAGES))
		SKIP(return, "a node is too small");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	self->min_free = file_number(MIN_FREE);
	ASSERT_LT(0, self->min_free);
	ASSERT_EQ(0, file_print(MIN_FREE, "4096"));
	filler = leave_pieces(ctx, &area, &holes);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_LT(0, filler);
	/* The blocks that are left, and no others */
	ASSERT_TRUE(defrag_read(self->defrag));
	ASSERT_EQ(0, file_print(DEFRAG, "never"));
	ret = map_on(&whole, ctx->fast, SOME_PAGES / 2, true);
	EXPECT_EQ(0, file_print(DEFRAG, "%s", self->defrag));
	ASSERT_EQ(0, ret);
	pid = fork_child();
	if (!pid)
		for (;;)
			pause();
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	ASSERT_TRUE(counters_read(&before));
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, read_once));
	ASSERT_TRUE(counters_read(&after));
	EXPECT_LT(counters_value(&before, "pgpromote_failed"),
		  counters_value(&after, "pgpromote_failed"));
	EXPECT_EQ(counters_value(&before, "pageoutrun"),
		  counters_value(&after, "pageoutrun"));
	kill(pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
	unfill(filler);
	area_unmap(&whole);
	area_unmap(&holes);
	area_unmap(&area);
}

/*
 * kswapd gives up a node on which it finds nothing to demote. There may be
 * something later, and nobody but those who promote would notice.
 */
TEST_F_TIMEOUT(events, pages_come_up_to_a_node_that_was_given_up, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area;
	pid_t filler;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	filler = fill(ctx->fast, SOME_PAGES / 4, true);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_EQ(0, map_on(&area, ctx->slow, 2 * SOME_PAGES, false));
	/* Else what has come up is demoted again, from the room that is left. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	/* kswapd tries 16 times, and each pass of the scan wakes it at least once. */
	for (i = 0; i < 2 * 16 && !is_given_up(ctx->fast); i++)
		ASSERT_TRUE(passes_go_by(&area, 1, touch_once));
	ASSERT_TRUE(is_given_up(ctx->fast));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	unfill(filler);
	/* Or it would be copied when it is touched, from the next filler's. */
	area_unmap(&area);
	filler = fill(ctx->fast, SOME_PAGES / 4, false);
	ASSERT_LT(0, filler);
	ASSERT_EQ(0, map_on(&area, ctx->slow, 2 * SOME_PAGES, false));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	unfill(filler);
	area_unmap(&area);
}

struct fillers {
	pid_t first;
	pid_t second;
};

/* The first one also takes what the CPUs keep for themselves; exact is the second. */
static bool fill_exactly(struct fillers *fillers, int node, size_t pages)
{
	fillers->first = fill(node, pages + MOST_PAGES, false);
	fillers->second = fillers->first < 0 ? -1 : fill(node, pages, false);
	return fillers->second > 0;
}

static void unfill_both(const struct fillers *fillers)
{
	unfill(fillers->first);
	unfill(fillers->second);
}

/* Between its marks a slow node makes no room itself: it still takes what is demoted. */
TEST_F_TIMEOUT(events, pages_come_up_beside_a_slow_node_that_is_nearly_full,
	       PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct fillers fast, slow;
	struct area area;
	long high;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, 2 * MOST_PAGES) || !has_room(ctx->fast, MOST_PAGES))
		SKIP(return, "a node is too small");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	/* So far apart that what kswapd makes room for fits between two marks */
	self->min_free = file_number(MIN_FREE);
	ASSERT_LT(0, self->min_free);
	ASSERT_EQ(0, file_print(MIN_FREE, "131072"));
	high = zone_pages(ctx->slow, "high");
	/* Before the area, which a child would share. Some pages have room. */
	ASSERT_TRUE(fill_exactly(&fast, ctx->fast,
				 zone_pages(ctx->fast, "high") + SOME_PAGES / 8));
	ASSERT_TRUE(fill_exactly(&slow, ctx->slow, high - SOME_PAGES / 4 + 2 * SOME_PAGES));
	ASSERT_EQ(0, map_on(&area, ctx->slow, 2 * SOME_PAGES, false));
	EXPECT_GT(high - SOME_PAGES / 8, zone_pages(ctx->slow, "pages free"));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	unfill_both(&slow);
	unfill_both(&fast);
	area_unmap(&area);
}

/* Pages that were promoted, demoted, and demoted soon after they were promoted */
struct traffic {
	long long up;
	long long down;
	long long back;
};

static bool traffic_read(struct traffic *traffic)
{
	struct counters now;

	if (!counters_read(&now))
		return false;
	traffic->up = counters_value(&now, "pgpromote_success");
	traffic->down = counters_value(&now, "pgdemote_kswapd") +
			counters_value(&now, "pgdemote_direct");
	traffic->back = counters_value(&now, "pgpromote_demoted_back");
	return true;
}

/*
 * When nobody touches anything kswapd ends what it has begun: a page that goes
 * back is counted before the others that are demoted with it are.
 */
static bool traffic_at_rest(struct traffic *traffic)
{
	struct traffic before;
	int rounds = 0;

	do {
		if (!traffic_read(&before) || !settle(&rounds) ||
		    !traffic_read(traffic))
			return false;
	} while (memcmp(traffic, &before, sizeof(before)));
	return true;
}

/*
 * Fills the fast node, where @area is, and asks for @more: nobody uses the pages of
 * @area, and nothing else can be demoted. Returns who fills it, 0 for a failure, and
 * less where it cannot be filled.
 */
static pid_t push_out(const struct context *ctx, const struct area *area, struct area *more)
{
	int rounds = 0;
	pid_t filler;

	if (file_print("/proc/self/clear_refs", "1"))
		return 0;
	filler = fill(ctx->fast, 1, true);
	if (filler < 0)
		return filler;
	if (map_on(more, ctx->fast, SOME_PAGES / 4, false)) {
		unfill(filler);
		return 0;
	}
	while (!count_on(area, ctx->slow) && settle(&rounds))
		;
	return filler;
}

/* Pages that come up, and are not used any more when the fast node gets full */
TEST_F_TIMEOUT(events, pages_that_go_back_are_counted, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct traffic before, after;
	struct area area, more;
	long long fast, slow;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES) || !has_room(ctx->fast, MOST_PAGES))
		SKIP(return, "a node is too small");
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_TRUE(traffic_at_rest(&before));
	fast = node_counter(ctx->fast, "pgpromote_demoted_back");
	slow = node_counter(ctx->slow, "pgpromote_demoted_back");
	ASSERT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	/* Soon is within a pass, however long it takes to fill the node. */
	ASSERT_EQ(0, file_print(PACE_DIR "/scan_period_max_ms", "600000"));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	filler = push_out(ctx, &area, &more);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_LT(0, filler);
	EXPECT_LT(0, count_on(&area, ctx->slow));
	ASSERT_TRUE(traffic_at_rest(&after));
	note("%lld up, %lld down, %lld of them back", after.up - before.up,
	     after.down - before.down, after.back - before.back);
	EXPECT_LT(before.back, after.back);
	EXPECT_LE(after.back - before.back, after.down - before.down);
	EXPECT_LE(after.back - before.back, after.up - before.up);
	/* By the node that they were promoted to */
	EXPECT_LT(fast, node_counter(ctx->fast, "pgpromote_demoted_back"));
	EXPECT_EQ(slow, node_counter(ctx->slow, "pgpromote_demoted_back"));
	unfill(filler);
	area_unmap(&more);
	area_unmap(&area);
}

/* What a user moves to a fast node was not promoted, and is not demoted back. */
TEST_F_TIMEOUT(events, pages_that_users_move_are_not_counted, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct traffic before, after;
	struct area area, more;
	struct nodeset fast;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES) || !has_room(ctx->fast, MOST_PAGES))
		SKIP(return, "a node is too small");
	fast = nodeset_of(ctx->fast);
	/* Soon is within a pass, however long it takes to fill the node. */
	ASSERT_EQ(0, file_print(PACE_DIR "/scan_period_max_ms", "600000"));
	/* Nothing is promoted meanwhile. */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_TRUE(traffic_at_rest(&before));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &fast, MPOL_MF_MOVE));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_DEFAULT, NULL, 0));
	ASSERT_EQ(SOME_PAGES, count_on(&area, ctx->fast));
	filler = push_out(ctx, &area, &more);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_LT(0, filler);
	EXPECT_LT(0, count_on(&area, ctx->slow));
	ASSERT_TRUE(traffic_at_rest(&after));
	EXPECT_LT(before.down, after.down);
	EXPECT_EQ(before.back, after.back);
	unfill(filler);
	area_unmap(&more);
	area_unmap(&area);
}
