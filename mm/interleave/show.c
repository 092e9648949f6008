// SPDX-License-Identifier: GPL-2.0
/*
 * Weights of one's own in /proc/PID/numa_maps.
 */
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/weighted_interleave.h>

#include "order.h"
#include "policy.h"

static void show_weights(struct seq_file *file, const struct mempolicy *pol)
{
	nodemask_t nodes = interleave_nodes_now(pol);
	const char *before = " weights=";
	int node;

	/* A rebind changes the weights meanwhile. */
	for_each_node_mask(node, nodes) {
		seq_printf(file, "%s%d:%u", before, node,
			   interleave_weight_of(interleave_bound(pol->own),
						interleave_weights, node));
		before = ",";
	}
}

/**
 * weighted_interleave_show - show the weights in force for a mapping
 * @file: the line of the mapping, at its end
 * @pol:  its policy, the task's if it has none, or NULL; with a reference
 *
 * Shows nothing unless the policy has weights of its own.
 *
 * Context: any; a policy that is bound to other nodes meanwhile shows some of each.
 */
void weighted_interleave_show(struct seq_file *file, const struct mempolicy *pol)
{
	if (pol && pol->mode == MPOL_WEIGHTED_INTERLEAVE &&
	    pol->flags & MPOL_F_HAS_WEIGHTS)
		show_weights(file, pol);
}
