// SPDX-License-Identifier: GPL-2.0
/*
 * What is scanned of a task that has pages on slow nodes, and how fast.
 *
 * What a task has counted is changed by itself only.
 */
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/swap.h>

#include "promote.h"

/* Of the pages that are touched in a pass, so many parts in forty */
#define PARTS			40
#define MANY_PROMOTED		5
#define FEW_PROMOTED		1
#define MANY_WARM		24
#define FEW_WARM		18

static void start_pass(struct task_struct *p, int pass)
{
	p->numa_promotion_pass = pass;
	p->numa_slow_faults = 0;
	p->numa_slow_warm = 0;
	p->numa_promoted = 0;
}

/**
 * promotion_init_task - start a task with nothing promoted
 * @p: a new task
 *
 * Context: fork; nobody else sees the task.
 */
void promotion_init_task(struct task_struct *p)
{
	p->numa_promotion_pages = 0;
	p->numa_promotion_charged = 0;
	p->numa_promotion_bin = LATENCY_BINS;
	start_pass(p, 0);
}

/**
 * pace_step - how fast to scan after a pass
 * @pass: what became of pages of slow nodes in it
 *
 * While many come up, or are about to, each pass tells more. When scores have come to
 * rest, another pass tells little: what is on slow nodes belongs there.
 *
 * Return: -1 for twice as fast, 1 for half as fast, 0 for the same.
 */
int pace_step(const struct pace_pass *pass)
{
	u64 touched = pass->touched;

	if (!touched)
		return 0;
	if ((u64)pass->promoted * PARTS >= touched * MANY_PROMOTED ||
	    (u64)pass->warm * PARTS >= touched * MANY_WARM)
		return -1;
	return (u64)pass->promoted * PARTS < touched * FEW_PROMOTED &&
	       (u64)pass->warm * PARTS < touched * FEW_WARM;
}

/**
 * promotion_scan_begins - memory of a task is about to be scanned
 * @p:        the task, current
 * @shortest: the shortest period that it may have, ms
 * @longest:  the longest one, ms
 *
 * New pages, and those whose migration has failed, wait in a batch of the CPU for
 * their LRU list until others follow. The scan passes over them, as the batch is
 * one more user of them: the last pages that a task takes would never come up.
 *
 * When the scan has begun anew since, the period is set by what the pass has told.
 * In mode 3 it goes by the fast nodes as well, as the base has it, which slows it down.
 *
 * Context: the task itself, at most once a scan period; no locks.
 */
void promotion_scan_begins(struct task_struct *p, unsigned int shortest,
			   unsigned int longest)
{
	int pass = READ_ONCE(p->mm->numa_scan_seq);
	struct pace_pass was = {
		.touched = p->numa_slow_faults,
		.warm = p->numa_slow_warm,
		.promoted = p->numa_promoted,
	};
	int step;

	if (!promotion_is_on())
		return;
	lru_add_drain();
	if (pass == p->numa_promotion_pass)
		return;
	start_pass(p, pass);
	step = pace_step(&was);
	if (step < 0)
		p->numa_scan_period = max(p->numa_scan_period >> 1, shortest);
	else if (step && sysctl_numa_balancing_mode == NUMA_BALANCING_MEMORY_TIERING)
		p->numa_scan_period = min(p->numa_scan_period << 1, longest);
}

/**
 * promotion_scans_shared - does the scan look at shared memory without a policy?
 *
 * The base's does not, so that what is hot of it would stay on slow nodes.
 *
 * Context: any.
 */
bool promotion_scans_shared(void)
{
	return promotion_is_on();
}

/**
 * promotion_scan_period - how fast to scan a task that only had promotions
 * @p: the task, current
 *
 * The base doubles the period of a task without faults on fast nodes. That would be
 * those whose hot pages are all on slow ones.
 *
 * Return: ms.
 */
unsigned int promotion_scan_period(struct task_struct *p)
{
	return promotion_is_on() ? p->numa_scan_period : p->numa_scan_period << 1;
}
