// SPDX-License-Identifier: GPL-2.0
/*
 * What happens when memory is short during process_set_mempolicy2(2),
 * process_get_mempolicy2(2) and process_mbind2(2): all threads of the other process
 * have the policy or none has, and so have all mappings of the range.
 *
 * Needs a kernel with fault injection (FAILSLAB, FAIL_PAGE_ALLOC).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "attempts.h"
#include "cases.h"
#include "placement.h"
#include "policies.h"
#include "targets.h"

#define THREADS	4

enum more {
	BEGIN_THREADS = MORE_ORDERS,
	ASK_THREADS,
};

/* Of the child: its threads, and whom they tell which weight they have */
static struct inherited *of_child;
static int ask[2], tell[2];

/* Of the parent */
static struct target target;
static struct inherited own;
static struct own_policy old, new;

/* Waits in the kernel for each question */
static void *answers(void *arg)
{
	struct own_policy got;
	char byte;

	while (read(ask[0], &byte, 1) == 1) {
		byte = 0;
		if (!own_get(&got, NULL, MPOL_F_OWN_WEIGHTS))
			byte = got.weight[of_child->ctx->first];
		if (write(tell[1], &byte, 1) != 1)
			break;
	}
	return arg;
}

/* The weight that all threads have, 0 if they differ */
static char weight_of_all(void)
{
	struct own_policy got;
	char weight, all;
	int i;

	if (own_get(&got, NULL, MPOL_F_OWN_WEIGHTS))
		return 0;
	all = got.weight[of_child->ctx->first];
	for (i = 0; i < THREADS; i++)
		if (write(ask[1], "", 1) != 1)
			return 0;
	for (i = 0; i < THREADS; i++)
		if (read(tell[0], &weight, 1) != 1 || weight != all)
			all = 0;
	return all;
}

static char obeys_more(struct inherited *inherited, char order)
{
	pthread_t thread;
	int i;

	of_child = inherited;
	if (order == ASK_THREADS)
		return weight_of_all();
	if (order != BEGIN_THREADS || pipe(ask) || pipe(tell))
		return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, answers, NULL))
			return 1;
	return 0;
}

/* The weights of the policy at @addr, or of the task, are those of @want. */
static bool in_force(struct context *ctx, const struct own_policy *want,
		     const void *addr)
{
	struct own_policy got;

	return !process_get(target.pidfd, &got, addr,
			    MPOL_F_OWN_WEIGHTS | (addr ? MPOL_F_ADDR : 0)) &&
	       got.param.mode == MPOL_WEIGHTED_INTERLEAVE &&
	       got.weight[ctx->first] == want->weight[ctx->first] &&
	       got.weight[ctx->second] == want->weight[ctx->second];
}

static int task_prepare(struct context *ctx)
{
	return process_set(target.pidfd, &old, 0);
}

static int task_call(struct context *ctx)
{
	return process_set(target.pidfd, &new, 0);
}

static int task_move_call(struct context *ctx)
{
	return process_set(target.pidfd, &new, MPOL_MF_MOVE);
}

static const char *task_check(struct context *ctx, int ret)
{
	const struct own_policy *want = ret ? &old : &new;

	if (!in_force(ctx, want, NULL))
		return "what is told of the process";
	if (told(&target, ASK_THREADS) != (char)want->weight[ctx->first])
		return "the policy of a thread";
	return policies_kept(ctx) ? NULL : "the caller's own policies";
}

static int get_call(struct context *ctx)
{
	struct own_policy got;
	int ret = process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS);

	return ret || got.weight[ctx->first] == old.weight[ctx->first] ? ret : -EPROTO;
}

static const char *get_check(struct context *ctx, int ret)
{
	return in_force(ctx, &old, NULL) ? NULL : "the task's policy";
}

/* The middle of a mapping, where a policy of the mapping becomes three */
static char *middle(void)
{
	return own.area.start + own.area.len / 4;
}

static int bind_prepare(struct context *ctx)
{
	return process_bind(target.pidfd, own.area.start, own.area.len, &old, 0);
}

static int bind_call(struct context *ctx)
{
	return process_bind(target.pidfd, middle(), own.area.len / 2, &new, 0);
}

static int bind_move_call(struct context *ctx)
{
	return process_bind(target.pidfd, middle(), own.area.len / 2, &new, MPOL_MF_MOVE);
}

static const char *bind_check(struct context *ctx, int ret)
{
	const struct own_policy *want = ret ? &old : &new;

	if (!in_force(ctx, want, middle()) ||
	    !in_force(ctx, want, middle() + own.area.len / 2 - 1))
		return "the policy of the range";
	if (!in_force(ctx, &old, own.area.start) ||
	    !in_force(ctx, &old, middle() + own.area.len / 2))
		return "the policy beside the range";
	return policies_kept(ctx) ? NULL : "the caller's own policies";
}

/* Of a process with some threads that wait, and pages */
static void fail_each(struct __test_metadata *_metadata, struct context *ctx,
		      const struct attempt *attempt)
{
	int fail;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	fail = fault_open();
	if (fail < 0)
		SKIP(return, "no fault injection in this kernel");
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	own_init(&old, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes,
		 (const unsigned int[]) { 5, 1 });
	own_init(&new, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes,
		 (const unsigned int[]) { 2, 6 });
	ASSERT_TRUE(inherit(&own, ctx));
	own.more = obeys_more;
	ASSERT_TRUE(target_begin(&target, &own, 0));
	ASSERT_EQ(0, told(&target, BEGIN_THREADS));
	ASSERT_EQ(0, told(&target, TOUCH_ALL));
	fail_each_of(_metadata, fail, ctx, attempt);
	target_end(&target);
	area_unmap(&own.area);
	close(fail);
}

TEST_F(mempolicy2, no_memory_for_set)
{
	static const struct attempt attempt = {
		.prepare = task_prepare,
		.call = task_call,
		.check = task_check,
		/* The policy and its weights, and what each thread needs */
		.refused = 2 + THREADS,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

TEST_F(mempolicy2, no_memory_for_set_and_move)
{
	static const struct attempt attempt = {
		.prepare = task_prepare,
		.call = task_move_call,
		.check = task_check,
		.refused = 2 + THREADS,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

TEST_F(mempolicy2, no_memory_for_get)
{
	static const struct attempt attempt = {
		.prepare = task_prepare,
		.call = get_call,
		.check = get_check,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

TEST_F(mempolicy2, no_memory_for_bind)
{
	static const struct attempt attempt = {
		.prepare = bind_prepare,
		.call = bind_call,
		.check = bind_check,
		/* The policy, its weights and the two cuts */
		.refused = 4,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}

TEST_F(mempolicy2, no_memory_for_bind_and_move)
{
	static const struct attempt attempt = {
		.prepare = bind_prepare,
		.call = bind_move_call,
		.check = bind_check,
		.refused = 4,
	};

	fail_each(_metadata, &self->ctx, &attempt);
}
