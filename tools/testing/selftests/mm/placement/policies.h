/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of set_mempolicy2(2), get_mempolicy2(2) and mbind2(2) share: a
 * task and a mapping with policies of their own. A call that is refused leaves
 * these and their weights as they were, which is looked at each time.
 */
#ifndef POLICIES_H
#define POLICIES_H

#include "cases.h"
#include "placement.h"

#define CANARY 0xa5
#define NOWHERE ((void *)16)

static const size_t param_size = sizeof(struct mpol_param);

struct context {
	struct saved_weights saved;
	struct nodeset memory;
	/* The first two nodes, or the only one */
	struct nodeset nodes;
	int first;
	int second;
	int nr_ids;
	/* A mapping; what is in force for the task and for the mapping */
	struct area area;
	struct own_policy task;
	struct own_policy mapping;
	/* A page that ends where nothing is mapped */
	struct area page;
	char *end;
	const char *missing;
};

FIXTURE(mempolicy2)
{
	struct context ctx;
};

/* Policies with weights of their own, different ones for task and mapping */
static inline int put_policies(struct context *ctx)
{
	static const unsigned int task[] = { 5, 3 }, mapping[] = { 2, 7 };
	struct own_policy own;
	int ret;

	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, task);
	ret = own_set(&own);
	if (ret)
		return ret;
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, mapping);
	return own_bind(ctx->area.start, ctx->area.len, &own, 0);
}

static inline int get_policies(struct context *ctx, struct own_policy *task,
			       struct own_policy *mapping)
{
	int ret = own_get(task, NULL, MPOL_F_OWN_WEIGHTS);

	return ret ? ret : own_get(mapping, ctx->area.start,
				   MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS);
}

static inline bool policies_kept(struct context *ctx)
{
	struct own_policy task, mapping;

	if (get_policies(ctx, &task, &mapping))
		return false;
	return own_equal(&task, &ctx->task) &&
	       own_equal(&mapping, &ctx->mapping) &&
	       mappings_within(ctx->area.start, ctx->area.len) == 1;
}

FIXTURE_SETUP(mempolicy2)
{
	struct context *ctx = &self->ctx;

	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&ctx->saved));
	ctx->memory = ctx->saved.nodes;
	ctx->nodes = nodeset_head(&ctx->memory, 2);
	ctx->first = nodeset_nth(&ctx->memory, 0);
	ctx->second = nodeset_nth(&ctx->memory, 1);
	ctx->nr_ids = possible_nodes();
	ASSERT_LT(0, ctx->nr_ids);
	ASSERT_EQ(0, area_map(&ctx->area, 4, 1));
	ASSERT_EQ(0, area_map(&ctx->page, 1, 1));
	ctx->end = ctx->page.start + ctx->page.len;
	ASSERT_EQ(0, put_policies(ctx));
	ASSERT_EQ(0, get_policies(ctx, &ctx->task, &ctx->mapping));
	ASSERT_EQ(5, ctx->task.weight[ctx->first]);
	ASSERT_EQ(2, ctx->mapping.weight[ctx->first]);
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(mempolicy2)
{
	struct context *ctx = &self->ctx;

	policy_set(MPOL_DEFAULT, NULL);
	if (!ctx->missing)
		EXPECT_EQ(0, weights_restore(&ctx->saved));
}

/* What set_mempolicy2 and mbind2 answer; 1 when they do not agree */
static inline int both(struct context *ctx, const void *param, size_t usize,
		       unsigned long flags)
{
	int task = param_set(param, usize, flags);
	int mapping = param_bind(ctx->area.start, ctx->area.len, param,
				 usize, flags);

	if (task == mapping)
		return task;
	note("set_mempolicy2 answers %d, mbind2 %d", task, mapping);
	return 1;
}

static inline void refused(struct __test_metadata *_metadata, struct context *ctx,
			   int error,
			   const struct mpol_param *param, unsigned long flags,
			   const char *what)
{
	EXPECT_EQ(error, both(ctx, param, param_size, flags))
		TH_LOG("%s", what);
	EXPECT_TRUE(policies_kept(ctx)) {
		TH_LOG("%s: what was in force has changed", what);
		put_policies(ctx);
	}
}

/* Both take it and report it the same; @got receives what they report */
static inline void accepted(struct __test_metadata *_metadata, struct context *ctx,
			    const struct mpol_param *param, unsigned long flags,
			    struct own_policy *got, const char *what)
{
	struct own_policy mapping;

	EXPECT_EQ(0, both(ctx, param, param_size, flags))
		TH_LOG("%s", what);
	EXPECT_EQ(0, get_policies(ctx, got, &mapping));
	EXPECT_TRUE(own_equal(got, &mapping))
		TH_LOG("%s: task and mapping differ", what);
	EXPECT_EQ(0, put_policies(ctx));
}

static inline bool only(const void *buf, int value, size_t len)
{
	const unsigned char *byte = buf;
	size_t i;

	for (i = 0; i < len; i++)
		if (byte[i] != value)
			return false;
	return true;
}

#endif /* POLICIES_H */
