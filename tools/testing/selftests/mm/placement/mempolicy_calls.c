// SPDX-License-Identifier: GPL-2.0
/*
 * What set_mempolicy, get_mempolicy and mbind do with every mode, whichever
 * calls a program uses and whether it interleaves evenly or by weights. Each
 * test runs with the old calls and with the new ones; those with the old calls
 * and no weights hold on a kernel without weighted interleaving as well.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cases.h"
#include "placement.h"

#define CANARY 0xa5
#define NOWHERE ((void *)16)
#define PAGES 32
/* PAGES and two rounds of the most nodes, see weight_of() */
#define MOST_PAGES (PAGES + 2 * 2 * MAX_ROUND_NODES)
/* More than any kernel has nodes */
#define FAR_BITS 2048

/*
 * @bits is the number of bits of a mask. A mode may carry mode flags. A mode
 * that is to be interleaved over is told by the variant.
 */
struct front {
	int (*set)(int mode, const void *mask, unsigned int bits);
	int (*bind)(const void *addr, size_t len, int mode, const void *mask,
		    unsigned int bits, unsigned long flags);
	int (*get)(int *mode, void *mask, unsigned int bits, const void *addr,
		   unsigned long flags);
	/* The answer goes where nothing can be written */
	int (*get_nowhere)(void);
	/* What a maximum of nodes counts in addition to the bits */
	unsigned int extra;
	/* get has MPOL_F_NODE and MPOL_F_MEMS_ALLOWED */
	bool get_nodes;
};

#ifndef __LP64__
/* A system call of three arguments left something below the stack */
static bool stack_written;
#endif

#ifdef __i386
#define GUARD_BYTES 4096

/*
 * What lies below the stack pointer belongs to nobody, and a kernel that
 * translates a mask for a 32-bit program may be tempted to use it.
 */
static long call3(long nr, long a, long b, long c)
{
	struct {
		long nr, a, b, c, ret, written;
	} call = { nr, a, b, c, 0, 0 };

	asm volatile("cld\n\t"
		     "leal -%c1(%%esp), %%edi\n\t"
		     "movl %2, %%ecx\n\t"
		     "movl %3, %%eax\n\t"
		     "rep stosl\n\t"
		     "movl 0(%%esi), %%eax\n\t"
		     "movl 4(%%esi), %%ebx\n\t"
		     "movl 8(%%esi), %%ecx\n\t"
		     "movl 12(%%esi), %%edx\n\t"
		     "int $0x80\n\t"
		     "movl %%eax, 16(%%esi)\n\t"
		     "leal -%c1(%%esp), %%edi\n\t"
		     "movl %2, %%ecx\n\t"
		     "movl %3, %%eax\n\t"
		     "repe scasl\n\t"
		     "setne 20(%%esi)"
		     : : "S" (&call), "i" (GUARD_BYTES), "i" (GUARD_BYTES / 4),
			 "i" (0xa5a5a5a5)
		     : "eax", "ebx", "ecx", "edx", "edi", "memory", "cc");
	if (call.written)
		stack_written = true;
	return call.ret;
}
#else
static long call3(long nr, long a, long b, long c)
{
	return syscall(nr, a, b, c) ? -errno : 0;
}
#endif

static unsigned int old_maxnode(unsigned int bits)
{
	return bits ? bits + 1 : 0;
}

static int old_set(int mode, const void *mask, unsigned int bits)
{
	return call3(__NR_set_mempolicy, mode, (long)mask, old_maxnode(bits));
}

static int old_bind(const void *addr, size_t len, int mode, const void *mask,
		    unsigned int bits, unsigned long flags)
{
	long ret = syscall(__NR_mbind, addr, len, (long)mode, mask,
			   (unsigned long)old_maxnode(bits), flags);

	return ret ? -errno : 0;
}

static int old_get(int *mode, void *mask, unsigned int bits, const void *addr,
		   unsigned long flags)
{
	long ret = syscall(__NR_get_mempolicy, mode, mask,
			   (unsigned long)old_maxnode(bits), addr, flags);

	return ret ? -errno : 0;
}

static int old_get_nowhere(void)
{
	return old_get(NOWHERE, NULL, 0, NULL, 0);
}

static struct mpol_param param_of(int mode, const void *mask, unsigned int bits)
{
	struct mpol_param param = {
		.mode = mode & ~MPOL_MODE_FLAGS,
		.mode_flags = mode & MPOL_MODE_FLAGS,
		.pol_maxnodes = bits,
		.pol_nodes = (uintptr_t)mask,
	};

	return param;
}

static int new_set(int mode, const void *mask, unsigned int bits)
{
	struct mpol_param param = param_of(mode, mask, bits);

	return call3(__NR_set_mempolicy2, (long)&param, sizeof(param), 0);
}

static int new_bind(const void *addr, size_t len, int mode, const void *mask,
		    unsigned int bits, unsigned long flags)
{
	struct mpol_param param = param_of(mode, mask, bits);

	return param_bind(addr, len, &param, sizeof(param), flags);
}

static int new_get(int *mode, void *mask, unsigned int bits, const void *addr,
		   unsigned long flags)
{
	struct mpol_param param = param_of(0, mask, bits);
	int ret = param_get(&param, sizeof(param), addr, flags);

	if (!ret && mode)
		*mode = param.mode | param.mode_flags;
	return ret;
}

static int new_get_nowhere(void)
{
	return param_get(NOWHERE, sizeof(struct mpol_param), NULL, 0);
}

/* By the number of a node; a mask in use has each node at its own place */
static unsigned int weight_of(int node)
{
	return node % 2 ? 1 : 3;
}

static const unsigned char *own_weights(int mode)
{
	static unsigned char weight[FAR_BITS];
	int node;

	if ((mode & ~MPOL_MODE_FLAGS) != MPOL_WEIGHTED_INTERLEAVE)
		return NULL;
	for (node = 0; node < FAR_BITS; node++)
		weight[node] = weight_of(node);
	return weight;
}

static int own_set_raw(int mode, const void *mask, unsigned int bits)
{
	struct mpol_param param = param_of(mode, mask, bits);

	param.il_weights = (uintptr_t)own_weights(mode);
	return call3(__NR_set_mempolicy2, (long)&param, sizeof(param), 0);
}

static int own_bind_raw(const void *addr, size_t len, int mode,
			const void *mask, unsigned int bits,
			unsigned long flags)
{
	struct mpol_param param = param_of(mode, mask, bits);

	param.il_weights = (uintptr_t)own_weights(mode);
	return param_bind(addr, len, &param, sizeof(param), flags);
}

static const struct front old_calls = {
	.set = old_set,
	.bind = old_bind,
	.get = old_get,
	.get_nowhere = old_get_nowhere,
	.extra = 1,
	.get_nodes = true,
};

static const struct front new_calls = {
	.set = new_set,
	.bind = new_bind,
	.get = new_get,
	.get_nowhere = new_get_nowhere,
};

static const struct front new_calls_own = {
	.set = own_set_raw,
	.bind = own_bind_raw,
	.get = new_get,
	.get_nowhere = new_get_nowhere,
};

struct context {
	const struct front *front;
	/* The mode that interleaves, and in what shares over all nodes */
	int interleave;
	struct round round;
	struct nodeset memory;
	struct nodeset normal;
	struct nodeset empty;
	int first;
	int second;
	/* Where the test's only CPU is */
	int local;
	int nr_ids;
	struct saved_weights saved;
	bool restore;
	const char *missing;
};

FIXTURE(calls)
{
	struct context ctx;
};

FIXTURE_VARIANT(calls)
{
	const struct front *front;
	bool weighted;
	/* Weights come from sysfs; otherwise those there are misleading */
	bool global;
};

FIXTURE_VARIANT_ADD(calls, old_plain)
{
	.front = &old_calls,
};

FIXTURE_VARIANT_ADD(calls, old_weighted)
{
	.front = &old_calls, .weighted = true, .global = true,
};

FIXTURE_VARIANT_ADD(calls, new_plain)
{
	.front = &new_calls,
};

FIXTURE_VARIANT_ADD(calls, new_global)
{
	.front = &new_calls, .weighted = true, .global = true,
};

FIXTURE_VARIANT_ADD(calls, new_own)
{
	.front = &new_calls_own, .weighted = true,
};

static int stay_on_this_cpu(void)
{
	unsigned int cpu, node;
	cpu_set_t set;

	if (syscall(__NR_getcpu, &cpu, &node, NULL))
		return -errno;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return -errno;
	/* It may have been another one before */
	return syscall(__NR_getcpu, NULL, &node, NULL) ? -errno : (int)node;
}

static int write_weights(struct context *ctx, bool global)
{
	int i, node, ret = weights_save(&ctx->saved);

	ctx->restore = !ret;
	for (i = 0; !ret && i < ctx->round.nr; i++) {
		node = ctx->round.node[i];
		ret = weight_write(node, global ? weight_of(node) : 7U + i);
	}
	return ret;
}

FIXTURE_SETUP(calls)
{
	unsigned int weight[MAX_ROUND_NODES];
	struct context *ctx = &self->ctx;
	bool weights;
	int i, nr;

	ctx->front = variant->front;
	ctx->interleave = variant->weighted ? MPOL_WEIGHTED_INTERLEAVE :
					      MPOL_INTERLEAVE;
	weights = variant->weighted ? is_there(WEIGHT_DIR) : !access(WEIGHT_DIR, F_OK);
	if (variant->weighted)
		ASSERT_TRUE(weights);
	/* A struct without a size is the caller's mistake, if there is a call */
	if (!variant->front->get_nodes)
		ASSERT_EQ(-EINVAL, param_set(NULL, 0, 0));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, nodeset_read("has_memory", &ctx->memory));
	ASSERT_EQ(0, nodeset_read("has_normal_memory", &ctx->normal));
	ctx->memory = nodeset_head(&ctx->memory, MAX_ROUND_NODES);
	ctx->first = nodeset_nth(&ctx->memory, 0);
	ctx->second = nodeset_nth(&ctx->memory, 1);
	ctx->nr_ids = possible_nodes();
	ASSERT_LT(0, ctx->nr_ids);
	ctx->local = stay_on_this_cpu();
	ASSERT_LE(0, ctx->local);
	nr = nodeset_count(&ctx->memory);
	for (i = 0; i < nr; i++)
		weight[i] = variant->weighted ?
			    weight_of(nodeset_nth(&ctx->memory, i)) : 1;
	round_init(&ctx->round, &ctx->memory, weight);
	if (weights)
		ASSERT_EQ(0, write_weights(ctx, variant->global));
	if (!nodes_have_room(&ctx->memory, 8 * PAGES))
		ctx->missing = "too little free memory on a node";
}

FIXTURE_TEARDOWN(calls)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (self->ctx.restore)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

static int set_nodes(const struct context *ctx, int mode,
		     const struct nodeset *nodes)
{
	return ctx->front->set(mode, nodes ? nodes->word : NULL,
			       nodes ? MAX_NODES : 0);
}

static int bind_nodes(const struct context *ctx, const struct area *area,
		      int mode, const struct nodeset *nodes,
		      unsigned long flags)
{
	return ctx->front->bind(area->start, area->len, mode,
				nodes ? nodes->word : NULL,
				nodes ? MAX_NODES : 0, flags);
}

/* Of the task, or with an area of its first page */
static int get_nodes(const struct context *ctx, int *mode,
		     struct nodeset *nodes, const struct area *area)
{
	*mode = -1;
	memset(nodes, CANARY, sizeof(*nodes));
	return ctx->front->get(mode, nodes->word, MAX_NODES,
			       area ? area->start : NULL,
			       area ? MPOL_F_ADDR : 0);
}

static bool policy_is(const struct context *ctx, const struct area *area,
		      int mode, const struct nodeset *nodes)
{
	char want[256], have[256];
	struct nodeset got;
	int got_mode;
	int ret = get_nodes(ctx, &got_mode, &got, area);

	if (ret) {
		note("the policy cannot be got: %d", ret);
		return false;
	}
	if (got_mode == mode && nodeset_equal(&got, nodes))
		return true;
	note("%s has mode %#x, nodes %s; not %#x, %s", area ? "mapping" : "task",
	     got_mode, nodeset_format(&got, have, sizeof(have)), mode,
	     nodeset_format(nodes, want, sizeof(want)));
	return false;
}

static bool all_on(const int *placed, size_t count, int node)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (placed[i] == node)
			continue;
		note("page %zu is on node %d, not on node %d", i, placed[i],
		     node);
		return false;
	}
	return true;
}

static bool pages_are_on(const struct area *area, int node)
{
	int placed[PAGES];
	int ret = nodes_of_pages(area->start, PAGES, page_bytes(), placed);

	if (ret)
		note("the pages cannot be found: %d", ret);
	return !ret && all_on(placed, PAGES, node);
}

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

/* Whole rounds */
static size_t round_pages(const struct context *ctx)
{
	return (PAGES / ctx->round.total + 2) * ctx->round.total;
}

static bool pages_follow(const struct context *ctx, const struct area *area)
{
	size_t count = round_pages(ctx);
	int placed[MOST_PAGES];

	if (place(area->start, count, page_bytes(), placed))
		return false;
	return round_exact(&ctx->round, placed, count) &&
	       round_smooth(&ctx->round, placed, count);
}

/* An area that begins with a round */
static int map_rounds(const struct context *ctx, struct area *area)
{
	return area_map(area, round_pages(ctx), ctx->round.total);
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

struct child_area {
	const struct context *ctx;
	const struct area *area;
};

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

/* Bits that get writes: whole elements of 64 bits at most, zeroed behind */
TEST_F(calls, get_writes_the_mask_alone)
{
	struct context *ctx = &self->ctx;
	unsigned char want[512], got[512], mask[512];
	unsigned int least, bits;
	size_t bytes, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	memset(mask, 0, sizeof(mask));
	memcpy(mask, ctx->memory.word, sizeof(ctx->memory));
	least = ctx->nr_ids;
	for (bits = least; bits <= 8 * sizeof(got) / 2; bits += 7) {
		memset(got, CANARY, sizeof(got));
		ASSERT_EQ(0, ctx->front->get(NULL, got, bits, NULL, 0));
		/* All bits that were asked for */
		bytes = bits / 8;
		EXPECT_EQ(0, memcmp(mask, got, bytes))
			TH_LOG("%u bits", bits);
		/* Nothing beyond the element that holds the last one */
		bytes = (bits + 63) / 64 * 8;
		memset(want, CANARY, sizeof(want));
		EXPECT_EQ(0, memcmp(want, got + bytes, sizeof(got) - bytes))
			TH_LOG("%u bits", bits);
		/* Of that element either the mask or nothing */
		for (i = bits / 8; i < bytes; i++)
			EXPECT_TRUE(got[i] == mask[i] || got[i] == CANARY)
				TH_LOG("%u bits, byte %zu: %x", bits, i,
				       got[i]);
	}
	if (least > ctx->front->extra)
		EXPECT_EQ(-EINVAL,
			  ctx->front->get(NULL, got, least - 1 - ctx->front->extra,
					  NULL, 0));
}

/* Neither bits beyond the count nor bytes beyond the mask matter to set */
TEST_F(calls, masks_of_odd_lengths)
{
	struct context *ctx = &self->ctx;
	unsigned long *end, ones[MAX_NODES / BITS_PER_WORD];
	struct nodeset expected;
	unsigned int bits, most;
	struct area page;
	int node;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	memset(ones, 0xff, sizeof(ones));
	ASSERT_EQ(0, area_map(&page, 1, 1));
	end = (unsigned long *)(page.start + page.len);
	memset(page.start, 0xff, page.len);
	nodeset_clear(&expected);
	most = ctx->nr_ids;
	if (most > BITS_PER_WORD)
		most = BITS_PER_WORD;
	for (bits = 1; bits <= most; bits++) {
		node = bits - 1;
		if (nodeset_has(&ctx->memory, node))
			nodeset_add(&expected, node);
		if (!nodeset_count(&expected))
			continue;
		ASSERT_EQ(0, ctx->front->set(ctx->interleave, ones, bits));
		EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &expected))
			TH_LOG("%u bits", bits);
		/* The last word of a page, with nothing behind it */
		ASSERT_EQ(0, ctx->front->set(MPOL_BIND, end - 1, bits));
		EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND, &expected))
			TH_LOG("%u bits", bits);
	}
	EXPECT_EQ(-EFAULT, ctx->front->set(MPOL_BIND, end, 1));
	/* A word without nodes that masks have no room for */
	end[-1] = ctx->memory.word[0];
	EXPECT_EQ(-EFAULT,
		  ctx->front->set(MPOL_BIND, end - 1, BITS_PER_WORD + 1));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND, &expected));
}

/* The kernel copies masks of 32-bit programs to their stack */
#ifndef __LP64__
TEST_F(calls, stack_stays_as_it_is)
{
	struct context *ctx = &self->ctx;
	unsigned long far[FAR_BITS / BITS_PER_WORD] = {};
	struct area page;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&page, 1, 1));
	memset(page.start, 0xff, page.len);
	memcpy(far, ctx->memory.word, sizeof(ctx->memory));
	for (i = 0; i < FAR_BITS; i += 31) {
		EXPECT_EQ(-EFAULT, ctx->front->set(ctx->interleave, NOWHERE,
						   i + 1));
		EXPECT_EQ(-EFAULT, ctx->front->set(ctx->interleave,
						   page.start + page.len,
						   i + 1));
	}
	memcpy(page.start + page.len - 4, far, 4);
	EXPECT_EQ(-EFAULT, ctx->front->set(ctx->interleave,
					   page.start + page.len - 4, 64));
	EXPECT_EQ(-EINVAL, ctx->front->set(MPOL_DEFAULT, far, FAR_BITS));
	EXPECT_EQ(0, ctx->front->set(ctx->interleave, far, FAR_BITS));
	EXPECT_FALSE(stack_written);
}
#endif

TEST_F(calls, mode_flags)
{
	static const int flags[] = {
		MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	const int both = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES;
	struct context *ctx = &self->ctx;
	const int modes[] = {
		ctx->interleave, MPOL_BIND, MPOL_PREFERRED_MANY,
	};
	struct nodeset given, one;
	struct area area;
	size_t i, f;
	int bit;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	one = nodeset_of(ctx->first);
	given = one;
	for (bit = 0; bit < ctx->nr_ids; bit++)
		if (!nodeset_has(&ctx->memory, bit))
			nodeset_add(&given, bit);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			/* Asked back as given, with nodes that are not there */
			EXPECT_EQ(0, set_nodes(ctx, modes[i] | flags[f],
					       &given));
			EXPECT_TRUE(policy_is(ctx, NULL, modes[i] | flags[f],
					      &given));
			EXPECT_EQ(0, bind_nodes(ctx, &area,
						modes[i] | flags[f], &given,
						0));
			EXPECT_TRUE(policy_is(ctx, &area, modes[i] | flags[f],
					      &given));
		}
		/* And without a flag as what is in use */
		EXPECT_EQ(0, set_nodes(ctx, modes[i], &given));
		EXPECT_TRUE(policy_is(ctx, NULL, modes[i], &one));

		EXPECT_EQ(-EINVAL, set_nodes(ctx, modes[i] | both, &one));
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, modes[i] | both,
					      &one, 0));
		for (bit = 4; bit < 13; bit++) {
			EXPECT_EQ(-EINVAL, set_nodes(ctx, modes[i] | 1 << bit,
						     &one));
			EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area,
						      modes[i] | 1 << bit,
						      &one, 0));
		}
		EXPECT_TRUE(policy_is(ctx, NULL, modes[i], &one));
	}
	EXPECT_EQ(0, set_nodes(ctx, MPOL_BIND | MPOL_F_NUMA_BALANCING, &one));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND | MPOL_F_NUMA_BALANCING,
			      &one));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, ctx->interleave |
				     MPOL_F_NUMA_BALANCING, &one));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, MPOL_PREFERRED_MANY |
				     MPOL_F_NUMA_BALANCING, &one));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, MPOL_LOCAL | MPOL_F_STATIC_NODES,
				     NULL));
	EXPECT_EQ(-EINVAL, set_nodes(ctx, MPOL_PREFERRED |
				     MPOL_F_RELATIVE_NODES, NULL));
	EXPECT_TRUE(policy_is(ctx, NULL, MPOL_BIND | MPOL_F_NUMA_BALANCING,
			      &one));
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

/* What may be given to get without being asked for, and what it asks */
TEST_F(calls, get_parts_of_a_policy)
{
	struct context *ctx = &self->ctx;
	struct nodeset got, one;
	struct area area;
	int mode = -1;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	one = nodeset_of(nodeset_nth(&ctx->memory, ctx->round.nr - 1));
	ASSERT_EQ(0, area_map(&area, 2, 1));
	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));

	/* The mapping's own policy, which is none: not that of the task */
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &one, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &one));
	EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &ctx->memory));

	/* At any address inside */
	EXPECT_EQ(0, ctx->front->get(&mode, NULL, 0, area.start + area.len - 1,
				     MPOL_F_ADDR));
	EXPECT_EQ(MPOL_BIND, mode);
	mode = -1;
	EXPECT_EQ(0, ctx->front->get(&mode, NULL, 0, NULL, 0));
	EXPECT_EQ(ctx->interleave, mode);
	nodeset_clear(&got);
	EXPECT_EQ(0, ctx->front->get(NULL, got.word, MAX_NODES, NULL, 0));
	EXPECT_TRUE(nodeset_equal(&ctx->memory, &got));
	EXPECT_EQ(0, ctx->front->get(NULL, NULL, 0, NULL, 0));
}

TEST_F(calls, get_refuses)
{
	struct context *ctx = &self->ctx;
	struct nodeset got;
	struct area area, hole;
	int mode, bit;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	ASSERT_EQ(0, area_map(&hole, 1, 1));
	ASSERT_EQ(0, munmap(hole.start, hole.len));
	EXPECT_EQ(-EFAULT, get_nodes(ctx, &mode, &got, &hole));
	EXPECT_EQ(-EFAULT, ctx->front->get(&mode, NULL, 0, NULL, MPOL_F_ADDR));
	EXPECT_EQ(-EFAULT, ctx->front->get(&mode, NOWHERE, MAX_NODES, NULL, 0));
	EXPECT_EQ(-EFAULT, ctx->front->get_nowhere());
	ASSERT_EQ(0, mprotect(area.start, area.len, PROT_READ));
	EXPECT_EQ(-EFAULT, ctx->front->get(&mode, area.start, MAX_NODES, NULL,
					   0));
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
					   area.start, 0));
	for (bit = 4; bit < 32; bit++) {
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
						   NULL, 1UL << bit));
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
						   area.start,
						   MPOL_F_ADDR | 1UL << bit));
	}
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES, NULL,
					   MPOL_F_MEMS_ALLOWED | MPOL_F_NODE));
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, got.word, MAX_NODES,
					   area.start,
					   MPOL_F_MEMS_ALLOWED | MPOL_F_ADDR));
	/* Without a policy that has a next node */
	EXPECT_EQ(-EINVAL, ctx->front->get(&mode, NULL, 0, NULL, MPOL_F_NODE));
}

/* The old call answers them, however the policy was set */
TEST_F(calls, nodes_instead_of_a_policy)
{
	struct context *ctx = &self->ctx;
	struct nodeset got;
	int mode, node;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	EXPECT_EQ(ctx->first, policy_next_node());
	mode = -1;
	EXPECT_EQ(0, policy_get(&mode, &got, NULL, MPOL_F_MEMS_ALLOWED));
	EXPECT_EQ(0, mode);
	EXPECT_TRUE(nodeset_equal(&ctx->memory, &got));
	if (!ctx->front->get_nodes) {
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, NULL, 0, NULL,
						   MPOL_F_NODE));
		EXPECT_EQ(-EINVAL, ctx->front->get(&mode, NULL, 0, NULL,
						   MPOL_F_MEMS_ALLOWED));
	}

	/* The node of a page */
	ASSERT_EQ(0, area_map(&area, 1, 1));
	got = nodeset_of(ctx->round.node[ctx->round.nr - 1]);
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &got, 0));
	touch(area.start, 1, 1);
	EXPECT_EQ(0, policy_get(&node, NULL, area.start,
				MPOL_F_NODE | MPOL_F_ADDR));
	EXPECT_EQ(ctx->round.node[ctx->round.nr - 1], node);
}

enum mask_kind { NONE, EMPTY, ONE, ALL, ABSENT, SOME_ABSENT, BEYOND, NR_KINDS };

struct mask {
	unsigned long word[FAR_BITS / BITS_PER_WORD];
	unsigned int bits;
};

static void make_mask(const struct context *ctx, enum mask_kind kind,
		      int absent, struct mask *mask)
{
	struct nodeset nodes;

	memset(mask, 0, sizeof(*mask));
	mask->bits = kind == NONE ? 0 : FAR_BITS;
	nodeset_clear(&nodes);
	if (kind == ALL)
		nodes = ctx->memory;
	if (kind == ONE || kind == SOME_ABSENT || kind == BEYOND)
		nodeset_add(&nodes, ctx->first);
	if (kind == ABSENT || kind == SOME_ABSENT)
		nodeset_add(&nodes, absent);
	memcpy(mask->word, nodes.word, sizeof(nodes));
	if (kind == BEYOND)
		mask->word[ARRAY_LEN(mask->word) - 1] = 1;
}

/* The answer to a mask, and what the policy is afterwards */
static void try_mask(struct __test_metadata *_metadata, struct context *ctx,
		     const struct area *area, int mode, enum mask_kind kind,
		     const struct mask *mask, int error)
{
	const void *word = kind == NONE ? NULL : mask->word;
	struct nodeset last, one, *used = &one;
	int got = mode;

	/* What must stay when the call is refused */
	last = nodeset_of(ctx->round.node[ctx->round.nr - 1]);
	one = nodeset_of(ctx->first);
	ASSERT_EQ(0, set_nodes(ctx, MPOL_PREFERRED_MANY, &last));
	ASSERT_EQ(0, bind_nodes(ctx, area, MPOL_PREFERRED_MANY, &last, 0));
	EXPECT_EQ(error, ctx->front->set(mode, word, mask->bits))
		TH_LOG("set, mode %d, mask %d", mode, kind);
	EXPECT_EQ(error, ctx->front->bind(area->start, area->len, mode, word,
					  mask->bits, 0))
		TH_LOG("mbind, mode %d, mask %d", mode, kind);
	if (error) {
		got = MPOL_PREFERRED_MANY;
		used = &last;
	} else if (kind == NONE || kind == EMPTY) {
		got = mode == MPOL_PREFERRED ? MPOL_LOCAL : mode;
		used = &ctx->empty;
	} else if (kind == ALL && mode != MPOL_PREFERRED) {
		used = &ctx->memory;
	}
	EXPECT_TRUE(policy_is(ctx, NULL, got, used))
		TH_LOG("set, mode %d, mask %d", mode, kind);
	EXPECT_TRUE(policy_is(ctx, area, got, used))
		TH_LOG("mbind, mode %d, mask %d", mode, kind);
}

TEST_F(calls, modes_and_masks)
{
	struct context *ctx = &self->ctx;
	const struct {
		int mode;
		int error[NR_KINDS];
	} cases[] = {
		{ MPOL_DEFAULT, {
			[ONE] = -EINVAL, [ALL] = -EINVAL, [ABSENT] = -EINVAL,
			[SOME_ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_LOCAL, {
			[ONE] = -EINVAL, [ALL] = -EINVAL, [ABSENT] = -EINVAL,
			[SOME_ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_PREFERRED, { [ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_BIND, {
			[NONE] = -EINVAL, [EMPTY] = -EINVAL,
			[ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ MPOL_PREFERRED_MANY, {
			[NONE] = -EINVAL, [EMPTY] = -EINVAL,
			[ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
		{ ctx->interleave, {
			[NONE] = -EINVAL, [EMPTY] = -EINVAL,
			[ABSENT] = -EINVAL, [BEYOND] = -EINVAL } },
	};
	int absent = node_without_memory();
	struct mask mask;
	struct area area;
	int kind;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (absent < 0)
		SKIP(return, "every node has memory");

	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		for (kind = NONE; kind < NR_KINDS; kind++) {
			make_mask(ctx, kind, absent, &mask);
			try_mask(_metadata, ctx, &area, cases[i].mode, kind,
				 &mask, cases[i].error[kind]);
		}
	}
}

TEST_F(calls, no_such_mode)
{
	static const int odd[] = { -1, 0x7fffffff, 1 << 16, 255, 256 };
	struct context *ctx = &self->ctx;
	struct area area;
	int mode;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	ASSERT_EQ(0, set_nodes(ctx, ctx->interleave, &ctx->memory));
	for (mode = MPOL_WEIGHTED_INTERLEAVE + 1; mode < 64; mode++) {
		EXPECT_EQ(-EINVAL, set_nodes(ctx, mode, &ctx->memory));
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, mode, &ctx->memory,
					      0));
	}
	for (i = 0; i < ARRAY_LEN(odd); i++) {
		/* The field of the new calls has 16 bits */
		if (!ctx->front->get_nodes && !(odd[i] & 0xffff))
			continue;
		EXPECT_EQ(-EINVAL, set_nodes(ctx, odd[i], &ctx->memory))
			TH_LOG("mode %#x", odd[i]);
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, odd[i], &ctx->memory,
					      0))
			TH_LOG("mode %#x", odd[i]);
	}
	EXPECT_TRUE(policy_is(ctx, NULL, ctx->interleave, &ctx->memory));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
}

TEST_F(calls, mbind_refuses)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	const int mode = ctx->interleave;
	struct area area, past;
	struct nodeset one;
	int bit;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	one = nodeset_of(ctx->first);
	ASSERT_EQ(0, area_map(&area, 4, 1));
	/* MPOL_MF_LAZY and what comes after it */
	for (bit = 3; bit < 32; bit++)
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &area, mode, &ctx->memory,
					      1UL << bit))
			TH_LOG("flag %d", bit);

	past = area;
	past.start++;
	EXPECT_EQ(-EINVAL, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	past.start = area.start;
	/* Only 64-bit programs get that far */
	past.len = -page;
	if (sizeof(long) == 8)
		EXPECT_EQ(-EINVAL, bind_nodes(ctx, &past, mode, &ctx->memory,
					      0));
	past.len = 0;
	EXPECT_EQ(0, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));

	EXPECT_EQ(-EFAULT, ctx->front->bind(area.start, area.len, mode,
					    NOWHERE, MAX_NODES, 0));
	ASSERT_EQ(0, mprotect(area.start, page, PROT_NONE));
	EXPECT_EQ(-EFAULT, ctx->front->bind(area.start, area.len, mode,
					    area.start, MAX_NODES, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
	ASSERT_EQ(0, mprotect(area.start, page, PROT_READ | PROT_WRITE));

	/* A length that ends within a page takes all of it */
	EXPECT_EQ(0, ctx->front->bind(area.start, page + 1, MPOL_BIND, one.word,
				      MAX_NODES, 0));
	past = (struct area) { .start = area.start + page, .len = page };
	EXPECT_TRUE(policy_is(ctx, &past, MPOL_BIND, &one));
	past.start += page;
	EXPECT_TRUE(policy_is(ctx, &past, MPOL_DEFAULT, &ctx->empty));

	/* Holes: inside, at the end, at the head, everywhere */
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &one, 0));
	ASSERT_EQ(0, munmap(area.start + page, page));
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &area, mode, &ctx->memory, 0));
	past = (struct area) { .start = area.start, .len = 2 * page };
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	past.start += page;
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	past.len = page;
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, mode, &ctx->memory, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &one));
	/* To go back to the default, one mapping in the range is enough */
	EXPECT_EQ(-EFAULT, bind_nodes(ctx, &past, MPOL_DEFAULT, NULL, 0));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
}

/* Pages on a node, in a mapping that has no policy any more */
static int map_on(const struct context *ctx, struct area *area, int node)
{
	struct nodeset one = nodeset_of(node);
	int ret = area_map(area, PAGES, 1);

	if (!ret)
		ret = bind_nodes(ctx, area, MPOL_BIND, &one, 0);
	if (ret)
		return ret;
	touch(area->start, PAGES, page_bytes());
	if (!pages_are_on(area, node))
		return -EXDEV;
	return bind_nodes(ctx, area, MPOL_DEFAULT, NULL, 0);
}

TEST_F(calls, strict_finds_misplaced_pages)
{
	struct context *ctx = &self->ctx;
	const int modes[] = {
		MPOL_BIND, MPOL_PREFERRED, MPOL_PREFERRED_MANY, ctx->interleave,
	};
	struct nodeset here, there;
	struct area area, most;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	there = nodeset_of(ctx->second);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
		EXPECT_EQ(-EIO, bind_nodes(ctx, &area, modes[i], &here,
					   MPOL_MF_STRICT))
			TH_LOG("mode %d", modes[i]);
		EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));

		/* One page is enough, the last one too */
		EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here,
					MPOL_MF_MOVE));
		EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL, 0));
		most = area;
		most.start += area.len - page_bytes();
		most.len = page_bytes();
		EXPECT_EQ(0, bind_nodes(ctx, &most, MPOL_BIND, &there,
					MPOL_MF_MOVE));
		EXPECT_EQ(0, bind_nodes(ctx, &most, MPOL_DEFAULT, NULL, 0));
		EXPECT_EQ(-EIO, bind_nodes(ctx, &area, modes[i], &here,
					   MPOL_MF_STRICT))
			TH_LOG("mode %d", modes[i]);
		EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));

		/* The others are where they should be */
		most.start = area.start;
		most.len = area.len - page_bytes();
		EXPECT_EQ(0, bind_nodes(ctx, &most, modes[i], &here,
					MPOL_MF_STRICT))
			TH_LOG("mode %d", modes[i]);
		EXPECT_TRUE(policy_is(ctx, &most, modes[i], &here));
		EXPECT_EQ(-EIO, bind_nodes(ctx, &most, modes[i], &there,
					   MPOL_MF_STRICT));
		EXPECT_TRUE(policy_is(ctx, &most, modes[i], &here));
		area_unmap(&area);
	}
}

/* Not strict, and without a mask, and where no page is */
TEST_F(calls, mbind_leaves_pages)
{
	struct context *ctx = &self->ctx;
	struct nodeset here;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here, 0));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &here));
	EXPECT_TRUE(pages_are_on(&area, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL,
				MPOL_MF_STRICT));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_DEFAULT, &ctx->empty));
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here, MPOL_MF_STRICT));
}

TEST_F(calls, mbind_moves_pages)
{
	static const unsigned long flags[] = {
		MPOL_MF_MOVE, MPOL_MF_MOVE_ALL, MPOL_MF_MOVE | MPOL_MF_STRICT,
		MPOL_MF_MOVE_ALL | MPOL_MF_STRICT,
		MPOL_MF_MOVE | MPOL_MF_MOVE_ALL,
	};
	struct context *ctx = &self->ctx;
	const int modes[] = {
		MPOL_BIND, MPOL_PREFERRED, MPOL_PREFERRED_MANY, ctx->interleave,
	};
	struct nodeset here;
	struct area area;
	size_t i, f;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		for (f = 0; f < ARRAY_LEN(flags); f++) {
			ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
			EXPECT_EQ(0, bind_nodes(ctx, &area, modes[i], &here,
						flags[f]));
			EXPECT_TRUE(policy_is(ctx, &area, modes[i], &here));
			EXPECT_TRUE(pages_are_on(&area, ctx->first))
				TH_LOG("mode %d, flags %#lx", modes[i],
				       flags[f]);
			area_unmap(&area);
		}
	}
}

/* Even interleaving leaves a page on any of its nodes; weights do not */
TEST_F(calls, mbind_moves_interleaved_pages)
{
	struct context *ctx = &self->ctx;
	struct nodeset there;
	struct area area;
	size_t count;
	int node[MOST_PAGES];

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	there = nodeset_of(ctx->second);
	count = round_pages(ctx);
	ASSERT_EQ(0, map_rounds(ctx, &area));
	ASSERT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &there, 0));
	ASSERT_EQ(0, place(area.start, count, page_bytes(), node));
	ASSERT_TRUE(all_on(node, count, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, ctx->interleave, &ctx->memory,
				MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_TRUE(policy_is(ctx, &area, ctx->interleave, &ctx->memory));
	ASSERT_EQ(0, nodes_of_pages(area.start, count, page_bytes(), node));
	EXPECT_TRUE(ctx->interleave == MPOL_INTERLEAVE ?
		    all_on(node, count, ctx->second) :
		    round_exact(&ctx->round, node, count));
}

/* A process that has the same pages, until it is killed */
static pid_t share_pages(void)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

TEST_F(calls, only_move_all_moves_shared_pages)
{
	struct context *ctx = &self->ctx;
	struct nodeset here;
	struct area area;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");

	here = nodeset_of(ctx->first);
	ASSERT_EQ(0, map_on(ctx, &area, ctx->second));
	pid = share_pages();
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here, MPOL_MF_MOVE));
	EXPECT_TRUE(policy_is(ctx, &area, MPOL_BIND, &here));
	EXPECT_TRUE(pages_are_on(&area, ctx->second));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_BIND, &here,
				MPOL_MF_MOVE_ALL));
	EXPECT_TRUE(pages_are_on(&area, ctx->first));
	kill(pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

static int unprivileged(void *arg)
{
	const struct child_area *child = arg;
	const struct context *ctx = child->ctx;
	struct nodeset here = nodeset_of(ctx->first);

	if (setresuid(65534, 65534, 65534))
		return 1;
	if (bind_nodes(ctx, child->area, MPOL_BIND, &here,
		       MPOL_MF_MOVE_ALL) != -EPERM)
		return 2;
	if (bind_nodes(ctx, child->area, MPOL_BIND, &here,
		       MPOL_MF_MOVE | MPOL_MF_MOVE_ALL) != -EPERM)
		return 3;
	if (!policy_is(ctx, child->area, MPOL_DEFAULT, &ctx->empty))
		return 4;
	if (bind_nodes(ctx, child->area, ctx->interleave, &here, MPOL_MF_MOVE) ||
	    set_nodes(ctx, ctx->interleave, &ctx->memory))
		return 5;
	return 0;
}

TEST_F(calls, move_all_needs_a_capability)
{
	struct context *ctx = &self->ctx;
	struct child_area child = { .ctx = ctx };
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, map_on(ctx, &area, ctx->first));
	child.area = &area;
	EXPECT_EQ(0, in_child(unprivileged, &child));
	EXPECT_EQ(0, bind_nodes(ctx, &area, MPOL_DEFAULT, NULL,
				MPOL_MF_MOVE_ALL));
}
