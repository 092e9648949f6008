// SPDX-License-Identifier: GPL-2.0
/*
 * From the latencies of one page to whether it is hot.
 *
 * Touches that come at random, so many a second, are some latency away from the scan:
 * now a short one, now a long one. A single one says little: of pages that are touched
 * half as often as they should, four in ten look hot. So latencies are added up, as the
 * sequential test of A. Wald does ("Sequential Tests of Statistical Hypotheses", 1945)
 * between two rates, RATIO over the one at the threshold and as much below it:
 *
 *	ln(RATIO^2) - (RATIO - 1 / RATIO) * latency / threshold
 *
 * for each touch, with RATIO = 1.4, in levels of 0.45. Pages that are clearly hot are
 * so after three to five touches; those on the other side need a rare series of short ones.
 *
 * A page has one touch in a pass of the scan, so what a program begins to use would come
 * after two passes or more. What a single page cannot tell, many together do: where far
 * more latencies are short than of pages that are alike, some pages are far hotter than
 * the threshold, and most of those that are short are theirs. What is hot often lies
 * together, so only the last ones speak, of what the scan has come by within a second.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/promotion_looks.h>

#include "score.h"

/* The two terms above, in 256ths of a level */
#define GAIN	383
#define LOSS	390
#define LEVEL	256

/* So much below the threshold there is no doubt, and no time to lose */
#define AT_ONCE	64

/* The levels: so much below it */
static const unsigned int level_shift[LOOK_LEVELS] = { 0, 2, 4 };

/* Latencies below the threshold that are remembered, and how few of them say nothing */
#define MOST_LOOKS	128
#define FEW_LOOKS	64

/* What is walked in a row is short together: those that are counted are so far apart, ms */
#define APART		4

/* What is short for longer stays where it is: it cannot be moved, or there is no budget */
#define MOST_PASSES	2

static unsigned int level_end(unsigned int level, unsigned int finest, unsigned int threshold)
{
	return max(threshold >> level_shift[level], level ? finest : 0);
}

/* Surely, but for the threshold itself: the latency may have been longer by the finest. */
static bool is_below(unsigned int latency, unsigned int level, unsigned int finest,
		     unsigned int threshold)
{
	if (!level)
		return latency < threshold;
	return (u64)latency + finest <= level_end(level, finest, threshold);
}

/*
 * Of touches at random with a mean of m, out of the latencies below t so many are below s:
 *
 *	(1 - exp(-s / m)) / (1 - exp(-t / m))
 *
 * For t = 4.5 * m that is 23 * s / (5 * t + 14 * s), but for 3 %, as long as s is no more
 * than a quarter of t; above that more is asked for, up to more than all. With s = t / 16
 * it is a quarter, with s = t / 4 two thirds. Where all pages are alike, t is the median,
 * ln 2 * m: one in twelve, and three in ten.
 */
static bool has_many(const struct promotion_looks *looks, unsigned int level,
		     unsigned int finest, unsigned int threshold)
{
	u64 end = level_end(level, finest, threshold);

	return looks->below[level] * (5ULL * threshold + 14 * end) >=
	       looks->below[0] * 23 * end;
}

static unsigned int first_with_many(const struct promotion_looks *looks, unsigned int finest,
				    unsigned int threshold)
{
	unsigned int level;

	if (looks->below[0] < FEW_LOOKS)
		return 0;
	for (level = 1; level < LOOK_LEVELS; level++)
		if (has_many(looks, level, finest, threshold))
			return level;
	return 0;
}

static void forget(struct promotion_looks *looks, unsigned int times)
{
	unsigned int level;

	for (level = 0; level < LOOK_LEVELS; level++)
		looks->below[level] >>= times;
}

static void few_say_nothing(struct promotion_looks *looks)
{
	if (looks->below[0] < FEW_LOOKS)
		looks->many = 0;
}

/**
 * looks_begin_pass - half of what a task has seen is forgotten for each pass of the scan
 * @looks: of the task
 * @pass:  the lowest bits of the number of the pass, which may be the same as before
 *
 * Several passes may have gone by, as of a task that has slept: that it touched nothing
 * in one is as good as that little was short. While no thread of the address space runs
 * there are none, and nothing is forgotten.
 *
 * Context: the task itself.
 */
void looks_begin_pass(struct promotion_looks *looks, u8 pass)
{
	u8 gone = pass - looks->pass;

	if (!gone)
		return;
	if (gone > 1 || !looks->counted)
		looks->passes = 0;
	looks->pass = pass;
	looks->counted = false;
	forget(looks, min_t(u8, gone, 7));
	few_say_nothing(looks);
}

/**
 * looks_add - a task has touched a page, of whatever size
 * @looks:     of the task, after looks_begin_pass()
 * @latency:   how long after the scan, ms, less than 1 << LATENCY_BITS
 * @finest:    the difference of latencies that can be told, ms, at least 1
 * @threshold: the mean latency of pages that are just hot enough, ms, up to
 *             INT_MAX / 2; 0 if none are
 * @now:       the lowest bits of any time in ms that goes on
 *
 * Stamps of pages wrap around, after 65 s at least. What is touched less often than that
 * may have any latency: with a threshold of one second it is below a quarter of that four
 * times in a thousand.
 *
 * Context: the task itself.
 */
void looks_add(struct promotion_looks *looks, unsigned int latency, unsigned int finest,
	       unsigned int threshold, u16 now)
{
	looks->last = 0;
	if (latency >= threshold || (u16)(now - looks->at) < APART)
		return;
	looks->at = now;
	while (looks->last < LOOK_LEVELS && is_below(latency, looks->last, finest, threshold))
		looks->below[looks->last++]++;
	if (looks->below[0] == MOST_LOOKS)
		forget(looks, 1);
	looks->many = first_with_many(looks, finest, threshold);
	if (looks->many && !looks->counted) {
		looks->counted = true;
		looks->passes = min(looks->passes + 1, MOST_PASSES + 1);
	}
}

/**
 * looks_take_back - the page that was touched last cannot be moved
 * @looks: of the task
 *
 * Else pages that stay where they are would be short in each pass, and others would come
 * for it.
 *
 * Context: the task itself, at the hint fault of looks_add().
 */
void looks_take_back(struct promotion_looks *looks)
{
	/* Half of one is none. */
	for (; looks->last; looks->last--)
		looks->below[looks->last - 1] -= !!looks->below[looks->last - 1];
	few_say_nothing(looks);
}

/**
 * looks_short_enough - which latency of a page is enough by now?
 * @looks:     of the task that touches it
 * @finest:    the difference of latencies that can be told, ms
 * @threshold: the mean latency of pages that are just hot enough, ms
 *
 * For so many passes in a row at most, and after that not before a pass without.
 *
 * Context: the task itself.
 * Return: ms; 0 when a single one is not.
 */
unsigned int looks_short_enough(const struct promotion_looks *looks, unsigned int finest,
				unsigned int threshold)
{
	if (!looks->many || looks->passes > MOST_PASSES)
		return 0;
	return level_end(looks->many, finest, threshold);
}

/**
 * score_step - a page was touched
 * @score:     of that page, SCORE_LOWEST .. SCORE_HIGHEST; is changed
 * @latency:   how long after the scan, ms, less than 1 << LATENCY_BITS
 * @finest:    the difference of latencies that can be told, ms
 * @threshold: the mean latency of pages that are just hot enough, ms; 0 if none are
 * @random:    any number: what is left of a level is one as often as it should
 * @enough:    the latency that is short enough by itself, as looks_short_enough() has it, ms
 *
 * Context: any.
 * Return: whether the page is hot.
 */
bool score_step(unsigned int *score, unsigned int latency, unsigned int finest,
		unsigned int threshold, u8 random, unsigned int enough)
{
	s64 next;

	if (!threshold) {
		*score = SCORE_LOWEST;
		return false;
	}
	if ((u64)(latency + finest) * AT_ONCE <= threshold)
		return true;
	next = (s64)*score * LEVEL + GAIN + random - div_u64((u64)latency * LOSS, threshold);
	if (next >= (SCORE_HIGHEST + 1) * LEVEL) {
		*score = SCORE_HIGHEST;
		return true;
	}
	*score = max(next, (s64)SCORE_LOWEST * LEVEL) / LEVEL;
	return (u64)latency + finest <= enough;
}
