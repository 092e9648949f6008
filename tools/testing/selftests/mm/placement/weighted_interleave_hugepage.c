// SPDX-License-Identifier: GPL-2.0
/*
 * Where MPOL_WEIGHTED_INTERLEAVE puts huge pages: transparent ones, those of
 * tmpfs and of hugetlb, and base pages behind them.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

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
