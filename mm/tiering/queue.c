// SPDX-License-Identifier: GPL-2.0
/*
 * Hot pages for which there was no budget when they were touched.
 *
 * Memory is scanned by address, and what is hot often lies together: hint
 * faults of hot pages come in bursts, with nothing between them. A page that
 * had to be hot and in time would be lost for a whole pass in most cases. So
 * pages wait here for a budget that is only late.
 *
 * A page waits as an address, and the thread that has touched it: by its policy and
 * cpuset the page is promoted. Neither the page nor the address space is held, so
 * nothing waits for what is in here, and a thread that has ended leaves nothing but
 * its number behind.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "queue.h"

static struct queued_page *alloc_room(unsigned int size, int nid)
{
	return kvmalloc_node(array_size(size, sizeof(struct queued_page)), GFP_KERNEL, nid);
}

/**
 * promotion_queue_init - make room for pages
 * @queue: the queue
 * @nid:   the node near which it is, or NUMA_NO_NODE
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int promotion_queue_init(struct promotion_queue *queue, int nid)
{
	spin_lock_init(&queue->lock);
	queue->pages = alloc_room(QUEUE_LEAST, nid);
	queue->size = QUEUE_LEAST;
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

static struct queued_page *queued_at(struct promotion_queue *queue, unsigned int n)
{
	return &queue->pages[(queue->first + n) % queue->size];
}

/**
 * promotion_queue_fit - give a queue the room that it needs
 * @queue: the queue
 * @size:  as promotion_queue_size() has it
 * @nid:   the node near which it is, or NUMA_NO_NODE
 *
 * What waits goes on waiting, and so the room is never less than that. If there is no
 * memory for more, the queue stays as it is.
 *
 * Context: may sleep; one caller at a time.
 */
void promotion_queue_fit(struct promotion_queue *queue, unsigned int size, int nid)
{
	struct queued_page *pages;
	unsigned int i;

	if (size == queue->size)
		return;
	pages = alloc_room(size, nid);
	if (!pages)
		return;
	spin_lock(&queue->lock);
	if (queue->count <= size) {
		for (i = 0; i < queue->count; i++)
			pages[i] = *queued_at(queue, i);
		swap(queue->pages, pages);
		queue->size = size;
		queue->first = 0;
	}
	spin_unlock(&queue->lock);
	kvfree(pages);
}

/**
 * promotion_queue_count - how many pages wait
 * @queue: the queue
 *
 * Context: any but interrupts.
 */
unsigned int promotion_queue_count(struct promotion_queue *queue)
{
	unsigned int count;

	spin_lock(&queue->lock);
	count = queue->count;
	spin_unlock(&queue->lock);
	return count;
}

/**
 * promotion_queue_add - let a page that the calling thread has touched wait
 * @queue:   the queue
 * @address: where its address space has it
 * @pages:   how many base pages it has
 *
 * Context: any but interrupts.
 * Return: false when there is no room.
 */
bool promotion_queue_add(struct promotion_queue *queue, unsigned long address,
			 unsigned int pages)
{
	bool added = false;

	spin_lock(&queue->lock);
	if (queue->count < queue->size) {
		*queued_at(queue, queue->count) = (struct queued_page) {
			.thread = get_pid(task_pid(current)),
			.mm = current->mm,
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
	struct pid *thread;

	spin_lock(&queue->lock);
	thread = queue->pages[queue->first].thread;
	queue->first = (queue->first + 1) % queue->size;
	queue->count--;
	spin_unlock(&queue->lock);
	put_pid(thread);
}

/**
 * promotion_queue_defer - let the oldest page wait behind all others
 * @queue: a queue with pages, of which only the caller takes any
 *
 * Context: any but interrupts.
 */
void promotion_queue_defer(struct promotion_queue *queue)
{
	struct queued_page page;

	spin_lock(&queue->lock);
	page = *queued_at(queue, 0);
	page.tries++;
	queue->first = (queue->first + 1) % queue->size;
	*queued_at(queue, queue->count - 1) = page;
	spin_unlock(&queue->lock);
}
