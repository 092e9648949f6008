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

/* 384 MiB, which take 2.6 s to move and 0.13 s to look at */
#define MOVED_PAGES	98304
#define MOST_MS		20

struct other {
	const char *name;
	int (*work)(void);
	/* Or as long as it takes by itself */
	bool judged;
	pthread_t thread;
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

/* All of numa_maps, or as far as its first mapping */
static int look(bool whole)
{
	int fd = open("/proc/self/numa_maps", O_RDONLY | O_CLOEXEC);
	char text[16384];
	ssize_t got;

	if (fd < 0)
		return -1;
	do
		got = read(fd, text, whole ? sizeof(text) : 1);
	while (whole && got > 0);
	close(fd);
	return got < 0 ? -1 : 0;
}

static int look_once(void)
{
	return look(false);
}

static int look_at_all(void)
{
	return look(true);
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

/* Pages are marked, and move as they are touched */
static int move_lazily(const struct context *ctx, const struct area *area)
{
	struct nodeset second = nodeset_of(ctx->second);
	struct own_policy own;

	own_init(&own, MPOL_BIND, 0, &second, NULL);
	return own_bind(area->start, area->len, &own, MPOL_MF_MOVE | MPOL_MF_LAZY);
}

static void longest_waits(struct __test_metadata *_metadata, const struct context *ctx,
			  int way)
{
	const char *name = way < NR_WAYS ? way_name[way] : "mbind2, lazily";
	struct other other[] = {
		{ .name = "maps", .work = map_once, .judged = true },
		{ .name = "faults", .work = fault_once, .judged = true },
		{ .name = "begins to read numa_maps", .work = look_once, .judged = true },
		{ .name = "reads numa_maps", .work = look_at_all },
	};
	struct area area;
	size_t i;

	ASSERT_EQ(0, prepare(ctx, &area, MOVED_PAGES, false));
	for (i = 0; i < ARRAY_LEN(other); i++) {
		ASSERT_EQ(0, pthread_create(&other[i].thread, NULL, works, &other[i]));
		while (!__atomic_load_n(&other[i].begun, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	EXPECT_EQ(0, way < NR_WAYS ? move(ctx, &area, way) : move_lazily(ctx, &area))
		TH_LOG("%s", name);
	for (i = 0; i < ARRAY_LEN(other); i++) {
		__atomic_store_n(&other[i].stop, true, __ATOMIC_RELEASE);
		ASSERT_EQ(0, pthread_join(other[i].thread, NULL));
		EXPECT_EQ(0, other[i].error);
		if (other[i].judged)
			EXPECT_GT(MOST_MS * slowdown(), other[i].longest_ms)
				TH_LOG("%s: another thread %s", name, other[i].name);
	}
	area_unmap(&area);
}

/* Nobody waits, neither for the pages that move nor for a look at all of them. */
TEST_F(race, nobody_waits_while_pages_move)
{
	int way;

	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	/* One more than there are: lazily */
	for (way = 0; way <= NR_WAYS; way++)
		longest_waits(_metadata, &self->ctx, way);
}
