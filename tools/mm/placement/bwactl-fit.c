// SPDX-License-Identifier: GPL-2.0
/*
 * Weights in the ratio of bandwidths
 *
 * Call weight / bandwidth the load of a node. The ratio of two nodes is off by
 * the ratio of their loads, so the error of all is that of the largest load to
 * the smallest. Given the smallest, each weight is best as small as that
 * allows. The smallest load is one of the weights allowed over one of the
 * bandwidths: trying them all finds the best weights.
 */
#include "bwactl-fit.h"

#include <stdbool.h>
#include <stddef.h>

unsigned int fit_mix(unsigned int reading, unsigned int writing,
		     unsigned int reads)
{
	unsigned long long busy = (unsigned long long)reads * writing +
				  (unsigned long long)(100 - reads) * reading;

	if (!reading || !writing)
		return reading + writing;
	return 100ULL * reading * writing / busy;
}

/* Weights whose smallest load is @weight / @mbps */
struct candidate {
	unsigned long long weight;
	unsigned long long mbps;
	unsigned long long sum;
	/* the largest load to the smallest, as a fraction */
	unsigned long long above;
	unsigned long long below;
};

static unsigned long long smallest_weight(const struct candidate *candidate,
					  unsigned int mbps)
{
	return (candidate->weight * mbps + candidate->mbps - 1) /
	       candidate->mbps;
}

/* False when a weight would be too large */
static bool complete(struct candidate *candidate, unsigned int max_weight,
		     const unsigned int *mbps, size_t count)
{
	unsigned long long weight, above, below;
	size_t i;

	candidate->sum = 0;
	candidate->above = 1;
	candidate->below = 1;
	for (i = 0; i < count; i++) {
		weight = smallest_weight(candidate, mbps[i]);
		if (weight > max_weight)
			return false;
		candidate->sum += weight;
		above = weight * candidate->mbps;
		below = mbps[i] * candidate->weight;
		if (above * candidate->below > candidate->above * below) {
			candidate->above = above;
			candidate->below = below;
		}
	}
	return true;
}

static bool good_enough(const struct candidate *candidate,
			unsigned int per_mille)
{
	return candidate->above * 1000 <= candidate->below * (1000 + per_mille);
}

static bool better(const struct candidate *new, const struct candidate *old,
		   unsigned int per_mille)
{
	unsigned long long new_error = new->above * old->below;
	unsigned long long old_error = old->above * new->below;

	if (per_mille && good_enough(old, per_mille) && new->sum != old->sum)
		return good_enough(new, per_mille) && new->sum < old->sum;
	if (new_error != old_error)
		return new_error < old_error;
	return new->sum < old->sum;
}

double fit_weights(const struct fit_rule *rule, const unsigned int *mbps,
		   size_t count, unsigned char *weights)
{
	struct candidate best = {}, candidate;
	unsigned int weight;
	size_t i;

	for (i = 0; i < count; i++) {
		for (weight = 1; weight <= rule->max_weight; weight++) {
			candidate.weight = weight;
			candidate.mbps = mbps[i];
			if (!complete(&candidate, rule->max_weight, mbps,
				      count))
				break;
			if (!best.weight ||
			    better(&candidate, &best, rule->per_mille))
				best = candidate;
		}
	}
	for (i = 0; i < count; i++)
		weights[i] = smallest_weight(&best, mbps[i]);
	return (double)best.above / best.below - 1;
}
