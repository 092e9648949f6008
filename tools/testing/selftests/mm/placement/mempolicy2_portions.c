// SPDX-License-Identifier: GPL-2.0
/*
 * Pages move a portion at a time: meanwhile other threads map and fault, others
 * look at the process, and what a thread sets or maps in between is left alone.
 *
 * A portion is counted in /proc/vmstat when it has moved. So what begins after the
 * first one and ends before the last one is seen to happen in between, however long
 * anything takes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "placement.h"
#include "portions.h"
#include "races.h"

#define MOVED_PAGES	8192
/* What another thread changes, at the end, where pages move last */
#define TAIL_PAGES	2048
/* Of a portion, of which a huge page may be a part, and what CPUs have not counted */
#define MOST_ISOLATED	1024
/* Calls until a thread has come in between, and how often it then has to in all */
#define CALLS		20
#define BETWEEN		8

enum what { MAPS, FAULTS, LOOKS, BINDS, BINDS_AND_MOVES, MAPS_ANEW, NR_WHATS };

static const char * const what_name[NR_WHATS] = {
	"maps", "faults", "reads numa_maps", "binds", "binds and moves", "maps anew",
};

struct other {
	const struct context *ctx;
	struct area area;
	enum what what;
	bool shared;
	long long moved_before;
	/* Pages that move */
	long long moves;
	bool stop;
	/* How often it has done it while pages moved, and what was left to move then */
	int between;
	int left;
	long long most_isolated;
	int error;
};

static int tail_node[TAIL_PAGES];

static char *tail_of(const struct area *area)
{
	return area->start + (MOVED_PAGES - TAIL_PAGES) * page_bytes();
}

/* Pages of the tail that are on @node */
static int tail_on(const struct area *area, int node)
{
	int count = 0;
	size_t i;

	if (nodes_of_pages(tail_of(area), TAIL_PAGES, page_bytes(), tail_node))
		return -1;
	for (i = 0; i < TAIL_PAGES; i++)
		count += tail_node[i] == node;
	return count;
}

static long long counter(const char *name)
{
	return file_value("/proc/vmstat", name);
}

static long long pages_moved(const struct other *other)
{
	return counter("pgmigrate_success") - other->moved_before;
}

/* Half of the pages have their own node where they are; all others are copied. */
static long long pages_that_move(enum way way)
{
	return way == BY_WEIGHTS ? MOVED_PAGES / 2 : MOVED_PAGES;
}

static int map_anew(struct other *other)
{
	struct nodeset first = nodeset_of(other->ctx->first);
	char *tail = tail_of(&other->area);
	int err;

	if (mmap(tail, TAIL_PAGES * page_bytes(), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != tail)
		return -1;
	madvise(tail, TAIL_PAGES * page_bytes(), MADV_NOHUGEPAGE);
	/* By the policy of this thread: the mapping has none. */
	err = policy_set(MPOL_BIND, &first);
	touch(tail, TAIL_PAGES, page_bytes());
	return err;
}

static int bind_tail(struct other *other, unsigned int flags)
{
	struct nodeset first = nodeset_of(other->ctx->first);

	return policy_bind(tail_of(&other->area), TAIL_PAGES * page_bytes(), MPOL_BIND,
			   &first, flags);
}

static int do_it(struct other *other)
{
	static char line[4096];

	switch (other->what) {
	case MAPS:
		return map_once();
	case FAULTS:
		return fault_once();
	case LOOKS:
		return numa_maps_line(other->area.start, line, sizeof(line));
	case BINDS:
		return bind_tail(other, 0);
	case BINDS_AND_MOVES:
		return bind_tail(other, MPOL_MF_MOVE);
	case MAPS_ANEW:
		return map_anew(other);
	default:
		return -1;
	}
}

/* Does it again and again, or once if it is about the tail */
static void *works(void *arg)
{
	struct other *other = arg;
	long long isolated, moved;

	while (!__atomic_load_n(&other->stop, __ATOMIC_ACQUIRE)) {
		isolated = counter("nr_isolated_anon");
		if (isolated > other->most_isolated)
			other->most_isolated = isolated;
		if (pages_moved(other) <= 0)
			continue;
		if (do_it(other))
			other->error = 1;
		moved = pages_moved(other);
		if (moved < other->moves)
			other->between++;
		if (other->what < BINDS)
			continue;
		other->left = tail_on(&other->area, other->ctx->first);
		break;
	}
	return NULL;
}

/* One call, and what another thread does meanwhile */
static void race(struct __test_metadata *_metadata, const struct context *ctx,
		 struct other *other, enum way way)
{
	pthread_t thread;

	ASSERT_EQ(0, prepare(ctx, &other->area, MOVED_PAGES, other->shared));
	other->ctx = ctx;
	other->moves = pages_that_move(way);
	other->left = 0;
	other->stop = false;
	other->moved_before = counter("pgmigrate_success");
	ASSERT_EQ(0, pthread_create(&thread, NULL, works, other));
	EXPECT_EQ(0, move(ctx, &other->area, way))
		TH_LOG("%s", way_name[way]);
	__atomic_store_n(&other->stop, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, other->error)
		TH_LOG("%s: %s", way_name[way], what_name[other->what]);
}

static void go_on(struct __test_metadata *_metadata, const struct context *ctx,
		  enum what what)
{
	struct other other;
	int way, calls;

	for (way = 0; way < NR_WAYS; way++) {
		other = (struct other){ .what = what };
		for (calls = 0; calls < CALLS && other.between < BETWEEN; calls++) {
			race(_metadata, ctx, &other, way);
			area_unmap(&other.area);
		}
		EXPECT_LE(BETWEEN, other.between)
			TH_LOG("%s: another thread %s", way_name[way], what_name[what]);
		EXPECT_GE(MOST_ISOLATED, other.most_isolated)
			TH_LOG("%s", way_name[way]);
	}
}

static const char *missing(const struct context *ctx)
{
	if (ctx->missing)
		return ctx->missing;
	return nodes_have_room(&ctx->nodes, 2 * MOVED_PAGES) ? NULL :
	       "too little free memory on a node";
}

TEST_F(race, others_map)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	go_on(_metadata, &self->ctx, MAPS);
}

TEST_F(race, others_fault)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	go_on(_metadata, &self->ctx, FAULTS);
}

TEST_F(race, others_look)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	go_on(_metadata, &self->ctx, LOOKS);
}

/* What has not moved when another thread changes the tail stays, or goes back */
static void check_tail(struct __test_metadata *_metadata, const struct other *other,
		       enum way way)
{
	struct nodeset first = nodeset_of(other->ctx->first), got;
	char *tail = tail_of(&other->area);
	int mode;

	EXPECT_EQ(other->left, tail_on(&other->area, other->ctx->first))
		TH_LOG("%s: another thread %s", way_name[way], what_name[other->what]);
	if (other->what != BINDS)
		EXPECT_EQ(TAIL_PAGES, other->left)
			TH_LOG("%s: another thread %s", way_name[way],
			       what_name[other->what]);
	ASSERT_EQ(0, policy_get(&mode, &got, tail, MPOL_F_ADDR));
	EXPECT_EQ(other->what == MAPS_ANEW ? MPOL_DEFAULT : MPOL_BIND, mode);
	if (other->what != MAPS_ANEW)
		EXPECT_TRUE(nodeset_equal(&first, &got));
}

static void tail_wins(struct __test_metadata *_metadata, const struct context *ctx,
		      enum what what, bool shared)
{
	struct other other;
	int way, calls, left;

	for (way = 0; way < BY_MIGRATE; way++) {
		/* What is mapped anew has the default policy, which is being set. */
		if (way == BY_INTERLEAVED && what == MAPS_ANEW)
			continue;
		left = 0;
		for (calls = 0; calls < CALLS && !left; calls++) {
			other = (struct other){ .what = what, .shared = shared };
			race(_metadata, ctx, &other, way);
			if (other.between) {
				check_tail(_metadata, &other, way);
				left = other.left;
			}
			area_unmap(&other.area);
		}
		EXPECT_LT(0, left)
			TH_LOG("%s: another thread %s", way_name[way], what_name[what]);
	}
}

TEST_F(race, policy_of_another_thread_wins)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	tail_wins(_metadata, &self->ctx, BINDS, false);
	tail_wins(_metadata, &self->ctx, BINDS, true);
}

TEST_F(race, move_of_another_thread_wins)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	tail_wins(_metadata, &self->ctx, BINDS_AND_MOVES, false);
	tail_wins(_metadata, &self->ctx, BINDS_AND_MOVES, true);
}

TEST_F(race, new_mappings_are_left_alone)
{
	if (missing(&self->ctx))
		SKIP(return, "%s", missing(&self->ctx));
	tail_wins(_metadata, &self->ctx, MAPS_ANEW, false);
}
