// SPDX-License-Identifier: GPL-2.0
/*
 * The global weights: one for each node, in force for every policy.
 *
 * They are indexed by node id for all possible nodes, so a node that goes
 * offline finds its weight again when it comes back.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"

/* Weight of a node nobody has written one for. */
#define DEFAULT_WEIGHT	1

u8 interleave_weights[MAX_NUMNODES] = {
	[0 ... MAX_NUMNODES - 1] = DEFAULT_WEIGHT,
};

/**
 * interleave_weight_store - change the weight of a node
 * @nid:    node id, below nr_node_ids
 * @weight: 1..255, or 0 for the default
 *
 * On return the next page of every task and mapping is placed by the new
 * weight. All sets are prepared before the first one changes, so on failure
 * the old weights stay in force everywhere.
 *
 * Context: may sleep, takes interleave_lock.
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int interleave_weight_store(int nid, u8 weight)
{
	u8 *weights;
	int err;

	if (mutex_lock_killable(&interleave_lock))
		return -EINTR;
	weights = kmemdup(interleave_weights, nr_node_ids, GFP_KERNEL);
	if (!weights) {
		err = -ENOMEM;
		goto unlock;
	}

	weights[nid] = weight ?: DEFAULT_WEIGHT;
	err = interleave_sets_stage(weights);
	if (!err) {
		WRITE_ONCE(interleave_weights[nid], weights[nid]);
		/* Who makes a set reads this first, then the weights. */
		smp_store_release(&interleave_generation,
				  interleave_generation + 1);
		interleave_sets_publish();
	}
	kfree(weights);
unlock:
	mutex_unlock(&interleave_lock);
	return err;
}
