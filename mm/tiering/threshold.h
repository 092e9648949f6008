/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_THRESHOLD_H
#define _MM_TIERING_THRESHOLD_H

#include <linux/types.h>

/* 8 bins an octave, up to the longest latency that a page can keep */
#define LATENCY_BITS		18
#define LATENCY_BINS_OCTAVE	8
#define LATENCY_BINS		((LATENCY_BITS - 2) * LATENCY_BINS_OCTAVE)

/* One pass over memory, in as many parts as the threshold is looked at in it */
#define LATENCY_PARTS		8

/* Fewer pages say nothing */
#define LATENCY_ENOUGH		256

/**
 * struct latency_window - the latencies of about one pass
 * @pages:   of each part and bin, the pages whose hint fault fell there
 * @ms:      of each part, how long it was
 * @moved:   of each part, pages promoted
 * @back:    of each part, pages demoted that had been promoted within a pass
 * @next:    the part to be replaced, the oldest
 */
struct latency_window {
	u32 pages[LATENCY_PARTS][LATENCY_BINS];
	u32 ms[LATENCY_PARTS];
	u32 moved[LATENCY_PARTS];
	u32 back[LATENCY_PARTS];
	unsigned int next;
};

/**
 * struct latency_part - what one part adds to a window
 * @pages: of each bin, pages
 * @ms:    how long it was
 * @moved: pages promoted
 * @back:  pages demoted that had been promoted within a pass
 */
struct latency_part {
	u32 pages[LATENCY_BINS];
	u32 ms;
	u32 moved;
	u32 back;
};

/**
 * struct hot_threshold - when a page is hot
 * @ms:   pages that are touched sooner after the scan are
 * @rate: what may be promoted of them, pages/s; PROMOTION_NO_LIMIT for all
 * @cap:  what the threshold cannot exceed now; lowered while pages go back and
 *        forth. Where lower makes no difference any more, it is the budget that
 *        is lowered instead.
 * @def:  the configured threshold that @cap goes with
 *
 * Faults read @ms and @rate at any time, each by itself.
 */
struct hot_threshold {
	unsigned int ms;
	u32 rate;
	unsigned int cap;
	unsigned int def;
};

/**
 * struct hot_threshold_ops - how the threshold of a node is found
 * @init:   start over, with nothing known of latencies
 * @next:   another part of a pass has been added to the window
 * @update: the settings are others; may come at any time, any number of times
 *
 * All of them leave @ms at 1 or more, and @rate at no more than the budget, 0 if
 * and only if that is 0. They get the budget in pages/s, or PROMOTION_NO_LIMIT,
 * and the configured threshold, 1 .. INT_MAX / 2 ms. They work on a copy, may not
 * sleep, and keep what they have to remember in struct hot_threshold.
 */
struct hot_threshold_ops {
	void (*init)(struct hot_threshold *threshold, u32 budget,
		     unsigned int def);
	void (*next)(struct hot_threshold *threshold,
		     const struct latency_window *window, u32 budget,
		     unsigned int def);
	void (*update)(struct hot_threshold *threshold,
		       const struct latency_window *window, u32 budget,
		       unsigned int def);
};

extern const struct hot_threshold_ops quantile_threshold_ops;

unsigned int latency_bin(unsigned int ms);
unsigned int latency_bin_start(unsigned int bin);
void latency_window_add(struct latency_window *window,
			const struct latency_part *part);
unsigned int latency_quantile(const u32 *pages, u64 count);

#endif /* _MM_TIERING_THRESHOLD_H */
