// SPDX-License-Identifier: GPL-2.0
/*
 * Weights from what firmware tells of the bandwidth of nodes.
 *
 * Firmware tells it at boot, node by node, and of each node that comes online
 * later. From boot on, each change derives the weights anew, of all nodes that
 * have memory. derive_lock protects all that is here; interleave_lock nests
 * inside.
 */
#include <linux/init.h>
#include <linux/memory.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/node.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/weighted_interleave.h>

#include "fit.h"
#include "internal.h"

#define LARGEST_WEIGHT	255

static DEFINE_MUTEX(derive_lock);

/* MB/s by node id, 0 where nobody tells */
static u32 bandwidths[MAX_NUMNODES];
static bool booted;

/* By node id, what was derived last */
static u8 derived[MAX_NUMNODES] = { [0 ... MAX_NUMNODES - 1] = 1 };

/* Of the nodes that weights are derived for; too large for the stack */
static struct {
	u16 node[MAX_NUMNODES];
	u32 bandwidth[MAX_NUMNODES];
	u8 weight[MAX_NUMNODES];
	u8 work[MAX_NUMNODES];
	u8 all[MAX_NUMNODES];
} next;

static unsigned int find_weights(void)
{
	unsigned int nr = 0, i;
	int nid;

	memset(next.all, 1, sizeof(next.all));
	for_each_node_state(nid, N_MEMORY) {
		if (!bandwidths[nid])
			continue;
		next.node[nr] = nid;
		next.bandwidth[nr++] = bandwidths[nid];
	}
	if (nr)
		interleave_fit(next.bandwidth, next.weight, next.work, nr,
			       LARGEST_WEIGHT);
	for (i = 0; i < nr; i++)
		next.all[next.node[i]] = next.weight[i];
	return nr;
}

static void derive(void)
{
	unsigned int nr, i;

	lockdep_assert_held(&derive_lock);

	if (!booted)
		return;
	nr = find_weights();
	if (!memcmp(next.all, derived, sizeof(derived)))
		return;
	if (interleave_weights_derive(next.all)) {
		pr_warn("weighted interleave: no memory for derived weights, the old ones stay\n");
		return;
	}
	memcpy(derived, next.all, sizeof(derived));
	for (i = 0; i < nr; i++)
		pr_info("weighted interleave: node %u: weight %u derived from %u MB/s\n",
			next.node[i], next.weight[i], next.bandwidth[i]);
}

/**
 * weighted_interleave_set_bandwidth - take over what firmware tells of a node
 * @nid:    the node
 * @attrs:  bandwidths in MB/s, 0 where unknown
 * @access: class of the initiators; 1 are CPUs
 *
 * Reads and writes are mixed, and the slower ones are what the others wait for.
 *
 * Context: may sleep.
 */
void weighted_interleave_set_bandwidth(unsigned int nid,
				       const struct node_hmem_attrs *attrs,
				       unsigned int access)
{
	if (access != 1)
		return;
	mutex_lock(&derive_lock);
	bandwidths[nid] = min_not_zero(attrs->read_bandwidth,
				       attrs->write_bandwidth);
	derive();
	mutex_unlock(&derive_lock);
}

static int memory_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	struct memory_notify *change = data;

	if ((action == MEM_ONLINE || action == MEM_OFFLINE) &&
	    change->status_change_nid != NUMA_NO_NODE) {
		mutex_lock(&derive_lock);
		derive();
		mutex_unlock(&derive_lock);
	}
	return NOTIFY_OK;
}

static int __init derive_init(void)
{
	hotplug_memory_notifier(memory_event, 0);
	mutex_lock(&derive_lock);
	booted = true;
	derive();
	mutex_unlock(&derive_lock);
	return 0;
}
late_initcall(derive_init);
