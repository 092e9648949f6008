// SPDX-License-Identifier: GPL-2.0
/*
 * From the latencies of hint faults to the threshold at which a page is hot.
 *
 * A page is worth its move when it is touched more often than what is demoted for it.
 * So demoted pages are followed, from the scan that makes them inaccessible to their
 * next touch: the median of these latencies is the threshold. It is known long before
 * the mean is, which the last ones decide. Where touches come at random it asks for
 * 1.44 times as many as the demoted pages have, and where they come at fixed intervals
 * for as many. Nothing of it depends on how fast the machine or the program is.
 *
 * A threshold that is too short would stay so, since nothing is demoted then: so it
 * grows while pages are touched and nothing is demoted. While pages are wanted it is not
 * too short: it is room or budget that they lack.
 *
 * Before anything is demoted, the hotter half of what is touched is taken for hot.
 * Memory is scanned by address, so what is hot at one time of a pass says
 * nothing about the rest. Latencies are therefore counted over one whole pass,
 * in parts, of which each newest one replaces the oldest.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "threshold.h"

#define OCTAVE_SHIFT	3

static_assert(LATENCY_BINS_OCTAVE == 1 << OCTAVE_SHIFT);

/* A page, as demoted pages are counted */
#define WHOLE		256
/* Looks that are remembered, more or less */
#define LOOKS		8
/* Passes after which a page that is hot would have been promoted */
#define QUIET_PASSES	4

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
	window->wanted[i] = part->wanted;
	window->ms[i] = part->ms;
	window->next = (i + 1) % LATENCY_PARTS;
}

/**
 * latency_quantile - the latency below which there is a number of pages
 * @pages: of each bin
 * @count: that number
 *
 * Within a bin the pages are taken to be spread evenly. Rounded up, since times
 * are counted in steps: one less could leave out most of what is wanted.
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

static u32 forget(u32 value)
{
	return value - DIV_ROUND_UP(value, LOOKS);
}

/* Far too many stay many: 16 million pages in a look are the most that can be told. */
static u32 add(u32 value, u32 pages, u32 weight)
{
	return min_t(u64, value + (u64)pages * weight, U32_MAX);
}

/* What is left of a page that the scan came by so long before its touch, on average */
static u32 left_after(unsigned int ms, unsigned int look)
{
	u32 left = WHOLE;

	for (; ms >= look + look / 2 && left; ms -= look)
		left = forget(left);
	return left;
}

/**
 * demoted_latencies_add - another look at what was demoted
 * @sum:   the looks before, zeroed at first
 * @since: what was counted since
 * @ms:    how long that was, at least 1
 *
 * A touch counts as much as is left of the page that was hidden then: else the sums
 * could not be compared where the scan comes by in bursts.
 */
void demoted_latencies_add(struct demoted_latencies *sum,
			   const struct demoted_counts *since, unsigned int ms)
{
	unsigned int bin;

	for (bin = 0; bin < LATENCY_BINS; bin++) {
		u32 touched = add(forget(sum->touched[bin]), sum->last.fresh[bin], WHOLE);

		if (since->touched[bin])
			touched = add(touched, since->touched[bin],
				      left_after(latency_bin_start(bin), ms));
		sum->touched[bin] = touched;
	}
	sum->hidden = add(forget(sum->hidden), sum->last.hidden, WHOLE);
	sum->last = *since;
}

static void found_init(struct hot_threshold *threshold, unsigned int def)
{
	threshold->ms = def;
	threshold->def = def;
	threshold->quiet = 0;
	threshold->found = false;
}

static bool says_nothing(const struct demoted_latencies *demoted)
{
	return demoted->hidden < DEMOTED_ENOUGH * WHOLE;
}

/*
 * Upwards only by a quarter a look: the touches of what has just been demoted are yet
 * to come. Where even half of them cannot be told from none at all, nothing is hot: all
 * are, and would take turns.
 */
static void found_look(struct hot_threshold *threshold,
		       const struct demoted_latencies *demoted)
{
	unsigned int most = min(threshold->ms + threshold->ms / 4 + 1, threshold->longest);
	unsigned int median;

	if (says_nothing(demoted))
		return;
	median = latency_quantile(demoted->touched, demoted->hidden / 2);
	threshold->ms = median < threshold->finest ? 0 : min(median, most);
	threshold->found = true;
}

/* All parts of a window; whether these are a pass */
static bool add_parts(const struct latency_window *window, u32 *pages)
{
	unsigned int i, bin;
	bool whole = true;

	for (i = 0; i < LATENCY_PARTS; i++) {
		if (!window->ms[i])
			whole = false;
		for (bin = 0; bin < LATENCY_BINS; bin++)
			pages[bin] += window->pages[i][bin];
	}
	return whole;
}

/*
 * With nothing to compare with, begin with the hotter half. A threshold is not yet too
 * short if no page has been touched as often as it takes to be hot.
 */
static void found_next(struct hot_threshold *threshold,
		       const struct latency_window *window,
		       const struct demoted_latencies *demoted)
{
	unsigned int ms = threshold->ms;
	u32 pages[LATENCY_BINS] = {};
	bool whole = add_parts(window, pages);
	u64 count = sum(pages, LATENCY_BINS);

	if (!says_nothing(demoted) || count < LATENCY_ENOUGH ||
	    sum(window->wanted, LATENCY_PARTS) >= DEMOTED_ENOUGH) {
		threshold->quiet = 0;
		return;
	}
	if (whole && !threshold->found)
		ms = max(ms, latency_quantile(pages, count / 2));
	if (++threshold->quiet > QUIET_PASSES * LATENCY_PARTS)
		ms += ms / 16 + 1;
	threshold->ms = clamp(ms, threshold->ms, max(threshold->ms, threshold->longest));
}

/* As hot as what is demoted */
const struct hot_threshold_ops demoted_threshold_ops = {
	.init = found_init,
	.next = found_next,
	.look = found_look,
};
