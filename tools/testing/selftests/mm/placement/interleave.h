/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests share that look at where weighted interleaving puts pages: two
 * nodes with equal weights, or with those of a round.
 *
 * Functions that can fail return 0 or a value on success, -errno otherwise.
 */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

#include "placement.h"

#define MAX_PAGES 16384

struct interleave_context {
	struct saved_weights saved;
	struct nodeset memory;
	struct nodeset nodes;
	int first;
	int second;
	/* Whether @nodes are two that kernel memory can come from */
	bool kernel_memory;
	const char *missing;
};

/* Two nodes with memory, all weights 1, room for the tests, or what is missing */
int interleave_enter(struct interleave_context *ctx);
int interleave_leave(struct interleave_context *ctx);

/* How many pages were placed without a table so far */
long long run_order_placements(void);

/*
 * The same, with a round of @weight and the @order of its pages. Nothing in
 * between leaves a policy without its table, or it is -EINVAL in the end.
 */
int two_nodes_enter(struct interleave_context *ctx, struct round *round,
		    int *order, long long *run_order,
		    const unsigned int *weight);
int two_nodes_leave(struct interleave_context *ctx, long long run_order);

#endif /* INTERLEAVE_H */
