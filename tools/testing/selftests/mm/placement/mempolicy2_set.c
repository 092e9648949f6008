// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that set_mempolicy2(2) and mbind2(2) take or refuse alike: modes and
 * their flags, masks, home nodes and weights, and what get_mempolicy2(2) tells
 * of them afterwards.
 */
#define _GNU_SOURCE
#include <limits.h>

#include "cases.h"
#include "placement.h"
#include "policies.h"

/* More than any kernel has nodes, the most that pol_maxnodes can say */
#define MOST_BITS 65535

TEST_F(mempolicy2, home_node_without_the_flag)
{
	struct context *ctx = &self->ctx;
	const int homes[] = { ctx->first, -1, -5, INT_MIN, INT_MAX, 99999 };
	static const int modes[] = {
		MPOL_BIND, MPOL_PREFERRED_MANY, MPOL_PREFERRED,
		MPOL_INTERLEAVE, MPOL_WEIGHTED_INTERLEAVE,
	};
	struct own_policy own, got;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(homes) * ARRAY_LEN(modes); i++) {
		own_init(&own, modes[i % ARRAY_LEN(modes)], 0, &ctx->nodes,
			 NULL);
		own.param.home_node = homes[i / ARRAY_LEN(modes)];
		accepted(_metadata, ctx, &own.param, 0, &got, "home_node");
		EXPECT_EQ(-1, got.param.home_node)
			TH_LOG("home node %d, mode %d", own.param.home_node,
			       own.param.mode);
	}
}

TEST_F(mempolicy2, home_node)
{
	struct context *ctx = &self->ctx;
	static const int takes[] = { MPOL_BIND, MPOL_PREFERRED_MANY };
	static const struct {
		int mode;
		bool nodes;
	} others[] = {
		{ MPOL_DEFAULT, false }, { MPOL_LOCAL, false },
		{ MPOL_PREFERRED, false }, { MPOL_PREFERRED, true },
		{ MPOL_INTERLEAVE, true }, { MPOL_WEIGHTED_INTERLEAVE, true },
	};
	int wrong[] = { -1, -2, INT_MIN, INT_MAX, 65536, MAX_NODES, 0 };
	struct own_policy own, got;
	struct nodeset online;
	int offline, node;
	size_t i, j;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, nodeset_read("online", &online));
	for (offline = 0; nodeset_has(&online, offline); offline++)
		;
	wrong[ARRAY_LEN(wrong) - 1] = offline;
	for (i = 0; i < ARRAY_LEN(takes); i++) {
		own_init(&own, takes[i], 0, &ctx->nodes, NULL);
		own.param.home_node = ctx->first;
		accepted(_metadata, ctx, &own.param, MPOL_MF_HOME_NODE, &got,
			 "home_node");
		EXPECT_EQ(takes[i], got.param.mode);
		EXPECT_EQ(ctx->first, got.param.home_node);
		if (ctx->second >= 0) {
			own.param.home_node = ctx->second;
			accepted(_metadata, ctx, &own.param,
				 MPOL_MF_HOME_NODE, &got, "second home_node");
			EXPECT_EQ(ctx->second, got.param.home_node);
		}
		/* Also one that has no memory */
		for (node = 0; node < MAX_NODES; node++) {
			if (!nodeset_has(&online, node))
				continue;
			own.param.home_node = node;
			accepted(_metadata, ctx, &own.param,
				 MPOL_MF_HOME_NODE, &got, "online home_node");
			EXPECT_EQ(node, got.param.home_node);
		}
		for (j = 0; j < ARRAY_LEN(wrong); j++) {
			own.param.home_node = wrong[j];
			refused(_metadata, ctx, -EINVAL, &own.param,
				MPOL_MF_HOME_NODE, "wrong home_node");
		}
	}
	for (i = 0; i < ARRAY_LEN(others); i++) {
		own_init(&own, others[i].mode, 0,
			 others[i].nodes ? &ctx->nodes : NULL, NULL);
		own.param.home_node = ctx->first;
		refused(_metadata, ctx, -EINVAL, &own.param,
			MPOL_MF_HOME_NODE, "home_node with another mode");
	}
	EXPECT_EQ(-EOPNOTSUPP, policy_set_home(ctx->area.start,
					       ctx->area.len, ctx->first));
	EXPECT_TRUE(policies_kept(ctx));

	/* The call of old and this one mean the same */
	ASSERT_EQ(0, policy_bind(ctx->area.start, ctx->area.len, MPOL_BIND,
				 &ctx->nodes, 0));
	ASSERT_EQ(0, own_get(&got, ctx->area.start, MPOL_F_ADDR));
	EXPECT_EQ(-1, got.param.home_node);
	ASSERT_EQ(0, policy_set_home(ctx->area.start, ctx->area.len,
				     ctx->first));
	ASSERT_EQ(0, own_get(&got, ctx->area.start, MPOL_F_ADDR));
	EXPECT_EQ(ctx->first, got.param.home_node);
}

TEST_F(mempolicy2, modes_and_mode_flags)
{
	struct context *ctx = &self->ctx;
	static const int modes[] = {
		MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE,
		MPOL_PREFERRED_MANY, MPOL_WEIGHTED_INTERLEAVE,
	};
	static const int flags[] = {
		0, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	const int both_flags = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES;
	struct nodeset want, old;
	struct own_policy own, got;
	int mode, old_mode, bit;
	size_t i, j;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		for (j = 0; j < ARRAY_LEN(flags); j++) {
			own_init(&own, modes[i], flags[j], &ctx->nodes, NULL);
			accepted(_metadata, ctx, &own.param, 0, &got, "mode");
			EXPECT_EQ(modes[i], got.param.mode);
			EXPECT_EQ(flags[j], got.param.mode_flags);
			EXPECT_EQ(-1, got.param.home_node);
			/* The nodes are those that the call of old reports */
			ASSERT_EQ(0, policy_set(modes[i] | flags[j],
						&ctx->nodes));
			ASSERT_EQ(0, policy_get(&old_mode, &old, NULL, 0));
			EXPECT_EQ(modes[i] | flags[j], old_mode);
			EXPECT_TRUE(nodeset_equal(&old, &got.nodes))
				TH_LOG("mode %d, flags %#x", modes[i],
				       flags[j]);
			ASSERT_EQ(0, put_policies(ctx));
		}
		own_init(&own, modes[i], both_flags, &ctx->nodes, NULL);
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"static and relative");
		own_init(&own, modes[i], MPOL_F_NUMA_BALANCING, &ctx->nodes,
			 NULL);
		if (modes[i] != MPOL_BIND)
			refused(_metadata, ctx, -EINVAL, &own.param, 0,
				"balancing without bind");
		for (bit = 0; bit < 13; bit++) {
			own.param.mode_flags = 1 << bit;
			refused(_metadata, ctx, -EINVAL, &own.param, 0,
				"unknown mode_flags");
		}
	}

	own_init(&own, MPOL_BIND, MPOL_F_NUMA_BALANCING, &ctx->nodes, NULL);
	accepted(_metadata, ctx, &own.param, 0, &got, "bind with balancing");
	EXPECT_EQ(MPOL_F_NUMA_BALANCING, got.param.mode_flags);

	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	for (mode = MPOL_WEIGHTED_INTERLEAVE + 1; mode <= 0xffff;
	     mode += mode < 64 ? 1 : 997) {
		own.param.mode = mode;
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"unknown mode");
	}
	for (i = 1; i < ARRAY_LEN(flags); i++) {
		own.param.mode = MPOL_BIND | flags[i];
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"flags in the mode");
	}
	own.param.mode = MPOL_BIND | MPOL_F_NUMA_BALANCING;
	refused(_metadata, ctx, -EINVAL, &own.param, 0, "flags in the mode");

	/* The two modes that have no nodes */
	nodeset_clear(&want);
	for (mode = MPOL_DEFAULT; mode <= MPOL_LOCAL;
	     mode += MPOL_LOCAL - MPOL_DEFAULT) {
		own_init(&own, mode, 0, NULL, NULL);
		accepted(_metadata, ctx, &own.param, 0, &got, "no nodes");
		EXPECT_EQ(mode, got.param.mode);
		EXPECT_EQ(0, got.param.mode_flags);
		EXPECT_EQ(-1, got.param.home_node);
		EXPECT_TRUE(nodeset_equal(&want, &got.nodes));
	}
}

TEST_F(mempolicy2, empty_masks)
{
	struct context *ctx = &self->ctx;
	static const int need[] = {
		MPOL_BIND, MPOL_INTERLEAVE, MPOL_WEIGHTED_INTERLEAVE,
		MPOL_PREFERRED_MANY,
	};
	static const int without[] = { MPOL_DEFAULT, MPOL_LOCAL };
	static const int flags[] = {
		0, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	static const unsigned int weight[] = { 5, 1 };
	struct own_policy own, got;
	size_t i, form;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* No bit, no pointer, or a mask of no length that is not looked at */
	for (form = 0; form < 3; form++) {
		for (i = 0; i < ARRAY_LEN(need) * ARRAY_LEN(flags); i++) {
			own_init(&own, need[i % ARRAY_LEN(need)],
				 flags[i / ARRAY_LEN(need)],
				 form ? &ctx->nodes : NULL, NULL);
			if (form == 1)
				own.param.pol_nodes = 0;
			if (form == 2)
				own.param.pol_maxnodes = 0;
			refused(_metadata, ctx, -EINVAL, &own.param, 0,
				"empty mask");
		}
		for (i = 0; i < ARRAY_LEN(without); i++) {
			own_init(&own, without[i], 0,
				 form ? &ctx->nodes : NULL, NULL);
			if (form == 1)
				own.param.pol_nodes = 0;
			if (form == 2)
				own.param.pol_maxnodes = 0;
			accepted(_metadata, ctx, &own.param, 0, &got,
				 "no nodes");
			EXPECT_EQ(without[i], got.param.mode);
		}
	}
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	own.param.pol_nodes = 0;
	refused(_metadata, ctx, -EINVAL, &own.param, 0,
		"weights without nodes");
	own_init(&own, MPOL_DEFAULT, 0, NULL, NULL);
	own.param.pol_nodes = (uintptr_t)NOWHERE;
	own.param.pol_maxnodes = 0;
	accepted(_metadata, ctx, &own.param, 0, &got, "no bits nowhere");
	for (i = 0; i < ARRAY_LEN(without); i++) {
		own_init(&own, without[i], 0, &ctx->nodes, NULL);
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"nodes for a mode without nodes");
	}
}

TEST_F(mempolicy2, preferred_without_nodes)
{
	struct context *ctx = &self->ctx;
	static const int flags[] = {
		MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	struct own_policy own, got;
	struct nodeset nodes;
	char text[128];
	size_t i;
	int mode;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_init(&own, MPOL_PREFERRED, 0, NULL, NULL);
	EXPECT_EQ(0, both(ctx, &own.param, param_size, 0));
	ASSERT_EQ(0, numa_maps_policy(ctx->area.start, text, sizeof(text)));
	EXPECT_STREQ("local", text);
	ASSERT_EQ(0, own_get(&got, NULL, 0));
	ASSERT_EQ(0, policy_get(&mode, &nodes, NULL, 0));
	EXPECT_EQ(MPOL_LOCAL, mode);
	EXPECT_EQ(mode, got.param.mode);
	EXPECT_EQ(0, nodeset_count(&got.nodes));
	ASSERT_EQ(0, put_policies(ctx));

	for (i = 0; i < ARRAY_LEN(flags); i++) {
		own_init(&own, MPOL_PREFERRED, flags[i], NULL, NULL);
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"preferred with flags");
		own_init(&own, MPOL_LOCAL, flags[i], NULL, NULL);
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"local with flags");
	}
}

TEST_F(mempolicy2, bits_beyond_the_limit)
{
	struct context *ctx = &self->ctx;
	static unsigned long mask[(MOST_BITS + 1) / BITS_PER_WORD];
	static const int beyond[] = { 1024, 4096, 32768, 65000, 65534 };
	struct nodeset set = ctx->nodes;
	struct own_policy own, got;
	int absent, ret;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	memcpy(mask, ctx->nodes.word, sizeof(ctx->nodes.word));
	own_init(&own, MPOL_INTERLEAVE, 0, &ctx->nodes, NULL);
	own.param.pol_nodes = (uintptr_t)mask;
	own.param.pol_maxnodes = MOST_BITS;
	accepted(_metadata, ctx, &own.param, 0, &got, "long mask");
	EXPECT_TRUE(nodeset_equal(&ctx->nodes, &got.nodes));
	for (i = 0; i < ARRAY_LEN(beyond); i++) {
		mask[beyond[i] / BITS_PER_WORD] |=
			1UL << beyond[i] % BITS_PER_WORD;
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"bit beyond the limit");
		/* It is not looked at when the mask ends before it */
		own.param.pol_maxnodes = beyond[i];
		accepted(_metadata, ctx, &own.param, 0, &got,
			 "mask that ends before the bit");
		EXPECT_TRUE(nodeset_equal(&ctx->nodes, &got.nodes));
		own.param.pol_maxnodes = MOST_BITS;
		mask[beyond[i] / BITS_PER_WORD] = 0;
	}
	/* One more than the length */
	mask[MOST_BITS / BITS_PER_WORD] = 1UL << MOST_BITS % BITS_PER_WORD;
	accepted(_metadata, ctx, &own.param, 0, &got, "bit after the mask");

	/* Ids that may be nodes but have no memory: as the call of old */
	absent = node_without_memory();
	if (absent < 0)
		return;
	nodeset_add(&set, absent);
	own_init(&own, MPOL_INTERLEAVE, 0, &set, NULL);
	ret = own_set(&own);
	EXPECT_EQ(policy_set(MPOL_INTERLEAVE, &set), ret);
	set = nodeset_of(absent);
	own_init(&own, MPOL_INTERLEAVE, 0, &set, NULL);
	EXPECT_EQ(-EINVAL, policy_set(MPOL_INTERLEAVE, &set));
	EXPECT_EQ(-EINVAL, own_set(&own));
}

TEST_F(mempolicy2, ends_of_masks)
{
	struct context *ctx = &self->ctx;
	const size_t word = sizeof(unsigned long);
	struct own_policy own, got;
	size_t bits, words, i;
	unsigned long *mask;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* Each ends with its last word where the page ends */
	for (bits = 1; bits <= 3 * 64; bits++) {
		words = (bits + BITS_PER_WORD - 1) / BITS_PER_WORD;
		mask = (unsigned long *)(ctx->end - words * word);
		own_init(&own, MPOL_LOCAL, 0, NULL, NULL);
		own.param.pol_nodes = (uintptr_t)mask;
		own.param.pol_maxnodes = bits;

		/* Every bit of the last word but those that count */
		memset(mask, 0, words * word);
		if (bits % BITS_PER_WORD)
			mask[words - 1] = ~0UL << bits % BITS_PER_WORD;
		accepted(_metadata, ctx, &own.param, 0, &got,
			 "bits after the mask");
		/* The last one that counts */
		mask[words - 1] |= 1UL << (bits - 1) % BITS_PER_WORD;
		refused(_metadata, ctx, -EINVAL, &own.param, 0, "last bit");
	}

	/* All bits up to a node, that node included */
	for (i = 0; i < (size_t)nodeset_count(&ctx->nodes); i++) {
		bits = nodeset_nth(&ctx->nodes, i) + 1;
		words = (bits + BITS_PER_WORD - 1) / BITS_PER_WORD;
		mask = (unsigned long *)(ctx->end - words * word);
		memset(mask, 0xff, words * word);
		own_init(&own, MPOL_BIND, 0, NULL, NULL);
		own.param.pol_nodes = (uintptr_t)mask;
		own.param.pol_maxnodes = bits;
		EXPECT_EQ(0, both(ctx, &own.param, param_size, 0));
		EXPECT_EQ(0, own_get(&got, NULL, 0));
		own.nodes = nodeset_head(&ctx->nodes, i + 1);
		EXPECT_TRUE(nodeset_equal(&own.nodes, &got.nodes));
	}
}

TEST_F(mempolicy2, weights_need_their_mode)
{
	struct context *ctx = &self->ctx;
	static const struct {
		int mode;
		bool nodes;
	} others[] = {
		{ MPOL_DEFAULT, false }, { MPOL_LOCAL, false },
		{ MPOL_PREFERRED, false }, { MPOL_PREFERRED, true },
		{ MPOL_BIND, true }, { MPOL_INTERLEAVE, true },
		{ MPOL_PREFERRED_MANY, true },
	};
	static const unsigned int weights[][2] = { { 5, 1 }, { 0, 0 } };
	struct own_policy own;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < 2 * ARRAY_LEN(others); i++) {
		own_init(&own, others[i / 2].mode, 0, &ctx->nodes,
			 weights[i % 2]);
		if (!others[i / 2].nodes)
			nodeset_clear(&own.nodes);
		refused(_metadata, ctx, -EINVAL, &own.param, 0,
			"weights for another mode");
	}
}

TEST_F(mempolicy2, weights_come_back)
{
	struct context *ctx = &self->ctx;
	static const unsigned int weights[][2] = {
		{ 5, 1 }, { 1, 5 }, { 255, 1 }, { 255, 255 }, { 1, 1 },
		{ 4, 2 }, { 200, 100 },
	};
	static const int flags[] = {
		0, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	const int nr = nodeset_count(&ctx->nodes);
	struct own_policy own, got;
	size_t i, j;
	int n, mode;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(weights) * ARRAY_LEN(flags); i++) {
		j = i / ARRAY_LEN(flags);
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE,
			 flags[i % ARRAY_LEN(flags)], &ctx->nodes,
			 weights[j]);
		EXPECT_EQ(0, both(ctx, &own.param, param_size, 0));
		EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got));
		EXPECT_EQ(0, own_get(&got, ctx->area.start,
				     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got));
		/* Without the flag it is the same where all have their own */
		EXPECT_EQ(0, own_get(&got, NULL, 0));
		for (n = 0; n < nr; n++)
			EXPECT_EQ(weights[j][n],
				  got.weight[nodeset_nth(&ctx->nodes, n)]);
		/* What was got can be set again, and the old call reads it */
		EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
		EXPECT_EQ(0, both(ctx, &got.param, param_size, 0));
		EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got));
		EXPECT_EQ(0, policy_get(&mode, &got.nodes, NULL, 0));
		EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE |
			  flags[i % ARRAY_LEN(flags)], mode);
		EXPECT_TRUE(nodeset_equal(&own.nodes, &got.nodes));
	}
}

TEST_F(mempolicy2, weight_0_follows_the_global_one)
{
	struct context *ctx = &self->ctx;
	static const unsigned int none[] = { 0, 0 }, some[] = { 0, 3 };
	const unsigned int *given[] = { NULL, none, some };
	struct own_policy own, got;
	int n, node, own_weight;
	unsigned int global;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(given); i++) {
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes,
			 given[i]);
		EXPECT_EQ(0, both(ctx, &own.param, param_size, 0));
		for (global = 1; global <= MAX_WEIGHT; global += 127) {
			for (n = 0; n < nodeset_count(&ctx->memory); n++)
				ASSERT_EQ(0, weight_write(nodeset_nth(&ctx->memory, n),
							  global));
			EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
			EXPECT_TRUE(own_equal(&own, &got));
			EXPECT_EQ(0, own_get(&got, ctx->area.start,
					     MPOL_F_ADDR));
			for (n = 0; n < nodeset_count(&ctx->memory); n++) {
				node = nodeset_nth(&ctx->memory, n);
				own_weight = own.weight[node];
				EXPECT_EQ(own_weight ? own_weight :
					  (int)global, got.weight[node]);
			}
		}
	}
}

TEST_F(mempolicy2, weights_of_other_nodes)
{
	struct context *ctx = &self->ctx;
	struct nodeset one = nodeset_of(ctx->first);
	struct own_policy own, got;
	struct round round;
	struct area area;
	int node, placed[16];
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* Each id has a weight, one node is in the mask */
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &one, NULL);
	own.param.il_weights = (uintptr_t)own.weight;
	for (node = 0; node < MAX_NODES; node++)
		own.weight[node] = 1 + node % MAX_WEIGHT;
	ASSERT_EQ(0, both(ctx, &own.param, param_size, 0));
	EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(nodeset_equal(&one, &got.nodes));
	for (i = 0; i < (size_t)nodeset_count(&ctx->memory); i++) {
		node = nodeset_nth(&ctx->memory, i);
		EXPECT_EQ(own.weight[node], got.weight[node])
			TH_LOG("node %d", node);
	}
	EXPECT_TRUE(only(got.weight + ctx->nr_ids, 0,
			 MAX_NODES - ctx->nr_ids));

	ASSERT_EQ(0, area_map(&area, ARRAY_LEN(placed), 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, ARRAY_LEN(placed), page_bytes(),
			   placed));
	round_init(&round, &one, (const unsigned int []){ 1 });
	EXPECT_TRUE(round_exact(&round, placed, ARRAY_LEN(placed)));
}

TEST_F(mempolicy2, weights_that_are_not_read)
{
	struct context *ctx = &self->ctx;
	static unsigned long mask[(MOST_BITS + 1) / BITS_PER_WORD];
	unsigned char *weight = (void *)(ctx->end - ctx->nr_ids);
	struct own_policy own, got;
	int bits;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	memset(weight, 9, ctx->nr_ids);
	memcpy(mask, ctx->nodes.word, sizeof(ctx->nodes.word));
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, NULL);
	own.param.pol_nodes = (uintptr_t)mask;
	own.param.il_weights = (uintptr_t)weight;
	own.param.pol_maxnodes = MOST_BITS;
	accepted(_metadata, ctx, &own.param, 0, &got,
		 "weights of the nodes there can be");
	EXPECT_EQ(9, got.weight[ctx->first]);

	/* A short array: what it does not have follows the global weight */
	bits = ctx->first + 1;
	own.param.pol_maxnodes = bits;
	own.param.il_weights = (uintptr_t)(ctx->end - bits);
	accepted(_metadata, ctx, &own.param, 0, &got, "short weights");
	EXPECT_EQ(9, got.weight[ctx->first]);
	EXPECT_TRUE(only(got.weight + bits, 0, MAX_NODES - bits));
}

/* A relative mask and its weights come back as they were given */
TEST_F(mempolicy2, relative_and_static_as_given)
{
	struct context *ctx = &self->ctx;
	static const int flags[] = {
		MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	struct own_policy own, got;
	struct nodeset all;
	size_t i;
	int node;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* Every id there can be, with memory or without */
	nodeset_clear(&all);
	for (node = 0; node < ctx->nr_ids; node++)
		nodeset_add(&all, node);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, flags[i], &all, NULL);
		own.param.il_weights = (uintptr_t)own.weight;
		for (node = 0; node < ctx->nr_ids; node++)
			own.weight[node] = 7 * node % 5;
		accepted(_metadata, ctx, &own.param, 0, &got,
			 "mask of all ids");
		EXPECT_TRUE(own_equal(&own, &got));
	}
}

/* Positions of a relative mask need no node of that number */
TEST_F(mempolicy2, relative_mask_beyond_the_nodes)
{
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	struct nodeset nodes;
	int last = 0, node;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (node = 1; node < MAX_NODES; node++) {
		nodes = nodeset_pair(0, node);
		own_init(&own, MPOL_INTERLEAVE, MPOL_F_RELATIVE_NODES, &nodes,
			 NULL);
		if (own_set(&own))
			break;
		last = node;
		ASSERT_EQ(0, own_get(&got, NULL, 0));
		EXPECT_TRUE(nodeset_equal(&nodes, &got.nodes))
			TH_LOG("node %d", node);
	}
	if (last < ctx->nr_ids)
		SKIP(return, "this kernel has no more node ids than this machine");
	/* A mask that does not fit is not cut: positions would be lost */
	nodes = nodeset_pair(0, last);
	own_init(&own, MPOL_INTERLEAVE, MPOL_F_RELATIVE_NODES, &nodes, NULL);
	ASSERT_EQ(0, own_set(&own));
	memset(&got, 0, sizeof(got));
	got.param.pol_maxnodes = ctx->nr_ids;
	got.param.pol_nodes = (uintptr_t)&got.nodes;
	nodes = got.nodes;
	EXPECT_EQ(-EINVAL, param_get(&got.param, param_size, NULL, 0));
	EXPECT_TRUE(nodeset_equal(&nodes, &got.nodes));
}
