// SPDX-License-Identifier: GPL-2.0
/* What mpolctl, bwactl and the library for large memory set */
#include "weighted.h"

#include <string.h>

#define WORD_BITS	(8 * sizeof(unsigned long))

void make_weighted(const struct ratio *ratio, unsigned int mode_flags,
		   struct weighted *policy)
{
	size_t i;

	memset(policy, 0, sizeof(*policy));
	policy->param.mode = MPOL_WEIGHTED_INTERLEAVE;
	policy->param.mode_flags = mode_flags;
	policy->param.pol_maxnodes = MAX_NODES;
	policy->param.pol_nodes = mpol_address(policy->nodes);
	policy->param.il_weights = mpol_address(ratio->weight);
	for (i = 0; i < MAX_NODES; i++) {
		if (ratio->weight[i])
			policy->nodes[i / WORD_BITS] |= 1UL << i % WORD_BITS;
	}
}
