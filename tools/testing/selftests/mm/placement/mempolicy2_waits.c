// SPDX-License-Identifier: GPL-2.0
/*
 * How long other threads wait at most while pages move: runs where steady_clock=NS is
 * in the environment, as make test has it where the clock counts instructions.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "placement.h"
#include "portions.h"
#include "races.h"

/* 384 MiB, which take 2.6 s */
#define MOVED_PAGES	98304
#define MOST_MS		20

struct other {
	int (*work)(void);
	/* It has done so once: its stack is there, for which it would wait uncounted. */
	bool begun;
	bool stop;
	double longest_ms;
	int error;
};

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void *works(void *arg)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct other *other = arg;
	double begin, took;

	while (!__atomic_load_n(&other->stop, __ATOMIC_ACQUIRE)) {
		begin = now_ms();
		if (other->work())
			other->error = 1;
		took = now_ms() - begin;
		if (took > other->longest_ms)
			other->longest_ms = took;
		__atomic_store_n(&other->begun, true, __ATOMIC_RELEASE);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void longest_wait(struct __test_metadata *_metadata, const struct context *ctx,
			 const char *name, int (*work)(void))
{
	struct other other;
	pthread_t thread;
	struct area area;
	int way;

	for (way = 0; way < NR_WAYS; way++) {
		other = (struct other){ .work = work };
		ASSERT_EQ(0, prepare(ctx, &area, MOVED_PAGES, false));
		ASSERT_EQ(0, pthread_create(&thread, NULL, works, &other));
		while (!__atomic_load_n(&other.begun, __ATOMIC_ACQUIRE))
			sched_yield();
		EXPECT_EQ(0, move(ctx, &area, way))
			TH_LOG("%s", way_name[way]);
		__atomic_store_n(&other.stop, true, __ATOMIC_RELEASE);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_EQ(0, other.error);
		EXPECT_GT(MOST_MS * slowdown(), other.longest_ms)
			TH_LOG("%s: another thread %s", way_name[way], name);
		area_unmap(&area);
	}
}

static const char *missing(const struct context *ctx)
{
	if (!getenv("steady_clock"))
		return "needs a machine that nothing disturbs, and steady_clock=NS";
	if (ctx->missing)
		return ctx->missing;
	return nodes_have_room(&ctx->nodes, MOVED_PAGES + MOVED_PAGES / 8) ? NULL :
	       "too little free memory on a node";
}

TEST_F(race, who_maps_does_not_wait)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	longest_wait(_metadata, &self->ctx, "maps", map_once);
}

TEST_F(race, who_faults_does_not_wait)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	longest_wait(_metadata, &self->ctx, "faults", fault_once);
}

/* At the first mapping: a look at what moves takes longer than that by itself. */
static int look_once(void)
{
	int fd = open("/proc/self/numa_maps", O_RDONLY | O_CLOEXEC);
	char byte;
	ssize_t got;

	if (fd < 0)
		return -1;
	got = read(fd, &byte, 1);
	close(fd);
	return got == 1 ? 0 : -1;
}

TEST_F(race, who_looks_does_not_wait)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	longest_wait(_metadata, &self->ctx, "reads numa_maps", look_once);
}
