/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the memory that policies cost share: two nodes, pairs of
 * weights with long rounds, and mappings that are not merged.
 */
#ifndef MEMORY_COSTS_H
#define MEMORY_COSTS_H

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "placement.h"

/* No allocation is smaller */
#define SMALLEST 8

/* The lower half of the weights, which have short rounds, is left out */
#define PAIRS_PER_WEIGHT 128

struct context {
	struct saved_weights saved;
	struct nodeset nodes;
	/* What got through to the console, where a test has changed that; else -1 */
	int console;
	const char *missing;
};

FIXTURE(memory)
{
	struct context ctx;
};

FIXTURE_SETUP(memory)
{
	struct context *ctx = &self->ctx;
	struct memcg memcg;
	int ret;

	ctx->console = -1;
	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&ctx->saved));
	ctx->nodes = nodeset_head(&ctx->saved.nodes, 2);
	if (nodeset_count(&ctx->nodes) < 2) {
		ctx->missing = "needs two nodes with memory";
		return;
	}
	ret = memcg_enter(&memcg);
	if (!ret && slab_bytes(memcg.group) < 0)
		ret = -EOPNOTSUPP;
	memcg_leave(&memcg);
	if (ret == -EOPNOTSUPP) {
		ctx->missing = "no memory cgroups that count slab";
		return;
	}
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(memory)
{
	if (self->ctx.console >= 0)
		EXPECT_LE(0, console_level(self->ctx.console));
	if (!self->ctx.missing)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

/* Different weights for each @i below 128 * 128; 0 has a round of 509 pages */
static inline void weights_of(size_t i, unsigned int *weight)
{
	weight[0] = 255 - i % PAIRS_PER_WEIGHT;
	weight[1] = 254 - i / PAIRS_PER_WEIGHT % PAIRS_PER_WEIGHT;
}

static inline void own_fill(struct own_policy *own, const struct nodeset *nodes,
			    size_t i)
{
	unsigned int weight[2];

	weights_of(i, weight);
	own_init(own, MPOL_WEIGHTED_INTERLEAVE, 0, nodes, weight);
}

static inline long long pages_of_rounds(const struct nodeset *nodes, size_t count)
{
	unsigned int weight[2];
	long long pages = 0;
	struct round round;
	size_t i;

	for (i = 0; i < count; i++) {
		weights_of(i, weight);
		round_init(&round, nodes, weight);
		pages += round.total;
	}
	return pages;
}

static inline int scaled(int count)
{
	return count / slowdown();
}

static inline void unmap_pages(char *map, size_t count)
{
	munmap(map, 2 * count * page_bytes());
}

/* @count mappings of a page each, with a hole after each */
static inline char *map_pages(size_t count)
{
	const size_t page = page_bytes();
	char *map;
	size_t i;

	map = mmap(NULL, 2 * count * page, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	unmap_pages(map, count);
	for (i = 0; i < count; i++)
		if (mmap(map + 2 * i * page, page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
			return NULL;
	return map;
}

enum kind { NO_WEIGHTS, SAME_WEIGHTS, DIFFERENT_WEIGHTS, NR_KINDS };

/* Binds the mappings from the first one on; how many before one failed */
static inline size_t bind_pages(char *map, size_t count, const struct nodeset *nodes,
				enum kind kind, int *ret)
{
	const size_t page = page_bytes();
	struct own_policy own;
	size_t i;

	*ret = 0;
	for (i = 0; i < count; i++) {
		if (kind == NO_WEIGHTS)
			own_init(&own, MPOL_BIND, 0, nodes, NULL);
		else
			own_fill(&own, nodes, kind == SAME_WEIGHTS ? 0 : i);
		*ret = own_bind(map + 2 * i * page, page, &own, 0);
		if (*ret)
			break;
	}
	return i;
}

/* What a child finds out is told in memory that it shares with its parent */
static inline void *shared_memory(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

#endif /* MEMORY_COSTS_H */
