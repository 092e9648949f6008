/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_QUEUE_H
#define _MM_TIERING_QUEUE_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct pid;

/* Seconds of a budget of some tens of MB/s */
#define QUEUE_PAGES	16384U

/**
 * struct queued_page - a page that waits to be promoted
 * @process: whose it is, with a reference
 * @address: where that process has it
 * @time:    of the hint fault, jiffies
 * @pages:   how many base pages it had
 */
struct queued_page {
	struct pid *process;
	unsigned long address;
	unsigned long time;
	unsigned int pages;
};

/**
 * struct promotion_queue - pages in the order in which they came
 * @lock:  protects the rest; nothing is taken under it
 * @pages: room for QUEUE_PAGES
 * @first: the oldest
 * @count: how many there are
 */
struct promotion_queue {
	spinlock_t lock; /* the rest */
	struct queued_page *pages;
	unsigned int first;
	unsigned int count;
};

int promotion_queue_init(struct promotion_queue *queue);
void promotion_queue_free(struct promotion_queue *queue);
bool promotion_queue_add(struct promotion_queue *queue, unsigned long address,
			 unsigned int pages);
bool promotion_queue_oldest(struct promotion_queue *queue,
			    struct queued_page *page);
void promotion_queue_drop(struct promotion_queue *queue);

#endif /* _MM_TIERING_QUEUE_H */
