// SPDX-License-Identifier: GPL-2.0
/*
 * What set_mempolicy2(2), get_mempolicy2(2) and mbind2(2) accept, refuse and
 * answer. A call that is refused leaves the policies and their weights as they
 * were, which is looked at each time.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <sys/utsname.h>

#include "cases.h"
#include "placement.h"

#define LAZY_FILE	"/sys/kernel/migration/auto_migrate_lazy"
#define CANARY 0xa5
/* More than any kernel has nodes, the most that pol_maxnodes can say */
#define MOST_BITS 65535
#define NOWHERE ((void *)16)

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
static int put_policies(struct context *ctx)
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

static int get_policies(struct context *ctx, struct own_policy *task,
			struct own_policy *mapping)
{
	int ret = own_get(task, NULL, MPOL_F_OWN_WEIGHTS);

	return ret ? ret : own_get(mapping, ctx->area.start,
				   MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS);
}

static bool policies_kept(struct context *ctx)
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
static int both(struct context *ctx, const void *param, size_t usize,
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

static void refused(struct __test_metadata *_metadata, struct context *ctx,
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
static void accepted(struct __test_metadata *_metadata, struct context *ctx,
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

static bool only(const void *buf, int value, size_t len)
{
	const unsigned char *byte = buf;
	size_t i;

	for (i = 0; i < len; i++)
		if (byte[i] != value)
			return false;
	return true;
}

TEST_F(mempolicy2, numbers)
{
	struct context *ctx = &self->ctx;
	static const int holes[] = { 451, 457, 599, 603 };
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
	ASSERT_EQ(0, put_policies(ctx));
	EXPECT_EQ(-EINVAL, param_set(&own.param, param_size, ULONG_MAX));
	EXPECT_EQ(-EINVAL, own_bind(ctx->area.start, ctx->area.len, &own,
				    ULONG_MAX));
	EXPECT_EQ(-EINVAL, param_get(&own.param, param_size, NULL, ULONG_MAX));
	EXPECT_TRUE(policies_kept(ctx));
}

/* 0 when a task without privileges may all but move pages of others */
static int calls_unprivileged(void *arg)
{
	struct context *ctx = arg;
	struct own_policy own;

	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	if (setresuid(1, 1, 1))
		return 2;
	if (own_bind(ctx->area.start, ctx->area.len, &own,
		     MPOL_MF_MOVE_ALL) != -EPERM ||
	    own_bind(ctx->area.start, 0, &own, MPOL_MF_MOVE_ALL) != -EPERM)
		return 3;
	if (!policies_kept(ctx))
		return 4;
	if (own_bind(ctx->area.start, ctx->area.len, &own, MPOL_MF_MOVE) ||
	    own_set(&own))
		return 5;
	return 0;
}

TEST_F(mempolicy2, move_all_is_privileged)
{
	struct context *ctx = &self->ctx;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	EXPECT_EQ(0, in_child(calls_unprivileged, ctx));
}

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
	int offline;
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
	/* The mask that was got ends where its length says */
	nodes = nodeset_pair(0, last);
	own_init(&own, MPOL_INTERLEAVE, MPOL_F_RELATIVE_NODES, &nodes, NULL);
	ASSERT_EQ(0, own_set(&own));
	memset(&got, 0, sizeof(got));
	got.param.pol_maxnodes = ctx->nr_ids;
	got.param.pol_nodes = (uintptr_t)&got.nodes;
	EXPECT_EQ(0, param_get(&got.param, param_size, NULL, 0));
	nodes = nodeset_of(0);
	EXPECT_TRUE(nodeset_equal(&nodes, &got.nodes));
}

TEST_F(mempolicy2, mbind2_of_nothing)
{
	struct context *ctx = &self->ctx;
	char *start = ctx->area.start;
	struct own_policy own, bad;
	struct nodeset empty;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	nodeset_clear(&empty);
	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	EXPECT_EQ(0, own_bind(start, 0, &own, 0));
	EXPECT_EQ(0, own_bind(start, 0, &own, MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(-EINVAL, own_bind(start + 1, 0, &own, 0));
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &own, MPOL_MF_LAZY));
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &own, 1UL << 5));
	EXPECT_EQ(-EFAULT, param_bind(start, 0, NOWHERE, param_size, 0));
	EXPECT_EQ(-EINVAL, param_bind(start, 0, &own.param, 31, 0));
	EXPECT_EQ(-E2BIG, param_bind(start, 0, &own.param, page_bytes() + 1,
				     0));
	/* The home node is -1 */
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &own, MPOL_MF_HOME_NODE));

	own_init(&bad, MPOL_BIND, 0, &empty, NULL);
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &bad, 0));
	own_init(&bad, MPOL_DEFAULT, 0, &ctx->nodes, NULL);
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &bad, 0));
	own_init(&bad, MPOL_WEIGHTED_INTERLEAVE + 1, 0, &ctx->nodes, NULL);
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &bad, 0));
	own_init(&bad, MPOL_BIND, 1, &ctx->nodes, NULL);
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &bad, 0));
	own_init(&bad, MPOL_BIND, 0, &ctx->nodes, NULL);
	bad.param.resv[0] = 1;
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &bad, 0));
	own_init(&bad, MPOL_BIND, 0, &ctx->nodes, NULL);
	bad.param.pol_nodes = (uintptr_t)NOWHERE;
	EXPECT_EQ(-EFAULT, own_bind(start, 0, &bad, 0));
	own_init(&bad, MPOL_BIND, 0, &ctx->nodes, NULL);
	bad.param.il_weights = (uintptr_t)bad.weight;
	EXPECT_EQ(-EINVAL, own_bind(start, 0, &bad, 0));
	own_init(&bad, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, NULL);
	bad.param.il_weights = (uintptr_t)NOWHERE;
	EXPECT_EQ(-EFAULT, own_bind(start, 0, &bad, 0));
	EXPECT_TRUE(policies_kept(ctx));

	/* The call of old does not look at its mask then */
	EXPECT_EQ(0, policy_bind(start, 0, MPOL_BIND, &empty, 0));
}

TEST_F(mempolicy2, mbind2_ranges)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct own_policy own, got;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	EXPECT_EQ(-EINVAL, own_bind(ctx->area.start + 1, page, &own, 0));
	EXPECT_EQ(-EINVAL, own_bind(ctx->area.start + page / 2, page, &own,
				    0));
	/* An end beyond the last address, as the call of old has it */
	EXPECT_EQ(policy_bind(ctx->area.start, -page, MPOL_BIND,
			      &ctx->nodes, 0),
		  own_bind(ctx->area.start, -page, &own, 0));
	EXPECT_TRUE(policies_kept(ctx));

	/* A part of a page is a page */
	ASSERT_EQ(0, area_map(&area, 4, 1));
	EXPECT_EQ(0, own_bind(area.start, page + 1, &own, 0));
	EXPECT_EQ(0, own_get(&got, area.start + page, MPOL_F_ADDR));
	EXPECT_EQ(MPOL_BIND, got.param.mode);
	EXPECT_EQ(0, own_get(&got, area.start + 2 * page, MPOL_F_ADDR));
	EXPECT_EQ(MPOL_DEFAULT, got.param.mode);

	/* Holes at the end, in the middle, and nothing but a hole */
	ASSERT_EQ(0, munmap(area.start + 3 * page, page));
	EXPECT_EQ(-EFAULT, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, munmap(area.start + page, page));
	EXPECT_EQ(-EFAULT, own_bind(area.start, 3 * page, &own, 0));
	EXPECT_EQ(-EFAULT, own_bind(area.start + page, page, &own, 0));
	EXPECT_EQ(0, own_bind(area.start + page, 0, &own, 0));
}

static long long pages_migrated(void)
{
	return file_value("/proc/vmstat", "pgmigrate_success");
}

TEST_F(mempolicy2, strict)
{
	struct context *ctx = &self->ctx;
	struct nodeset first = nodeset_of(ctx->first), second;
	static const unsigned int weight[] = { 1, 5 };
	struct own_policy own;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	second = nodeset_of(ctx->second);
	ASSERT_EQ(0, policy_bind(ctx->area.start, ctx->area.len, MPOL_BIND,
				 &first, 0));
	touch(ctx->area.start, 4, page_bytes());
	ASSERT_EQ(0, put_policies(ctx));

	own_init(&own, MPOL_BIND, 0, &second, NULL);
	EXPECT_EQ(-EIO, own_bind(ctx->area.start, ctx->area.len, &own,
				 MPOL_MF_STRICT));
	EXPECT_TRUE(policies_kept(ctx));
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &second, weight);
	EXPECT_EQ(-EIO, own_bind(ctx->area.start, ctx->area.len, &own,
				 MPOL_MF_STRICT));
	EXPECT_TRUE(policies_kept(ctx));

	/* Inside the mask is enough, the node of each page is not asked for */
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	EXPECT_EQ(0, own_bind(ctx->area.start, ctx->area.len, &own,
			      MPOL_MF_STRICT));
	ASSERT_EQ(0, put_policies(ctx));
	/* Without it a page may be anywhere */
	own_init(&own, MPOL_BIND, 0, &second, NULL);
	EXPECT_EQ(0, own_bind(ctx->area.start, ctx->area.len, &own, 0));
	/* The default policy has no wrong place */
	own_init(&own, MPOL_DEFAULT, 0, NULL, NULL);
	EXPECT_EQ(0, own_bind(ctx->area.start, ctx->area.len, &own,
			      MPOL_MF_STRICT));
}

#define MOVED 70

TEST_F(mempolicy2, move)
{
	struct context *ctx = &self->ctx;
	struct nodeset first = nodeset_of(ctx->first);
	static const unsigned int weight[] = { 5, 2 };
	static int fresh[MOVED], now[MOVED];
	const size_t page = page_bytes();
	struct own_policy own, bind, got;
	struct round round;
	long long before;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	if (!nodes_have_room(&ctx->nodes, 2 * MOVED))
		SKIP(return, "too little free memory on a node");

	round_init(&round, &ctx->nodes, weight);
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	own_init(&bind, MPOL_BIND, 0, &first, NULL);
	ASSERT_EQ(0, area_map(&area, MOVED, round.total));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, MOVED, page, fresh));
	EXPECT_TRUE(round_exact(&round, fresh, MOVED));

	/* Gathered on one node of the mask, and spread again */
	EXPECT_EQ(0, own_bind(area.start, area.len, &bind,
			      MPOL_MF_MOVE | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area.start, MOVED, page, now));
	round_init(&round, &first, weight);
	EXPECT_TRUE(round_exact(&round, now, MOVED));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE));
	ASSERT_EQ(0, nodes_of_pages(area.start, MOVED, page, now));
	EXPECT_TRUE(same_nodes(now, fresh, MOVED));
	EXPECT_EQ(0, own_get(&got, area.start,
			     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&own, &got));

	before = pages_migrated();
	ASSERT_LE(0, before);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(before, pages_migrated());
}

/* Pages that another process has, too, stay where they are */
TEST_F(mempolicy2, move_strict)
{
	struct context *ctx = &self->ctx;
	struct nodeset first = nodeset_of(ctx->first);
	static const unsigned int weight[] = { 1, 1 };
	static int fresh[MOVED], now[MOVED];
	const size_t page = page_bytes();
	struct own_policy own, got;
	struct round round;
	struct area area;
	int pipes[2];
	char byte;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	if (!nodes_have_room(&ctx->nodes, 2 * MOVED))
		SKIP(return, "too little free memory on a node");

	round_init(&round, &ctx->nodes, weight);
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	ASSERT_EQ(0, area_map(&area, MOVED, round.total));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, MOVED, page, fresh));
	madvise(area.start, area.len, MADV_DONTNEED);
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &first, 0));
	touch(area.start, MOVED, page);
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) < 0);
	}
	close(pipes[0]);

	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(0, own_get(&got, area.start,
			     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&own, &got));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE));
	ASSERT_EQ(0, nodes_of_pages(area.start, MOVED, page, now));
	round_init(&round, &first, weight);
	EXPECT_TRUE(round_exact(&round, now, MOVED));

	/* With the privilege they are moved, for both */
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_MOVE_ALL | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area.start, MOVED, page, now));
	EXPECT_TRUE(same_nodes(now, fresh, MOVED));
	close(pipes[1]);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
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
