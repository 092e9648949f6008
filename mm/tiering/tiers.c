// SPDX-License-Identifier: GPL-2.0
/*
 * Which tier a node belongs to.
 *
 * The base places nodes by memory types, which drivers give: everything else is
 * DRAM. Here a node can have a type of its own, whose abstract distance is, in
 * this order,
 *
 *	what the administrator wrote,
 *	what firmware's tables tell of a node whose memory serves no CPUs,
 *	that of slow memory, for such a node of which nobody tells anything.
 *
 * Otherwise the node has no type of its own and the driver's holds. Nodes whose
 * memory serves CPUs are what the others are compared with.
 *
 * Everything here is protected by memory_tier_lock, but for speeds. The type of a node
 * changes only while the node is in no tier, which is what lets the base find the same
 * type when it takes the node out as when it put it in.
 *
 * Who tells a speed may hold a lock of firmware's tables, which newer kernels take
 * below memory_tier_lock. So it is written down only, and nodes are placed by it at
 * the end of the boot, or of what else has brought it.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/limits.h>
#include <linux/memory.h>
#include <linux/memory-tiers.h>
#include <linux/memory_tiering.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/node.h>
#include <linux/nodemask.h>
#include <linux/spinlock.h>

#include "base.h"
#include "distance.h"
#include "serving.h"
#include "tiers.h"
#include "../newer.h"

/* Without a table, as dax/kmem has it for persistent memory */
#define SLOW_DISTANCE	(5 * MEMTIER_ADISTANCE_DRAM)

/**
 * struct node_tiering - why a node is in its tier
 * @type:     its own type, or NULL
 * @driver:   the type it has otherwise, when it was put into a tier last
 * @default_: @driver is what every node has of which no driver tells anything
 * @override: the distance that the administrator wrote, or 0
 */
struct node_tiering {
	struct memory_dev_type *type;
	struct memory_dev_type *driver;
	bool default_;
	int override;
};

static struct node_tiering tiering[MAX_NUMNODES];
static struct memory_speed speeds[MAX_NUMNODES];
static DEFINE_SPINLOCK(speeds_lock);

/* The node on its way between two tiers, whose type is chosen and in the new one */
static int moving = NUMA_NO_NODE;

static int distance_by_speed(int nid, const nodemask_t *serving)
{
	struct memory_speed_sum dram = {};
	struct memory_speed mean, own;
	int other;

	spin_lock(&speeds_lock);
	for_each_node_mask(other, *serving)
		memory_speed_add(&dram, &speeds[other]);
	own = speeds[nid];
	spin_unlock(&speeds_lock);
	mean = memory_speed_mean(&dram);
	return memory_distance(&own, &mean, MEMTIER_ADISTANCE_DRAM);
}

/* The abstract distance of a type of its own, 0 for none, while CPUs have @serving */
static int own_distance(int nid, const nodemask_t *serving)
{
	int distance;

	if (tiering[nid].override)
		return tiering[nid].override;
	if (node_isset(nid, *serving))
		return 0;
	distance = distance_by_speed(nid, serving);
	if (distance || !tiering[nid].default_)
		return distance;
	return SLOW_DISTANCE;
}

static void take_type(int nid, struct memory_dev_type *type)
{
	if (tiering[nid].type)
		put_memory_type(tiering[nid].type);
	tiering[nid].type = type;
}

static bool is_placed(int nid)
{
	return rcu_access_pointer(NODE_DATA(nid)->memtier);
}

/**
 * tiering_place_node - choose the type of a node that is put into a tier
 * @nid:      the node
 * @driver:   the type that a driver gave it, or that of DRAM
 * @default_: no driver gave it
 *
 * A node that is in a tier already keeps its type. Without memory for a new
 * one the node goes where the base would have it.
 *
 * Context: memory_tier_lock held; may sleep.
 * Return: the type.
 */
struct memory_dev_type *tiering_place_node(int nid,
					   struct memory_dev_type *driver,
					   bool default_)
{
	struct memory_dev_type *type = NULL;
	nodemask_t serving;
	int distance;

	lockdep_assert_held(&memory_tier_lock);

	/* What serves CPUs may have changed since a node that moves was looked at. */
	if (is_placed(nid) || nid == moving)
		return tiering_node_type(nid, driver);

	tiering[nid].driver = driver;
	tiering[nid].default_ = default_;
	serving_nodes(&serving);
	distance = own_distance(nid, &serving);
	if (distance == (tiering[nid].type ? tiering[nid].type->adistance : 0))
		return tiering_node_type(nid, driver);
	if (distance) {
		type = alloc_memory_type(distance);
		if (IS_ERR(type)) {
			pr_warn("memory tiering: no memory to place node %d\n", nid);
			type = NULL;
		}
	}
	take_type(nid, type);
	return tiering_node_type(nid, driver);
}

/**
 * tiering_node_type - the type by which a node was put into its tier
 * @nid:    the node
 * @driver: the type it has without one of its own
 *
 * Context: memory_tier_lock held.
 * Return: the type.
 */
struct memory_dev_type *tiering_node_type(int nid,
					  struct memory_dev_type *driver)
{
	return tiering[nid].type ?: driver;
}

/*
 * The last memory of a node has just gone, and its notifier waits for the lock:
 * it finds the node in no tier. The type must not stay in one either.
 */
static void take_out(int nid, struct memory_tier *tier)
{
	node_set(nid, tiering_node_type(nid, tiering[nid].driver)->nodes);
	rcu_assign_pointer(NODE_DATA(nid)->memtier, tier);
	clear_node_memory_tier(nid);
}

/*
 * Takes a node to the tier where it belongs now. That tier is made before the
 * node leaves its old one: afterwards nothing can fail.
 */
static int move_node(int nid, const nodemask_t *serving)
{
	int distance = own_distance(nid, serving);
	struct memory_dev_type *type = NULL;
	struct memory_tier *tier;

	if (!is_placed(nid) ||
	    distance == (tiering[nid].type ? tiering[nid].type->adistance : 0))
		return 0;

	if (distance) {
		type = alloc_memory_type(distance);
		if (IS_ERR(type))
			return PTR_ERR(type);
	}
	tier = find_create_memory_tier(type ?: tiering[nid].driver);
	if (IS_ERR(tier)) {
		if (type)
			put_memory_type(type);
		return PTR_ERR(tier);
	}
	clear_node_memory_tier(nid);
	take_type(nid, type);
	moving = nid;
	if (IS_ERR(set_node_memory_tier(nid)))
		take_out(nid, tier);
	moving = NUMA_NO_NODE;
	return 0;
}

/**
 * tiering_place_all - move every node that belongs elsewhere now
 *
 * Each speed is compared with all others. Memory that comes or goes may change
 * which other memory serves CPUs.
 *
 * Context: memory_tier_lock held; may sleep.
 */
void tiering_place_all(void)
{
	nodemask_t serving;
	int nid;

	lockdep_assert_held(&memory_tier_lock);

	serving_nodes(&serving);
	for_each_node_state(nid, N_MEMORY)
		if (move_node(nid, &serving))
			pr_warn("memory tiering: no memory to move node %d\n", nid);
	establish_demotion_targets();
}

static int tier_of(int nid)
{
	return tiering_node_type(nid, tiering[nid].driver)->adistance /
	       MEMTIER_CHUNK_SIZE;
}

/**
 * tiering_top_nodes - the memory from whose tier nothing is promoted
 * @nodes: gets the nodes; the slowest tier that has one of them is the top one
 *
 * That of nodes with CPUs that are online, as the base has it. Memory without CPUs
 * that serves some counts where none that serves is in a faster tier: a driver or
 * the administrator may have said that it is slow.
 *
 * Context: memory_tier_lock held.
 */
void tiering_top_nodes(nodemask_t *nodes)
{
	int nid, fastest = INT_MAX;
	nodemask_t serving;

	lockdep_assert_held(&memory_tier_lock);

	memory_serving(&node_states[N_CPU], &serving);
	/* One whose notifier waits for the lock is in no tier yet. */
	for_each_node_mask(nid, serving)
		if (is_placed(nid))
			fastest = min(fastest, tier_of(nid));
	nodes_clear(*nodes);
	for_each_node_mask(nid, serving)
		if (is_placed(nid) &&
		    (node_state(nid, N_CPU) || tier_of(nid) == fastest))
			node_set(nid, *nodes);
}

static u64 sum_of(unsigned int read, unsigned int write)
{
	return read && write ? (u64)read + write : 2 * (u64)(read | write);
}

/**
 * tiering_set_speed - write down what firmware tells of a node
 * @nid:             the node
 * @access:          class of the initiators; 1 are CPUs
 * @read_latency:    ns, 0 if unknown
 * @write_latency:   ns, 0 if unknown
 * @read_bandwidth:  MB/s, 0 if unknown
 * @write_bandwidth: MB/s, 0 if unknown
 *
 * Context: while the kernel boots, or memory comes.
 */
void tiering_set_speed(unsigned int nid, unsigned int access,
		       unsigned int read_latency, unsigned int write_latency,
		       unsigned int read_bandwidth, unsigned int write_bandwidth)
{
	if (access != 1)
		return;
	spin_lock(&speeds_lock);
	speeds[nid].latency = sum_of(read_latency, write_latency);
	speeds[nid].bandwidth = sum_of(read_bandwidth, write_bandwidth);
	spin_unlock(&speeds_lock);
}

/* Other nodes may be slower or faster than one whose speed is told, so that all are looked at. */
static void place_told(void)
{
	mutex_lock(&memory_tier_lock);
	tiering_place_all();
	mutex_unlock(&memory_tier_lock);
}

/* Behind who reads tables when memory comes, before who shows tiers */
enum { PLACE_PRIORITY = 1 };

static int memory_event(struct notifier_block *nb, unsigned long action, void *data)
{
	struct memory_notify *change = data;

	if (action == MEM_ONLINE && change->status_change_nid >= 0)
		place_told();
	return NOTIFY_OK;
}

static int __init tiers_init(void)
{
	/* Listen first: what a node tells that is on its way is seen by one or the other. */
	hotplug_memory_notifier(memory_event, PLACE_PRIORITY);
	place_told();
	return 0;
}
late_initcall(tiers_init);

/**
 * tiering_get_distance - abstract distance of a node
 * @nid: the node
 *
 * Context: may sleep.
 * Return: the distance that its tier follows from, or 0 when it is in no tier.
 */
int tiering_get_distance(int nid)
{
	int distance = 0;

	mutex_lock(&memory_tier_lock);
	if (is_placed(nid))
		distance = tiering_node_type(nid, tiering[nid].driver)->adistance;
	mutex_unlock(&memory_tier_lock);
	return distance;
}

/**
 * tiering_override_distance - put a node at a distance of one's choice
 * @nid:      the node
 * @distance: LOWEST_DISTANCE .. HIGHEST_DISTANCE, or 0 to give it back
 *
 * Tiers, demotion targets and what is promoted follow before this returns. An
 * override outlasts the node's going offline.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; then nothing has changed.
 */
int tiering_override_distance(int nid, int distance)
{
	nodemask_t serving;
	int old, err;

	mutex_lock(&memory_tier_lock);
	serving_nodes(&serving);
	old = tiering[nid].override;
	tiering[nid].override = distance;
	err = move_node(nid, &serving);
	if (err)
		tiering[nid].override = old;
	else
		establish_demotion_targets();
	mutex_unlock(&memory_tier_lock);
	return err;
}
