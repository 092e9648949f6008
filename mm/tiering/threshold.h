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
 * @ms:  pages that are touched sooner after the scan are
 * @cap: what the threshold cannot exceed now; lowered while pages go back and
 *       forth. Where lower makes no difference any more, it is the budget that
 *       is lowered instead.
 * @def: the configured threshold that @cap goes with
 */
struct hot_threshold {
	unsigned int ms;
	unsigned int cap;
	unsigned int def;
};

unsigned int latency_bin(unsigned int ms);
unsigned int latency_bin_start(unsigned int bin);
void latency_window_add(struct latency_window *window,
			const struct latency_part *part);
unsigned int latency_quantile(const u32 *pages, u64 count);
void hot_threshold_init(struct hot_threshold *threshold, unsigned int def);
void hot_threshold_update(struct hot_threshold *threshold,
			  const struct latency_window *window, u32 rate,
			  unsigned int def);
u32 hot_threshold_rate(unsigned int cap, u32 rate, unsigned int def);
void hot_threshold_next(struct hot_threshold *threshold,
			const struct latency_window *window, u32 rate,
			unsigned int def);

#endif /* _MM_TIERING_THRESHOLD_H */
