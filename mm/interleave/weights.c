// SPDX-License-Identifier: GPL-2.0
/*
 * The global weights: one for each node, in force for every policy.
 *
 * They are indexed by node id for all possible nodes, so a node that goes
 * offline finds its weight again when it comes back. All that is here is
 * written under weights_lock, for which nobody waits but writers of weights.
 */
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/string.h>

#include "internal.h"

static DEFINE_MUTEX(weights_lock);

/* What the nodes in @following have. */
static u8 derived_weights[MAX_NUMNODES] = {
	[0 ... MAX_NUMNODES - 1] = INTERLEAVE_DEFAULT_WEIGHT,
};

static nodemask_t following = NODE_MASK_ALL;
static bool automatic = true;

/* Nodes whose weights have changed, until put_in_force() */
static nodemask_t changed;

static void change(int nid, u8 weight)
{
	if (interleave_weights[nid] == weight)
		return;
	WRITE_ONCE(interleave_weights[nid], weight);
	node_set(nid, changed);
}

/* On return the next page of every task and mapping goes by the new weights. */
static void put_in_force(void)
{
	if (nodes_empty(changed))
		return;
	/* Who makes an order reads this first, then the weights. */
	smp_store_release(&interleave_generation, interleave_generation + 1);
	interleave_sets_renew(&changed);
	nodes_clear(changed);
}

/**
 * interleave_weight_store - change the weight of a node
 * @nid:    node id, below nr_node_ids
 * @weight: 1..255, or 0 to hand the node back to its derived weight
 *
 * A weight ends automatic weights: the other nodes keep what they have.
 *
 * Nobody's memory stands in the way: where there is no room for an order by the
 * new weight, pages go in run order by it.
 *
 * Context: may sleep.
 * Return: 0, or -EINTR when the caller is being killed and has changed nothing.
 */
int interleave_weight_store(int nid, u8 weight)
{
	if (mutex_lock_killable(&weights_lock))
		return -EINTR;
	if (weight) {
		if (automatic)
			nodes_clear(following);
		node_clear(nid, following);
		WRITE_ONCE(automatic, false);
	} else {
		node_set(nid, following);
	}
	change(nid, weight ?: derived_weights[nid]);
	put_in_force();
	mutex_unlock(&weights_lock);
	return 0;
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
 * Context: may sleep.
 * Return: 0, or -EINTR when the caller is being killed and has changed nothing.
 */
int interleave_auto_store(bool on)
{
	int nid;

	if (mutex_lock_killable(&weights_lock))
		return -EINTR;
	following = on ? NODE_MASK_ALL : NODE_MASK_NONE;
	WRITE_ONCE(automatic, on);
	for (nid = 0; on && nid < nr_node_ids; nid++)
		change(nid, derived_weights[nid]);
	put_in_force();
	mutex_unlock(&weights_lock);
	return 0;
}

/**
 * interleave_weights_derive - take over derived weights
 * @derived: weight by node id, nr_node_ids of them, each 1..255
 *
 * They are in force at once for the nodes that follow them, and kept for those
 * that will.
 *
 * Context: may sleep. Not a task that can be killed.
 */
void interleave_weights_derive(const u8 *derived)
{
	int nid;

	mutex_lock(&weights_lock);
	memcpy(derived_weights, derived, nr_node_ids);
	for (nid = 0; nid < nr_node_ids; nid++)
		if (node_isset(nid, following))
			change(nid, derived[nid]);
	put_in_force();
	mutex_unlock(&weights_lock);
}
