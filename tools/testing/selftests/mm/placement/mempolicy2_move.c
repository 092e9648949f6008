// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are in place already when a task, a mapping or a shared object gets
 * weights of its own: MPOL_MF_MOVE moves just those that lie elsewhere than
 * fresh ones would.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "cases.h"
#include "huge_pages.h"
#include "own_weights.h"
#include "placement.h"

static long long pages_migrated(void)
{
	return file_value("/proc/vmstat", "pgmigrate_success");
}

/* Pages that lie elsewhere than @want has them */
static int pages_apart(void *addr, const int *want)
{
	int count = 0;
	size_t i;

	if (nodes_of_pages(addr, PAGES, page_bytes(), placed))
		return -1;
	for (i = 0; i < PAGES; i++)
		count += placed[i] != want[i];
	return count;
}

/*
 * Re-weights the pages of @area in place, by mbind2 or by mbind(2) and the
 * global weights: just those move that lie elsewhere than fresh ones would.
 */
static void move_in_place(struct __test_metadata *_metadata,
			  struct context *ctx, struct area *area, int give_back,
			  bool old_call)
{
	static const unsigned int weights[][2] = {
		{ 5, 1 }, { 1, 5 }, { 5, 1 }, { 3, 2 }, { 1, 1 }, { 255, 1 },
	};
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct own_policy own;
	struct round round;
	long long before;
	int apart, ret;
	size_t i;

	for (i = 0; i < ARRAY_LEN(weights); i++) {
		/* Where fresh ones would be */
		own_fill(&own, &ctx->nodes, weights[i]);
		ASSERT_EQ(0, madvise(area->start, area->len, give_back));
		ASSERT_EQ(0, own_bind(area->start, area->len, &own, 0));
		ASSERT_EQ(0, place(area->start, PAGES, page_bytes(), fresh));

		/* The pages as the weights before placed them */
		own_fill(&own, &ctx->nodes, weights[i ? i - 1 : 1]);
		ASSERT_EQ(0, madvise(area->start, area->len, give_back));
		ASSERT_EQ(0, own_bind(area->start, area->len, &own, 0));
		touch(area->start, PAGES, page_bytes());
		apart = pages_apart(area->start, fresh);
		ASSERT_LT(0, apart);

		own_fill(&own, &ctx->nodes, weights[i]);
		if (old_call)
			ASSERT_EQ(0, round_write(&round, &ctx->nodes,
						 weights[i]));
		before = pages_migrated();
		ASSERT_LE(0, before);
		ret = old_call ? policy_bind(area->start, area->len, mode,
					     &ctx->nodes, MPOL_MF_MOVE) :
				 own_bind(area->start, area->len, &own,
					  MPOL_MF_MOVE);
		EXPECT_EQ(0, ret);
		EXPECT_EQ(before + apart, pages_migrated());
		EXPECT_EQ(0, pages_apart(area->start, fresh))
			TH_LOG("%u:%u", weights[i][0], weights[i][1]);

		/* Once more: everything is in its place */
		before = pages_migrated();
		ret = old_call ? policy_bind(area->start, area->len, mode,
					     &ctx->nodes,
					     MPOL_MF_MOVE | MPOL_MF_STRICT) :
				 own_bind(area->start, area->len, &own,
					  MPOL_MF_MOVE | MPOL_MF_STRICT);
		EXPECT_EQ(0, ret);
		EXPECT_EQ(before, pages_migrated());
		EXPECT_EQ(0, pages_apart(area->start, fresh));
	}
}

TEST_F(weights, move_in_place)
{
	struct area area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	move_in_place(_metadata, &self->ctx, &area, MADV_DONTNEED, false);
}

TEST_F(weights, move_in_place_by_mbind)
{
	struct area area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	move_in_place(_metadata, &self->ctx, &area, MADV_DONTNEED, true);
}

/* Inode numbers bias the layout: several objects, not only one at 0 */
TEST_F(weights, move_in_place_tmpfs)
{
	struct area area;
	int i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, area_map_shared(&area, PAGES));
		move_in_place(_metadata, &self->ctx, &area, MADV_REMOVE,
			      false);
		move_in_place(_metadata, &self->ctx, &area, MADV_REMOVE,
			      true);
		area_unmap(&area);
	}
}

/* A mapping that begins inside of a tmpfs file counts from the file's start */
TEST_F(weights, move_in_place_at_an_offset)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct area area;
	int fd, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	for (i = 0; i < 3; i++) {
		fd = memfd_create("weights", 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ftruncate(fd, (PAGES + 7) * page));
		ASSERT_EQ(0, area_map(&area, PAGES, 1));
		ASSERT_TRUE(mmap(area.start, area.len, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED, fd, 7 * page) ==
			    area.start);
		madvise(area.start, area.len, MADV_NOHUGEPAGE);
		move_in_place(_metadata, ctx, &area, MADV_REMOVE, false);
		area_unmap(&area);
		close(fd);
	}
}

/* What a fault has placed is in its place from the start */
TEST_F(weights, fresh_pages_do_not_move)
{
	struct context *ctx = &self->ctx;
	struct own_policy own;
	struct area area[2];
	long long before;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area[0], PAGES, 1));
	ASSERT_EQ(0, area_map_shared(&area[1], PAGES));
	for (i = 0; i < ARRAY_LEN(area); i++) {
		ASSERT_EQ(0, own_bind(area[i].start, area[i].len, &own, 0));
		ASSERT_EQ(0, place(area[i].start, PAGES, page_bytes(), fresh));
		before = pages_migrated();
		ASSERT_LE(0, before);
		EXPECT_EQ(0, own_bind(area[i].start, area[i].len, &own,
				      MPOL_MF_MOVE | MPOL_MF_STRICT));
		EXPECT_EQ(before, pages_migrated());
		EXPECT_EQ(0, pages_apart(area[i].start, fresh));
	}
}

/* Two rounds of five to one */
#define HUGE_PAGES 12

/* 0, -EOPNOTSUPP where there are none; where each is goes to @fresh */
static int place_huge_pages(struct area *area, const struct own_policy *own)
{
	const size_t huge = huge_bytes(), pages = huge / page_bytes();
	int ret = area_map(area, HUGE_PAGES * pages, pages);

	if (!ret && madvise(area->start, area->len, MADV_HUGEPAGE))
		ret = -errno;
	if (!ret)
		ret = own_bind(area->start, area->len, own, 0);
	if (!ret)
		ret = place(area->start, HUGE_PAGES, huge, fresh);
	if (!ret && thp_backed(area->start) != area->len)
		ret = -EOPNOTSUPP;
	return ret;
}

/* Huge pages count as one each: whole ones, and those of which half is unmapped */
TEST_F(weights, fresh_huge_pages_do_not_move)
{
	const size_t huge = huge_bytes();
	struct context *ctx = &self->ctx;
	struct own_policy own;
	struct area area;
	long long before;
	int ret, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	if (!room_for_huge(&ctx->nodes, HUGE_PAGES))
		SKIP(return, "too little free memory on a node");

	own_fill(&own, &ctx->nodes, five_one);
	ret = place_huge_pages(&area, &own);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no transparent huge pages to be had");
	ASSERT_EQ(0, ret);
	before = pages_migrated();
	ASSERT_LE(0, before);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(before, pages_migrated());

	for (i = 0; i < HUGE_PAGES; i++) {
		char *half = area.start + i * huge + huge / 2;

		ASSERT_EQ(0, munmap(half - huge / 2, huge / 2));
		EXPECT_EQ(0, own_bind(half, huge / 2, &own, MPOL_MF_MOVE | MPOL_MF_STRICT))
			TH_LOG("huge page %d", i);
		ASSERT_EQ(0, nodes_of_pages(half, 1, huge, placed));
		EXPECT_EQ(fresh[i], placed[0]);
	}
	EXPECT_EQ(before, pages_migrated());
	area_unmap(&area);
}

/* A huge page that is mapped by its parts moves once, and not again for each of them. */
TEST_F(weights, parts_of_a_huge_page_move_together)
{
	const size_t huge = huge_bytes(), page = page_bytes(), pages = huge / page;
	struct nodeset first = nodeset_of(self->ctx.first);
	struct nodeset second = nodeset_of(self->ctx.second);
	struct area area;
	long long moved;
	size_t i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	if (!room_for_huge(&self->ctx.nodes, 2))
		SKIP(return, "too little free memory on a node");

	ASSERT_EQ(0, area_map(&area, pages, pages));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_HUGEPAGE));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &first, 0));
	touch(area.start, pages, page);
	if (thp_backed(area.start) != area.len)
		SKIP(return, "no transparent huge pages to be had");
	ASSERT_EQ(0, mprotect(area.start, page, PROT_READ));
	ASSERT_EQ(0, mprotect(area.start, page, PROT_READ | PROT_WRITE));
	/* What has been split nobody puts together. */
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_NOHUGEPAGE));
	ASSERT_EQ(0, thp_backed(area.start));

	/* By the default policy, which is the task's, all pages move wherever they are. */
	ASSERT_EQ(0, policy_set(MPOL_BIND, &second));
	moved = pages_migrated();
	EXPECT_EQ(0, policy_bind(area.start, area.len, MPOL_DEFAULT, NULL, MPOL_MF_MOVE));
	moved = pages_migrated() - moved;
	/* Others may move some as well, to make room. */
	EXPECT_LE((long long)pages, moved);
	EXPECT_GT(4 * (long long)pages, moved);
	for (i = 0; i < pages; i++) {
		ASSERT_EQ(0, nodes_of_pages(area.start + i * page, 1, page, placed));
		ASSERT_EQ(self->ctx.second, placed[0]);
	}
	area_unmap(&area);
}

/* Pages that another process has, too: EIO, and the new policy is in force */
TEST_F(weights, move_of_what_cannot_move)
{
	struct context *ctx = &self->ctx;
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct own_policy own;
	struct area area;
	int pipes[2];
	char byte;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), fresh));
	ASSERT_EQ(0, pipe(pipes));
	pid = fork_child();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) < 0);
	}
	close(pipes[0]);

	/* They are all where these weights want them */
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_MOVE | MPOL_MF_STRICT));
	own_fill(&own, &ctx->nodes, one_five);
	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_EQ(0, pages_apart(area.start, fresh));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE));
	EXPECT_EQ(0, pages_apart(area.start, fresh));

	/* The old call means the same */
	EXPECT_EQ(-EIO, policy_bind(area.start, area.len, mode, &ctx->nodes,
				    MPOL_MF_MOVE | MPOL_MF_STRICT));
	own_fill(&own, &ctx->nodes, NULL);
	EXPECT_TRUE(still_has(area.start, &own));
	close(pipes[1]);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

/* Pages that are in use stay, are no less pages for it, and can move later. */
TEST_F(weights, move_of_what_is_in_use)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	enum { USED = 6 };
	struct own_policy own;
	struct iovec held;
	struct area area;
	int pipes[2];

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, USED, USED));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, USED, page, fresh));
	/* The pipe holds them. */
	ASSERT_EQ(0, pipe(pipes));
	held.iov_base = area.start;
	held.iov_len = area.len;
	ASSERT_EQ(area.len, vmsplice(pipes[1], &held, 1, 0));
	own_fill(&own, &ctx->nodes, one_five);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE));
	ASSERT_EQ(0, nodes_of_pages(area.start, USED, page, placed));
	EXPECT_TRUE(same_nodes(fresh, placed, USED));
	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	close(pipes[0]);
	close(pipes[1]);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_MOVE | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area.start, USED, page, placed));
	EXPECT_FALSE(same_nodes(fresh, placed, USED));
	area_unmap(&area);
}

/* More than a node that is full for a fault has left for a move */
#define MANY_PAGES 8192

static int moved_node[MANY_PAGES];

static int count_on(const struct area *area, int node)
{
	int count = 0;
	size_t i;

	if (nodes_of_pages(area->start, MANY_PAGES, page_bytes(), moved_node))
		return -1;
	for (i = 0; i < MANY_PAGES; i++)
		count += moved_node[i] == node;
	return count;
}

/* A full node takes no page: what is meant for it stays, and can move later */
TEST_F(weights, move_to_a_full_node)
{
	struct context *ctx = &self->ctx;
	int on_first, on_second, want;
	struct area area, filler;
	struct own_policy own;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!nodes_have_room(&ctx->nodes, 2 * MANY_PAGES))
		SKIP(return, "too little free memory on a node");

	own_fill(&own, &ctx->nodes, one_five);
	ASSERT_EQ(0, area_map(&area, MANY_PAGES, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	touch(area.start, MANY_PAGES, page_bytes());
	want = count_on(&area, ctx->second);
	ASSERT_LT(MANY_PAGES / 2, want);
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	touch(area.start, MANY_PAGES, page_bytes());
	ASSERT_EQ(0, area_fill_node(&filler, ctx->second));

	own_fill(&own, &ctx->nodes, one_five);
	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE));
	on_first = count_on(&area, ctx->first);
	on_second = count_on(&area, ctx->second);
	EXPECT_LT(on_second, want);
	/* None went to a third place instead */
	EXPECT_EQ(MANY_PAGES, on_first + on_second);

	area_unmap(&filler);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(want, count_on(&area, ctx->second));
}

static atomic_int signals;

static void count_signal(int number)
{
	signals++;
}

/* Only a signal that kills ends a move: a timer that goes off meanwhile has to wait. */
TEST_F(weights, move_while_a_timer_goes_off)
{
	enum { CALLS = 1000, INTERRUPTED = 20 };
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = {};
	const struct sigaction count = { .sa_handler = count_signal };
	struct context *ctx = &self->ctx;
	int i, before, interrupted = 0;
	struct own_policy own[2];
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!nodes_have_room(&ctx->nodes, 2 * MANY_PAGES))
		SKIP(return, "too little free memory on a node");

	own_fill(&own[0], &ctx->nodes, five_one);
	own_fill(&own[1], &ctx->nodes, one_five);
	ASSERT_EQ(0, area_map(&area, MANY_PAGES, 1));
	touch(area.start, MANY_PAGES, page_bytes());
	ASSERT_EQ(0, sigaction(SIGALRM, &count, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	for (i = 0; i < CALLS && interrupted < INTERRUPTED; i++) {
		before = signals;
		EXPECT_EQ(0, own_bind(area.start, area.len, &own[i % 2], MPOL_MF_MOVE));
		interrupted += signals != before;
	}
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	EXPECT_EQ(INTERRUPTED, interrupted);
	area_unmap(&area);
}

/* Only pages on a node outside of the mask matter to MPOL_MF_STRICT alone */
TEST_F(weights, strict_alone)
{
	struct context *ctx = &self->ctx;
	struct own_policy own, kept;
	struct nodeset one;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), fresh));
	own_fill(&kept, &ctx->nodes, one_five);
	EXPECT_EQ(0, own_bind(area.start, area.len, &kept, MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &kept));
	EXPECT_EQ(0, pages_apart(area.start, fresh));
	one = nodeset_of(ctx->second);
	own_fill(&own, &one, five_one);
	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own, MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &kept));
}
