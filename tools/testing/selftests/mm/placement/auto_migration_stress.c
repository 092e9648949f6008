// SPDX-License-Identifier: GPL-2.0
/*
 * Automatic migration while everything moves: mappings, processes, CPUs and
 * memory come and go.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "cases.h"
#include "migration.h"

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
				execl("/proc/self/exe", "auto_migration_stress",
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
	int offline = 0, rounds, status, i;
	char cpu[64], block[96];
	pid_t pid[4];

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!switch_of_cpu(move->to, cpu, sizeof(cpu)))
		SKIP(return, "needs a node with one CPU that can go offline");

	ASSERT_EQ(0, stay_on(move->from));
	ASSERT_EQ(0, file_print(INTERVAL, "5"));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	for (i = 0; i < (int)ARRAY_LEN(pid); i++) {
		pid[i] = fork_child();
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

/* Tasks that share two CPUs with another one, and the pages of each */
#define CROWD		6
#define CROWD_PAGES	2048

/* Memory that has just followed; then the load balancer may take its task back */
static int follow_then_run(struct move *move)
{
	time_t begin = guard_begin();
	struct area area;
	cpu_set_t all;
	int rounds;

	if (stay_on(move->from) ||
	    map_on(&area, move->from, CROWD_PAGES, false) || stay_on(move->to))
		return 1;
	while (count_on(&area, move->to) < MOST_OF(CROWD_PAGES)) {
		if (guard_over(begin))
			return 2;
		spin();
	}
	memset(&all, 0xff, sizeof(all));
	if (sched_setaffinity(0, sizeof(all), &all))
		return 3;
	for (rounds = 0; rounds < STORM_ROUNDS; rounds++)
		spin();
	return 0;
}

/* Seconds, the longest that there are */
#define LONG_INTERVAL	300

/* Of tasks that the load balancer moves, memory does so once in an interval. */
TEST_F_TIMEOUT(migration, load_balancer, PATIENT_TIMEOUT)
{
	long long moved = counter("auto_migrate_success");
	struct move *move = &self->move;
	time_t begin = guard_begin();
	pid_t busy, pid[CROWD];
	int status, i, intervals;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(INTERVAL, "%d", LONG_INTERVAL));
	ASSERT_EQ(0, file_print(ENABLE, "1"));
	busy = fork_child();
	ASSERT_LE(0, busy);
	if (!busy) {
		stay_on(move->from);
		for (;;)
			spin();
	}
	for (i = 0; i < CROWD; i++) {
		pid[i] = fork_child();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			_exit(follow_then_run(move));
	}
	for (i = 0; i < CROWD; i++) {
		EXPECT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	kill(busy, SIGKILL);
	EXPECT_EQ(busy, waitpid(busy, &status, 0));
	/* More of them only where the host has no time for the machine */
	intervals = 1 + (guard_begin() - begin) / LONG_INTERVAL;
	/* With the little that was there before and has come since: stacks, tables */
	EXPECT_LE(moved + CROWD * MOST_OF(CROWD_PAGES),
		  counter("auto_migrate_success"));
	EXPECT_GE(moved + intervals * CROWD * (CROWD_PAGES + CROWD_PAGES / 4 + 256),
		  counter("auto_migrate_success"));
}

/* What execl() above runs */
static void __attribute__((constructor)) nothing(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		_exit(0);
}
