// SPDX-License-Identifier: GPL-2.0
/*
 * Where MPOL_WEIGHTED_INTERLEAVE puts pages: exact per round, smooth inside
 * one, and by the new weights as soon as one is written.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>

#include "cases.h"
#include "interleave.h"

/* Kept off the stack and out of the way of the policies under test */
static int placed[MAX_PAGES];

/* Two nodes, all the ways base pages get placed */

FIXTURE(two_nodes)
{
	struct interleave_context ctx;
	struct round round;
	int order[2 * MAX_WEIGHT];
	long long run_order;
};

FIXTURE_VARIANT(two_nodes)
{
	unsigned int weight[2];
};

FIXTURE_VARIANT_ADD(two_nodes, w1_1) { .weight = { 1, 1 } };
FIXTURE_VARIANT_ADD(two_nodes, w5_1) { .weight = { 5, 1 } };
FIXTURE_VARIANT_ADD(two_nodes, w1_5) { .weight = { 1, 5 } };
FIXTURE_VARIANT_ADD(two_nodes, w9_1) { .weight = { 9, 1 } };
FIXTURE_VARIANT_ADD(two_nodes, w6_4) { .weight = { 6, 4 } };
FIXTURE_VARIANT_ADD(two_nodes, w100_37) { .weight = { 100, 37 } };
FIXTURE_VARIANT_ADD(two_nodes, w255_1) { .weight = { 255, 1 } };
FIXTURE_VARIANT_ADD(two_nodes, w255_254) { .weight = { 255, 254 } };
FIXTURE_VARIANT_ADD(two_nodes, w255_255) { .weight = { 255, 255 } };

FIXTURE_SETUP(two_nodes)
{
	ASSERT_EQ(0, two_nodes_enter(&self->ctx, &self->round, self->order,
				     &self->run_order, variant->weight));
}

FIXTURE_TEARDOWN(two_nodes)
{
	EXPECT_EQ(0, two_nodes_leave(&self->ctx, self->run_order));
}

TEST_F(two_nodes, mapping)
{
	const size_t count = 4 * self->round.total + 100;
	struct area area;
	size_t i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, area_map(&area, count, self->round.total));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
				 0));
	ASSERT_EQ(0, place(area.start, count, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&self->round, placed, count));
	EXPECT_TRUE(round_smooth(&self->round, placed, count));
	EXPECT_TRUE(round_follows(&self->round, self->order, 0, placed,
				  count));
	for (i = 0; i + 64 <= count; i++)
		ASSERT_TRUE(round_window(&self->round, placed + i, 64));
}

/* The order of the faults does not matter, only the page's place */
TEST_F(two_nodes, mapping_touched_backwards)
{
	const size_t count = 2 * self->round.total;
	struct area area;
	size_t i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, area_map(&area, count, self->round.total));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
				 0));
	for (i = count; i-- > 0; )
		touch(area.start + i * page_bytes(), 1, page_bytes());
	ASSERT_EQ(0, nodes_of_pages(area.start, count, page_bytes(), placed));
	EXPECT_TRUE(round_follows(&self->round, self->order, 0, placed,
				  count));
}

TEST_F(two_nodes, task_policy)
{
	const size_t count = 4 * self->round.total;
	struct area area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, area_map(&area, count, self->round.total));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes));
	touch(area.start, count, page_bytes());
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_pages(area.start, count, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&self->round, placed, count));
	EXPECT_TRUE(round_smooth(&self->round, placed, count));
	EXPECT_TRUE(round_follows(&self->round, self->order, 0, placed,
				  count));
}

/* A shared object starts its rounds at its inode number */
TEST_F(two_nodes, shared_mapping)
{
	const size_t count = 2 * self->round.total;
	struct area area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, area_map_shared(&area, count));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
				 0));
	ASSERT_EQ(0, place(area.start, count, page_bytes(), placed));
	EXPECT_TRUE(round_follows(&self->round, self->order,
				  inode_of_mapping(area.start), placed,
				  count));
}

TEST_F(two_nodes, tmpfs_file)
{
	const size_t count = 2 * self->round.total;
	struct stat stat;
	char dir[64];
	int fd;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (fs_mount("tmpfs", "mpol=weighted-interleave", dir, sizeof(dir)))
		SKIP(return, "no tmpfs");

	/* The task's policy and the mount's; a mount covers all nodes */
	fd = memfd_create("placement", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fstat(fd, &stat));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes));
	ASSERT_EQ(0, file_append(fd, count));
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_file(fd, 0, count, placed));
	EXPECT_TRUE(round_follows(&self->round, self->order, stat.st_ino,
				  placed, count));
	close(fd);

	if (nodeset_equal(&self->ctx.memory, &self->ctx.nodes)) {
		fd = fs_file(dir);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, fstat(fd, &stat));
		ASSERT_EQ(0, file_append(fd, count));
		ASSERT_EQ(0, nodes_of_file(fd, 0, count, placed));
		EXPECT_TRUE(round_follows(&self->round, self->order,
					  stat.st_ino, placed, count));
		close(fd);
	}
	fs_unmount(dir);
}

/* The task's counter; each page is a hit of its node */
TEST_F(two_nodes, page_cache)
{
	const size_t count = 3 * self->round.total;
	struct round *round = &self->round;
	long long pages[2];
	char dir[64];
	int fd, i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!self->ctx.kernel_memory)
		SKIP(return, "needs two nodes with kernel memory");

	ASSERT_EQ(0, fs_mount("ramfs", NULL, dir, sizeof(dir)));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_prepare(fd, count));
	for (i = 0; i < round->nr; i++)
		pages[i] = -node_interleave_hits(round->node[i]);
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes));
	ASSERT_EQ(0, file_fill(fd, 0, count));
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	for (i = 0; i < round->nr; i++)
		pages[i] += node_interleave_hits(round->node[i]);
	EXPECT_EQ((long long)count, pages[0] + pages[1]);
	EXPECT_TRUE(round_counts(round, pages));
	ASSERT_EQ(0, nodes_of_filled(fd, 0, count, placed));
	EXPECT_TRUE(round_exact(round, placed, count));
	EXPECT_TRUE(round_smooth(round, placed, count));
	close(fd);
	fs_unmount(dir);
}

FIXTURE(placement)
{
	struct interleave_context ctx;
	long long run_order;
};

FIXTURE_SETUP(placement)
{
	ASSERT_EQ(0, interleave_enter(&self->ctx));
	if (self->ctx.missing)
		return;
	self->run_order = run_order_placements();
	ASSERT_LE(0, self->run_order);
}

FIXTURE_TEARDOWN(placement)
{
	EXPECT_EQ(0, interleave_leave(&self->ctx));
	if (!self->ctx.missing)
		EXPECT_EQ(self->run_order, run_order_placements());
}

/* Short buffers get their share too, wherever in a round they begin */
TEST_F(placement, buffers_of_64_pages)
{
	static const unsigned int weight[] = { 100, 37 };
	const size_t count = 16 * 64;
	struct area area, fresh;
	struct round round;
	size_t i, j;
	int on_first;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, round_write(&round, &self->ctx.nodes, weight));
	ASSERT_EQ(0, area_map(&area, count, 1));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes));
	touch(area.start, count, page_bytes());
	ASSERT_EQ(0, nodes_of_pages(area.start, count, page_bytes(), placed));
	for (i = 0; i < 16; i++) {
		for (on_first = 0, j = 0; j < 64; j++)
			on_first += placed[64 * i + j] == self->ctx.first;
		EXPECT_LE(46, on_first);
		EXPECT_GE(48, on_first);
	}
	for (i = 0; i < 16; i++) {
		ASSERT_EQ(0, area_map(&fresh, 64, 1));
		ASSERT_EQ(0, place(fresh.start, 64, page_bytes(), placed));
		for (on_first = 0, j = 0; j < 64; j++)
			on_first += placed[j] == self->ctx.first;
		EXPECT_LE(46, on_first);
		EXPECT_GE(48, on_first);
	}
}

struct weight_set {
	int nr;
	unsigned int weight[MAX_ROUND_NODES];
};

TEST_F(placement, more_than_two_nodes)
{
	static const struct weight_set sets[] = {
		{ 3, { 1, 1, 1 } },
		{ 3, { 3, 2, 1 } },
		{ 3, { 255, 31, 17 } },
		{ 4, { 255, 31, 17, 3 } },
		{ 4, { 12, 254, 254, 1 } },
		{ 4, { 1, 2, 4, 8 } },
		{ 5, { 1, 1, 254, 20, 254 } },
		{ 8, { 8, 7, 6, 5, 4, 3, 2, 1 } },
		{ 16, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ 16, { 255, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ 16, { 200, 22, 17, 3, 255, 254, 253, 99, 1, 2, 100, 37, 64,
			128, 31, 5 } },
		{ 33, { 255, [1 ... 31] = 1, 100 } },
		{ 64, { [0 ... 63] = 1 } },
		{ 64, { [0 ... 30] = 7, 255, 254, [33 ... 62] = 5, 2 } },
	};
	int available = nodeset_count(&self->ctx.memory);
	struct nodeset nodes;
	struct round round;
	struct area area;
	size_t count, i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (available < 3)
		SKIP(return, "needs three nodes with memory");

	for (i = 0; i < ARRAY_LEN(sets); i++) {
		if (sets[i].nr > available)
			continue;
		nodes = nodeset_head(&self->ctx.memory, sets[i].nr);
		ASSERT_EQ(0, round_write(&round, &nodes, sets[i].weight));
		count = 2 * round.total;
		ASSERT_GE(MAX_PAGES, count);
		ASSERT_EQ(0, area_map(&area, count, round.total));
		ASSERT_EQ(0, policy_bind(area.start, area.len,
					 MPOL_WEIGHTED_INTERLEAVE, &nodes, 0));
		ASSERT_EQ(0, place(area.start, count, page_bytes(), placed));
		EXPECT_TRUE(round_exact(&round, placed, count))
			TH_LOG("set %zu", i);
		EXPECT_TRUE(round_smooth(&round, placed, count))
			TH_LOG("set %zu", i);
		EXPECT_TRUE(same_nodes(placed, placed + round.total,
				       round.total));
		area_unmap(&area);
	}
}

/* A mask with holes, and one node */
TEST_F(placement, other_masks)
{
	static const unsigned int weight[] = { 3, 2 };
	struct nodeset nodes;
	struct round round;
	struct area area;
	size_t i;
	int last;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	last = nodeset_nth(&self->ctx.memory,
			   nodeset_count(&self->ctx.memory) - 1);
	nodes = nodeset_pair(self->ctx.first, last);
	ASSERT_EQ(0, round_write(&round, &nodes, weight));
	ASSERT_EQ(0, area_map(&area, 100, round.total));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &nodes, 0));
	ASSERT_EQ(0, place(area.start, 100, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&round, placed, 100));

	nodes = nodeset_of(last);
	ASSERT_EQ(0, area_map(&area, 100, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &nodes, 0));
	ASSERT_EQ(0, place(area.start, 100, page_bytes(), placed));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(last, placed[i]);
}

static void *lowest(struct area *area, size_t page)
{
	return area->start + page * page_bytes();
}

/* A new weight counts from the next page on; pages that are there stay */
TEST_F(placement, weight_change)
{
	static const unsigned int old_weight[] = { 5, 1 };
	static const unsigned int new_weight[] = { 1, 4 };
	struct round before, after;
	struct area bound, task;
	const size_t half = 300;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, round_write(&before, &self->ctx.nodes, old_weight));
	round_init(&after, &self->ctx.nodes, new_weight);
	ASSERT_EQ(0, area_map(&bound, 2 * half, before.total * after.total));
	ASSERT_EQ(0, area_map(&task, 2 * half, before.total * after.total));
	ASSERT_EQ(0, policy_bind(bound.start, bound.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
				 0));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes));
	touch(bound.start, half, page_bytes());
	touch(task.start, half, page_bytes());

	ASSERT_EQ(0, round_write(&after, &self->ctx.nodes, new_weight));
	ASSERT_EQ(0, nodes_of_pages(bound.start, half, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&before, placed, half));
	ASSERT_EQ(0, nodes_of_pages(task.start, half, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&before, placed, half));

	ASSERT_EQ(0, place(lowest(&bound, half), half, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&after, placed, half));
	ASSERT_EQ(0, place(lowest(&task, half), half, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&after, placed, half));
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));

	ASSERT_EQ(0, nodes_of_pages(bound.start, half, page_bytes(), placed));
	EXPECT_TRUE(round_exact(&before, placed, half));
}

/* One write, one page: the very next page knows */
TEST_F(placement, weight_change_at_once)
{
	unsigned int weight[2];
	struct round round;
	struct area area;
	size_t i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, area_map(&area, 200 * 10, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
				 0));
	for (i = 0; i < 200; i++) {
		weight[0] = 1 + i % 9;
		weight[1] = 10 - weight[0];
		ASSERT_EQ(0, round_write(&round, &self->ctx.nodes, weight));
		ASSERT_EQ(0, place(lowest(&area, 10 * i), 10, page_bytes(),
				   placed));
		ASSERT_TRUE(round_window(&round, placed, 10));
		if (10 % round.total == 0)
			ASSERT_TRUE(round_exact(&round, placed, 10));
	}
}

/* What a process does between two waits for its parent */
struct other_process {
	struct nodeset nodes;
	struct round round[2];
	int from_parent;
	int to_parent;
};

static int other_process(const struct other_process *other)
{
	struct area bound, task;
	size_t count, i;
	char byte;

	if (policy_set(MPOL_WEIGHTED_INTERLEAVE, &other->nodes))
		return 1;
	count = 10 * other->round[0].total * other->round[1].total;
	if (area_map(&bound, 2 * count, count) ||
	    area_map(&task, 2 * count, count) ||
	    policy_bind(bound.start, bound.len, MPOL_WEIGHTED_INTERLEAVE,
			&other->nodes, 0))
		return 2;
	for (i = 0; i < 2; i++) {
		if (read(other->from_parent, &byte, 1) != 1)
			return 3;
		if (place(lowest(&bound, i * count), count, page_bytes(),
			  placed) ||
		    !round_exact(&other->round[i], placed, count))
			return 4;
		if (place(lowest(&task, i * count), count, page_bytes(),
			  placed) ||
		    !round_exact(&other->round[i], placed, count))
			return 5;
		if (write(other->to_parent, &byte, 1) != 1)
			return 6;
	}
	return 0;
}

TEST_F(placement, weight_change_reaches_other_processes)
{
	static const unsigned int weight[2][2] = { { 5, 2 }, { 3, 8 } };
	struct other_process other = { .nodes = self->ctx.nodes };
	int down[2], up[2], status, i;
	char byte = 0;
	pid_t pid;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	for (i = 0; i < 2; i++)
		round_init(&other.round[i], &self->ctx.nodes, weight[i]);
	ASSERT_EQ(0, pipe(down));
	ASSERT_EQ(0, pipe(up));
	other.from_parent = down[0];
	other.to_parent = up[1];
	pid = fork_child();
	if (!pid)
		_exit(other_process(&other));
	ASSERT_LT(0, pid);
	close(up[1]);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, round_write(&other.round[i], &self->ctx.nodes,
					 weight[i]));
		ASSERT_EQ(1, write(down[1], &byte, 1));
		if (read(up[0], &byte, 1) != 1)
			break;
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/*
 * With a full node the pages meant for it go where they go under interleave,
 * and the others still to their own node.
 */
TEST_F(placement, full_node)
{
	static const unsigned int weight[] = { 1, 3 };
	const size_t count = 400;
	struct nodeset overflow;
	struct area area, filler;
	struct round round;
	size_t displaced = 0, meant = 0, i;
	int order[4];
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, round_write(&round, &self->ctx.nodes, weight));
	ASSERT_EQ(0, round_sample(&round, &self->ctx.nodes, order));
	ASSERT_EQ(0, area_map(&area, count, round.total));
	ret = area_fill_node(&filler, self->ctx.second);
	ASSERT_EQ(0, ret);

	nodeset_clear(&overflow);
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_INTERLEAVE,
				 &self->ctx.nodes, 0));
	ASSERT_EQ(0, place(area.start, count, page_bytes(), placed));
	for (i = 0; i < count; i++) {
		ASSERT_LE(0, placed[i]);
		nodeset_add(&overflow, placed[i]);
	}
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));

	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
				 0));
	ASSERT_EQ(0, place(area.start, count, page_bytes(), placed));
	for (i = 0; i < count; i++) {
		ASSERT_LE(0, placed[i]);
		EXPECT_TRUE(nodeset_has(&overflow, placed[i]));
		if (order[i % round.total] == self->ctx.first) {
			EXPECT_EQ(self->ctx.first, placed[i]);
			continue;
		}
		meant++;
		displaced += placed[i] != self->ctx.second;
	}
	EXPECT_EQ(count / 4 * 3, meant);
	EXPECT_LT(meant / 2, displaced);

	/* With room again the same places get their node */
	area_unmap(&filler);
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));
	ASSERT_EQ(0, place(area.start, count, page_bytes(), placed));
	EXPECT_TRUE(round_follows(&round, order, 0, placed, count));
}
