// SPDX-License-Identifier: GPL-2.0
/*
 * What own weights cost: policies with the same nodes and weights share one
 * table, the caller's memory cgroup pays for both, and what no policy needs any
 * more is given back.
 *
 * A table has an entry for each page of a round, and one byte is the least that
 * an entry can take. So a lower limit of what tables cost is known without
 * knowing how the kernel stores them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "cases.h"
#include "memory_costs.h"
#include "placement.h"

/* On a kernel that is KSELFTEST_SLOWDOWN times slower as many times fewer */
#define MAPPINGS 10000
#define REPETITIONS 100000

/* More mappings than the limit has room for, as each has a table */
#define LIMIT (1024 * 1024)
#define LIMIT_MAPPINGS 1500
#define TRIES 64

struct costs {
	struct nodeset nodes;
	int nr;
	int ret[NR_KINDS];
	/* Slab bytes with policies of each kind, over those without a policy */
	long long cost[NR_KINDS];
	/* The same when there are no own weights any more, and no mappings */
	long long given_back;
	long long left;
};

static int finds_costs(void *arg)
{
	struct costs *costs = arg;
	long long start, mapped;
	struct memcg memcg;
	int kind, ret;
	char *map;

	if (memcg_enter(&memcg))
		return 1;
	start = slab_bytes(memcg.group);
	map = map_pages(costs->nr);
	if (!map)
		return 2;
	mapped = slab_bytes(memcg.group);
	for (kind = 0; kind < NR_KINDS; kind++) {
		bind_pages(map, costs->nr, &costs->nodes, kind,
			   &costs->ret[kind]);
		costs->cost[kind] = slab_bytes(memcg.group) - mapped;
	}
	bind_pages(map, costs->nr, &costs->nodes, NO_WEIGHTS, &ret);
	if (ret)
		return 3;
	costs->given_back = slab_settle(memcg.group, mapped + SLAB_NOISE) -
			    mapped;
	unmap_pages(map, costs->nr);
	costs->left = slab_settle(memcg.group, start + SLAB_NOISE) - start;
	memcg_leave(&memcg);
	return 0;
}

TEST_F(memory, ten_thousand_mappings)
{
	const struct nodeset *nodes = &self->ctx.nodes;
	const int nr = scaled(MAPPINGS);
	struct costs *costs;
	int kind;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	costs = shared_memory(sizeof(*costs));
	ASSERT_TRUE(!!costs);
	costs->nodes = *nodes;
	costs->nr = nr;
	ASSERT_EQ(0, in_child(finds_costs, costs));
	for (kind = 0; kind < NR_KINDS; kind++)
		EXPECT_EQ(0, costs->ret[kind]);
	/* Own weights are something that each mapping has ... */
	EXPECT_LE(costs->cost[NO_WEIGHTS] + nr * SMALLEST,
		  costs->cost[SAME_WEIGHTS]);
	/* ... but less than a table; different ones have a table each */
	EXPECT_GE(costs->cost[NO_WEIGHTS] + nr * pages_of_rounds(nodes, 1),
		  costs->cost[SAME_WEIGHTS]);
	EXPECT_LE(costs->cost[SAME_WEIGHTS] + pages_of_rounds(nodes, nr),
		  costs->cost[DIFFERENT_WEIGHTS]);
	EXPECT_GE(SLAB_NOISE, costs->given_back);
	EXPECT_GE(SLAB_NOISE, costs->left);
}

struct limited {
	struct nodeset nodes;
	/* What the calls at the limit answered, and one below it later */
	int ret;
	int set_ret;
	int later;
	/* How many mappings came before that, and have their weights */
	int bound;
	int made;
	bool old_stays;
	bool old_task_stays;
	long long slab;
};

static bool mapping_has(const char *addr, const struct own_policy *own)
{
	struct own_policy got;

	return !own_get(&got, addr, MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS) &&
	       own_equal(own, &got);
}

/*
 * Everything that is used at the limit is there before it: a page fault there
 * would wait for memory for ever.
 */
static int meets_limit(void *arg)
{
	const size_t page = page_bytes();
	struct limited *limited = arg;
	struct own_policy old, own, got;
	struct memcg memcg;
	char path[128];
	size_t i, task;
	char *map;
	int fd;

	/* With nobody to be killed the allocation fails */
	if (file_print("/proc/self/oom_score_adj", "-1000") ||
	    mlockall(MCL_CURRENT))
		return 1;
	map = map_pages(LIMIT_MAPPINGS);
	if (!map)
		return 2;
	/* Each mapping has a policy beforehand, and so has the task */
	own_fill(&old, &limited->nodes, LIMIT_MAPPINGS);
	for (i = 0; i < LIMIT_MAPPINGS; i++)
		if (own_bind(map + 2 * i * page, page, &old, 0))
			return 3;
	if (own_set(&old))
		return 4;
	if (memcg_enter(&memcg))
		return 5;
	snprintf(path, sizeof(path), "%s/memory.max", memcg.group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "%d", LIMIT) < 0)
		return 6;

	i = bind_pages(map, LIMIT_MAPPINGS, &limited->nodes, DIFFERENT_WEIGHTS,
		       &limited->ret);
	/*
	 * What one allocation does not get, the next may: memory comes back from
	 * RCU late. Then the rest is used up again.
	 */
	for (task = LIMIT_MAPPINGS; task < LIMIT_MAPPINGS + TRIES; task++) {
		own_fill(&own, &limited->nodes, task + 1);
		limited->set_ret = own_set(&own);
		if (limited->set_ret)
			break;
		for (; i < LIMIT_MAPPINGS; i++) {
			own_fill(&own, &limited->nodes, i);
			if (own_bind(map + 2 * i * page, page, &own, 0))
				break;
		}
	}
	if (pwrite(fd, "max", 3, 0) != 3)
		return 7;

	limited->slab = slab_bytes(memcg.group);
	own_fill(&own, &limited->nodes, task);
	limited->old_task_stays = !own_get(&got, NULL, MPOL_F_OWN_WEIGHTS) &&
				  own_equal(&own, &got);
	limited->old_stays = i < LIMIT_MAPPINGS &&
			     mapping_has(map + 2 * i * page, &old);
	/* Those that were made are not affected */
	while (i-- > 0) {
		own_fill(&own, &limited->nodes, i);
		limited->made += mapping_has(map + 2 * i * page, &own);
		limited->bound++;
	}

	/* When they have gone the same call succeeds below the same limit */
	unmap_pages(map, LIMIT_MAPPINGS);
	slab_settle(memcg.group, SLAB_NOISE);
	if (dprintf(fd, "%d", LIMIT) < 0)
		return 8;
	limited->later = own_set(&own);
	memcg_leave(&memcg);
	return 0;
}

TEST_F(memory, limit)
{
	struct limited *limited;
	int level, status;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	limited = shared_memory(sizeof(*limited));
	ASSERT_TRUE(!!limited);
	limited->nodes = self->ctx.nodes;
	level = console_level(4);
	ASSERT_LE(0, level);
	status = in_child(meets_limit, limited);
	ASSERT_EQ(4, console_level(level));
	ASSERT_EQ(0, status);
	EXPECT_EQ(-ENOMEM, limited->ret);
	EXPECT_TRUE(limited->old_stays);
	EXPECT_LT(0, limited->bound);
	EXPECT_EQ(limited->bound, limited->made);
	EXPECT_EQ(-ENOMEM, limited->set_ret);
	EXPECT_TRUE(limited->old_task_stays);
	EXPECT_GE(LIMIT + SLAB_NOISE, limited->slab);
	EXPECT_EQ(0, limited->later);
}

struct repeated {
	struct nodeset nodes;
	bool mapping;
	/* Slab of the cgroup, which pays for the tables, and of the machine */
	long long group[2];
	long long all[2];
};

static int repeats(void *arg)
{
	const size_t calls = scaled(REPETITIONS);
	struct repeated *repeated = arg;
	struct own_policy own;
	struct memcg memcg;
	char *map;
	size_t i;
	int ret;

	if (memcg_enter(&memcg))
		return 1;
	map = map_pages(1);
	if (!map)
		return 2;
	repeated->group[0] = slab_bytes(memcg.group);
	for (i = 0; i < calls; i++) {
		/* By then the caches of each CPU and node are there */
		if (i == calls / 100)
			repeated->all[0] = slab_bytes(NULL);
		own_fill(&own, &repeated->nodes, i);
		ret = repeated->mapping ? own_bind(map, page_bytes(), &own, 0) :
					  own_set(&own);
		if (ret)
			return 3;
	}
	repeated->group[1] = slab_settle(memcg.group,
					 repeated->group[0] + SLAB_NOISE);
	repeated->all[1] = slab_settle(NULL, repeated->all[0] +
					     SLAB_NOISE_OF_ALL);
	memcg_leave(&memcg);
	return 0;
}

static void repeat(struct __test_metadata *_metadata, struct context *ctx,
		   bool mapping)
{
	struct repeated *repeated;

	repeated = shared_memory(sizeof(*repeated));
	ASSERT_TRUE(!!repeated);
	repeated->nodes = ctx->nodes;
	repeated->mapping = mapping;
	ASSERT_EQ(0, in_child(repeats, repeated));
	EXPECT_GE(repeated->group[0] + SLAB_NOISE, repeated->group[1]);
	EXPECT_GE(repeated->all[0] + SLAB_NOISE_OF_ALL, repeated->all[1]);
}

/* As many tables as live policies, however many there have been */
TEST_F(memory, repeated_for_a_task)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	repeat(_metadata, &self->ctx, false);
}

TEST_F(memory, repeated_for_a_mapping)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	repeat(_metadata, &self->ctx, true);
}
