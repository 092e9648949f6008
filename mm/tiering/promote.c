// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages of slow nodes are promoted.
 *
 * In memory tiering mode the scan leaves the time in each page of a slow node
 * that it makes inaccessible. When the page is touched next, promotion_wanted()
 * is asked with the page table locked: it may not sleep, and takes no lock.
 */
#include <linux/cpuset.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/memory-tiers.h>
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/vmstat.h>

#include "allowed.h"
#include "promote.h"

#define CREATE_TRACE_POINTS
#include <trace/events/mm_tiering.h>

static enum promotion_verdict decide(struct promotion_node *node,
				     struct pglist_data *pgdat,
				     unsigned long address,
				     unsigned int latency, unsigned int pages)
{
	u32 rate = promotion_node_rate(node);

	if (rate && promotion_has_free_space(pgdat)) {
		promotion_count(pgdat->node_id, COUNT_FREE_SPACE, pages);
		promotion_begin(pages, 0);
		return PROMOTION_FREE_SPACE;
	}
	if (latency >= READ_ONCE(node->threshold.ms))
		return PROMOTION_COLD;

	mod_node_page_state(pgdat, PGPROMOTE_CANDIDATE, pages);
	if (promotion_budget_take(&node->budget, ktime_get_ns(), rate, pages)) {
		promotion_begin(pages, pages);
		return PROMOTION_HOT;
	}
	if (rate && promotion_queue_add(&node->queue, address, pages)) {
		promotion_drain_soon(node);
		return PROMOTION_QUEUED;
	}
	promotion_count(pgdat->node_id, COUNT_RATE_LIMITED, pages);
	return PROMOTION_RATE_LIMITED;
}

/**
 * promotion_home - the node where a task wants its pages
 * @curnid: the node of a page
 * @nid:    the node of the task's CPU
 *
 * That is @nid, but for slow pages in memory tiering mode: they go to the nearest
 * fast memory that is promoted to and that the task's cpuset allows. The CPU's own
 * node may have no memory, or its memory may be slow. While zonelists change, the
 * answer may be @curnid.
 *
 * Context: any of the task.
 * Return: the node; @curnid if the page stays.
 */
int promotion_home(int curnid, int nid)
{
	enum zone_type highest = gfp_zone(GFP_HIGHUSER_MOVABLE);
	struct zoneref *z;
	struct zone *zone;

	if (!promotion_is_on() || node_is_toptier(curnid))
		return nid;
	for_each_zone_zonelist(zone, z, node_zonelist(nid, GFP_HIGHUSER_MOVABLE),
			       highest) {
		int home = zone_to_nid(zone);

		if (promotion_node_of(home) && node_is_toptier(home) &&
		    node_isset(home, cpuset_current_mems_allowed))
			return home;
	}
	return curnid;
}

/*
 * By whose touch a page is promoted, by the policy and the cpuset of that task: they
 * say nothing of memory of others, which debuggers and devices of virtual machines
 * touch in their place.
 */
static bool is_own(const struct vm_area_struct *vma)
{
	return vma->vm_mm == current->mm && !(current->flags & PF_KTHREAD);
}

/**
 * promotion_wanted - shall a page be promoted?
 * @page:    a page of a slow node, at whose hint fault this is
 * @vma:     the mapping
 * @address: of the fault
 * @nid:     the node to which it would go, that of the page if to none
 *
 * If so, the caller tries, and calls promotion_failed() or
 * promotion_succeeded().
 *
 * Context: page table lock held, memory tiering is on.
 */
bool promotion_wanted(struct page *page, struct vm_area_struct *vma,
		      unsigned long address, int nid)
{
	unsigned int latency = promotion_latency(page);
	struct promotion_node *node = promotion_node_of(nid);
	unsigned int pages = thp_nr_pages(page);
	enum promotion_verdict verdict;

	promotion_begin(0, 0);
	if (!is_own(vma))
		return false;
	current->numa_slow_faults += pages;
	if (!node || nid == page_to_nid(page) ||
	    !node_isset(nid, cpuset_current_mems_allowed) ||
	    !tiering_may_hold_folio(page_folio(page), nid))
		return false;

	verdict = decide(node, NODE_DATA(nid), address, latency, pages);
	trace_promote_decision(page_to_pfn(page), page_to_nid(page), nid, pages,
			       latency, READ_ONCE(node->threshold.ms), verdict);
	if (verdict >= PROMOTION_QUEUED)
		current->numa_promoted += pages;
	if (verdict >= PROMOTION_HOT)
		current->numa_promotion_bin = latency_bin(latency);
	else
		this_cpu_add(node->counts->pages[latency_bin(latency)], pages);
	return verdict >= PROMOTION_HOT;
}

/**
 * promotion_failed - a page could not be moved after all
 * @nid: the node to which it was to go
 *
 * A huge page may have found room enough, but none in one piece. Nothing would
 * change that, as kswapd sleeps while there is room.
 *
 * Context: the task that asked; does nothing in one that did not.
 */
void promotion_failed(int nid)
{
	unsigned int pages = current->numa_promotion_pages;
	unsigned int charged = current->numa_promotion_charged;
	struct promotion_node *node = promotion_node_of(nid);

	promotion_begin(0, 0);
	if (!pages)
		return;
	promotion_count(nid, COUNT_FAILED, pages);
	if (pages > 1)
		promotion_wake_kswapd(NODE_DATA(nid), ilog2(pages));
	current->numa_promoted -= min(current->numa_promoted, pages);
	/* A lazy mbind2() may move to a node that nothing is promoted to. */
	if (charged && node)
		promotion_budget_return(&node->budget, promotion_node_rate(node),
					charged);
}

/**
 * promotion_succeeded - a page was moved
 * @nid: the node to which it went
 *
 * Context: the task that asked; does nothing in one that did not.
 */
void promotion_succeeded(int nid)
{
	struct promotion_node *node = promotion_node_of(nid);
	unsigned int bin = current->numa_promotion_bin;

	/* What cannot be moved says nothing of what to move next. */
	if (node && bin < LATENCY_BINS)
		this_cpu_add(node->counts->pages[bin], current->numa_promotion_pages);
	if (current->numa_promotion_pages)
		promotion_keep_room(NODE_DATA(nid));
	promotion_begin(0, 0);
}
