// SPDX-License-Identifier: GPL-2.0
/*
 * Where pages of tasks, mappings, files and children go with every mode,
 * whichever calls a program uses and whether it interleaves evenly or by weights.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "calls.h"
#include "calls_fixture.h"
#include "cases.h"
#include "placement.h"

/* Fresh private pages of the task, under what policy there is */
static bool fresh_pages_are_on(int node)
{
	struct area area;
	bool fits;

	if (area_map(&area, PAGES, 1))
		return false;
	touch(area.start, PAGES, page_bytes());
	fits = pages_are_on(&area, node);
	area_unmap(&area);
	return fits;
}

/* The modes that take one node and put everything there */
static const int one_node_modes[] = {
	MPOL_BIND, MPOL_PREFERRED, MPOL_PREFERRED_MANY,
};

TEST_F(calls, task_pages_on_each_node)
{
	struct context *ctx = &self->ctx;
	struct nodeset one;
	size_t i;
	int n;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(one_node_modes); i++) {
		for (n = 0; n < ctx->round.nr; n++) {
			one = nodeset_of(ctx->round.node[n]);
			ASSERT_EQ(0, set_nodes(ctx, one_node_modes[i], &one));
			EXPECT_TRUE(policy_is(ctx, NULL, one_node_modes[i],
					      &one));
			EXPECT_TRUE(fresh_pages_are_on(ctx->round.node[n]))
				TH_LOG("mode %d", one_node_modes[i]);
		}
	}
	/* One node of interleaving is such a mode too */
	for (n = 0; n < ctx->round.nr; n++) {
		one = nodeset_of(ctx->round.node[n]);
		ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &one));
		EXPECT_TRUE(fresh_pages_are_on(ctx->round.node[n]));
	}
}

TEST_F(calls, mapping_pages_on_each_node)
{
	struct context *ctx = &self->ctx;
	struct nodeset one;
	struct area area;
	size_t i;
	int n;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* The mapping's policy goes before the task's */
	one = nodeset_of(ctx->first);
	ASSERT_EQ(0, set_nodes(ctx, MPOL_BIND, &one));
	for (i = 0; i < ARRAY_LEN(one_node_modes); i++) {
		for (n = 0; n < ctx->round.nr; n++) {
			one = nodeset_of(ctx->round.node[n]);
			ASSERT_EQ(0, area_map(&area, PAGES, 1));
			ASSERT_EQ(0, bind_nodes(ctx, &area, one_node_modes[i],
						&one, 0));
			EXPECT_TRUE(policy_is(ctx, &area, one_node_modes[i],
					      &one));
			touch(area.start, PAGES, page_bytes());
			EXPECT_TRUE(pages_are_on(&area, ctx->round.node[n]))
				TH_LOG("mode %d", one_node_modes[i]);
			area_unmap(&area);
		}
	}
}

/* Of several nodes the CPU's own is taken; of one preferred the first */
TEST_F(calls, growing_masks)
{
	struct context *ctx = &self->ctx;
	struct nodeset nodes, one;
	int n;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	one = nodeset_of(ctx->first);
	for (n = 1; n <= ctx->round.nr; n++) {
		nodes = nodeset_head(&ctx->memory, n);
		ASSERT_EQ(0, set_nodes(ctx, MPOL_PREFERRED, &nodes));
		EXPECT_TRUE(policy_is(ctx, NULL, MPOL_PREFERRED, &one));
		EXPECT_TRUE(fresh_pages_are_on(ctx->first));

		ASSERT_EQ(0, set_nodes(ctx, MPOL_BIND, &nodes));
		EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND, &nodes));
		if (nodeset_has(&nodes, ctx->local))
			EXPECT_TRUE(fresh_pages_are_on(ctx->local));
		ASSERT_EQ(0, set_nodes(ctx, MPOL_PREFERRED_MANY, &nodes));
		EXPECT_TRUE(policy_is(ctx, NULL, MPOL_PREFERRED_MANY, &nodes));
		if (nodeset_has(&nodes, ctx->local))
			EXPECT_TRUE(fresh_pages_are_on(ctx->local));
	}
}

TEST_F(calls, local_and_default)
{
	struct context *ctx = &self->ctx;
	struct nodeset one;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!nodeset_has(&ctx->memory, ctx->local))
		SKIP(return, "the CPU's node has no memory");

	one = nodeset_of(nodeset_nth(&ctx->memory, ctx->round.nr - 1));
	ASSERT_EQ(0, set_nodes(ctx, MPOL_LOCAL, NULL));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_LOCAL, &ctx->empty));
	EXPECT_TRUE(fresh_pages_are_on(ctx->local));

	/* Prefer no node: local, and called so afterwards */
	ASSERT_EQ(0, set_nodes(ctx, MPOL_BIND, &one));
	ASSERT_EQ(0, set_nodes(ctx, MPOL_PREFERRED, NULL));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_LOCAL, &ctx->empty));
	EXPECT_TRUE(fresh_pages_are_on(ctx->local));

	ASSERT_EQ(0, set_nodes(ctx, MPOL_BIND, &one));
	ASSERT_EQ(0, set_nodes(ctx, MPOL_DEFAULT, NULL));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_DEFAULT, &ctx->empty));
	EXPECT_TRUE(fresh_pages_are_on(ctx->local));

	/* A mapping that is local whatever the task does, then one that is not */
	ASSERT_EQ(0, set_nodes(ctx, MPOL_BIND, &one));
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_LOCAL, NULL, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_LOCAL, &ctx->empty));
	touch(area.start, PAGES, page_bytes());
	EXPECT_TRUE(pages_are_on(&area, ctx->local));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
	touch(area.start, PAGES, page_bytes());
	EXPECT_TRUE(pages_are_on(&area, nodeset_nth(&one, 0)));
}

TEST_F(calls, interleaved_pages)
{
	struct context *ctx = &self->ctx;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &ctx->memory));
	ASSERT_EQ(0, map_rounds(ctx, &area));
	EXPECT_TRUE(pages_follow(ctx, &area));
	area_unmap(&area);

	ASSERT_EQ(0, set_nodes(ctx, MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, map_rounds(ctx, &area));
	ASSERT_EQ(0, bind_nodes(ctx, &area, ctx->interleave, &ctx->memory, 0));
	EXPECT_TRUE(policy_is(ctx, &area, ctx->interleave, &ctx->memory));
	EXPECT_TRUE(pages_follow(ctx, &area));
}

/* @nodes can hold the pages of a file system */
static bool file_system_has(const struct context *ctx, const char *type,
			    int node)
{
	return strcmp(type, "ramfs") || nodeset_has(&ctx->normal, node);
}

static const char * const file_systems[] = { "tmpfs", "ramfs" };

/* Written pages, and copies of them in a private mapping */
static bool file_pages_are_on(const char *dir, int node)
{
	size_t page = page_bytes(), len = PAGES * page;
	struct area map = { .len = len };
	int placed[PAGES];
	bool fits = false;
	int fd = fs_file(dir);

	if (fd < 0)
		return false;
	if (file_append(fd, PAGES) ||
	    nodes_of_file(fd, 0, PAGES, placed) ||
	    !all_on(placed, PAGES, node))
		goto out;
	map.start = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (map.start == MAP_FAILED)
		goto out;
	touch(map.start, PAGES, page);
	fits = pages_are_on(&map, node);
	munmap(map.start, len);
out:
	close(fd);
	return fits;
}

TEST_F(calls, file_pages_on_each_node)
{
	struct context *ctx = &self->ctx;
	struct nodeset one;
	char dir[64];
	size_t i, fs;
	int n, node;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (fs = 0; fs < ARRAY_LEN(file_systems); fs++) {
		ASSERT_EQ(0, fs_mount(file_systems[fs], NULL, dir,
				      sizeof(dir)));
		for (i = 0; i < ARRAY_LEN(one_node_modes); i++) {
			for (n = 0; n < ctx->round.nr; n++) {
				node = ctx->round.node[n];
				if (!file_system_has(ctx, file_systems[fs],
						     node))
					continue;
				one = nodeset_of(node);
				ASSERT_EQ(0, set_nodes(ctx, one_node_modes[i],
						       &one));
				EXPECT_TRUE(file_pages_are_on(dir, node))
					TH_LOG("%s, mode %d", file_systems[fs],
					       one_node_modes[i]);
				ASSERT_EQ(0, set_nodes(ctx, MPOL_DEFAULT,
						       NULL));
			}
		}
		fs_unmount(dir);
	}
}

/* In tmpfs a page's place counts, and it is shared by writing and mapping */
TEST_F(calls, interleaved_tmpfs_file)
{
	struct context *ctx = &self->ctx;
	int node[2 * MOST_PAGES];
	size_t count, len;
	char dir[64];
	char *map;
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	count = round_pages(ctx);
	len = count * page_bytes();
	ASSERT_EQ(0, fs_mount("tmpfs", NULL, dir, sizeof(dir)));

	/* The task's policy: written pages, then mapped ones */
	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_append(fd, count));
	ASSERT_EQ(0, ftruncate(fd, 2 * len));
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, len);
	ASSERT_TRUE(map != MAP_FAILED);
	touch(map, count, page_bytes());
	ASSERT_EQ(0, set_nodes(ctx, MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_file(fd, 0, 2 * count, node));
	EXPECT_TRUE(round_exact(&ctx->round, node, 2 * count));
	munmap(map, len);
	close(fd);

	/* The file's policy: no matter who writes it and how */
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, len));
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	ASSERT_EQ(0, ctx->front->bind(map, len, ctx->interleave,
				      ctx->memory.word, MAX_NODES, 0));
	ASSERT_EQ(0, file_append(fd, count));
	ASSERT_EQ(0, nodes_of_file(fd, 0, count, node));
	EXPECT_TRUE(round_exact(&ctx->round, node, count));
	munmap(map, len);
	close(fd);
	fs_unmount(dir);
}

/* Elsewhere the task counts its pages */
TEST_F(calls, interleaved_ramfs_file)
{
	struct context *ctx = &self->ctx;
	size_t count;
	char dir[64];
	int node[MOST_PAGES];
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!nodeset_equal(&ctx->normal, &ctx->memory))
		SKIP(return, "needs kernel memory on every node");

	count = round_pages(ctx);
	ASSERT_EQ(0, fs_mount("ramfs", NULL, dir, sizeof(dir)));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_prepare(fd, count));
	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	ASSERT_EQ(0, file_fill(fd, 0, count));
	ASSERT_EQ(0, set_nodes(ctx, MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_filled(fd, 0, count, node));
	EXPECT_TRUE(round_exact(&ctx->round, node, count));
	close(fd);
	fs_unmount(dir);
}

static int has_inherited(void *arg)
{
	const struct context *ctx = arg;
	struct area area;

	if (!policy_is(ctx, NULL, ctx->interleave, &ctx->memory))
		return 1;
	if (map_rounds(ctx, &area))
		return 2;
	if (!pages_follow(ctx, &area))
		return 3;
	return set_nodes(ctx, MPOL_DEFAULT, NULL) ? 4 : 0;
}

TEST_F(calls, child_inherits_the_task_policy)
{
	struct context *ctx = &self->ctx;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	EXPECT_EQ(0, in_child(has_inherited, ctx));
	/* What the child sets afterwards is its own business */
	EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &ctx->memory));
}

static int touches_shared(void *arg)
{
	const struct child_area *child = arg;

	if (!policy_is(child->ctx, child->area, child->ctx->interleave,
		       &child->ctx->memory))
		return 1;
	touch(child->area->start, round_pages(child->ctx), page_bytes());
	return 0;
}

TEST_F(calls, child_fills_a_shared_mapping)
{
	struct context *ctx = &self->ctx;
	struct child_area child = { .ctx = ctx };
	struct area area;
	size_t count;
	int node[MOST_PAGES];

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	count = round_pages(ctx);
	ASSERT_EQ(0, area_map_shared(&area, count));
	ASSERT_EQ(0, bind_nodes(ctx, &area, ctx->interleave, &ctx->memory, 0));
	child.area = &area;
	ASSERT_EQ(0, in_child(touches_shared, &child));
	/* They are there already; this only maps them here */
	ASSERT_EQ(0, place(area.start, count, page_bytes(), node));
	EXPECT_TRUE(round_exact(&ctx->round, node, count));
}

static int fills_and_rebinds(void *arg)
{
	const struct child_area *child = arg;
	struct nodeset one = nodeset_of(child->ctx->first);

	if (!policy_is(child->ctx, child->area, child->ctx->interleave,
		       &child->ctx->memory))
		return 1;
	if (!pages_follow(child->ctx, child->area))
		return 2;
	return bind_nodes(child->ctx, child->area, MPOL_BIND, &one, 0) ? 3 : 0;
}

TEST_F(calls, child_has_a_private_mapping_of_its_own)
{
	struct context *ctx = &self->ctx;
	struct child_area child = { .ctx = ctx };
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, map_rounds(ctx, &area));
	ASSERT_EQ(0, bind_nodes(ctx, &area, ctx->interleave, &ctx->memory, 0));
	child.area = &area;
	EXPECT_EQ(0, in_child(fills_and_rebinds, &child));
	EXPECT_TRUE(policy_is(ctx, &area, ctx->interleave, &ctx->memory));
	EXPECT_TRUE(pages_follow(ctx, &area));
}

TEST_F(calls, mode_flags_and_interleaved_pages)
{
	static const int flags[] = {
		MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	struct context *ctx = &self->ctx;
	struct area area;
	size_t f;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->round.node[ctx->round.nr - 1] != ctx->round.nr - 1)
		SKIP(return, "needs nodes without a gap in their numbers");

	for (f = 0; f < ARRAY_LEN(flags); f++) {
		ASSERT_EQ(0, set_nodes(ctx, ctx->interleave | flags[f],
				       &ctx->memory));
		ASSERT_EQ(0, map_rounds(ctx, &area));
		EXPECT_TRUE(pages_follow(ctx, &area));
		area_unmap(&area);
		ASSERT_EQ(0, set_nodes(ctx, MPOL_DEFAULT, NULL));
		ASSERT_EQ(0, map_rounds(ctx, &area));
		ASSERT_EQ(0, bind_nodes(ctx, &area, ctx->interleave | flags[f],
					&ctx->memory, 0));
		EXPECT_TRUE(pages_follow(ctx, &area));
		area_unmap(&area);
	}
}
