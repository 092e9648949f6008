// SPDX-License-Identifier: GPL-2.0
/*
 * page_alloc.channels=SIZE@BASE: free lists on which memory channels alternate.
 *
 * Where the memory controllers are not interleaved in hardware, a range of
 * addresses belongs to one channel. The page allocator takes free blocks of the
 * largest order from the head of a list on which they are in the order of their
 * addresses: first all of one channel, then all of the next. Here they are put
 * in turns, once at boot and whenever memory comes online. After that a block
 * that becomes free goes to the tail if the head is of its channel, else to the
 * head: that takes one comparison, and what is freed does not make a long run
 * of one channel at the head. Exact turns would take a list for each channel.
 *
 * Channels are named on the command line, memory that is in none of them is one
 * more. They do not change after boot, and are read without a lock; free lists
 * are the zone's lock's.
 */
#include <linux/cache.h>
#include <linux/limits.h>
#include <linux/memblock.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/pfn.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../internal.h"
#include "channels.h"
#include "ranges.h"

/* The zone's lock is given up after so many blocks have been looked at. */
#define BLOCKS_PER_LOCK	128

DEFINE_STATIC_KEY_FALSE(memory_channels_key);

static struct memory_ranges channels __ro_after_init;

static void __init tell_of_no_memory(const struct memory_range *channel)
{
	if (absent_pages_in_range(channel->start, channel->end) <
	    channel->end - channel->start)
		return;
	pr_info("page_alloc.channels: [mem %#018llx-%#018llx] has no memory yet\n",
		(u64)PFN_PHYS((u64)channel->start),
		(u64)PFN_PHYS((u64)channel->end) - 1);
}

/* At boot, before memblock gives its memory to the page allocator */
static int __init channels_set(const char *value,
			       const struct kernel_param *parameter)
{
	/* What an earlier parameter named has been told of. */
	const struct memory_ranges told = channels;
	unsigned int i;

	memory_ranges_read(&channels, "page_alloc.channels", value, NULL);
	for (i = 0; i < channels.nr; i++)
		if (memory_ranges_find(&told, channels.range[i].start) == told.nr)
			tell_of_no_memory(&channels.range[i]);
	if (channels.nr)
		static_branch_enable(&memory_channels_key);
	return 0;
}

static int channels_get(char *buffer, const struct kernel_param *parameter)
{
	const struct memory_range *range;
	unsigned int i;
	int length = 0;

	for (i = 0; i < channels.nr; i++) {
		range = &channels.range[i];
		length += sysfs_emit_at(buffer, length, "%s%#llx@%#llx",
					i ? "," : "",
					(u64)PFN_PHYS((u64)range->end -
						      range->start),
					(u64)PFN_PHYS((u64)range->start));
	}
	return length + sysfs_emit_at(buffer, length, "\n");
}

/* Nothing sets it after boot: the file in sysfs is for reading. */
static const struct kernel_param_ops channels_ops = {
	.set = channels_set,
	.get = channels_get,
};

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "page_alloc."
module_param_cb(channels, &channels_ops, NULL, 0400);

bool __channels_differ(unsigned long one_pfn, unsigned long other_pfn)
{
	return memory_ranges_find(&channels, one_pfn) !=
	       memory_ranges_find(&channels, other_pfn);
}

/**
 * channels_to_tail - where does a block of the largest order go?
 * @zone:        its zone
 * @page:        its first page
 * @migratetype: that it has
 *
 * Context: the zone's lock.
 * Return: whether it goes to the tail of its free list.
 */
bool channels_to_tail(struct zone *zone, struct page *page, int migratetype)
{
	struct list_head *list;
	struct page *head;

	list = &zone->free_area[LARGEST_ORDER].free_list[migratetype];
	head = list_first_entry_or_null(list, struct page, buddy_list);
	return head && !__channels_differ(page_to_pfn(head), page_to_pfn(page));
}

/* The free block of the largest order that begins at @pfn, NULL if none does */
static struct page *free_block(struct zone *zone, unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	if (!page || page_zone(page) != zone || !PageBuddy(page) ||
	    buddy_order(page) != LARGEST_ORDER)
		return NULL;
	return page;
}

/**
 * struct channel_walk - the free blocks of a zone, channel by channel
 * @zone:  the zone, whose lock is held
 * @flags: of its lock
 * @left:  how many blocks are still looked at before it is given up
 * @next:  for each channel, where to go on
 */
struct channel_walk {
	struct zone *zone;
	unsigned long flags;
	unsigned int left;
	unsigned long next[MEMORY_RANGES_MAX + 1];
};

/* Between two blocks nothing is kept but where to go on. */
static void give_up_lock(struct channel_walk *walk)
{
	if (walk->left--)
		return;
	walk->left = BLOCKS_PER_LOCK;
	spin_unlock_irqrestore(&walk->zone->lock, walk->flags);
	cond_resched();
	spin_lock_irqsave(&walk->zone->lock, walk->flags);
}

/* Moves the next block of a channel to the tail; says whether there was one. */
static bool move_one(struct channel_walk *walk, unsigned int channel)
{
	struct zone *zone = walk->zone;
	struct list_head *lists = zone->free_area[LARGEST_ORDER].free_list;
	unsigned long *next = &walk->next[channel];
	struct page *page;

	for (;;) {
		give_up_lock(walk);
		*next = memory_ranges_next(&channels, channel, *next);
		if (*next >= zone_end_pfn(zone))
			return false;
		page = free_block(zone, *next);
		*next += MAX_ORDER_NR_PAGES;
		if (!page)
			continue;
		list_move_tail(&page->buddy_list,
			       &lists[get_pageblock_migratetype(page)]);
		return true;
	}
}

void __channels_order_zone(struct zone *zone)
{
	struct channel_walk walk = { .zone = zone, .left = BLOCKS_PER_LOCK };
	unsigned int channel, moved;

	for (channel = 0; channel <= channels.nr; channel++)
		walk.next[channel] = ALIGN(zone->zone_start_pfn,
					   MAX_ORDER_NR_PAGES);
	spin_lock_irqsave(&zone->lock, walk.flags);
	do {
		moved = 0;
		for (channel = 0; channel <= channels.nr; channel++)
			moved += move_one(&walk, channel);
	} while (moved);
	spin_unlock_irqrestore(&zone->lock, walk.flags);
}

/**
 * channels_order_memory - let channels take turns in all free lists
 *
 * Context: at boot, when all memory is free that will be; may sleep.
 */
void __init channels_order_memory(void)
{
	struct zone *zone;

	for_each_populated_zone(zone)
		channels_order_zone(zone);
}
