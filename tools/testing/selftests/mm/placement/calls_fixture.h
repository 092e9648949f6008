/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each test runs with the old calls and with the new ones, interleaving evenly or
 * by weights; those with the old calls and no weights hold on a kernel without
 * weighted interleaving as well.
 */
#ifndef CALLS_FIXTURE_H
#define CALLS_FIXTURE_H

#include "calls.h"
#include "cases.h"

FIXTURE(calls)
{
	struct context ctx;
};

FIXTURE_VARIANT(calls)
{
	const struct front *front;
	bool weighted;
	/* Weights come from sysfs; otherwise those there are misleading */
	bool global;
};

FIXTURE_VARIANT_ADD(calls, old_plain)
{
	.front = &old_calls,
};

FIXTURE_VARIANT_ADD(calls, old_weighted)
{
	.front = &old_calls, .weighted = true, .global = true,
};

FIXTURE_VARIANT_ADD(calls, new_plain)
{
	.front = &new_calls,
};

FIXTURE_VARIANT_ADD(calls, new_global)
{
	.front = &new_calls, .weighted = true, .global = true,
};

FIXTURE_VARIANT_ADD(calls, new_own)
{
	.front = &new_calls_own, .weighted = true,
};

FIXTURE_SETUP(calls)
{
	unsigned int weight[MAX_ROUND_NODES];
	struct context *ctx = &self->ctx;
	bool weights;
	int i, nr;

	ctx->front = variant->front;
	ctx->interleave = variant->weighted ? MPOL_WEIGHTED_INTERLEAVE :
					      MPOL_INTERLEAVE;
	weights = variant->weighted ? is_there(WEIGHT_DIR) : !access(WEIGHT_DIR, F_OK);
	if (variant->weighted)
		ASSERT_TRUE(weights);
	/* A struct without a size is the caller's mistake, if there is a call */
	if (!variant->front->get_nodes)
		ASSERT_EQ(-EINVAL, param_set(NULL, 0, 0));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, nodeset_read("has_memory", &ctx->memory));
	ASSERT_EQ(0, nodeset_read("has_normal_memory", &ctx->normal));
	ctx->memory = nodeset_head(&ctx->memory, MAX_ROUND_NODES);
	ctx->first = nodeset_nth(&ctx->memory, 0);
	ctx->second = nodeset_nth(&ctx->memory, 1);
	ctx->nr_ids = possible_nodes();
	ASSERT_LT(0, ctx->nr_ids);
	ctx->local = stay_on_this_cpu();
	ASSERT_LE(0, ctx->local);
	nr = nodeset_count(&ctx->memory);
	for (i = 0; i < nr; i++)
		weight[i] = variant->weighted ?
			    weight_of(nodeset_nth(&ctx->memory, i)) : 1;
	round_init(&ctx->round, &ctx->memory, weight);
	if (weights)
		ASSERT_EQ(0, write_weights(ctx, variant->global));
	if (!nodes_have_room(&ctx->memory, 8 * PAGES))
		ctx->missing = "too little free memory on a node";
}

FIXTURE_TEARDOWN(calls)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (self->ctx.restore)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

#endif /* CALLS_FIXTURE_H */
