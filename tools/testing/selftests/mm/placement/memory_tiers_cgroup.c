// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a cgroup moves between tiers only to nodes that the cgroup's cpuset
 * allows, whoever moves it. The cgroup's limit is no reason to move it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "promotion.h"

/* What is demoted from a cgroup that may, before others are looked at */
#define ENOUGH (SOME_PAGES / 8)
/* Parts of memory that are taken until then: all that a child holds, and as much again */
#define MOST_STEPS 16
#define MIN_FREE "/proc/sys/vm/min_free_kbytes"
/* Steps of give_up() that the node stays given up, so that it is well below its mark */
#define STEPS_BELOW 5
/* Its page cache can be dropped, and is gone when nobody has it open. */
#define RAM_DISK "/dev/ram0"
#define MIB (1024LL * 1024)

/* A cgroup of version 2 with a cpuset and a memory controller of its own */
struct group {
	char path[96];
};

FIXTURE(cgroups)
{
	struct context ctx;
	char mount[64];
	/* At most two at a time */
	struct group group[2];
	/* What a test has to leave as it was, if it changes it */
	long min_free;
	struct nodeset all;
	/* Those without CPUs */
	struct nodeset slow;
};

/* -EOPNOTSUPP where cpusets belong to cgroup 1 */
static int groups_enter(char *mount, size_t size)
{
	char path[96];

	if (fs_mount("cgroup2", NULL, mount, size)) {
		mount[0] = '\0';
		return -EOPNOTSUPP;
	}
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", mount);
	return file_print(path, "+memory +cpuset") ? -EOPNOTSUPP : 0;
}

static int group_make(struct group *group, const char *mount, const char *name,
		      const struct nodeset *nodes)
{
	char path[128], list[512];

	snprintf(group->path, sizeof(group->path), "%s/%s.%d", mount, name, getpid());
	if (mkdir(group->path, 0755))
		return -errno;
	snprintf(path, sizeof(path), "%s/cpuset.mems", group->path);
	return file_print(path, "%s", nodeset_format(nodes, list, sizeof(list)));
}

static int group_join(const char *group)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	return file_print(path, "0");
}

/* Children that hold memory, as many as there are groups */
static pid_t holder[2];

FIXTURE_SETUP(cgroups)
{
	struct nodeset cpu;
	int i;

	ASSERT_TRUE(context_enter(&self->ctx));
	if (self->ctx.missing)
		return;
	if (!has_room(self->ctx.slow, MOST_PAGES) || !has_room(self->ctx.fast, MOST_PAGES)) {
		ASSERT_TRUE(context_leave(&self->ctx));
		self->ctx.missing = "a node is too small";
		return;
	}
	/* Those who promote switch it on. */
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
	if (groups_enter(self->mount, sizeof(self->mount))) {
		ASSERT_TRUE(context_leave(&self->ctx));
		self->ctx.missing = "needs cpusets and memory in cgroup 2";
		return;
	}
	ASSERT_EQ(0, nodeset_read("has_memory", &self->all));
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	for (i = 0; i < (int)ARRAY_LEN(cpu.word); i++)
		self->slow.word[i] = self->all.word[i] & ~cpu.word[i];
}

FIXTURE_TEARDOWN(cgroups)
{
	int rounds, i, left;

	if (self->min_free > 0)
		EXPECT_EQ(0, file_print(MIN_FREE, "%ld", self->min_free));
	/* What a test that failed has left behind */
	for (i = 0; i < (int)ARRAY_LEN(holder); i++)
		if (holder[i])
			unfill(holder[i]);
	if (self->mount[0])
		EXPECT_EQ(0, group_join(self->mount));
	for (i = 0; i < (int)ARRAY_LEN(self->group); i++) {
		if (!self->group[i].path[0])
			continue;
		/* A child that was killed may not have left yet. */
		rounds = 0;
		do {
			left = rmdir(self->group[i].path) ? errno : 0;
		} while (left == EBUSY && settle(&rounds));
		EXPECT_EQ(0, left);
	}
	if (self->mount[0])
		fs_unmount(self->mount);
	EXPECT_TRUE(context_leave(&self->ctx));
}

/*
 * Memory that a child in a group has taken and that nobody uses from then on. The
 * child stops, and once more when it has unlocked it.
 */
struct held {
	struct area area;
	pid_t pid;
};

static int wait_for_stop(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) ? 0 : -ECHILD;
}

/* What was used before, was used long ago */
static int is_cold(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", pid);
	return file_print(path, "1");
}

static int hold(struct held *held, const struct group *group, int node, size_t pages,
		bool locked)
{
	struct nodeset nodes = nodeset_of(node);
	char *start;
	int ret;

	ret = area_map(&held->area, pages, 1);
	if (ret)
		return ret;
	start = held->area.start;
	held->pid = fork();
	if (held->pid < 0)
		return -errno;
	if (held->pid) {
		holder[!!holder[0]] = held->pid;
		ret = wait_for_stop(held->pid);
		return ret ? ret : is_cold(held->pid);
	}
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || group_join(group->path) ||
	    madvise(start, held->area.len, MADV_NOHUGEPAGE) ||
	    policy_bind(start, held->area.len, MPOL_PREFERRED, &nodes, 0))
		_exit(1);
	touch(start, pages, page_bytes());
	if (policy_bind(start, held->area.len, MPOL_DEFAULT, NULL, 0) ||
	    (locked && mlock(start, held->area.len)))
		_exit(1);
	raise(SIGSTOP);
	if (munlock(start, held->area.len))
		_exit(1);
	raise(SIGSTOP);
	_exit(0);
}

static int unlock(const struct held *held)
{
	int ret = kill(held->pid, SIGCONT) ? -errno : wait_for_stop(held->pid);

	return ret ? ret : is_cold(held->pid);
}

static void let_go(struct held *held)
{
	unfill(held->pid);
	holder[held->pid != holder[0]] = 0;
	area_unmap(&held->area);
}

static int held_on(const struct held *held, int node)
{
	return count_of(held->pid, &held->area, node);
}

static int held_on_any(const struct held *held, const struct nodeset *nodes)
{
	int node, count = 0;

	for (node = 0; node < MAX_NODES; node++)
		if (nodeset_has(nodes, node))
			count += held_on(held, node);
	return count;
}

/*
 * Takes memory of @node until @count pages of @held are on @nodes, or nobody makes
 * room: how much is free when kswapd begins and when it ends is not the same each time.
 */
static bool is_pushed_to(const struct held *held, const struct nodeset *nodes, int count,
			 int node)
{
	const size_t step = SOME_PAGES / 4;
	struct area more[MOST_STEPS];
	int steps = 0, rounds = 0;
	pid_t filler;

	filler = fill(node, zone_pages(node, "high") + SOME_PAGES / 8, true);
	if (filler < 0)
		return false;
	do {
		if (node_free_pages(node) < zone_pages(node, "low") - SOME_PAGES / 8)
			continue;
		if (steps == MOST_STEPS || map_on(&more[steps], node, step, false))
			break;
		steps++;
		rounds = 0;
	} while (held_on_any(held, nodes) < count && settle(&rounds));
	unfill(filler);
	note("%d pages came of %d for %zu", held_on_any(held, nodes), count, steps * step);
	while (steps)
		area_unmap(&more[--steps]);
	return held_on_any(held, nodes) >= count;
}

/* Two cgroups, both with cold memory: one may have slow memory, the other may not. */
TEST_F_TIMEOUT(cgroups, cold_memory_stays_on_allowed_nodes, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct held bound, other;
	struct nodeset fast;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	fast = nodeset_of(ctx->fast);
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "bound", &fast));
	ASSERT_EQ(0, group_make(&self->group[1], self->mount, "other", &self->all));
	ASSERT_EQ(0, hold(&bound, &self->group[0], ctx->fast, 2 * SOME_PAGES, false));
	ASSERT_EQ(0, hold(&other, &self->group[1], ctx->fast, 2 * SOME_PAGES, false));
	EXPECT_TRUE(is_pushed_to(&other, &self->slow, ENOUGH, ctx->fast));
	EXPECT_EQ(2 * SOME_PAGES, held_on(&bound, ctx->fast));
	let_go(&other);
	let_go(&bound);
}

/* The node that is nearest may not be had: it is the next one then, and no other. */
TEST_F_TIMEOUT(cgroups, cold_memory_passes_by_the_nearest_node, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct nodeset allowed, rest = self->slow;
	struct held held;
	int last;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (nodeset_count(&self->slow) < 2)
		SKIP(return, "needs two nodes without CPUs");
	last = nodeset_nth(&self->slow, nodeset_count(&self->slow) - 1);
	if (!has_room(last, MOST_PAGES))
		SKIP(return, "a node is too small");
	allowed = nodeset_pair(ctx->fast, last);
	rest.word[last / BITS_PER_WORD] &= ~(1UL << last % BITS_PER_WORD);
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "far", &allowed));
	ASSERT_EQ(0, hold(&held, &self->group[0], ctx->fast, 2 * SOME_PAGES, false));
	allowed = nodeset_of(last);
	EXPECT_TRUE(is_pushed_to(&held, &allowed, ENOUGH, ctx->fast));
	EXPECT_EQ(0, held_on_any(&held, &rest));
	let_go(&held);
}

/*
 * Locks memory of @node bit by bit until there is so little that kswapd begins, and
 * then a bit more. It finds nothing, as all else there is locked, too, and gives up
 * for good.
 */
static bool give_up(struct area *area, int node)
{
	const size_t step = SOME_PAGES / 32 * page_bytes();
	struct nodeset nodes = nodeset_of(node);
	int rounds = 0, given_up = 0;
	size_t i;

	if (area_map(area, node_free_pages(node) + MOST_PAGES, 1) ||
	    policy_bind(area->start, area->len, MPOL_BIND, &nodes, 0))
		return false;
	for (i = 0; i + step < area->len && given_up < STEPS_BELOW; i += step, rounds = 0) {
		if (mlock(area->start + i, step) || !settle(&rounds))
			return false;
		given_up = is_given_up(node) ? given_up + 1 : 0;
	}
	note("%zu pages locked, %ld left, low is %ld", i / page_bytes(),
	     node_free_pages(node), zone_pages(node, "low"));
	return given_up == STEPS_BELOW;
}

/* With marks so far apart that there is something between them; -EBUSY without success */
static int hold_until_short(struct held *held, const struct group *group, struct area *more,
			    int node)
{
	size_t room;
	int ret;

	ret = file_print(MIN_FREE, "65536");
	if (ret)
		return ret;
	room = node_free_pages(node) - zone_pages(node, "high") - SOME_PAGES;
	ret = hold(held, group, node, room, true);
	if (ret)
		return ret;
	return give_up(more, node) ? unlock(held) : -EBUSY;
}

struct request {
	const struct group *group;
	int node;
	size_t pages;
};

/* A task in the group takes memory; killed, it does not say so. */
static int take(void *arg)
{
	const struct request *request = arg;
	struct area area;

	if (group_join(request->group->path))
		return 2;
	return map_on(&area, request->node, request->pages, false) ? 3 : 0;
}

/*
 * Who reclaims may itself have fast memory alone. What is demoted is that of others,
 * and kswapd, which may use all nodes, has given the fast one up.
 */
TEST_F_TIMEOUT(cgroups, for_a_task_that_may_not_itself, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct request request;
	struct nodeset fast;
	struct held other;
	struct area more;
	long long killed;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	fast = nodeset_of(ctx->fast);
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "bound", &fast));
	ASSERT_EQ(0, group_make(&self->group[1], self->mount, "other", &self->all));
	self->min_free = file_number(MIN_FREE);
	ASSERT_LT(0, self->min_free);
	ASSERT_EQ(0, hold_until_short(&other, &self->group[1], &more, ctx->fast));
	killed = counter("oom_kill");
	request.group = &self->group[0];
	request.node = ctx->fast;
	request.pages = 2 * SOME_PAGES;
	EXPECT_EQ(0, in_child(take, &request));
	EXPECT_EQ(killed, counter("oom_kill"));
	EXPECT_LT(0, held_on_any(&other, &self->slow));
	let_go(&other);
	area_unmap(&more);
}

/*
 * With another cpuset a task may use all of its CPUs again. What waits in the batch of
 * a CPU that it has left is no page that can be promoted.
 */
static int join_and_stay(const char *group, int node)
{
	int ret = group_join(group);

	return ret ? ret : stay_on(node);
}

/*
 * What a task has taken in one cgroup stays charged to that, whatever the task may
 * use by now. With the cgroup its cpuset goes, too.
 */
TEST_F_TIMEOUT(cgroups, hot_memory_stays_on_allowed_nodes, PATIENT_TIMEOUT)
{
	struct context *ctx = &self->ctx;
	struct area area, own;
	struct nodeset slow;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, MOST_PAGES))
		SKIP(return, "a node is too small");
	slow = nodeset_of(ctx->slow);
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "slow", &slow));
	ASSERT_EQ(0, join_and_stay(self->group[0].path, ctx->cpus));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_EQ(0, join_and_stay(self->mount, ctx->cpus));
	ASSERT_EQ(0, map_on(&own, ctx->slow, SOME_PAGES, false));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	ASSERT_TRUE(passes_go_by(&area, FEW_PASSES, touch_once));
	EXPECT_TRUE(comes_to(&own, ctx->fast, SOME_PAGES));
	EXPECT_EQ(SOME_PAGES, count_on(&area, ctx->slow));
	ASSERT_EQ(0, rmdir(self->group[0].path));
	self->group[0].path[0] = '\0';
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	area_unmap(&own);
	area_unmap(&area);
}

static int group_write(const struct group *group, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", group->path, file);
	return file_print(path, "%s", text);
}

static long long group_bytes(const struct group *group)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/memory.current", group->path);
	return file_number(path);
}

static long long group_stat(const char *group, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/memory.stat", group);
	return file_value(path, name);
}

/* A cgroup counts what moves of it, whoever moves it, and of those below it. */
TEST_F_TIMEOUT(cgroups, for_each_what_moves_is_counted, PATIENT_TIMEOUT)
{
	static const char * const names[] = { "pgdemote_kswapd", "pgdemote_direct" };
	struct context *ctx = &self->ctx;
	struct held bound, other;
	long long demoted = 0, above = 0;
	struct nodeset fast;
	struct area area;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!has_free_space(ctx->fast, SOME_PAGES))
		SKIP(return, "a node is too small");
	fast = nodeset_of(ctx->fast);
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "bound", &fast));
	ASSERT_EQ(0, group_make(&self->group[1], self->mount, "other", &self->all));
	ASSERT_EQ(0, hold(&bound, &self->group[0], ctx->fast, 2 * SOME_PAGES, false));
	ASSERT_EQ(0, hold(&other, &self->group[1], ctx->fast, 2 * SOME_PAGES, false));
	for (i = 0; i < ARRAY_LEN(names); i++) {
		EXPECT_EQ(0, group_stat(self->group[1].path, names[i]));
		above -= group_stat(self->mount, names[i]);
	}
	EXPECT_TRUE(is_pushed_to(&other, &self->slow, ENOUGH, ctx->fast));
	for (i = 0; i < ARRAY_LEN(names); i++) {
		EXPECT_EQ(0, group_stat(self->group[0].path, names[i]));
		demoted += group_stat(self->group[1].path, names[i]);
		above += group_stat(self->mount, names[i]);
	}
	/* Beside the pages of the mapping some of the child's own */
	EXPECT_LE(held_on_any(&other, &self->slow), demoted);
	EXPECT_LE(demoted, above);
	EXPECT_EQ(0, group_stat(self->group[1].path, "pgpromote_success"));
	let_go(&other);
	let_go(&bound);

	ASSERT_EQ(0, join_and_stay(self->group[1].path, ctx->cpus));
	ASSERT_EQ(0, map_on(&area, ctx->slow, SOME_PAGES, false));
	ASSERT_EQ(0, sysctl_write("numa_balancing", "2"));
	EXPECT_TRUE(comes_to(&area, ctx->fast, SOME_PAGES));
	EXPECT_LE(SOME_PAGES, group_stat(self->group[1].path, "pgpromote_success"));
	EXPECT_LE(SOME_PAGES, group_stat(self->mount, "pgpromote_success"));
	EXPECT_EQ(0, group_stat(self->group[0].path, "pgpromote_success"));
	area_unmap(&area);
}

static long long group_kills(const struct group *group)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/memory.events", group->path);
	return file_value(path, "oom_kill");
}

struct reader {
	const struct group *group;
	int disk;
	int times;
};

static int read_disk(void *arg)
{
	const struct reader *reader = arg;
	static char buf[1 << 16];
	off_t offset;
	ssize_t got;
	int i;

	if (group_join(reader->group->path))
		return 2;
	for (i = 0; i < reader->times; i++) {
		offset = 0;
		while ((got = pread(reader->disk, buf, sizeof(buf), offset)) > 0)
			offset += got;
		if (got < 0)
			return 3;
	}
	return 0;
}

/* What is read once pushes out what was read once, and nothing is moved for it. */
TEST_F_TIMEOUT(cgroups, a_limit_moves_nothing_while_there_is_room, PATIENT_TIMEOUT)
{
	struct reader reader = { &self->group[0], -1, 4 };
	struct context *ctx = &self->ctx;
	long long demoted;
	struct held held;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	reader.disk = open(RAM_DISK, O_RDONLY | O_CLOEXEC);
	if (reader.disk < 0)
		SKIP(return, "needs a RAM disk");
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "limit", &self->all));
	ASSERT_EQ(0, group_write(&self->group[0], "memory.max", "48M"));
	ASSERT_EQ(0, hold(&held, &self->group[0], ctx->fast, 2 * SOME_PAGES, false));
	demoted = counter("pgdemote_direct");
	EXPECT_EQ(0, in_child(read_disk, &reader));
	EXPECT_EQ(2 * SOME_PAGES, held_on(&held, ctx->fast));
	EXPECT_EQ(demoted, counter("pgdemote_direct"));
	EXPECT_EQ(0, group_kills(&self->group[0]));
	close(reader.disk);
	let_go(&held);
}

/* What memory.reclaim says that it has taken is off the charge, or it refuses. */
TEST_F_TIMEOUT(cgroups, what_is_reclaimed_is_off_the_charge, PATIENT_TIMEOUT)
{
	struct reader reader = { &self->group[0], -1, 1 };
	struct context *ctx = &self->ctx;
	long long before;
	struct held held;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	reader.disk = open(RAM_DISK, O_RDONLY | O_CLOEXEC);
	if (reader.disk < 0)
		SKIP(return, "needs a RAM disk");
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "reclaimed", &self->all));
	ASSERT_EQ(0, hold(&held, &self->group[0], ctx->fast, 2 * SOME_PAGES, false));
	ASSERT_EQ(0, in_child(read_disk, &reader));
	for (i = 0; i < 2; i++) {
		before = group_bytes(&self->group[0]);
		EXPECT_EQ(0, group_write(&self->group[0], "memory.reclaim", "16M"));
		/* Each CPU may keep a part of it for the next charge. */
		EXPECT_LE(14 * MIB, before - group_bytes(&self->group[0]));
		note("%lld bytes before, %lld after", before, group_bytes(&self->group[0]));
	}
	/* Nothing is left that could be dropped, and there is no swap. */
	close(reader.disk);
	EXPECT_EQ(-EAGAIN, group_write(&self->group[0], "memory.reclaim", "16M"));
	EXPECT_EQ(2 * SOME_PAGES, held_on(&held, ctx->fast));
	let_go(&held);
}

/*
 * Where a node is short a cgroup at its limit makes room there, beside what it
 * drops: it is not killed as long as there is something to drop.
 */
TEST_F_TIMEOUT(cgroups, a_limit_makes_room_where_a_node_is_short, PATIENT_TIMEOUT)
{
	struct reader reader = { &self->group[0], -1, 2 };
	struct context *ctx = &self->ctx;
	long long demoted;
	struct held held;
	struct area more;
	char text[32];

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	reader.disk = open(RAM_DISK, O_RDONLY | O_CLOEXEC);
	if (reader.disk < 0)
		SKIP(return, "needs a RAM disk");
	ASSERT_EQ(0, group_make(&self->group[0], self->mount, "short", &self->all));
	self->min_free = file_number(MIN_FREE);
	ASSERT_LT(0, self->min_free);
	ASSERT_EQ(0, hold_until_short(&held, &self->group[0], &more, ctx->fast));
	snprintf(text, sizeof(text), "%lld", group_bytes(&self->group[0]) + 16 * MIB);
	ASSERT_EQ(0, group_write(&self->group[0], "memory.max", text));
	demoted = counter("pgdemote_direct");
	EXPECT_EQ(0, in_child(read_disk, &reader));
	EXPECT_EQ(0, group_kills(&self->group[0]));
	demoted = counter("pgdemote_direct") - demoted;
	note("%lld pages demoted by the reader", demoted);
	EXPECT_LT(0, demoted);
	/* As often as the node is short again, but less than one for each page that is read */
	EXPECT_GT(2 * 64 * MIB / page_bytes(), demoted);
	close(reader.disk);
	let_go(&held);
	area_unmap(&more);
}
