// SPDX-License-Identifier: GPL-2.0
/*
 * What pages keep in the place of the last CPU and task: on slow nodes the time of
 * the scan and the score, and after a promotion the time of that.
 *
 * The words are changed by atomic exchange, whoever holds the page. Of two who touch a
 * page that both have mapped, one may not count.
 */
#include <linux/cpumask.h>
#include <linux/cpuset.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/memory-tiers.h>
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/topology.h>

#include "cgroup.h"
#include "promote.h"
#include "shares.h"
#include "stamp.h"
#include "../newer.h"

/* Passes that a huge page stays, unless it comes and goes */
#define HUGE_PASSES	8
/* The resolution of the time that a promoted page keeps */
#define MARK_JIFFIES	(8 * HZ)

/* By the node that the page would be promoted to, which is nearly always that of the CPU */
static void count_hidden(int curnid, int nid, unsigned int pages)
{
	struct promotion_node *node = promotion_node_of(nid);

	if (!node || !node_is_toptier(nid) ||
	    !node_isset(nid, cpuset_current_mems_allowed))
		node = promotion_node_of(promotion_home(curnid, nid));
	if (node)
		this_cpu_add(node->counts->demoted.hidden, pages);
}

/*
 * As many as its touch will count: where parts of a huge page that are mapped one by one
 * are not looked at then, none of them.
 */
static unsigned int pages_that_count(struct folio *folio)
{
	if (!PARTS_COUNT && folio_test_large(folio) && !folio_entire_mapcount(folio))
		return 0;
	return folio_nr_pages(folio);
}

/**
 * promotion_scan_folio - the scan makes a folio inaccessible
 * @folio: a folio of a slow node; keeps the time, and the score that it has
 *
 * Context: page table lock held, memory tiering is on.
 */
void promotion_scan_folio(struct folio *folio)
{
	unsigned int score = stamp_score(folio_last_cpupid(folio));

	if (score == SCORE_DEMOTED)
		count_hidden(folio_nid(folio), numa_node_id(), pages_that_count(folio));
	folio_xchg_last_cpupid(folio, stamp_make(stamp_now(), score));
}

/**
 * promotion_look - what is known of a folio at its hint fault
 * @folio: a folio of a slow node
 * @look:  is filled
 *
 * Context: page table lock held.
 */
void promotion_look(struct folio *folio, struct page_look *look)
{
	int stamp = folio_last_cpupid(folio);

	look->time = stamp_now();
	look->latency = min_t(unsigned int, stamp_age(stamp, look->time),
			      BIT(LATENCY_BITS) - 1);
	look->score = stamp_score(stamp);
	look->random = hash_64(folio_pfn(folio) ^ (u64)look->time << 32, 8);
	look->demoted = look->score == SCORE_DEMOTED;
	if (look->demoted)
		look->score = SCORE_NEW;
}

/**
 * promotion_keep - let a folio keep what is known of it
 * @folio: a folio of a slow node
 * @look:  filled by promotion_look(), with a score of SCORE_LOWEST .. SCORE_HIGHEST
 *
 * Context: page table lock held.
 */
void promotion_keep(struct folio *folio, const struct page_look *look)
{
	folio_xchg_last_cpupid(folio, stamp_make(look->time, look->score));
}

/**
 * promotion_valid_cpupid - the CPU and the task that a page keeps, if it does
 * @cpupid: what it keeps
 *
 * A page that was on a slow node keeps a time instead, and nodes can change
 * tiers while it does.
 *
 * Context: any.
 * Return: @cpupid, or the one of a page that nobody has used yet.
 */
int promotion_valid_cpupid(int cpupid)
{
	unsigned int cpu = cpupid_to_cpu(cpupid);

	return cpu < nr_cpu_ids && cpu_possible(cpu) ? cpupid :
						       -1 & LAST_CPUPID_MASK;
}

static unsigned int mark_now(void)
{
	return (jiffies / MARK_JIFFIES) & LAST__PID_MASK;
}

/*
 * Has the page been promoted within about a pass? A huge page has to stay longer
 * to be worth its move.
 */
static bool is_recent(int mark, bool huge)
{
	unsigned int age = (mark_now() - cpupid_to_pid(mark)) & LAST__PID_MASK;
	unsigned long recent = msecs_to_jiffies(promotion_pass_ms()) / MARK_JIFFIES;

	if (huge)
		recent = msecs_to_jiffies(promotion_pass_ms()) * HUGE_PASSES / MARK_JIFFIES;
	/* Of a pass that is longer than marks can tell, half of what they can */
	return !cpupid_pid_unset(mark) && age <= min(recent, LAST__PID_MASK / 2UL);
}

/* A promotion, and what it remembers */
static int mark_promoted(void)
{
	/* What users or memory hotplug move is not promoted, nor demoted back. */
	if (!current->numa_promotion_pages ||
	    sysctl_numa_balancing_mode != NUMA_BALANCING_MEMORY_TIERING)
		return -1;
	return cpu_pid_to_cpupid(raw_smp_processor_id(), mark_now());
}

/*
 * A demotion, and what it remembers. What kswapd takes is what a promotion pushes out.
 * Cgroups that reclaim from themselves take what they like, and say nothing of that.
 */
static int mark_demoted(int nid, unsigned int pages, int mark)
{
	if (current->flags & PF_MEMALLOC &&
	    sysctl_numa_balancing_mode == NUMA_BALANCING_MEMORY_TIERING &&
	    is_recent(mark, pages > 1))
		promotion_count(nid, COUNT_DEMOTED_BACK, pages);
	return current_is_kswapd() ? stamp_make(0, SCORE_DEMOTED) : -1;
}

/**
 * promotion_mark - what a page remembers when it changes between tiers
 * @from: the folio it was
 * @to:   the folio it becomes, on a node of another kind
 * @mark: what it remembers
 *
 * A promoted page keeps the time in the place of the last CPU and task, which
 * nobody else uses while fast nodes are not scanned: in the bits of the task,
 * beside a CPU that exists, since it will be taken for CPU and task when the
 * mode is changed. A page that kswapd demotes is followed to its next touch.
 *
 * Context: any; the folios are locked.
 * Return: what it shall remember, as folio_xchg_last_cpupid() takes it.
 */
int promotion_mark(struct folio *from, struct folio *to, int mark)
{
	unsigned int pages = folio_nr_pages(to);
	bool promoted = node_is_toptier(folio_nid(to));
	int nid = promoted ? folio_nid(to) : folio_nid(from);
	struct promotion_node *node = promotion_node_of(nid);

	if (promoted && current->numa_promotion_pages)
		tiering_cgroup_promoted(from);
	if (!node || !promotion_is_on())
		return -1;
	if (!promoted && current_is_kswapd())
		tiering_share_demoted(from, node);
	return promoted ? mark_promoted() : mark_demoted(nid, pages, mark);
}
