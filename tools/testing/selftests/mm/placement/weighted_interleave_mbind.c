// SPDX-License-Identifier: GPL-2.0
/*
 * MPOL_WEIGHTED_INTERLEAVE on parts of mappings: how they are cut and joined,
 * what moves and unmaps leave of the policy, and the flags of mbind(2) that
 * move pages.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "cases.h"
#include "weighted_interleave_abi.h"

TEST_F(abi, home_node)
{
	char before[128], after[128];
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 2, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	ASSERT_EQ(0, numa_maps_policy(area.start, before, sizeof(before)));
	EXPECT_EQ(-EOPNOTSUPP, policy_set_home(area.start, area.len,
					       self->first));
	EXPECT_EQ(-EOPNOTSUPP, policy_set_home(area.start, page_bytes(),
					       self->first));
	EXPECT_EQ(1, mappings_within(area.start, area.len));
	ASSERT_EQ(0, numa_maps_policy(area.start, after, sizeof(after)));
	EXPECT_STREQ(before, after);
}

/* Every step must cut and join mappings as the same step does for interleave */
TEST_F(abi, split_and_merge)
{
	static const struct {
		int first;
		int pages;
		int nodes;
	} steps[] = {
		{ 2, 2, 2 }, { 0, 2, 2 }, { 6, 2, 2 }, { 4, 2, 2 },
		{ 3, 2, 1 }, { 0, 3, 1 }, { 0, 8, 2 },
	};
	static const int modes[] = {
		MPOL_INTERLEAVE, MPOL_WEIGHTED_INTERLEAVE,
	};
	int count[2][ARRAY_LEN(steps)];
	struct nodeset nodes;
	struct area area;
	size_t i, j;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		ASSERT_EQ(0, area_map(&area, 8, 1));
		for (j = 0; j < ARRAY_LEN(steps); j++) {
			nodes = nodeset_head(&self->nodes, steps[j].nodes);
			ASSERT_EQ(0, policy_bind(area.start +
						 steps[j].first * page_bytes(),
						 steps[j].pages * page_bytes(),
						 modes[i], &nodes, 0));
			count[i][j] = mappings_within(area.start, area.len);
		}
	}
	for (j = 0; j < ARRAY_LEN(steps); j++)
		EXPECT_EQ(count[0][j], count[1][j]);
	EXPECT_EQ(3, count[1][0]);
	EXPECT_EQ(1, count[1][ARRAY_LEN(steps) - 1]);
}

TEST_F(abi, other_modes_do_not_merge)
{
	const size_t page = page_bytes();
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 4, 1));
	ASSERT_EQ(0, policy_bind(area.start, 2 * page,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	ASSERT_EQ(0, policy_bind(area.start + 2 * page, 2 * page,
				 MPOL_INTERLEAVE, &self->nodes, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
	ASSERT_EQ(0, policy_bind(area.start + 2 * page, 2 * page,
				 MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES,
				 &self->nodes, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
}

TEST_F(abi, unmap_and_remap_keep_the_policy)
{
	const size_t page = page_bytes();
	char want[128], text[128];
	struct area area, target;
	void *moved;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	snprintf(want, sizeof(want), "weighted interleave:%s", self->list);
	ASSERT_EQ(0, area_map(&area, 6, 1));
	ASSERT_EQ(0, area_map(&target, 4, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	ASSERT_EQ(0, munmap(area.start + 2 * page, 2 * page));
	ASSERT_EQ(0, numa_maps_policy(area.start, text, sizeof(text)));
	EXPECT_STREQ(want, text);
	ASSERT_EQ(0, numa_maps_policy(area.start + 4 * page, text,
				      sizeof(text)));
	EXPECT_STREQ(want, text);

	touch(area.start, 1, page);
	moved = mremap(area.start, 2 * page, 4 * page,
		       MREMAP_MAYMOVE | MREMAP_FIXED, target.start);
	ASSERT_TRUE(moved == target.start);
	ASSERT_EQ(0, numa_maps_policy(moved, text, sizeof(text)));
	EXPECT_STREQ(want, text);
}

TEST_F(abi, mbind_strict)
{
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct nodeset first, second;
	char text[128];
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	first = nodeset_of(self->first);
	second = nodeset_of(self->second);
	ASSERT_EQ(0, area_map(&area, 4, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &first, 0));
	touch(area.start, 4, page_bytes());
	EXPECT_EQ(-EIO, policy_bind(area.start, area.len, mode, &second,
				    MPOL_MF_STRICT));
	ASSERT_EQ(0, numa_maps_policy(area.start, text, sizeof(text)));
	EXPECT_EQ(0, strncmp("bind:", text, 5));
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &self->nodes,
				 MPOL_MF_STRICT));
	/* Without STRICT the misplaced pages are no error */
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &second, 0));
}

static int moves_all_unprivileged(void *arg)
{
	struct nodeset memory;

	if (nodeset_read("has_memory", &memory) || setresuid(1, 1, 1))
		return 2;
	return policy_bind(arg, page_bytes(), MPOL_WEIGHTED_INTERLEAVE,
			   &memory, MPOL_MF_MOVE_ALL) != -EPERM;
}

TEST_F(abi, mbind_move)
{
	static const unsigned int weight[] = { 5, 2 };
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct nodeset first, second, third;
	struct round round;
	struct area area;
	int node[70];
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	first = nodeset_of(self->first);
	second = nodeset_of(self->second);
	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, area_map(&area, ARRAY_LEN(node), round.total));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &first, 0));
	touch(area.start, ARRAY_LEN(node), page_bytes());
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &second,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area.start, ARRAY_LEN(node), page_bytes(),
				    node));
	for (i = 0; i < ARRAY_LEN(node); i++)
		EXPECT_EQ(self->second, node[i]);
	EXPECT_EQ(0, in_child(moves_all_unprivileged, area.start));

	if (nodeset_count(&self->memory) < 3)
		return;
	/* What comes from outside the mask is placed by weight */
	third = nodeset_of(nodeset_nth(&self->memory, 2));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &third,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &self->nodes,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area.start, ARRAY_LEN(node), page_bytes(),
				    node));
	EXPECT_TRUE(round_exact(&round, node, ARRAY_LEN(node)));
}
