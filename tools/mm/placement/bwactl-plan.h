/* SPDX-License-Identifier: GPL-2.0 */
/* From bandwidths to the weights of each group, and of all */
#ifndef BWACTL_PLAN_H
#define BWACTL_PLAN_H

#include <stddef.h>

#include "common.h"

struct fit_rule;
struct matrix;

/* The weights that fit some CPUs */
struct plan {
	struct ratio ratio;
	unsigned int mbps[MAX_NODES];	/* what each node gives these CPUs */
	double error;			/* of the ratio */
	int unknown;			/* a node without a bandwidth, or -1 */
};

/*
 * What @compute, CPUs of one package, want of @memory. A node gives them what
 * it gives the closest of them.
 */
void plan_weights(const struct matrix *matrix, const struct fit_rule *rule,
		  const struct nodes *compute, const struct nodes *memory,
		  struct plan *plan);

/*
 * Puts all plans into one ratio: those that share nodes are brought to one scale,
 * with weights that @rule allows, and get the weights of it. Where that cannot be
 * done exactly all plans may still be off by FIT_PER_MILLE, or by as much as each
 * is by itself. Returns a node that is to have two weights, @plans untouched; or
 * -1.
 */
int merge_plans(const struct fit_rule *rule, struct plan *plans, size_t count,
		struct ratio *ratio);

#endif /* BWACTL_PLAN_H */
