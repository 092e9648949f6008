// SPDX-License-Identifier: GPL-2.0
/* From bandwidths to the weights of each group, and of all */
#include "bwactl-plan.h"

#include <stddef.h>
#include <string.h>

#include "bwactl-fit.h"
#include "bwactl-matrix.h"
#include "common.h"

/*
 * The best that any of the CPUs get: a node's own limit, rather than that of
 * the way there. They use it together.
 */
static unsigned int best_mbps(const struct matrix *matrix,
			      const struct nodes *compute, int memory)
{
	unsigned int best = 0;
	int i;

	for (i = next_node(compute, -1); i >= 0; i = next_node(compute, i)) {
		if (matrix->cell[i][memory].mbps > best)
			best = matrix->cell[i][memory].mbps;
	}
	return best;
}

void plan_weights(const struct matrix *matrix, const struct fit_rule *rule,
		  const struct nodes *compute, const struct nodes *memory,
		  struct plan *plan)
{
	unsigned char weights[MAX_NODES];
	unsigned int mbps[MAX_NODES];
	size_t count = 0;
	int i;

	memset(plan, 0, sizeof(*plan));
	plan->unknown = -1;
	for (i = next_node(memory, -1); i >= 0; i = next_node(memory, i)) {
		mbps[count] = best_mbps(matrix, compute, i);
		plan->mbps[i] = mbps[count];
		if (!mbps[count++])
			plan->unknown = i;
	}
	if (plan->unknown >= 0 || !count)
		return;
	plan->error = fit_weights(rule, mbps, count, weights);
	count = 0;
	for (i = next_node(memory, -1); i >= 0; i = next_node(memory, i))
		plan->ratio.weight[i] = weights[count++];
}

int merge_plans(const struct plan *plans, size_t count, struct ratio *ratio)
{
	size_t w;
	int i;

	memset(ratio, 0, sizeof(*ratio));
	for (w = 0; w < count; w++) {
		for (i = 0; i < MAX_NODES; i++) {
			unsigned char weight = plans[w].ratio.weight[i];

			if (!weight)
				continue;
			if (ratio->weight[i] && ratio->weight[i] != weight)
				return i;
			ratio->weight[i] = weight;
		}
	}
	return -1;
}
