// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages of slow nodes are promoted.
 *
 * In memory tiering mode the scan leaves the time in each page of a slow node
 * that it makes inaccessible. When the page is touched next, promotion_wanted()
 * is asked with the page table locked: it may not sleep, and takes no lock.
 *
 * Everything is separate for each node that is promoted to. Its state is
 * reached through NODE_DATA(nid)->promotion and never freed. promotion_lock
 * orders those who write it: the work that looks at the threshold, the sysctls,
 * and memory hotplug.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpuset.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/memory.h>
#include <linux/memory-tiers.h>
#include <linux/memory_promotion.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/sysctl.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/timekeeping.h>
#include <linux/vmstat.h>
#include <linux/workqueue.h>

#include "../internal.h"
#include "promote.h"
#include "tiers.h"

#define CREATE_TRACE_POINTS
#include <trace/events/mm_tiering.h>

/* MB/s from which on there is no limit; the default */
#define NO_LIMIT_MBPS	65536
/* How often queued pages are looked at while there is no budget for them */
#define DRAIN_MS	20
/* Passes that a huge page stays, unless it comes and goes */
#define HUGE_PASSES	8
/* The resolution of the time that a promoted page keeps */
#define MARK_JIFFIES	(8 * HZ)

/* Orders those who write the state of nodes; faults do not take it */
DEFINE_MUTEX(promotion_lock);

static void look_at_thresholds(struct work_struct *work);
static DECLARE_DELAYED_WORK(threshold_work, look_at_thresholds);

static bool tiering_is_on(void)
{
	return sysctl_numa_balancing_mode & NUMA_BALANCING_MEMORY_TIERING;
}

/**
 * promotion_node_of - the state of a node
 * @nid: a node with memory
 *
 * Context: any.
 * Return: the state, NULL if nothing is promoted to that node.
 */
struct promotion_node *promotion_node_of(int nid)
{
	/* Pairs with add_node(): a node is seen as it was made */
	return smp_load_acquire(&NODE_DATA(nid)->promotion);
}

/**
 * promotion_rate - what the administrator allows
 *
 * Context: any.
 * Return: pages/s for each node, or PROMOTION_NO_LIMIT.
 */
u32 promotion_rate(void)
{
	u32 mbps = READ_ONCE(sysctl_numa_balancing_promote_rate_limit);

	return mbps < NO_LIMIT_MBPS ? mbps << (20 - PAGE_SHIFT) :
				      PROMOTION_NO_LIMIT;
}

static unsigned int pass_ms(void)
{
	return max(READ_ONCE(sysctl_numa_balancing_scan_period_max), 1U);
}

static unsigned int default_threshold(void)
{
	return clamp(READ_ONCE(sysctl_numa_balancing_hot_threshold), 1U,
		     INT_MAX / 2U);
}

/**
 * promotion_node_rate - what is promoted to a node at most
 * @node: the node
 *
 * Context: any.
 * Return: pages/s, or PROMOTION_NO_LIMIT.
 */
u32 promotion_node_rate(const struct promotion_node *node)
{
	return hot_threshold_rate(READ_ONCE(node->threshold.cap),
				  promotion_rate(), default_threshold());
}

/*
 * Is there so much room that no page needs to be chosen? More than a sixteenth
 * of the node and 1 GiB, but no more than an eighth, so that small nodes have
 * such a time as well. What lower zones keep for others does not count.
 */
static bool has_free_space(struct pglist_data *pgdat)
{
	unsigned long present = pgdat->node_present_pages;
	unsigned long enough = min(max(SZ_1G >> PAGE_SHIFT, present / 16),
				   present / 8);
	unsigned long free = 0;
	int i;

	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;
		unsigned long kept = wmark_pages(zone, WMARK_PROMO) +
				     zone->lowmem_reserve[ZONE_MOVABLE];
		unsigned long zone_free = zone_page_state(zone, NR_FREE_PAGES);

		if (populated_zone(zone) && zone_free > kept)
			free += zone_free - kept;
	}
	return free > enough;
}

/* Time between the scan and a fault at @now, ms, less than 1 << LATENCY_BITS */
static unsigned int hint_fault_latency(struct page *page, unsigned int now)
{
	return (now - xchg_page_access_time(page, now)) & PAGE_ACCESS_TIME_MASK;
}

/*
 * current is about to move a page: how many base pages, and how many of them the
 * budget gave. That holds until the move has succeeded or failed.
 */
static void promotion_begin(unsigned int pages, unsigned int charged)
{
	current->numa_promotion_pages = pages;
	current->numa_promotion_charged = charged;
}

static void refuse(int nid, unsigned int pages)
{
	mod_node_page_state(NODE_DATA(nid), PGPROMOTE_RATE_LIMITED, pages);
}

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
	if (time_after(jiffies, queued->time + msecs_to_jiffies(2 * pass_ms())))
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

/* Takes pages from the queue until it is empty or the budget is. */
static void drain_queue(struct work_struct *work)
{
	struct promotion_node *node = container_of(to_delayed_work(work),
						   struct promotion_node, drain);
	struct queued_page queued;

	while (promotion_queue_oldest(&node->queue, &queued)) {
		enum drained drained = GONE;

		if (tiering_is_on() && promotion_rate())
			drained = promote_queued(node, &queued);
		if (drained == NO_BUDGET) {
			queue_delayed_work(system_unbound_wq, &node->drain,
					   msecs_to_jiffies(DRAIN_MS));
			return;
		}
		if (drained == GONE)
			refuse(node->nid, queued.pages);
		promotion_queue_drop(&node->queue);
		cond_resched();
	}
}

static enum promotion_verdict decide(struct promotion_node *node,
				     struct pglist_data *pgdat,
				     unsigned long address,
				     unsigned int latency, unsigned int pages)
{
	u32 rate = promotion_node_rate(node);

	if (rate && has_free_space(pgdat)) {
		mod_node_page_state(pgdat, PGPROMOTE_FREE_SPACE, pages);
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
		queue_delayed_work(system_unbound_wq, &node->drain,
				   msecs_to_jiffies(DRAIN_MS));
		return PROMOTION_QUEUED;
	}
	refuse(pgdat->node_id, pages);
	return PROMOTION_RATE_LIMITED;
}

/**
 * promotion_wanted - shall a page be promoted?
 * @page:    a page of a slow node, at whose hint fault this is
 * @address: of the fault
 * @nid:     the node to which it would go
 *
 * If so, the caller tries, and calls promotion_failed() or
 * promotion_succeeded().
 *
 * Context: page table lock held, memory tiering is on.
 */
bool promotion_wanted(struct page *page, unsigned long address, int nid)
{
	unsigned int now = jiffies_to_msecs(jiffies);
	unsigned int latency = hint_fault_latency(page, now);
	struct promotion_node *node = promotion_node_of(nid);
	unsigned int pages = thp_nr_pages(page);
	enum promotion_verdict verdict;

	promotion_begin(0, 0);
	current->numa_slow_faults += pages;
	if (!node || !node_isset(nid, cpuset_current_mems_allowed))
		return false;

	this_cpu_add(node->counts->pages[latency_bin(latency)], pages);
	verdict = decide(node, NODE_DATA(nid), address, latency, pages);
	trace_promote_decision(page_to_pfn(page), page_to_nid(page), nid, pages,
			       latency, READ_ONCE(node->threshold.ms), verdict);
	if (verdict >= PROMOTION_QUEUED)
		current->numa_promoted += pages;
	return verdict >= PROMOTION_HOT;
}

/**
 * promotion_forget_task - start a task with nothing promoted
 * @p: a new task
 */
void promotion_forget_task(struct task_struct *p)
{
	p->numa_promotion_pages = 0;
	p->numa_promotion_charged = 0;
	p->numa_promoted = 0;
	p->numa_slow_faults = 0;
}

/**
 * promotion_scan_begins - memory of a task is about to be scanned
 *
 * New pages, and those whose migration has failed, wait in a batch of the CPU for
 * their LRU list until others follow. The scan passes over them, as the batch is
 * one more user of them: the last pages that a task takes would never come up.
 *
 * Context: the task itself, at most once a scan period; no locks.
 */
void promotion_scan_begins(void)
{
	if (tiering_is_on())
		lru_add_drain();
}

/**
 * promotion_scan_period - how fast to scan a task that only had promotions
 * @p:        the task, current
 * @shortest: the shortest period that it may have, ms
 *
 * The base doubles the period of a task without faults on fast nodes. That
 * would be those whose hot pages are all on slow ones. While pages of such a
 * task are promoted, it is scanned as fast as before; and faster while they are
 * many of those that it touches.
 *
 * Return: ms.
 */
unsigned int promotion_scan_period(struct task_struct *p, unsigned int shortest)
{
	unsigned int promoted = p->numa_promoted, touched = p->numa_slow_faults;

	p->numa_promoted = 0;
	p->numa_slow_faults = 0;
	if (!promoted || !tiering_is_on())
		return p->numa_scan_period << 1;
	if (promoted < touched / 4)
		return p->numa_scan_period;
	return max(p->numa_scan_period >> 1, shortest);
}

/**
 * promotion_real_cpupid - the CPU and the task that a page keeps, if it does
 * @cpupid: what it keeps
 *
 * A page that was on a slow node keeps a time instead, and nodes can change
 * tiers while it does.
 *
 * Context: any.
 * Return: @cpupid, or the one of a page that nobody has used yet.
 */
int promotion_real_cpupid(int cpupid)
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
	unsigned long recent = msecs_to_jiffies(pass_ms()) / MARK_JIFFIES;

	if (huge)
		recent = msecs_to_jiffies(pass_ms()) * HUGE_PASSES / MARK_JIFFIES;
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
		mod_node_page_state(NODE_DATA(nid), PGPROMOTE_DEMOTED_BACK, pages);
	}
	return -1;
}

/*
 * Can slow nodes take what is demoted? Not above the mark at which they make
 * room themselves, or nobody would.
 */
static bool can_demote_from(struct pglist_data *pgdat)
{
	nodemask_t targets;
	int nid, i;

	if (!numa_demotion_enabled)
		return false;
	node_get_allowed_targets(pgdat, &targets);
	for_each_node_mask(nid, targets) {
		for (i = 0; i < NODE_DATA(nid)->nr_zones; i++) {
			struct zone *zone = NODE_DATA(nid)->node_zones + i;

			if (populated_zone(zone) &&
			    zone_watermark_ok(zone, 0, min_wmark_pages(zone),
					      ZONE_MOVABLE, 0))
				return true;
		}
	}
	return false;
}

/*
 * kswapd gives a node up that it has reclaimed nothing from so many times in a row,
 * until direct reclaim does. Here nobody would: promotion does not reclaim, and
 * what others do not get from fast nodes, they take from slow ones. Meanwhile
 * there may be pages to demote. One run a pass shows whether there are.
 */
static void let_kswapd_try(struct pglist_data *pgdat)
{
	struct promotion_node *node = promotion_node_of(pgdat->node_id);
	unsigned long tried;

	if (!node || READ_ONCE(pgdat->kswapd_failures) < MAX_RECLAIM_RETRIES)
		return;
	tried = READ_ONCE(node->tried_at);
	if (time_is_before_jiffies(tried + msecs_to_jiffies(pass_ms())) &&
	    cmpxchg(&node->tried_at, tried, jiffies) == tried)
		WRITE_ONCE(pgdat->kswapd_failures, MAX_RECLAIM_RETRIES - 1);
}

/**
 * promotion_may_reclaim - is it worth waking kswapd for a refused promotion?
 * @pgdat: the node that is too full
 *
 * Only if slow nodes can take what is demoted. Otherwise pages of the fast node
 * would be swapped out for pages that are only a little slower to reach. If
 * kswapd has given the node up, it gets another try once in a while.
 *
 * Context: any.
 */
bool promotion_may_reclaim(struct pglist_data *pgdat)
{
	if (!tiering_is_on() || !can_demote_from(pgdat))
		return false;
	let_kswapd_try(pgdat);
	return true;
}

/* For a block of the order, if it is worth it */
static void wake_kswapd(struct pglist_data *pgdat, unsigned int order)
{
	int i = pgdat->nr_zones;

	while (i--) {
		struct zone *zone = pgdat->node_zones + i;

		if (!managed_zone(zone))
			continue;
		if (promotion_may_reclaim(pgdat))
			wakeup_kswapd(zone, 0, order, ZONE_MOVABLE);
		return;
	}
}

/*
 * kswapd makes room when there is none. Then each page that is wanted before it
 * has done so would have to wait for the next pass of the scan. Let it begin
 * when an eighth of what it keeps for promotions is used: it then works in small
 * steps, between which pages have time to be touched. Where it has to find many
 * at once, it takes hot ones, too.
 */
static void keep_room(struct pglist_data *pgdat)
{
	int i;

	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;
		unsigned long mark = (high_wmark_pages(zone) +
				      7 * wmark_pages(zone, WMARK_PROMO)) / 8;

		if (managed_zone(zone) &&
		    zone_watermark_ok(zone, 0, mark, ZONE_MOVABLE, 0))
			return;
	}
	wake_kswapd(pgdat, 0);
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

	promotion_begin(0, 0);
	if (!pages)
		return;
	mod_node_page_state(NODE_DATA(nid), PGPROMOTE_FAILED, pages);
	if (pages > 1)
		wake_kswapd(NODE_DATA(nid), ilog2(pages));
	current->numa_promoted -= min(current->numa_promoted, pages);
	if (charged) {
		struct promotion_node *node = promotion_node_of(nid);

		promotion_budget_return(&node->budget, promotion_node_rate(node),
					charged);
	}
}

/**
 * promotion_succeeded - a page was moved
 * @nid: the node to which it went
 *
 * Context: the task that asked; does nothing in one that did not.
 */
void promotion_succeeded(int nid)
{
	if (current->numa_promotion_pages)
		keep_room(NODE_DATA(nid));
	promotion_begin(0, 0);
}

/**
 * promotion_keeps_headroom - does kswapd keep room on a node for promotions?
 * @nid: the node
 *
 * As long as slow nodes can take what it demotes.
 *
 * Context: any.
 */
bool promotion_keeps_headroom(int nid)
{
	return tiering_is_on() && can_demote_from(NODE_DATA(nid));
}

/**
 * promotion_headroom - room to be kept in a zone for promotions
 * @zone: the zone
 *
 * The zone's part of a 512th of the node, but of no less than a huge page and
 * a quarter, or none could come, and of no more than 10 MiB: on large nodes the
 * distance between two watermarks is more, and that is what holds. A node so
 * small that this is more than a 16th of it keeps that.
 *
 * Context: any.
 * Return: pages above the high watermark.
 */
unsigned long promotion_headroom(struct zone *zone)
{
	unsigned long present = zone->zone_pgdat->node_present_pages;
	unsigned long room = clamp(present / 512, 5UL * PTRS_PER_PTE / 4,
				   10UL << (20 - PAGE_SHIFT));

	room = min(room, present / 16);
	return present ? mult_frac(room, zone_managed_pages(zone), present) : 0;
}

/* What was counted since the newest part ended */
static void take_part(struct promotion_node *node, struct latency_part *part)
{
	struct promotion_counts *seen = &node->seen;
	unsigned long now = jiffies;
	unsigned int bin;
	int cpu;

	for (bin = 0; bin < LATENCY_BINS; bin++)
		part->pages[bin] = -seen->pages[bin];
	part->moved = -seen->moved;
	part->back = -seen->back;
	for_each_possible_cpu(cpu) {
		struct promotion_counts *counts = per_cpu_ptr(node->counts, cpu);

		for (bin = 0; bin < LATENCY_BINS; bin++)
			part->pages[bin] += READ_ONCE(counts->pages[bin]);
		part->moved += READ_ONCE(counts->moved);
		part->back += READ_ONCE(counts->back);
	}
	for (bin = 0; bin < LATENCY_BINS; bin++)
		seen->pages[bin] += part->pages[bin];
	seen->moved += part->moved;
	seen->back += part->back;

	part->ms = max(jiffies_to_msecs(now - node->seen_at), 1U);
	node->seen_at = now;
}

/* Under promotion_lock; faults read without it. */
static void set_threshold(struct promotion_node *node,
			  const struct hot_threshold *threshold)
{
	node->threshold.def = threshold->def;
	WRITE_ONCE(node->threshold.cap, threshold->cap);
	WRITE_ONCE(node->threshold.ms, threshold->ms);
}

static void start_over(struct promotion_node *node)
{
	struct hot_threshold threshold;
	struct latency_part part;

	take_part(node, &part);
	memset(&node->window, 0, sizeof(node->window));
	hot_threshold_init(&threshold, default_threshold());
	set_threshold(node, &threshold);
}

static void look_at_node(int nid, struct promotion_node *node)
{
	struct hot_threshold threshold = node->threshold;
	u32 rate = promotion_rate();
	struct latency_part part;

	take_part(node, &part);
	latency_window_add(&node->window, &part);
	hot_threshold_next(&threshold, &node->window, rate, default_threshold());
	set_threshold(node, &threshold);
	trace_threshold(nid, threshold.ms, threshold.cap, rate, part.moved,
			part.back);
}

static void look_again(void)
{
	unsigned int ms = max(pass_ms() / LATENCY_PARTS, 10U);

	mod_delayed_work(system_unbound_wq, &threshold_work, msecs_to_jiffies(ms));
}

static void look_at_thresholds(struct work_struct *work)
{
	struct promotion_node *node;
	int nid;

	mutex_lock(&promotion_lock);
	if (tiering_is_on()) {
		for_each_node_state(nid, N_MEMORY) {
			node = promotion_node_of(nid);
			if (node)
				look_at_node(nid, node);
		}
		look_again();
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
		hot_threshold_update(&threshold, &node->window, promotion_rate(),
				     default_threshold());
		set_threshold(node, &threshold);
	}
	mutex_unlock(&promotion_lock);
}

static struct promotion_node *make_node(int nid)
{
	struct promotion_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->nid = nid;
	node->tried_at = jiffies;
	INIT_DELAYED_WORK(&node->drain, drain_queue);
	node->counts = alloc_percpu(struct promotion_counts);
	if (!promotion_queue_init(&node->queue) && node->counts)
		return node;
	promotion_queue_free(&node->queue);
	free_percpu(node->counts);
	kfree(node);
	return NULL;
}

/* Tasks run on the node, so pages are promoted to it. */
static void add_node(int nid)
{
	struct promotion_node *node = promotion_node_of(nid);

	lockdep_assert_held(&promotion_lock);

	if (!node) {
		if (!node_has_cpus(nid))
			return;
		node = make_node(nid);
		if (!node) {
			pr_warn("memory tiering: no memory to promote to node %d\n",
				nid);
			return;
		}
	}
	start_over(node);
	/* Pairs with promotion_node_of() */
	smp_store_release(&NODE_DATA(nid)->promotion, node);
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
		add_node(nid);
	look_again();
	mutex_unlock(&promotion_lock);
	if (!numa_demotion_enabled)
		pr_info_once("memory tiering: demotion is off (/sys/kernel/mm/numa/demotion_enabled): pages are promoted only while fast nodes have free memory, nothing is swapped out for them\n");
}

static int memory_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	struct memory_notify *change = data;

	if (action == MEM_ONLINE && change->status_change_nid != NUMA_NO_NODE) {
		mutex_lock(&promotion_lock);
		if (tiering_is_on())
			add_node(change->status_change_nid);
		mutex_unlock(&promotion_lock);
	}
	return NOTIFY_OK;
}

/* A node that had memory only can be promoted to from now on. */
static int cpu_event(unsigned int cpu)
{
	int nid = cpu_to_node(cpu);

	mutex_lock(&promotion_lock);
	if (tiering_is_on() && node_state(nid, N_MEMORY) && !promotion_node_of(nid))
		add_node(nid);
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
