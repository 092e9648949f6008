// SPDX-License-Identifier: GPL-2.0
/*
 * Where pages of shared objects and huge pages go when these have weights of
 * their own, whoever touches them: tmpfs, System V shared memory, hugetlbfs.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/shm.h>

#include "cases.h"
#include "own_weights.h"
#include "placement.h"

static int touches_pages(void *arg)
{
	const struct area *area = arg;

	touch(area->start, PAGES, page_bytes());
	return 0;
}

/* The weights are the object's: they hold for whoever touches it */
TEST_F(weights, shared_object)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct own_policy own, other;
	struct round round;
	struct area area;
	char *again;
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	fd = memfd_create("weights", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, PAGES * page));
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_TRUE(mmap(area.start, area.len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == area.start);
	madvise(area.start, area.len, MADV_NOHUGEPAGE);
	own_fill(&own, &ctx->nodes, five_one);
	round_init(&round, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_EQ(0, in_child(touches_pages, &area));
	ASSERT_EQ(0, nodes_of_file(fd, 0, PAGES, placed));
	EXPECT_TRUE(round_exact(&round, placed, PAGES));

	/* A second mapping of it sees them, also when the first has gone */
	again = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	ASSERT_TRUE(again != MAP_FAILED);
	EXPECT_TRUE(still_has(again, &own));
	area_unmap(&area);
	EXPECT_TRUE(still_has(again, &own));

	/* A part gets others; the rest keeps its own */
	own_fill(&other, &ctx->nodes, one_five);
	ASSERT_EQ(0, own_bind(again + 120 * page, 120 * page, &other, 0));
	EXPECT_TRUE(still_has(again, &own));
	EXPECT_TRUE(still_has(again + 120 * page, &other));
	EXPECT_TRUE(still_has(again + 240 * page, &own));
	ASSERT_EQ(0, madvise(again, PAGES * page, MADV_REMOVE));
	ASSERT_EQ(0, place(again, PAGES, page, placed));
	EXPECT_TRUE(round_exact(&round, placed, 120));
	EXPECT_TRUE(round_exact(&round, placed + 240, PAGES - 240));
	round_init(&round, &ctx->nodes, one_five);
	EXPECT_TRUE(round_exact(&round, placed + 120, 120));
	close(fd);
}

/* So are those of a segment of shared memory */
TEST_F(weights, shared_segment)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct own_policy own;
	struct round round;
	char *map[2];
	int id, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	id = shmget(IPC_PRIVATE, PAGES * page, 0600);
	if (id < 0)
		SKIP(return, "no System V shared memory");

	for (i = 0; i < 2; i++)
		map[i] = shmat(id, NULL, 0);
	EXPECT_EQ(0, shmctl(id, IPC_RMID, NULL));
	ASSERT_TRUE(map[0] != (void *)-1 && map[1] != (void *)-1);
	madvise(map[1], PAGES * page, MADV_NOHUGEPAGE);
	own_fill(&own, &ctx->nodes, five_one);
	round_init(&round, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(map[0], PAGES * page, &own, 0));
	ASSERT_EQ(0, shmdt(map[0]));
	EXPECT_TRUE(still_has(map[1], &own));
	ASSERT_EQ(0, place(map[1], PAGES, page, placed));
	EXPECT_TRUE(round_exact(&round, placed, PAGES));
	ASSERT_EQ(0, shmdt(map[1]));
}

/* A shared object follows the global weight where it has none of its own */
TEST_F(weights, shared_object_follows)
{
	static const unsigned int given[] = { 0, 2 };
	static const unsigned int global[][2] = { { 1, 1 }, { 5, 3 }, { 8, 8 } };
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	unsigned int want[2];
	struct round round;
	struct area area;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, given);
	ASSERT_EQ(0, area_map_shared(&area, PAGES));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	for (i = 0; i < ARRAY_LEN(global); i++) {
		ASSERT_EQ(0, round_write(&round, &ctx->nodes, global[i]));
		want[0] = global[i][0];
		want[1] = given[1];
		round_init(&round, &ctx->nodes, want);
		ASSERT_EQ(0, madvise(area.start, area.len, MADV_REMOVE));
		ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), placed));
		EXPECT_TRUE(round_exact(&round, placed, PAGES));
		EXPECT_EQ(0, own_get(&got, area.start, MPOL_F_ADDR));
		EXPECT_EQ(want[0], got.weight[ctx->first]);
		EXPECT_EQ(want[1], got.weight[ctx->second]);
		EXPECT_TRUE(still_has(area.start, &own));
	}
}

/* Weights of positions beyond the nodes are the object's, too, and each part's */
TEST_F(weights, shared_object_by_position)
{
	static const unsigned int given[] = { 1, 2, 3 }, want[] = { 1, 5 };
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct own_policy own, other;
	struct round round;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	own_fill_positions(&own, ctx, given);
	if (own_set(&own))
		SKIP(return, "this kernel has no more node ids than this machine");

	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, area_map_shared(&area, PAGES));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	own_fill(&other, &ctx->nodes, one_five);
	ASSERT_EQ(0, own_bind(area.start + 120 * page, 120 * page, &other, 0));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_TRUE(still_has(area.start + 240 * page, &own));
	EXPECT_EQ(0, in_child(touches_pages, &area));
	ASSERT_EQ(0, place(area.start, PAGES, page, placed));
	round_init(&round, &ctx->nodes, want);
	EXPECT_TRUE(round_exact(&round, placed, 120));
	EXPECT_TRUE(round_exact(&round, placed + 240, PAGES - 240));
	area_unmap(&area);
}

#define HUGE_PAGES 12

/* Sets the number of huge pages of a node; what it was, or -errno */
static int hugetlb_pool(int node, int count)
{
	long long kib = file_value("/proc/meminfo", "Hugepagesize:");
	char path[160], text[32];
	int ret, old;

	snprintf(path, sizeof(path),
		 NODE_DIR "/node%d/hugepages/hugepages-%lldkB/nr_hugepages",
		 node, kib);
	ret = file_read(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	old = atoi(text);
	ret = file_print(path, "%d\n", count);
	if (ret)
		return ret;
	file_read(path, text, sizeof(text));
	if (atoi(text) == count)
		return old;
	file_print(path, "%d\n", old);
	return -ENOMEM;
}

/* As many huge pages on each of both nodes; those before go to @old */
static const char *hugetlb_pools(const struct context *ctx, long long huge,
				 int *old)
{
	old[0] = -1;
	old[1] = -1;
	if (huge < 0)
		return "no huge pages in this kernel";
	if (!nodes_have_room(&ctx->nodes, HUGE_PAGES * huge / page_bytes()))
		return "too little free memory on a node";
	old[0] = hugetlb_pool(ctx->first, HUGE_PAGES);
	old[1] = hugetlb_pool(ctx->second, HUGE_PAGES);
	return old[0] < 0 || old[1] < 0 ? "no huge pages to be had" : NULL;
}

static void hugetlb_pools_restore(const struct context *ctx, const int *old)
{
	if (old[0] >= 0)
		hugetlb_pool(ctx->first, old[0]);
	if (old[1] >= 0)
		hugetlb_pool(ctx->second, old[1]);
}

TEST_F(weights, hugetlb)
{
	struct context *ctx = &self->ctx;
	long long huge = file_value("/proc/meminfo", "Hugepagesize:") * 1024;
	struct own_policy own;
	struct round round;
	const char *missing;
	int old[2], flags, i;
	char *map;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	missing = hugetlb_pools(ctx, huge, old);
	own_fill(&own, &ctx->nodes, five_one);
	round_init(&round, &ctx->nodes, five_one);
	for (i = 0; i < 2 && !missing; i++) {
		flags = i ? MAP_SHARED : MAP_PRIVATE;
		map = mmap(NULL, HUGE_PAGES * huge, PROT_READ | PROT_WRITE,
			   flags | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
		if (map == MAP_FAILED) {
			missing = "no huge pages to be had";
			break;
		}
		EXPECT_EQ(0, own_bind(map, HUGE_PAGES * huge, &own, 0));
		EXPECT_EQ(0, place(map, HUGE_PAGES, huge, placed));
		EXPECT_TRUE(round_exact(&round, placed, HUGE_PAGES));
		EXPECT_TRUE(still_has(map, &own));
		munmap(map, HUGE_PAGES * huge);
	}
	hugetlb_pools_restore(ctx, old);
	if (missing)
		SKIP(return, "%s", missing);
}

/* The policy of @addr: its mode, or -errno */
static int mode_of(void *addr)
{
	int mode, ret;

	ret = policy_get(&mode, NULL, addr, MPOL_F_ADDR);
	return ret ? ret : mode;
}

/*
 * A file of huge pages has no policy, in any mode: each of its mappings has one
 * of its own, and places by the offset in the file.
 */
static const char *two_hugetlb_mappings(struct __test_metadata *_metadata,
					struct context *ctx, int fd,
					size_t huge)
{
	const size_t half = HUGE_PAGES / 2 * huge;
	struct own_policy own, other;
	struct round round;
	char *map[2];
	int i;

	for (i = 0; i < 2; i++) {
		map[i] = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);
		if (map[i] == MAP_FAILED)
			return "no huge pages to be had";
	}
	EXPECT_EQ(0, policy_bind(map[0], 2 * half, MPOL_INTERLEAVE,
				 &ctx->nodes, 0));
	EXPECT_EQ(MPOL_DEFAULT, mode_of(map[1]));
	own_fill(&own, &ctx->nodes, five_one);
	EXPECT_EQ(0, own_bind(map[0], 2 * half, &own, 0));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode_of(map[0]));
	EXPECT_EQ(MPOL_DEFAULT, mode_of(map[1]));
	own_fill(&other, &ctx->nodes, one_five);
	EXPECT_EQ(0, own_bind(map[1], 2 * half, &other, 0));
	EXPECT_TRUE(still_has(map[0], &own));
	EXPECT_TRUE(still_has(map[1], &other));

	/* Who touches a page first places it, for both */
	touch(map[0], HUGE_PAGES / 2, huge);
	touch(map[1] + half, HUGE_PAGES / 2, huge);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, place(map[i], HUGE_PAGES, huge, placed));
		round_init(&round, &ctx->nodes, five_one);
		EXPECT_TRUE(round_exact(&round, placed, HUGE_PAGES / 2));
		round_init(&round, &ctx->nodes, one_five);
		EXPECT_TRUE(round_exact(&round, placed + HUGE_PAGES / 2,
					HUGE_PAGES / 2));
	}

	/* The same weights by either mapping are the same layout */
	EXPECT_EQ(0, own_bind(map[1], 2 * half, &own, 0));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, madvise(map[i], 2 * half, MADV_REMOVE));
		EXPECT_EQ(0, place(map[i], HUGE_PAGES, huge,
				   i ? placed : fresh));
	}
	EXPECT_TRUE(same_nodes(placed, fresh, HUGE_PAGES));
	for (i = 0; i < 2; i++)
		munmap(map[i], 2 * half);
	return NULL;
}

static const char *hugetlb_object(struct __test_metadata *_metadata,
				  struct context *ctx, int fd, long long huge)
{
	const char *missing;
	int old[2];

	missing = hugetlb_pools(ctx, huge, old);
	if (!missing) {
		EXPECT_EQ(0, ftruncate(fd, HUGE_PAGES * huge));
		missing = two_hugetlb_mappings(_metadata, ctx, fd, huge);
	}
	close(fd);
	hugetlb_pools_restore(ctx, old);
	return missing;
}

TEST_F(weights, hugetlb_memfd)
{
	struct context *ctx = &self->ctx;
	long long huge = file_value("/proc/meminfo", "Hugepagesize:") * 1024;
	const char *missing;
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	fd = memfd_create("weights", MFD_HUGETLB);
	if (fd < 0)
		SKIP(return, "no huge pages in this kernel");
	missing = hugetlb_object(_metadata, ctx, fd, huge);
	if (missing)
		SKIP(return, "%s", missing);
}

TEST_F(weights, hugetlb_file)
{
	struct context *ctx = &self->ctx;
	long long huge = file_value("/proc/meminfo", "Hugepagesize:") * 1024;
	const char *missing;
	char dir[64];
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (fs_mount("hugetlbfs", NULL, dir, sizeof(dir)))
		SKIP(return, "no huge pages in this kernel");
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	missing = hugetlb_object(_metadata, ctx, fd, huge);
	fs_unmount(dir);
	if (missing)
		SKIP(return, "%s", missing);
}
