/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of process_set_mempolicy2(2), process_get_mempolicy2(2) and
 * process_mbind2(2) share: a child that does as it is told.
 */
#ifndef TARGETS_H
#define TARGETS_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placement.h"
#include "policies.h"
#include "process_calls.h"

#define SOME_PAGES	64UL

static inline int process_set(int pidfd, const struct own_policy *own, unsigned long flags)
{
	return process_param_set(pidfd, &own->param, param_size, flags);
}

static inline int process_get(int pidfd, struct own_policy *own, const void *addr,
			      unsigned long flags)
{
	own_init(own, 0, 0, NULL, NULL);
	own->param.il_weights = (uintptr_t)own->weight;
	return process_param_get(pidfd, &own->param, param_size, addr, flags);
}

static inline int process_bind(int pidfd, const void *addr, size_t len,
			       const struct own_policy *own, unsigned long flags)
{
	return process_param_bind(pidfd, addr, len, &own->param, param_size, flags);
}

/* A child that does as it is told, a byte at a time, and answers with one */
struct target {
	pid_t pid;
	int pidfd;
	int to;
	int from;
	/* For who is given this alone */
	struct inherited *own;
};

/* What it is told; its answer is 0 when that went well */
enum order {
	TOUCH_HALF = 1,
	TOUCH_ALL,
	LIES_THREE_TO_ONE,
	LIES_ON_SECOND,
	RUN_ON_SECOND,
	ENTER_FIRST_NODE,
	LEAVE,
	NO_DUMPS,
	END_FIRST_THREAD,
	/* What follows is the test's. */
	MORE_ORDERS,
};

/* What the child has, which it got with fork(2) */
struct inherited {
	struct context *ctx;
	struct area area;
	struct cpuset cpuset;
	/* For a test's own orders, if there are some */
	char (*more)(struct inherited *own, char order);
	int from;
	int to;
};

static inline char lies_three_to_one(struct inherited *own)
{
	static const unsigned int weight[] = { 3, 1 };
	int placed[SOME_PAGES];
	struct round round;

	if (nodes_of_pages(own->area.start, SOME_PAGES, page_bytes(), placed))
		return 2;
	round_init(&round, &own->ctx->nodes, weight);
	return !round_exact(&round, placed, SOME_PAGES);
}

static inline char lies_on(struct inherited *own, int node)
{
	int placed[SOME_PAGES];
	size_t i;

	if (nodes_of_pages(own->area.start, SOME_PAGES, page_bytes(), placed))
		return 2;
	for (i = 0; i < SOME_PAGES; i++)
		if (placed[i] != node)
			return 1;
	return 0;
}

static inline char run_on(int cpu)
{
	unsigned long set[1024 / BITS_PER_WORD] = {};

	set[cpu / BITS_PER_WORD] = 1UL << cpu % BITS_PER_WORD;
	return syscall(SYS_sched_setaffinity, 0, sizeof(set), set) < 0;
}

static inline void *obeys(void *arg);

static inline char does(struct inherited *own, char order)
{
	struct nodeset first = nodeset_of(own->ctx->first);
	pthread_t thread;

	switch (order) {
	case TOUCH_HALF:
		touch(own->area.start, SOME_PAGES / 2, page_bytes());
		return 0;
	case TOUCH_ALL:
		touch(own->area.start, SOME_PAGES, page_bytes());
		return 0;
	case LIES_THREE_TO_ONE:
		return lies_three_to_one(own);
	case LIES_ON_SECOND:
		return lies_on(own, own->ctx->second);
	case RUN_ON_SECOND:
		return run_on(served_cpu(own->ctx->second));
	case ENTER_FIRST_NODE:
		return -cpuset_enter(&own->cpuset, &first);
	case LEAVE:
		cpuset_leave(&own->cpuset);
		return 0;
	case NO_DUMPS:
		return prctl(PR_SET_DUMPABLE, 0) != 0;
	case END_FIRST_THREAD:
		if (pthread_create(&thread, NULL, obeys, own))
			return 1;
		syscall(SYS_exit, 0);
	}
	return own->more ? own->more(own, order) : 1;
}

static inline void *obeys(void *arg)
{
	struct inherited *own = arg;
	char order, answer = 0;

	/* Ready, or the thread that has taken over is */
	while (write(own->to, &answer, 1) == 1 && read(own->from, &order, 1) == 1)
		answer = does(own, order);
	_exit(0);
}

static inline char told(struct target *target, char order)
{
	char answer;

	if (write(target->to, &order, 1) != 1 || read(target->from, &answer, 1) != 1)
		return 99;
	return answer;
}

/* With an area of its own, @area in the child alone */
static inline bool target_begin(struct target *target, struct inherited *own, uid_t uid)
{
	int to[2], from[2];
	char answer;

	if (pipe(to) || pipe(from))
		return false;
	target->pid = fork_child();
	if (target->pid < 0)
		return false;
	if (!target->pid) {
		close(to[1]);
		close(from[0]);
		own->from = to[0];
		own->to = from[1];
		if (uid && (setresuid(uid, uid, uid) || prctl(PR_SET_DUMPABLE, 1)))
			_exit(1);
		obeys(own);
	}
	close(to[0]);
	close(from[1]);
	target->to = to[1];
	target->from = from[0];
	target->pidfd = pidfd_of(target->pid);
	return target->pidfd >= 0 && read(target->from, &answer, 1) == 1 && !answer;
}

/* Its other threads go on. */
static inline bool first_thread_ends(const struct target *target)
{
	time_t begun = guard_begin();
	char path[32], text[512], *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", target->pid);
	while (!guard_over(begun)) {
		if (file_read(path, text, sizeof(text)) < 0)
			return false;
		state = strrchr(text, ')');
		if (state && state[2] == 'Z')
			return true;
	}
	return false;
}

/* A later one has this one's pipes as well, so their end says nothing. */
static inline void target_end(struct target *target)
{
	kill(target->pid, SIGKILL);
	close(target->to);
	close(target->from);
	waitpid(target->pid, NULL, 0);
	close(target->pidfd);
}

/* A mapping that the child will have as well, untouched */
static inline bool inherit(struct inherited *own, struct context *ctx)
{
	*own = (struct inherited) { .ctx = ctx };
	return !area_map(&own->area, SOME_PAGES, SOME_PAGES);
}

#endif /* TARGETS_H */
