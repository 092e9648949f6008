// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages of slow nodes are promoted.
 *
 * In memory tiering mode the scan leaves the time in each page of a slow node
 * that it makes inaccessible. When the page is touched next, promotion_wanted()
 * is asked with the page table locked: it may not sleep, and takes no lock.
 */
#include <linux/cpuset.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
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
#include "score.h"
#include "shares.h"
#include "stamp.h"

#define CREATE_TRACE_POINTS
#include <trace/events/mm_tiering.h>

static enum promotion_verdict decide(struct promotion_node *node,
				     struct pglist_data *pgdat,
				     unsigned long address, bool hot,
				     unsigned int pages)
{
	u32 rate = promotion_rate();

	if (rate && promotion_has_free_space(pgdat)) {
		promotion_count(pgdat->node_id, COUNT_FREE_SPACE, pages);
		promotion_begin(pages, 0);
		return PROMOTION_FREE_SPACE;
	}
	if (!hot)
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

/*
 * For how many passes is known what a page is like? Those of a new process say nothing of
 * what it shares with others, who may have been there for long.
 */
static unsigned int passes_of(const struct vm_area_struct *vma, struct folio *folio)
{
	int mappings = folio_test_large(folio) ? folio_entire_mapcount(folio) :
						 folio_mapcount(folio);

	if (vma->vm_flags & VM_SHARED || mappings > 1)
		return UINT_MAX;
	return READ_ONCE(vma->vm_mm->numa_known_passes);
}

/*
 * One latency is enough for a new process: by the threshold of the node, however much
 * longer that of its cgroup is. Before the threshold is found, nothing is missed of what
 * had to leave: everybody is new.
 */
static bool is_new_and_hot(const struct page_look *look, const struct hot_threshold *threshold,
			   unsigned int ms, unsigned int passes)
{
	if (!READ_ONCE(threshold->found))
		return score_of_new(look->latency, STAMP_FINEST_MS, ms, 0);
	return score_of_new(look->latency, STAMP_FINEST_MS, min(ms, READ_ONCE(threshold->ms)),
			    passes);
}

/* Where nothing has to leave for it, one latency below the threshold is enough. */
static bool is_hot(struct page_look *look, const struct hot_threshold *threshold,
		   unsigned int ms, unsigned int passes, struct pglist_data *pgdat)
{
	return score_step(&look->score, look->latency, STAMP_FINEST_MS, ms, look->random) ||
	       is_new_and_hot(look, threshold, ms, passes) ||
	       (look->latency < ms && promotion_has_room(pgdat));
}

/*
 * What a page is left with: the score that it has come to, or if something is being
 * done about it the lowest, so that it is not tried again at each touch if that fails.
 */
static unsigned int score_after(enum promotion_verdict verdict, unsigned int score)
{
	return verdict >= PROMOTION_QUEUED ? SCORE_LOWEST : score;
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

static void count_touched(struct promotion_node *node, unsigned int latency,
			  unsigned int pages)
{
	struct demoted_counts __percpu *counts = &node->counts->demoted;

	if (latency < jiffies_to_msecs(jiffies - READ_ONCE(node->looked_at)))
		this_cpu_add(counts->fresh[latency_bin(latency)], pages);
	else
		this_cpu_add(counts->touched[latency_bin(latency)], pages);
}

/*
 * Hot pages that came, or would have with more room or budget. One that cannot be moved
 * at all is none of them: for that the threshold need not stay.
 */
static void count_wanted(struct promotion_node *node, unsigned int pages)
{
	this_cpu_add(node->counts->wanted, pages);
}

/**
 * promotion_wanted - shall a folio be promoted?
 * @folio:   a folio of a slow node, at whose hint fault this is
 * @vma:     the mapping
 * @address: of the fault
 * @nid:     the node to which it would go, that of the folio if to none
 *
 * If so, the caller tries, and calls promotion_failed() or
 * promotion_succeeded().
 *
 * Context: page table lock held, memory tiering is on.
 */
bool promotion_wanted(struct folio *folio, struct vm_area_struct *vma,
		      unsigned long address, int nid)
{
	struct promotion_node *node = promotion_node_of(nid);
	unsigned int pages = folio_nr_pages(folio), threshold;
	enum promotion_verdict verdict;
	struct page_look look;
	bool hot, found;

	promotion_begin(0, 0);
	if (!node || nid == folio_nid(folio))
		return false;
	promotion_look(folio, &look);
	/* Whoever touches it, it is missed. */
	if (look.demoted)
		count_touched(node, look.latency, pages);
	if (!is_own(vma) || !node_isset(nid, cpuset_current_mems_allowed) ||
	    !tiering_may_hold_folio(folio, nid)) {
		promotion_keep(folio, &look);
		return false;
	}

	threshold = tiering_share_threshold(folio, nid, look.latency,
					    READ_ONCE(node->threshold.ms));
	hot = is_hot(&look, &node->threshold, threshold, passes_of(vma, folio), NODE_DATA(nid));
	found = READ_ONCE(node->threshold.found);
	if (found)
		current->numa_slow_faults += pages;
	if (found && (hot || look.score >= SCORE_WARM))
		current->numa_slow_warm += pages;
	verdict = decide(node, NODE_DATA(nid), address, hot, pages);
	look.score = score_after(verdict, look.score);
	promotion_keep(folio, &look);

	trace_promote_decision(folio_pfn(folio), folio_nid(folio), nid, pages,
			       look.latency, threshold, verdict);
	if (verdict == PROMOTION_RATE_LIMITED)
		count_wanted(node, pages);
	if (verdict >= PROMOTION_QUEUED)
		current->numa_promoted += pages;
	if (verdict >= PROMOTION_HOT)
		current->numa_promotion_bin = latency_bin(look.latency);
	else
		this_cpu_add(node->counts->pages[latency_bin(look.latency)], pages);
	return verdict >= PROMOTION_HOT;
}

/**
 * promotion_no_room - a page could not be allocated for one that is to be moved
 * @nid:   the node to which it was to go
 * @order: of the page
 *
 * A huge page may have found room enough, but none in one piece. Nothing would
 * change that, as kswapd sleeps while there is room.
 *
 * Context: the task that asked; does nothing in one that did not.
 */
void promotion_no_room(int nid, unsigned int order)
{
	struct promotion_node *node = promotion_node_of(nid);

	if (!order || !current->numa_promotion_pages)
		return;
	if (node)
		count_wanted(node, current->numa_promotion_pages);
	promotion_wake_kswapd(NODE_DATA(nid), order);
}

/**
 * promotion_failed - a page could not be moved after all
 * @nid: the node to which it was to go
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
	if (node && promotion_is_full(NODE_DATA(nid), pages))
		count_wanted(node, pages);
	current->numa_promoted -= min(current->numa_promoted, pages);
	/* A lazy mbind2() may move to a node that nothing is promoted to. */
	if (charged && node)
		promotion_budget_return(&node->budget, promotion_rate(),
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
	if (node)
		count_wanted(node, current->numa_promotion_pages);
	if (node && bin < LATENCY_BINS)
		this_cpu_add(node->counts->pages[bin], current->numa_promotion_pages);
	if (current->numa_promotion_pages)
		promotion_keep_room(NODE_DATA(nid));
	promotion_begin(0, 0);
}
