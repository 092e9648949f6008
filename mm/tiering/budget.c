// SPDX-License-Identifier: GPL-2.0
/*
 * A rate of pages per second, kept by any number of CPUs.
 *
 * The generic cell rate algorithm (ITU-T I.371, annex A): instead of a number
 * of tokens and the time when they were last refilled, one number is kept, the
 * time up to which the rate is used up. Each page moves it on by the time that
 * one page takes at that rate. Pages may be taken as long as it is less than
 * the burst ahead of the clock. One number has no refill to race for, and no
 * window at whose edge twice the rate fits.
 *
 * A huge page is taken when a single page could be, and leaves a debt that the
 * next ones wait for: it is neither starved nor free. In any t seconds at most
 * rate * (t + burst) pages are taken, plus one huge page.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "budget.h"

/* Rounded up, so that the rate is never exceeded; within 2^32 * 10^9 */
static u64 time_of(unsigned int pages, u32 rate)
{
	return div_u64((u64)pages * NSEC_PER_SEC + rate - 1, rate);
}

/*
 * No history leaves more of a debt than the burst and the largest page: neither
 * a clock that jumped back nor what was taken at a lower rate.
 */
static s64 used_until(s64 paid_until, s64 now, u32 rate)
{
	s64 latest = now + PROMOTION_BURST_NS + time_of(PROMOTION_LARGEST, rate);

	return clamp(paid_until, now, latest);
}

/**
 * promotion_budget_take - ask for pages
 * @budget: the budget
 * @now:    the time, ns; less than 2^62
 * @rate:   pages/s; PROMOTION_NO_LIMIT for no limit
 * @pages:  how many, 1 .. PROMOTION_LARGEST
 *
 * Context: any.
 * Return: true if they may be promoted, all of them.
 */
bool promotion_budget_take(struct promotion_budget *budget, u64 now, u32 rate,
			   unsigned int pages)
{
	s64 old, used;

	if (rate == PROMOTION_NO_LIMIT)
		return true;
	if (!rate)
		return false;

	old = atomic64_read(&budget->paid_until);
	do {
		used = used_until(old, now, rate);
		if (used - (s64)now >= PROMOTION_BURST_NS) {
			/* Or a debt that is too large would never get less. */
			if (used != old)
				atomic64_cmpxchg(&budget->paid_until, old, used);
			return false;
		}
	} while (!atomic64_try_cmpxchg(&budget->paid_until, &old,
				       used + time_of(pages, rate)));
	return true;
}

/**
 * promotion_budget_return - give back pages that were not promoted after all
 * @budget: the budget
 * @rate:   pages/s, as when they were taken
 * @pages:  how many
 *
 * Context: any.
 */
void promotion_budget_return(struct promotion_budget *budget, u32 rate,
			     unsigned int pages)
{
	if (rate && rate != PROMOTION_NO_LIMIT)
		atomic64_sub(time_of(pages, rate), &budget->paid_until);
}

/**
 * promotion_budget_left - what could be taken now
 * @budget: the budget
 * @now:    the time, ns
 * @rate:   pages/s, not 0 and not PROMOTION_NO_LIMIT
 *
 * Context: any.
 * Return: pages; negative while there is a debt.
 */
s64 promotion_budget_left(const struct promotion_budget *budget, u64 now,
			  u32 rate)
{
	s64 used = used_until(atomic64_read(&budget->paid_until), now, rate);
	s64 ahead = PROMOTION_BURST_NS - (used - (s64)now);

	return div_s64(div_s64(ahead, NSEC_PER_USEC) * (s64)rate, USEC_PER_SEC);
}
