// SPDX-License-Identifier: GPL-2.0
/*
 * What page_alloc.shuffle swaps a free block with.
 */
#include <linux/align.h>
#include <linux/mmzone.h>
#include <linux/movable_blocks.h>
#include <linux/random.h>

#include "channels.h"

/* With eight channels, one try in eight finds the right one. */
#define TRIES	64

static unsigned long draw(const struct zone *zone)
{
	unsigned long random = get_random_long();

	if (zone_idx(zone) == ZONE_MOVABLE && movable_blocks_exist())
		return movable_blocks_draw(zone, random);
	return zone->zone_start_pfn + random % zone->spanned_pages;
}

/**
 * shuffle_draw - draw a block to swap a free one with
 * @zone: the zone, which is not empty
 * @pfn:  the first page frame of the free block
 *
 * Where movable blocks leave most of what ZONE_MOVABLE spans to other zones,
 * the draw is from the blocks. Channels keep their turns: a block is swapped
 * with one of its channel.
 *
 * Context: any.
 * Return: the first page frame of a block of the largest order, which may not be
 * free, or not @zone's.
 */
unsigned long shuffle_draw(const struct zone *zone, unsigned long pfn)
{
	unsigned long drawn;
	int tries = TRIES;

	do {
		drawn = ALIGN_DOWN(draw(zone), MAX_ORDER_NR_PAGES);
	} while (channels_differ(drawn, pfn) && --tries);
	return drawn;
}
