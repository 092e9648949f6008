/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_MOVABLE_BLOCKS_CHANNELS_H
#define _MM_MOVABLE_BLOCKS_CHANNELS_H

/* The order of free lists across memory channels, for the page allocator. */

#include <linux/jump_label.h>
#include <linux/log2.h>
#include <linux/mmzone.h>
#include <linux/types.h>

struct page;

/* Of the largest free blocks */
#define LARGEST_ORDER	ilog2(MAX_ORDER_NR_PAGES)

#ifdef CONFIG_MEMORY_CHANNELS

DECLARE_STATIC_KEY_FALSE(memory_channels_key);

bool channels_to_tail(struct zone *zone, struct page *page, int migratetype);
bool __channels_differ(unsigned long one_pfn, unsigned long other_pfn);
void __channels_order_zone(struct zone *zone);
void channels_order_memory(void);

/**
 * is_channel_order - do free blocks of an order go by their channels?
 * @order: the order
 *
 * Context: any.
 * Return: whether they do.
 */
static inline bool is_channel_order(unsigned int order)
{
	return order == LARGEST_ORDER &&
	       static_branch_unlikely(&memory_channels_key);
}

/**
 * channels_differ - are two page frames behind different channels?
 * @one_pfn:   one of them
 * @other_pfn: the other
 *
 * Context: any.
 * Return: whether they are; false if no channels are known.
 */
static inline bool channels_differ(unsigned long one_pfn,
				   unsigned long other_pfn)
{
	return static_branch_unlikely(&memory_channels_key) &&
	       __channels_differ(one_pfn, other_pfn);
}

/**
 * channels_order_zone - let channels take turns in the free lists of a zone
 * @zone: the zone
 *
 * Context: may sleep; takes the zone's lock.
 */
static inline void channels_order_zone(struct zone *zone)
{
	if (static_branch_unlikely(&memory_channels_key))
		__channels_order_zone(zone);
}

#else

static inline bool is_channel_order(unsigned int order)
{
	return false;
}

static inline bool channels_to_tail(struct zone *zone, struct page *page,
				    int migratetype)
{
	return false;
}

static inline bool channels_differ(unsigned long one_pfn,
				   unsigned long other_pfn)
{
	return false;
}

static inline void channels_order_zone(struct zone *zone) {}
static inline void channels_order_memory(void) {}

#endif /* CONFIG_MEMORY_CHANNELS */

unsigned long shuffle_draw(const struct zone *zone, unsigned long pfn);

#endif /* _MM_MOVABLE_BLOCKS_CHANNELS_H */
