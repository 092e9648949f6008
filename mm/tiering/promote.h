/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_PROMOTE_H
#define _MM_TIERING_PROMOTE_H

#include <linux/cache.h>
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/sched/sysctl.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "budget.h"
#include "queue.h"
#include "share.h"
#include "threshold.h"

/* What was decided about a page */
enum promotion_verdict {
	PROMOTION_COLD,
	PROMOTION_RATE_LIMITED,
	PROMOTION_QUEUED,
	PROMOTION_HOT,
	PROMOTION_FREE_SPACE,
};

/* What became of base pages, as vmstat tells it, in the order of its lines */
enum promotion_count {
	COUNT_FREE_SPACE,
	COUNT_RATE_LIMITED,
	COUNT_FAILED,
	COUNT_DEMOTED_BACK,
	NR_PROMOTION_COUNTS,
};

/**
 * struct promotion_counts - what one CPU has seen; these only grow
 * @pages:   of each latency bin, pages with hint faults on slow nodes
 * @wanted:  hot pages that came, or would have with more room or budget
 * @demoted: what became of demoted pages
 * @became:  of each kind, pages
 */
struct promotion_counts {
	u32 pages[LATENCY_BINS];
	u32 wanted;
	struct demoted_counts demoted;
	unsigned long became[NR_PROMOTION_COUNTS];
};

/**
 * struct page_look - a page at its hint fault
 * @latency: since the scan, ms, less than 1 << LATENCY_BITS
 * @time:    of this, as pages keep it
 * @score:   SCORE_LOWEST .. SCORE_HIGHEST
 * @random:  any number
 * @demoted: whether this is its first touch since kswapd demoted it
 */
struct page_look {
	unsigned int latency;
	unsigned int time;
	unsigned int score;
	u8 random;
	bool demoted;
};

/**
 * struct promotion_node - promotion to one node
 * @nid:       the node
 * @threshold: read at faults, written under promotion_lock
 * @looked_at: when what became of demoted pages was looked at, jiffies; so too
 * @counts:    of each CPU
 * @try_at:    when kswapd may next try a node that it had given up, jiffies; whoever
 *             changes it lets it try, and then writes the others
 * @try_apart: how soon the second try of a pass comes after the first, ms; 0 before
 *             there was one
 * @try_again: whether the next one is the second
 * @try_worked: whether kswapd has reclaimed something since
 * @spares:    kswapd spares some cgroup, which has less than its share
 * @budget:    taken from at faults below the threshold, and so apart from what each
 *             fault reads
 * @queue:     hot pages that wait for the budget
 * @drain:     the work that takes them; one at a time
 * @seen:      sums of @counts that have been looked at, but of what became of pages;
 *             promotion_lock
 * @seen_at:   when the newest part of @window ended, jiffies; promotion_lock
 * @window:    latencies of the last pass; promotion_lock
 * @demoted:   latencies of what was demoted; promotion_lock
 * @since:     what a look adds to these; promotion_lock
 * @gone:      what kswapd has demoted, and nobody else writes; read without a lock
 * @forces:    kswapd is in its last passes, in which it spares nobody; its own
 * @gone_seen: what of @gone has been looked at; promotion_lock
 * @share_next: when shares of cgroups are looked at again, jiffies; promotion_lock
 * @share_rest: for how many such looks nobody has one; promotion_lock
 * @shared:    somebody may have one; promotion_lock
 *
 * Made when memory tiering is first switched on, or the node comes online
 * later, and never freed.
 */
struct promotion_node {
	int nid;
	struct hot_threshold threshold;
	unsigned long looked_at;
	struct promotion_counts __percpu *counts;
	unsigned long try_at;
	unsigned int try_apart;
	bool try_again;
	bool try_worked;
	bool spares;
	struct promotion_budget budget ____cacheline_aligned_in_smp;
	struct promotion_queue queue ____cacheline_aligned_in_smp;
	struct delayed_work drain;
	struct promotion_counts seen;
	unsigned long seen_at;
	struct latency_window window;
	struct demoted_latencies demoted;
	struct demoted_counts since;
	struct share_demoted gone;
	bool forces;
	struct share_demoted gone_seen;
	unsigned long share_next;
	unsigned int share_rest;
	bool shared;
};

/**
 * struct pace_pass - pages of slow nodes in a pass of the scan, for one task
 * @touched:  pages with hint faults, since the threshold was found
 * @warm:     those that are hot or may turn out to be
 * @promoted: those that were promoted, or wait for it
 */
struct pace_pass {
	unsigned int touched;
	unsigned int warm;
	unsigned int promoted;
};

/* Bits of the fraction in which shares of a pass are told */
#define PACE_SHIFT	8

extern struct mutex promotion_lock;

/* MB/s from which on there is no limit; the default */
#define NO_LIMIT_MBPS	65536

#ifdef CONFIG_NUMA_BALANCING
/**
 * promotion_node_of - the state of a node
 * @nid: a node with memory
 *
 * Context: any.
 * Return: the state, NULL if nothing is promoted to that node.
 */
static inline struct promotion_node *promotion_node_of(int nid)
{
	/* Pairs with add_node() */
	return smp_load_acquire(&NODE_DATA(nid)->promotion);
}

static inline bool promotion_is_on(void)
{
	return sysctl_numa_balancing_mode & NUMA_BALANCING_MEMORY_TIERING;
}

/* The time of a pass of the scan over all memory of a process, ms */
static inline unsigned int promotion_pass_ms(void)
{
	return max(READ_ONCE(sysctl_numa_balancing_scan_period_max), 1U);
}

/* The threshold that the administrator wants, ms, 1 .. INT_MAX / 2 */
static inline unsigned int promotion_configured_threshold(void)
{
	return clamp(READ_ONCE(sysctl_numa_balancing_hot_threshold), 1U,
		     INT_MAX / 2U);
}

/* What the administrator allows: pages/s for each node, or PROMOTION_NO_LIMIT */
static inline u32 promotion_rate(void)
{
	u32 mbps = READ_ONCE(sysctl_numa_balancing_promote_rate_limit);

	return mbps < NO_LIMIT_MBPS ? mbps << (20 - PAGE_SHIFT) :
				      PROMOTION_NO_LIMIT;
}

#endif

/* nodes.c */
void promotion_settings_changed(void);

/* account.c */
void promotion_begin(unsigned int pages, unsigned int charged);

/* counters.c */
void promotion_count(int nid, enum promotion_count count, unsigned int pages);

/* drain.c */
void promotion_drain_init(struct promotion_node *node);
void promotion_drain_soon(struct promotion_node *node);

/* headroom.c */
bool promotion_has_free_space(struct pglist_data *pgdat);
bool promotion_has_room(struct pglist_data *pgdat);
bool promotion_is_full(struct pglist_data *pgdat, unsigned int pages);
void promotion_wake_kswapd(struct pglist_data *pgdat, unsigned int order);
void promotion_keep_room(struct pglist_data *pgdat);

/* pace.c */
int pace_step(unsigned int *usual, const struct pace_pass *pass);
unsigned int scan_portions(unsigned int period, unsigned int size);

/* stamps.c */
void promotion_look(struct folio *folio, struct page_look *look);
void promotion_keep(struct folio *folio, const struct page_look *look);

#endif /* _MM_TIERING_PROMOTE_H */
