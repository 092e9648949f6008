// SPDX-License-Identifier: GPL-2.0
/*
 * Where MPOL_WEIGHTED_INTERLEAVE puts huge pages: transparent ones, those of
 * tmpfs and of hugetlb, and base pages behind them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "huge_pages.h"
#include "interleave.h"

/* Kept off the stack and out of the way of the policies under test */
static int placed[MAX_PAGES];

/* Two rounds of huge pages, with weights whose round is not larger than a node */

FIXTURE(huge_pages)
{
	struct interleave_context ctx;
	struct round round;
	int order[2 * MAX_WEIGHT];
	long long run_order;
};

FIXTURE_VARIANT(huge_pages)
{
	unsigned int weight[2];
};

FIXTURE_VARIANT_ADD(huge_pages, w1_1) { .weight = { 1, 1 } };
FIXTURE_VARIANT_ADD(huge_pages, w5_1) { .weight = { 5, 1 } };
FIXTURE_VARIANT_ADD(huge_pages, w1_5) { .weight = { 1, 5 } };
FIXTURE_VARIANT_ADD(huge_pages, w9_1) { .weight = { 9, 1 } };
FIXTURE_VARIANT_ADD(huge_pages, w6_4) { .weight = { 6, 4 } };
FIXTURE_VARIANT_ADD(huge_pages, w255_255) { .weight = { 255, 255 } };

FIXTURE_SETUP(huge_pages)
{
	ASSERT_EQ(0, two_nodes_enter(&self->ctx, &self->round, self->order,
				     &self->run_order, variant->weight));
}

FIXTURE_TEARDOWN(huge_pages)
{
	EXPECT_EQ(0, two_nodes_leave(&self->ctx, self->run_order));
}

/* Two rounds of huge pages of a kind that @place_huge places */
static void place_rounds(struct __test_metadata *_metadata,
			 struct interleave_context *ctx, struct round *round,
			 int (*place_huge)(int mode, const struct nodeset *nodes,
					   size_t count, int *node))
{
	const size_t count = 2 * round->total;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!room_for_huge(&ctx->nodes, count))
		SKIP(return, "too little free memory on a node");

	ret = place_huge(MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes, count, placed);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no transparent huge pages to be had");
	ASSERT_EQ(0, ret);
	EXPECT_TRUE(round_exact(round, placed, count));
	EXPECT_TRUE(round_window(round, placed, round->total + 1));
}

TEST_F(huge_pages, transparent_huge_pages)
{
	place_rounds(_metadata, &self->ctx, &self->round, place_thp);
}

TEST_F(huge_pages, tmpfs_huge_pages)
{
	place_rounds(_metadata, &self->ctx, &self->round, place_tmpfs_thp);
}

/* Huge pages and the base pages behind them are each exact */
TEST_F(huge_pages, mixed_page_sizes)
{
	const size_t huge = huge_bytes(), page = page_bytes();
	struct round *round = &self->round;
	const size_t hugepages = 2 * round->total, tail = 2 * round->total;
	struct area area;
	char *rest;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	if (!room_for_huge(&self->ctx.nodes, hugepages))
		SKIP(return, "too little free memory on a node");

	ASSERT_EQ(0, area_map(&area, hugepages * huge / page + tail,
			      huge / page));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_HUGEPAGE));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
				 0));
	ASSERT_EQ(0, place(area.start, hugepages, huge, placed));
	if (thp_backed(area.start) != hugepages * huge)
		SKIP(return, "no transparent huge pages to be had");
	EXPECT_TRUE(round_exact(round, placed, hugepages));
	EXPECT_TRUE(round_follows(round, self->order,
				  page_index(area.start, huge), placed,
				  hugepages));
	rest = area.start + hugepages * huge;
	ASSERT_EQ(0, place(rest, tail, page, placed));
	EXPECT_TRUE(round_exact(round, placed, tail));
	EXPECT_TRUE(round_follows(round, self->order, page_index(rest, page),
				  placed, tail));
}

TEST_F(huge_pages, hugetlb)
{
	struct round *round = &self->round;
	const size_t count = 2 * round->total;
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!room_for_huge(&self->ctx.nodes, count))
		SKIP(return, "too little free memory on a node");

	ret = place_hugetlb_private(MPOL_WEIGHTED_INTERLEAVE,
				    &self->ctx.nodes, count, placed);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no huge pages to be had");
	ASSERT_EQ(0, ret);
	EXPECT_TRUE(round_exact(round, placed, count));
	EXPECT_TRUE(round_follows(round, self->order, 0, placed, count));

	ret = place_hugetlb_file(MPOL_WEIGHTED_INTERLEAVE,
				 &self->ctx.nodes, count, placed);
	ASSERT_EQ(0, ret);
	EXPECT_TRUE(round_exact(round, placed, count));
	EXPECT_TRUE(round_follows(round, self->order, 0, placed, count));
}

/* linux/mman.h from 6.1 on */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define KHUGEPAGED "/sys/kernel/mm/transparent_hugepage/khugepaged/"

/*
 * So many looks are taken before a page that is as it was is one that khugepaged
 * leaves so. It has been through all memory before each of them; one pass may meet
 * locks, such as that of a look.
 */
#define LOOKS 100

static int collapse_by_call(const struct area *area)
{
	return madvise(area->start, area->len, MADV_COLLAPSE) ? -errno : 0;
}

static bool wait_for_pass(long long passes, time_t begin)
{
	while (file_number(KHUGEPAGED "full_scans") <= passes && !guard_over(begin))
		usleep(1000);
	return !guard_over(begin);
}

static int collapse_by_khugepaged(const struct area *area)
{
	const long long pause = file_number(KHUGEPAGED "scan_sleep_millisecs");
	const time_t begin = guard_begin();
	int looks, ret;

	ret = file_print(KHUGEPAGED "scan_sleep_millisecs", "0");
	for (looks = 0; !ret && thp_backed(area->start) != area->len; looks++)
		if (looks == LOOKS ||
		    !wait_for_pass(file_number(KHUGEPAGED "full_scans") + 1, begin))
			ret = -ETIMEDOUT;
	file_print(KHUGEPAGED "scan_sleep_millisecs", "%lld", pause);
	return ret;
}

/* Single pages become huge ones where huge ones would have been. */
static void collapse(struct __test_metadata *_metadata, struct interleave_context *ctx,
		     struct round *round, const int *order, bool of_task,
		     int (*collapse_area)(const struct area *area))
{
	const size_t huge = huge_bytes(), page = page_bytes();
	const size_t count = 2 * round->total;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	/* The single pages are there until the huge one is full. */
	if (!room_for_huge(&ctx->nodes, count + 2))
		SKIP(return, "too little free memory on a node");

	ASSERT_EQ(0, area_map(&area, count * huge / page, huge / page));
	ASSERT_EQ(0, of_task ? policy_set(MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes) :
			       policy_bind(area.start, area.len,
					   MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes, 0));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_NOHUGEPAGE));
	touch(area.start, area.len / page, page);
	ASSERT_EQ(0, thp_backed(area.start));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_HUGEPAGE));
	ASSERT_EQ(0, collapse_area(&area));
	ASSERT_EQ(area.len, thp_backed(area.start));
	ASSERT_EQ(0, nodes_of_pages(area.start, count, huge, placed));
	EXPECT_TRUE(round_exact(round, placed, count));
	EXPECT_TRUE(round_follows(round, order, page_index(area.start, huge), placed,
				  count));
	EXPECT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	area_unmap(&area);
}

TEST_F(huge_pages, collapsed_in_a_mapping)
{
	collapse(_metadata, &self->ctx, &self->round, self->order, false,
		 collapse_by_call);
}

TEST_F(huge_pages, collapsed_by_the_policy_of_the_task)
{
	collapse(_metadata, &self->ctx, &self->round, self->order, true,
		 collapse_by_call);
}

TEST_F(huge_pages, khugepaged_in_a_mapping)
{
	collapse(_metadata, &self->ctx, &self->round, self->order, false,
		 collapse_by_khugepaged);
}

TEST_F(huge_pages, khugepaged_by_the_policy_of_the_task)
{
	collapse(_metadata, &self->ctx, &self->round, self->order, true,
		 collapse_by_khugepaged);
}

/* A part of each huge page of @area, on @node; then the policy, which says otherwise */
static int collapse_from(struct area *area, size_t count, size_t pages, int node,
			 const struct nodeset *nodes)
{
	const size_t huge = huge_bytes(), page = page_bytes();
	const struct nodeset there = nodeset_of(node);
	size_t i;
	int ret;

	ret = area_map(area, count * huge / page, huge / page);
	if (!ret)
		ret = policy_bind(area->start, area->len, MPOL_BIND, &there, 0);
	if (ret || madvise(area->start, area->len, MADV_NOHUGEPAGE))
		return ret ? ret : -errno;
	for (i = 0; i < count; i++)
		touch(area->start + i * huge, pages, page);
	ret = policy_bind(area->start, area->len, MPOL_WEIGHTED_INTERLEAVE, nodes, 0);
	if (ret || madvise(area->start, area->len, MADV_HUGEPAGE))
		return ret ? ret : -errno;
	ret = collapse_by_call(area);
	return ret ? ret : nodes_of_pages(area->start, count, huge, placed);
}

/* The weights have put no page there; huge pages have no better claim to a node. */
TEST_F(huge_pages, collapsed_where_all_pages_are)
{
	struct interleave_context *ctx = &self->ctx;
	const size_t count = 2 * self->round.total;
	struct area area;
	size_t i;
	int n;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	/* All of them on one node */
	if (!room_for_huge(&ctx->nodes, count + 2))
		SKIP(return, "too little free memory on a node");

	for (n = 0; n < 2; n++) {
		const int node = nodeset_nth(&ctx->nodes, n);

		ASSERT_EQ(0, collapse_from(&area, count, huge_bytes() / page_bytes(), node,
					   &ctx->nodes));
		EXPECT_EQ(area.len, thp_backed(area.start));
		for (i = 0; i < count; i++)
			EXPECT_EQ(node, placed[i]);
		area_unmap(&area);
	}
}

/* Less than a round of pages says nothing of the other node. */
TEST_F(huge_pages, collapsed_from_few_pages)
{
	const size_t huge = huge_bytes(), few = huge / page_bytes() / 2 - 1;
	struct interleave_context *ctx = &self->ctx;
	const size_t count = 2 * self->round.total;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	if (!room_for_huge(&ctx->nodes, count + 2))
		SKIP(return, "too little free memory on a node");

	ASSERT_EQ(0, collapse_from(&area, count, few, nodeset_nth(&ctx->nodes, 0),
				   &ctx->nodes));
	EXPECT_EQ(area.len, thp_backed(area.start));
	EXPECT_TRUE(round_exact(&self->round, placed, count));
	EXPECT_TRUE(round_follows(&self->round, self->order, page_index(area.start, huge),
				  placed, count));
	area_unmap(&area);
}

/* What a child in a cpuset of one node finds out of shared memory over two */
struct confined {
	struct nodeset nodes;
	size_t count;
	int ret;
};

static int collapses_in_cpuset(void *arg)
{
	const size_t huge = huge_bytes(), page = page_bytes();
	struct confined *confined = arg;
	const struct nodeset first = nodeset_head(&confined->nodes, 1);
	struct cpuset cpuset = {};
	struct area area;
	size_t i;
	int ret;

	ret = area_map(&area, confined->count * huge / page, huge / page);
	if (!ret && mmap(area.start, area.len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		ret = -errno;
	if (!ret)
		ret = policy_bind(area.start, area.len, MPOL_WEIGHTED_INTERLEAVE,
				  &confined->nodes, 0);
	if (!ret)
		ret = cpuset_enter(&cpuset, &first);
	if (!ret) {
		touch(area.start, area.len / page, page);
		ret = collapse_by_call(&area);
		if (!ret)
			ret = place(area.start, confined->count, huge, placed);
		for (i = 0; i < confined->count && !ret; i++)
			if (placed[i] != nodeset_nth(&first, 0))
				ret = -EXDEV;
	}
	confined->ret = ret;
	cpuset_leave(&cpuset);
	return 0;
}

/* A shared object's policy knows of no cpuset: its pages do, and so do huge ones. */
TEST_F(huge_pages, collapsed_in_a_cpuset)
{
	struct confined *confined;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	if (!room_for_huge(&self->ctx.nodes, 2 * self->round.total + 2))
		SKIP(return, "too little free memory on a node");

	confined = mmap(NULL, sizeof(*confined), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, confined);
	confined->nodes = self->ctx.nodes;
	confined->count = 2 * self->round.total;
	ASSERT_EQ(0, in_child(collapses_in_cpuset, confined));
	if (confined->ret == -EOPNOTSUPP)
		SKIP(return, "no cpusets");
	EXPECT_EQ(0, confined->ret);
}

/* No page of @area is elsewhere after one more move, and none was before. */
static void stays(struct __test_metadata *_metadata, struct interleave_context *ctx,
		  const struct area *area)
{
	const size_t page = page_bytes(), count = area->len / page;
	int *before = malloc(2 * count * sizeof(*before)), *after = before + count;

	ASSERT_TRUE(!!before);
	ASSERT_EQ(0, nodes_of_pages(area->start, count, page, before));
	EXPECT_EQ(0, policy_bind(area->start, area->len, MPOL_WEIGHTED_INTERLEAVE,
				 &ctx->nodes, MPOL_MF_MOVE | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area->start, count, page, after));
	EXPECT_EQ(0, memcmp(before, after, count * sizeof(*before)));
	free(before);
}

/* Huge pages that lie evenly go, whole, to where the weights have them. */
TEST_F(huge_pages, moved_in_place)
{
	const size_t huge = huge_bytes(), page = page_bytes();
	struct interleave_context *ctx = &self->ctx;
	const size_t count = 2 * self->round.total;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	/* Some are there twice for a moment. */
	if (!room_for_huge(&ctx->nodes, count + 2))
		SKIP(return, "too little free memory on a node");

	ASSERT_EQ(0, area_map(&area, count * huge / page, huge / page));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_HUGEPAGE));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_INTERLEAVE, &ctx->nodes, 0));
	touch(area.start, area.len / page, page);
	if (thp_backed(area.start) != area.len)
		SKIP(return, "no transparent huge pages to be had");
	EXPECT_EQ(0, policy_bind(area.start, area.len, MPOL_WEIGHTED_INTERLEAVE,
				 &ctx->nodes, MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(area.len, thp_backed(area.start));
	ASSERT_EQ(0, nodes_of_pages(area.start, count, huge, placed));
	EXPECT_TRUE(round_exact(&self->round, placed, count));
	EXPECT_TRUE(round_follows(&self->round, self->order,
				  page_index(area.start, huge), placed, count));
	stays(_metadata, ctx, &area);
	area_unmap(&area);
}

/* Enough for a node to be wrong by chance in none of them */
#define MOVED 16

/*
 * A mapping that begins a page before its first huge page, is moved, is split, and
 * goes to an address where no huge page fits.
 */
TEST_F(huge_pages, moved_twice)
{
	const size_t huge = huge_bytes(), page = page_bytes();
	struct interleave_context *ctx = &self->ctx;
	struct area area, odd, all;
	char *start;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!thp_available())
		SKIP(return, "no transparent huge pages");
	if (!room_for_huge(&ctx->nodes, 2 * MOVED))
		SKIP(return, "too little free memory on a node");

	ASSERT_EQ(0, area_map(&all, (MOVED + 1) * huge / page, huge / page));
	ASSERT_EQ(0, area_map(&odd, (MOVED + 2) * huge / page, huge / page));
	area.start = all.start + huge - page;
	area.len = MOVED * huge + page;
	ASSERT_EQ(0, munmap(all.start, huge - page));
	start = area.start + page;
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_HUGEPAGE));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_WEIGHTED_INTERLEAVE,
				 &ctx->nodes, 0));
	touch(area.start, area.len / page, page);
	if (thp_backed(area.start) != MOVED * huge)
		SKIP(return, "no transparent huge pages to be had");
	stays(_metadata, ctx, &area);

	/* Their parts have offsets that are no whole number of huge pages. */
	ASSERT_EQ(0, mprotect(start + MOVED / 2 * huge, huge, PROT_READ));
	stays(_metadata, ctx, &area);
	ASSERT_EQ(0, mprotect(start + MOVED / 4 * huge + 3 * page, page, PROT_READ));
	stays(_metadata, ctx, &area);

	/* From another huge page's part on, and mapped page by page */
	ASSERT_EQ(odd.start + page,
		  mremap(start, MOVED / 4 * huge, MOVED / 4 * huge,
			 MREMAP_MAYMOVE | MREMAP_FIXED, odd.start + page));
	odd.start += page;
	odd.len = MOVED / 4 * huge;
	stays(_metadata, ctx, &odd);
	area_unmap(&odd);
	area_unmap(&area);
}
