// SPDX-License-Identifier: GPL-2.0
/*
 * Modes, mode flags and masks: what set_mempolicy and mbind take and refuse with
 * each of them, whichever calls a program uses.
 */
#define _GNU_SOURCE
#include "calls.h"
#include "calls_fixture.h"
#include "cases.h"
#include "placement.h"

/* Neither bits beyond the count nor bytes beyond the mask matter to set */
TEST_F(calls, masks_of_odd_lengths)
{
	struct context *ctx = &self->ctx;
	unsigned long *end, ones[MAX_NODES / BITS_PER_WORD];
	struct nodeset expected;
	unsigned int bits, most;
	struct area page;
	int node;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	memset(ones, 0xff, sizeof(ones));
	ASSERT_EQ(0, area_map(&page, 1, 1));
	end = (unsigned long *)(page.start + page.len);
	memset(page.start, 0xff, page.len);
	nodeset_clear(&expected);
	most = ctx->nr_ids;
	if (most > BITS_PER_WORD)
		most = BITS_PER_WORD;
	for (bits = 1; bits <= most; bits++) {
		node = bits - 1;
		if (nodeset_has(&ctx->memory, node))
			nodeset_add(&expected, node);
		if (!nodeset_count(&expected))
			continue;
		ASSERT_EQ(0, ctx->front->set(ctx->interleave, ones, bits));
		EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &expected))
			TH_LOG("%u bits", bits);
		/* The last word of a page, with nothing behind it */
		ASSERT_EQ(0, ctx->front->set(MPOL_BIND, end - 1, bits));
		EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND, &expected))
			TH_LOG("%u bits", bits);
	}
	EXPECT_EQ(-EFAULT, ctx->front->set(MPOL_BIND, end, 1));
	/* A word without nodes that masks have no room for */
	end[-1] = ctx->memory.word[0];
	EXPECT_EQ(-EFAULT,
		  ctx->front->set(MPOL_BIND, end - 1, BITS_PER_WORD + 1));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND, &expected));
}

/* The kernel copies masks of 32-bit programs to their stack */
#ifndef __LP64__
TEST_F(calls, stack_stays_as_it_is)
{
	struct context *ctx = &self->ctx;
	unsigned long far[FAR_BITS / BITS_PER_WORD] = {};
	struct area page;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&page, 1, 1));
	memset(page.start, 0xff, page.len);
	memcpy(far, ctx->memory.word, sizeof(ctx->memory));
	for (i = 0; i < FAR_BITS; i += 31) {
		EXPECT_EQ(-EFAULT, ctx->front->set(ctx->interleave, NOWHERE,
						   i + 1));
		EXPECT_EQ(-EFAULT, ctx->front->set(ctx->interleave,
						   page.start + page.len,
						   i + 1));
	}
	memcpy(page.start + page.len - 4, far, 4);
	EXPECT_EQ(-EFAULT, ctx->front->set(ctx->interleave,
					   page.start + page.len - 4, 64));
	EXPECT_EQ(-EINVAL, ctx->front->set(MPOL_DEFAULT, far, FAR_BITS));
	EXPECT_EQ(0, ctx->front->set(ctx->interleave, far, FAR_BITS));
	EXPECT_FALSE(stack_written);
}
#endif

TEST_F(calls, mode_flags)
{
	static const int flags[] = {
		MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	const int both = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES;
	struct context *ctx = &self->ctx;
	const int modes[] = {
		ctx->interleave, MPOL_BIND, MPOL_PREFERRED_MANY,
	};
	struct nodeset given, one;
	struct area area;
	size_t i, f;
	int bit;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	one = nodeset_of(ctx->first);
	given = one;
	for (bit = 0; bit < ctx->nr_ids; bit++)
		if (!nodeset_has(&ctx->memory, bit))
			nodeset_add(&given, bit);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			/* Asked back as given, with nodes that are not there */
			EXPECT_EQ(0, set_nodes(ctx, modes[i] | flags[f],
					       &given));
			EXPECT_TRUE(policy_is(ctx, NULL, modes[i] | flags[f],
					      &given));
			EXPECT_EQ(0, bind_nodes(ctx, &area,
						modes[i] | flags[f], &given,
						0));
			EXPECT_TRUE(policy_is(ctx, &area, modes[i] | flags[f],
					      &given));
		}
		/* And without a flag as what is in use */
		EXPECT_EQ(0, set_nodes(ctx, modes[i], &given));
		EXPECT_TRUE(policy_is(ctx, NULL, modes[i], &one));

		EXPECT_EQ(-EINVAL, set_nodes(ctx, modes[i] | both, &one));
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, modes[i] | both,
					      &one, 0));
		for (bit = 4; bit < 13; bit++) {
			EXPECT_EQ(-EINVAL, set_nodes(ctx, modes[i] | 1 << bit,
						     &one));
			EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area,
						      modes[i] | 1 << bit,
						      &one, 0));
		}
		EXPECT_TRUE(policy_is(ctx, NULL, modes[i], &one));
	}
	EXPECT_EQ(0, set_nodes(ctx, MPOL_BIND | MPOL_F_NUMA_BALANCING, &one));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND | MPOL_F_NUMA_BALANCING,
			      &one));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, ctx->interleave |
				     MPOL_F_NUMA_BALANCING, &one));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, MPOL_PREFERRED_MANY |
				     MPOL_F_NUMA_BALANCING, &one));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, MPOL_LOCAL | MPOL_F_STATIC_NODES,
				     NULL));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, MPOL_PREFERRED |
				     MPOL_F_RELATIVE_NODES, NULL));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND | MPOL_F_NUMA_BALANCING,
			      &one));
}

enum mask_kind { NONE, EMPTY, ONE, ALL, ABSENT, SOME_ABSENT, BEYOND, NR_KINDS };

struct mask {
	unsigned long word[FAR_BITS / BITS_PER_WORD];
	unsigned int bits;
};

static void make_mask(const struct context *ctx, enum mask_kind kind,
		      int absent, struct mask *mask)
{
	struct nodeset nodes;

	memset(mask, 0, sizeof(*mask));
	mask->bits = kind == NONE ? 0 : FAR_BITS;
	nodeset_clear(&nodes);
	if (kind == ALL)
		nodes = ctx->memory;
	if (kind == ONE || kind == SOME_ABSENT || kind == BEYOND)
		nodeset_add(&nodes, ctx->first);
	if (kind == ABSENT || kind == SOME_ABSENT)
		nodeset_add(&nodes, absent);
	memcpy(mask->word, nodes.word, sizeof(nodes));
	if (kind == BEYOND)
		mask->word[ARRAY_LEN(mask->word) - 1] = 1;
}

/* The answer to a mask, and what the policy is afterwards */
static void try_mask(struct __test_metadata *_metadata, struct context *ctx,
		     const struct area *area, int mode, enum mask_kind kind,
		     const struct mask *mask, int error)
{
	const void *word = kind == NONE ? NULL : mask->word;
	struct nodeset last, one, *used = &one;
	int got = mode;

	/* What must stay when the call is refused */
	last = nodeset_of(ctx->round.node[ctx->round.nr - 1]);
	one = nodeset_of(ctx->first);
	ASSERT_EQ(0, set_nodes(ctx, MPOL_PREFERRED_MANY, &last));
	ASSERT_EQ(0, bind_nodes(ctx, area, MPOL_PREFERRED_MANY, &last, 0));
	EXPECT_EQ(error, ctx->front->set(mode, word, mask->bits))
		TH_LOG("set, mode %d, mask %d", mode, kind);
	EXPECT_EQ(error, ctx->front->bind(area->start, area->len, mode, word,
					  mask->bits, 0))
		TH_LOG("mbind, mode %d, mask %d", mode, kind);
	if (error) {
		got = MPOL_PREFERRED_MANY;
		used = &last;
	} else if (kind == NONE || kind == EMPTY) {
		got = mode == MPOL_PREFERRED ? MPOL_LOCAL : mode;
		used = &ctx->empty;
	} else if (kind == ALL && mode != MPOL_PREFERRED) {
		used = &ctx->memory;
	}
	EXPECT_TRUE(policy_is(ctx, NULL, got, used))
		TH_LOG("set, mode %d, mask %d", mode, kind);
	EXPECT_TRUE(policy_is(ctx, area, got, used))
		TH_LOG("mbind, mode %d, mask %d", mode, kind);
}

TEST_F(calls, modes_and_masks)
{
	struct context *ctx = &self->ctx;
	const struct {
		int mode;
		int error[NR_KINDS];
	} cases[] = {
		{ MPOL_DEFAULT, {
			[ONE] = -EINVAL, [ALL] = -EINVAL, [ABSENT] = -EINVAL,
			[SOME_ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_LOCAL, {
			[ONE] = -EINVAL, [ALL] = -EINVAL, [ABSENT] = -EINVAL,
			[SOME_ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_PREFERRED, { [ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_BIND, {
			[NONE] = -EINVAL, [EMPTY] = -EINVAL,
			[ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_PREFERRED_MANY, {
			[NONE] = -EINVAL, [EMPTY] = -EINVAL,
			[ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ ctx->interleave, {
			[NONE] = -EINVAL, [EMPTY] = -EINVAL,
			[ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
	};
	int absent = node_without_memory();
	struct mask mask;
	struct area area;
	int kind;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (absent < 0)
		SKIP(return, "every node has memory");

	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		for (kind = NONE; kind < NR_KINDS; kind++) {
			make_mask(ctx, kind, absent, &mask);
			try_mask(_metadata, ctx, &area, cases[i].mode, kind,
				 &mask, cases[i].error[kind]);
		}
	}
}

TEST_F(calls, no_such_mode)
{
	static const int odd[] = { -1, 0x7fffffff, 1 << 16, 255, 256 };
	struct context *ctx = &self->ctx;
	struct area area;
	int mode;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	for (mode = MPOL_WEIGHTED_INTERLEAVE + 1; mode < 64; mode++) {
		EXPECT_EQ(-EINVAL, set_nodes(ctx, mode, &ctx->memory));
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, mode, &ctx->memory,
					      0));
	}
	for (i = 0; i < ARRAY_LEN(odd); i++) {
		/* The field of the new calls has 16 bits */
		if (!ctx->front->get_nodes && !(odd[i] & 0xffff))
			continue;
		EXPECT_EQ(-EINVAL, set_nodes(ctx, odd[i], &ctx->memory))
			TH_LOG("mode %#x", odd[i]);
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, odd[i], &ctx->memory,
					      0))
			TH_LOG("mode %#x", odd[i]);
	}
	EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &ctx->memory));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
}
