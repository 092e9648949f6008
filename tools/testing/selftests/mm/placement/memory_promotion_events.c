// SPDX-License-Identifier: GPL-2.0
/*
 * Promotion beside what else happens to memory: locks, forks, merging, limits,
 * changes of the mode and of tiers, cpusets, memory that comes and goes, several
 * fast nodes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "promotion.h"

/* Of Linux 6.1 and newer headers */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define KSM_DIR "/sys/kernel/mm/ksm"

FIXTURE(events)
{
	struct context ctx;
};

FIXTURE_SETUP(events)
{
	ASSERT_TRUE(context_enter(&self->ctx));
}

FIXTURE_TEARDOWN(events)
{
	EXPECT_TRUE(context_leave(&self->ctx));
}

/* kB, of the calling process */
static long long locked_memory(void)
{
	return file_value("/proc/self/status", "VmLck:");
}

TEST_F_TIMEOUT(events, locked_pages_come_up_and_stay_locked, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	const long long kb = SOME_PAGES * (page_bytes() / 1024);
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_EQ(0, mlock(area.start, area.len));
	ASSERT_EQ(kb, locked_memory());
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	EXPECT_EQ(kb, locked_memory());
	/* But for a few that the CPUs have not counted yet */
	EXPECT_LE(SOME_PAGES - 64, counter("nr_mlock"));
	area_unmap(&area);
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

/* Pages that two processes share until one writes are left where they are. */
TEST_F_TIMEOUT(events, pages_of_a_fork_wait_until_they_are_single, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	pid = fork_child();
	if (!pid)
		wait_for_ever();
	ASSERT_LT(0, pid);
	/* Reads, since a write would make a page of one's own */
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, read_once));
	EXPECT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	area_unmap(&area);
}

/*
 * The first scan says what changes, the next one merges what is on no CPU's list;
 * others are for that
 */
#define MERGE_SCANS 8

/* Waits until as many pages as @count are merged: those that stay, and the others */
static bool are_merged(long long count)
{
	long long end = file_number(KSM_DIR "/full_scans") + MERGE_SCANS;
	time_t begin = guard_begin();

	while (file_number(KSM_DIR "/pages_shared") +
	       file_number(KSM_DIR "/pages_sharing") < count) {
		if (file_number(KSM_DIR "/full_scans") >= end || guard_over(begin))
			return false;
		usleep(10000);
	}
	return true;
}

/* Merged pages stay, whoever reads them. What is written is single again. */
TEST_F_TIMEOUT(events, merged_pages_stay, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (access(KSM_DIR "/run", F_OK))
		SKIP(return, "no merging of pages in this kernel");
	/* While they are merged nothing shall come up. */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	for (i = 0; i < SOME_PAGES; i++)
		memset(area.start + i * page_bytes(), 1 + i % 2, page_bytes());
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_MERGEABLE));
	EXPECT_EQ(0, file_print(KSM_DIR "/merge_across_nodes", "0"));
	EXPECT_EQ(0, file_print(KSM_DIR "/pages_to_scan", "%d", SOME_PAGES));
	EXPECT_EQ(0, file_print(KSM_DIR "/run", "1"));
	EXPECT_TRUE(are_merged(SOME_PAGES));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, read_once));
	EXPECT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
	for (i = 0; i < SOME_PAGES; i++)
		EXPECT_EQ(1 + i % 2, area.start[i * page_bytes()]);
	EXPECT_EQ(0, file_print(KSM_DIR "/run", "2"));
	area_unmap(&area);
	EXPECT_EQ(0, file_print(KSM_DIR "/run", "0"));
	EXPECT_EQ(0, file_print(KSM_DIR "/merge_across_nodes", "1"));
}

struct limited {
	struct context *ctx;
	long long most;
	long long killed;
	bool came;
};

static const char *group_path(const struct memcg *memcg, const char *file,
			      char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s", memcg->group, file);
	return buf;
}

/* In a group whose limit leaves little beside the pages themselves */
static int come_up_below_a_limit(void *arg)
{
	struct limited *limited = arg;
	struct memcg memcg;
	struct area area;
	char path[128];
	long long now;
	int ret = 1;

	if (memcg_enter(&memcg))
		return 2;
	if (map_on(&area, limited->ctx->slow, SOME_PAGES, false))
		return 1;
	now = file_number(group_path(&memcg, "memory.current", path, sizeof(path)));
	group_path(&memcg, "memory.max", path, sizeof(path));
	if (now > 0 &&
	    !file_print(path, "%lld", now + 64 * (long long)page_bytes())) {
		limited->came = comes_to(&area, limited->ctx->fast, SOME_PAGES);
		group_path(&memcg, "memory.events", path, sizeof(path));
		limited->most = file_value(path, "max");
		limited->killed = file_value(path, "oom_kill");
		ret = 0;
	}
	area_unmap(&area);
	memcg_leave(&memcg);
	return ret;
}

/* A page that moves is charged as before: no limit is met, nobody is killed. */
TEST_F_TIMEOUT(events, limits_of_a_group_are_not_met, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct limited *limited;
	int status;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	limited = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, limited);
	limited->ctx = ctx;
	status = in_child(come_up_below_a_limit, limited);
	if (status == 2)
		SKIP(return, "no memory cgroups");
	EXPECT_EQ(0, status);
	EXPECT_TRUE(limited->came);
	EXPECT_EQ(0, limited->most);
	EXPECT_EQ(0, limited->killed);
	munmap(limited, page_bytes());
}

static atomic_bool enough;

static void *touch_until_enough(void *arg)
{
	while (!atomic_load(&enough))
		touch_once(arg);
	return NULL;
}

/* Each change meets pages that were scanned in another mode. */
TEST_F_TIMEOUT(events, modes_change_under_load, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area;
	pthread_t thread;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	atomic_store(&enough, false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_until_enough, &area));
	for (i = 0; i < 100; i++) {
		char mode[2] = { '0' + i % 4 };

		EXPECT_EQ(0, sysctl_write("numa_balancing", mode));
		usleep(20000);
	}
	EXPECT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	atomic_store(&enough, true);
	pthread_join(thread, NULL);
	area_unmap(&area);
}

/* What a slow node's page keeps of its scan is no CPU when that node is DRAM. */
TEST_F_TIMEOUT(events, slow_memory_becomes_dram, PATIENT_TIMEOUT)
{
	static const char * const modes[] = { "1", "3" };
	struct context *ctx = &self->ctx;
	struct area area;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	/* All pages are scanned, and none comes up. */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		EXPECT_EQ(0, sysctl_write("numa_balancing", "2"));
		ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
		EXPECT_TRUE(is_scanned(&area, 2));
		EXPECT_EQ(0, count_on(&area, ctx->fast));
		EXPECT_EQ(0, distance_write(ctx->slow, "576"));
		EXPECT_EQ(0, sysctl_write("numa_balancing", modes[i]));
		EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
		EXPECT_EQ(0, distance_write(ctx->slow, "0"));
		area_unmap(&area);
	}
}

/* Pages are numbered, and still are after they have moved. */
static void number_pages(const struct area *area)
{
	size_t i;

	for (i = 0; i < area->len / page_bytes(); i++)
		*(size_t *)(area->start + i * page_bytes() + 64) = i;
}

static bool pages_have_numbers(const struct area *area)
{
	size_t i;

	for (i = 0; i < area->len / page_bytes(); i++)
		if (*(size_t *)(area->start + i * page_bytes() + 64) != i)
			return false;
	return true;
}

/* The same while pages are scanned and touched all the time */
TEST_F_TIMEOUT(events, tiers_change_under_load, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct nodeset slow;
	struct area area;
	pthread_t thread;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	slow = nodeset_of(ctx->slow);
	ASSERT_EQ(0, set_pace(256, 100));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	number_pages(&area);
	atomic_store(&enough, false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_until_enough, &area));
	for (i = 0; i < 15; i++) {
		char mode[2] = { '1' + i % 3 };

		EXPECT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &slow,
					 MPOL_MF_MOVE));
		EXPECT_EQ(0, policy_bind(area.start, area.len, MPOL_DEFAULT,
					 NULL, 0));
		usleep(200000);
		EXPECT_EQ(0, distance_write(ctx->slow, "576"));
		EXPECT_EQ(0, sysctl_write("numa_balancing", mode));
		usleep(200000);
		EXPECT_EQ(0, sysctl_write("numa_balancing", "2"));
		EXPECT_EQ(0, distance_write(ctx->slow, "0"));
	}
	EXPECT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "65536"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	atomic_store(&enough, true);
	pthread_join(thread, NULL);
	EXPECT_TRUE(pages_have_numbers(&area));
	area_unmap(&area);
}

/* With its CPU on the fast node, whatever memory it may use */
static int enter_cpuset(const struct context *ctx, struct cpuset *cpuset,
			const struct nodeset *nodes)
{
	int ret = cpuset_enter(cpuset, nodes);

	if (!ret)
		ret = stay_on(ctx->cpus);
	if (ret)
		cpuset_leave(cpuset);
	return ret;
}

/* A task runs beside fast memory that it may not use. */
TEST_F_TIMEOUT(events, cpuset_without_the_fast_node, PATIENT_TIMEOUT)
{
	static const char * const names[] = {
		"pgpromote_candidate", "pgpromote_free_space", "pgpromote_success",
		"pgpromote_rate_limited", "pgpromote_failed",
	};
	struct context *ctx = &self->ctx;
	long long before[ARRAY_LEN(names)];
	struct nodeset slow, both;
	struct cpuset cpuset;
	struct area area;
	size_t i;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	slow = nodeset_of(ctx->slow);
	both = nodeset_pair(ctx->fast, ctx->slow);
	ret = enter_cpuset(ctx, &cpuset, &slow);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no cpusets");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	for (i = 0; i < ARRAY_LEN(names); i++)
		before[i] = counter(names[i]);
	EXPECT_TRUE(is_scanned(&area, FEW_PASSES));
	EXPECT_EQ(0, count_on(&area, ctx->fast));
	/* It is not even tried */
	for (i = 0; i < ARRAY_LEN(names); i++)
		EXPECT_EQ(before[i], counter(names[i]))
			TH_LOG("counter %zu", i);
	EXPECT_EQ(0, cpuset_move(&cpuset, &both));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	area_unmap(&area);
	cpuset_leave(&cpuset);
}

/* Pages wait for the limit while their task loses the node where they would go. */
TEST_F_TIMEOUT(events, cpuset_loses_the_fast_node, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct nodeset slow, both;
	struct cpuset cpuset;
	long long candidates;
	struct area area;
	int ret, fast;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	slow = nodeset_of(ctx->slow);
	both = nodeset_pair(ctx->fast, ctx->slow);
	/* Outside the cpuset, or its memory would go as well */
	filler = fill(ctx->fast, 2 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ret = enter_cpuset(ctx, &cpuset, &both);
	if (ret)
		unfill(filler);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no cpusets");
	ASSERT_EQ(0, ret);
	/* What waits does so for two passes at most */
	EXPECT_EQ(0, file_print(PACE_DIR "/scan_period_max_ms", "10000"));
	EXPECT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "1"));
	EXPECT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	candidates = counter("pgpromote_candidate");
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, touch_once));
	EXPECT_LE(SOME_PAGES, counter("pgpromote_candidate") - candidates);
	EXPECT_EQ(0, cpuset_move(&cpuset, &slow));
	fast = count_on(&area, ctx->fast);
	/* All that waits is looked at now, and one may be on its way already. */
	EXPECT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "65536"));
	EXPECT_TRUE(is_scanned(&area, FEW_PASSES));
	EXPECT_GE(fast + 1, count_on(&area, ctx->fast));
	unfill(filler);
	EXPECT_EQ(0, cpuset_move(&cpuset, &both));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	area_unmap(&area);
	cpuset_leave(&cpuset);
}

/* Ways to keep pages on a slow node */
enum bind { BIND, BIND_BALANCED, BIND_LAZILY, BIND_TASK, NR_BINDS };

static const char * const bind_name[NR_BINDS] = {
	"mbind", "mbind, balanced", "mbind2, lazily", "set_mempolicy",
};

static int bind_to(const struct area *area, int node, enum bind how)
{
	struct nodeset nodes = nodeset_of(node);
	struct own_policy own;

	switch (how) {
	case BIND:
		return policy_bind(area->start, area->len, MPOL_BIND, &nodes, 0);
	case BIND_BALANCED:
		return policy_bind(area->start, area->len, MPOL_BIND | MPOL_F_NUMA_BALANCING,
				   &nodes, 0);
	case BIND_LAZILY:
		own_init(&own, MPOL_BIND, 0, &nodes, NULL);
		return own_bind(area->start, area->len, &own, MPOL_MF_MOVE | MPOL_MF_LAZY);
	default:
		return policy_set(MPOL_BIND, &nodes);
	}
}

/* Pages wait for the limit while a policy binds them to where they are. */
static void binds_what_waits(struct __test_metadata *_metadata, const struct context *ctx,
			     enum bind how)
{
	long long candidates, refused;
	int fast, rounds = 0;
	struct area area;
	pid_t filler;

	filler = fill(ctx->fast, 2 * SOME_PAGES, false);
	ASSERT_LT(0, filler);
	/* With the threshold that is configured, not the one that was found before */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	/* What waits does so for two passes at most */
	ASSERT_EQ(0, file_print(PACE_DIR "/scan_period_max_ms", "10000"));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "1"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, 2 * SOME_PAGES, false));
	candidates = counter("pgpromote_candidate");
	EXPECT_TRUE(passes_go_by(&area, 1, touch_once));
	EXPECT_LE(SOME_PAGES, counter("pgpromote_candidate") - candidates);
	/* Before they are bound: what waits may be looked at from then on */
	refused = counter("pgpromote_rate_limited");
	ASSERT_EQ(0, bind_to(&area, ctx->slow, how))
		TH_LOG("%s", bind_name[how]);
	fast = count_on(&area, ctx->fast);
	EXPECT_GT(2 * SOME_PAGES, fast);
	/* All that waits is looked at now, if not before, and is found to have waited in vain. */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "65536"));
	while (counter("pgpromote_rate_limited") < refused + SOME_PAGES / 4 &&
	       settle(&rounds))
		;
	EXPECT_LE(refused + SOME_PAGES / 4, counter("pgpromote_rate_limited"))
		TH_LOG("%s", bind_name[how]);
	EXPECT_EQ(fast, count_on(&area, ctx->fast))
		TH_LOG("%s", bind_name[how]);
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	unfill(filler);
	area_unmap(&area);
}

TEST_F_TIMEOUT(events, policy_binds_what_waits, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	pid_t filler;
	int how;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	filler = fill(ctx->fast, 2 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	unfill(filler);
	for (how = 0; how < NR_BINDS; how++)
		binds_what_waits(_metadata, ctx, how);
}

/* A child with memory bound to @node by its own policy, which lets it be scanned */
static pid_t start_bound(int node, struct area *area)
{
	struct nodeset nodes = nodeset_of(node);
	pid_t pid;

	/* Mapped before the fork, so that the parent knows where: used by the child alone */
	if (area_map(area, SOME_PAGES, 1))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (policy_set(MPOL_BIND | MPOL_F_NUMA_BALANCING, &nodes))
		_exit(1);
	touch(area->start, SOME_PAGES, page_bytes());
	for (;;)
		;
}

/* Others touch memory in a process: not by their policy does it move. */
TEST_F_TIMEOUT(events, policy_binds_what_others_touch, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	time_t begin = guard_begin();
	struct iovec here, there;
	long long faults, hinted;
	struct area area;
	int status;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node is too small");
	pid = start_bound(ctx->slow, &area);
	ASSERT_LT(0, pid);
	while (count_of(pid, &area, ctx->slow) < SOME_PAGES && !guard_over(begin))
		usleep(10000);
	ASSERT_EQ(SOME_PAGES, count_of(pid, &area, ctx->slow));
	faults = counter("numa_hint_faults");
	there = (struct iovec){ .iov_base = area.start, .iov_len = area.len };
	here = there;
	/* The child touches nothing: hint faults are those of the writes. */
	do {
		ASSERT_EQ((ssize_t)area.len, process_vm_writev(pid, &here, 1, &there, 1, 0));
		hinted = counter("numa_hint_faults") - faults;
	} while (hinted < SOME_PAGES && !guard_over(begin));
	EXPECT_LE(SOME_PAGES, hinted);
	EXPECT_EQ(0, count_of(pid, &area, ctx->fast));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	area_unmap(&area);
}

/* Shared memory, or one huge page after the other, on a slow node */
static int map_kind(struct area *area, int node, bool shared)
{
	struct nodeset nodes = nodeset_of(node);
	int ret;

	if (!shared)
		return map_on(area, node, SOME_PAGES, true);
	ret = area_map_shared(area, SOME_PAGES);
	if (!ret)
		ret = policy_bind(area->start, area->len, MPOL_BIND, &nodes, 0);
	if (ret)
		return ret;
	touch(area->start, SOME_PAGES, page_bytes());
	return policy_bind(area->start, area->len, MPOL_DEFAULT, NULL, 0);
}

/* Memory that a process which waits has mapped as well */
TEST_F_TIMEOUT(events, shared_memory_comes_up, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node is too small");
	ASSERT_EQ(0, map_kind(&area, ctx->slow, true));
	pid = fork_child();
	if (!pid) {
		touch_once(&area);
		wait_for_ever();
	}
	ASSERT_LT(0, pid);
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	area_unmap(&area);
}

/* What a device holds cannot be moved: it is not tried in each pass. */
TEST_F_TIMEOUT(events, pinned_pages_are_not_tried, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	long long failed;
	int shared, pin;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node is too small");
	for (shared = 0; shared < 2; shared++) {
		/* To pin is to touch: what is scanned before that comes up. */
		ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
		ASSERT_EQ(0, map_kind(&area, ctx->slow, shared));
		pin = area_pin(&area);
		ASSERT_LE(0, pin);
		ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
		failed = counter("pgpromote_failed");
		EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, touch_once));
		EXPECT_EQ(failed, counter("pgpromote_failed"))
			TH_LOG("shared %d", shared);
		EXPECT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
		close(pin);
		EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES))
			TH_LOG("shared %d", shared);
		area_unmap(&area);
	}
}

/* Pages of all latencies, as the node's histogram has them now */
static long pages_of_histogram(int node)
{
	char path[64], text[4096] = "", *line, *next;
	long sum = 0;

	snprintf(path, sizeof(path), "/sys/kernel/mm/tiering/node%d/histogram", node);
	if (file_read(path, text, sizeof(text)) < 0)
		return -1;
	for (line = text; *line; line = next + 1) {
		strtol(line, &next, 10);
		sum += strtol(next, &next, 10);
	}
	return sum;
}

#define PIPED_PAGES 128

/* What could not be moved for another reason says nothing of what to move next. */
TEST_F_TIMEOUT(events, pages_that_fail_do_not_count_as_hot, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct iovec pages;
	struct area area;
	int pipes[2];
	long long failed;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "the fast node is too small");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_kind(&area, ctx->slow, true));
	/* A reference of the pipe to each of the first pages; the others are not touched. */
	area.len = PIPED_PAGES * page_bytes();
	pages = (struct iovec){ .iov_base = area.start, .iov_len = area.len };
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_LE((int)area.len, fcntl(pipes[1], F_SETPIPE_SZ, (int)area.len));
	ASSERT_EQ((ssize_t)area.len, vmsplice(pipes[1], &pages, 1, 0));
	/* A window without anything, and then with nothing but these */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	failed = counter("pgpromote_failed");
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, touch_once));
	EXPECT_LE(failed + PIPED_PAGES, counter("pgpromote_failed"));
	EXPECT_GT(PIPED_PAGES / 4, pages_of_histogram(ctx->fast));
	close(pipes[0]);
	close(pipes[1]);
	EXPECT_TRUE(comes_to(&area, ctx->fast, PIPED_PAGES));
	area_unmap(&area);
}

/* Base pages wait for the limit, and parts of huge pages are there when it is their turn. */
TEST_F_TIMEOUT(events, huge_pages_are_made_of_what_waits, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	int fast, rounds = 0;
	struct area area;
	pid_t filler;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_room(ctx->slow, MOST_PAGES))
		SKIP(return, "the slow node is too small");
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK))
		SKIP(return, "no huge pages in this kernel");
	ASSERT_EQ(0, file_print("/proc/sys/vm/compact_memory", "1"));
	filler = fill(ctx->fast, 3 * SOME_PAGES, false);
	if (filler < 0)
		SKIP(return, "the fast node cannot be filled");
	ASSERT_EQ(0, file_print(PACE_DIR "/scan_period_max_ms", "10000"));
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "1"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, 2 * SOME_PAGES, false));
	number_pages(&area);
	EXPECT_TRUE(passes_go_by(&area, 1, touch_once));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_HUGEPAGE));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_COLLAPSE));
	fast = count_on(&area, ctx->fast);
	EXPECT_GT(2 * SOME_PAGES, fast);
	/* Nobody touches them: they come up since they have waited. */
	ASSERT_EQ(0, sysctl_write("numa_balancing_rate_limit_mbps", "65536"));
	while (count_on(&area, ctx->fast) == fast && settle(&rounds))
		;
	EXPECT_LT(fast, count_on(&area, ctx->fast));
	EXPECT_TRUE(pages_have_numbers(&area));
	unfill(filler);
	area_unmap(&area);
}

static bool has_directory(int node)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/mm/tiering/node%d", node);
	return !access(path, F_OK);
}

static long long distance_read(int node)
{
	char path[64];

	snprintf(path, sizeof(path), TIERING_DIR "/node%d/abstract_distance", node);
	return file_number(path);
}

/* Waits until more than @before pages have come up, while a thread touches them */
static bool some_come_up(long long before)
{
	long end = scan_passes() + FEW_PASSES;
	time_t begin = guard_begin();

	while (counter("pgpromote_success") <= before) {
		if (scan_passes() >= end || guard_over(begin))
			return false;
		usleep(1000);
	}
	return true;
}

/* The slow node goes while its pages are on their way, and comes back. */
TEST_F_TIMEOUT(events, slow_memory_goes_and_comes, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct hot_node hot;
	struct area area;
	pthread_t thread;
	int i, left;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (hot_find(&hot))
		SKIP(return, "needs a node whose memory is offline");
	/* A sixteenth of the pages at a time: some are left when the memory goes. */
	ASSERT_EQ(0, set_pace(1, 4000));
	for (i = 0; i < 3; i++) {
		long long success = counter("pgpromote_success");

		ASSERT_EQ(0, hot_add(&hot, hot.blocks));
		EXPECT_TRUE(has_directory(hot.node));
		/* A distance that somebody wrote outlasts its being offline */
		if (i)
			EXPECT_EQ(i > 1 ? 3002 : 3001, distance_read(hot.node));
		EXPECT_EQ(0, distance_write(hot.node, i ? "3002" : "3001"));
		/* None is on its way before all are there */
		ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
		ASSERT_EQ(0, map_on(&area, hot.node, SOME_PAGES, false));
		EXPECT_EQ(SOME_PAGES, count_on(&area, hot.node));
		number_pages(&area);
		ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
		atomic_store(&enough, false);
		ASSERT_EQ(0, pthread_create(&thread, NULL, touch_until_enough, &area));
		EXPECT_TRUE(some_come_up(success));
		left = count_on(&area, hot.node);
		EXPECT_EQ(0, hot_remove(&hot, hot.blocks));
		EXPECT_FALSE(has_directory(hot.node));
		atomic_store(&enough, true);
		pthread_join(thread, NULL);
		/* Not all had come up, but none is left there */
		EXPECT_LT(0, left);
		EXPECT_EQ(0, count_on(&area, hot.node));
		EXPECT_TRUE(pages_have_numbers(&area));
		area_unmap(&area);
	}
	/* As good as ever */
	ASSERT_EQ(0, set_pace(256, 1000));
	ASSERT_EQ(0, hot_add(&hot, hot.blocks));
	EXPECT_EQ(3002, distance_read(hot.node));
	EXPECT_EQ(0, distance_write(hot.node, "0"));
	ASSERT_EQ(0, map_on(&area, hot.node, SOME_PAGES, false));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	area_unmap(&area);
	EXPECT_EQ(0, hot_remove(&hot, hot.blocks));
}

static bool is_offline(int block)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%d/state",
		 block);
	return file_read(path, text, sizeof(text)) > 0 &&
	       !strncmp(text, "offline", 7);
}

/* Some of the fast node's memory comes and goes while pages are promoted. */
TEST_F_TIMEOUT(events, fast_memory_comes_and_goes, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	int block[MAX_BLOCKS], blocks, i, round, offline = 0;
	long long success;
	struct area area;
	pthread_t thread;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	blocks = memory_blocks(ctx->fast, block);
	for (i = 0; i < blocks; i++)
		if (is_offline(block[i]))
			block[offline++] = block[i];
	if (!offline)
		SKIP(return, "needs memory of a fast node that is offline");
	/* A sixteenth of the pages at a time */
	ASSERT_EQ(0, set_pace(1, 4000));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	number_pages(&area);
	atomic_store(&enough, false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_until_enough, &area));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < offline; i++)
			EXPECT_EQ(0, hot_block_state(block[i], "online_movable"));
		success = counter("pgpromote_success");
		EXPECT_TRUE(some_come_up(success));
		for (i = 0; i < offline; i++) {
			int attempt, ret = -1;

			for (attempt = 0; attempt < 20 && ret; attempt++)
				ret = hot_block_state(block[i], "offline");
			EXPECT_EQ(0, ret);
		}
	}
	/* The memory came and went in the midst of it. */
	EXPECT_LT(0, count_on(&area, ctx->slow));
	ASSERT_EQ(0, set_pace(256, 1000));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	atomic_store(&enough, true);
	pthread_join(thread, NULL);
	EXPECT_TRUE(pages_have_numbers(&area));
	area_unmap(&area);
}

/* What is done for one fast node is counted there and charged there. */
TEST_F_TIMEOUT(events, each_fast_node_has_its_own, PATIENT_TIMEOUT)
{
	static const char * const names[] = {
		"pgpromote_candidate", "pgpromote_free_space", "pgpromote_success",
		"pgpromote_rate_limited", "pgpromote_failed",
	};
	struct context *ctx = &self->ctx;
	long long before[ARRAY_LEN(names)];
	struct nodeset cpu;
	struct area area;
	int other, to;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	if (nodeset_count(&cpu) < 2)
		SKIP(return, "needs two nodes with CPUs");
	for (to = 0; to < 2; to++) {
		int fast = nodeset_nth(&cpu, to);

		other = nodeset_nth(&cpu, 1 - to);
		ASSERT_EQ(0, stay_on(fast));
		for (i = 0; i < ARRAY_LEN(names); i++)
			before[i] = node_counter(other, names[i]);
		ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
		EXPECT_TRUE(comes_to(&area, fast, SOME_PAGES));
		for (i = 0; i < ARRAY_LEN(names); i++)
			EXPECT_EQ(before[i], node_counter(other, names[i]))
				TH_LOG("counter %zu", i);
		area_unmap(&area);
	}
}

/* The nearest fast node is none for a task whose cpuset leaves it out. */
TEST_F_TIMEOUT(events, each_cpuset_has_its_fast_node, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct nodeset cpu, nodes;
	struct cpuset cpuset;
	struct area area;
	int to, ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	if (nodeset_count(&cpu) < 2)
		SKIP(return, "needs two nodes with CPUs");
	for (to = 0; to < 2; to++) {
		int fast = nodeset_nth(&cpu, to);

		nodes = nodeset_pair(fast, ctx->slow);
		ret = cpuset_enter(&cpuset, &nodes);
		if (ret == -EOPNOTSUPP)
			SKIP(return, "no cpusets");
		ASSERT_EQ(0, ret);
		ASSERT_EQ(0, stay_on(nodeset_nth(&cpu, 1 - to)));
		EXPECT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
		EXPECT_TRUE(comes_to(&area, fast, SOME_PAGES));
		area_unmap(&area);
		cpuset_leave(&cpuset);
	}
}

/* Where all memory is alike, mode 2 looks at none of it. */
TEST(machines_with_one_tier_see_nothing)
{
	static const char * const names[] = {
		"numa_pte_updates", "pgpromote_candidate", "pgpromote_free_space",
		"pgpromote_success", "pgpromote_failed",
	};
	long long before[ARRAY_LEN(names)], scanned;
	struct nodeset memory, cpu;
	pthread_t thread;
	struct area area;
	size_t i;
	int mode;

	ASSERT_EQ(0, nodeset_read("has_memory", &memory));
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	mode = sysctl_read("numa_balancing");
	if (mode < 0 || geteuid())
		SKIP(return, "needs root and kernel.numa_balancing");
	for (i = 0; i < MAX_NODES; i++)
		if (nodeset_has(&memory, i) && !nodeset_has(&cpu, i))
			SKIP(return, "has a node without CPUs");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	for (i = 0; i < ARRAY_LEN(names); i++)
		before[i] = counter(names[i]);
	ASSERT_EQ(0, area_map(&area, SOME_PAGES, 1));
	atomic_store(&enough, false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_until_enough, &area));
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, touch_once));
	for (i = 0; i < ARRAY_LEN(names); i++)
		EXPECT_EQ(before[i], counter(names[i]))
			TH_LOG("counter %zu", i);
	/* Those passes would have seen it: in mode 1 they do. */
	scanned = counter("numa_pte_updates");
	EXPECT_EQ(0, sysctl_write("numa_balancing", "1"));
	EXPECT_TRUE(passes_go_by(&area, FEW_PASSES, touch_once));
	EXPECT_LE(scanned + SOME_PAGES, counter("numa_pte_updates"));
	EXPECT_EQ(0, sysctl_write("numa_balancing", mode ? "1" : "0"));
	atomic_store(&enough, true);
	pthread_join(thread, NULL);
	area_unmap(&area);
}
