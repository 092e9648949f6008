// SPDX-License-Identifier: GPL-2.0
/*
 * Where MPOL_WEIGHTED_INTERLEAVE puts pages: exact per round, smooth inside
 * one, equal to MPOL_INTERLEAVE when all weights are equal, and by the new
 * weights as soon as one is written.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>

#include "cases.h"
#include "placement.h"

#define MAX_PAGES 16384
#define RUN_ORDER "interleave_run_order"

/* Kept off the stack and out of the way of the policies under test */
static int placed[MAX_PAGES], expected[MAX_PAGES];

struct context {
	struct saved_weights saved;
	struct nodeset memory;
	struct nodeset nodes;
	int first;
	int second;
	/* Whether @nodes are two that kernel memory can come from */
	bool kernel_memory;
	const char *missing;
};

/*
 * Two nodes with memory, all weights 1, room for the tests: what is missing
 * goes to @ctx->missing, 0 or -errno is returned.
 */
static int context_setup(struct context *ctx)
{
	struct nodeset normal;
	int ret;

	if (!is_there(WEIGHT_DIR))
		return -ENOENT;
	if (geteuid()) {
		ctx->missing = "needs root";
		return 0;
	}
	ret = weights_save(&ctx->saved);
	if (!ret)
		ret = weights_flatten(1);
	if (!ret)
		ret = nodeset_read("has_normal_memory", &normal);
	if (ret)
		return ret;
	ctx->memory = ctx->saved.nodes;
	ctx->nodes = nodeset_head(&ctx->memory, 2);
	ctx->first = nodeset_nth(&ctx->memory, 0);
	ctx->second = nodeset_nth(&ctx->memory, 1);
	ctx->kernel_memory = nodeset_has(&normal, ctx->first) &&
			     nodeset_has(&normal, ctx->second);
	if (ctx->second < 0)
		ctx->missing = "needs two nodes with memory";
	else if (!nodes_have_room(&ctx->memory, 1024))
		ctx->missing = "too little free memory on a node";
	return 0;
}

static int context_teardown(struct context *ctx)
{
	policy_set(MPOL_DEFAULT, NULL);
	return ctx->saved.weight[0] ? weights_restore(&ctx->saved) : 0;
}

static long long run_order_placements(void)
{
	return file_value("/proc/vmstat", RUN_ORDER);
}

static size_t huge_bytes(void)
{
	return file_value("/proc/meminfo", "Hugepagesize:") * 1024;
}

static bool thp_available(void)
{
	char text[128];

	return file_read("/sys/kernel/mm/transparent_hugepage/enabled", text,
			 sizeof(text)) > 0 && !strstr(text, "[never]");
}

/* Bytes of the mapping that starts at @addr that transparent huge pages back */
static size_t thp_backed(void *addr)
{
	unsigned long start, end;
	bool inside = false;
	char line[512];
	size_t kib = 0;
	FILE *file;

	file = fopen("/proc/self/smaps", "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start == (unsigned long)addr;
		else if (inside && sscanf(line, "AnonHugePages: %zu", &kib) == 1)
			break;
	}
	fclose(file);
	return kib * 1024;
}

/* Sets the number of huge pages of a node; what it was, or -errno */
static int hugetlb_pool(int node, int count)
{
	char path[160], text[32];
	int ret, old;

	snprintf(path, sizeof(path),
		 NODE_DIR "/node%d/hugepages/hugepages-%zukB/nr_hugepages",
		 node, huge_bytes() / 1024);
	ret = file_read(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	old = atoi(text);
	ret = file_print(path, "%d\n", count);
	if (ret)
		return ret;
	file_read(path, text, sizeof(text));
	return atoi(text) == count ? old : -ENOMEM;
}

/*
 * Huge pages a node may have to give for @count: all of them with two nodes,
 * with more nodes only equal weights are used.
 */
static size_t huge_share(const struct nodeset *nodes, size_t count)
{
	size_t nr = nodeset_count(nodes);

	return (2 * count + nr - 1) / nr;
}

static bool room_for_huge(const struct nodeset *nodes, size_t count)
{
	/* Other tests may have left the free memory in pieces. */
	file_print("/proc/sys/vm/compact_memory", "1");
	return nodes_have_room(nodes, (huge_share(nodes, count) + 1) *
				      huge_bytes() / page_bytes());
}

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
	pid = fork();
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

static int place_thp(int mode, const struct nodeset *nodes,
		     size_t count, int *node)
{
	static struct area area;
	const size_t huge = huge_bytes();
	size_t len = count * huge;
	int ret;

	if (!thp_available())
		return -EOPNOTSUPP;
	if (!area.start) {
		ret = area_map(&area, len / page_bytes(), huge / page_bytes());
		if (ret)
			return ret;
		if (madvise(area.start, len, MADV_HUGEPAGE))
			return -EOPNOTSUPP;
	}
	ret = policy_bind(area.start, len, mode, nodes, 0);
	if (!ret)
		ret = place(area.start, count, huge, node);
	if (!ret && thp_backed(area.start) != len)
		ret = -EAGAIN;
	madvise(area.start, area.len, MADV_DONTNEED);
	return ret;
}

/* A file on a tmpfs that has huge pages where it can */
static int place_tmpfs_thp(int mode, const struct nodeset *nodes,
			   size_t count, int *node)
{
	const size_t huge = huge_bytes(), len = count * huge;
	long long before, after;
	static struct area area;
	static int fd = -1;
	char dir[64];
	int ret;

	if (fd < 0) {
		if (fs_mount("tmpfs", "huge=always", dir, sizeof(dir)))
			return -EOPNOTSUPP;
		fd = fs_file(dir);
		fs_unmount(dir);
		if (fd < 0)
			return fd;
		ret = area_map(&area, len / page_bytes(), huge / page_bytes());
		if (ret)
			return ret;
		if (mmap(area.start, len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return -errno;
	}
	if (ftruncate(fd, len))
		return -errno;
	before = file_value("/proc/meminfo", "ShmemHugePages:");
	ret = policy_bind(area.start, len, mode, nodes, 0);
	if (!ret)
		ret = place(area.start, count, huge, node);
	after = file_value("/proc/meminfo", "ShmemHugePages:");
	if (!ret && (after - before) * 1024 != (long long)len)
		ret = -EAGAIN;
	if (ftruncate(fd, 0))
		return -errno;
	return ret;
}

static int place_hugetlb(int mode, const struct nodeset *nodes,
			 size_t count, int *node, int fd)
{
	const size_t huge = huge_bytes();
	int old[MAX_ROUND_NODES];
	int nr = nodeset_count(nodes);
	char *map = MAP_FAILED;
	int i, ret = 0;

	for (i = 0; i < nr; i++) {
		old[i] = hugetlb_pool(nodeset_nth(nodes, i),
				      huge_share(nodes, count));
		if (old[i] < 0)
			ret = -EOPNOTSUPP;
	}
	if (!ret && fd >= 0)
		map = mmap(NULL, count * huge, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	else if (!ret)
		map = mmap(NULL, count * huge, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (map == MAP_FAILED) {
		ret = -EOPNOTSUPP;
	} else {
		ret = policy_bind(map, count * huge, mode, nodes, 0);
		if (!ret)
			ret = place(map, count, huge, node);
		munmap(map, count * huge);
	}
	if (fd >= 0 && ftruncate(fd, 0))
		ret = -errno;
	for (i = 0; i < nr; i++)
		if (old[i] >= 0)
			hugetlb_pool(nodeset_nth(nodes, i), old[i]);
	return ret;
}

static int place_hugetlb_private(int mode, const struct nodeset *nodes,
				 size_t count, int *node)
{
	return place_hugetlb(mode, nodes, count, node, -1);
}

static int place_hugetlb_file(int mode, const struct nodeset *nodes,
			      size_t count, int *node)
{
	char dir[64];
	int fd, ret;

	if (fs_mount("hugetlbfs", NULL, dir, sizeof(dir)))
		return -EOPNOTSUPP;
	fd = fs_file(dir);
	if (fd < 0)
		return fd;
	if (ftruncate(fd, count * huge_bytes()))
		return -errno;
	ret = place_hugetlb(mode, nodes, count, node, fd);
	close(fd);
	fs_unmount(dir);
	return ret;
}

/* Two nodes, all the ways base pages get placed */

FIXTURE(two_nodes)
{
	struct context ctx;
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

/* What both fixtures with two nodes begin and end with, -errno */
static int two_nodes_enter(struct context *ctx, struct round *round, int *order,
			   long long *run_order, const unsigned int *weight)
{
	int ret = context_setup(ctx);

	if (ret || ctx->missing)
		return ret;
	*run_order = run_order_placements();
	ret = round_write(round, &ctx->nodes, weight);
	return ret ? ret : round_sample(round, &ctx->nodes, order);
}

/* Nothing here leaves a policy without its table */
static int two_nodes_leave(struct context *ctx, long long run_order)
{
	int ret = context_teardown(ctx);

	if (!ret && !ctx->missing && run_order != run_order_placements())
		return -EINVAL;
	return ret;
}

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

/* Two rounds of huge pages, with weights whose round is not larger than a node */

FIXTURE(huge_pages)
{
	struct context ctx;
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

TEST_F(huge_pages, transparent_huge_pages)
{
	struct round *round = &self->round;
	const size_t count = 2 * round->total;
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!room_for_huge(&self->ctx.nodes, count))
		SKIP(return, "too little free memory on a node");

	ret = place_thp(MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
			count, placed);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no transparent huge pages to be had");
	ASSERT_EQ(0, ret);
	EXPECT_TRUE(round_exact(round, placed, count));
	EXPECT_TRUE(round_window(round, placed, round->total + 1));
}

TEST_F(huge_pages, tmpfs_huge_pages)
{
	struct round *round = &self->round;
	const size_t count = 2 * round->total;
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!room_for_huge(&self->ctx.nodes, count))
		SKIP(return, "too little free memory on a node");

	ret = place_tmpfs_thp(MPOL_WEIGHTED_INTERLEAVE, &self->ctx.nodes,
			      count, placed);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no transparent huge pages to be had");
	ASSERT_EQ(0, ret);
	EXPECT_TRUE(round_exact(round, placed, count));
	EXPECT_TRUE(round_window(round, placed, round->total + 1));
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

FIXTURE(placement)
{
	struct context ctx;
	long long run_order;
};

FIXTURE_SETUP(placement)
{
	ASSERT_EQ(0, context_setup(&self->ctx));
	if (self->ctx.missing)
		return;
	self->run_order = run_order_placements();
	ASSERT_LE(0, self->run_order);
}

FIXTURE_TEARDOWN(placement)
{
	EXPECT_EQ(0, context_teardown(&self->ctx));
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
	unsigned int weight[16];
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
	pid = fork();
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

/* All weights equal: page by page where MPOL_INTERLEAVE puts it */

FIXTURE(as_interleave)
{
	struct context ctx;
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
	ASSERT_EQ(0, context_setup(&self->ctx));
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
	EXPECT_EQ(0, context_teardown(&self->ctx));
}

/* 0, or what the way gave; -EXDEV when a page went elsewhere */
static int compare(struct context *ctx, size_t count,
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

TEST_F(as_interleave, transparent_huge_pages)
{
	const size_t count = 12;
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!room_for_huge(&self->ctx.nodes, count))
		SKIP(return, "too little free memory on a node");
	ret = compare(&self->ctx, count, place_thp);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no transparent huge pages to be had");
	EXPECT_EQ(0, ret);
}

TEST_F(as_interleave, tmpfs_huge_pages)
{
	const size_t count = 12;
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!room_for_huge(&self->ctx.nodes, count))
		SKIP(return, "too little free memory on a node");
	ret = compare(&self->ctx, count, place_tmpfs_thp);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no transparent huge pages to be had");
	EXPECT_EQ(0, ret);
}

TEST_F(as_interleave, hugetlb)
{
	const size_t count = 12;
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!room_for_huge(&self->ctx.nodes, count))
		SKIP(return, "too little free memory on a node");
	ret = compare(&self->ctx, count, place_hugetlb_private);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no huge pages to be had");
	EXPECT_EQ(0, ret);
}

TEST_F(as_interleave, hugetlb_file)
{
	const size_t count = 12;
	int ret;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (!room_for_huge(&self->ctx.nodes, count))
		SKIP(return, "too little free memory on a node");
	ret = compare(&self->ctx, count, place_hugetlb_file);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no huge pages to be had");
	EXPECT_EQ(0, ret);
}
