// SPDX-License-Identifier: GPL-2.0
/*
 * From the latencies of hint faults to the threshold below which a page is hot.
 *
 * A page that is touched soon after its scan is probably touched often. The
 * threshold is the latency below which there are just as many pages as the
 * budget allows for the time in which they were seen: the quantile of the
 * latencies at budget / pages. It is right as soon as the latencies are known,
 * instead of walking there step by step.
 *
 * Memory is scanned by address, so what is hot at one time of a pass says
 * nothing about the rest. Latencies are therefore counted over one whole pass,
 * in parts, of which each newest one replaces the oldest: the threshold is
 * looked at once a part, and always rests on a pass.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "budget.h"
#include "threshold.h"

#define OCTAVE_SHIFT	3

static_assert(LATENCY_BINS_OCTAVE == 1 << OCTAVE_SHIFT);

/* As low as the threshold goes by the brake: times are counted in jiffies */
#define LOWEST(def)		max((def) / 64, 1U)
/* The brake leaves this part of the budget, so that a way back is left. */
#define LEAST_SHARE		5
/* The brake is on when more than one page in this many comes back */
#define BACK_SHARE		2

/**
 * latency_bin - the bin of a latency
 * @ms: the latency, ms
 *
 * Bins are one ms wide up to 16 ms; then each octave has 8.
 *
 * Return: 0 .. LATENCY_BINS - 1.
 */
unsigned int latency_bin(unsigned int ms)
{
	unsigned int shift;

	ms = min(ms, BIT(LATENCY_BITS) - 1);
	if (ms < LATENCY_BINS_OCTAVE)
		return ms;
	shift = ilog2(ms) - OCTAVE_SHIFT;
	return shift * LATENCY_BINS_OCTAVE + (ms >> shift);
}

/**
 * latency_bin_start - the lowest latency of a bin
 * @bin: 0 .. LATENCY_BINS; the last one is the end of the others
 *
 * Return: ms.
 */
unsigned int latency_bin_start(unsigned int bin)
{
	unsigned int octave = bin / LATENCY_BINS_OCTAVE;

	if (!octave)
		return bin;
	return (bin % LATENCY_BINS_OCTAVE + LATENCY_BINS_OCTAVE) << (octave - 1);
}

/**
 * latency_window_add - replace the oldest part of a window
 * @window: the window, zeroed at first
 * @part:   the newest part
 */
void latency_window_add(struct latency_window *window,
			const struct latency_part *part)
{
	unsigned int i = window->next;

	memcpy(window->pages[i], part->pages, sizeof(part->pages));
	window->ms[i] = part->ms;
	window->moved[i] = part->moved;
	window->back[i] = part->back;
	window->next = (i + 1) % LATENCY_PARTS;
}

/**
 * latency_quantile - the latency below which there is a number of pages
 * @pages: of each bin
 * @count: that number
 *
 * Within a bin the pages are taken to be spread evenly. Rounded up, since times
 * are counted in jiffies: a step less could leave out most of what is wanted, and
 * what is too much is refused by the budget.
 *
 * Return: ms, at least 1; UINT_MAX when there are not more pages than that.
 */
unsigned int latency_quantile(const u32 *pages, u64 count)
{
	unsigned int bin, start, width;

	for (bin = 0; bin < LATENCY_BINS; bin++) {
		if (pages[bin] > count)
			break;
		count -= pages[bin];
	}
	if (bin == LATENCY_BINS)
		return UINT_MAX;

	start = latency_bin_start(bin);
	width = latency_bin_start(bin + 1) - start;
	return max(start + (unsigned int)div_u64(width * count + pages[bin] - 1,
						 pages[bin]), 1U);
}

static u64 sum(const u32 *values, unsigned int nr)
{
	u64 total = 0;

	while (nr--)
		total += values[nr];
	return total;
}

/*
 * What the brake leaves of the budget: all of it, unless pages go back and forth
 * whose latencies are too short to tell them apart, as those of huge pages are.
 */
static u32 rate_left(const struct hot_threshold *threshold, u32 budget)
{
	unsigned int lowest = LOWEST(threshold->def);

	if (budget == PROMOTION_NO_LIMIT || threshold->cap >= lowest)
		return budget;
	return DIV_ROUND_UP_ULL((u64)budget * threshold->cap, lowest);
}

static void quantile_init(struct hot_threshold *threshold, u32 budget,
			  unsigned int def)
{
	threshold->ms = def;
	threshold->cap = 2 * def;
	threshold->def = def;
	threshold->rate = rate_left(threshold, budget);
}

/*
 * Pages that are demoted soon after they were promoted have been moved for
 * nothing: what is promoted must be hotter. Without such pages the brake is let
 * go in the same steps.
 */
static void set_cap(struct hot_threshold *threshold,
		    const struct latency_window *window)
{
	unsigned int newest = (window->next + LATENCY_PARTS - 1) % LATENCY_PARTS;
	u32 moved = window->moved[newest];
	u32 back = window->back[newest];

	if (back >= LATENCY_ENOUGH / LATENCY_PARTS && back > moved / BACK_SHARE)
		threshold->cap -= threshold->cap / 4;
	else if (back <= moved / (2 * BACK_SHARE))
		threshold->cap += threshold->cap / 8 + 1;
}

/*
 * Without a budget there is nothing to fill: the configured threshold holds.
 * With one, it can be up to twice that. While the window has less than a pass,
 * there is no reason to go beyond what is configured; while it has too few
 * pages, none to change anything.
 */
static void quantile_update(struct hot_threshold *threshold,
			    const struct latency_window *window, u32 budget,
			    unsigned int def)
{
	u64 elapsed = sum(window->ms, LATENCY_PARTS);
	u32 pages[LATENCY_BINS] = {};
	unsigned int i, bin;
	bool whole = true;
	unsigned int cap;

	/* The brake is as tight under another configured threshold. */
	threshold->cap = mul_u64_u32_div(threshold->cap, def, threshold->def);
	threshold->def = def;
	threshold->cap = clamp(threshold->cap, max(LOWEST(def) / LEAST_SHARE, 1U),
			       2 * def);
	threshold->rate = rate_left(threshold, budget);
	cap = max(threshold->cap, LOWEST(def));
	if (budget == PROMOTION_NO_LIMIT) {
		threshold->ms = min(def, cap);
		return;
	}

	for (i = 0; i < LATENCY_PARTS; i++) {
		if (!window->ms[i])
			whole = false;
		for (bin = 0; bin < LATENCY_BINS; bin++)
			pages[bin] += window->pages[i][bin];
	}
	if (!whole)
		cap = min(cap, def);
	if (sum(pages, LATENCY_BINS) >= LATENCY_ENOUGH)
		threshold->ms = latency_quantile(pages,
						 div_u64(elapsed * budget,
							 MSEC_PER_SEC));
	threshold->ms = min(threshold->ms, cap);
}

static void quantile_next(struct hot_threshold *threshold,
			  const struct latency_window *window, u32 budget,
			  unsigned int def)
{
	set_cap(threshold, window);
	quantile_update(threshold, window, budget, def);
}

/* The quantile of the latencies at budget / pages, with a brake */
const struct hot_threshold_ops quantile_threshold_ops = {
	.init = quantile_init,
	.next = quantile_next,
	.update = quantile_update,
};
