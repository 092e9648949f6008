// SPDX-License-Identifier: GPL-2.0
/*
 * What set_mempolicy2(2), get_mempolicy2(2) and mbind2(2) are called with: their
 * numbers, the sizes of struct mpol_param, its reserved bytes, the flags, and
 * pointers to what cannot be read or written.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "cases.h"
#include "placement.h"
#include "policies.h"

#define LAZY_FILE	"/sys/kernel/migration/auto_migrate_lazy"

static_assert(sizeof(struct mpol_param) == MPOL_PARAM_SIZE_VER0, "size");
static_assert(MPOL_PARAM_SIZE_VER0 == 32, "first size");
static_assert(!offsetof(struct mpol_param, mode), "mode");
static_assert(offsetof(struct mpol_param, mode_flags) == 2, "mode_flags");
static_assert(offsetof(struct mpol_param, home_node) == 4, "home_node");
static_assert(offsetof(struct mpol_param, pol_maxnodes) == 8, "pol_maxnodes");
static_assert(offsetof(struct mpol_param, resv) == 10, "resv");
static_assert(offsetof(struct mpol_param, pol_nodes) == 16, "pol_nodes");
static_assert(offsetof(struct mpol_param, il_weights) == 24, "il_weights");
static_assert(__NR_set_mempolicy2 == 600, "set_mempolicy2");
static_assert(__NR_get_mempolicy2 == 601, "get_mempolicy2");
static_assert(__NR_mbind2 == 602, "mbind2");
static_assert(MPOL_MF_HOME_NODE == 1 << 4, "MPOL_MF_HOME_NODE");
static_assert(MPOL_F_OWN_WEIGHTS == 1 << 3, "MPOL_F_OWN_WEIGHTS");

TEST_F(mempolicy2, numbers)
{
	struct context *ctx = &self->ctx;
	static const int holes[] = { 451, 457, 599, 606 };
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(holes); i++) {
		errno = 0;
		EXPECT_EQ(-1, syscall(holes[i], 0, 0, 0, 0, 0, 0));
		EXPECT_STREQ("Function not implemented", strerror(errno))
			TH_LOG("system call %d", holes[i]);
	}
	EXPECT_EQ(-EINVAL, param_set(NULL, 0, 0));
	EXPECT_EQ(-EINVAL, param_get(NULL, 0, NULL, 0));
	EXPECT_EQ(-EINVAL, param_bind(NULL, 0, NULL, 0, 0));
}

TEST_F(mempolicy2, sizes)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	static const size_t small[] = { 0, 1, 16, 31 };
	size_t large[] = { page + 1, 2 * page, SIZE_MAX / 2, SIZE_MAX };
	size_t fits[] = { 32, 33, 40, 64, page - 1, page };
	static char buf[1 << 17];
	struct mpol_param *param = (struct mpol_param *)buf;
	struct own_policy own;
	size_t i, byte;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_LE(2 * page, sizeof(buf));
	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	*param = own.param;
	for (i = 0; i < ARRAY_LEN(small); i++) {
		EXPECT_EQ(-EINVAL, both(ctx, buf, small[i], 0));
		EXPECT_EQ(-EINVAL, param_get(buf, small[i], NULL, 0));
		EXPECT_TRUE(policies_kept(ctx));
	}
	/* Too large is told before anything is read */
	for (i = 0; i < ARRAY_LEN(large); i++) {
		EXPECT_EQ(-E2BIG, both(ctx, buf, large[i], 0));
		EXPECT_EQ(-E2BIG, both(ctx, NOWHERE, large[i], 0));
		EXPECT_EQ(-E2BIG, param_get(buf, large[i], NULL, 0));
		EXPECT_EQ(-E2BIG, param_get(NOWHERE, large[i], NULL, 0));
		EXPECT_TRUE(policies_kept(ctx));
	}
	for (i = 0; i < ARRAY_LEN(fits); i++) {
		EXPECT_EQ(0, both(ctx, buf, fits[i], 0))
			TH_LOG("%zu bytes", fits[i]);
		ASSERT_EQ(0, put_policies(ctx));
	}
	/* A byte that this kernel does not know, at either end of the tail */
	for (i = 1; i < ARRAY_LEN(fits); i++) {
		for (byte = param_size; byte < fits[i];
		     byte += fits[i] - param_size > 1 ?
			     fits[i] - param_size - 1 : 1) {
			buf[byte] = 1;
			EXPECT_EQ(-E2BIG, both(ctx, buf, fits[i], 0))
				TH_LOG("%zu bytes, byte %zu", fits[i], byte);
			EXPECT_EQ(-E2BIG, param_get(buf, fits[i], NULL, 0));
			EXPECT_TRUE(policies_kept(ctx));
			buf[byte] = 0;
		}
	}
}

TEST_F(mempolicy2, reserved_bytes)
{
	struct context *ctx = &self->ctx;
	struct own_policy own;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	for (i = 0; i < sizeof(own.param.resv); i++) {
		own.param.resv[i] = 0x80;
		refused(_metadata, ctx, -EINVAL, &own.param, 0, "resv");
		EXPECT_EQ(-EINVAL, param_get(&own.param, param_size, NULL, 0));
		own.param.resv[i] = 0;
	}
	EXPECT_EQ(0, both(ctx, &own.param, param_size, 0));
}

TEST_F(mempolicy2, flags)
{
	struct context *ctx = &self->ctx;
	const unsigned long bind_flags = MPOL_MF_STRICT | MPOL_MF_MOVE |
					 MPOL_MF_MOVE_ALL | MPOL_MF_HOME_NODE;
	const unsigned long get_flags = MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS;
	struct own_policy own;
	unsigned long flag;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	own.param.home_node = ctx->first;
	for (flag = 1; flag; flag <<= 1) {
		ret = param_set(&own.param, param_size, flag);
		EXPECT_EQ(flag == MPOL_MF_HOME_NODE ? 0 : -EINVAL, ret)
			TH_LOG("set_mempolicy2, flag %#lx", flag);
		if (!ret)
			ASSERT_EQ(0, put_policies(ctx));

		ret = own_bind(ctx->area.start, ctx->area.len, &own, flag);
		EXPECT_EQ(flag & bind_flags ? 0 : -EINVAL, ret)
			TH_LOG("mbind2, flag %#lx", flag);
		if (!ret)
			ASSERT_EQ(0, put_policies(ctx));
		EXPECT_TRUE(policies_kept(ctx))
			TH_LOG("flag %#lx", flag);

		EXPECT_EQ(flag & get_flags ? 0 : -EINVAL,
			  param_get(&own.param, param_size,
				    flag == MPOL_F_ADDR ? ctx->area.start :
				    NULL, flag))
			TH_LOG("get_mempolicy2, flag %#lx", flag);
		own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
		own.param.home_node = ctx->first;
	}
	/* Lazy migration is there only with the flag it belongs to */
	EXPECT_EQ(access(LAZY_FILE, F_OK) ? -EINVAL : 0,
		  own_bind(ctx->area.start, ctx->area.len, &own,
			   MPOL_MF_LAZY | MPOL_MF_MOVE));
	EXPECT_EQ(access(LAZY_FILE, F_OK) ? -EINVAL : 0,
		  own_bind(ctx->area.start, 0, &own, MPOL_MF_LAZY | MPOL_MF_MOVE));
	ASSERT_EQ(0, put_policies(ctx));
	EXPECT_EQ(-EINVAL, param_set(&own.param, param_size, ULONG_MAX));
	EXPECT_EQ(-EINVAL, own_bind(ctx->area.start, ctx->area.len, &own,
				    ULONG_MAX));
	EXPECT_EQ(-EINVAL, param_get(&own.param, param_size, NULL, ULONG_MAX));
	EXPECT_TRUE(policies_kept(ctx));
}

/* Unmapped and half-mapped, for all that is read */
TEST_F(mempolicy2, unreadable)
{
	struct context *ctx = &self->ctx;
	const size_t word = sizeof(unsigned long), page = page_bytes();
	void *nowhere[] = {
		NOWHERE, ctx->end, (void *)~0xfffUL,
		(void *)(ULONG_MAX / 2 + 1),
	};
	static const unsigned int weight[] = { 4, 6 };
	static unsigned char weights[MAX_NODES];
	struct own_policy own, got;
	struct mpol_param *param;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	EXPECT_EQ(-EFAULT, both(ctx, NULL, param_size, 0));
	EXPECT_EQ(-EFAULT, param_get(NULL, param_size, NULL, 0));
	for (i = 0; i < ARRAY_LEN(nowhere); i++) {
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes,
			 weight);
		refused(_metadata, ctx, -EFAULT, nowhere[i], 0, "param");
		EXPECT_EQ(-EFAULT, both(ctx, nowhere[i], page, 0));
		EXPECT_EQ(-EFAULT, param_get(nowhere[i], param_size, NULL, 0));
		own.param.pol_nodes = (uintptr_t)nowhere[i];
		refused(_metadata, ctx, -EFAULT, &own.param, 0, "pol_nodes");
		EXPECT_EQ(-EFAULT, param_get(&own.param, param_size, NULL, 0));
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes,
			 weight);
		own.param.il_weights = (uintptr_t)nowhere[i];
		refused(_metadata, ctx, -EFAULT, &own.param, 0, "il_weights");
		EXPECT_EQ(-EFAULT, param_get(&own.param, param_size, NULL, 0));
	}

	/* The struct, or its tail, is cut by the end of the page */
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	for (i = 1; i <= param_size; i++) {
		memcpy(ctx->end - i, &own.param, i);
		EXPECT_EQ(-EFAULT, both(ctx, ctx->end - i,
					i < param_size ? param_size : 64, 0));
		EXPECT_EQ(-EFAULT, param_get(ctx->end - i,
					     i < param_size ? param_size : 64,
					     NULL, 0));
		EXPECT_TRUE(policies_kept(ctx));
	}
	param = (struct mpol_param *)(ctx->end - param_size);
	*param = own.param;
	accepted(_metadata, ctx, param, 0, &got, "struct at the end");
	EXPECT_EQ(4, got.weight[ctx->first]);

	/* So is the mask, behind its first word */
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	memset(ctx->page.start, 0, page);
	memcpy(ctx->end - word, own.nodes.word, word);
	own.param.pol_nodes = (uintptr_t)(ctx->end - word);
	refused(_metadata, ctx, -EFAULT, &own.param, 0, "half a mask");
	own.param.pol_maxnodes = BITS_PER_WORD + 1;
	refused(_metadata, ctx, -EFAULT, &own.param, 0, "a bit too many");
	if (ctx->nr_ids <= (int)BITS_PER_WORD) {
		own.param.pol_maxnodes = BITS_PER_WORD;
		accepted(_metadata, ctx, &own.param, 0, &got, "whole mask");
		EXPECT_TRUE(nodeset_equal(&ctx->nodes, &got.nodes));
	}

	/* And the weights, behind the first one */
	if (ctx->nr_ids > 1) {
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes,
			 weight);
		own.param.il_weights = (uintptr_t)(ctx->end - 1);
		refused(_metadata, ctx, -EFAULT, &own.param, 0,
			"half of the weights");
		own.param.il_weights = (uintptr_t)(ctx->end - ctx->nr_ids + 1);
		refused(_metadata, ctx, -EFAULT, &own.param, 0,
			"a weight too few");
	}

	/* What get_mempolicy2 has to write does not fit in front of the end */
	own_init(&got, 0, 0, NULL, NULL);
	got.param.pol_nodes = (uintptr_t)(ctx->end - word);
	EXPECT_EQ(-EFAULT, param_get(&got.param, param_size, NULL, 0));
	own_init(&got, 0, 0, NULL, NULL);
	got.param.pol_nodes = 0;
	got.param.il_weights = (uintptr_t)(ctx->end - ctx->nr_ids);
	EXPECT_EQ(-EFAULT, param_get(&got.param, param_size, NULL, 0));
	EXPECT_EQ(-EFAULT, param_get(&got.param, param_size, NULL,
				     MPOL_F_OWN_WEIGHTS));
	got.param.il_weights = (uintptr_t)weights;
	EXPECT_EQ(0, param_get(&got.param, param_size, NULL, 0));
}

TEST_F(mempolicy2, read_only)
{
	struct context *ctx = &self->ctx;
	struct {
		struct mpol_param param;
		struct nodeset nodes;
		unsigned char weight[MAX_NODES];
	} *page = (void *)ctx->page.start;
	static const unsigned int weight[] = { 4, 6 };
	struct own_policy own, got;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	page->param = own.param;
	page->param.pol_nodes = (uintptr_t)page->nodes.word;
	page->param.il_weights = (uintptr_t)page->weight;
	page->nodes = own.nodes;
	memcpy(page->weight, own.weight, sizeof(own.weight));
	ASSERT_EQ(0, mprotect(ctx->page.start, ctx->page.len, PROT_READ));

	/* What is only read may be read-only */
	accepted(_metadata, ctx, &page->param, 0, &got, "read-only");
	EXPECT_TRUE(own_equal(&own, &got));
	EXPECT_EQ(-EFAULT, param_get(&page->param, param_size, NULL, 0));
	own_init(&got, 0, 0, NULL, NULL);
	got.param.pol_nodes = (uintptr_t)page->nodes.word;
	EXPECT_EQ(-EFAULT, param_get(&got.param, param_size, NULL, 0));
	own_init(&got, 0, 0, NULL, NULL);
	got.param.il_weights = (uintptr_t)page->weight;
	EXPECT_EQ(-EFAULT, param_get(&got.param, param_size, NULL, 0));
	EXPECT_TRUE(policies_kept(ctx));
}

/* A pointer of a 32-bit program is 64 bits wide in the struct */
#ifdef __i386
TEST_F(mempolicy2, upper_half_of_pointers)
{
	struct context *ctx = &self->ctx;
	static const unsigned int weight[] = { 4, 6 };
	struct own_policy own;
	struct utsname name;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, uname(&name));
	if (strcmp(name.machine, "x86_64"))
		SKIP(return, "the kernel has no addresses up there");

	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	own.param.pol_nodes |= 1ULL << 32;
	refused(_metadata, ctx, -EFAULT, &own.param, 0, "pol_nodes");
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	own.param.il_weights |= 1ULL << 63;
	refused(_metadata, ctx, -EFAULT, &own.param, 0, "il_weights");
}
#endif
