// SPDX-License-Identifier: GPL-2.0
/*
 * Hot pages that wait in a node's queue for its budget, and are moved then.
 *
 * The work of a node is the only one that takes from its queue, one at a time. It
 * holds a reference to the process's memory, mmap_lock for reading while it looks
 * for the page, and a reference to the page.
 */
#include <linux/cpuset.h>
#include <linux/jiffies.h>
#include <linux/memory-tiers.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "../internal.h"
#include "allowed.h"
#include "promote.h"

/* How often queued pages are looked at while there is no budget for them */
#define DRAIN_MS	20

/*
 * The page at an address of the process, with a reference, if it is one of those
 * that the scan looks at: what mbind(2) has changed since, counts.
 */
static struct page *get_queued_page(struct vm_area_struct *vma,
				    unsigned long address)
{
	struct page *page;

	if (!vma || address < vma->vm_start || !vma_migratable(vma) ||
	    !vma_policy_mof(vma) || vma->vm_flags & VM_MIXEDMAP)
		return NULL;
	/* FOLL_FORCE: also one that the scan has made inaccessible again */
	page = follow_page(vma, address, FOLL_GET | FOLL_DUMP | FOLL_FORCE);
	if (IS_ERR_OR_NULL(page))
		return NULL;
	if (is_zone_device_page(page) || PageHuge(page) || PageKsm(page) ||
	    (PageAnon(page) && page_mapcount(page) != 1)) {
		put_page(page);
		return NULL;
	}
	if (PageTail(page)) {
		struct page *head = compound_head(page);

		get_page(head);
		put_page(page);
		page = head;
	}
	return page;
}

static bool may_use_node(struct task_struct *task, int nid)
{
	nodemask_t allowed = cpuset_mems_allowed(task);

	return node_isset(nid, allowed);
}

enum drained { DRAINED, GONE, NO_BUDGET };

/* mmap_lock of the address space is held for reading. */
static enum drained promote_at(struct promotion_node *node,
			       struct mm_struct *mm, unsigned long address)
{
	struct vm_area_struct *vma = vma_lookup(mm, address);
	struct page *page = get_queued_page(vma, address);
	unsigned int pages;

	if (!page)
		return GONE;
	/* It was queued twice. */
	if (node_is_toptier(page_to_nid(page))) {
		put_page(page);
		return DRAINED;
	}
	if (!tiering_may_hold_folio(page_folio(page), node->nid)) {
		put_page(page);
		return GONE;
	}
	pages = thp_nr_pages(page);
	if (!promotion_budget_take(&node->budget, ktime_get_ns(),
				   promotion_node_rate(node), pages)) {
		put_page(page);
		return NO_BUDGET;
	}
	promotion_begin(pages, pages);
	migrate_misplaced_page(page, vma, node->nid);
	return DRAINED;
}

static enum drained promote_queued(struct promotion_node *node,
				   const struct queued_page *queued)
{
	struct task_struct *task;
	struct mm_struct *mm;
	enum drained drained = GONE;

	/* Not what was hot longer ago than the scan comes by twice */
	if (time_after(jiffies, queued->time + msecs_to_jiffies(2 * promotion_pass_ms())))
		return GONE;
	task = get_pid_task(queued->process, PIDTYPE_TGID);
	if (!task)
		return GONE;
	mm = may_use_node(task, node->nid) ? get_task_mm(task) : NULL;
	put_task_struct(task);
	if (!mm)
		return GONE;
	/* Who changes the address space does not wait for promotions. */
	if (mmap_read_trylock(mm)) {
		drained = promote_at(node, mm, queued->address);
		mmap_read_unlock(mm);
	}
	mmput_async(mm);
	return drained;
}

/**
 * promotion_drain_soon - look at the queue of a node when there may be budget
 * @node: the node
 *
 * Context: any.
 */
void promotion_drain_soon(struct promotion_node *node)
{
	queue_delayed_work(system_unbound_wq, &node->drain,
			   msecs_to_jiffies(DRAIN_MS));
}

/* Takes pages from the queue until it is empty or the budget is. */
static void drain_queue(struct work_struct *work)
{
	struct promotion_node *node = container_of(to_delayed_work(work),
						   struct promotion_node, drain);
	struct queued_page queued;

	while (promotion_queue_oldest(&node->queue, &queued)) {
		enum drained drained = GONE;

		if (promotion_is_on() && promotion_rate())
			drained = promote_queued(node, &queued);
		if (drained == NO_BUDGET) {
			promotion_drain_soon(node);
			return;
		}
		if (drained == GONE)
			promotion_count_refused(node->nid, queued.pages);
		promotion_queue_drop(&node->queue);
		cond_resched();
	}
}

/**
 * promotion_drain_init - prepare the work that takes pages from the queue
 * @node: a node that nobody else sees yet
 */
void promotion_drain_init(struct promotion_node *node)
{
	INIT_DELAYED_WORK(&node->drain, drain_queue);
}
