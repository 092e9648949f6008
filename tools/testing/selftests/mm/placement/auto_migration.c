// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that follows a task to another node: at once, as it is touched, and
 * when it has to stay.
 *
 * A process's memory follows once in an interval, so each move is of a process
 * of its own: in_child() has what it is about.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "cases.h"
#include "placement.h"
#include "promotion.h"

#define MIGRATION_DIR	"/sys/kernel/migration/"
#define ENABLE		MIGRATION_DIR "auto_migrate_enable"
#define INTERVAL	MIGRATION_DIR "auto_migrate_interval"
#define LAZY		MIGRATION_DIR "auto_migrate_lazy"
#define MAPCOUNT	MIGRATION_DIR "migrate_max_mapcount"

/* Pages that follow in a hundredth of a second's ticks: 1 GiB in all of them */
#define PIECE_PAGES	2621
/* The shortest interval, s */
#define SHORTEST	5
/* Pages that are on a CPU's own list are not taken; 99 % have to come */
#define MOST_OF(pages)	((pages) * 99 / 100)

static const char * const files[] = { ENABLE, INTERVAL, LAZY, MAPCOUNT };

/* What a child that follows() is about */
struct move {
	int from;
	int to;
	size_t pages;
	bool huge;
	/* What is done to the memory when it is on @from */
	int (*before)(struct move *move);
	/* Another mapping of as many pages, if any; it lies on @from as well */
	struct area other;
	struct area area;
	/* The counter of marks before there were any */
	long long marked;
	/* What is left of an interval before the memory follows, at most, s */
	int held;
};

FIXTURE(migration)
{
	char old[ARRAY_LEN(files)][32];
	long balancing;
	struct move move;
	const char *missing;
};

FIXTURE_SETUP(migration)
{
	struct nodeset cpu, memory, both;
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++)
		ASSERT_TRUE(is_there(files[i]));
	if (geteuid()) {
		self->missing = "needs root";
		return;
	}
	for (i = 0; i < ARRAY_LEN(files); i++)
		ASSERT_LT(0, file_read(files[i], self->old[i],
				       sizeof(self->old[i])));
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	ASSERT_EQ(0, nodeset_read("has_memory", &memory));
	for (i = 0; i < ARRAY_LEN(both.word); i++)
		both.word[i] = cpu.word[i] & memory.word[i];
	self->move.from = nodeset_nth(&both, 0);
	self->move.to = nodeset_nth(&both, 1);
	self->move.pages = SOME_PAGES;
	if (self->move.to < 0 || stay_on(self->move.to)) {
		self->missing = "needs two nodes with CPUs and memory";
		return;
	}
	if (!has_room(self->move.from, MOST_PAGES) ||
	    !has_room(self->move.to, MOST_PAGES)) {
		self->missing = "a node is too small";
		return;
	}
	/* It brings pages to the CPU as well, and hides them meanwhile. */
	self->balancing = sysctl_read("numa_balancing");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
}

FIXTURE_TEARDOWN(migration)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++)
		if (self->old[i][0])
			EXPECT_EQ(0, file_write(files[i], self->old[i],
						strlen(self->old[i])));
	if (!self->missing)
		EXPECT_EQ(0, file_print(SYSCTL_DIR "/numa_balancing", "%ld",
					self->balancing));
}

/* Some time in user space */
static void spin(void)
{
	unsigned int i;

	for (i = 0; i < 1 << 20; i++)
		__asm__ volatile("" : : : "memory");
}

/*
 * Ticks that have met the first CPU of @node in user space, in hundredths of a
 * second: after each a piece of the memory follows. Those that meet it in the kernel
 * are many where a machine is slow, and are not counted.
 */
static long long ticks_of(int node)
{
	char path[64], text[256];
	struct nodeset cpus;

	snprintf(path, sizeof(path), NODE_DIR "/node%d/cpulist", node);
	if (file_read(path, text, sizeof(text)) < 0 || nodeset_parse(text, &cpus))
		return -EINVAL;
	snprintf(path, sizeof(path), "cpu%d", nodeset_nth(&cpus, 0));
	return file_value("/proc/stat", path);
}

/*
 * Runs in user space until @done() says so; false after twice the ticks in which
 * the interval ends and the memory follows, and some for what else the process has
 */
static bool runs_until(struct move *move, bool (*done)(const struct move *move))
{
	long long end = ticks_of(move->to) + 2 * 100 * move->held +
			2 * (move->pages / PIECE_PAGES) + 20;
	time_t begin = guard_begin();

	while (!done(move)) {
		if (ticks_of(move->to) >= end || guard_over(begin))
			return false;
		spin();
	}
	return true;
}

static bool most_are_there(const struct move *move)
{
	return count_on(&move->area, move->to) >= MOST_OF((int)move->pages);
}

static bool never(const struct move *move)
{
	return false;
}

/* The pages on @to, when the task has been there for long enough */
static int pages_that_followed(struct move *move)
{
	runs_until(move, most_are_there);
	return count_on(&move->area, move->to);
}

static int pages_that_strayed(struct move *move)
{
	runs_until(move, never);
	return count_on(&move->area, move->to);
}

/* Fills memory on @from, from there, and goes to @to; -errno */
static int go(struct move *move)
{
	int err;

	err = stay_on(move->from);
	if (!err)
		err = map_on(&move->area, move->from, move->pages, move->huge);
	if (!err && move->before)
		err = move->before(move);
	if (!err && count_on(&move->area, move->from) != (int)move->pages)
		err = -EAGAIN;
	return err ?: stay_on(move->to);
}

enum { FOLLOWED, STAYED, SOME_DID, NOT_GONE };

static int result(const struct move *move, int pages)
{
	if (pages >= MOST_OF((int)move->pages))
		return FOLLOWED;
	if (pages)
		note("%d pages of %zu on node %d", pages, move->pages, move->to);
	return pages ? SOME_DID : STAYED;
}

static int follow(void *arg)
{
	struct move *move = arg;

	return go(move) ? NOT_GONE : result(move, pages_that_followed(move));
}

static int stay(void *arg)
{
	struct move *move = arg;

	return go(move) ? NOT_GONE : result(move, pages_that_strayed(move));
}

/* Neither the value nor anything else changes */
TEST_F(migration, files)
{
	static const struct {
		const char *path;
		const char *first;
		const char *good[4];
		const char *bad[12];
	} cases[] = {
		{ ENABLE, "0\n", { "1", "0\n" },
		  { "2", "-1", "", " ", "on", "1 1", "0x", "4294967296" } },
		{ INTERVAL, "30\n", { "5", "300", "30\n" },
		  { "4", "301", "0", "-5", "", "5s", "5 5", "18446744073709551621" } },
		{ LAZY, "0\n", { "1", "0" },
		  { "2", "-1", "", "y", "00000000000000000000000000000002" } },
		{ MAPCOUNT, "1\n", { "2", "2147483647", "1" },
		  { "0", "-1", "", "2147483648", "1.5", "one" } },
	};
	char text[32], want[32];
	size_t i, j;

	if (access(ENABLE, F_OK))
		SKIP(return, "%s", self->missing);
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		EXPECT_EQ(2 + (cases[i].first[1] != '\n'),
			  file_read(cases[i].path, text, sizeof(text)));
		EXPECT_STREQ(cases[i].first, text);
		for (j = 0; j < ARRAY_LEN(cases[i].good) && cases[i].good[j]; j++) {
			EXPECT_EQ(0, file_write(cases[i].path, cases[i].good[j],
						strlen(cases[i].good[j])))
				TH_LOG("%s to %s", cases[i].good[j], cases[i].path);
			snprintf(want, sizeof(want), "%lld\n",
				 atoll(cases[i].good[j]));
			file_read(cases[i].path, text, sizeof(text));
			EXPECT_STREQ(want, text);
		}
		for (j = 0; j < ARRAY_LEN(cases[i].bad) && cases[i].bad[j]; j++) {
			if (*cases[i].bad[j])
				EXPECT_EQ(-EINVAL,
					  file_write(cases[i].path, cases[i].bad[j],
						     strlen(cases[i].bad[j])))
					TH_LOG("%s to %s", cases[i].bad[j],
					       cases[i].path);
			file_read(cases[i].path, text, sizeof(text));
			EXPECT_STREQ(want, text);
		}
		EXPECT_EQ(-EINVAL, file_write(cases[i].path, "1\0", 2));
	}
}

TEST_F_TIMEOUT(migration, nothing_follows_when_it_is_off, PATIENT_TIMEOUT)
{
	long long moves;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "0"));
	moves = counter("auto_migrate_task_moves");
	EXPECT_EQ(STAYED, in_child(stay, &self->move));
	EXPECT_EQ(moves, counter("auto_migrate_task_moves"));
}

TEST_F_TIMEOUT(migration, memory_follows, PATIENT_TIMEOUT)
{
	long long moved, moves;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	moves = counter("auto_migrate_task_moves");
	moved = counter("auto_migrate_success");
	self->move.pages = MOST_PAGES;
	EXPECT_EQ(FOLLOWED, in_child(follow, &self->move));
	EXPECT_LE(moves + 2, counter("auto_migrate_task_moves"));
	EXPECT_LE(moved + MOST_OF(MOST_PAGES), counter("auto_migrate_success"));
}

/* As a whole: nothing is split */
TEST_F_TIMEOUT(migration, huge_pages_follow, PATIENT_TIMEOUT)
{
	long long whole = counter("thp_migration_success");
	long long split = counter("thp_migration_split");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.huge = true;
	EXPECT_EQ(FOLLOWED, in_child(follow, &self->move));
	EXPECT_LE(whole + (long long)(SOME_PAGES * page_bytes() / HUGE_BYTES),
		  counter("thp_migration_success"));
	EXPECT_EQ(split, counter("thp_migration_split"));
}

/* Pages on @node that are not marked: those have no node for move_pages(2) */
static int count_unmarked(const struct move *move, int node)
{
	static int nodes[SOME_PAGES];
	int count = 0;
	size_t i;

	if (nodes_of_pages(move->area.start, move->pages, page_bytes(), nodes))
		return -1;
	for (i = 0; i < move->pages; i++)
		count += nodes[i] == node;
	return count;
}

static bool most_are_marked(const struct move *move)
{
	return counter("auto_migrate_unmapped") - move->marked >=
	       MOST_OF((long long)move->pages);
}

static int marked_then_touched(void *arg)
{
	struct move *move = arg;
	int pages;

	move->marked = counter("auto_migrate_unmapped");
	if (go(move))
		return NOT_GONE;
	if (!runs_until(move, most_are_marked))
		return STAYED;
	pages = count_unmarked(move, move->from);
	if (pages < 0 || pages > (int)move->pages / 100 ||
	    count_on(&move->area, move->to) > (int)move->pages / 100)
		return SOME_DID;
	touch_once(&move->area);
	return result(move, count_on(&move->area, move->to));
}

TEST_F_TIMEOUT(migration, touched_pages_follow, PATIENT_TIMEOUT)
{
	long long faults, moved;
	int huge;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(LAZY, "1"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	for (huge = 0; huge < 2; huge++) {
		faults = counter("auto_migrate_faults");
		moved = counter("auto_migrate_success");
		self->move.huge = huge;
		ASSERT_EQ(0, sysctl_write("numa_balancing", huge ? "2" : "0"));
		EXPECT_EQ(FOLLOWED, in_child(marked_then_touched, &self->move));
		EXPECT_LE(faults + MOST_OF(SOME_PAGES),
			  counter("auto_migrate_faults"));
		EXPECT_LE(moved + MOST_OF(SOME_PAGES),
			  counter("auto_migrate_success"));
	}
}

/* A child shares every page until the parent goes */
static int share(struct move *move)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid < 0 ? -errno : 0;
}

TEST_F_TIMEOUT(migration, shared_pages, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_shared");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.before = share;
	EXPECT_EQ(STAYED, in_child(stay, &self->move));
	EXPECT_LE(skipped + SOME_PAGES, counter("auto_migrate_skip_shared"));
	ASSERT_EQ(0, file_print(MAPCOUNT, "2"));
	EXPECT_EQ(FOLLOWED, in_child(follow, &self->move));
}

static int bind_there(struct move *move)
{
	struct nodeset nodes = nodeset_of(move->from);

	return policy_bind(move->area.start, move->area.len, MPOL_BIND, &nodes, 0);
}

static int prefer_there(struct move *move)
{
	struct nodeset nodes = nodeset_of(move->from);

	return policy_set(MPOL_PREFERRED, &nodes);
}

static int lock_there(struct move *move)
{
	return mlock(move->area.start, move->area.len) ? -errno : 0;
}

/* Bound memory stays while other memory of the same process follows */
static int follow_but_bound(void *arg)
{
	struct move *move = arg;
	struct area bound;
	int err;

	if (stay_on(move->from) ||
	    map_on(&bound, move->from, move->pages, false))
		return NOT_GONE;
	move->area = bound;
	if (bind_there(move))
		return NOT_GONE;
	err = follow(move);
	return err ?: count_on(&bound, move->from) == (int)move->pages ?
		      FOLLOWED : SOME_DID;
}

TEST_F_TIMEOUT(migration, memory_with_a_place_stays, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_policy");
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, file_print(LAZY, "%d", i));
		ASSERT_EQ(0, file_print(ENABLE, "1"));
		self->move.before = NULL;
		if (!i)
			EXPECT_EQ(FOLLOWED, in_child(follow_but_bound, &self->move));
		self->move.before = bind_there;
		EXPECT_EQ(STAYED, in_child(stay, &self->move));
		self->move.before = lock_there;
		EXPECT_EQ(STAYED, in_child(stay, &self->move));
		self->move.before = prefer_there;
		EXPECT_EQ(STAYED, in_child(stay, &self->move));
	}
	EXPECT_LT(skipped, counter("auto_migrate_skip_policy"));
}

/* A slow node's memory comes by promotion, or not at all */
TEST_F_TIMEOUT(migration, slow_memory_stays, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_slow");
	struct nodeset cpu, memory;
	struct move *move = &self->move;
	int i, slow = -1;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	ASSERT_EQ(0, nodeset_read("has_memory", &memory));
	for (i = 0; i < MAX_NODES; i++)
		if (nodeset_has(&memory, i) && !nodeset_has(&cpu, i))
			slow = i;
	if (slow < 0 || !has_room(slow, SOME_PAGES))
		SKIP(return, "needs a node without CPUs");

	ASSERT_EQ(0, file_print(ENABLE, "1"));
	ASSERT_EQ(0, stay_on(move->from));
	ASSERT_EQ(0, map_on(&move->area, slow, move->pages, false));
	ASSERT_EQ(0, stay_on(move->to));
	EXPECT_EQ(0, pages_that_strayed(move));
	EXPECT_EQ(SOME_PAGES, count_on(&move->area, slow));
	EXPECT_LE(skipped + SOME_PAGES, counter("auto_migrate_skip_slow"));
}

TEST_F_TIMEOUT(migration, cpuset_without_the_node, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_cpuset");
	struct nodeset nodes = nodeset_of(self->move.from);
	struct cpuset cpuset;
	int err;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	err = cpuset_enter(&cpuset, &nodes);
	if (err) {
		cpuset_leave(&cpuset);
		SKIP(return, "no cpuset: %s", strerror(-err));
	}
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(STAYED, in_child(stay, &self->move));
	EXPECT_LT(skipped, counter("auto_migrate_skip_cpuset"));
	cpuset_leave(&cpuset);
}

/* Not back within the interval, but as soon as it is over */
static int to_and_fro(void *arg)
{
	struct move *move = arg;
	struct move back = { .from = move->to, .to = move->from };
	int strayed;

	if (follow(move) != FOLLOWED || stay_on(back.to))
		return NOT_GONE;
	back.area = move->area;
	back.pages = move->pages;
	/* Some may have stayed in the first place */
	strayed = pages_that_strayed(&back);
	if (strayed > (int)move->pages - MOST_OF((int)move->pages)) {
		note("%d pages went back at once", strayed);
		return SOME_DID;
	}
	if (file_print(INTERVAL, "%d", SHORTEST))
		return NOT_GONE;
	/* The kernel's seconds are ticks: where some are lost, they take longer. */
	sleep(SHORTEST);
	back.held = SHORTEST;
	return result(&back, pages_that_followed(&back));
}

TEST_F_TIMEOUT(migration, not_back_within_the_interval, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_interval");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(INTERVAL, "300"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(FOLLOWED, in_child(to_and_fro, &self->move));
	EXPECT_LT(skipped, counter("auto_migrate_skip_interval"));
}

/* Of each of two threads, between the nodes */
#define HOPS	100

struct hopper {
	struct move *move;
	int first;
};

static void *hop(void *arg)
{
	struct hopper *hopper = arg;
	struct move *move = hopper->move;
	int i;

	for (i = 0; i < HOPS; i++) {
		stay_on((hopper->first + i) % 2 ? move->to : move->from);
		spin();
	}
	return NULL;
}

static int threads_hop(void *arg)
{
	struct move *move = arg;
	struct hopper hopper[2] = {
		{ .move = move, .first = 0 },
		{ .move = move, .first = 1 },
	};
	pthread_t thread[2];
	int i;

	if (stay_on(move->from) ||
	    map_on(&move->area, move->from, move->pages, false))
		return NOT_GONE;
	for (i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, hop, &hopper[i]))
			return NOT_GONE;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return FOLLOWED;
}

/* However often they move, their memory moves once in an interval */
TEST_F_TIMEOUT(migration, threads_do_not_pull, PATIENT_TIMEOUT)
{
	long long moved = counter("auto_migrate_success");
	long long moves = counter("auto_migrate_task_moves");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(INTERVAL, "300"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(FOLLOWED, in_child(threads_hop, &self->move));
	/* Each but the first one is a move, if the thread was not there already. */
	EXPECT_LE(moves + 2 * (HOPS - 1), counter("auto_migrate_task_moves"));
	/* Of the little that was there before, and of stacks, a quarter more */
	EXPECT_GE(moved + SOME_PAGES + SOME_PAGES / 4 + 256,
		  counter("auto_migrate_success"));
}

TEST_F(migration, lazy_mbind2_flags)
{
	const unsigned long bad[] = {
		MPOL_MF_LAZY, MPOL_MF_LAZY | MPOL_MF_MOVE_ALL,
		MPOL_MF_LAZY | MPOL_MF_MOVE | MPOL_MF_STRICT,
		MPOL_MF_LAZY | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL,
	};
	struct nodeset nodes;
	struct own_policy own;
	struct area area;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	nodes = nodeset_of(self->move.to);
	own_init(&own, MPOL_BIND, 0, &nodes, NULL);
	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < ARRAY_LEN(bad); i++)
		EXPECT_EQ(-EINVAL, own_bind(area.start, area.len, &own, bad[i]));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	own_init(&own, MPOL_DEFAULT, 0, NULL, NULL);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	/* mbind() never took it */
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, MPOL_BIND, &nodes,
				       MPOL_MF_LAZY | MPOL_MF_MOVE));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, MPOL_BIND, &nodes,
				       MPOL_MF_LAZY));
}

/* Whatever numa_balancing is, and automatic migration, which is off */
TEST_F_TIMEOUT(migration, lazy_mbind2, PATIENT_TIMEOUT)
{
	static const char * const modes[] = { "0", "1", "2" };
	struct move *move = &self->move;
	const unsigned int weights[] = { 3, 1 };
	int from = move->from, to = move->to;
	struct nodeset nodes, pair;
	struct own_policy own;
	size_t i;
	int huge;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	nodes = nodeset_of(to);
	pair = nodeset_pair(from, to);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		ASSERT_EQ(0, sysctl_write("numa_balancing", modes[i]));
		for (huge = 0; huge < 2; huge++) {
			ASSERT_EQ(0, stay_on(from));
			ASSERT_EQ(0, map_on(&move->area, from, SOME_PAGES, huge));
			own_init(&own, MPOL_BIND, 0, &nodes, NULL);
			EXPECT_EQ(0, own_bind(move->area.start, move->area.len,
					      &own, MPOL_MF_LAZY | MPOL_MF_MOVE));
			EXPECT_EQ(0, count_on(&move->area, to));
			touch_once(&move->area);
			EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&move->area, to))
				TH_LOG("mode %s, huge %d", modes[i], huge);
			area_unmap(&move->area);
		}
		ASSERT_EQ(0, map_on(&move->area, from, SOME_PAGES, false));
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &pair, weights);
		EXPECT_EQ(0, own_bind(move->area.start, move->area.len, &own,
				      MPOL_MF_LAZY | MPOL_MF_MOVE));
		touch_once(&move->area);
		EXPECT_LE(MOST_OF(SOME_PAGES / 4), count_on(&move->area, to));
		EXPECT_GE(SOME_PAGES / 4, count_on(&move->area, to));
		area_unmap(&move->area);
	}
}

/* Without MPOL_MF_MOVE_ALL, also if it was marked before others mapped it */
TEST_F(migration, lazy_mbind2_leaves_what_others_map)
{
	struct move *move = &self->move;
	struct nodeset from, to;
	struct own_policy own;
	struct area area;
	int marked_first;
	pid_t pid;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	from = nodeset_of(move->from);
	to = nodeset_of(move->to);
	own_init(&own, MPOL_BIND, 0, &to, NULL);
	for (marked_first = 0; marked_first < 2; marked_first++) {
		ASSERT_EQ(0, area_map_shared(&area, SOME_PAGES));
		ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &from,
					 0));
		touch_once(&area);
		ASSERT_EQ(SOME_PAGES, count_on(&area, move->from));
		if (marked_first)
			ASSERT_EQ(0, own_bind(area.start, area.len, &own,
					      MPOL_MF_LAZY | MPOL_MF_MOVE));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			touch_once(&area);
			raise(SIGSTOP);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, NULL, WUNTRACED));
		if (!marked_first)
			ASSERT_EQ(0, own_bind(area.start, area.len, &own,
					      MPOL_MF_LAZY | MPOL_MF_MOVE));
		touch_once(&area);
		EXPECT_EQ(SOME_PAGES, count_on(&area, move->from));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		area_unmap(&area);
	}
}

/* A file for each block of memory of @node; false when there is none */
static bool block_of(int node, int nth, char *path, size_t size)
{
	struct dirent *entry;
	char dir[64];
	bool found = false;
	DIR *d;
	int nr;

	snprintf(dir, sizeof(dir), NODE_DIR "/node%d", node);
	d = opendir(dir);
	while (d && !found && (entry = readdir(d)))
		if (sscanf(entry->d_name, "memory%d", &nr) == 1 && !nth--) {
			snprintf(path, size, "%s/memory%d/state", dir, nr);
			found = true;
		}
	if (d)
		closedir(d);
	return found;
}

/* Whether all blocks of @node took that, or were as it says */
static bool blocks_are(int node, const char *state)
{
	char path[96];
	bool all = true;
	int i;

	for (i = 0; block_of(node, i, path, sizeof(path)); i++)
		if (file_print(path, "%s", state))
			all = false;
	return all;
}

/* A node whose memory is movable has no other zone */
TEST(lazy_mbind2_to_movable_memory)
{
	struct nodeset memory, cpu, there;
	struct own_policy own;
	struct area area;
	int i, node = -1;

	ASSERT_TRUE(is_there(LAZY));
	ASSERT_EQ(0, nodeset_read("has_memory", &memory));
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	for (i = 0; i < MAX_NODES; i++)
		if (nodeset_has(&memory, i) && !nodeset_has(&cpu, i))
			node = i;
	if (geteuid() || node < 0 || !blocks_are(node, "offline")) {
		if (node >= 0)
			blocks_are(node, "online");
		SKIP(return, "needs a node whose memory can go offline");
	}
	EXPECT_TRUE(blocks_are(node, "online_movable"));

	there = nodeset_of(node);
	ASSERT_EQ(0, map_on(&area, nodeset_nth(&cpu, 0), SOME_PAGES, false));
	own_init(&own, MPOL_BIND, 0, &there, NULL);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	touch_once(&area);
	EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&area, node));
	there = nodeset_of(nodeset_nth(&cpu, 0));
	own_init(&own, MPOL_PREFERRED_MANY, 0, &there, NULL);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	touch_once(&area);
	EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&area, nodeset_nth(&cpu, 0)));
	area_unmap(&area);
	EXPECT_TRUE(blocks_are(node, "offline"));
	EXPECT_TRUE(blocks_are(node, "online"));
}

/* Some seconds of a machine that has nothing else to do */
#define STORM_ROUNDS	200
#define HOTPLUG_ROUNDS	20

/* Mappings that are made, fork, exec and exit while everything moves */
TEST_F_TIMEOUT(migration, storm, PATIENT_TIMEOUT)
{
	struct move *move = &self->move;
	int rounds, status;
	struct area area;
	pid_t pid;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(INTERVAL, "5"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	for (rounds = 0; rounds < STORM_ROUNDS; rounds++) {
		ASSERT_EQ(0, file_print(LAZY, "%d", rounds & 1));
		ASSERT_EQ(0, area_map(&area, 256, 1));
		touch_once(&area);
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			stay_on(rounds & 2 ? move->to : move->from);
			touch_once(&area);
			if (rounds & 4)
				execl("/proc/self/exe", "auto_migration",
				      "--nothing", NULL);
			_exit(0);
		}
		stay_on(rounds & 2 ? move->from : move->to);
		ASSERT_EQ(0, file_print(ENABLE, "%d", rounds % 5 != 0));
		area_unmap(&area);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
}

/* Fills memory, and changes nodes, until it is killed */
static void rove(struct move *move)
{
	struct area area;
	int there = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (area_map(&area, 512, 1))
			_exit(1);
		touch_once(&area);
		/* Not while that node's CPU is offline */
		stay_on(there ? move->from : move->to);
		there = !there;
		spin();
		touch_once(&area);
		area_unmap(&area);
	}
}

/* CPUs and memory that go and come while everything moves */
TEST_F_TIMEOUT(migration, hotplug_storm, PATIENT_TIMEOUT)
{
	struct move *move = &self->move;
	char cpu[64], list[64], block[96];
	int offline = 0, rounds, status, i;
	struct nodeset cpus;
	pid_t pid[4];

	if (self->missing)
		SKIP(return, "%s", self->missing);
	snprintf(cpu, sizeof(cpu), NODE_DIR "/node%d/cpulist", move->to);
	ASSERT_LT(0, file_read(cpu, list, sizeof(list)));
	ASSERT_EQ(0, nodeset_parse(list, &cpus));
	snprintf(cpu, sizeof(cpu), "/sys/devices/system/cpu/cpu%d/online",
		 nodeset_nth(&cpus, 0));
	if (nodeset_count(&cpus) != 1 || access(cpu, W_OK))
		SKIP(return, "needs a node with one CPU that can go offline");

	ASSERT_EQ(0, stay_on(move->from));
	ASSERT_EQ(0, file_print(INTERVAL, "5"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	for (i = 0; i < (int)ARRAY_LEN(pid); i++) {
		pid[i] = fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			rove(move);
	}
	for (rounds = 0; rounds < HOTPLUG_ROUNDS; rounds++) {
		EXPECT_EQ(0, file_print(cpu, "0"));
		EXPECT_EQ(0, file_print(cpu, "1"));
		/* Not every block can go */
		if (block_of(move->to, rounds, block, sizeof(block))) {
			offline += !file_print(block, "offline");
			file_print(block, "online");
		}
		ASSERT_EQ(0, file_print(LAZY, "%d", rounds & 1));
	}
	TH_LOG("%d rounds, %d blocks went offline", rounds, offline);
	for (i = 0; i < (int)ARRAY_LEN(pid); i++) {
		kill(pid[i], SIGKILL);
		EXPECT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
}

/* What execl() above runs */
static void __attribute__((constructor)) nothing(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		_exit(0);
}
