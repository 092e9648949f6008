// SPDX-License-Identifier: GPL-2.0
/*
 * Weights from what firmware tells of the bandwidth of nodes.
 *
 * Firmware tells it at boot, node by node, and of each node that comes online
 * later. Then, and when a node goes, a work derives the weights anew, of all
 * nodes that have memory. Computing the orders of all live sets can take long,
 * and users can make it long: it must not be done with memory hotplug locked,
 * nor hold up other works of a CPU, nor end because a task that happens to bring
 * memory online is being killed.
 *
 * reading, writing and mix are read and written with READ_ONCE() and WRITE_ONCE(); all
 * else belongs to the work.
 */
#include <linux/init.h>
#include <linux/memory.h>
#include <linux/node.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/weighted_interleave.h>
#include <linux/workqueue.h>

#include "fit.h"
#include "internal.h"

#define LARGEST_WEIGHT	255

/* Two reads a write, as sums and sorts have it */
#define DEFAULT_MIX	67

/* MB/s by node id, 0 where nobody tells */
static u32 reading[MAX_NUMNODES], writing[MAX_NUMNODES];

/* Percent of reads that weights are derived for */
static unsigned int mix = DEFAULT_MIX;

/* Of the nodes that weights are derived for; too large for the stack */
static struct {
	u16 node[MAX_NUMNODES];
	u32 bandwidth[MAX_NUMNODES];
	u8 weight[MAX_NUMNODES];
	u8 work[MAX_NUMNODES];
} found;

/* Result by node id; that of a node without memory is what it had */
static u8 derived[MAX_NUMNODES] = { [0 ... MAX_NUMNODES - 1] = 1 };

/* What the log has last said by node id, 0 where it says nothing */
static u8 logged[MAX_NUMNODES];

static void derive(struct work_struct *work);
static DECLARE_WORK(derive_work, derive);
static bool booted;

static unsigned int find_weights(void)
{
	unsigned int nr = 0, reads = READ_ONCE(mix);
	int nid;

	for_each_node_state(nid, N_MEMORY) {
		u32 bandwidth = interleave_mixed(READ_ONCE(reading[nid]),
						 READ_ONCE(writing[nid]), reads);

		if (!bandwidth) {
			derived[nid] = 1;
			logged[nid] = 0;
			continue;
		}
		found.node[nr] = nid;
		found.bandwidth[nr++] = bandwidth;
	}
	if (nr)
		interleave_fit(found.bandwidth, found.weight, found.work, nr,
			       LARGEST_WEIGHT);
	return nr;
}

static void derive(struct work_struct *work)
{
	unsigned int nr = find_weights(), i;

	for (i = 0; i < nr; i++) {
		derived[found.node[i]] = found.weight[i];
		if (logged[found.node[i]] == found.weight[i])
			continue;
		logged[found.node[i]] = found.weight[i];
		pr_info_ratelimited("weighted interleave: node %u: weight %u derived from %u MB/s%s\n",
				    found.node[i], found.weight[i],
				    found.bandwidth[i],
				    interleave_auto() ? "" : ", not in force");
	}
	interleave_weights_derive(derived);
}

static void derive_soon(void)
{
	/* At boot, there is one result for all nodes. */
	if (READ_ONCE(booted))
		queue_work(system_unbound_wq, &derive_work);
}

/**
 * weighted_interleave_set_bandwidth - take over what firmware tells of a node
 * @nid:    the node
 * @access: class of the initiators; 1 are CPUs
 * @read:   bandwidth of reads, MB/s, 0 if unknown
 * @write:  so too of writes
 *
 * Context: any.
 */
void weighted_interleave_set_bandwidth(unsigned int nid, unsigned int access,
				       unsigned int read, unsigned int write)
{
	if (access != 1)
		return;
	WRITE_ONCE(reading[nid], read);
	WRITE_ONCE(writing[nid], write);
	derive_soon();
}

/**
 * interleave_derive_now - derive the weights, and put them in force where they count
 *
 * Context: may sleep, as long as all sets take.
 */
void interleave_derive_now(void)
{
	queue_work(system_unbound_wq, &derive_work);
	flush_work(&derive_work);
}

/**
 * interleave_mix - the percentage of reads that weights are derived for
 *
 * Context: any.
 */
unsigned int interleave_mix(void)
{
	return READ_ONCE(mix);
}

/**
 * interleave_mix_store - change it
 * @reads: percent of the bytes that are read, 0..100
 *
 * While the weights are automatic they are those for it on return; else they stay, and
 * will be when they are automatic again.
 *
 * Context: may sleep.
 */
void interleave_mix_store(unsigned int reads)
{
	WRITE_ONCE(mix, reads);
	/* Against interleave_auto_store(): one of both sees what the other has written. */
	smp_mb();
	if (interleave_auto())
		interleave_derive_now();
}

static int memory_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	struct memory_notify *change = data;

	if ((action == MEM_ONLINE || action == MEM_OFFLINE) &&
	    change->status_change_nid != NUMA_NO_NODE)
		derive_soon();
	return NOTIFY_OK;
}

static int __init derive_init(void)
{
	hotplug_memory_notifier(memory_event, 0);
	WRITE_ONCE(booted, true);
	derive_soon();
	/* Who starts from here on finds the weights in force. */
	flush_work(&derive_work);
	return 0;
}
late_initcall(derive_init);
