// SPDX-License-Identifier: GPL-2.0
/* From bandwidths to the weights of each group, and of all */
#include "bwactl-plan.h"

#include <stdbool.h>
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

/* Plans that share nodes, directly or by way of others, on one scale */
struct part {
	struct ratio ratio;
	double mbps[MAX_NODES];		/* 0: not a node of these plans */
	int differs;			/* the node why @ratio is none, or -1 */
};

static unsigned int common_divisor(unsigned int a, unsigned int b)
{
	return b ? common_divisor(b, a % b) : a;
}

/*
 * Multiplies both so that @shared has one weight, and joins them. Returns -1, or
 * the node that keeps them apart: one with two weights, or @shared when a weight
 * would be too large.
 */
static int join_ratios(struct ratio *ratio, const struct ratio *other,
		       unsigned int max_weight, int shared)
{
	unsigned int divisor = common_divisor(ratio->weight[shared],
					      other->weight[shared]);
	unsigned int by = other->weight[shared] / divisor;
	unsigned int other_by = ratio->weight[shared] / divisor;
	bool fits = true;
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		unsigned int weight = ratio->weight[i] * by;
		unsigned int other_weight = other->weight[i] * other_by;

		if (weight && other_weight && weight != other_weight)
			return i;
		fits &= weight <= max_weight && other_weight <= max_weight;
	}
	if (!fits)
		return shared;
	for (i = 0; i < MAX_NODES; i++)
		ratio->weight[i] = ratio->weight[i] ? ratio->weight[i] * by :
						      other->weight[i] * other_by;
	return -1;
}

/* The first node of both, or -1 */
static int shared_node(const struct part *part, const struct plan *plan)
{
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (part->mbps[i] && plan->ratio.weight[i])
			return i;
	}
	return -1;
}

/* @shared is -1 for the first plan of a part */
static void add_plan(struct part *part, const struct plan *plan,
		     unsigned int max_weight, int shared)
{
	double scale = 1;
	int i;

	if (shared < 0) {
		part->ratio = plan->ratio;
		part->differs = -1;
	} else {
		scale = part->mbps[shared] / plan->mbps[shared];
		if (part->differs < 0)
			part->differs = join_ratios(&part->ratio, &plan->ratio,
						    max_weight, shared);
	}
	for (i = 0; i < MAX_NODES; i++) {
		if (plan->ratio.weight[i] && !part->mbps[i])
			part->mbps[i] = plan->mbps[i] * scale;
	}
}

/* Weights for the bandwidths of all plans of a part at once */
static void fit_part(const struct fit_rule *rule, struct part *part)
{
	unsigned char weights[MAX_NODES];
	unsigned int mbps[MAX_NODES];
	double largest = 0;
	size_t count = 0;
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (part->mbps[i] > largest)
			largest = part->mbps[i];
	}
	for (i = 0; i < MAX_NODES; i++) {
		if (!part->mbps[i])
			continue;
		mbps[count] = part->mbps[i] / largest * FIT_MAX_MBPS;
		mbps[count] += !mbps[count];
		count++;
	}
	fit_weights(rule, mbps, count, weights);
	count = 0;
	for (i = 0; i < MAX_NODES; i++)
		part->ratio.weight[i] = part->mbps[i] ? weights[count++] : 0;
}

/* Of those weights that @plan has, as that of fit_weights() */
static double error_of(const struct plan *plan, const struct ratio *ratio)
{
	double smallest = 0, largest = 0;
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		double load;

		if (!plan->ratio.weight[i])
			continue;
		load = (double)ratio->weight[i] / plan->mbps[i];
		if (!smallest || load < smallest)
			smallest = load;
		if (load > largest)
			largest = load;
	}
	return smallest ? largest / smallest - 1 : 0;
}

/* No plan is further off than measurements are, or than it is by itself */
static bool suits(const struct ratio *ratio, const struct plan *plan)
{
	const double tiny = 1 / 1e9;
	double most = FIT_PER_MILLE / 1000.0;

	if (plan->error > most)
		most = plan->error;
	return error_of(plan, ratio) <= most + tiny;
}

/* Takes @first and all that share nodes with it; returns as merge_plans() */
static int merge_part(const struct fit_rule *rule, const struct plan *plans,
		      size_t count, size_t first, bool *taken,
		      struct part *part)
{
	bool more = true;
	int shared;
	size_t w;

	memset(part, 0, sizeof(*part));
	add_plan(part, &plans[first], rule->max_weight, -1);
	taken[first] = true;
	while (more) {
		more = false;
		for (w = 0; w < count; w++) {
			shared = taken[w] ? -1 : shared_node(part, &plans[w]);
			if (shared < 0)
				continue;
			add_plan(part, &plans[w], rule->max_weight, shared);
			taken[w] = true;
			more = true;
		}
	}
	if (part->differs < 0)
		return -1;
	fit_part(rule, part);
	for (w = 0; w < count; w++) {
		if (shared_node(part, &plans[w]) >= 0 &&
		    !suits(&part->ratio, &plans[w]))
			return part->differs;
	}
	return -1;
}

int merge_plans(const struct fit_rule *rule, struct plan *plans, size_t count,
		struct ratio *ratio)
{
	bool taken[MAX_NODES] = {};
	struct part part;
	int conflict;
	size_t w;
	int i;

	memset(ratio, 0, sizeof(*ratio));
	for (w = 0; w < count; w++) {
		if (taken[w])
			continue;
		conflict = merge_part(rule, plans, count, w, taken, &part);
		if (conflict >= 0)
			return conflict;
		for (i = 0; i < MAX_NODES; i++)
			ratio->weight[i] |= part.ratio.weight[i];
	}
	for (w = 0; w < count; w++) {
		plans[w].error = error_of(&plans[w], ratio);
		for (i = 0; i < MAX_NODES; i++) {
			if (plans[w].ratio.weight[i])
				plans[w].ratio.weight[i] = ratio->weight[i];
		}
	}
	return -1;
}
