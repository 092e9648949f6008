// SPDX-License-Identifier: GPL-2.0
/*
 * process_set_mempolicy2(2): all threads of another process have its policy, those
 * that wait for something and those that are being created as well.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "placement.h"
#include "policies.h"
#include "targets.h"

#define THREADS	8
#define ROUNDS	100
#define MANY_PAGES	4096UL

enum more {
	BEGIN_THREADS = MORE_ORDERS,
	ASK_THREADS,
	BEGIN_CLONES,
	BEGIN_FORKS,
	END_CLONES,
	BLOCK,
};

/* What a child and its parent have in common */
struct common {
	/* Each thread that is created from now on has at least this weight on the first node. */
	int least;
	int created;
	int wrong;
	/* Sets while one was being created: those that it has, and those that it lacks */
	int has;
	int lacks;
	int weight;
	bool ends;
};

static struct common *common;
static struct inherited *of_child;
static pthread_t thread[THREADS];
static int begun;
static int go[2];

static int first_weight(const struct inherited *own)
{
	struct own_policy got;

	if (own_get(&got, NULL, MPOL_F_OWN_WEIGHTS) ||
	    got.param.mode != MPOL_WEIGHTED_INTERLEAVE)
		return -1;
	return got.weight[own->ctx->first];
}

/* Waits in the kernel; says which weight it has afterwards */
static void *waits(void *arg)
{
	char byte;

	if (read(go[0], &byte, 1) != 1)
		return (void *)-1L;
	return (void *)(long)first_weight(of_child);
}

static void *is_new(void *arg)
{
	if (first_weight(of_child) < (long)arg)
		__atomic_add_fetch(&common->wrong, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *clones(void *arg)
{
	pthread_t created;
	long least;

	while (!__atomic_load_n(&common->ends, __ATOMIC_SEQ_CST)) {
		least = __atomic_load_n(&common->least, __ATOMIC_SEQ_CST);
		if (pthread_create(&created, NULL, is_new, (void *)least) ||
		    pthread_join(created, NULL))
			__atomic_add_fetch(&common->wrong, 1, __ATOMIC_SEQ_CST);
		__atomic_add_fetch(&common->created, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

/* About half of the time goes into a new process before anybody knows it. */
static void *forks(void *arg)
{
	int least, most;
	pid_t pid;

	while (!__atomic_load_n(&common->ends, __ATOMIC_SEQ_CST)) {
		least = __atomic_load_n(&common->least, __ATOMIC_SEQ_CST);
		pid = fork();
		if (!pid) {
			common->weight = first_weight(of_child);
			_exit(0);
		}
		most = first_weight(of_child);
		if (waitpid(pid, NULL, 0) != pid || common->weight < least)
			common->wrong++;
		common->has += common->weight - least;
		common->lacks += most - common->weight;
		common->created++;
	}
	return NULL;
}

static char begin_threads(void *(*work)(void *arg), int count)
{
	for (begun = 0; begun < count; begun++)
		if (pthread_create(&thread[begun], NULL, work, NULL))
			return 1;
	return 0;
}

/* Blocks as the parent of a vfork(2) does, until somebody writes to @go */
static char blocks(void)
{
	char byte;
	pid_t pid = vfork();

	if (!pid) {
		read(go[0], &byte, 1);
		_exit(0);
	}
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}

static char obeys_more(struct inherited *own, char order)
{
	void *weight;
	int i;

	of_child = own;
	switch (order) {
	case BEGIN_THREADS:
		return begin_threads(waits, THREADS);
	case ASK_THREADS:
		for (i = 0; i < THREADS; i++)
			if (write(go[1], "", 1) != 1)
				return 1;
		for (i = 0; i < THREADS; i++)
			if (pthread_join(thread[i], &weight) || (long)weight != 3)
				return 2;
		return first_weight(own) == 3 ? 0 : 3;
	case BEGIN_CLONES:
		return begin_threads(clones, THREADS / 2);
	case BEGIN_FORKS:
		return begin_threads(forks, 1);
	case END_CLONES:
		common->ends = true;
		for (i = 0; i < begun; i++)
			if (pthread_join(thread[i], NULL))
				return 1;
		return common->wrong != 0;
	case BLOCK:
		return blocks();
	}
	return 1;
}

static bool begin(struct target *target, struct inherited *own, struct context *ctx)
{
	common = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (common == MAP_FAILED || pipe(go) || !inherit(own, ctx))
		return false;
	own->more = obeys_more;
	return target_begin(target, own, 0);
}

static void end(struct target *target, struct inherited *own)
{
	target_end(target);
	area_unmap(&own->area);
	munmap(common, page_bytes());
	close(go[0]);
	close(go[1]);
}

static void weighted_init(struct own_policy *own, struct context *ctx, unsigned int first)
{
	const unsigned int weight[] = { first, 1 };

	own_init(own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
}

/* Whether numa_maps tells weights of @first to one */
static bool maps_tell(const struct target *target, const struct context *ctx,
		      unsigned int first)
{
	char path[64], want[64], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", target->pid);
	snprintf(want, sizeof(want), " weights=%d:%u,%d:1\n", ctx->first, first,
		 ctx->second);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0)
		found = strstr(line, want);
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

TEST_F(mempolicy2, set_of_a_stopped_process)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted, got;
	struct inherited own;
	struct target target;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	ASSERT_TRUE(begin(&target, &own, ctx));
	weighted_init(&weighted, ctx, 3);
	/* Half of it by 5:3 */
	ASSERT_EQ(0, told(&target, TOUCH_HALF));
	ASSERT_EQ(0, kill(target.pid, SIGSTOP));
	ASSERT_EQ(target.pid, waitpid(target.pid, NULL, WUNTRACED));
	EXPECT_EQ(0, process_set(target.pidfd, &weighted, MPOL_MF_MOVE));
	EXPECT_EQ(0, process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(3, got.weight[ctx->first]);
	EXPECT_EQ(1, got.weight[ctx->second]);
	EXPECT_TRUE(maps_tell(&target, ctx, 3));
	ASSERT_EQ(0, kill(target.pid, SIGCONT));
	ASSERT_EQ(0, told(&target, TOUCH_ALL));
	EXPECT_EQ(0, told(&target, LIES_THREE_TO_ONE));
	EXPECT_EQ(0, process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(3, got.weight[ctx->first]);
	/* A mapping's own policy stays, and so does all of this process. */
	EXPECT_EQ(0, process_get(target.pidfd, &got, ctx->area.start,
				 MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	EXPECT_TRUE(policies_kept(ctx));
	end(&target, &own);
}

TEST_F(mempolicy2, set_of_threads_that_wait)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted;
	struct inherited own;
	struct target target;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_TRUE(begin(&target, &own, ctx));
	ASSERT_EQ(0, told(&target, BEGIN_THREADS));
	/* The last one is in force. */
	weighted_init(&weighted, ctx, 7);
	EXPECT_EQ(0, process_set(target.pidfd, &weighted, 0));
	weighted_init(&weighted, ctx, 3);
	EXPECT_EQ(0, process_set(target.pidfd, &weighted, 0));
	EXPECT_EQ(0, told(&target, ASK_THREADS));
	end(&target, &own);
}

TEST_F(mempolicy2, set_while_threads_are_created)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted;
	struct inherited own;
	struct target target;
	time_t begun;
	int round, created;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_TRUE(begin(&target, &own, ctx));
	weighted_init(&weighted, ctx, 100);
	ASSERT_EQ(0, process_set(target.pidfd, &weighted, 0));
	ASSERT_EQ(0, told(&target, BEGIN_CLONES));
	begun = guard_begin();
	for (round = 0; round < ROUNDS; round++) {
		weighted_init(&weighted, ctx, 101 + round);
		ASSERT_EQ(0, process_set(target.pidfd, &weighted, 0));
		__atomic_store_n(&common->least, 101 + round, __ATOMIC_SEQ_CST);
		created = __atomic_load_n(&common->created, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&common->created, __ATOMIC_SEQ_CST) < created + 2 &&
		       !guard_over(begun))
			sched_yield();
	}
	EXPECT_EQ(0, told(&target, END_CLONES));
	note("%d threads, %d of them with an older policy", common->created, common->wrong);
	EXPECT_LE(2 * ROUNDS, common->created);
	end(&target, &own);
}

/* What begins them is in fork(2) for most of the time. */
/* What is set while one is created it may have or not: some have it, else none had. */
TEST_F(mempolicy2, set_while_processes_are_created)
{
	enum { LONG_ROUNDS = 150, SOON_US = 2000, ENOUGH = 10, TOO_MANY = 200, MOST = 16 };
	struct context *ctx = &self->ctx;
	struct own_policy weighted;
	struct inherited own;
	struct target target;
	int round, times;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_TRUE(begin(&target, &own, ctx));
	for (times = 0; times < MOST && common->has < ENOUGH && common->lacks < TOO_MANY;
	     times++) {
		weighted_init(&weighted, ctx, 100);
		ASSERT_EQ(0, process_set(target.pidfd, &weighted, 0));
		common->least = 100;
		common->ends = false;
		ASSERT_EQ(0, told(&target, BEGIN_FORKS));
		for (round = 0; round < LONG_ROUNDS; round++) {
			weighted_init(&weighted, ctx, 101 + round);
			ASSERT_EQ(0, process_set(target.pidfd, &weighted, 0));
			__atomic_store_n(&common->least, 101 + round, __ATOMIC_SEQ_CST);
			usleep(SOON_US);
		}
		EXPECT_EQ(0, told(&target, END_CLONES));
	}
	note("%d processes, %d with an older policy; of later ones they have %d and lack %d",
	     common->created, common->wrong, common->has, common->lacks);
	EXPECT_LE(ENOUGH, common->has);
	end(&target, &own);
}

TEST_F(mempolicy2, set_of_a_blocked_process)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted, got;
	struct inherited own;
	struct target target;
	char order = BLOCK, answer;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_TRUE(begin(&target, &own, ctx));
	weighted_init(&weighted, ctx, 3);
	ASSERT_EQ(1, write(target.to, &order, 1));
	EXPECT_EQ(0, process_set(target.pidfd, &weighted, 0));
	EXPECT_EQ(0, process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(3, got.weight[ctx->first]);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(1, read(target.from, &answer, 1));
	EXPECT_EQ(0, answer);
	EXPECT_EQ(0, process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(3, got.weight[ctx->first]);
	end(&target, &own);
}

TEST_F(mempolicy2, set_of_this_process)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted, got;
	int fd = pidfd_of(getpid());

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_LE(0, fd);
	weighted_init(&weighted, ctx, 3);
	EXPECT_EQ(0, process_set(fd, &weighted, 0));
	EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(3, got.weight[ctx->first]);
	close(fd);
}

/* 0 when a process of root's is closed to everybody else */
static int sets_as_nobody(void *arg)
{
	struct own_policy bind;

	own_init(&bind, MPOL_DEFAULT, 0, NULL, NULL);
	if (setresuid(1, 1, 1))
		return 2;
	return process_set(*(int *)arg, &bind, 0) != -EPERM;
}

TEST_F(mempolicy2, set_that_is_refused)
{
	struct context *ctx = &self->ctx;
	struct own_policy bind, got;
	struct inherited own;
	struct target target;
	struct nodeset none;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_TRUE(begin(&target, &own, ctx));
	own_init(&bind, MPOL_BIND, 0, &ctx->nodes, NULL);
	EXPECT_EQ(-EINVAL, process_set(target.pidfd, &bind, MPOL_MF_STRICT));
	EXPECT_EQ(-EINVAL, process_set(target.pidfd, &bind, MPOL_MF_MOVE_ALL));
	EXPECT_EQ(-EINVAL, process_set(target.pidfd, &bind, MPOL_MF_HOME_NODE));
	EXPECT_EQ(-EBADF, process_set(-1, &bind, 0));
	EXPECT_EQ(-EBADF, process_set(1, &bind, 0));
	EXPECT_EQ(0, in_child(sets_as_nobody, &target.pidfd));
	none = nodeset_of(node_without_memory());
	own_init(&bind, MPOL_BIND, 0, &none, NULL);
	EXPECT_EQ(-EINVAL, process_set(target.pidfd, &bind, MPOL_MF_MOVE));
	nodeset_clear(&none);
	own_init(&bind, MPOL_BIND, 0, &none, NULL);
	EXPECT_EQ(-EINVAL, process_set(target.pidfd, &bind, 0));
	EXPECT_EQ(0, process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->task, &got));
	ASSERT_EQ(0, kill(target.pid, SIGKILL));
	ASSERT_EQ(target.pid, waitpid(target.pid, NULL, 0));
	own_init(&bind, MPOL_DEFAULT, 0, NULL, NULL);
	EXPECT_EQ(-ESRCH, process_set(target.pidfd, &bind, 0));
	end(&target, &own);
}

/* At the next beginning or end of a system call, or after exec */
static bool stops_again(pid_t pid)
{
	int status;

	return !ptrace(PTRACE_SYSCALL, pid, NULL, NULL) &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

static bool begins_exec(pid_t pid)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == __NR_execve;
}

/* A policy that is on its way is for the program that was looked at. */
TEST_F(mempolicy2, set_of_a_process_that_executes)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted, got;
	int fd, stops;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	weighted_init(&weighted, ctx, 3);
	pid = fork_child();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(1);
		open("/dev/null", O_WRONLY);
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL) && !raise(SIGSTOP))
			execl("/proc/self/exe", "again", "-l", NULL);
		_exit(1);
	}
	fd = pidfd_of(pid);
	ASSERT_LE(0, fd);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD));
	do {
		ASSERT_TRUE(stops_again(pid));
	} while (!begins_exec(pid));
	ASSERT_EQ(0, process_set(fd, &weighted, 0));
	EXPECT_EQ(0, process_get(fd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(3, got.weight[ctx->first]);
	/* The end of that call, the trap behind it, and the first call of the new program */
	for (stops = 0; stops < 4; stops++)
		ASSERT_TRUE(stops_again(pid));
	EXPECT_EQ(0, process_get(fd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->task, &got));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

/* Once the threads have the policy it is no failure that there is less to move. */
TEST_F(mempolicy2, set_of_a_process_that_executes_meanwhile)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted;
	int fd, round, ready[2], held[2];
	struct area area;
	char byte;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	weighted_init(&weighted, ctx, 3);
	ASSERT_EQ(0, pipe(held));
	for (round = 0; round < 8; round++) {
		ASSERT_EQ(0, pipe(ready));
		pid = fork_child();
		ASSERT_LE(0, pid);
		if (!pid) {
			if (area_map(&area, MANY_PAGES, MANY_PAGES))
				_exit(1);
			touch(area.start, MANY_PAGES, page_bytes());
			dup2(held[0], 0);
			close(held[1]);
			if (write(ready[1], "", 1) == 1)
				execlp("cat", "cat", NULL);
			_exit(1);
		}
		fd = pidfd_of(pid);
		ASSERT_LE(0, fd);
		/* A child that has ended is the end of it. */
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		close(ready[0]);
		EXPECT_EQ(0, process_set(fd, &weighted, MPOL_MF_MOVE));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(fd);
	}
	close(held[0]);
	close(held[1]);
}

/* Whenever it ends, or becomes another program, it is that or has the policy. */
TEST_F(mempolicy2, set_of_a_process_that_goes)
{
	struct context *ctx = &self->ctx;
	struct own_policy weighted;
	int ret, round, fd;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	weighted_init(&weighted, ctx, 3);
	for (round = 0; round < ROUNDS; round++) {
		pid = fork_child();
		ASSERT_LE(0, pid);
		if (!pid) {
			if (round % 2)
				_exit(0);
			close(1);
			open("/dev/null", O_WRONLY);
			execl("/proc/self/exe", "again", "-l", NULL);
			_exit(1);
		}
		fd = pidfd_of(pid);
		ASSERT_LE(0, fd);
		do {
			ret = process_set(fd, &weighted, round % 3 ? 0 : MPOL_MF_MOVE);
			ASSERT_TRUE(!ret || ret == -ESRCH) TH_LOG("%d", ret);
		} while (!ret);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		close(fd);
	}
}
