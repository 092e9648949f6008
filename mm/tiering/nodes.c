// SPDX-License-Identifier: GPL-2.0
/*
 * The state of nodes that pages are promoted to, and the work that looks at their
 * thresholds.
 *
 * Everything is separate for each node. Its state is reached through
 * NODE_DATA(nid)->promotion and never freed. promotion_lock orders those who
 * write it: the work, the sysctls, and memory hotplug; faults read without it.
 */
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/memory.h>
#include <linux/memory-tiers.h>
#include <linux/memory_promotion.h>
#include <linux/migrate.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "promote.h"
#include "serving.h"
#include "shares.h"
#include "stamp.h"

#include <trace/events/mm_tiering.h>

/* Another way to find the threshold is another file, and its name here. */
static const struct hot_threshold_ops *const controller =
	&demoted_threshold_ops;

/* Orders those who write the state of nodes; faults do not take it */
DEFINE_MUTEX(promotion_lock);

static void update_thresholds(struct work_struct *work);
static DECLARE_DELAYED_WORK(threshold_work, update_thresholds);

/* What all CPUs have counted of each of @nr since @seen, which is brought up to date */
static void collect(const u32 __percpu *counts, u32 *seen, u32 *since, unsigned int nr)
{
	unsigned int i;
	int cpu;

	for (i = 0; i < nr; i++)
		since[i] = -seen[i];
	for_each_possible_cpu(cpu) {
		const u32 *count = per_cpu_ptr(counts, cpu);

		for (i = 0; i < nr; i++)
			since[i] += READ_ONCE(count[i]);
	}
	for (i = 0; i < nr; i++)
		seen[i] += since[i];
}

static void collect_part(struct promotion_node *node, struct latency_part *part)
{
	unsigned long now = jiffies;

	collect(node->counts->pages, node->seen.pages, part->pages, LATENCY_BINS);
	collect(&node->counts->wanted, &node->seen.wanted, &part->wanted, 1);
	part->ms = max(jiffies_to_msecs(now - node->seen_at), 1U);
	node->seen_at = now;
}

static void collect_look(struct promotion_node *node)
{
	struct promotion_counts __percpu *counts = node->counts;
	struct demoted_counts *seen = &node->seen.demoted, *since = &node->since;

	WRITE_ONCE(node->looked_at, jiffies);
	collect(counts->demoted.touched, seen->touched, since->touched, LATENCY_BINS);
	collect(counts->demoted.fresh, seen->fresh, since->fresh, LATENCY_BINS);
	collect(&counts->demoted.hidden, &seen->hidden, &since->hidden, 1);
}

/* Under promotion_lock; faults read without it. */
static void set_threshold(struct promotion_node *node,
			  const struct hot_threshold *threshold)
{
	node->threshold.def = threshold->def;
	node->threshold.quiet = threshold->quiet;
	WRITE_ONCE(node->threshold.found, threshold->found);
	WRITE_ONCE(node->threshold.ms, threshold->ms);
}

static void start_over(struct promotion_node *node)
{
	struct hot_threshold threshold = node->threshold;
	struct latency_part part;

	collect_part(node, &part);
	collect_look(node);
	memset(&node->window, 0, sizeof(node->window));
	memset(&node->demoted, 0, sizeof(node->demoted));
	node->share_next = jiffies;
	node->share_rest = 0;
	WRITE_ONCE(node->spares, false);
	controller->init(&threshold, promotion_configured_threshold());
	set_threshold(node, &threshold);
	promotion_queue_fit(&node->queue, promotion_queue_size(promotion_rate()), node->nid);
}

static unsigned int part_ms(void)
{
	return max(promotion_pass_ms() / LATENCY_PARTS, 10U);
}

/*
 * Demoted pages are looked at once a second at least: what they tell does not depend on
 * where in memory the scan is.
 */
static unsigned int look_ms(void)
{
	return min(part_ms(), 1000U);
}

static void update_threshold(int nid, struct promotion_node *node)
{
	struct hot_threshold threshold = node->threshold;
	struct latency_part part;

	collect_look(node);
	demoted_latencies_add(&node->demoted, &node->since, look_ms());
	controller->look(&threshold, &node->demoted);
	if (time_after_eq(jiffies, node->seen_at + msecs_to_jiffies(part_ms()))) {
		collect_part(node, &part);
		latency_window_add(&node->window, &part);
		controller->next(&threshold, &node->window, &node->demoted);
	}
	set_threshold(node, &threshold);
	trace_threshold(nid, threshold.ms, threshold.found, node->since.hidden);
	tiering_share_look(node);
}

static void update_again(void)
{
	mod_delayed_work(system_unbound_wq, &threshold_work, msecs_to_jiffies(look_ms()));
}

static void update_thresholds(struct work_struct *work)
{
	struct promotion_node *node;
	int nid;

	mutex_lock(&promotion_lock);
	if (promotion_is_on()) {
		for_each_node_state(nid, N_MEMORY) {
			node = promotion_node_of(nid);
			if (node)
				update_threshold(nid, node);
		}
		update_again();
	}
	mutex_unlock(&promotion_lock);
}

/**
 * promotion_settings_changed - let a sysctl take effect
 *
 * Context: may sleep.
 */
void promotion_settings_changed(void)
{
	struct hot_threshold threshold;
	struct promotion_node *node;
	int nid;

	mutex_lock(&promotion_lock);
	for_each_node_state(nid, N_MEMORY) {
		node = promotion_node_of(nid);
		if (!node)
			continue;
		threshold = node->threshold;
		if (threshold.def != promotion_configured_threshold())
			controller->init(&threshold, promotion_configured_threshold());
		set_threshold(node, &threshold);
		promotion_queue_fit(&node->queue, promotion_queue_size(promotion_rate()), nid);
	}
	mutex_unlock(&promotion_lock);
}

static struct promotion_node *make_node(int nid)
{
	struct promotion_node *node = kzalloc_node(sizeof(*node), GFP_KERNEL, nid);

	if (!node)
		return NULL;
	node->nid = nid;
	node->try_at = jiffies;
	node->threshold.finest = STAMP_FINEST_MS;
	node->threshold.longest = min_t(unsigned long, STAMP_LONGEST_MS,
					BIT(LATENCY_BITS) - 1);
	promotion_drain_init(node);
	node->counts = alloc_percpu(struct promotion_counts);
	if (!promotion_queue_init(&node->queue, nid) && node->counts)
		return node;
	promotion_queue_free(&node->queue);
	free_percpu(node->counts);
	kfree(node);
	return NULL;
}

/* Gives a node a state, or has the state that it has start over */
static void add_node(int nid)
{
	struct promotion_node *node = promotion_node_of(nid);

	lockdep_assert_held(&promotion_lock);

	if (!node)
		node = make_node(nid);
	if (!node) {
		pr_warn("memory tiering: no memory to promote to node %d\n", nid);
		return;
	}
	start_over(node);
	/* Pairs with promotion_node_of(): a node is seen as it was made */
	smp_store_release(&NODE_DATA(nid)->promotion, node);
}

/* Pages are promoted to memory that serves CPUs; some may do so only now. */
static void add_missing_nodes(void)
{
	nodemask_t serving;
	int nid;

	serving_nodes(&serving);
	for_each_node_mask(nid, serving)
		if (!promotion_node_of(nid))
			add_node(nid);
}

/**
 * promotion_enable - memory tiering is about to be switched on
 *
 * Context: may sleep.
 */
void promotion_enable(void)
{
	int nid;

	mutex_lock(&promotion_lock);
	for_each_node_state(nid, N_MEMORY)
		if (promotion_node_of(nid))
			add_node(nid);
	add_missing_nodes();
	update_again();
	mutex_unlock(&promotion_lock);
	if (!numa_demotion_enabled)
		pr_info_once("memory tiering: demotion is off (/sys/kernel/mm/numa/demotion_enabled): pages are promoted only while fast nodes have free memory, nothing is swapped out for them\n");
}

static int memory_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	struct memory_notify *change = data;
	int nid = change->status_change_nid;

	if (nid == NUMA_NO_NODE || (action != MEM_ONLINE && action != MEM_OFFLINE))
		return NOTIFY_OK;
	mutex_lock(&promotion_lock);
	if (promotion_is_on()) {
		if (action == MEM_ONLINE && promotion_node_of(nid))
			add_node(nid);
		add_missing_nodes();
	}
	mutex_unlock(&promotion_lock);
	return NOTIFY_OK;
}

/* A node that had memory only can be promoted to from now on, or one near the CPU. */
static int cpu_event(unsigned int cpu)
{
	mutex_lock(&promotion_lock);
	if (promotion_is_on())
		add_missing_nodes();
	mutex_unlock(&promotion_lock);
	return 0;
}

static int __init promotion_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					    "mm/tiering:online", cpu_event, NULL);

	hotplug_memory_notifier(memory_event, 0);
	return ret < 0 ? ret : 0;
}
subsys_initcall(promotion_init);
