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

/* Fewer demoted pages do neither */
#define DEMOTED_ENOUGH		128

/**
 * struct latency_window - the latencies of about one pass
 * @pages:   of each part and bin, the pages whose hint fault fell there
 * @wanted:  of each part, the pages that were hot
 * @ms:      of each part, how long it was
 * @next:    the part to be replaced, the oldest
 */
struct latency_window {
	u32 pages[LATENCY_PARTS][LATENCY_BINS];
	u32 wanted[LATENCY_PARTS];
	u32 ms[LATENCY_PARTS];
	unsigned int next;
};

/**
 * struct latency_part - what one part adds to a window
 * @pages:  of each bin, pages
 * @wanted: hot ones that came, or would have with more room or budget
 * @ms:     how long it was
 */
struct latency_part {
	u32 pages[LATENCY_BINS];
	u32 wanted;
	u32 ms;
};

/**
 * struct demoted_counts - what became of demoted pages, a huge page being as many
 * @touched: of each latency bin, those with their first hint fault, that the scan had
 *           come by before the last look
 * @fresh:   so too, those that it has come by since
 * @hidden:  those that it has come by before they were touched
 */
struct demoted_counts {
	u32 touched[LATENCY_BINS];
	u32 fresh[LATENCY_BINS];
	u32 hidden;
};

/**
 * struct demoted_latencies - how soon demoted pages are touched again
 * @touched: of each bin, pages at their first hint fault
 * @hidden:  pages that the scan has come by, in that time; some are not touched yet
 * @last:    what the last look has seen of pages that the scan had just come by
 *
 * In 256ths of a page, of which an eighth is forgotten at each look since. Pages join
 * one look after the scan has come by: so all have had that long to be touched.
 */
struct demoted_latencies {
	u32 touched[LATENCY_BINS];
	u32 hidden;
	struct demoted_counts last;
};

/**
 * struct hot_threshold - when a page is hot
 * @ms:      pages whose latencies are about this are just hot; 0 if none are
 * @def:     the configured threshold that it began with, ms
 * @quiet:   parts of a pass since something was demoted or wanted, while pages were
 *           touched
 * @found:   whether it began as that of demoted pages
 * @finest:  differences of latencies that can be told, ms
 * @longest: latencies that can be, ms
 *
 * Faults read @ms and @found at any time.
 */
struct hot_threshold {
	unsigned int ms;
	unsigned int def;
	unsigned int quiet;
	bool found;
	unsigned int finest;
	unsigned int longest;
};

/**
 * struct hot_threshold_ops - how the threshold of a node is found
 * @init:   start over, with nothing known of latencies
 * @next:   another part of a pass has been added to the window
 * @look:   another look has been added to the demoted pages
 *
 * The configured threshold is 1 .. INT_MAX / 2 ms; with another one it starts over. They
 * work on a copy, may not sleep, and keep what they have to remember in struct
 * hot_threshold, whose limits of what can be told are set before.
 */
struct hot_threshold_ops {
	void (*init)(struct hot_threshold *threshold, unsigned int def);
	void (*next)(struct hot_threshold *threshold,
		     const struct latency_window *window,
		     const struct demoted_latencies *demoted);
	void (*look)(struct hot_threshold *threshold,
		     const struct demoted_latencies *demoted);
};

extern const struct hot_threshold_ops demoted_threshold_ops;

unsigned int latency_bin(unsigned int ms);
unsigned int latency_bin_start(unsigned int bin);
void latency_window_add(struct latency_window *window,
			const struct latency_part *part);
void demoted_latencies_add(struct demoted_latencies *sum,
			   const struct demoted_counts *since, unsigned int ms);
unsigned int latency_quantile(const u32 *pages, u64 count);

#endif /* _MM_TIERING_THRESHOLD_H */
