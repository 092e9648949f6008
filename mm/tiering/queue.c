// SPDX-License-Identifier: GPL-2.0
/*
 * Hot pages for which there was no budget when they were touched.
 *
 * Memory is scanned by address, and what is hot often lies together: hint
 * faults of hot pages come in bursts, with nothing between them. A page that
 * had to be hot and in time would be lost for a whole pass in most cases. So
 * pages wait here for a budget that is only late.
 *
 * A page waits as an address of a process. Neither the page nor the address
 * space is held, so nothing waits for what is in here, and a process that has
 * ended leaves nothing but its number behind.
 */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "queue.h"

/**
 * promotion_queue_init - make room for pages
 * @queue: the queue
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int promotion_queue_init(struct promotion_queue *queue)
{
	spin_lock_init(&queue->lock);
	queue->pages = kvmalloc_array(QUEUE_PAGES, sizeof(*queue->pages),
				      GFP_KERNEL);
	return queue->pages ? 0 : -ENOMEM;
}

/**
 * promotion_queue_free - give the room back
 * @queue: a queue without pages
 *
 * Context: may sleep.
 */
void promotion_queue_free(struct promotion_queue *queue)
{
	kvfree(queue->pages);
}

/**
 * promotion_queue_add - let a page of the calling process wait
 * @queue:   the queue
 * @address: where the process has it
 * @pages:   how many base pages it has
 *
 * Context: any but interrupts; does not wait for others.
 * Return: false when there is no room.
 */
bool promotion_queue_add(struct promotion_queue *queue, unsigned long address,
			 unsigned int pages)
{
	bool added = false;

	if (!spin_trylock(&queue->lock))
		return false;
	if (queue->count < QUEUE_PAGES) {
		unsigned int last = (queue->first + queue->count) % QUEUE_PAGES;

		queue->pages[last] = (struct queued_page) {
			.process = get_pid(task_tgid(current)),
			.address = address,
			.time = jiffies,
			.pages = pages,
		};
		queue->count++;
		added = true;
	}
	spin_unlock(&queue->lock);
	return added;
}

/**
 * promotion_queue_oldest - the page whose turn it is
 * @queue: the queue, of which only the caller takes pages
 * @page:  that page, which stays in the queue
 *
 * Context: any but interrupts.
 * Return: false when there is none.
 */
bool promotion_queue_oldest(struct promotion_queue *queue,
			    struct queued_page *page)
{
	bool any;

	spin_lock(&queue->lock);
	any = queue->count;
	if (any)
		*page = queue->pages[queue->first];
	spin_unlock(&queue->lock);
	return any;
}

/**
 * promotion_queue_drop - let the oldest page go
 * @queue: a queue with pages, of which only the caller takes any
 *
 * Context: any but interrupts.
 */
void promotion_queue_drop(struct promotion_queue *queue)
{
	struct pid *process;

	spin_lock(&queue->lock);
	process = queue->pages[queue->first].process;
	queue->first = (queue->first + 1) % QUEUE_PAGES;
	queue->count--;
	spin_unlock(&queue->lock);
	put_pid(process);
}
