// SPDX-License-Identifier: GPL-2.0
/*
 * mbind and its range, whichever calls a program uses: what it refuses, pages
 * that are in the wrong place, pages that it moves and who may move them.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>

#include "calls.h"
#include "calls_fixture.h"
#include "cases.h"
#include "placement.h"

TEST_F(calls, mbind_refuses)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	const int mode = ctx->interleave;
	struct area area, past;
	struct nodeset one;
	int bit;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	one = nodeset_of(ctx->first);
	ASSERT_EQ(0, area_map(&area, 4, 1));
	/* MPOL_MF_LAZY and what comes after it */
	for (bit = 3; bit < 32; bit++)
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, mode, &ctx->memory,
					      1UL << bit))
			TH_LOG("flag %d", bit);

	past = area;
	past.start++;
	EXPECT_EQ(-EINVAL, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	past.start = area.start;
	/* Only 64-bit programs get that far */
	past.len = -page;
	if (sizeof(long) == 8)
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &past, mode, &ctx->memory,
					      0));
	past.len = 0;
	EXPECT_EQ(0, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));

	EXPECT_EQ(-EFAULT, ctx->front->bind(area.start, area.len, mode,
					    NOWHERE, MAX_NODES, 0));
	ASSERT_EQ(0, mprotect(area.start, page, PROT_NONE));
	EXPECT_EQ(-EFAULT, ctx->front->bind(area.start, area.len, mode,
					    area.start, MAX_NODES, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
	ASSERT_EQ(0, mprotect(area.start, page, PROT_READ | PROT_WRITE));

	/* A length that ends within a page takes all of it */
	EXPECT_EQ(0, ctx->front->bind(area.start, page + 1, MPOL_BIND, one.word,
				      MAX_NODES, 0));
	past = (struct area) { .start = area.start + page, .len = page };
	EXPECT_TRUE(policy_is(ctx, &past, MPOL_BIND, &one));
	past.start += page;
	EXPECT_TRUE(policy_is(ctx, &past, MPOL_DEFAULT, &ctx->empty));

	/* Holes: inside, at the end, at the head, everywhere */
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &one, 0));
	ASSERT_EQ(0, munmap(area.start + page, page));
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &area, mode, &ctx->memory, 0));
	past = (struct area) { .start = area.start, .len = 2 * page };
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	past.start += page;
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	past.len = page;
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &one));
	/* To go back to the default, one mapping in the range is enough */
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, MPOL_DEFAULT, NULL, 0));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
}

/* Pages on a node, in a mapping that has no policy any more */
static int map_on(const struct context *ctx, struct area *area, int node)
{
	struct nodeset one = nodeset_of(node);
	int ret = area_map(area, PAGES, 1);

	if (!ret)
		ret = bind_nodes(ctx, area, MPOL_BIND, &one, 0);
	if (ret)
		return ret;
	touch(area->start, PAGES, page_bytes());
	if (!pages_are_on(area, node))
		return -EXDEV;
	return bind_nodes(ctx, area, MPOL_DEFAULT, NULL, 0);
}

TEST_F(calls, strict_finds_misplaced_pages)
{
	struct context *ctx = &self->ctx;
	const int modes[] = {
		MPOL_BIND, MPOL_PREFERRED, MPOL_PREFERRED_MANY, ctx->interleave,
	};
	struct nodeset here, there;
	struct area area, most;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	there = nodeset_of(ctx->second);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
		EXPECT_EQ(-EIO, bind_nodes(ctx, &area, modes[i], &here,
					   MPOL_MF_STRICT))
			TH_LOG("mode %d", modes[i]);
		EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));

		/* One page is enough, the last one too */
		EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here,
					MPOL_MF_MOVE));
		EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL, 0));
		most = area;
		most.start += area.len - page_bytes();
		most.len = page_bytes();
		EXPECT_EQ(0, bind_nodes(ctx, &most, MPOL_BIND, &there,
					MPOL_MF_MOVE));
		EXPECT_EQ(0, bind_nodes(ctx, &most, MPOL_DEFAULT, NULL, 0));
		EXPECT_EQ(-EIO, bind_nodes(ctx, &area, modes[i], &here,
					   MPOL_MF_STRICT))
			TH_LOG("mode %d", modes[i]);
		EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));

		/* The others are where they should be */
		most.start = area.start;
		most.len = area.len - page_bytes();
		EXPECT_EQ(0, bind_nodes(ctx, &most, modes[i], &here,
					MPOL_MF_STRICT))
			TH_LOG("mode %d", modes[i]);
		EXPECT_TRUE(policy_is(ctx, &most, modes[i], &here));
		EXPECT_EQ(-EIO, bind_nodes(ctx, &most, modes[i], &there,
					   MPOL_MF_STRICT));
		EXPECT_TRUE(policy_is(ctx, &most, modes[i], &here));
		area_unmap(&area);
	}
}

/* Not strict, and without a mask, and where no page is */
TEST_F(calls, mbind_leaves_pages)
{
	struct context *ctx = &self->ctx;
	struct nodeset here;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &here));
	EXPECT_TRUE(pages_are_on(&area, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL,
				MPOL_MF_STRICT));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here, MPOL_MF_STRICT));
}

TEST_F(calls, mbind_moves_pages)
{
	static const unsigned long flags[] = {
		MPOL_MF_MOVE, MPOL_MF_MOVE_ALL, MPOL_MF_MOVE | MPOL_MF_STRICT,
		MPOL_MF_MOVE_ALL | MPOL_MF_STRICT,
		MPOL_MF_MOVE | MPOL_MF_MOVE_ALL,
	};
	struct context *ctx = &self->ctx;
	const int modes[] = {
		MPOL_BIND, MPOL_PREFERRED, MPOL_PREFERRED_MANY, ctx->interleave,
	};
	struct nodeset here;
	struct area area;
	size_t i, f;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
			EXPECT_EQ(0, bind_nodes(ctx, &area, modes[i], &here,
						flags[f]));
			EXPECT_TRUE(policy_is(ctx, &area, modes[i], &here));
			EXPECT_TRUE(pages_are_on(&area, ctx->first))
				TH_LOG("mode %d, flags %#lx", modes[i],
				       flags[f]);
			area_unmap(&area);
		}
	}
}

/* Even interleaving leaves a page on any of its nodes; weights do not */
TEST_F(calls, mbind_moves_interleaved_pages)
{
	struct context *ctx = &self->ctx;
	struct nodeset there;
	struct area area;
	size_t count;
	int node[MOST_PAGES];

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	there = nodeset_of(ctx->second);
	count = round_pages(ctx);
	ASSERT_EQ(0, map_rounds(ctx, &area));
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &there, 0));
	ASSERT_EQ(0, place(area.start, count, page_bytes(), node));
	ASSERT_TRUE(all_on(node, count, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, ctx->interleave, &ctx->memory,
				MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_TRUE(policy_is(ctx, &area, ctx->interleave, &ctx->memory));
	ASSERT_EQ(0, nodes_of_pages(area.start, count, page_bytes(), node));
	EXPECT_TRUE(ctx->interleave == MPOL_INTERLEAVE ?
		    all_on(node, count, ctx->second) :
		    round_exact(&ctx->round, node, count));
}

/* A process that has the same pages, until it is killed */
static pid_t share_pages(void)
{
	pid_t pid = fork_child();

	while (!pid)
		pause();
	return pid;
}

TEST_F(calls, only_move_all_moves_shared_pages)
{
	struct context *ctx = &self->ctx;
	struct nodeset here;
	struct area area;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
	pid = share_pages();
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here, MPOL_MF_MOVE));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &here));
	EXPECT_TRUE(pages_are_on(&area, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here,
				MPOL_MF_MOVE_ALL));
	EXPECT_TRUE(pages_are_on(&area, ctx->first));
	kill(pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

static int unprivileged(void *arg)
{
	const struct child_area *child = arg;
	const struct context *ctx = child->ctx;
	struct nodeset here = nodeset_of(ctx->first);

	if (setresuid(65534, 65534, 65534))
		return 1;
	if (bind_nodes(ctx, child->area, MPOL_BIND, &here,
		       MPOL_MF_MOVE_ALL) != -EPERM)
		return 2;
	if (bind_nodes(ctx, child->area, MPOL_BIND, &here,
		       MPOL_MF_MOVE | MPOL_MF_MOVE_ALL) != -EPERM)
		return 3;
	if (!policy_is(ctx, child->area, MPOL_DEFAULT, &ctx->empty))
		return 4;
	if (bind_nodes(ctx, child->area, ctx->interleave, &here, MPOL_MF_MOVE) ||
	    set_nodes(ctx, ctx->interleave, &ctx->memory))
		return 5;
	return 0;
}

TEST_F(calls, move_all_needs_a_capability)
{
	struct context *ctx = &self->ctx;
	struct child_area child = { .ctx = ctx };
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, map_on(ctx, &area, ctx->first));
	child.area = &area;
	EXPECT_EQ(0, in_child(unprivileged, &child));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL,
				MPOL_MF_MOVE_ALL));
}
