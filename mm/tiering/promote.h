/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_PROMOTE_H
#define _MM_TIERING_PROMOTE_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "budget.h"
#include "queue.h"
#include "threshold.h"

/* What was decided about a page */
enum promotion_verdict {
	PROMOTION_COLD,
	PROMOTION_RATE_LIMITED,
	PROMOTION_QUEUED,
	PROMOTION_HOT,
	PROMOTION_FREE_SPACE,
};

/**
 * struct promotion_counts - what one CPU has seen; these only grow
 * @pages: of each latency bin, pages with hint faults on slow nodes
 * @moved: pages promoted
 * @back:  pages demoted soon after they were promoted
 */
struct promotion_counts {
	u32 pages[LATENCY_BINS];
	u32 moved;
	u32 back;
};

/**
 * struct promotion_node - promotion to one node
 * @budget:    taken from at faults
 * @threshold: read at faults, written under promotion_lock
 * @queue:     hot pages that wait for the budget
 * @drain:     the work that takes them; one at a time
 * @nid:       the node
 * @tried_at:  when kswapd was last let try a node that it had given up, jiffies;
 *             whoever changes it lets it try
 * @counts:    of each CPU
 * @seen:      sums of @counts at the end of the newest part; promotion_lock
 * @seen_at:   when that was, jiffies; promotion_lock
 * @window:    latencies of the last pass; promotion_lock
 *
 * Made when memory tiering is first switched on, or the node comes online
 * later, and never freed.
 */
struct promotion_node {
	struct promotion_budget budget;
	struct hot_threshold threshold;
	struct promotion_queue queue;
	struct delayed_work drain;
	int nid;
	unsigned long tried_at;
	struct promotion_counts __percpu *counts;
	struct promotion_counts seen;
	unsigned long seen_at;
	struct latency_window window;
};

extern struct mutex promotion_lock;

struct promotion_node *promotion_node_of(int nid);
u32 promotion_rate(void);
u32 promotion_node_rate(const struct promotion_node *node);
void promotion_settings_changed(void);

#endif /* _MM_TIERING_PROMOTE_H */
