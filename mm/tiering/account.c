// SPDX-License-Identifier: GPL-2.0
/*
 * What the current task is about to move. The fields belong to the task alone.
 */
#include <linux/sched.h>

#include "promote.h"

/**
 * promotion_begin - the current task is about to move a page
 * @pages:   how many base pages
 * @charged: how many of them the budget gave
 *
 * That holds until promotion_succeeded() or promotion_failed().
 *
 * Context: any of a task.
 */
void promotion_begin(unsigned int pages, unsigned int charged)
{
	current->numa_promotion_pages = pages;
	current->numa_promotion_charged = charged;
	current->numa_promotion_bin = LATENCY_BINS;
}
