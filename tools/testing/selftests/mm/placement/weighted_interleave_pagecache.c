// SPDX-License-Identifier: GPL-2.0
/*
 * Memory without an address comes in pieces of several sizes: folios of the page
 * cache, the rings of an io_uring. Each size has its shares of the nodes by itself,
 * and so have all together.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "cases.h"
#include "interleave.h"
#include "physical.h"

/*
 * An io_uring's queue entries take 16 pages of 4 KiB, its rings 32: more than any
 * other kernel object does that comes to be on the way.
 */
#define SQ_ENTRIES	1024
#define CQ_ENTRIES	4096
#define PAGES_OF_SQES	16
#define PAGES_OF_RINGS	32
#define RINGS		64

/* Files have this many pages of 4 KiB; what is free on a node is to be more */
#define SMALL_PAGES	256UL
#define LARGE_PAGES	8192UL
#define ROOM		(LARGE_PAGES + 2048)

/* On a slower kernel a quarter: a disk's cases look at 100 files page by page */
static size_t large_pages(void)
{
	return slowdown() > 1 ? LARGE_PAGES / 4 : LARGE_PAGES;
}

/* Of a part of it, as many pages as the kernel wants to map at least */
static int node_of_ring(int fd, off_t part, size_t pages)
{
	size_t len = pages * page_bytes();
	char *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, part);
	int node, ret;

	if (map == MAP_FAILED)
		return -errno;
	ret = nodes_of_pages(map, 1, page_bytes(), &node);
	munmap(map, len);
	return ret ? ret : node;
}

/* Where what an io_uring has allocated is */
static int make_ring(int *rings, int *sqes)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_CQSIZE,
		.cq_entries = CQ_ENTRIES,
	};
	int fd = syscall(__NR_io_uring_setup, SQ_ENTRIES, &params);

	if (fd < 0)
		return -errno;
	*rings = node_of_ring(fd, IORING_OFF_SQ_RING, 1);
	*sqes = node_of_ring(fd, IORING_OFF_SQES, PAGES_OF_SQES);
	close(fd);
	return 0;
}

/* Two nodes that kernel memory can come from, and a policy over them */
struct ratio {
	int mode;
	unsigned int weight[2];
};

static const struct ratio even = { MPOL_WEIGHTED_INTERLEAVE, { 1, 1 } };
static const struct ratio three_to_one = { MPOL_WEIGHTED_INTERLEAVE, { 3, 1 } };
static const struct ratio interleave = { MPOL_INTERLEAVE, { 1, 1 } };

struct shares {
	struct interleave_context ctx;
	struct round round;
	int mode;
};

static int shares_enter(struct shares *shares, const struct ratio *ratio)
{
	int ret = interleave_enter(&shares->ctx);

	shares->mode = ratio->mode;
	if (ret || shares->ctx.missing)
		return ret;
	if (page_bytes() != 4096)
		shares->ctx.missing = "needs pages of 4 KiB";
	else if (!shares->ctx.kernel_memory)
		shares->ctx.missing = "needs two nodes with kernel memory";
	else if (!nodes_have_room(&shares->ctx.nodes, ROOM))
		shares->ctx.missing = "too little free memory on a node";
	if (shares->ctx.missing)
		return 0;
	return round_write(&shares->round, &shares->ctx.nodes, ratio->weight);
}

static int shares_begin(const struct shares *shares)
{
	return policy_set(shares->mode, &shares->ctx.nodes);
}

FIXTURE(ratios)
{
	struct shares shares;
};

FIXTURE_VARIANT(ratios)
{
	const struct ratio *ratio;
};

FIXTURE_VARIANT_ADD(ratios, even) { .ratio = &even };
FIXTURE_VARIANT_ADD(ratios, three_to_one) { .ratio = &three_to_one };
FIXTURE_VARIANT_ADD(ratios, interleave) { .ratio = &interleave };

FIXTURE_SETUP(ratios)
{
	ASSERT_EQ(0, shares_enter(&self->shares, variant->ratio));
}

FIXTURE_TEARDOWN(ratios)
{
	EXPECT_EQ(0, interleave_leave(&self->shares.ctx));
}

/* Whenever one looks */
static bool shared_out(const struct round *round, const int *placed)
{
	size_t i;

	for (i = 1; i <= RINGS; i++)
		if (!round_window(round, placed, i))
			return false;
	return true;
}

TEST_F(ratios, rings)
{
	int rings[RINGS], sqes[RINGS], i, ret = 0;

	if (self->shares.ctx.missing)
		SKIP(return, "%s", self->shares.ctx.missing);
	if (syscall(__NR_io_uring_setup, 0, NULL) && errno != EFAULT)
		SKIP(return, "no io_uring in this kernel");
	ASSERT_EQ(0, shares_begin(&self->shares));
	for (i = 0; i < RINGS && !ret; i++)
		ret = make_ring(&rings[i], &sqes[i]);
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, ret);
	EXPECT_TRUE(shared_out(&self->shares.round, rings)) TH_LOG("%d pages each", PAGES_OF_RINGS);
	EXPECT_TRUE(shared_out(&self->shares.round, sqes)) TH_LOG("%d pages each", PAGES_OF_SQES);
}

/* Files are read and written in pieces of, in pages */
static const size_t piece_pages[] = { 1, 32, 256 };

#define ORDERS		10

static int placed[LARGE_PAGES];
static unsigned long frames[LARGE_PAGES], flags[LARGE_PAGES];

static int look_at_file(int fd, size_t pages)
{
	char *map = mmap(NULL, pages * page_bytes(), PROT_READ, MAP_SHARED, fd, 0);
	size_t i;
	int ret;

	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < pages; i++)
		asm volatile("" : : "r" (*(volatile char *)(map + i * page_bytes())));
	ret = nodes_of_pages(map, pages, page_bytes(), placed);
	if (!ret)
		ret = frames_of_pages(map, pages, frames);
	for (i = 0; i < pages && !ret; i++)
		ret = flags_of_frames(frames[i], 1, &flags[i]);
	munmap(map, pages * page_bytes());
	return ret;
}

static bool has(size_t page, int flag)
{
	return flags[page] & 1UL << flag;
}

/* The order of the folio that begins with @page */
static int order_at(size_t page, size_t pages)
{
	size_t end = page + 1;
	int order = 0;

	if (!has(page, KPF_COMPOUND_HEAD))
		return 0;
	while (end < pages && has(end, KPF_COMPOUND_TAIL))
		end++;
	while (page + (2UL << order) <= end)
		order++;
	return order < ORDERS ? order : ORDERS - 1;
}

/* Off by at most a sixtieth of the file, and by so many pages, as no folio is divided */
static bool close_enough(const struct round *round, const long *count, size_t pages, size_t whole)
{
	long total = count[0] + count[1];
	long apart = labs(count[0] * round->total - total * round->weight[0]);

	return apart * 60 <= (long)(pages + 60 * whole) * round->total;
}

/* @turns: how many were taken, by whatever single pages it takes beside the file's own as well */
static bool has_its_shares(const struct round *round, size_t pages, long long turns)
{
	long count[ORDERS][2] = {}, all[2] = {};
	size_t i, end, whole = 0, others;
	bool good = true;
	int order;

	for (i = 0; i < pages; i = end) {
		order = order_at(i, pages);
		end = i + (1UL << order);
		if (placed[i] != round->node[0] && placed[i] != round->node[1]) {
			note("page %zu is on node %d", i, placed[i]);
			return false;
		}
		count[order][placed[i] == round->node[1]] += 1L << order;
		all[placed[i] == round->node[1]] += 1L << order;
		turns--;
	}
	/* One folio of each size, and what others have taken of the turns of single pages */
	others = turns > 0 ? turns : 0;
	for (order = 0; order < ORDERS; order++) {
		size_t least = order ? (1UL << order) - 1 : others;

		if (!close_enough(round, count[order], pages, least))
			good = false;
		if (count[order][0] + count[order][1])
			whole += least;
	}
	if (!close_enough(round, all, pages, whole))
		good = false;
	for (order = 0; order < ORDERS && !good; order++)
		note("order %d: %ld and %ld pages of %zu, %u:%u, %zu turns of others", order,
		     count[order][0], count[order][1], pages, round->weight[0],
		     round->weight[1], others);
	return good;
}

static int fill(int fd, size_t pages, size_t piece)
{
	static char data[SMALL_PAGES << 12];
	size_t bytes = piece * page_bytes(), at;

	memset(data, 1, sizeof(data));
	for (at = 0; at < pages * page_bytes(); at += bytes)
		if (pwrite(fd, data, bytes, at) != (ssize_t)bytes)
			return -EIO;
	return 0;
}

static int read_all(int fd, size_t pages, size_t piece)
{
	static char data[SMALL_PAGES << 12];
	size_t bytes = piece * page_bytes(), at;

	for (at = 0; at < pages * page_bytes(); at += bytes)
		if (pread(fd, data, bytes, at) != (ssize_t)bytes)
			return -EIO;
	return 0;
}

static int touch_all(int fd, size_t pages, size_t piece)
{
	char *map = mmap(NULL, pages * page_bytes(), PROT_READ, MAP_SHARED, fd, 0);
	size_t i;

	(void)piece;
	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < pages; i++)
		asm volatile("" : : "r" (*(volatile char *)(map + i * page_bytes())));
	munmap(map, pages * page_bytes());
	return 0;
}

/* Nothing of the file is in the page cache */
static int drop(int fd)
{
	return fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) ? -EIO : 0;
}

/* So many allocations got the node that was theirs by a policy that interleaves */
static long long turns_taken(const struct round *round)
{
	return node_interleave_hits(round->node[0]) + node_interleave_hits(round->node[1]);
}

/* What @use brings into the page cache under the policy has its shares */
static int check(const struct shares *shares, int fd, size_t pages, size_t piece,
		 int (*use)(int fd, size_t pages, size_t piece))
{
	const struct round *round = &shares->round;
	long long turns = -turns_taken(round);
	int ret = shares_begin(shares);

	if (!ret)
		ret = use(fd, pages, piece);
	policy_set(MPOL_DEFAULT, NULL);
	turns += turns_taken(round);
	if (!ret)
		ret = look_at_file(fd, pages);
	if (ret)
		return ret;
	if (has_its_shares(round, pages, turns))
		return 0;
	note("in pieces of %zu pages", piece);
	return -EXDEV;
}

/* Huge pages where the file is as long */
TEST_F(ratios, tmpfs)
{
	const size_t sizes[] = { SMALL_PAGES, large_pages() };
	char dir[64];
	size_t i, j;
	int fd;

	if (self->shares.ctx.missing)
		SKIP(return, "%s", self->shares.ctx.missing);
	ASSERT_EQ(0, fs_mount("tmpfs", "huge=within_size", dir, sizeof(dir)));
	for (i = 0; i < ARRAY_LEN(sizes); i++)
		for (j = 0; j < ARRAY_LEN(piece_pages); j++) {
			fd = fs_file(dir);
			ASSERT_LE(0, fd);
			ASSERT_EQ(0, ftruncate(fd, sizes[i] * page_bytes()));
			EXPECT_EQ(0, check(&self->shares, fd, sizes[i], piece_pages[j], fill));
			close(fd);
		}
	fs_unmount(dir);
}

/* File systems of a disk, which a machine that has one mounts at /mnt/TYPE */
struct file_system {
	const char *type;
	long magic;
};

static const struct file_system ext4 = { "ext4", EXT4_SUPER_MAGIC };
static const struct file_system xfs = { "xfs", XFS_SUPER_MAGIC };

FIXTURE(disk)
{
	struct shares shares;
	const char *missing;
	char dir[64];
};

FIXTURE_VARIANT(disk)
{
	const struct file_system *fs;
	const struct ratio *ratio;
};

FIXTURE_VARIANT_ADD(disk, ext4_even) { .fs = &ext4, .ratio = &even };
FIXTURE_VARIANT_ADD(disk, ext4_three_to_one) { .fs = &ext4, .ratio = &three_to_one };
FIXTURE_VARIANT_ADD(disk, ext4_interleave) { .fs = &ext4, .ratio = &interleave };
FIXTURE_VARIANT_ADD(disk, xfs_even) { .fs = &xfs, .ratio = &even };
FIXTURE_VARIANT_ADD(disk, xfs_three_to_one) { .fs = &xfs, .ratio = &three_to_one };
FIXTURE_VARIANT_ADD(disk, xfs_interleave) { .fs = &xfs, .ratio = &interleave };

FIXTURE_SETUP(disk)
{
	struct statfs fs;

	ASSERT_EQ(0, shares_enter(&self->shares, variant->ratio));
	self->missing = self->shares.ctx.missing;
	snprintf(self->dir, sizeof(self->dir), "/mnt/%s", variant->fs->type);
	if (!self->missing && (statfs(self->dir, &fs) || fs.f_type != variant->fs->magic))
		self->missing = "needs a disk with this file system, mounted below /mnt";
}

FIXTURE_TEARDOWN(disk)
{
	EXPECT_EQ(0, interleave_leave(&self->shares.ctx));
}

TEST_F(disk, written)
{
	const size_t sizes[] = { SMALL_PAGES, large_pages() };
	size_t i, j;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	for (i = 0; i < ARRAY_LEN(sizes); i++)
		for (j = 0; j < ARRAY_LEN(piece_pages); j++) {
			fd = fs_file(self->dir);
			ASSERT_LE(0, fd);
			EXPECT_EQ(0, check(&self->shares, fd, sizes[i], piece_pages[j], fill));
			close(fd);
		}
}

/* What readahead brings, whoever asks, in pieces or through a mapping */
static int check_reads(const struct shares *shares, const char *dir, size_t pages,
		       int (*use)(int fd, size_t pages, size_t piece))
{
	int fd = fs_file(dir), ret = 0;
	size_t i;

	if (fd < 0)
		return fd;
	ret = fill(fd, pages, SMALL_PAGES);
	for (i = 0; i < ARRAY_LEN(piece_pages) && !ret; i++) {
		ret = drop(fd);
		if (!ret)
			ret = check(shares, fd, pages, piece_pages[i], use);
	}
	close(fd);
	return ret;
}

TEST_F(disk, read)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	EXPECT_EQ(0, check_reads(&self->shares, self->dir, large_pages(), read_all));
	EXPECT_EQ(0, check_reads(&self->shares, self->dir, SMALL_PAGES, read_all));
}

TEST_F(disk, mapped)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	EXPECT_EQ(0, check_reads(&self->shares, self->dir, large_pages(), touch_all));
	EXPECT_EQ(0, check_reads(&self->shares, self->dir, SMALL_PAGES, touch_all));
}
