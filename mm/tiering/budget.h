/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_BUDGET_H
#define _MM_TIERING_BUDGET_H

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/time64.h>
#include <linux/types.h>

/* What may be taken at once after a pause, as time: a quarter of a second's */
#define PROMOTION_BURST_NS	(NSEC_PER_SEC / 4)

/* The most pages that are taken at once, a huge page */
#define PROMOTION_LARGEST	PTRS_PER_PTE

/* Rates from here on are no limit, pages/s: above what one node can take */
#define PROMOTION_NO_LIMIT	U32_MAX

/**
 * struct promotion_budget - how much may be promoted
 * @paid_until: the time, in ns, for which the pages taken so far have used up
 *              the rate; behind the clock after a pause. Zeroed at first.
 */
struct promotion_budget {
	atomic64_t paid_until;
};

bool promotion_budget_take(struct promotion_budget *budget, u64 now, u32 rate,
			   unsigned int pages);
void promotion_budget_return(struct promotion_budget *budget, u32 rate,
			     unsigned int pages);
s64 promotion_budget_left(const struct promotion_budget *budget, u64 now,
			  u32 rate);

#endif /* _MM_TIERING_BUDGET_H */
