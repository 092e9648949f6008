/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_QUEUE_H
#define _MM_TIERING_QUEUE_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct mm_struct;
struct pid;

/* Seconds of a budget of some tens of MB/s, and what a node can take in one */
#define QUEUE_LEAST	16384U
#define QUEUE_MOST	262144U

/**
 * struct queued_page - a page that waits to be promoted
 * @thread:  that has touched it, with a reference
 * @mm:      its address space then, to be compared: it may be gone
 * @address: where that has it
 * @time:    of the hint fault, jiffies
 * @pages:   how many base pages it had
 * @tries:   how often its turn has come and nobody could look
 */
struct queued_page {
	struct pid *thread;
	struct mm_struct *mm;
	unsigned long address;
	unsigned long time;
	unsigned int pages;
	unsigned int tries;
};

/**
 * struct promotion_queue - pages in the order in which they came
 * @lock:  protects the rest; nothing is taken under it
 * @pages: room for so many
 * @size:  that number
 * @first: the oldest
 * @count: how many there are
 */
struct promotion_queue {
	spinlock_t lock; /* the rest */
	struct queued_page *pages;
	unsigned int size;
	unsigned int first;
	unsigned int count;
};

/**
 * promotion_queue_size - the room that a queue needs
 * @rate: pages/s that are promoted at most, or U32_MAX: then nothing waits
 *
 * What the budget gives in a quarter of a second, its burst, is what may come at
 * once and be promoted in time all the same.
 *
 * Return: pages, QUEUE_LEAST .. QUEUE_MOST.
 */
static inline unsigned int promotion_queue_size(u32 rate)
{
	return rate == U32_MAX ? QUEUE_LEAST : clamp(rate / 4, QUEUE_LEAST, QUEUE_MOST);
}

int promotion_queue_init(struct promotion_queue *queue, int nid);
void promotion_queue_free(struct promotion_queue *queue);
void promotion_queue_fit(struct promotion_queue *queue, unsigned int size, int nid);
unsigned int promotion_queue_count(struct promotion_queue *queue);
void promotion_queue_defer(struct promotion_queue *queue);
bool promotion_queue_add(struct promotion_queue *queue, unsigned long address,
			 unsigned int pages);
bool promotion_queue_oldest(struct promotion_queue *queue,
			    struct queued_page *page);
void promotion_queue_drop(struct promotion_queue *queue);

#endif /* _MM_TIERING_QUEUE_H */
