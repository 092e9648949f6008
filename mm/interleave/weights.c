// SPDX-License-Identifier: GPL-2.0
/*
 * The global weights: one for each node, in force for every policy.
 *
 * They are indexed by node id for all possible nodes, so a node that goes
 * offline finds its weight again when it comes back. All that is here is
 * written under interleave_lock.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "internal.h"

/* Weight of a node of which nothing is known, and nobody has written one. */
#define DEFAULT_WEIGHT	1

u8 interleave_weights[MAX_NUMNODES] = {
	[0 ... MAX_NUMNODES - 1] = DEFAULT_WEIGHT,
};

/* What the nodes in @following have. */
static u8 derived_weights[MAX_NUMNODES] = {
	[0 ... MAX_NUMNODES - 1] = DEFAULT_WEIGHT,
};

static nodemask_t following = NODE_MASK_ALL;
static bool automatic = true;

static u8 *copy_weights(const u8 *weights)
{
	return kmemdup(weights, nr_node_ids, STAGE_GFP);
}

/*
 * On return the next page of every task and mapping is placed by the new
 * weights. All sets are prepared before the first one changes, so on failure
 * the old weights stay in force everywhere.
 */
static int put_in_force(const u8 *weights)
{
	int nid, err;

	if (!memcmp(weights, interleave_weights, nr_node_ids))
		return 0;
	err = interleave_sets_stage(weights);
	if (err)
		return err;

	for (nid = 0; nid < nr_node_ids; nid++)
		WRITE_ONCE(interleave_weights[nid], weights[nid]);
	/* Who makes a set reads this first, then the weights. */
	smp_store_release(&interleave_generation, interleave_generation + 1);
	interleave_sets_publish();
	return 0;
}

/**
 * interleave_weight_store - change the weight of a node
 * @nid:    node id, below nr_node_ids
 * @weight: 1..255, or 0 to hand the node back to its derived weight
 *
 * A weight ends automatic weights: the other nodes keep what they have.
 *
 * Context: may sleep, takes interleave_lock.
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int interleave_weight_store(int nid, u8 weight)
{
	int err = -ENOMEM;
	u8 *weights;

	if (mutex_lock_killable(&interleave_lock))
		return -EINTR;
	weights = copy_weights(interleave_weights);
	if (weights) {
		weights[nid] = weight ?: derived_weights[nid];
		err = put_in_force(weights);
		kfree(weights);
	}
	if (!err && !weight)
		node_set(nid, following);
	if (!err && weight) {
		if (automatic)
			nodes_clear(following);
		node_clear(nid, following);
		WRITE_ONCE(automatic, false);
	}
	mutex_unlock(&interleave_lock);
	return err;
}

/**
 * interleave_auto - do all nodes follow their derived weights?
 *
 * Context: any.
 */
bool interleave_auto(void)
{
	return READ_ONCE(automatic);
}

/**
 * interleave_auto_store - switch automatic weights on or off
 * @on: true: forget what was written; false: let all weights be as they are
 *
 * Context: may sleep, takes interleave_lock.
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int interleave_auto_store(bool on)
{
	int err = 0;

	if (mutex_lock_killable(&interleave_lock))
		return -EINTR;
	if (on)
		err = put_in_force(derived_weights);
	if (!err) {
		following = on ? NODE_MASK_ALL : NODE_MASK_NONE;
		WRITE_ONCE(automatic, on);
	}
	mutex_unlock(&interleave_lock);
	return err;
}

/**
 * interleave_weights_derive - take over derived weights
 * @derived: weight by node id, nr_node_ids of them, each 1..255
 *
 * They are in force at once for the nodes that follow them, and kept for those
 * that will.
 *
 * Context: may sleep, takes interleave_lock. Not a task that can be killed.
 * Return: 0 or -ENOMEM; then the old weights are in force, and the new ones from
 * the next successful change of a node that follows them.
 */
int interleave_weights_derive(const u8 *derived)
{
	int nid, err = -ENOMEM;
	u8 *weights;

	mutex_lock(&interleave_lock);
	memcpy(derived_weights, derived, nr_node_ids);
	weights = copy_weights(interleave_weights);
	if (weights) {
		for (nid = 0; nid < nr_node_ids; nid++)
			if (node_isset(nid, following))
				weights[nid] = derived[nid];
		err = put_in_force(weights);
		kfree(weights);
	}
	mutex_unlock(&interleave_lock);
	return err;
}
