// SPDX-License-Identifier: GPL-2.0
/*
 * All weights equal: MPOL_WEIGHTED_INTERLEAVE puts page by page where
 * MPOL_INTERLEAVE does, whatever way pages get placed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "cases.h"
#include "huge_pages.h"
#include "interleave.h"

/* Kept off the stack and out of the way of the policies under test */
static int placed[MAX_PAGES], expected[MAX_PAGES];

/*
 * The ways to get pages placed. Each sets @mode, places @count pages, at the
 * same offsets in every call, and gives the memory back.
 */
static int place_mapping(int mode, const struct nodeset *nodes,
			 size_t count, int *node)
{
	static struct area area;
	int ret;

	if (!area.start) {
		ret = area_map(&area, MAX_PAGES, 1);
		if (ret)
			return ret;
	}
	ret = policy_bind(area.start, area.len, mode, nodes, 0);
	if (!ret)
		ret = place(area.start, count, page_bytes(), node);
	madvise(area.start, area.len, MADV_DONTNEED);
	return ret;
}

static int place_task_mapping(int mode, const struct nodeset *nodes,
			      size_t count, int *node)
{
	static struct area area;
	int ret;

	if (!area.start) {
		ret = area_map(&area, MAX_PAGES, 1);
		if (ret)
			return ret;
	}
	ret = policy_set(mode, nodes);
	if (!ret)
		touch(area.start, count, page_bytes());
	policy_set(MPOL_DEFAULT, NULL);
	if (!ret)
		ret = nodes_of_pages(area.start, count, page_bytes(), node);
	madvise(area.start, area.len, MADV_DONTNEED);
	return ret;
}

static int place_shared_mapping(int mode, const struct nodeset *nodes,
				size_t count, int *node)
{
	static struct area area;
	int ret;

	if (!area.start) {
		ret = area_map_shared(&area, MAX_PAGES);
		if (ret)
			return ret;
	}
	ret = policy_bind(area.start, area.len, mode, nodes, 0);
	if (!ret)
		ret = place(area.start, count, page_bytes(), node);
	madvise(area.start, area.len, MADV_REMOVE);
	return ret;
}

static int place_tmpfs_file(int mode, const struct nodeset *nodes,
			    size_t count, int *node)
{
	static int fd = -1;
	int ret;

	if (fd < 0)
		fd = memfd_create("placement", 0);
	if (fd < 0)
		return -errno;
	ret = policy_set(mode, nodes);
	if (!ret && lseek(fd, 0, SEEK_SET))
		ret = -errno;
	if (!ret)
		ret = file_append(fd, count);
	policy_set(MPOL_DEFAULT, NULL);
	if (!ret)
		ret = nodes_of_file(fd, 0, count, node);
	if (ftruncate(fd, 0))
		return -errno;
	return ret;
}

/* Pages of a ramfs file are placed by the task's counter */
static int place_page_cache(int mode, const struct nodeset *nodes,
			    size_t count, int *node)
{
	static int fd = -1;
	char dir[64];
	int ret;

	if (fd < 0) {
		ret = fs_mount("ramfs", NULL, dir, sizeof(dir));
		if (ret)
			return ret;
		fd = fs_file(dir);
		fs_unmount(dir);
		if (fd < 0)
			return fd;
	}
	ret = file_prepare(fd, count);
	if (!ret)
		ret = policy_set(mode, nodes);
	if (!ret)
		ret = file_fill(fd, 0, count);
	policy_set(MPOL_DEFAULT, NULL);
	if (!ret)
		ret = nodes_of_filled(fd, 0, count, node);
	if (ftruncate(fd, 0))
		return -errno;
	return ret;
}

/* Half of the pages come from a child, copied out of what the parent wrote */
static int place_forked(int mode, const struct nodeset *nodes,
			size_t count, int *node)
{
	static struct area area;
	int pipes[2], ret, status;
	ssize_t bytes = count * sizeof(*node), got = 0;
	pid_t pid;

	if (!area.start) {
		ret = area_map(&area, MAX_PAGES, 1);
		if (ret)
			return ret;
	}
	ret = policy_bind(area.start, area.len, mode, nodes, 0);
	if (ret)
		return ret;
	touch(area.start, count / 2, page_bytes());
	if (pipe(pipes))
		return -errno;
	pid = fork_child();
	if (!pid) {
		ret = place(area.start, count, page_bytes(), node);
		_exit(ret || write(pipes[1], node, bytes) != bytes);
	}
	close(pipes[1]);
	while (got < bytes) {
		ssize_t part = read(pipes[0], (char *)node + got, bytes - got);

		if (part <= 0)
			break;
		got += part;
	}
	close(pipes[0]);
	waitpid(pid, &status, 0);
	madvise(area.start, area.len, MADV_DONTNEED);
	return got == bytes && !status ? 0 : -EIO;
}

FIXTURE(as_interleave)
{
	struct interleave_context ctx;
};

FIXTURE_VARIANT(as_interleave)
{
	unsigned int weight;
	/* 0: all nodes */
	int nodes;
};

FIXTURE_VARIANT_ADD(as_interleave, all_1) { .weight = 1 };
FIXTURE_VARIANT_ADD(as_interleave, all_7) { .weight = 7 };
FIXTURE_VARIANT_ADD(as_interleave, all_255) { .weight = 255 };
FIXTURE_VARIANT_ADD(as_interleave, two_1) { .weight = 1, .nodes = 2 };

FIXTURE_SETUP(as_interleave)
{
	ASSERT_EQ(0, interleave_enter(&self->ctx));
	if (self->ctx.missing)
		return;
	ASSERT_EQ(0, weights_flatten(variant->weight));
	self->ctx.nodes = self->ctx.memory;
	if (variant->nodes)
		self->ctx.nodes = nodeset_head(&self->ctx.memory,
					       variant->nodes);
}

FIXTURE_TEARDOWN(as_interleave)
{
	EXPECT_EQ(0, interleave_leave(&self->ctx));
}

/* 0, or what the way gave; -EXDEV when a page went elsewhere */
static int compare(struct interleave_context *ctx, size_t count,
		   int (*way)(int mode, const struct nodeset *nodes,
			      size_t count, int *node))
{
	size_t i;
	int ret;

	ret = way(MPOL_INTERLEAVE, &ctx->nodes, count, expected);
	if (!ret)
		ret = way(MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes, count,
			  placed);
	if (ret)
		return ret;
	/* The comparison says nothing unless the pages were spread */
	for (i = 0; i + 1 < count; i++)
		if (expected[i] < 0 || expected[i] == expected[i + 1])
			return -ERANGE;
	return same_nodes(placed, expected, count) ? 0 : -EXDEV;
}

TEST_F(as_interleave, mapping)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	EXPECT_EQ(0, compare(&self->ctx, 1000, place_mapping));
}

TEST_F(as_interleave, task_policy)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	EXPECT_EQ(0, compare(&self->ctx, 1000, place_task_mapping));
}

TEST_F(as_interleave, shared_mapping)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	EXPECT_EQ(0, compare(&self->ctx, 1000, place_shared_mapping));
}

TEST_F(as_interleave, tmpfs_file)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	EXPECT_EQ(0, compare(&self->ctx, 1000, place_tmpfs_file));
}

TEST_F(as_interleave, forked)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	EXPECT_EQ(0, compare(&self->ctx, 1000, place_forked));
}

TEST_F(as_interleave, page_cache)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!self->ctx.kernel_memory)
		SKIP(return, "needs two nodes with kernel memory");
	EXPECT_EQ(0, compare(&self->ctx, 256, place_page_cache));
}

/* @place_huge places huge pages of a kind; @none: there are none of it */
static void compare_huge(struct __test_metadata *_metadata,
			 struct interleave_context *ctx,
			 int (*place_huge)(int mode, const struct nodeset *nodes,
					   size_t count, int *node),
			 const char *none)
{
	const size_t count = 12;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!room_for_huge(&ctx->nodes, count))
		SKIP(return, "too little free memory on a node");
	ret = compare(ctx, count, place_huge);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "%s", none);
	EXPECT_EQ(0, ret);
}

TEST_F(as_interleave, transparent_huge_pages)
{
	compare_huge(_metadata, &self->ctx, place_thp,
		     "no transparent huge pages to be had");
}

TEST_F(as_interleave, tmpfs_huge_pages)
{
	compare_huge(_metadata, &self->ctx, place_tmpfs_thp,
		     "no transparent huge pages to be had");
}

TEST_F(as_interleave, hugetlb)
{
	compare_huge(_metadata, &self->ctx, place_hugetlb_private,
		     "no huge pages to be had");
}

TEST_F(as_interleave, hugetlb_file)
{
	compare_huge(_metadata, &self->ctx, place_hugetlb_file,
		     "no huge pages to be had");
}
