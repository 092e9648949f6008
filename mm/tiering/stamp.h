/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a page of a slow node keeps, in the bits of its last CPU and task: when it was
 * scanned or touched, and above that its score.
 *
 * A kernel for 8192 CPUs has 21 bits for it, one for 512 has 17. Where the time has
 * fewer than 18 they are shared between a coarser unit and an earlier wrap: 1 ms and
 * 262 s with 18, 4 ms and 65 s with 14. The clock is that of jiffies: one is read for
 * each page that is scanned.
 *
 * When tiering is switched on, pages have the CPU and the task of mode 1 until the scan
 * comes by. What that looks like is a score like any other: of high CPUs it is
 * SCORE_DEMOTED, for one touch.
 */
#ifndef _MM_TIERING_STAMP_H
#define _MM_TIERING_STAMP_H

#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/time64.h>

#include "score.h"

#define STAMP_TIME_BITS		(LAST_CPUPID_SHIFT - SCORE_BITS)
#define STAMP_TIME_MASK		(BIT(STAMP_TIME_BITS) - 1)
#define STAMP_UNIT_SHIFT	(STAMP_TIME_BITS < 18 ? (19 - STAMP_TIME_BITS) / 2 : 0)

/* Neither a CPU and a task nor a stamp: what a new page has */
#define STAMP_NONE		LAST_CPUPID_MASK

/* Latencies that can be told apart, and half of those that wrap, ms */
#define STAMP_FINEST_MS		max_t(unsigned int, BIT(STAMP_UNIT_SHIFT), MSEC_PER_SEC / HZ)
#define STAMP_LONGEST_MS	(BIT(STAMP_TIME_BITS - 1) << STAMP_UNIT_SHIFT)

static inline unsigned int stamp_now(void)
{
	return jiffies_to_msecs(jiffies) >> STAMP_UNIT_SHIFT & STAMP_TIME_MASK;
}

static inline int stamp_make(unsigned int time, unsigned int score)
{
	return score << STAMP_TIME_BITS | time;
}

static inline unsigned int stamp_score(int stamp)
{
	return stamp == STAMP_NONE ? SCORE_NEW : stamp >> STAMP_TIME_BITS;
}

/* From a stamp to a time, ms */
static inline unsigned int stamp_age(int stamp, unsigned int time)
{
	return ((time - stamp) & STAMP_TIME_MASK) << STAMP_UNIT_SHIFT;
}

#endif /* _MM_TIERING_STAMP_H */
