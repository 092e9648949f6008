// SPDX-License-Identifier: GPL-2.0
/*
 * mbind2(2) and its range: what is no mapping, pages that are in the wrong place,
 * and pages that it moves.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>

#include "cases.h"
#include "placement.h"
#include "policies.h"

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
	/* All pages there are: rounded up, the length is none at all */
	if (sizeof(long) == sizeof(__u64))
		EXPECT_EQ(-EINVAL, own_bind(NULL, -1UL, &own, 0));
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
	pid = fork_child();
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

/* The privilege is that to move pages of others, and no other one */
static int calls_with_sys_nice(void *arg)
{
	struct context *ctx = arg;
	struct own_policy own;

	own_init(&own, MPOL_BIND, 0, &ctx->nodes, NULL);
	if (!keep_sys_nice(true))
		return 2;
	if (own_bind(ctx->area.start, ctx->area.len, &own, MPOL_MF_MOVE_ALL))
		return 3;
	if (!keep_sys_nice(false))
		return 4;
	return own_bind(ctx->area.start, ctx->area.len, &own,
			MPOL_MF_MOVE_ALL) != -EPERM;
}

TEST_F(mempolicy2, move_all_is_privileged)
{
	struct context *ctx = &self->ctx;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	EXPECT_EQ(0, in_child(calls_unprivileged, ctx));
	EXPECT_EQ(0, in_child(calls_with_sys_nice, ctx));
}
