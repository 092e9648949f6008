/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the mempolicy2 calls under disturbance share: what the calls
 * read, and the machine that they disturb.
 */
#ifndef RACES_H
#define RACES_H

#include "cases.h"
#include "placement.h"

/* Calls that race with a writer: some, and on until both answers were seen */
#define RACES 2000
#define MOST_RACES (500 * RACES)

struct context {
	struct saved_weights saved;
	struct nodeset memory;
	struct nodeset nodes;
	int first;
	int second;
	int nr_ids;
	struct cpuset cpuset;
	/* A node whose memory comes and goes, behind the others, or no blocks */
	struct hot_node hot;
	const char *missing;
};

FIXTURE(race)
{
	struct context ctx;
};

FIXTURE_SETUP(race)
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
	if (ctx->second < 0) {
		ctx->missing = "needs two nodes with memory";
		return;
	}
	if (hot_find(&ctx->hot) || ctx->hot.node < ctx->second)
		ctx->hot.blocks = 0;
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(race)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (self->ctx.hot.blocks && hot_has_memory(&self->ctx.hot))
		EXPECT_EQ(0, hot_remove(&self->ctx.hot, 1));
	cpuset_leave(&self->ctx.cpuset);
	if (!self->ctx.missing)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

/* Read by the calls, with a tail that only a longer usize reaches */
struct arguments {
	struct mpol_param param;
	unsigned char tail[32];
	struct nodeset nodes;
	unsigned char weight[MAX_NODES];
};

#define PUT(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)

#endif /* RACES_H */
