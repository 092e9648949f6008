// SPDX-License-Identifier: GPL-2.0
/*
 * Hot pages that wait in a node's queue for its budget, and are moved then.
 *
 * The work of a node is the only one that takes from its queue, one at a time. It
 * holds references to the thread that has touched the page and to its address space,
 * mmap_lock for reading while it looks for the page, and what keeps the page. The
 * policy of a mapping stays under mmap_lock, that of the thread under task_lock().
 */
#include <linux/cpuset.h>
#include <linux/jiffies.h>
#include <linux/memory-tiers.h>
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/pagewalk.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "../internal.h"
#include "allowed.h"
#include "promote.h"
#include "../newer.h"

/* How often queued pages are looked at while there is no budget for them */
#define DRAIN_MS	20
/* How often one page is, while others change the address space */
#define MOST_TRIES	8

/* Does a policy let pages follow the CPU that touches them, to that node? */
static bool policy_lets(const struct mempolicy *pol, int nid)
{
	return pol->flags & MPOL_F_MORON &&
	       (pol->mode != MPOL_BIND || node_isset(nid, pol->nodes));
}

/* As mpol_misplaced() asks who touches a page, for a thread that is not current */
static bool policies_let(struct task_struct *task, struct vm_area_struct *vma,
			 unsigned long address, int nid)
{
	struct mempolicy *pol;
	pgoff_t unused;
	bool lets;

	pol = __get_vma_policy(vma, address, &unused);
	if (pol) {
		lets = policy_lets(pol, nid);
		mpol_cond_put(pol);
		return lets;
	}
	task_lock(task);
	lets = !task->mempolicy || policy_lets(task->mempolicy, nid);
	task_unlock(task);
	return lets;
}

/*
 * The folio at an address of the thread, if it is one of those that the scan looks at,
 * and may be on the node: what has been bound since, counts. It stays until
 * folio_walk_end().
 */
static struct folio *find_queued(struct folio_walk *walk, struct task_struct *task,
				 struct vm_area_struct *vma, unsigned long address, int nid)
{
	struct folio *folio;

	if (!vma || !vma_migratable(vma) || vma->vm_flags & VM_MIXEDMAP ||
	    !policies_let(task, vma, address, nid))
		return NULL;
	folio = folio_walk_start(walk, vma, address, 0);
	if (!folio)
		return NULL;
	if (folio_is_zone_device(folio) || folio_test_hugetlb(folio) || folio_test_ksm(folio) ||
	    (folio_test_anon(folio) && folio_precise_page_mapcount(folio, walk->page) != 1)) {
		folio_walk_end(walk, vma);
		return NULL;
	}
	return folio;
}

static bool may_use_node(struct task_struct *task, int nid)
{
	nodemask_t allowed = cpuset_mems_allowed(task);

	return node_isset(nid, allowed);
}

enum drained { DRAINED, GONE, BUSY, NO_BUDGET, TO_MOVE };

/* The page table may be locked. */
static enum drained prepare(struct promotion_node *node, struct vm_area_struct *vma,
			    struct folio *folio)
{
	unsigned int pages = folio_nr_pages(folio);

	/* It was queued twice. */
	if (node_is_toptier(folio_nid(folio)))
		return DRAINED;
	if (!tiering_may_hold_folio(folio, node->nid))
		return GONE;
	if (!promotion_budget_take(&node->budget, ktime_get_ns(), promotion_rate(), pages))
		return NO_BUDGET;
	promotion_begin(pages, pages);
	return migrate_misplaced_folio_prepare(folio, vma, node->nid) ? DRAINED : TO_MOVE;
}

/* mmap_lock of the address space is held for reading. */
static enum drained promote_at(struct promotion_node *node, struct task_struct *task,
			       struct mm_struct *mm, unsigned long address)
{
	struct vm_area_struct *vma = vma_lookup(mm, address);
	struct folio_walk walk;
	enum drained drained;
	struct folio *folio;

	folio = find_queued(&walk, task, vma, address, node->nid);
	if (!folio)
		return GONE;
	drained = prepare(node, vma, folio);
	folio_walk_end(&walk, vma);
	if (drained != TO_MOVE)
		return drained;
	migrate_misplaced_folio(folio, vma, node->nid);
	return DRAINED;
}

static enum drained promote_queued(struct promotion_node *node,
				   const struct queued_page *queued)
{
	enum drained drained = GONE;
	struct task_struct *task;
	struct mm_struct *mm;

	/* Not what was hot longer ago than the scan comes by twice */
	if (time_after(jiffies, queued->time + msecs_to_jiffies(2 * promotion_pass_ms())))
		return GONE;
	task = get_pid_task(queued->thread, PIDTYPE_PID);
	if (!task)
		return GONE;
	mm = may_use_node(task, node->nid) ? get_task_mm(task) : NULL;
	if (!mm)
		goto put_task;
	if (mm != queued->mm) {
		/* It runs another program by now. */
	} else if (!mmap_read_trylock(mm)) {
		/* Who changes the address space does not wait for promotions. */
		drained = BUSY;
	} else {
		drained = promote_at(node, task, mm, queued->address);
		mmap_read_unlock(mm);
	}
	mmput_async(mm);
put_task:
	put_task_struct(task);
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

/* Looks once at each page that waits, until the budget is used up. */
static void drain_queue(struct work_struct *work)
{
	struct promotion_node *node = container_of(to_delayed_work(work),
						   struct promotion_node, drain);
	unsigned int left = promotion_queue_count(&node->queue);
	struct queued_page queued;

	for (; left; left--, cond_resched()) {
		enum drained drained = GONE;

		promotion_queue_oldest(&node->queue, &queued);
		if (promotion_is_on() && promotion_rate())
			drained = promote_queued(node, &queued);
		if (drained == NO_BUDGET)
			break;
		if (drained == BUSY && queued.tries < MOST_TRIES) {
			promotion_queue_defer(&node->queue);
			continue;
		}
		if (drained != DRAINED)
			promotion_count(node->nid, COUNT_RATE_LIMITED, queued.pages);
		promotion_queue_drop(&node->queue);
	}
	if (promotion_queue_count(&node->queue))
		promotion_drain_soon(node);
}

/**
 * promotion_drain_init - prepare the work that takes pages from the queue
 * @node: a node that nobody else sees yet
 */
void promotion_drain_init(struct promotion_node *node)
{
	INIT_DELAYED_WORK(&node->drain, drain_queue);
}
