// SPDX-License-Identifier: GPL-2.0
/*
 * What happens when memory is short during set_mempolicy2(2), get_mempolicy2(2)
 * and mbind2(2): each allocation of a call is made to fail in turn. The call
 * answers ENOMEM, and the policy and the weights from before stay in force, or
 * it succeeds.
 *
 * Needs a kernel with fault injection (FAILSLAB, FAIL_PAGE_ALLOC).
 */
#define _GNU_SOURCE
#include "attempts.h"
#include "cases.h"
#include "placement.h"

#define PAGES 48

struct context {
	struct saved_weights saved;
	struct nodeset nodes;
	/* In force before a call, and what it asks for */
	struct own_policy old;
	struct own_policy new;
	/* Half of @area, from its first quarter on, is what mbind2 is for */
	struct area area;
	char *middle;
	size_t len;
	const char *missing;
	int fail;
};

FIXTURE(enomem)
{
	struct context ctx;
};

/* Single pages fail as well, those of user memory included */
static const struct {
	const char *path;
	const char *during;
	const char *after;
} settings[] = {
	{ "/sys/kernel/debug/fail_page_alloc/min-order", "0", "1" },
	{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N", "Y" },
};

FIXTURE_SETUP(enomem)
{
	static const unsigned int old[] = { 5, 1 }, new[] = { 2, 6 };
	struct context *ctx = &self->ctx;
	size_t i;

	ctx->fail = -1;
	ASSERT_TRUE(is_there(WEIGHT_DIR));
	ctx->fail = fault_open();
	if (ctx->fail < 0) {
		ctx->missing = "no fault injection in this kernel";
		return;
	}
	ASSERT_EQ(0, weights_save(&ctx->saved));
	if (nodeset_count(&ctx->saved.nodes) < 2) {
		ctx->missing = "needs two nodes with memory";
		return;
	}
	for (i = 0; i < ARRAY_LEN(settings); i++)
		ASSERT_EQ(0, file_print(settings[i].path, "%s",
					settings[i].during));
	ctx->nodes = nodeset_head(&ctx->saved.nodes, 2);
	own_init(&ctx->old, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, old);
	own_init(&ctx->new, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, new);
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(enomem)
{
	size_t i;

	policy_set(MPOL_DEFAULT, NULL);
	if (self->ctx.missing)
		return;
	for (i = 0; i < ARRAY_LEN(settings); i++)
		EXPECT_EQ(0, file_print(settings[i].path, "%s",
					settings[i].after));
	EXPECT_EQ(0, weights_restore(&self->ctx.saved));
	close(self->ctx.fail);
}

static void fail_each(struct __test_metadata *_metadata, struct context *ctx,
		      const struct attempt *attempt)
{
	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	fail_each_of(_metadata, ctx->fail, ctx, attempt);
}

/* Does the policy at @addr, or the task's, equal @want? */
static bool in_force(const struct own_policy *want, const void *addr)
{
	struct own_policy got;

	return !own_get(&got, addr, MPOL_F_OWN_WEIGHTS |
				    (addr ? MPOL_F_ADDR : 0)) &&
	       own_equal(want, &got);
}

/* Fresh pages from @addr on have the weights of @own */
static bool places_by(struct context *ctx, const struct own_policy *own,
		      char *addr, size_t count)
{
	unsigned int weight[2];
	struct round round;
	int node[PAGES], i;

	for (i = 0; i < 2; i++)
		weight[i] = own->weight[nodeset_nth(&ctx->nodes, i)];
	round_init(&round, &ctx->nodes, weight);
	return !place(addr, count, page_bytes(), node) &&
	       round_exact(&round, node, count);
}

/* So have those of a fresh mapping: NULL, or what is wrong */
static const char *fresh_mapping(struct context *ctx, const struct own_policy *own)
{
	struct area area;
	bool good;

	if (area_map(&area, PAGES, 1))
		return "no mapping";
	good = places_by(ctx, own, area.start, PAGES);
	area_unmap(&area);
	return good ? NULL : "the placement";
}

static int task_prepare(struct context *ctx)
{
	return own_set(&ctx->old);
}

static int task_call(struct context *ctx)
{
	return own_set(&ctx->new);
}

static const char *task_check(struct context *ctx, int ret)
{
	const struct own_policy *want = ret ? &ctx->old : &ctx->new;

	return in_force(want, NULL) ? fresh_mapping(ctx, want) : "the task's policy";
}

TEST_F(enomem, task)
{
	static const struct attempt attempt = {
		.prepare = task_prepare,
		.call = task_call,
		.check = task_check,
		/* The policy and its weights */
		.refused = 2,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

static int get_call(struct context *ctx)
{
	struct own_policy got;
	int ret;

	ret = own_get(&got, NULL, MPOL_F_OWN_WEIGHTS);
	return ret || own_equal(&got, &ctx->old) ? ret : -EPROTO;
}

static const char *get_check(struct context *ctx, int ret)
{
	return in_force(&ctx->old, NULL) ? NULL : "the task's policy";
}

TEST_F(enomem, get)
{
	static const struct attempt attempt = {
		.prepare = task_prepare,
		.call = get_call,
		.check = get_check,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

static int map_area(struct context *ctx, bool shared)
{
	int ret = shared ? area_map_shared(&ctx->area, PAGES) :
			   area_map(&ctx->area, PAGES, 1);

	ctx->middle = ctx->area.start + ctx->area.len / 4;
	ctx->len = ctx->area.len / 2;
	return ret ? ret : own_bind(ctx->area.start, ctx->area.len, &ctx->old,
				    0);
}

static int mapping_prepare(struct context *ctx)
{
	return map_area(ctx, false);
}

static int shared_prepare(struct context *ctx)
{
	return map_area(ctx, true);
}

static bool in_force_in_range(struct context *ctx, const struct own_policy *want)
{
	return in_force(want, ctx->middle) &&
	       in_force(want, ctx->middle + ctx->len - 1);
}

static int bind_call(struct context *ctx)
{
	return own_bind(ctx->middle, ctx->len, &ctx->new, 0);
}

static const char *bind_check(struct context *ctx, int ret)
{
	const struct own_policy *want = ret ? &ctx->old : &ctx->new;
	const char *wrong = NULL;

	if (!in_force_in_range(ctx, want))
		wrong = "the policy of the range";
	else if (!in_force(&ctx->old, ctx->area.start) ||
		 !in_force(&ctx->old, ctx->middle + ctx->len))
		wrong = "the policy beside the range";
	else if (!places_by(ctx, want, ctx->middle, PAGES / 2))
		wrong = "the placement in the range";
	else if (!places_by(ctx, &ctx->old, ctx->area.start, PAGES / 4))
		wrong = "the placement beside the range";
	area_unmap(&ctx->area);
	return wrong;
}

TEST_F(enomem, mapping)
{
	static const struct attempt attempt = {
		.prepare = mapping_prepare,
		.call = bind_call,
		.check = bind_check,
		/* The policy, its weights and the two cuts */
		.refused = 4,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

/* In the middle of a range of a shared object that has a policy */
TEST_F(enomem, shared_mapping)
{
	static const struct attempt attempt = {
		.prepare = shared_prepare,
		.call = bind_call,
		.check = bind_check,
		/* The policy, its weights, its copy and the one after it */
		.refused = 4,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

/* The pages are there, and all the mapping is bound anew */
static int move_prepare(struct context *ctx)
{
	int ret = map_area(ctx, false);

	ctx->middle = ctx->area.start;
	ctx->len = ctx->area.len;
	touch(ctx->area.start, PAGES, page_bytes());
	return ret;
}

static int move_call(struct context *ctx)
{
	return own_bind(ctx->middle, ctx->len, &ctx->new, MPOL_MF_MOVE);
}

static int move_strict_call(struct context *ctx)
{
	return own_bind(ctx->middle, ctx->len, &ctx->new,
			MPOL_MF_MOVE | MPOL_MF_STRICT);
}

/* A page that found no room stays, which only MPOL_MF_STRICT tells */
static const char *move_check(struct context *ctx, int ret)
{
	const struct own_policy *want = ret == -ENOMEM ? &ctx->old : &ctx->new;
	const char *wrong = NULL;
	int node[PAGES];

	if (!in_force_in_range(ctx, want))
		wrong = "the policy of the range";
	else if (nodes_of_pages(ctx->middle, PAGES, page_bytes(), node))
		wrong = "the pages";
	/* What is not in its place moves there when there is memory again */
	else if (own_bind(ctx->middle, ctx->len, want,
			  MPOL_MF_MOVE | MPOL_MF_STRICT))
		wrong = "moving afterwards";
	else if (!places_by(ctx, want, ctx->middle, PAGES))
		wrong = "the placement";
	area_unmap(&ctx->area);
	return wrong;
}

TEST_F(enomem, move)
{
	static const struct attempt attempt = {
		.prepare = move_prepare,
		.call = move_call,
		.check = move_check,
		.refused = 2,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

TEST_F(enomem, move_strict)
{
	static const struct attempt attempt = {
		.prepare = move_prepare,
		.call = move_strict_call,
		.check = move_check,
		.refused = 2,
		.eio = true,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

/* A global weight that own ones of 0 follow */
static int global_prepare(struct context *ctx)
{
	int first = nodeset_nth(&ctx->nodes, 0);
	int ret = weight_write(first, 1);

	ctx->old.weight[first] = 0;
	return ret ? ret : own_set(&ctx->old);
}

static int global_call(struct context *ctx)
{
	return weight_write(nodeset_nth(&ctx->nodes, 0), 3);
}

static const char *global_check(struct context *ctx, int ret)
{
	int first = nodeset_nth(&ctx->nodes, 0);
	struct own_policy got;

	/* Who asks for a page gets the order back that there was no memory for. */
	if (policy_next_node() < 0)
		return "the task's next node";
	if (!in_force(&ctx->old, NULL))
		return "the task's policy";
	if (own_get(&got, NULL, 0) || got.weight[first] != (ret ? 1 : 3))
		return "the weight in effect";
	return fresh_mapping(ctx, &got);
}

TEST_F(enomem, followed_weight)
{
	static const struct attempt attempt = {
		.prepare = global_prepare,
		.call = global_call,
		.check = global_check,
		/* To open the file */
		.refused = 1,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

/* The cpuset of the task moves: its weights go along, or nothing moves */
struct journey {
	struct cpuset cpuset;
	struct nodeset start;
	struct nodeset end;
};

static struct journey journey;

static int cpuset_prepare(struct context *ctx)
{
	int ret = cpuset_move(&journey.cpuset, &journey.start);

	if (!ret)
		ret = own_set(&ctx->old);
	return ret ? ret : map_area(ctx, false);
}

static int cpuset_call(struct context *ctx)
{
	return cpuset_move(&journey.cpuset, &journey.end);
}

static const char *cpuset_check(struct context *ctx, int ret)
{
	struct own_policy moved;
	const char *wrong = NULL;
	int i, from, to;

	own_init(&moved, MPOL_WEIGHTED_INTERLEAVE, 0,
		 ret ? &journey.start : &journey.end, NULL);
	for (i = 0; i < 2; i++) {
		from = nodeset_nth(&journey.start, i);
		to = nodeset_nth(&moved.nodes, i);
		moved.weight[to] = ctx->old.weight[from];
	}
	if (!in_force(&moved, NULL))
		wrong = "the task's policy";
	else if (!in_force(&moved, ctx->area.start))
		wrong = "the policy of the mapping";
	area_unmap(&ctx->area);
	return wrong;
}

TEST_F(enomem, cpuset_move)
{
	static const struct attempt attempt = {
		.prepare = cpuset_prepare,
		.call = cpuset_call,
		.check = cpuset_check,
	};
	struct context *ctx = &self->ctx;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (nodeset_count(&ctx->saved.nodes) < 4)
		SKIP(return, "needs four nodes with memory");

	journey.start = ctx->nodes;
	journey.end = nodeset_pair(nodeset_nth(&ctx->saved.nodes, 2),
				   nodeset_nth(&ctx->saved.nodes, 3));
	ret = cpuset_enter(&journey.cpuset, &journey.start);
	if (!ret)
		fail_each(_metadata, ctx, &attempt);
	cpuset_leave(&journey.cpuset);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no cpusets");
	EXPECT_EQ(0, ret);
}
