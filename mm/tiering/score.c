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
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "score.h"

/* The two terms above, in 256ths of a level */
#define GAIN	383
#define LOSS	390
#define LEVEL	256

/* So much below the threshold there is no doubt, and no time to lose */
#define AT_ONCE	64

/* A process is new until so many passes of the scan have ended: a score takes three to five */
#define NEW_PASSES	2U
/* So much below the threshold is hot meanwhile */
#define NEW_PART	4

/**
 * score_passes - another pass of the scan over the memory of a process has ended
 * @passes: how many had, since the one in which it had come to have twice as much as before
 * @apart:  so long after the last one that counted that pages may have been touched
 * @pages:  what it has
 * @before: what it had at the end of that one; is changed with it
 *
 * Return: how many have now; no more are counted than make a difference.
 */
unsigned int score_passes(unsigned int passes, bool apart, unsigned long pages,
			  unsigned long *before)
{
	if (pages / 2 > *before) {
		*before = pages;
		return 0;
	}
	return apart ? min(passes + 1, NEW_PASSES) : passes;
}

/**
 * score_of_new - is one latency enough, where scores say nothing yet?
 * @latency:   how long after the scan, ms
 * @finest:    the difference of latencies that can be told, ms
 * @threshold: the mean latency of pages that are just hot enough, ms; 0 if none are
 * @passes:    of score_passes(), for the process
 *
 * A page has one touch in a pass, so that a score takes as many passes as touches. A
 * process that has just begun would run meanwhile from where its pages happen to be.
 */
bool score_of_new(unsigned int latency, unsigned int finest, unsigned int threshold,
		  unsigned int passes)
{
	return passes < NEW_PASSES && (u64)latency + finest <= threshold / NEW_PART;
}

/**
 * score_step - a page was touched
 * @score:     of that page, SCORE_LOWEST .. SCORE_HIGHEST; is changed
 * @latency:   how long after the scan, ms, less than 1 << LATENCY_BITS
 * @finest:    the difference of latencies that can be told, ms
 * @threshold: the mean latency of pages that are just hot enough, ms; 0 if none are
 * @random:    any number: what is left of a level is one as often as it should
 *
 * Return: whether the page is hot.
 */
bool score_step(unsigned int *score, unsigned int latency, unsigned int finest,
		unsigned int threshold, u8 random)
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
	return false;
}
