/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of weights of one's own share: two nodes whose global weights
 * are 1.
 */
#ifndef OWN_WEIGHTS_H
#define OWN_WEIGHTS_H

#include "cases.h"
#include "placement.h"

#define PAGES 420

static int placed[PAGES], fresh[PAGES];

static const unsigned int five_one[] = { 5, 1 }, one_five[] = { 1, 5 };

struct context {
	struct saved_weights saved;
	struct nodeset memory;
	struct nodeset nodes;
	int first;
	int second;
	/* Whether kernel memory can come from both nodes */
	bool kernel_memory;
	const char *missing;
};

FIXTURE(weights)
{
	struct context ctx;
};

static inline void own_fill(struct own_policy *own, const struct nodeset *nodes,
			    const unsigned int *weight)
{
	own_init(own, MPOL_WEIGHTED_INTERLEAVE, 0, nodes, weight);
}

/*
 * A relative mask of positions 0 and 1 and of one that is no node's number, which
 * stands for the second node, as position 1 does.
 */
static inline void own_fill_positions(struct own_policy *own, const struct context *ctx,
				      const unsigned int *weight)
{
	int position = possible_nodes(), nr = nodeset_count(&ctx->memory);
	struct nodeset positions = nodeset_pair(0, 1);

	while (position % nr != 1)
		position++;
	nodeset_add(&positions, position);
	own_init(own, MPOL_WEIGHTED_INTERLEAVE, MPOL_F_RELATIVE_NODES, &positions, weight);
}

FIXTURE_SETUP(weights)
{
	struct context *ctx = &self->ctx;
	struct nodeset normal;

	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&ctx->saved));
	ASSERT_EQ(0, nodeset_read("has_normal_memory", &normal));
	ctx->memory = ctx->saved.nodes;
	ctx->nodes = nodeset_head(&ctx->memory, 2);
	ctx->first = nodeset_nth(&ctx->memory, 0);
	ctx->second = nodeset_nth(&ctx->memory, 1);
	ctx->kernel_memory = nodeset_has(&normal, ctx->first) &&
			     nodeset_has(&normal, ctx->second);
	if (ctx->second < 0) {
		ctx->missing = "needs two nodes with memory";
		return;
	}
	if (!nodes_have_room(&ctx->nodes, 2 * PAGES)) {
		ctx->missing = "too little free memory on a node";
		return;
	}
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(weights)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (!self->ctx.missing)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

/* Weights of the mapping at @addr, once it has been cut or moved */
static inline bool still_has(void *addr, const struct own_policy *own)
{
	struct own_policy got;

	return !own_get(&got, addr, MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS) &&
	       own_equal(own, &got);
}

#endif /* OWN_WEIGHTS_H */
