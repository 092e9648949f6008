// SPDX-License-Identifier: GPL-2.0
/*
 * A cpuset that changes its nodes takes own weights along: they go with their
 * nodes, those that meet on a node add, and a weight that follows the global
 * one goes on to do so.
 */
#define _GNU_SOURCE
#include "cases.h"
#include "placement.h"

#define PAGES 660
#define NODES 4
#define MAX_STOPS 4

/* The global weights of the first nodes */
static const unsigned int global[NODES] = { 3, 4, 1, 6 };

struct context {
	struct saved_weights saved;
	struct nodeset memory;
	int nr;
	struct cpuset cpuset;
	const char *missing;
};

FIXTURE(cpuset)
{
	struct context ctx;
};

FIXTURE_SETUP(cpuset)
{
	struct context *ctx = &self->ctx;
	int i, ret;

	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&ctx->saved));
	ctx->memory = ctx->saved.nodes;
	ctx->nr = nodeset_count(&ctx->memory);
	if (ctx->nr < 2) {
		ctx->missing = "needs two nodes with memory";
		return;
	}
	if (!nodes_have_room(&ctx->memory, 2 * PAGES)) {
		ctx->missing = "too little free memory on a node";
		return;
	}
	ret = cpuset_enter(&ctx->cpuset, &ctx->memory);
	if (ret == -EOPNOTSUPP) {
		ctx->missing = "no cpusets";
		return;
	}
	ASSERT_EQ(0, ret);
	for (i = 0; i < ctx->nr && i < NODES; i++)
		ASSERT_EQ(0, weight_write(nodeset_nth(&ctx->memory, i),
					  global[i]));
}

FIXTURE_TEARDOWN(cpuset)
{
	policy_set(MPOL_DEFAULT, NULL);
	cpuset_leave(&self->ctx.cpuset);
	if (!self->ctx.missing)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

/*
 * Nodes are counted among those with memory, and bit i of a set is node i; in
 * the mask of a relative policy it is position i. Weight i belongs to bit i.
 */
struct stop {
	unsigned int mems;
	/* What is reported there; 0 in @mask is what was given */
	unsigned int mask;
	unsigned int own[NODES];
	/* Where pages go and by which weights, 0 is the global one */
	unsigned int used;
	unsigned int weight[NODES];
};

struct journey {
	const char *what;
	int nr;
	int flags;
	unsigned int start;
	unsigned int mask;
	unsigned int own[NODES];
	struct stop stops[MAX_STOPS];
};

static struct nodeset nodes_of_bits(struct context *ctx, unsigned int bits)
{
	struct nodeset set;
	int i;

	nodeset_clear(&set);
	for (i = 0; i < NODES; i++)
		if (bits >> i & 1)
			nodeset_add(&set, nodeset_nth(&ctx->memory, i));
	return set;
}

static void own_of_bits(struct context *ctx, struct own_policy *own, int flags,
			unsigned int mask, const unsigned int *weight)
{
	bool relative = flags & MPOL_F_RELATIVE_NODES;
	int i, id;

	own_init(own, MPOL_WEIGHTED_INTERLEAVE, flags, NULL, NULL);
	own->param.il_weights = (uintptr_t)own->weight;
	for (i = 0; i < NODES; i++) {
		if (!(mask >> i & 1))
			continue;
		id = relative ? i : nodeset_nth(&ctx->memory, i);
		nodeset_add(&own->nodes, id);
		own->weight[id] = weight[i];
	}
}

/* Fresh pages of @area are exact by the weights of a stop */
static bool placed_as(struct context *ctx, struct area *area,
		      const struct stop *stop)
{
	struct nodeset used = nodes_of_bits(ctx, stop->used);
	unsigned int weight[NODES];
	struct round round;
	static int node[PAGES];
	int i, nr = 0;

	for (i = 0; i < NODES; i++)
		if (stop->used >> i & 1)
			weight[nr++] = stop->weight[i] ? stop->weight[i] :
							 global[i];
	round_init(&round, &used, weight);
	madvise(area->start, area->len, MADV_DONTNEED);
	return !place(area->start, PAGES, page_bytes(), node) &&
	       round_exact(&round, node, PAGES);
}

/* Both kinds of policy at one stop; NULL or what is wrong */
static const char *look(struct context *ctx, const struct journey *journey,
			const struct stop *stop, struct area *bound,
			struct area *task)
{
	const unsigned long own_flag = MPOL_F_OWN_WEIGHTS;
	struct own_policy want, got;

	if (stop->mask)
		own_of_bits(ctx, &want, journey->flags, stop->mask, stop->own);
	else
		own_of_bits(ctx, &want, journey->flags, journey->mask,
			    journey->own);
	if (own_get(&got, NULL, own_flag) || !own_equal(&want, &got))
		return "the task's policy";
	if (own_get(&got, bound->start, own_flag | MPOL_F_ADDR) ||
	    !own_equal(&want, &got))
		return "the mapping's policy";
	if (!placed_as(ctx, task, stop))
		return "the placement by the task's policy";
	if (area_touch_once(bound) || !placed_as(ctx, bound, stop))
		return "the placement by the mapping's policy";
	return NULL;
}

static void travel(struct __test_metadata *_metadata, struct context *ctx,
		   const struct journey *journey)
{
	struct area bound, task;
	const struct stop *stop;
	struct own_policy own;
	struct nodeset mems;
	const char *wrong;
	int i;

	mems = nodes_of_bits(ctx, journey->start);
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &mems));
	ASSERT_EQ(0, area_map(&bound, PAGES, 1));
	ASSERT_EQ(0, area_map(&task, PAGES, 1));
	own_of_bits(ctx, &own, journey->flags, journey->mask, journey->own);
	ASSERT_EQ(0, own_bind(bound.start, bound.len, &own, 0));
	ASSERT_EQ(0, own_set(&own));
	for (i = 0; i < MAX_STOPS && journey->stops[i].mems; i++) {
		stop = &journey->stops[i];
		mems = nodes_of_bits(ctx, stop->mems);
		ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &mems));
		wrong = look(ctx, journey, stop, &bound, &task);
		EXPECT_TRUE(!wrong)
			TH_LOG("%s, stop %d: %s", journey->what, i, wrong);
	}
	area_unmap(&bound);
	area_unmap(&task);
}

static const struct journey plain[] = {
	{
		.what = "two weights add on one node", .nr = 2,
		.start = 0x3, .mask = 0x3, .own = { 5, 2 },
		.stops = {
			{ 0x3, 0x3, { 5, 2 }, 0x3, { 5, 2 } },
			{ 0x2, 0x2, { 0, 7 }, 0x2, { 0, 7 } },
			{ 0x3, 0x1, { 7, 0 }, 0x1, { 7, 0 } },
			{ 0x2, 0x2, { 0, 7 }, 0x2, { 0, 7 } },
		},
	},
	{
		.what = "the second one follows the global weight", .nr = 2,
		.start = 0x3, .mask = 0x3, .own = { 5, 0 },
		.stops = {
			{ 0x3, 0x3, { 5, 0 }, 0x3, { 5, 0 } },
			{ 0x1, 0x1, { 0, 0 }, 0x1, { 0, 0 } },
		},
	},
	{
		.what = "the first one follows the global weight", .nr = 2,
		.start = 0x3, .mask = 0x3, .own = { 0, 5 },
		.stops = {
			{ 0x3, 0x3, { 0, 5 }, 0x3, { 0, 5 } },
			{ 0x1, 0x1, { 0, 0 }, 0x1, { 0, 0 } },
		},
	},
	{
		.what = "weights travel", .nr = 4,
		.start = 0x3, .mask = 0x3, .own = { 5, 2 },
		.stops = {
			{ 0xc, 0xc, { 0, 0, 5, 2 }, 0xc, { 0, 0, 5, 2 } },
			{ 0xa, 0xa, { 0, 5, 0, 2 }, 0xa, { 0, 5, 0, 2 } },
			{ 0xf, 0x3, { 5, 2 }, 0x3, { 5, 2 } },
		},
	},
	{
		.what = "a node that follows the global weight travels",
		.nr = 4,
		.start = 0x3, .mask = 0x3, .own = { 0, 3 },
		.stops = {
			{ 0xc, 0xc, { 0, 0, 0, 3 }, 0xc, { 0, 0, 0, 3 } },
			{ 0x3, 0x3, { 0, 3 }, 0x3, { 0, 3 } },
		},
	},
	{
		.what = "four weights add on two nodes, then on one", .nr = 4,
		.start = 0xf, .mask = 0xf, .own = { 5, 2, 3, 1 },
		.stops = {
			{ 0x3, 0x3, { 8, 3 }, 0x3, { 8, 3 } },
			{ 0x8, 0x8, { 0, 0, 0, 11 }, 0x8, { 0, 0, 0, 11 } },
		},
	},
	{
		.what = "one of four follows the global weight", .nr = 4,
		.start = 0xf, .mask = 0xf, .own = { 5, 0, 3, 2 },
		.stops = {
			{ 0x3, 0x3, { 8, 0 }, 0x3, { 8, 0 } },
		},
	},
};

static const struct journey by_position[] = {
	{
		.what = "two positions", .nr = 2,
		.flags = MPOL_F_RELATIVE_NODES,
		.start = 0x3, .mask = 0x3, .own = { 5, 2 },
		.stops = {
			{ .mems = 0x3, .used = 0x3, .weight = { 5, 2 } },
			{ .mems = 0x2, .used = 0x2, .weight = { 0, 7 } },
			{ .mems = 0x1, .used = 0x1, .weight = { 7, 0 } },
			{ .mems = 0x3, .used = 0x3, .weight = { 5, 2 } },
		},
	},
	{
		.what = "positions and ids differ", .nr = 4,
		.flags = MPOL_F_RELATIVE_NODES,
		.start = 0x3, .mask = 0x3, .own = { 5, 2 },
		.stops = {
			{ .mems = 0xc, .used = 0xc, .weight = { 0, 0, 5, 2 } },
			{ .mems = 0xa, .used = 0xa, .weight = { 0, 5, 0, 2 } },
			{ .mems = 0xf, .used = 0x3, .weight = { 5, 2 } },
		},
	},
	{
		.what = "folded positions add", .nr = 4,
		.flags = MPOL_F_RELATIVE_NODES,
		.start = 0xf, .mask = 0xf, .own = { 5, 2, 3, 1 },
		.stops = {
			{ .mems = 0xa, .used = 0xa, .weight = { 0, 8, 0, 3 } },
			{ .mems = 0xc, .used = 0xc, .weight = { 0, 0, 8, 3 } },
			{ .mems = 0x7, .used = 0x7, .weight = { 6, 2, 3 } },
			{ .mems = 0xf, .used = 0xf, .weight = { 5, 2, 3, 1 } },
		},
	},
	{
		.what = "a position that follows the global weight", .nr = 4,
		.flags = MPOL_F_RELATIVE_NODES,
		.start = 0x3, .mask = 0x3, .own = { 0, 3 },
		.stops = {
			{ .mems = 0xc, .used = 0xc, .weight = { 0, 0, 0, 3 } },
			{ .mems = 0x3, .used = 0x3, .weight = { 0, 3 } },
		},
	},
};

static const struct journey by_id[] = {
	{
		.what = "two ids", .nr = 2, .flags = MPOL_F_STATIC_NODES,
		.start = 0x3, .mask = 0x3, .own = { 5, 2 },
		.stops = {
			{ .mems = 0x2, .used = 0x2, .weight = { 0, 2 } },
			{ .mems = 0x3, .used = 0x3, .weight = { 5, 2 } },
			{ .mems = 0x1, .used = 0x1, .weight = { 5, 0 } },
			{ .mems = 0x3, .used = 0x3, .weight = { 5, 2 } },
		},
	},
	{
		.what = "four ids", .nr = 4, .flags = MPOL_F_STATIC_NODES,
		.start = 0xf, .mask = 0xf, .own = { 5, 2, 3, 1 },
		.stops = {
			{ .mems = 0xa, .used = 0xa, .weight = { 0, 2, 0, 1 } },
			{ .mems = 0x5, .used = 0x5, .weight = { 5, 0, 3, 0 } },
			{ .mems = 0xf, .used = 0xf, .weight = { 5, 2, 3, 1 } },
		},
	},
	{
		.what = "an id that follows the global weight", .nr = 4,
		.flags = MPOL_F_STATIC_NODES,
		.start = 0xf, .mask = 0xf, .own = { 5, 0, 3, 0 },
		.stops = {
			{ .mems = 0x3, .used = 0x3, .weight = { 5, 0 } },
			{ .mems = 0xc, .used = 0xc, .weight = { 0, 0, 3, 0 } },
		},
	},
};

static void travel_all(struct __test_metadata *_metadata, struct context *ctx,
		       const struct journey *journey, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (journey[i].nr <= ctx->nr)
			travel(_metadata, ctx, &journey[i]);
}

TEST_F(cpuset, plain)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	travel_all(_metadata, &self->ctx, plain, ARRAY_LEN(plain));
}

TEST_F(cpuset, relative_by_position)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	travel_all(_metadata, &self->ctx, by_position, ARRAY_LEN(by_position));
}

TEST_F(cpuset, static_by_id)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	travel_all(_metadata, &self->ctx, by_id, ARRAY_LEN(by_id));
}

/* The own weights that a plain policy has after a move */
static int weights_after_move(struct context *ctx, unsigned int from,
			      const unsigned int *weight, unsigned int to,
			      int *after)
{
	struct own_policy own, got;
	struct nodeset mems;
	int i, ret;

	mems = nodes_of_bits(ctx, from);
	ret = policy_set(MPOL_DEFAULT, NULL);
	if (!ret)
		ret = cpuset_move(&ctx->cpuset, &mems);
	own_of_bits(ctx, &own, 0, from, weight);
	if (!ret)
		ret = own_set(&own);
	mems = nodes_of_bits(ctx, to);
	if (!ret)
		ret = cpuset_move(&ctx->cpuset, &mems);
	if (!ret)
		ret = own_get(&got, NULL, MPOL_F_OWN_WEIGHTS);
	for (i = 0; i < NODES && i < ctx->nr; i++)
		after[i] = got.weight[nodeset_nth(&ctx->memory, i)];
	return ret;
}

/* A sum over 255 scales all weights down, and none to 0 */
TEST_F(cpuset, sums_over_the_limit)
{
	static const unsigned int two[] = { 200, 100 };
	static const unsigned int three[] = { 255, 1, 255 };
	static const unsigned int four[] = { 200, 100, 100, 10 };
	struct context *ctx = &self->ctx;
	int after[NODES];

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* 300, which in a byte would be 44 */
	ASSERT_EQ(0, weights_after_move(ctx, 0x3, two, 0x2, after));
	EXPECT_LT(127, after[1]);
	EXPECT_GE(MAX_WEIGHT, after[1]);

	if (ctx->nr < 3)
		return;
	/* 510:1 */
	ASSERT_EQ(0, weights_after_move(ctx, 0x7, three, 0x3, after));
	EXPECT_LT(127, after[0]);
	EXPECT_GE(MAX_WEIGHT, after[0]);
	EXPECT_EQ(1, after[1]);

	if (ctx->nr < 4)
		return;
	/* 300:110, within a twentieth */
	ASSERT_EQ(0, weights_after_move(ctx, 0xf, four, 0x3, after));
	EXPECT_GE(MAX_WEIGHT, after[0]);
	EXPECT_GE(MAX_WEIGHT, after[1]);
	EXPECT_LE(95 * 300 * after[1], 100 * 110 * after[0]);
	EXPECT_GE(105 * 300 * after[1], 100 * 110 * after[0]);
}

/* A shared object keeps its policy: the base rebinds none */
TEST_F(cpuset, shared_objects_stay)
{
	static const unsigned int weight[] = { 5, 2 };
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	struct area area;
	struct nodeset one;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_of_bits(ctx, &own, 0, 0x3, weight);
	ASSERT_EQ(0, area_map_shared(&area, 4));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	for (i = 1; i >= 0; i--) {
		one = nodes_of_bits(ctx, 1 << i);
		ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &one));
		EXPECT_EQ(0, own_get(&got, area.start,
				     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got));
	}
}

/* Global weights go on to count for who follows them, after any move */
TEST_F(cpuset, follows_after_a_move)
{
	static const unsigned int weight[] = { 0, 3 };
	struct context *ctx = &self->ctx;
	struct nodeset one, both;
	unsigned int global_weight, want[2];
	struct own_policy own, got;
	static int node[PAGES];
	struct round round;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	both = nodes_of_bits(ctx, 0x3);
	own_of_bits(ctx, &own, MPOL_F_STATIC_NODES, 0x3, weight);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	one = nodes_of_bits(ctx, 0x2);
	for (global_weight = 1; global_weight < 20; global_weight += 6) {
		ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &one));
		ASSERT_EQ(0, weight_write(nodeset_nth(&both, 0),
					  global_weight));
		ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &both));
		want[0] = global_weight;
		want[1] = weight[1];
		round_init(&round, &both, want);
		ASSERT_EQ(0, area_touch_once(&area));
		ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), node));
		EXPECT_TRUE(round_exact(&round, node, PAGES));
		EXPECT_EQ(0, own_get(&got, area.start, MPOL_F_ADDR));
		EXPECT_EQ(global_weight,
			  got.weight[nodeset_nth(&both, 0)]);
		EXPECT_EQ(want[1], got.weight[nodeset_nth(&both, 1)]);
	}
}

/* A position that follows tells the weight of the node that it stands for. */
TEST_F(cpuset, relative_followers)
{
	struct context *ctx = &self->ctx;
	struct nodeset positions, one;
	struct own_policy own, got;
	struct area area;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	nodeset_clear(&positions);
	nodeset_add(&positions, 0);
	nodeset_add(&positions, 1);
	ASSERT_EQ(0, weight_write(nodeset_nth(&ctx->memory, 0), 3));
	ASSERT_EQ(0, weight_write(nodeset_nth(&ctx->memory, 1), 7));
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, MPOL_F_RELATIVE_NODES, &positions, NULL);
	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < 2; i++) {
		one = nodes_of_bits(ctx, 1 << i);
		ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &one));
		ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
		ASSERT_EQ(0, own_set(&own));
		EXPECT_EQ(0, own_get(&got, NULL, 0));
		EXPECT_TRUE(nodeset_equal(&positions, &got.nodes));
		EXPECT_EQ(i ? 7 : 3, got.weight[0]);
		EXPECT_EQ(i ? 7 : 3, got.weight[1]);
		EXPECT_EQ(0, own_get(&got, area.start, MPOL_F_ADDR));
		EXPECT_EQ(i ? 7 : 3, got.weight[0]);
		EXPECT_EQ(i ? 7 : 3, got.weight[1]);
		EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
		EXPECT_EQ(0, got.weight[0]);
		EXPECT_EQ(0, got.weight[1]);
	}
	area_unmap(&area);
}

/* Positions beyond the nodes fold again at each move, with their weights */
TEST_F(cpuset, positions_beyond_the_nodes)
{
	static const struct stop stops[] = {
		{ .mems = 0x3, .used = 0x3, .weight = { 8, 2 } },
		{ .mems = 0x2, .used = 0x2, .weight = { 0, 10 } },
		{ .mems = 0x1, .used = 0x1, .weight = { 10, 0 } },
		{ .mems = 0x3, .used = 0x3, .weight = { 8, 2 } },
	};
	static const unsigned int weight[] = { 5, 2, 3 };
	struct context *ctx = &self->ctx;
	struct nodeset positions, mems;
	struct own_policy own, got;
	struct area bound, task;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	mems = nodes_of_bits(ctx, 0x3);
	ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &mems));
	positions = nodeset_pair(0, 1);
	nodeset_add(&positions, (possible_nodes() + 1) / 2 * 2);
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, MPOL_F_RELATIVE_NODES, &positions, weight);
	if (own_set(&own))
		SKIP(return, "this kernel has no more node ids than this machine");
	ASSERT_EQ(0, area_map(&bound, PAGES, 1));
	ASSERT_EQ(0, area_map(&task, PAGES, 1));
	ASSERT_EQ(0, own_bind(bound.start, bound.len, &own, 0));
	for (i = 0; i < ARRAY_LEN(stops); i++) {
		mems = nodes_of_bits(ctx, stops[i].mems);
		ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &mems));
		EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got))
			TH_LOG("task, stop %zu", i);
		EXPECT_EQ(0, own_get(&got, bound.start, MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got))
			TH_LOG("mapping, stop %zu", i);
		EXPECT_TRUE(placed_as(ctx, &task, &stops[i]))
			TH_LOG("task, stop %zu", i);
		EXPECT_EQ(0, area_touch_once(&bound));
		EXPECT_TRUE(placed_as(ctx, &bound, &stops[i]))
			TH_LOG("mapping, stop %zu", i);
	}
	area_unmap(&bound);
	area_unmap(&task);
}

/* What numa_maps tells of the weights at @addr; "" is nothing */
static const char *shown_weights(void *addr, char *line, size_t size)
{
	char *text;

	if (numa_maps_line(addr, line, size))
		return "no line";
	line[strcspn(line, "\n")] = '\0';
	text = strstr(line, " weights=");
	return text ? text + strlen(" weights=") : "";
}

/* Those of the policy in force, whoever it is of, at the end of the line */
TEST_F(cpuset, numa_maps_shows_own_weights)
{
	static const unsigned int weight[] = { 5, 0 };
	struct context *ctx = &self->ctx;
	struct area bound, plain, task;
	struct nodeset both, one;
	char line[1024], want[64];
	struct own_policy own;
	int first, second;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	both = nodes_of_bits(ctx, 0x3);
	first = nodeset_nth(&ctx->memory, 0);
	second = nodeset_nth(&ctx->memory, 1);
	ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &both));
	ASSERT_EQ(0, weight_write(second, 2));
	own_of_bits(ctx, &own, MPOL_F_STATIC_NODES, 0x3, weight);
	ASSERT_EQ(0, area_map(&bound, 1, 1));
	ASSERT_EQ(0, area_map(&plain, 1, 1));
	ASSERT_EQ(0, area_map(&task, 1, 1));
	ASSERT_EQ(0, own_bind(bound.start, bound.len, &own, 0));
	ASSERT_EQ(0, policy_bind(plain.start, plain.len, MPOL_WEIGHTED_INTERLEAVE, &both, 0));

	snprintf(want, sizeof(want), "%d:5,%d:2", first, second);
	EXPECT_STREQ(want, shown_weights(bound.start, line, sizeof(line)));
	EXPECT_STREQ("", shown_weights(plain.start, line, sizeof(line)));
	EXPECT_STREQ("", shown_weights(task.start, line, sizeof(line)));
	ASSERT_EQ(0, own_set(&own));
	EXPECT_STREQ(want, shown_weights(task.start, line, sizeof(line)));
	EXPECT_STREQ("", shown_weights(plain.start, line, sizeof(line)));

	/* Also behind what is told of pages */
	touch(bound.start, 1, 1);
	ASSERT_EQ(0, weight_write(second, 9));
	snprintf(want, sizeof(want), "%d:5,%d:9", first, second);
	EXPECT_STREQ(want, shown_weights(bound.start, line, sizeof(line)));
	one = nodes_of_bits(ctx, 0x2);
	ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &one));
	snprintf(want, sizeof(want), "%d:9", second);
	EXPECT_STREQ(want, shown_weights(bound.start, line, sizeof(line)));
	EXPECT_STREQ(want, shown_weights(task.start, line, sizeof(line)));
	EXPECT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	EXPECT_STREQ("", shown_weights(task.start, line, sizeof(line)));
	area_unmap(&bound);
	area_unmap(&plain);
	area_unmap(&task);
}
