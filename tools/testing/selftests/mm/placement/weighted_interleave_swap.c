// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that come back from swap go where their policy puts them, whoever asks for
 * which of them first: private and shared memory, memory that a child has as well,
 * the policy of a task, huge pages that were split on the way out, swapoff.
 *
 * The swap space is the disk that a machine calls /dev/swap, or else a RAM disk, and
 * passes for a solid one or for one that turns. What a single process maps is read
 * without swap cache from a RAM disk; with a child that maps it as well it goes the
 * way that it goes from all other disks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <linux/fs.h>

#include "cases.h"
#include "huge_pages.h"
#include "interleave.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define SWAP "/dev/swap"
#define RAM_DISK "/dev/ram0"
#define CLUSTER "/proc/sys/vm/page-cluster"
#define BY_PAGE_TABLE "/sys/kernel/mm/swap/vma_ra_enabled"

#define PAGES 1024
/* Room for two generations: that of before may still be in the swap cache */
#define SWAP_PAGES (4 * PAGES)

static int placed[PAGES], after[PAGES];

static char disk[PATH_MAX], turns[PATH_MAX];

/*
 * What has gone to a disk that takes its time stays in the swap cache, until somebody
 * wants the memory: this group, which the memory belongs to. NULL with a RAM disk.
 */
static const char *group;
/* Those that the pages are spread over */
static const struct nodeset *all_nodes;

static void disk_find(void)
{
	if (!realpath(SWAP, disk))
		snprintf(disk, sizeof(disk), "%s", RAM_DISK);
	snprintf(turns, sizeof(turns), "/sys/block/%s/queue/rotational", strrchr(disk, '/') + 1);
}

/* A setting of the machine, to be put back */
struct setting {
	const char *path;
	long long saved;
};

enum { TURNING, READ_AHEAD, TABLE, SETTINGS };

struct swap_context {
	struct interleave_context interleave;
	struct memcg memcg;
	struct setting setting[SETTINGS];
	bool swapped_on;
	const char *missing;
};

/* A setting reads as a number, or as true and false */
static long long setting_read(const char *path)
{
	char text[32];
	int ret = file_read(path, text, sizeof(text));

	if (ret < 0)
		return ret;
	return strcmp(text, "true\n") ? atoll(text) : 1;
}

static int setting_write(struct setting *setting, const char *path, int value)
{
	long long saved = setting_read(path);

	if (saved < 0)
		return saved;
	setting->path = path;
	setting->saved = saved;
	return file_print(path, "%d\n", value);
}

/* Neither in use nor holding what somebody may want to keep, but as we leave it */
static const char *disk_prepare(void)
{
	const size_t page = page_bytes();
	static char header[1 << 16];
	__u32 *info = (__u32 *)(header + 1024);
	const char *missing = NULL;
	__u64 bytes = 0;
	int fd;

	fd = open(disk, O_RDWR | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return "needs a disk, " SWAP " or " RAM_DISK ", that is not in use";
	if (ioctl(fd, BLKGETSIZE64, &bytes) || bytes < (SWAP_PAGES + 1) * page) {
		missing = "the disk is too small";
	} else if (pread(fd, header, page, 0) != (ssize_t)page) {
		missing = "the disk cannot be read";
	} else if (memcmp(header + page - 10, "SWAPSPACE2", 10) &&
		   (header[0] || memcmp(header, header + 1, page - 1))) {
		missing = "there is something on the disk";
	} else {
		memset(header, 0, page);
		info[0] = 1;
		info[1] = SWAP_PAGES;
		memcpy(header + page - 10, "SWAPSPACE2", 10);
		if (pwrite(fd, header, page, 0) != (ssize_t)page || fsync(fd))
			missing = "the disk cannot be written";
	}
	close(fd);
	return missing;
}

static int swap_leave(struct swap_context *ctx)
{
	int ret = 0, again, i;

	if (ctx->swapped_on && swapoff(disk))
		ret = -errno;
	ctx->swapped_on = false;
	memcg_leave(&ctx->memcg);
	group = NULL;
	for (i = SETTINGS - 1; i >= 0; i--) {
		if (!ctx->setting[i].path)
			continue;
		again = file_print(ctx->setting[i].path, "%lld\n",
				   ctx->setting[i].saved);
		ret = ret ? ret : again;
		ctx->setting[i].path = NULL;
	}
	again = interleave_leave(&ctx->interleave);
	return ret ? ret : again;
}

static int swap_on(struct swap_context *ctx, bool turning)
{
	int ret;

	disk_find();
	ctx->missing = access("/proc/swaps", F_OK) ? "needs swap" : disk_prepare();
	if (ctx->missing)
		return 0;
	ret = setting_write(&ctx->setting[TURNING], turns, turning);
	if (!ret)
		ret = setting_write(&ctx->setting[READ_AHEAD], CLUSTER, 3);
	if (!ret)
		ret = setting_write(&ctx->setting[TABLE], BY_PAGE_TABLE, 1);
	if (!ret && swapon(disk, 0))
		ret = -errno;
	ctx->swapped_on = !ret;
	if (!ret && strcmp(disk, RAM_DISK)) {
		ret = memcg_enter(&ctx->memcg);
		group = ctx->memcg.group;
	}
	return ret;
}

/* Each CPU has room on the disk of its own: pages that are neighbours go out on one. */
static int stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? -errno : 0;
}

/*
 * What has been done is undone when the rest cannot be.  Nothing else of this process
 * goes out: it would lie between the pages of a test, and its window would take these
 * along, to where its own policy says.
 */
static int swap_enter(struct swap_context *ctx, bool turning)
{
	int ret = interleave_enter(&ctx->interleave);

	ctx->missing = ctx->interleave.missing;
	all_nodes = &ctx->interleave.nodes;
	if (!ret && !ctx->missing)
		ret = stay_on(sched_getcpu());
	if (!ret && !ctx->missing && mlockall(MCL_CURRENT))
		ret = -errno;
	if (!ret && !ctx->missing)
		ret = swap_on(ctx, turning);
	if (ret || ctx->missing)
		swap_leave(ctx);
	return ret;
}

/* How many pages of @area the swap cache or the file has */
static int resident(const struct area *area)
{
	static unsigned char in_core[PAGES];
	int i, count = 0;

	if (mincore(area->start, area->len, in_core))
		return -errno;
	for (i = 0; i < PAGES; i++)
		count += in_core[i] & 1;
	return count;
}

/* A disk takes its time */
static int resident_soon(const struct area *area)
{
	int rounds = 0, count;

	do {
		count = resident(area);
	} while (count >= 0 && count < PAGES && settle(&rounds));
	return count;
}

/*
 * What is new or has just been written may wait in a batch of any CPU, which keeps it
 * from going. migrate_pages(2) empties all of them before it looks for pages to move, and
 * from nodes to the same ones there are none.
 */
static int empty_batches(void)
{
	const unsigned long *from = all_nodes->word;

	return syscall(__NR_migrate_pages, 0, MAX_NODES, from, from) ? -errno : 0;
}

static int page_out(const struct area *area)
{
	int rounds = 0, left, ret;
	char path[128];

	do {
		ret = empty_batches();
		if (ret)
			return ret;
		if (madvise(area->start, area->len, MADV_PAGEOUT))
			return -errno;
		left = resident(area);
		if (left > 0 && group) {
			snprintf(path, sizeof(path), "%s/memory.reclaim", group);
			file_print(path, "%zu", left * page_bytes());
			left = resident(area);
		}
	} while (left > 0 && settle(&rounds));
	if (left > 0)
		note("%d pages do not go out", left);
	return left > 0 ? -EBUSY : left;
}

/* A child that maps what its parent does, as long as that lives; or -errno */
static pid_t child_begin(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid < 0 ? -errno : pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The child of swapoff: a policy of its own, and how it ended */
static int swaps_off(void *arg)
{
	const struct nodeset *nodes = arg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (policy_set(nodes ? MPOL_BIND : MPOL_DEFAULT, nodes))
		return 2;
	return swapoff(disk) ? 1 : 0;
}

/* The orders in which pages are asked for: up, down, and all over the place */
enum { UP, DOWN, SCATTERED, ORDERS };

static size_t nth_page(int order, size_t nth)
{
	switch (order) {
	case DOWN:
		return PAGES - 1 - nth;
	case SCATTERED:
		return nth * 389 % PAGES;
	default:
		return nth;
	}
}

static void write_all(const struct area *area)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		area->start[i * page_bytes()] = 1 + i % 100;
}

/* Reads each page; false when one has other contents */
static bool read_all(const struct area *area, int order)
{
	size_t i, nth;

	for (nth = 0; nth < PAGES; nth++) {
		i = nth_page(order, nth);
		if (area->start[i * page_bytes()] != 1 + (int)i % 100) {
			note("page %zu has come back with other contents", i);
			return false;
		}
	}
	return true;
}

static void count_other(const char *what, int order)
{
	static const char * const name[] = { "up", "down", "scattered" };
	int i, other = 0;

	for (i = 0; i < PAGES; i++)
		other += placed[i] != after[i];
	if (other)
		note("%s, %s: %d of %d pages have come back to another node", what,
		     name[order], other, PAGES);
}

FIXTURE(swap)
{
	struct swap_context ctx;
	struct area area;
};

/*
 * @turning: the disk passes for one that turns, where readahead goes by place on
 *           the disk; else it goes by the page table, but for shared memory
 * @shared:  an object in shared memory, with a policy of its own
 * @task:    the policy is that of the task
 * @child:   a child maps the memory as well
 * @huge:    huge pages go out
 * @off:     swapoff brings the pages back
 * @willneed: madvise() does
 */
FIXTURE_VARIANT(swap)
{
	bool turning, shared, task, child, huge, off, willneed;
};

FIXTURE_VARIANT_ADD(swap, private_solid) {};
FIXTURE_VARIANT_ADD(swap, private_turning) { .turning = true };
FIXTURE_VARIANT_ADD(swap, child_solid) { .child = true };
FIXTURE_VARIANT_ADD(swap, child_turning) { .child = true, .turning = true };
FIXTURE_VARIANT_ADD(swap, shared_solid) { .shared = true };
FIXTURE_VARIANT_ADD(swap, shared_turning) { .shared = true, .turning = true };
FIXTURE_VARIANT_ADD(swap, task_solid) { .task = true, .child = true };
FIXTURE_VARIANT_ADD(swap, task_turning)
{
	.task = true, .child = true, .turning = true
};

FIXTURE_VARIANT_ADD(swap, task_shared_solid) { .task = true, .shared = true };
FIXTURE_VARIANT_ADD(swap, task_shared_turning)
{
	.task = true, .shared = true, .turning = true
};

FIXTURE_VARIANT_ADD(swap, huge_solid) { .huge = true, .child = true };
FIXTURE_VARIANT_ADD(swap, huge_turning)
{
	.huge = true, .child = true, .turning = true
};

FIXTURE_VARIANT_ADD(swap, swapoff_solid) { .off = true };
FIXTURE_VARIANT_ADD(swap, swapoff_turning) { .off = true, .turning = true };
FIXTURE_VARIANT_ADD(swap, swapoff_shared_solid) { .off = true, .shared = true };
FIXTURE_VARIANT_ADD(swap, swapoff_shared_turning)
{
	.off = true, .shared = true, .turning = true
};

FIXTURE_VARIANT_ADD(swap, willneed_private) { .willneed = true };
FIXTURE_VARIANT_ADD(swap, willneed_shared) { .willneed = true, .shared = true };
FIXTURE_VARIANT_ADD(swap, willneed_task_shared)
{
	.willneed = true, .task = true, .shared = true
};

FIXTURE_SETUP(swap)
{
	struct swap_context *ctx = &self->ctx;
	int ret;

	ASSERT_EQ(0, swap_enter(ctx, variant->turning));
	if (ctx->missing)
		return;
	if (variant->huge && !thp_available())
		ctx->missing = "needs transparent huge pages";
	else if (variant->huge && !room_for_huge(&ctx->interleave.nodes, 4))
		ctx->missing = "too little free memory on a node";
	ret = variant->shared ? area_map_shared(&self->area, PAGES) :
		area_map(&self->area, PAGES, HUGE_BYTES / page_bytes());
	if (ret)
		swap_leave(ctx);
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(swap)
{
	if (self->area.start)
		area_unmap(&self->area);
	EXPECT_EQ(0, swap_leave(&self->ctx));
}

/* Sets a policy of the mapping or the object, or of the task */
static int set_policy(const struct area *area, bool task, int mode,
		      const struct nodeset *nodes)
{
	return task ? policy_set(mode, nodes) :
		      policy_bind(area->start, area->len, mode, nodes, 0);
}

/* Gives the pages back, so that the next ones are new */
static int give_back(const struct area *area, bool shared)
{
	return madvise(area->start, area->len,
		       shared ? MADV_REMOVE : MADV_DONTNEED) ? -errno : 0;
}

/*
 * The same memory again, in huge pages this time: a new mapping, as one whose small
 * pages have gone keeps its page tables
 */
static int fill_huge(const struct area *area, int mode, const struct nodeset *nodes)
{
	if (mmap(area->start, area->len, PROT_READ | PROT_WRITE, MAP_FIXED |
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != area->start ||
	    madvise(area->start, area->len, MADV_HUGEPAGE))
		return -errno;
	if (policy_bind(area->start, area->len, mode, nodes, 0))
		return -EINVAL;
	write_all(area);
	return thp_backed(area->start) == area->len ? 0 : -EAGAIN;
}

static const unsigned int three_one[] = { 3, 1 }, one_one[] = { 1, 1 };

static const struct {
	const char *name;
	int mode;
	const unsigned int *weight;
} policies[] = {
	{ "3:1", MPOL_WEIGHTED_INTERLEAVE, three_one },
	{ "1:1", MPOL_WEIGHTED_INTERLEAVE, one_one },
	{ "interleave", MPOL_INTERLEAVE, one_one },
};

/* Pages come back to where new ones have been put at the same addresses */
TEST_F(swap, comes_back)
{
	struct nodeset *nodes = &self->ctx.interleave.nodes;
	struct area *area = &self->area;
	struct round round;
	size_t nth;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	for (nth = 0; nth < ARRAY_LEN(policies) * ORDERS; nth++) {
		int mode = policies[nth / ORDERS].mode;
		int order = nth % ORDERS;
		pid_t child = 0;

		ASSERT_EQ(0, round_write(&round, nodes,
					 policies[nth / ORDERS].weight));
		ASSERT_EQ(0, set_policy(area, variant->task, mode, nodes));
		ASSERT_EQ(0, give_back(area, variant->shared));
		write_all(area);
		ASSERT_EQ(0, nodes_of_pages(area->start, PAGES, page_bytes(),
					    placed));
		ASSERT_TRUE(round_exact(&round, placed, PAGES));
		if (variant->huge)
			ASSERT_EQ(0, fill_huge(area, mode, nodes));
		ASSERT_EQ(0, page_out(area));
		/* Nobody puts them together again */
		madvise(area->start, area->len, MADV_NOHUGEPAGE);
		if (variant->child)
			child = child_begin();
		ASSERT_LE(0, child);
		if (variant->off) {
			ASSERT_EQ(0, in_child(swaps_off, NULL));
			self->ctx.swapped_on = false;
		}
		if (variant->willneed) {
			ASSERT_EQ(0, madvise(area->start, area->len, MADV_WILLNEED));
			EXPECT_EQ(PAGES, resident_soon(area));
		}
		EXPECT_TRUE(read_all(area, order));
		EXPECT_EQ(0, nodes_of_pages(area->start, PAGES, page_bytes(),
					    after));
		count_other(policies[nth / ORDERS].name, order);
		EXPECT_TRUE(same_nodes(placed, after, PAGES));
		if (child)
			child_end(child);
		if (variant->off) {
			ASSERT_EQ(0, swapon(disk, 0));
			self->ctx.swapped_on = true;
		}
	}
}

FIXTURE(swap_window)
{
	struct swap_context ctx;
	struct area area;
};

FIXTURE_SETUP(swap_window)
{
	int ret;

	ASSERT_EQ(0, swap_enter(&self->ctx, true));
	if (self->ctx.missing)
		return;
	ret = area_map_shared(&self->area, PAGES);
	if (ret)
		swap_leave(&self->ctx);
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(swap_window)
{
	if (self->area.start)
		area_unmap(&self->area);
	EXPECT_EQ(0, swap_leave(&self->ctx));
}

/* How many pages are read ahead when all are asked for in order; or -errno */
static long long read_ahead(const struct area *area)
{
	long long before;
	int ret;

	write_all(area);
	ret = page_out(area);
	if (ret)
		return ret;
	before = file_value("/proc/vmstat", "swap_ra");
	if (before < 0)
		return before;
	if (!read_all(area, UP))
		return -EIO;
	return file_value("/proc/vmstat", "swap_ra") - before;
}

/* Whose pages all go to one node reads many at once, as ever */
TEST_F(swap_window, stays_without_interleaving)
{
	struct interleave_context *ctx = &self->ctx.interleave;
	struct nodeset one = nodeset_of(ctx->second);
	struct area *area = &self->area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	EXPECT_LT(PAGES / 2, read_ahead(area));
	ASSERT_EQ(0, policy_bind(area->start, area->len, MPOL_BIND, &one, 0));
	EXPECT_LT(PAGES / 2, read_ahead(area));
	ASSERT_EQ(0, policy_bind(area->start, area->len, MPOL_INTERLEAVE, &one, 0));
	EXPECT_LT(PAGES / 2, read_ahead(area));
	ASSERT_EQ(0, policy_bind(area->start, area->len, MPOL_WEIGHTED_INTERLEAVE,
				 &one, 0));
	EXPECT_LT(PAGES / 2, read_ahead(area));
}

/* A policy of the task that is not asked, as the object has one, costs no window */
TEST_F(swap_window, goes_by_the_policy_in_force)
{
	struct interleave_context *ctx = &self->ctx.interleave;
	struct nodeset one = nodeset_of(ctx->second);
	struct area *area = &self->area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes));
	EXPECT_EQ(0, read_ahead(area));
	ASSERT_EQ(0, policy_bind(area->start, area->len, MPOL_BIND, &one, 0));
	EXPECT_LT(PAGES / 2, read_ahead(area));
	ASSERT_EQ(0, policy_bind(area->start, area->len, MPOL_INTERLEAVE,
				 &ctx->nodes, 0));
	EXPECT_EQ(0, read_ahead(area));
}

/* Every other run of pages in the second half of an area; windows are of 8 */
#define RUN 6

static bool in_run(size_t page)
{
	return page >= PAGES / 2 && (page - PAGES / 2) / RUN % 2 == 0;
}

/* Binds these runs, or what lies between them */
static int bind_runs(const struct area *area, bool those, int mode,
		     const struct nodeset *nodes, unsigned int flags)
{
	const size_t page = page_bytes();
	size_t i, pages;
	int ret = 0;

	for (i = PAGES / 2; i < PAGES && !ret; i += RUN) {
		pages = PAGES - i < RUN ? PAGES - i : RUN;
		if (in_run(i) == those)
			ret = policy_bind(area->start + i * page, pages * page, mode,
					  nodes, flags);
	}
	return ret;
}

/*
 * Whose policy puts all pages on one node takes neighbours on the disk along to it;
 * moving them mends it, as the documentation says
 */
TEST_F(swap_window, takes_neighbours_along_to_its_own_node)
{
	struct interleave_context *ctx = &self->ctx.interleave;
	struct nodeset one = nodeset_of(ctx->second);
	struct area *area = &self->area;
	struct round round;
	size_t i, other = 0;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, round_write(&round, &ctx->nodes, three_one));
	ASSERT_EQ(0, policy_bind(area->start, area->len, MPOL_WEIGHTED_INTERLEAVE,
				 &ctx->nodes, 0));
	write_all(area);
	ASSERT_EQ(0, nodes_of_pages(area->start, PAGES, page_bytes(), placed));
	ASSERT_TRUE(round_exact(&round, placed, PAGES));
	ASSERT_EQ(0, page_out(area));

	ASSERT_EQ(0, bind_runs(area, true, MPOL_BIND, &one, 0));
	for (i = 0; i < PAGES; i++) {
		if (!in_run(i))
			continue;
		EXPECT_EQ(1 + (int)i % 100, area->start[i * page_bytes()]);
		placed[i] = ctx->second;
	}
	EXPECT_TRUE(read_all(area, UP));
	ASSERT_EQ(0, nodes_of_pages(area->start, PAGES, page_bytes(), after));
	for (i = 0; i < PAGES; i++) {
		if (placed[i] == after[i])
			continue;
		EXPECT_EQ(ctx->second, after[i]);
		other++;
	}
	note("%zu of %d pages went along", other, PAGES);
	EXPECT_LT(0, other);

	ASSERT_EQ(0, policy_bind(area->start, area->len / 2, MPOL_WEIGHTED_INTERLEAVE,
				 &ctx->nodes, MPOL_MF_MOVE));
	ASSERT_EQ(0, bind_runs(area, false, MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes,
			       MPOL_MF_MOVE));
	ASSERT_EQ(0, nodes_of_pages(area->start, PAGES, page_bytes(), after));
	EXPECT_TRUE(same_nodes(placed, after, PAGES));
}

/*
 * Each page of an object gets weights that no other page has, goes out and comes in
 * again; what stays of all the weights when the policies are taken away, or -errno
 */
static long long weights_left(const char *group, const struct area *area,
			      const struct nodeset *nodes)
{
	const size_t page = page_bytes();
	struct own_policy own;
	unsigned int weight[2];
	long long before, left;
	int i, ret, cpu = sched_getcpu();

	/*
	 * The last ones wait in a batch of another CPU, if there is one. Reclaim would not
	 * empty it as long as it finds others of this process, which come in again.
	 */
	stay_on(!cpu);
	write_all(area);
	ret = stay_on(cpu);
	if (ret)
		return ret;
	before = slab_bytes(group);
	if (before < 0)
		return before;
	for (i = 0; i < PAGES && !ret; i++) {
		weight[0] = 1 + i % MAX_WEIGHT;
		weight[1] = 1 + i / MAX_WEIGHT;
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, nodes, weight);
		ret = own_bind(area->start + i * page, page, &own, 0);
	}
	if (!ret)
		ret = page_out(area);
	if (!ret && !read_all(area, UP))
		ret = -EIO;
	if (!ret)
		ret = policy_bind(area->start, area->len, MPOL_DEFAULT, NULL, 0);
	if (ret)
		return ret;
	left = slab_settle(group, before + SLAB_NOISE) - before;
	return left > 0 ? left : 0;
}

static int keeps_weights(void *arg)
{
	const struct swap_context *ctx = arg;
	struct memcg memcg;
	struct area area;
	long long left = -1;

	if (!memcg_enter(&memcg) && !area_map_shared(&area, PAGES)) {
		group = group ? memcg.group : NULL;
		left = weights_left(memcg.group, &area, &ctx->interleave.nodes);
		note("%lld bytes of slab are left", left);
		area_unmap(&area);
	}
	memcg_leave(&memcg);
	return left < 0 ? 2 : left > SLAB_NOISE;
}

/* Policies of shared memory go with what they are for, and not with the last look */
TEST_F(swap_window, policies_go)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	EXPECT_EQ(0, in_child(keeps_weights, &self->ctx));
}

/* Whoever calls swapoff stands for tasks whose policies are not there to be asked */
TEST_F(swap_window, swapoff_goes_by_its_callers_policy)
{
	struct interleave_context *ctx = &self->ctx.interleave;
	struct nodeset one = nodeset_of(ctx->second);
	struct area *area = &self->area;
	int i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes));
	write_all(area);
	ASSERT_EQ(0, page_out(area));
	ASSERT_EQ(0, in_child(swaps_off, &one));
	self->ctx.swapped_on = false;
	ASSERT_TRUE(read_all(area, UP));
	ASSERT_EQ(0, nodes_of_pages(area->start, PAGES, page_bytes(), after));
	for (i = 0; i < PAGES; i++)
		ASSERT_EQ(ctx->second, after[i]);
}
