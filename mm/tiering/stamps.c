// SPDX-License-Identifier: GPL-2.0
/*
 * What pages keep in the place of the last CPU and task: on slow nodes the time of
 * the scan, and after a promotion the time of that.
 *
 * The words are changed by atomic exchange, whoever holds the page.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/memory-tiers.h>
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "cgroup.h"
#include "promote.h"

/* Passes that a huge page stays, unless it comes and goes */
#define HUGE_PASSES	8
/* The resolution of the time that a promoted page keeps */
#define MARK_JIFFIES	(8 * HZ)

/**
 * promotion_latency - the time between the scan of a page and its hint fault
 * @page: a page of a slow node; keeps the time of this fault from now on
 *
 * Context: page table lock held.
 * Return: ms, less than 1 << LATENCY_BITS.
 */
unsigned int promotion_latency(struct page *page)
{
	unsigned int now = jiffies_to_msecs(jiffies);

	return (now - xchg_page_access_time(page, now)) & PAGE_ACCESS_TIME_MASK;
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

/**
 * promotion_mark - what a page remembers when it changes between tiers
 * @from: the folio it was
 * @to:   the folio it becomes, on a node of another kind
 * @mark: what it remembers
 *
 * A promoted page keeps the time in the place of the last CPU and task, which
 * nobody else uses while fast nodes are not scanned: in the bits of the task,
 * beside a CPU that exists, since it will be taken for CPU and task when the
 * mode is changed. What users or memory hotplug move is neither promoted nor
 * demoted back, or else they could pull the brake.
 *
 * Context: any; the folios are locked.
 * Return: what it shall remember, as page_cpupid_xchg_last() takes it.
 */
int promotion_mark(struct folio *from, struct folio *to, int mark)
{
	unsigned int pages = folio_nr_pages(to);
	bool promoted = node_is_toptier(folio_nid(to));
	int nid = promoted ? folio_nid(to) : folio_nid(from);
	struct promotion_node *node = promotion_node_of(nid);

	if (promoted && current->numa_promotion_pages)
		tiering_cgroup_count(folio_memcg(from), TIERING_PROMOTED, pages);
	if (!node || sysctl_numa_balancing_mode != NUMA_BALANCING_MEMORY_TIERING)
		return -1;
	if (promoted) {
		if (!current->numa_promotion_pages)
			return -1;
		this_cpu_add(node->counts->moved, pages);
		return cpu_pid_to_cpupid(raw_smp_processor_id(), mark_now());
	}
	if (current->flags & PF_MEMALLOC && is_recent(mark, folio_test_large(to))) {
		this_cpu_add(node->counts->back, pages);
		promotion_count(nid, COUNT_DEMOTED_BACK, pages);
	}
	return -1;
}
