// SPDX-License-Identifier: GPL-2.0
/*
 * Whether memory follows a task, and how fast: arithmetic alone.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/sizes.h>

#include "decide.h"

/**
 * automigrate_decide - whether a process's memory follows one of its tasks
 * @facts: of the task, where it is now
 *
 * What an administrator or the program has said comes first, then what the
 * kernel knows of the task, then what has been begun.
 *
 * Context: any.
 * Return: the verdict.
 */
enum automigrate_verdict
automigrate_decide(const struct automigrate_facts *facts)
{
	if (facts->own_policy)
		return AUTOMIGRATE_POLICY;
	if (!facts->allowed)
		return AUTOMIGRATE_CPUSET;
	if (!facts->fast)
		return AUTOMIGRATE_NO_MEMORY;
	if (facts->balanced)
		return AUTOMIGRATE_PREFERRED;

	/* What has been begun is not asked for again at each piece. */
	if (facts->follows == facts->node && !facts->arrived)
		return AUTOMIGRATE_GO_ON;
	if (facts->follows == facts->node && facts->held)
		return AUTOMIGRATE_DONE;
	if (facts->held)
		return AUTOMIGRATE_INTERVAL;
	/* Half of the threads on each of two nodes: both would pull. */
	if (2 * facts->here <= facts->threads)
		return AUTOMIGRATE_THREADS;
	return AUTOMIGRATE_START;
}

/**
 * automigrate_held - does memory stay, as it has just been moved?
 * @elapsed:  since it set out, jiffies
 * @interval: for which it stays, jiffies
 * @moved:    how much was moved since then, pages
 * @resident: how much there is now, pages
 *
 * What has mostly come since then has not been moved: a program that is put on
 * its node before it fills its memory may be moved once more. What is moved in
 * an interval adds up, and what has been begun is ended: at most 5/4 of the memory
 * are moved in one.
 *
 * Context: any.
 * Return: whether it stays.
 */
bool automigrate_held(unsigned long elapsed, unsigned long interval,
		      unsigned long moved, unsigned long resident)
{
	return elapsed < interval && moved > resident / 4;
}

/**
 * automigrate_pages_a_return - how many pages a task moves at a time
 * @hz: ticks a second, the pace at which it goes on
 *
 * 1 GiB a second, if a tick goes by between two pieces; which is about what
 * migration copies, so a piece takes about a tick. A huge page is moved whole.
 *
 * Context: any.
 * Return: pages, at least 1.
 */
unsigned int automigrate_pages_a_return(unsigned int hz)
{
	return 1 + ((SZ_1G >> PAGE_SHIFT) - 1) / max(hz, 1U);
}
