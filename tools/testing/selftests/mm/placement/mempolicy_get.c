// SPDX-License-Identifier: GPL-2.0
/*
 * What get_mempolicy(2) and get_mempolicy2(2) answer and refuse, whichever calls
 * the policy comes from.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "calls.h"
#include "calls_fixture.h"
#include "cases.h"
#include "placement.h"

/* Bits that get writes: whole elements of 64 bits at most, zeroed behind */
TEST_F(calls, get_writes_the_mask_alone)
{
	struct context *ctx = &self->ctx;
	unsigned char want[512], got[512], mask[512];
	unsigned int least, bits;
	size_t bytes, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	memset(mask, 0, sizeof(mask));
	memcpy(mask, ctx->memory.word, sizeof(ctx->memory));
	least = ctx->nr_ids;
	for (bits = least; bits <= 8 * sizeof(got) / 2; bits += 7) {
		memset(got, CANARY, sizeof(got));
		ASSERT_EQ(0, ctx->front->get(NULL, got, bits, NULL, 0));
		/* All bits that were asked for */
		bytes = bits / 8;
		EXPECT_EQ(0, memcmp(mask, got, bytes))
			TH_LOG("%u bits", bits);
		/* Nothing beyond the element that holds the last one */
		bytes = (bits + 63) / 64 * 8;
		memset(want, CANARY, sizeof(want));
		EXPECT_EQ(0, memcmp(want, got + bytes, sizeof(got) - bytes))
			TH_LOG("%u bits", bits);
		/* Of that element either the mask or nothing */
		for (i = bits / 8; i < bytes; i++)
			EXPECT_TRUE(got[i] == mask[i] || got[i] == CANARY)
				TH_LOG("%u bits, byte %zu: %x", bits, i,
				       got[i]);
	}
	if (least > ctx->front->extra)
		EXPECT_EQ(-EINVAL,
			  ctx->front->get(NULL, got, least - 1 - ctx->front->extra,
					  NULL, 0));
}

/* What may be given to get without being asked for, and what it asks */
TEST_F(calls, get_parts_of_a_policy)
{
	struct context *ctx = &self->ctx;
	struct nodeset got, one;
	struct area area;
	int mode = -1;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	one = nodeset_of(nodeset_nth(&ctx->memory, ctx->round.nr - 1));
	ASSERT_EQ(0, area_map(&area, 2, 1));
	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));

	/* The mapping's own policy, which is none: not that of the task */
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &one, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &one));
	EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &ctx->memory));

	/* At any address inside */
	EXPECT_EQ(0, ctx->front->get(&mode, NULL, 0, area.start + area.len - 1,
				     MPOL_F_ADDR));
	EXPECT_EQ(MPOL_BIND, mode);
	mode = -1;
	EXPECT_EQ(0, ctx->front->get(&mode, NULL, 0, NULL, 0));
	EXPECT_EQ(ctx->interleave, mode);
	nodeset_clear(&got);
	EXPECT_EQ(0, ctx->front->get(NULL, got.word, MAX_NODES, NULL, 0));
	EXPECT_TRUE(nodeset_equal(&ctx->memory, &got));
	EXPECT_EQ(0, ctx->front->get(NULL, NULL, 0, NULL, 0));
}

TEST_F(calls, get_refuses)
{
	struct context *ctx = &self->ctx;
	struct nodeset got;
	struct area area, hole;
	int mode, bit;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	ASSERT_EQ(0, area_map(&hole, 1, 1));
	ASSERT_EQ(0, munmap(hole.start, hole.len));
	EXPECT_EQ(-EFAULT, get_nodes(ctx, &mode, &got, &hole));
	EXPECT_EQ(-EFAULT, ctx->front->get(&mode, NULL, 0, NULL, MPOL_F_ADDR));
	EXPECT_EQ(-EFAULT, ctx->front->get(&mode, NOWHERE, MAX_NODES, NULL, 0));
	EXPECT_EQ(-EFAULT, ctx->front->get_nowhere());
	ASSERT_EQ(0, mprotect(area.start, area.len, PROT_READ));
	EXPECT_EQ(-EFAULT, ctx->front->get(&mode, area.start, MAX_NODES, NULL,
					   0));
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
					   area.start, 0));
	for (bit = 4; bit < 32; bit++) {
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
						   NULL, 1UL << bit));
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
						   area.start,
						   MPOL_F_ADDR | 1UL << bit));
	}
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES, NULL,
					   MPOL_F_MEMS_ALLOWED | MPOL_F_NODE));
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
					   area.start,
					   MPOL_F_MEMS_ALLOWED | MPOL_F_ADDR));
	/* Without a policy that has a next node */
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, NULL, 0, NULL, MPOL_F_NODE));
}

/* The old call answers them, however the policy was set */
TEST_F(calls, nodes_instead_of_a_policy)
{
	struct context *ctx = &self->ctx;
	struct nodeset got;
	int mode, node;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	EXPECT_EQ(ctx->first, policy_next_node());
	mode = -1;
	EXPECT_EQ(0, policy_get(&mode, &got, NULL, MPOL_F_MEMS_ALLOWED));
	EXPECT_EQ(0, mode);
	EXPECT_TRUE(nodeset_equal(&ctx->memory, &got));
	if (!ctx->front->get_nodes) {
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, NULL, 0, NULL,
						   MPOL_F_NODE));
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, NULL, 0, NULL,
						   MPOL_F_MEMS_ALLOWED));
	}

	/* The node of a page */
	ASSERT_EQ(0, area_map(&area, 1, 1));
	got = nodeset_of(ctx->round.node[ctx->round.nr - 1]);
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &got, 0));
	touch(area.start, 1, 1);
	EXPECT_EQ(0, policy_get(&node, NULL, area.start,
				MPOL_F_NODE | MPOL_F_ADDR));
	EXPECT_EQ(ctx->round.node[ctx->round.nr - 1], node);
}
