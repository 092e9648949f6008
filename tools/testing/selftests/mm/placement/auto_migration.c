// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that follows a task to another node: at once, as it is touched, and
 * when it has to stay.
 *
 * A process's memory follows once in an interval, so each move is of a process
 * of its own: in_child() has what it is about.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "cases.h"
#include "moves.h"
#include "physical.h"

/* The shortest interval, s */
#define SHORTEST	5

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
	struct stat mode;
	size_t i, j;

	if (access(ENABLE, F_OK))
		SKIP(return, "%s", self->missing);
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		ASSERT_EQ(0, stat(cases[i].path, &mode));
		EXPECT_EQ(S_IFREG | 0644, mode.st_mode)
			TH_LOG("%s", cases[i].path);
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
	long long moved, failed, moves;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	moves = counter("auto_migrate_task_moves");
	moved = counter("auto_migrate_success");
	failed = counter("auto_migrate_failed");
	self->move.pages = MOST_PAGES;
	EXPECT_EQ(FOLLOWED, in_child(follow, &self->move));
	EXPECT_LE(moves + 2, counter("auto_migrate_task_moves"));
	EXPECT_LE(moved + MOST_OF(MOST_PAGES), counter("auto_migrate_success"));
	/* Those of others may be locked, or the program's own in a CPU's batch */
	EXPECT_GE(failed + MOST_PAGES / 4, counter("auto_migrate_failed"));
}

/* As a whole: nothing is split, and each counts as all of its pages */
TEST_F_TIMEOUT(migration, huge_pages_follow, PATIENT_TIMEOUT)
{
	long long whole = counter("thp_migration_success");
	long long split = counter("thp_migration_split");
	long long misplaced = counter("auto_migrate_misplaced");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.huge = true;
	EXPECT_EQ(FOLLOWED, in_child(follow, &self->move));
	EXPECT_LE(whole + (long long)(SOME_PAGES * page_bytes() / HUGE_BYTES),
		  counter("thp_migration_success"));
	EXPECT_EQ(split, counter("thp_migration_split"));
	EXPECT_LE(misplaced + MOST_OF(SOME_PAGES), counter("auto_migrate_misplaced"));
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
	pid_t pid = fork_child();

	while (!pid)
		pause();
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

static int pin(struct move *move)
{
	int ring = area_pin(&move->area);

	return ring < 0 ? ring : 0;
}

TEST_F_TIMEOUT(migration, pinned_pages_stay, PATIENT_TIMEOUT)
{
	long long skipped;
	int huge;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (syscall(__NR_io_uring_setup, 0, NULL) && errno != EFAULT)
		SKIP(return, "no io_uring in this kernel");
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.before = pin;
	for (huge = 0; huge < 2; huge++) {
		skipped = counter("auto_migrate_skip_pinned");
		self->move.huge = huge;
		EXPECT_EQ(STAYED, in_child(stay, &self->move));
		EXPECT_LE(skipped + SOME_PAGES, counter("auto_migrate_skip_pinned"))
			TH_LOG("huge %d", huge);
	}
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
	struct nodeset cpu, memory;
	struct move *move = &self->move;
	int i, huge, slow = -1;
	long long skipped;

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
	for (huge = 0; huge < 2; huge++) {
		skipped = counter("auto_migrate_skip_slow");
		ASSERT_EQ(0, stay_on(move->from));
		ASSERT_EQ(0, map_on(&move->area, slow, move->pages, huge));
		ASSERT_EQ(0, stay_on(move->to));
		EXPECT_EQ(0, pages_that_strayed(move));
		EXPECT_EQ(SOME_PAGES, count_on(&move->area, slow));
		EXPECT_LE(skipped + SOME_PAGES, counter("auto_migrate_skip_slow"))
			TH_LOG("huge %d", huge);
		area_unmap(&move->area);
	}
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

/* What finds no room stays, and nothing goes to make some */
TEST_F_TIMEOUT(migration, memory_stays_if_the_node_is_full, PATIENT_TIMEOUT)
{
	long long failed, moved;
	struct area filler;
	int result, filled;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	ASSERT_EQ(0, area_fill_node(&filler, self->move.to));
	filled = count_on(&filler, self->move.to);
	failed = counter("auto_migrate_failed");
	moved = counter("auto_migrate_success");
	self->move.pages = MOST_PAGES;
	result = in_child(stay, &self->move);
	/* Pages that others have given up meanwhile make room for some */
	EXPECT_TRUE(result == STAYED || result == SOME_DID)
		TH_LOG("result %d", result);
	EXPECT_LT(failed, counter("auto_migrate_failed"));
	/* Nor to a third node; and the rest is not tried any more */
	EXPECT_GE(moved + MOST_PAGES / 2, counter("auto_migrate_success"));
	EXPECT_GE(failed + MOST_PAGES / 2, counter("auto_migrate_failed"));
	EXPECT_EQ(filled, count_on(&filler, self->move.to));
	area_unmap(&filler);
}

/* So often a huge page finds no room: what is lost each time has to stand out */
#define REFUSALS	256
/* Each is refused about as often as the process has huge pages. */
#define MOST_ROUNDS	100

/* Pages of a node that nobody uses, those that CPUs keep among them */
static long free_pages(int node)
{
	struct zone zone[MAX_ZONES];
	int i, zones = zones_read(zone, MAX_ZONES);
	long pages = 0;

	for (i = 0; i < zones; i++)
		if (zone[i].node == node)
			pages += zone[i].free + zone[i].cached;
	return pages;
}

/* There is room for small pages only: they stay, and none of these is used up */
TEST_F_TIMEOUT(migration, huge_pages_stay_between_small_ones, PATIENT_TIMEOUT)
{
	long long failed = counter("thp_migration_fail");
	int result, round, rounds = 0, to = self->move.to;
	const size_t page = page_bytes();
	struct area filler;
	size_t i, holes;
	long before;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->proactiveness = file_number(PROACTIVENESS);
	if (self->proactiveness > 0)
		ASSERT_EQ(0, file_print(PROACTIVENESS, "0"));
	ASSERT_EQ(0, area_fill_node(&filler, to));
	/*
	 * Large ones run out first. Without them there has to be more than what the
	 * node holds back, and pages that CPUs keep do not count there.
	 */
	holes = 2 * free_pages(to) + SOME_PAGES;
	/* What a CPU frees it may keep for itself: it is the one that will want it. */
	ASSERT_EQ(0, stay_on(to));
	for (i = 0; i < 2 * holes; i += 2)
		ASSERT_EQ(0, madvise(filler.start + i * page, page, MADV_DONTNEED));
	before = free_pages(to);
	self->move.huge = true;
	self->move.pages = MOST_PAGES;
	for (round = 0; round < MOST_ROUNDS &&
	     counter("thp_migration_fail") < failed + REFUSALS; round++) {
		result = in_child(stay, &self->move);
		/* A few that had found room before the others */
		ASSERT_TRUE(result == STAYED || result == SOME_DID)
			TH_LOG("result %d", result);
	}
	EXPECT_LE(failed + REFUSALS, counter("thp_migration_fail"))
		TH_LOG("%d rounds", round);
	while (free_pages(to) < before - REFUSALS / 2 && settle(&rounds))
		;
	EXPECT_LE(before - REFUSALS / 2, free_pages(to));
	area_unmap(&filler);
}

/* Whether they move is decided when they are touched: by then a child has them too */
static int shared_when_touched(void *arg)
{
	struct move *move = arg;

	move->marked = counter("auto_migrate_unmapped");
	if (go(move))
		return NOT_GONE;
	if (!runs_until(move, most_are_marked) || share(move))
		return SOME_DID;
	/* Reads, since a write would make a page of one's own */
	read_once(&move->area);
	return count_on(&move->area, move->to) > (int)move->pages / 100 ? SOME_DID : STAYED;
}

TEST_F_TIMEOUT(migration, marked_pages_stay_that_others_map, PATIENT_TIMEOUT)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(LAZY, "1"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(STAYED, in_child(shared_when_touched, &self->move));
}

/* Where NUMA balancing wants the process to be, -1 as long as it does not know */
static long preferred_node(void)
{
	char text[8192] = "", *line;

	file_read("/proc/self/sched", text, sizeof(text));
	line = strstr(text, "numa_preferred_nid");
	line = line ? strchr(line, ':') : NULL;
	return line ? strtol(line + 1, NULL, 10) : -1;
}

/* Pages that NUMA balancing is to bring as well, in a mapping of their own */
#define MORE_PAGES	64

static int map_more(struct area *more, int node)
{
	return map_on(more, node, MORE_PAGES, false) ?:
		/* Mappings that differ are not merged. */
		madvise(more->start, more->len, MADV_DONTDUMP);
}

/*
 * NUMA balancing brings the memory to the task, which then goes.
 *
 * The pages of a process with one thread that are near have no hint faults, and
 * without faults in a second pass the kernel prefers no node. So there are always
 * some that are far.
 */
static int settle_then_go(void *arg)
{
	time_t begin = guard_begin();
	struct move *move = arg;
	struct area more;

	if (stay_on(move->from) ||
	    map_on(&move->area, move->to, move->pages, false) ||
	    map_more(&more, move->to))
		return NOT_GONE;
	while (preferred_node() != move->from ||
	       count_on(&move->area, move->from) != (int)move->pages) {
		if (guard_over(begin))
			return NOT_GONE;
		touch_once(&move->area);
		touch_once(&more);
		if (count_on(&more, move->from) < MORE_PAGES)
			continue;
		area_unmap(&more);
		if (map_more(&more, move->to))
			return NOT_GONE;
	}
	area_unmap(&more);
	if (stay_on(move->to))
		return NOT_GONE;
	/* Untouched, or NUMA balancing would bring them there */
	return result(move, pages_that_strayed(move));
}

TEST_F_TIMEOUT(migration, balanced_memory_stays, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_preferred");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, sysctl_write("numa_balancing", "1"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(STAYED, in_child(settle_then_go, &self->move));
	EXPECT_LT(skipped, counter("auto_migrate_skip_preferred"));
}
