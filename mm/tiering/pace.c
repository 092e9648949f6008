// SPDX-License-Identifier: GPL-2.0
/*
 * How fast the memory of a task is scanned that has pages on slow nodes.
 *
 * What a task has counted is changed by itself only.
 */
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/swap.h>

#include "promote.h"

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
	p->numa_promoted = 0;
	p->numa_slow_faults = 0;
}

/**
 * promotion_scan_begins - memory of a task is about to be scanned
 *
 * New pages, and those whose migration has failed, wait in a batch of the CPU for
 * their LRU list until others follow. The scan passes over them, as the batch is
 * one more user of them: the last pages that a task takes would never come up.
 *
 * Context: the task itself, at most once a scan period; no locks.
 */
void promotion_scan_begins(void)
{
	if (promotion_is_on())
		lru_add_drain();
}

/**
 * promotion_scan_period - how fast to scan a task that only had promotions
 * @p:        the task, current
 * @shortest: the shortest period that it may have, ms
 *
 * The base doubles the period of a task without faults on fast nodes. That
 * would be those whose hot pages are all on slow ones. While pages of such a
 * task are promoted, it is scanned as fast as before; and faster while they are
 * many of those that it touches.
 *
 * Return: ms.
 */
unsigned int promotion_scan_period(struct task_struct *p, unsigned int shortest)
{
	unsigned int promoted = p->numa_promoted, touched = p->numa_slow_faults;

	p->numa_promoted = 0;
	p->numa_slow_faults = 0;
	if (!promoted || !promotion_is_on())
		return p->numa_scan_period << 1;
	if (promoted < touched / 4)
		return p->numa_scan_period;
	return max(p->numa_scan_period >> 1, shortest);
}
