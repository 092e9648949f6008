// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#ifndef __LP64__
bool stack_written;
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

unsigned int weight_of(int node)
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

const struct front old_calls = {
	.set = old_set,
	.bind = old_bind,
	.get = old_get,
	.get_nowhere = old_get_nowhere,
	.extra = 1,
	.get_nodes = true,
};

const struct front new_calls = {
	.set = new_set,
	.bind = new_bind,
	.get = new_get,
	.get_nowhere = new_get_nowhere,
};

const struct front new_calls_own = {
	.set = own_set_raw,
	.bind = own_bind_raw,
	.get = new_get,
	.get_nowhere = new_get_nowhere,
};

int stay_on_this_cpu(void)
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

int write_weights(struct context *ctx, bool global)
{
	int i, node, ret = weights_save(&ctx->saved);

	ctx->restore = !ret;
	for (i = 0; !ret && i < ctx->round.nr; i++) {
		node = ctx->round.node[i];
		ret = weight_write(node, global ? weight_of(node) : 7U + i);
	}
	return ret;
}

int set_nodes(const struct context *ctx, int mode,
	      const struct nodeset *nodes)
{
	return ctx->front->set(mode, nodes ? nodes->word : NULL,
			       nodes ? MAX_NODES : 0);
}

int bind_nodes(const struct context *ctx, const struct area *area,
	       int mode, const struct nodeset *nodes,
	       unsigned long flags)
{
	return ctx->front->bind(area->start, area->len, mode,
				nodes ? nodes->word : NULL,
				nodes ? MAX_NODES : 0, flags);
}

int get_nodes(const struct context *ctx, int *mode,
	      struct nodeset *nodes, const struct area *area)
{
	*mode = -1;
	memset(nodes, CANARY, sizeof(*nodes));
	return ctx->front->get(mode, nodes->word, MAX_NODES,
			       area ? area->start : NULL,
			       area ? MPOL_F_ADDR : 0);
}

bool policy_is(const struct context *ctx, const struct area *area,
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

bool all_on(const int *placed, size_t count, int node)
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

bool pages_are_on(const struct area *area, int node)
{
	int placed[PAGES];
	int ret = nodes_of_pages(area->start, PAGES, page_bytes(), placed);

	if (ret)
		note("the pages cannot be found: %d", ret);
	return !ret && all_on(placed, PAGES, node);
}

size_t round_pages(const struct context *ctx)
{
	return (PAGES / ctx->round.total + 2) * ctx->round.total;
}

bool pages_follow(const struct context *ctx, const struct area *area)
{
	size_t count = round_pages(ctx);
	int placed[MOST_PAGES];

	if (place(area->start, count, page_bytes(), placed))
		return false;
	return round_exact(&ctx->round, placed, count) &&
	       round_smooth(&ctx->round, placed, count);
}

int map_rounds(const struct context *ctx, struct area *area)
{
	return area_map(area, round_pages(ctx), ctx->round.total);
}
