// SPDX-License-Identifier: GPL-2.0
/*
 * Automatic migration of each kind of memory, for each kind of task, and past
 * what is in its way.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cases.h"
#include "moves.h"

/* Of hugetlb */
#define POOL_PAGES	8
/* Of memory that is split while it is marked, if it is: more than are marked at a time */
#define MARKED_PAGES	(16 * SOME_PAGES)

/* tmpfs, of this process alone */
static int map_shared(struct move *move)
{
	int err = area_map_shared(&move->area, move->pages);

	if (!err)
		touch_once(&move->area);
	return err;
}

/* Objects that have policies are not one process's, whoever has them mapped. */
TEST_F_TIMEOUT(migration, shared_memory_stays, PATIENT_TIMEOUT)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.map = map_shared;
	EXPECT_EQ(STAYED, in_child(stay, &self->move));
}

/* Clean page cache that nobody else has mapped */
static int map_file(struct move *move)
{
	char dir[64];
	int err, fd;

	err = fs_mount("ramfs", NULL, dir, sizeof(dir));
	if (err)
		return err;
	fd = fs_file(dir);
	fs_unmount(dir);
	if (fd < 0 || ftruncate(fd, move->pages * page_bytes()))
		return -EIO;
	err = area_map(&move->area, move->pages, 1);
	if (err)
		return err;
	if (mmap(move->area.start, move->area.len, PROT_READ, MAP_SHARED | MAP_FIXED,
		 fd, 0) == MAP_FAILED)
		return -errno;
	close(fd);
	read_once(&move->area);
	return 0;
}

/* While they are on their way they count as what they are. */
TEST_F_TIMEOUT(migration, pages_of_a_file_follow, PATIENT_TIMEOUT)
{
	long long isolated = counter("nr_isolated_anon");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.map = map_file;
	EXPECT_EQ(FOLLOWED, in_child(follow, &self->move));
	EXPECT_GE(isolated + SOME_PAGES / 4, counter("nr_isolated_anon"));
}

static int map_hugetlb(struct move *move)
{
	move->area.len = POOL_PAGES * HUGE_BYTES;
	move->area.start = mmap(NULL, move->area.len, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (move->area.start == MAP_FAILED)
		return -errno;
	touch(move->area.start, POOL_PAGES, HUGE_BYTES);
	return 0;
}

/* Nor are they marked: touched, they would wait for a move that never comes. */
static int stay_unmarked(void *arg)
{
	struct move *move = arg;
	int stayed;

	move->marked = counter("auto_migrate_unmapped");
	stayed = stay(move);
	if (stayed == STAYED && counter("auto_migrate_unmapped") - move->marked >
				(long long)(move->area.len / page_bytes() / 2))
		return SOME_DID;
	return stayed;
}

TEST_F_TIMEOUT(migration, hugetlb_stays, PATIENT_TIMEOUT)
{
	char pool[128], old[32];
	long long got;
	int lazy;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	snprintf(pool, sizeof(pool),
		 NODE_DIR "/node%d/hugepages/hugepages-%zukB/nr_hugepages",
		 self->move.from, HUGE_BYTES / 1024);
	if (file_read(pool, old, sizeof(old)) < 0)
		SKIP(return, "no hugetlb pages of that size");
	file_print("/proc/sys/vm/compact_memory", "1");
	ASSERT_EQ(0, file_print(pool, "%d", POOL_PAGES));
	got = file_number(pool);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.map = map_hugetlb;
	self->move.pages = POOL_PAGES * HUGE_BYTES / page_bytes();
	for (lazy = 0; lazy < 2 && got == POOL_PAGES; lazy++) {
		ASSERT_EQ(0, file_print(LAZY, "%d", lazy));
		EXPECT_EQ(STAYED, in_child(stay_unmarked, &self->move));
	}
	ASSERT_EQ(0, file_print(pool, "%s", old));
	if (got != POOL_PAGES)
		SKIP(return, "too few huge pages on a node");
}

/* What vfork() lends the memory to */
static int borrow(void *arg)
{
	struct move *move = arg;

	if (stay_on(move->to))
		_exit(1);
	pages_that_strayed(move);
	_exit(0);
}

static int lend(void *arg)
{
	/* Aligned as a stack is */
	static long double stack[1 << 12];
	struct move *move = arg;
	int status;
	pid_t pid;

	if (stay_on(move->from) ||
	    map_on(&move->area, move->from, move->pages, false))
		return NOT_GONE;
	pid = clone(borrow, stack + ARRAY_LEN(stack),
		    CLONE_VM | CLONE_VFORK | SIGCHLD, move);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return NOT_GONE;
	return result(move, count_on(&move->area, move->to));
}

TEST_F_TIMEOUT(migration, lent_memory_stays, PATIENT_TIMEOUT)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(STAYED, in_child(lend, &self->move));
}

static pthread_barrier_t ready;

/* A thread with a policy that does nothing else */
static void *have_policy(void *arg)
{
	struct move *move = arg;
	struct nodeset nodes = nodeset_of(move->from);

	if (policy_set(MPOL_PREFERRED, &nodes))
		exit(NOT_GONE);
	pthread_barrier_wait(&ready);
	for (;;)
		pause();
	return NULL;
}

static int thread_with_policy(struct move *move)
{
	pthread_t thread;
	int err;

	pthread_barrier_init(&ready, NULL, 2);
	err = pthread_create(&thread, NULL, have_policy, move);
	if (!err)
		pthread_barrier_wait(&ready);
	return -err;
}

/* What one thread has said about its memory is in the same mappings */
TEST_F_TIMEOUT(migration, memory_stays_for_the_policy_of_a_thread, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_policy");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	self->move.before = thread_with_policy;
	EXPECT_EQ(STAYED, in_child(stay, &self->move));
	EXPECT_LT(skipped, counter("auto_migrate_skip_policy"));
}

/* What was marked and has followed is not marked again at once. */
static int touched_then_back(void *arg)
{
	struct move *move = arg;
	struct move back = { .from = move->to, .to = move->from };

	if (marked_then_touched(move) != FOLLOWED || stay_on(back.to))
		return NOT_GONE;
	back.area = move->area;
	back.pages = move->pages;
	back.marked = counter("auto_migrate_unmapped");
	runs_until(&back, most_are_marked);
	if (counter("auto_migrate_unmapped") - back.marked > (long long)back.pages / 4)
		return SOME_DID;
	touch_once(&back.area);
	return count_on(&back.area, back.to) > (int)back.pages / 100 ? SOME_DID : STAYED;
}

TEST_F_TIMEOUT(migration, touched_pages_stay_within_the_interval, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_interval");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(INTERVAL, "300"));
	ASSERT_EQ(0, file_print(LAZY, "1"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(STAYED, in_child(touched_then_back, &self->move));
	EXPECT_LT(skipped, counter("auto_migrate_skip_interval"));
}

static int go_back(void *arg)
{
	struct move *back = arg;

	if (stay_on(back->to))
		return NOT_GONE;
	return result(back, pages_that_followed(back));
}

/* The memory of a child has not moved, though its parent's has. */
static int child_goes_back(void *arg)
{
	struct move *move = arg;
	struct move back = { .from = move->to, .to = move->from };

	if (follow(move) != FOLLOWED)
		return NOT_GONE;
	back.area = move->area;
	back.pages = move->pages;
	return in_child(go_back, &back);
}

TEST_F_TIMEOUT(migration, memory_of_a_child_follows, PATIENT_TIMEOUT)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	/* Each page is its parent's as well. */
	ASSERT_EQ(0, file_print(MAPCOUNT, "2"));
	ASSERT_EQ(0, file_print(INTERVAL, "300"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(FOLLOWED, in_child(child_goes_back, &self->move));
}

static int mark_all(void *arg)
{
	struct move *move = arg;

	move->marked = counter("auto_migrate_unmapped");
	if (go(move))
		return NOT_GONE;
	return runs_until(move, most_are_marked) ? FOLLOWED : STAYED;
}

/* A part ends between two huge pages. */
TEST_F_TIMEOUT(migration, huge_pages_stay_whole_when_marked, PATIENT_TIMEOUT)
{
	long long split = counter("thp_split_pmd");

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!has_room(self->move.from, MARKED_PAGES))
		SKIP(return, "a node is too small");
	ASSERT_EQ(0, file_print(LAZY, "1"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	file_print("/proc/sys/vm/compact_memory", "1");
	self->move.pages = MARKED_PAGES;
	self->move.huge = true;
	EXPECT_EQ(FOLLOWED, in_child(mark_all, &self->move));
	EXPECT_EQ(split, counter("thp_split_pmd"));
}

/* A node gets a CPU after the tiers were made: its memory is slow all the same. */
TEST_F_TIMEOUT(migration, memory_stays_if_that_of_the_cpu_is_slow, PATIENT_TIMEOUT)
{
	long long skipped = counter("auto_migrate_skip_cpuset");
	char cpu[64];

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!switch_of_cpu(self->move.to, cpu, sizeof(cpu)))
		SKIP(return, "needs a node with one CPU that can go offline");
	ASSERT_EQ(0, stay_on(self->move.from));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	EXPECT_EQ(0, file_print(cpu, "0"));
	EXPECT_EQ(0, distance_write(self->move.to, "1500"));
	EXPECT_EQ(0, file_print(cpu, "1"));
	EXPECT_EQ(STAYED, in_child(stay, &self->move));
	EXPECT_EQ(0, distance_write(self->move.to, "0"));
	EXPECT_LT(skipped, counter("auto_migrate_skip_cpuset"));
}
