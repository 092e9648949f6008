// SPDX-License-Identifier: GPL-2.0
/*
 * Which memory serves CPUs.
 *
 * That is the memory of nodes with CPUs, and for a node that has CPUs but no
 * memory the nearest memory that there is: its tasks have nothing nearer. All
 * that takes fast memory to be that of CPUs asks here: what other nodes are
 * compared with, which tier is the top one, where pages are promoted to.
 *
 * Nodes get and lose CPUs and memory under cpu_hotplug_lock and
 * mem_hotplug_lock. Nobody takes them here: a look that comes too early is
 * followed by that of the event's notifier.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/limits.h>
#include <linux/memory-tiers.h>
#include <linux/memory_serving.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/topology.h>

#include "serving.h"

/**
 * nodes_with_cpus - the nodes on which tasks can run
 * @nodes: gets them, with memory or without
 *
 * CPUs that are offline count: memory does not become slow with them. Those that
 * are only possible do not, since they are given to nodes at random. An emulated
 * node (numa=fake=) shares its CPUs with others, and they are told of only one
 * of them, while the state of each says that it has some.
 *
 * Context: any.
 */
void nodes_with_cpus(nodemask_t *nodes)
{
	int cpu;

	*nodes = node_states[N_CPU];
	for_each_present_cpu(cpu)
		node_set(cpu_to_node(cpu), *nodes);
}

/*
 * Adds the memory that is nearest to node @nid. Where memory of @cpus is as near
 * as any, it serves these as well, and no other is fast because of them.
 */
static void add_nearest_memory(int nid, const nodemask_t *cpus, nodemask_t *nodes)
{
	int distance = INT_MAX;
	int other;

	for_each_node_state(other, N_MEMORY)
		distance = min(distance, node_distance(nid, other));
	for_each_node_state(other, N_MEMORY)
		if (node_distance(nid, other) == distance && node_isset(other, *cpus))
			return;
	for_each_node_state(other, N_MEMORY)
		if (node_distance(nid, other) == distance)
			node_set(other, *nodes);
}

/**
 * memory_serving - the memory that serves the CPUs of some nodes
 * @cpus:  nodes with CPUs
 * @nodes: gets those nodes with memory that serve them
 *
 * Context: any.
 */
void memory_serving(const nodemask_t *cpus, nodemask_t *nodes)
{
	int nid;

	nodes_and(*nodes, *cpus, node_states[N_MEMORY]);
	for_each_node_mask(nid, *cpus)
		if (!node_state(nid, N_MEMORY))
			add_nearest_memory(nid, cpus, nodes);
}

/**
 * serving_nodes - the memory that serves CPUs
 * @nodes: gets the nodes with memory that do
 *
 * Context: any.
 */
void serving_nodes(nodemask_t *nodes)
{
	nodemask_t cpus;

	nodes_with_cpus(&cpus);
	memory_serving(&cpus, nodes);
}

/**
 * node_serves_cpus - does the memory of a node serve CPUs?
 * @nid: the node
 *
 * Context: any.
 */
bool node_serves_cpus(int nid)
{
	nodemask_t nodes;

	serving_nodes(&nodes);
	return node_isset(nid, nodes);
}

/**
 * serving_node - the node whose memory a task on some node wants
 * @nid: the node of the task's CPU
 *
 * While zonelists change, another one may be the answer.
 *
 * Context: any.
 * Return: @nid if it has memory, or else the node of the nearest fast memory;
 * @nid as well if there is none.
 */
int serving_node(int nid)
{
	enum zone_type highest = gfp_zone(GFP_HIGHUSER_MOVABLE);
	struct zoneref *z;
	struct zone *zone;

	if (node_state(nid, N_MEMORY))
		return nid;
	for_each_zone_zonelist(zone, z, node_zonelist(nid, GFP_HIGHUSER_MOVABLE),
			       highest)
		if (node_is_toptier(zone_to_nid(zone)))
			return zone_to_nid(zone);
	return nid;
}
