// SPDX-License-Identifier: GPL-2.0
/*
 * movablecore=SIZE@BASE: blocks of memory in ZONE_MOVABLE, at any address.
 *
 * A block is noted when the command line is read, and reserved as soon as
 * memblock knows the memory and what is in it: so nothing is allocated there
 * before there are zones. ZONE_MOVABLE then spans from the first block of a
 * node to its last one, the zones around them span what they always did, and
 * each page frame is absent from all of these zones but its own. The
 * reservation ends when memblock hands its memory to the page allocator.
 *
 * All of this happens while there is one CPU. The blocks do not change after
 * that, and are read without a lock.
 */
#define pr_fmt(fmt) "movablecore: " fmt

#include <linux/array_size.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/limits.h>
#include <linux/memblock.h>
#include <linux/memory_hotplug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/movable_blocks.h>
#include <linux/pfn.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "../internal.h"
#include "ranges.h"

/* The kernel keeps at least one part of the memory in so many. */
#define KERNEL_PART	8

/* What the command line says, each time that movablecore= stands there */
static char *values[MEMORY_RANGES_MAX] __initdata;
static struct memory_ranges blocks __ro_after_init;
/* How many of them there are; inline functions read it */
unsigned int nr_movable_blocks __ro_after_init;
/* For each node, from where on all of it is movable, or 0 */
static unsigned long *movable_pfns __initdata;

/**
 * movable_blocks_parse - take movablecore= if it names blocks
 * @text: its value, or NULL; stays as long as the kernel boots
 *
 * Context: early in boot.
 * Return: whether it names blocks.
 */
bool __init movable_blocks_parse(char *text)
{
	unsigned int i;

	if (!text || !strchr(text, '@'))
		return false;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		if (!values[i]) {
			values[i] = text;
			return true;
		}
	}
	pr_warn("%s is left out: it is given too often\n", text);
	return true;
}

/* Memory that the kernel can use, of all nodes, from @start to @end, in pages */
static unsigned long __init memory_of(unsigned long start, unsigned long end)
{
	phys_addr_t from, to;
	unsigned long first, last, pages = 0;
	u64 i;

	for_each_mem_range(i, &from, &to) {
		first = max_t(unsigned long, PFN_UP(from), start);
		last = min_t(unsigned long, PFN_DOWN(to), end);
		if (first < last)
			pages += last - first;
	}
	return pages;
}

/* Reserves a block, or says why not. */
static const char * __init reserve(const struct memory_range *block)
{
	unsigned long pages = block->end - block->start;
	phys_addr_t base = PFN_PHYS(block->start);
	unsigned long all = memory_of(0, ULONG_MAX);
	phys_addr_t size = PFN_PHYS(pages);

	if (mirrored_kernelcore)
		return "kernelcore=mirror says what is movable";
	if (memory_of(block->start, block->end) != pages)
		return "not all of it is memory";
	if (memblock_is_region_reserved(base, size))
		return "something is there already, as the kernel or an initial RAM disk";
	if (memory_ranges_pages(&blocks, 0, ULONG_MAX) + pages >
	    all - all / KERNEL_PART)
		return "too little memory would be left for the kernel";
	if (memblock_reserve(base, size))
		return "memblock has no room";
	pr_info("[mem %#018llx-%#018llx] is movable\n", (u64)base,
		(u64)base + size - 1);
	return NULL;
}

/**
 * movable_blocks_reserve - keep early allocations out of the blocks
 *
 * Blocks that cannot be are left out, with a line in the log.
 *
 * Context: memblock knows all memory, what the firmware, the boot loader and
 * the kernel itself have there, and nothing has been allocated yet.
 */
void __init movable_blocks_reserve(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values) && values[i]; i++)
		memory_ranges_read(&blocks, "movablecore", values[i], reserve);
	nr_movable_blocks = blocks.nr;
}

/**
 * movable_blocks_release - give the blocks to the page allocator
 *
 * Context: memblock is about to give it all that is not reserved; the zones
 * and the memory map are complete.
 */
void __init movable_blocks_release(void)
{
	struct memory_range *block;

	for (block = blocks.range; block < blocks.range + blocks.nr; block++)
		memblock_phys_free(PFN_PHYS(block->start),
				   PFN_PHYS(block->end - block->start));
}

/**
 * movable_blocks_hold - are all of some page frames in blocks?
 * @start_pfn: the first page frame
 * @nr_pages:  how many
 *
 * Context: any.
 * Return: whether they are.
 */
bool movable_blocks_hold(unsigned long start_pfn, unsigned long nr_pages)
{
	return memory_ranges_hold(&blocks, start_pfn, start_pfn + nr_pages);
}

/**
 * movable_blocks_draw - take a page frame that is likely to be in ZONE_MOVABLE
 * @zone:   ZONE_MOVABLE of a node
 * @random: a random number
 *
 * Context: any.
 * Return: a page frame that @zone spans. All that are in blocks are equally
 * likely; so are all others, if memory at the end of the node is movable.
 */
unsigned long movable_blocks_draw(const struct zone *zone, unsigned long random)
{
	unsigned long end = zone_end_pfn(zone);
	unsigned long held = memory_ranges_pages(&blocks, zone->zone_start_pfn,
						 end);

	random %= max(zone->present_pages, held);
	if (random < held)
		return memory_ranges_nth(&blocks, zone->zone_start_pfn, end,
					 random);
	return end - 1 - (random - held);
}

/**
 * movable_blocks_apart - does a zone span page frames, but has none of them?
 * @zone:      the zone
 * @start_pfn: the first page frame; all of them are online
 * @nr_pages:  how many
 *
 * Context: the memory map is complete; memory does not go offline.
 * Return: whether it does; false if there are no blocks.
 */
bool movable_blocks_apart(struct zone *zone, unsigned long start_pfn,
			  unsigned long nr_pages)
{
	unsigned long pfn;
	struct page *page;

	if (!blocks.nr)
		return false;
	for (pfn = start_pfn; pfn < start_pfn + nr_pages;
	     pfn += MAX_ORDER_NR_PAGES) {
		page = pfn_to_online_page(pfn);
		if (page && page_zone(page) == zone)
			return false;
	}
	return true;
}

/**
 * movable_blocks_share - let blocks count as what they are
 * @kernelcore:  pages that kernelcore= asks for, 0 if it does not
 * @movablecore: pages that movablecore= asks for, 0 if it does not
 *
 * ZONE_MOVABLE is at the end of the nodes for what is not in blocks, and that
 * end is found by counting all memory from the beginning as the kernel's.
 *
 * Context: before that end is looked for.
 */
void __init movable_blocks_share(unsigned long *kernelcore,
				 unsigned long *movablecore)
{
	unsigned long pages = memory_ranges_pages(&blocks, 0, ULONG_MAX);

	*movablecore -= min(*movablecore, pages);
	if (*kernelcore)
		*kernelcore += pages;
}

/**
 * movable_blocks_beside - tell of movable memory that is not in blocks
 * @pfns: for each node, from where on all of it is movable, or 0; they stay
 *        until the memory map is made
 *
 * Context: before zones are sized.
 */
void __init movable_blocks_beside(unsigned long *pfns)
{
	movable_pfns = pfns;
}

/* Makes what ZONE_MOVABLE spans on a node reach to all blocks there. */
static void __init stretch(int nid, unsigned long *start_pfn,
			   unsigned long *end_pfn)
{
	unsigned long start, end, pages, first, last;
	int i;

	for_each_mem_pfn_range(i, nid, &start, &end, NULL) {
		pages = memory_ranges_pages(&blocks, start, end);
		if (!pages)
			continue;
		first = memory_ranges_nth(&blocks, start, end, 0);
		last = memory_ranges_nth(&blocks, start, end, pages - 1);
		if (*start_pfn >= *end_pfn)
			*start_pfn = first;
		*start_pfn = min(*start_pfn, first);
		*end_pfn = max(*end_pfn, last + 1);
	}
}

/* Page frames of a node's memory from @from to @to; in *@taken those in blocks */
static unsigned long __init memory_of_node(int nid, unsigned long from,
					   unsigned long to,
					   unsigned long *taken)
{
	unsigned long start, end, pages = 0;
	int i;

	*taken = 0;
	for_each_mem_pfn_range(i, nid, &start, &end, NULL) {
		start = clamp(start, from, to);
		end = clamp(end, from, to);
		pages += end - start;
		*taken += memory_ranges_pages(&blocks, start, end);
	}
	return pages;
}

/**
 * movable_blocks_zone_range - what a zone of a node spans
 * @nid:       the node
 * @type:      the zone
 * @start_pfn: its first page frame without blocks
 * @end_pfn:   the one behind its last; not behind @start_pfn if it is empty
 *
 * ZONE_MOVABLE is made to span the blocks as well; another zone of which blocks
 * have taken all memory is made to span nothing.
 *
 * Context: while zones are sized.
 */
void __init movable_blocks_zone_range(int nid, enum zone_type type,
				      unsigned long *start_pfn,
				      unsigned long *end_pfn)
{
	unsigned long pages, taken;

	if (!blocks.nr)
		return;
	if (type == ZONE_MOVABLE) {
		stretch(nid, start_pfn, end_pfn);
	} else if (*start_pfn < *end_pfn) {
		pages = memory_of_node(nid, *start_pfn, *end_pfn, &taken);
		if (taken && taken == pages)
			*end_pfn = *start_pfn;
	}
}

/**
 * movable_blocks_absent - memory that a zone spans, but does not have
 * @nid:       the node
 * @type:      the zone
 * @start_pfn: the first page frame that it spans
 * @end_pfn:   the one behind the last
 *
 * Context: while zones are sized.
 * Return: how much there is because of blocks, in pages.
 */
unsigned long __init movable_blocks_absent(int nid, enum zone_type type,
					   unsigned long start_pfn,
					   unsigned long end_pfn)
{
	unsigned long pages, taken;

	if (!blocks.nr || start_pfn >= end_pfn)
		return 0;
	if (type == ZONE_MOVABLE && movable_pfns[nid])
		end_pfn = clamp(movable_pfns[nid], start_pfn, end_pfn);
	pages = memory_of_node(nid, start_pfn, end_pfn, &taken);
	return type == ZONE_MOVABLE ? pages - taken : taken;
}

/**
 * __movable_blocks_skip - pass by page frames that a zone spans, but does not have
 * @nid:  the node
 * @type: the zone
 * @pfn:  a page frame that the zone spans; moved on to the next that may be the
 *        zone's
 *
 * Context: while the memory map is made at boot, never after it; there are
 *          blocks.
 * Return: whether @pfn was moved.
 */
bool __ref __movable_blocks_skip(int nid, enum zone_type type,
				 unsigned long *pfn)
{
	unsigned long next = *pfn;
	unsigned int i;

	if (type != ZONE_MOVABLE) {
		next = memory_ranges_next(&blocks, blocks.nr, *pfn);
	} else if (!movable_pfns[nid] || *pfn < movable_pfns[nid]) {
		next = movable_pfns[nid] ?: ULONG_MAX;
		for (i = 0; i < blocks.nr; i++)
			next = min(next, memory_ranges_next(&blocks, i, *pfn));
	}
	if (next == *pfn)
		return false;
	*pfn = next;
	return true;
}
