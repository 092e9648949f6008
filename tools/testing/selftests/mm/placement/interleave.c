// SPDX-License-Identifier: GPL-2.0
/* Two nodes that pages are interleaved over, see interleave.h */
#define _GNU_SOURCE
#include <errno.h>

#include "interleave.h"

#define RUN_ORDER "interleave_run_order"

int interleave_enter(struct interleave_context *ctx)
{
	int ret = weights_enter(&ctx->saved, 1, &ctx->missing);
	struct nodeset normal;

	if (ret || ctx->missing)
		return ret;
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

int interleave_leave(struct interleave_context *ctx)
{
	policy_set(MPOL_DEFAULT, NULL);
	return ctx->saved.weight[0] ? weights_restore(&ctx->saved) : 0;
}

long long run_order_placements(void)
{
	return file_value("/proc/vmstat", RUN_ORDER);
}

int two_nodes_enter(struct interleave_context *ctx, struct round *round,
		    int *order, long long *run_order,
		    const unsigned int *weight)
{
	int ret = interleave_enter(ctx);

	if (ret || ctx->missing)
		return ret;
	*run_order = run_order_placements();
	ret = round_write(round, &ctx->nodes, weight);
	return ret ? ret : round_sample(round, &ctx->nodes, order);
}

int two_nodes_leave(struct interleave_context *ctx, long long run_order)
{
	int ret = interleave_leave(ctx);

	if (!ret && !ctx->missing && run_order != run_order_placements())
		return -EINVAL;
	return ret;
}
