// SPDX-License-Identifier: GPL-2.0
/*
 * What the current task is about to move, and what is told of pages that are not
 * moved. The fields belong to the task alone; counters may be added to anywhere.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched.h>
#include <linux/vmstat.h>

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

/**
 * promotion_count_refused - pages were hot, and are not promoted
 * @nid:   the node to which they would have gone
 * @pages: how many base pages
 *
 * Context: any.
 */
void promotion_count_refused(int nid, unsigned int pages)
{
	mod_node_page_state(NODE_DATA(nid), PGPROMOTE_RATE_LIMITED, pages);
}
