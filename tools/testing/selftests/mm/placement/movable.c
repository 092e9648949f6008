// SPDX-License-Identifier: GPL-2.0
/* Movable blocks and memory channels of this machine, see movable.h */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "movable.h"

#define SHUFFLE_FILE "/sys/module/page_alloc/parameters/shuffle"

struct machine machine;

bool machine_read(void)
{
	char list[1024];

	if (geteuid()) {
		machine.missing = "needs root";
		return true;
	}
	if (page_bytes() * TOP_PAGES != TOP_BYTES) {
		machine.missing = "needs pages of 4 KiB";
		return true;
	}
	machine.zones = zones_read(machine.zone, MAX_ZONES);
	machine.memories = memory_blocks_read(machine.memory, MAX_BLOCKS);
	if (ranges_of_boot("movablecore=", &machine.blocks) ||
	    ranges_of_ram(&machine.ram) || machine.zones <= 0)
		return false;
	if (file_read(CHANNELS_FILE, list, sizeof(list)) > 0) {
		if (ranges_parse(list, &machine.channels))
			return false;
		machine.ordered = machine.channels.nr;
	}
	machine.shuffled = file_read(SHUFFLE_FILE, list, sizeof(list)) > 0 &&
			   list[0] == 'Y';
	return true;
}

int channel_of(unsigned long frame)
{
	return ranges_find(&machine.channels, frame * page_bytes());
}

static bool in_block(unsigned long frame)
{
	return ranges_find(&machine.blocks, frame * page_bytes()) <
	       machine.blocks.nr;
}

static bool in_span(const struct zone *zone, unsigned long frame)
{
	return frame >= (unsigned long)zone->start &&
	       frame < (unsigned long)zone->start + zone->spanned;
}

bool zone_has(const struct zone *zone, unsigned long frame)
{
	int i;

	if (!in_span(zone, frame))
		return false;
	if (in_block(frame))
		return zone_is_movable(zone);
	for (i = 0; zone_is_movable(zone) && i < machine.zones; i++)
		if (machine.zone[i].node == zone->node &&
		    !zone_is_movable(&machine.zone[i]) &&
		    in_span(&machine.zone[i], frame))
			return false;
	return true;
}

bool fresh(void)
{
	long long pages = counter("pgalloc_movable") + counter("pgalloc_normal") +
			  counter("pgalloc_dma32"), all = 0;
	int i;

	for (i = 0; i < machine.zones; i++)
		all += machine.zone[i].managed;
	note("%lld pages of %lld were given out since boot", pages, all);
	return pages < all / 8;
}

bool supply_read(const struct zone *zone, struct supply *supply)
{
	unsigned long flags[TOP_PAGES], frame, end = zone->start + zone->spanned;
	int i, free;

	memset(supply, 0, sizeof(*supply));
	for (frame = zone->start & -TOP_PAGES; frame < end; frame += TOP_PAGES) {
		if (!zone_has(zone, frame | (TOP_PAGES - 1)))
			continue;
		if (flags_of_frames(frame, TOP_PAGES, flags))
			return false;
		for (free = i = 0; i < TOP_PAGES; i++)
			free += flags[i] >> KPF_BUDDY & 1;
		if (free == TOP_PAGES)
			supply->top[channel_of(frame)]++;
		else
			supply->loose += free;
	}
	for (i = 0; i <= machine.channels.nr; i++)
		supply->channels += !!supply->top[i];
	return true;
}

void buffer_free(struct buffer *buffer)
{
	area_unmap(&buffer->area);
	free(buffer->frame);
	free(buffer->page);
}

bool buffer_get(struct buffer *buffer, const struct zone *zone, size_t pages)
{
	struct nodeset nodes = nodeset_of(zone->node);
	size_t i;

	buffer->count = 0;
	buffer->frame = malloc(pages * sizeof(*buffer->frame));
	buffer->page = malloc(pages * sizeof(*buffer->page));
	if (!buffer->frame || !buffer->page || area_map(&buffer->area, pages, 1) ||
	    policy_bind(buffer->area.start, buffer->area.len, MPOL_BIND, &nodes, 0))
		return false;
	touch(buffer->area.start, pages, page_bytes());
	if (frames_of_pages(buffer->area.start, pages, buffer->frame))
		return false;
	for (i = 0; i < pages; i++) {
		if (!zone_has(zone, buffer->frame[i]))
			continue;
		buffer->frame[buffer->count] = buffer->frame[i];
		buffer->page[buffer->count++] = i;
	}
	return true;
}

void followers_add(struct followers *followers, const unsigned long *frame, size_t count)
{
	unsigned long last[MAX_RANGES + 1] = {}, block;
	int channel;
	size_t i;

	for (i = 0; i < count; i++) {
		block = frame[i] / TOP_PAGES;
		channel = channel_of(frame[i]);
		if (block == last[channel])
			continue;
		if (last[channel]) {
			followers->found += block == last[channel] + 1;
			followers->blocks++;
		} else {
			followers->lists++;
		}
		last[channel] = block;
	}
}

/*
 * In a list in random order about one block follows the one below it, and about as
 * many are equally far from where their address would put them, whatever the length:
 * these numbers are Poisson's, with a mean of one for each list. More than this follow
 * less than once in ten million boots; more are equally far, be it whichever of some
 * hundred distances, less than once in a million.
 */
static int most_by_chance(int lists)
{
	return 7 + 3 * lists;
}

/* In a list that nobody has shuffled all but the first follow. */
bool followers_tell(const struct followers *followers)
{
	return followers->blocks > 2 * most_by_chance(followers->lists);
}

bool followers_are_many(const struct followers *followers)
{
	note("%d of %d blocks in %d lists follow the one below them", followers->found,
	     followers->blocks, followers->lists);
	return followers->found > most_by_chance(followers->lists);
}

/* For each of @spanned places of a largest block, how many below it are of @zone */
static int *places_by_address(const struct zone *zone, unsigned long first, size_t spanned)
{
	int *place = calloc(spanned, sizeof(*place)), next = 0;
	size_t i;

	for (i = 0; place && i < spanned; i++) {
		place[i] = next;
		next += zone_has(zone, (first + i) * TOP_PAGES) &&
			zone_has(zone, (first + i) * TOP_PAGES + TOP_PAGES - 1);
	}
	return place;
}

bool many_are_in_place(const struct zone *zone, const unsigned long *frame, size_t count)
{
	unsigned long first = zone->start / TOP_PAGES;
	size_t spanned = (zone->start + zone->spanned) / TOP_PAGES + 1 - first, i;
	int *place = places_by_address(zone, first, spanned);
	int *alike = calloc(2 * spanned, sizeof(*alike));
	int seen = 0, most = 0, *here, *same;

	for (i = 0; place && alike && i < count; i++) {
		here = &place[frame[i] / TOP_PAGES - first];
		if (*here < 0)
			continue;
		same = &alike[spanned + *here - seen++];
		*here = -1;
		if (++*same > most)
			most = *same;
	}
	note("node %d, %s: %d of %d blocks are in the place of their address", zone->node,
	     zone->name, most, seen);
	free(place);
	free(alike);
	/* None is for want of memory to look. */
	return !seen || most > most_by_chance(1);
}
