// SPDX-License-Identifier: GPL-2.0
/*
 * What get_mempolicy2(2) writes, and where: the struct, the mask and the weights,
 * and nothing beside them.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <sys/mman.h>

#include "cases.h"
#include "placement.h"
#include "policies.h"

TEST_F(mempolicy2, sizes_of_get)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	size_t fits[] = { 32, 33, 40, 64, page - 1, page };
	struct own_policy own;
	char *start;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(fits); i++) {
		/* At the very end of what is mapped, and with room behind */
		start = ctx->end - fits[i];
		memset(ctx->page.start, CANARY, page);
		memset(start, 0, fits[i]);
		EXPECT_EQ(0, param_get(start, fits[i], NULL, 0));
		EXPECT_TRUE(only(ctx->page.start, CANARY,
				 start - ctx->page.start));
		EXPECT_TRUE(only(start + param_size, 0,
				 fits[i] - param_size));

		start = ctx->page.start;
		memset(start, CANARY, page);
		memset(start, 0, fits[i]);
		EXPECT_EQ(0, param_get(start, fits[i], NULL, 0));
		EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE,
			  ((struct mpol_param *)start)->mode);
		EXPECT_TRUE(only(start + param_size, 0,
				 fits[i] - param_size));
		EXPECT_TRUE(only(start + fits[i], CANARY, page - fits[i]));
	}

	/* The pointers and the room behind them are the caller's */
	ASSERT_EQ(0, own_get(&own, NULL, 0));
	EXPECT_EQ(MAX_NODES, own.param.pol_maxnodes);
	EXPECT_EQ((uintptr_t)own.nodes.word, own.param.pol_nodes);
	EXPECT_EQ((uintptr_t)own.weight, own.param.il_weights);
	EXPECT_TRUE(only(own.param.resv, 0, sizeof(own.param.resv)));
}

TEST_F(mempolicy2, get_ignores_what_was_there)
{
	struct context *ctx = &self->ctx;
	struct own_policy got;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_init(&got, 0xffff, 0xffff, NULL, NULL);
	got.param.home_node = INT_MIN;
	got.param.il_weights = (uintptr_t)got.weight;
	memset(got.nodes.word, CANARY, sizeof(got.nodes.word));
	memset(got.weight, CANARY, sizeof(got.weight));
	EXPECT_EQ(0, param_get(&got.param, param_size, NULL,
			       MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->task, &got));

	/* Neither mask nor weights asked for: their number does not matter */
	memset(&got.param, 0xff, offsetof(struct mpol_param, pol_maxnodes));
	got.param.pol_maxnodes = 0;
	got.param.pol_nodes = 0;
	got.param.il_weights = 0;
	EXPECT_EQ(0, param_get(&got.param, param_size, ctx->area.start,
			       MPOL_F_ADDR));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, got.param.mode);
	EXPECT_EQ(0, got.param.mode_flags);
	EXPECT_EQ(-1, got.param.home_node);
}

TEST_F(mempolicy2, get_of_an_address)
{
	struct context *ctx = &self->ctx;
	const unsigned long flags = MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS;
	struct own_policy got;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	EXPECT_EQ(0, own_get(&got, ctx->area.start, flags));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	/* Any byte of it */
	EXPECT_EQ(0, own_get(&got, ctx->area.start + ctx->area.len - 1,
			     flags));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	EXPECT_EQ(-EINVAL, own_get(&got, ctx->area.start, 0));
	EXPECT_EQ(-EINVAL, own_get(&got, ctx->area.start,
				   MPOL_F_OWN_WEIGHTS));

	ASSERT_EQ(0, area_map(&area, 1, 1));
	EXPECT_EQ(0, own_get(&got, area.start, flags));
	EXPECT_EQ(MPOL_DEFAULT, got.param.mode);
	EXPECT_EQ(0, got.param.mode_flags);
	EXPECT_EQ(-1, got.param.home_node);
	EXPECT_EQ(0, nodeset_count(&got.nodes));
	area_unmap(&area);
	EXPECT_EQ(-EFAULT, own_get(&got, area.start, flags));
	EXPECT_EQ(-EFAULT, own_get(&got, NULL, MPOL_F_ADDR));
}

TEST_F(mempolicy2, get_needs_room_for_all_nodes)
{
	struct context *ctx = &self->ctx;
	struct own_policy got;
	int bits;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_init(&got, 0, 0, NULL, NULL);
	for (bits = 0; bits <= ctx->nr_ids; bits++) {
		got.param.pol_maxnodes = bits;
		got.param.pol_nodes = (uintptr_t)got.nodes.word;
		got.param.il_weights = 0;
		EXPECT_EQ(bits < ctx->nr_ids ? -EINVAL : 0,
			  param_get(&got.param, param_size, NULL, 0));
		got.param.pol_nodes = 0;
		got.param.il_weights = (uintptr_t)got.weight;
		EXPECT_EQ(bits < ctx->nr_ids ? -EINVAL : 0,
			  param_get(&got.param, param_size, NULL, 0));
		got.param.il_weights = 0;
		EXPECT_EQ(0, param_get(&got.param, param_size, NULL, 0));
	}
	/* Also where there are no weights to report */
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	got.param.pol_maxnodes = ctx->nr_ids - 1;
	got.param.il_weights = (uintptr_t)got.weight;
	EXPECT_EQ(-EINVAL, param_get(&got.param, param_size, NULL, 0));
}

/* A mask that the caller has no room for is not cut. */
TEST_F(mempolicy2, get_relative_mask_fits)
{
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	struct nodeset positions;
	int bits, ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* Positions may be more than there can be nodes. */
	nodeset_clear(&positions);
	nodeset_add(&positions, 0);
	nodeset_add(&positions, ctx->nr_ids + 2);
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, MPOL_F_RELATIVE_NODES, &positions, NULL);
	ret = own_set(&own);
	if (ret == -EINVAL)
		SKIP(return, "no positions beyond the node ids");
	ASSERT_EQ(0, ret);
	for (bits = ctx->nr_ids; bits < ctx->nr_ids + 5; bits++) {
		own_init(&got, 0, 0, NULL, NULL);
		got.param.pol_maxnodes = bits;
		got.param.il_weights = (uintptr_t)got.weight;
		EXPECT_EQ(bits < ctx->nr_ids + 3 ? -EINVAL : 0,
			  param_get(&got.param, param_size, NULL, 0));
		EXPECT_EQ(bits >= ctx->nr_ids + 3, nodeset_equal(&positions, &got.nodes));
		/* Who does not ask for the mask is told the rest. */
		got.param.pol_nodes = 0;
		EXPECT_EQ(0, param_get(&got.param, param_size, NULL, 0));
	}
	EXPECT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
}

/* Nor are weights: each position in the mask has one, and the rest is 0 */
TEST_F(mempolicy2, get_weights_of_positions)
{
	struct context *ctx = &self->ctx;
	const int far = ctx->nr_ids + 2;
	struct nodeset positions;
	struct own_policy own, got;
	int bits, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	positions = nodeset_pair(0, far);
	nodeset_add(&positions, far - 1);
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, MPOL_F_RELATIVE_NODES, &positions, NULL);
	own.param.il_weights = (uintptr_t)own.weight;
	own.weight[0] = 9;
	own.weight[far] = 200;
	/* Behind the last position nothing is read */
	own.weight[far + 1] = 77;
	if (own_set(&own))
		SKIP(return, "no positions beyond the node ids");
	own.weight[far + 1] = 0;
	EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&own, &got));
	/* Without a weight of its own that of the node, all of which have 1 */
	EXPECT_EQ(0, own_get(&got, NULL, 0));
	EXPECT_EQ(9, got.weight[0]);
	EXPECT_EQ(1, got.weight[far - 1]);
	EXPECT_EQ(200, got.weight[far]);
	EXPECT_TRUE(only(got.weight + far + 1, 0, MAX_NODES - far - 1));
	for (bits = ctx->nr_ids; bits < far + 5; bits++) {
		own_init(&got, 0, 0, NULL, NULL);
		memset(got.weight, CANARY, sizeof(got.weight));
		got.param.pol_maxnodes = bits;
		got.param.il_weights = (uintptr_t)got.weight;
		EXPECT_EQ(bits <= far ? -EINVAL : 0,
			  param_get(&got.param, param_size, NULL, MPOL_F_OWN_WEIGHTS));
		/* Who does not ask for the mask has what there is room for */
		got.param.pol_nodes = 0;
		EXPECT_EQ(0, param_get(&got.param, param_size, NULL, MPOL_F_OWN_WEIGHTS));
		EXPECT_EQ(9, got.weight[0]);
		for (i = 1; i < bits; i++)
			EXPECT_EQ(i == far ? 200 : 0, got.weight[i])
				TH_LOG("%d of %d weights", i, bits);
		EXPECT_TRUE(only(got.weight + bits, CANARY, MAX_NODES - bits))
			TH_LOG("%d weights", bits);
	}
	EXPECT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
}

/* Nothing is written in front of or behind the caller's arrays */
TEST_F(mempolicy2, get_writes_no_more_than_asked)
{
	struct context *ctx = &self->ctx;
	const size_t word = sizeof(unsigned long);
	static const unsigned long flags[] = { 0, MPOL_F_OWN_WEIGHTS };
	static struct {
		unsigned char before[256];
		unsigned long mask[MAX_NODES / BITS_PER_WORD];
		unsigned char after[256];
	} room;
	static unsigned char weight[MAX_NODES];
	struct mpol_param param;
	struct nodeset set;
	size_t words, i;
	int bits;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (bits = ctx->nr_ids; bits <= ctx->nr_ids + 2 * 64; bits++) {
		words = (bits + BITS_PER_WORD - 1) / BITS_PER_WORD;
		for (i = 0; i < ARRAY_LEN(flags); i++) {
			memset(&room, CANARY, sizeof(room));
			memset(weight, CANARY, sizeof(weight));
			memset(&param, 0, sizeof(param));
			param.pol_maxnodes = bits;
			param.pol_nodes = (uintptr_t)room.mask;
			param.il_weights = (uintptr_t)(weight + 64);
			EXPECT_EQ(0, param_get(&param, param_size, NULL,
					       flags[i]));
			EXPECT_TRUE(only(room.before, CANARY,
					 sizeof(room.before)));
			EXPECT_TRUE(only(room.mask + words, CANARY,
					 sizeof(room) - sizeof(room.before) -
					 words * word))
				TH_LOG("mask of %d bits", bits);
			EXPECT_TRUE(only(weight, CANARY, 64));
			EXPECT_TRUE(only(weight + 64 + ctx->nr_ids, 0,
					 bits - ctx->nr_ids));
			EXPECT_TRUE(only(weight + 64 + bits, CANARY,
					 sizeof(weight) - 64 - bits))
				TH_LOG("%d weights", bits);
			EXPECT_EQ(5, weight[64 + ctx->first]);
			/* The bits that count are all written */
			memcpy(set.word, room.mask, sizeof(set.word));
			EXPECT_TRUE(nodeset_has(&set, ctx->first));
			EXPECT_TRUE(bits == ctx->nr_ids ||
				    !nodeset_has(&set, bits - 1))
				TH_LOG("bit %d", bits - 1);

			/* Where a byte more could not be written */
			param.il_weights = 0;
			param.pol_nodes =
				(uintptr_t)(ctx->end - words * word);
			EXPECT_EQ(0, param_get(&param, param_size, NULL,
					       flags[i]))
				TH_LOG("mask of %d bits at the end", bits);
			param.pol_nodes = 0;
			param.il_weights = (uintptr_t)(ctx->end - bits);
			EXPECT_EQ(0, param_get(&param, param_size, NULL,
					       flags[i]))
				TH_LOG("%d weights at the end", bits);
		}
	}
}

TEST_F(mempolicy2, get_leaves_the_weights_of_other_modes)
{
	struct context *ctx = &self->ctx;
	static const int modes[] = {
		MPOL_DEFAULT, MPOL_LOCAL, MPOL_PREFERRED, MPOL_BIND,
		MPOL_INTERLEAVE, MPOL_PREFERRED_MANY,
	};
	static const unsigned long flags[] = { 0, MPOL_F_OWN_WEIGHTS };
	struct own_policy own, got;
	size_t i, j;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, mprotect(ctx->page.start, ctx->page.len, PROT_READ));
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		own_init(&own, modes[i], 0, &ctx->nodes, NULL);
		if (modes[i] == MPOL_DEFAULT || modes[i] == MPOL_LOCAL)
			nodeset_clear(&own.nodes);
		ASSERT_EQ(0, own_set(&own));
		for (j = 0; j < ARRAY_LEN(flags); j++) {
			own_init(&got, 0, 0, NULL, NULL);
			memset(got.weight, CANARY, sizeof(got.weight));
			got.param.il_weights = (uintptr_t)got.weight;
			EXPECT_EQ(0, param_get(&got.param, param_size, NULL,
					       flags[j]));
			EXPECT_EQ(modes[i], got.param.mode);
			EXPECT_TRUE(only(got.weight, CANARY,
					 sizeof(got.weight)))
				TH_LOG("mode %d", modes[i]);
			got.param.il_weights = (uintptr_t)ctx->page.start;
			EXPECT_EQ(0, param_get(&got.param, param_size, NULL,
					       flags[j]));
		}
	}
}

/* A struct that asks for nothing else and may only be read */
TEST_F(mempolicy2, get_needs_a_struct_to_write_to)
{
	struct context *ctx = &self->ctx;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	memset(ctx->page.start, 0, ctx->page.len);
	EXPECT_EQ(0, param_get(ctx->page.start, param_size, NULL, 0));
	memset(ctx->page.start, 0, ctx->page.len);
	ASSERT_EQ(0, mprotect(ctx->page.start, ctx->page.len, PROT_READ));
	EXPECT_EQ(-EFAULT, param_get(ctx->page.start, param_size, NULL, 0));
}
