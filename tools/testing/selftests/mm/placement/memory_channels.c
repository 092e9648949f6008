// SPDX-License-Identifier: GPL-2.0
/*
 * movablecore=SIZE@BASE and page_alloc.channels=, as a user can see them: what
 * the zones have, what is in the blocks, and how much of a buffer each channel
 * has.
 *
 * The cases run in this order, as those of the free lists need a machine that
 * has not given out and taken back much memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cases.h"
#include "physical.h"
#include "promotion.h"

#define CHANNELS_FILE "/sys/module/page_alloc/parameters/channels"
#define SHUFFLE_FILE "/sys/module/page_alloc/parameters/shuffle"
#define GIGANTIC_FILE "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"

#define TOP_PAGES 1024
#define WINDOW_PAGES (16 * TOP_PAGES)
/* More of them say no more, and the host has to have the memory */
#define MOST_WINDOWS 8
/* Free blocks that other users of the memory may have taken in between */
#define SPARE_BLOCKS 2

/* arm64 lets go of memory only that came after boot. */
#ifdef __aarch64__
#define BOOT_MEMORY_STAYS true
#else
#define BOOT_MEMORY_STAYS false
#endif

struct machine {
	struct ranges blocks;
	struct ranges channels;
	struct ranges ram;
	struct zone zone[MAX_ZONES];
	int zones;
	struct memory_block memory[MAX_BLOCKS];
	int memories;
	bool ordered;
	bool shuffled;
	const char *missing;
};

static struct machine machine;

static bool machine_read(void)
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

/* Is the end of each node movable as well, or all memory that may go? */
static bool plain_movable(void)
{
	char line[8192];
	char *word;

	if (file_read("/proc/cmdline", line, sizeof(line)) < 0)
		return true;
	line[strcspn(line, "\n")] = '\0';
	if (strstr(line, "kernelcore=") || strstr(line, "movable_node"))
		return true;
	for (word = strtok(line, " "); word; word = strtok(NULL, " "))
		if (!strncmp(word, "movablecore=", 12) && !strchr(word, '@'))
			return true;
	return false;
}

static int channel_of(unsigned long frame)
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

/* A zone spans page frames of ZONE_MOVABLE, and the other way round */
static bool zone_has(const struct zone *zone, unsigned long frame)
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

static int node_of(unsigned long address)
{
	int i;

	for (i = 0; i < machine.memories; i++)
		if (address >= machine.memory[i].start &&
		    address < machine.memory[i].end)
			return machine.memory[i].node;
	return -1;
}

FIXTURE(channels)
{
	const char *missing;
};

FIXTURE_SETUP(channels)
{
	ASSERT_TRUE(machine_read());
	ASSERT_TRUE(is_there(CHANNELS_FILE));
	self->missing = machine.missing;
	if (!self->missing && !machine.ordered)
		self->missing = "needs page_alloc.channels=SIZE@BASE";
}

FIXTURE_TEARDOWN(channels)
{
}

FIXTURE(blocks)
{
	const char *missing;
};

FIXTURE_SETUP(blocks)
{
	ASSERT_TRUE(machine_read());
	self->missing = machine.missing;
	if (!self->missing && !machine.blocks.nr)
		self->missing = "needs movablecore=SIZE@BASE";
}

FIXTURE_TEARDOWN(blocks)
{
}

/* What is free of a zone: its largest blocks, by channel, and smaller ones */
struct supply {
	int channels;
	long top[MAX_RANGES + 1];
	long loose;
};

static bool supply_read(const struct zone *zone, struct supply *supply)
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

/* Pages of a zone in the order in which a process got them */
struct buffer {
	struct area area;
	unsigned long *frame;
	/* Which page of the area each of them is */
	size_t *page;
	size_t count;
};

static void buffer_free(struct buffer *buffer)
{
	area_unmap(&buffer->area);
	free(buffer->frame);
	free(buffer->page);
}

/* Touches @pages of @node and leaves out those that @zone has not */
static bool buffer_get(struct buffer *buffer, const struct zone *zone,
		       size_t pages)
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

/* Free pages of the zones of a node that users get before those of @zone */
static long free_before(const struct zone *zone)
{
	const struct zone *other;
	long pages = 0;

	for (other = zone + 1; other < machine.zone + machine.zones; other++)
		if (other->node == zone->node)
			pages += other->free;
	return pages;
}

/*
 * How many windows can be had from the largest blocks of @zone while all
 * channels last; in @drain what comes before them.
 */
static int windows_of(const struct zone *zone, const struct supply *supply,
		      long *drain)
{
	long least = zone->present, usable;
	int i, windows;

	if (supply->channels < 2)
		return 0;
	for (i = 0; i <= machine.channels.nr; i++)
		if (supply->top[i] && supply->top[i] < least)
			least = supply->top[i];
	*drain = supply->loose + zone->cached + TOP_PAGES;
	usable = zone->free - 2 * zone->high - *drain;
	least = (least - SPARE_BLOCKS) * supply->channels * TOP_PAGES;
	windows = (least < usable ? least : usable) / WINDOW_PAGES;
	return windows < MOST_WINDOWS ? windows : MOST_WINDOWS;
}

/* Each channel that the zone has is within one block of its even share */
static bool even(const struct zone *zone, const struct supply *supply,
		 const unsigned long *frame, const char *what)
{
	long pages[MAX_RANGES + 1] = {}, apart;
	bool good = true;
	int i;

	for (i = 0; i < WINDOW_PAGES; i++)
		pages[channel_of(frame[i])]++;
	for (i = 0; i <= machine.channels.nr; i++) {
		if (!supply->top[i] && !pages[i])
			continue;
		apart = labs(pages[i] * supply->channels - WINDOW_PAGES);
		if (apart <= (long)TOP_PAGES * supply->channels)
			continue;
		note("node %d, %s, %s: channel %d has %ld of %d pages", zone->node,
		     zone->name, what, i, pages[i], WINDOW_PAGES);
		good = false;
	}
	return good;
}

static size_t longest_run(const unsigned long *frame, size_t count)
{
	size_t run = 0, longest = 0, i;

	for (i = 0; i < count; i++) {
		run = i && channel_of(frame[i]) == channel_of(frame[i - 1]) ? run + 1 : 1;
		if (run > longest)
			longest = run;
	}
	return longest;
}

/* How many blocks come after the one below them in memory, of all of their channel */
static int followers(const unsigned long *frame, size_t count, int *blocks)
{
	unsigned long last[MAX_RANGES + 1] = {}, block;
	int found = 0, channel;
	size_t i;

	for (i = 0; i < count; i++) {
		block = frame[i] / TOP_PAGES;
		channel = channel_of(frame[i]);
		if (block == last[channel])
			continue;
		if (last[channel]) {
			found += block == last[channel] + 1;
			++*blocks;
		}
		last[channel] = block;
	}
	return found;
}

/* About one does by chance; a third or more do where few draws hit */
#define MOST_FOLLOWERS 8
#define LEAST_BLOCKS 48

/* The largest blocks that are in a buffer as a whole, by channel */
struct owned {
	unsigned long *block[MAX_RANGES + 1];
	size_t count[MAX_RANGES + 1];
};

static int by_value(const void *a, const void *b)
{
	unsigned long one = *(const unsigned long *)a, other = *(const unsigned long *)b;

	return (one > other) - (one < other);
}

static bool owned_find(struct owned *owned, const struct buffer *buffer)
{
	unsigned long *sorted = malloc(buffer->count * sizeof(*sorted));
	size_t i, j;
	int channel;

	memset(owned, 0, sizeof(*owned));
	if (!sorted)
		return false;
	memcpy(sorted, buffer->frame, buffer->count * sizeof(*sorted));
	qsort(sorted, buffer->count, sizeof(*sorted), by_value);
	for (i = 0; i + TOP_PAGES <= buffer->count; i = j) {
		for (j = i + 1; j < buffer->count && sorted[j] == sorted[i] + j - i; j++)
			if (j - i == TOP_PAGES)
				break;
		if (sorted[i] % TOP_PAGES) {
			j = i + 1;
			continue;
		}
		if (j - i < TOP_PAGES)
			continue;
		channel = channel_of(sorted[i]);
		if (!owned->block[channel])
			owned->block[channel] = calloc(buffer->count / TOP_PAGES,
						       sizeof(*sorted));
		if (!owned->block[channel])
			return false;
		owned->block[channel][owned->count[channel]++] = sorted[i];
	}
	free(sorted);
	return true;
}

static void owned_free(struct owned *owned)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(owned->block); i++)
		free(owned->block[i]);
}

/* Gives the pages of one block back */
static void release(const struct buffer *buffer, unsigned long block)
{
	char *start = buffer->area.start;
	size_t i;

	for (i = 0; i < buffer->count; i++)
		if (buffer->frame[i] / TOP_PAGES == block / TOP_PAGES)
			madvise(start + buffer->page[i] * page_bytes(), page_bytes(),
				MADV_DONTNEED);
}

/*
 * Gives back two blocks of one channel, two of another one, and so on. One of
 * each two goes to the head of the list, so that half of them come in turns.
 */
static bool turns_after_release(const struct zone *zone,
				const struct buffer *buffer)
{
	int one = -1, other = -1, zones, c;
	struct zone now[MAX_ZONES];
	struct buffer again;
	struct owned owned;
	size_t pairs, run, skip, i;
	bool good;

	if (!owned_find(&owned, buffer))
		return false;
	for (c = 0; c <= machine.channels.nr; c++) {
		if (one < 0 || owned.count[c] > owned.count[one]) {
			other = one;
			one = c;
		} else if (other < 0 || owned.count[c] > owned.count[other]) {
			other = c;
		}
	}
	pairs = owned.count[other] / 2;
	for (i = 0; i < 2 * pairs; i += 2) {
		release(buffer, owned.block[one][i]);
		release(buffer, owned.block[one][i + 1]);
		release(buffer, owned.block[other][i]);
		release(buffer, owned.block[other][i + 1]);
	}
	owned_free(&owned);
	if (pairs < 4) {
		note("node %d, %s: no more than %zu pairs of blocks", zone->node,
		     zone->name, pairs);
		return false;
	}
	zones = zones_read(now, MAX_ZONES);
	/* What the CPUs have comes first, and two blocks that may be in pieces */
	skip = zone_find(now, zones, zone->node, zone->name)->cached + 2 * TOP_PAGES;
	good = buffer_get(&again, zone, 2 * pairs * TOP_PAGES);
	if (good && again.count < skip + 8 * TOP_PAGES) {
		note("node %d, %s: %zu pages say nothing", zone->node, zone->name,
		     again.count);
		good = false;
	}
	if (good) {
		run = longest_run(again.frame + skip, again.count - skip - 2 * TOP_PAGES);
		good = run <= 3 * TOP_PAGES / 2;
		note("node %d, %s: after %zu pairs the longest run is %zu pages",
		     zone->node, zone->name, pairs, run);
	}
	buffer_free(&again);
	return good;
}

/*
 * Buffers of @zone are even; -1 if not, else how many windows there were. With
 * @released also after some of the memory was given back.
 */
static int even_windows(const struct zone *zone, bool released)
{
	struct supply supply;
	struct buffer buffer;
	int windows, bad = 0, blocks = 0, follow, i;
	char what[64];
	long drain = 0;

	if (!supply_read(zone, &supply))
		return -1;
	windows = windows_of(zone, &supply, &drain);
	if (windows < 1)
		return 0;
	if (!buffer_get(&buffer, zone,
			free_before(zone) + drain + windows * WINDOW_PAGES)) {
		buffer_free(&buffer);
		return -1;
	}
	if (buffer.count < (size_t)drain + windows * WINDOW_PAGES)
		windows = ((long)buffer.count - drain) / WINDOW_PAGES;
	for (i = 0; i < windows; i++) {
		snprintf(what, sizeof(what), "window %d of %d", i, windows);
		bad += !even(zone, &supply, buffer.frame + drain + i * WINDOW_PAGES, what);
	}
	if (machine.shuffled && windows > 0) {
		follow = followers(buffer.frame + drain, windows * WINDOW_PAGES, &blocks);
		note("%d of %d blocks follow the one below them", follow, blocks);
		bad += blocks >= LEAST_BLOCKS && follow > MOST_FOLLOWERS;
	}
	if (released && windows > 1)
		bad += !turns_after_release(zone, &buffer);
	note("node %d, %s: %d channels, %d windows, the longest run is %zu pages",
	     zone->node, zone->name, supply.channels, windows,
	     longest_run(buffer.frame + drain, buffer.count - drain));
	buffer_free(&buffer);
	return bad ? -1 : windows;
}

static bool fresh(void)
{
	long long pages = counter("pgalloc_movable") + counter("pgalloc_normal") +
			  counter("pgalloc_dma32"), all = 0;
	int i;

	for (i = 0; i < machine.zones; i++)
		all += machine.zone[i].managed;
	note("%lld pages of %lld were given out since boot", pages, all);
	return pages < all / 8;
}

/* The file has just what was asked for, as it will be taken */
TEST_F(channels, file)
{
	char text[1024], want[1024] = "", *end = want;
	struct ranges asked;
	struct stat status;
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, stat(CHANNELS_FILE, &status));
	EXPECT_EQ(0400, status.st_mode & 07777);
	ASSERT_LT(0, file_read(CHANNELS_FILE, text, sizeof(text)));
	ASSERT_EQ(0, ranges_of_boot("page_alloc.channels=", &asked));
	for (i = 0; i < asked.nr; i++)
		end += sprintf(end, "%s0x%lx@0x%lx", i ? "," : "",
			       (asked.range[i].end - asked.range[i].start),
			       asked.range[i].start);
	sprintf(end, "\n");
	EXPECT_STREQ(want, text);
}

TEST_F_TIMEOUT(channels, even_on_a_fresh_boot, PATIENT_TIMEOUT)
{
	int i, windows, all = 0, bad = 0;
	struct nodeset cpus;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!fresh())
		SKIP(return, "needs a fresh boot");
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpus));
	ASSERT_EQ(0, stay_on(nodeset_nth(&cpus, 0)));
	/* The lists of those that are used last are not touched by the others' tests */
	for (i = machine.zones; i-- > 0;) {
		windows = even_windows(&machine.zone[i], true);
		EXPECT_LE(0, windows);
		if (windows > 0)
			all += windows;
		bad += windows < 0;
		machine.zones = zones_read(machine.zone, MAX_ZONES);
	}
	if (!all && !bad)
		SKIP(return, "needs a zone with much of two channels");
}

/* Memory that comes is put in turns with what is there */
TEST_F_TIMEOUT(channels, even_after_memory_comes, PATIENT_TIMEOUT)
{
	struct machine before;
	const struct zone *zone;
	int i, node = -1, come = 0, rounds = 0, left;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	before = machine;
	for (i = 0; i < machine.memories; i++) {
		if (machine.memory[i].online ||
		    (come && machine.memory[i].node != node))
			continue;
		node = machine.memory[i].node;
		ASSERT_EQ(0, memory_block_write(&machine.memory[i], "online_movable"));
		come++;
	}
	if (!come)
		SKIP(return, "needs memory that is offline");
	EXPECT_TRUE(machine_read());
	zone = zone_find(machine.zone, machine.zones, node, "Movable");
	EXPECT_NE(NULL, zone);
	if (zone)
		EXPECT_LT(0, even_windows(zone, false));

	do {
		for (left = i = 0; i < before.memories; i++)
			if (!before.memory[i].online && before.memory[i].node == node &&
			    memory_block_write(&before.memory[i], "offline") == -EBUSY)
				left++;
	} while (left && settle(&rounds));
	EXPECT_EQ(0, left);
}

/* Free lists in random order; with channels that is tested with their shares */
TEST_F_TIMEOUT(blocks, are_shuffled, PATIENT_TIMEOUT)
{
	int i, blocks = 0, follow = 0;
	struct supply supply;
	struct buffer buffer;
	const struct zone *zone;
	long drain;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!machine.shuffled || machine.ordered)
		SKIP(return, "needs page_alloc.shuffle=1 without channels");
	if (!fresh())
		SKIP(return, "needs a fresh boot");
	for (i = 0; i < machine.zones; i++) {
		zone = &machine.zone[i];
		if (!zone_is_movable(zone))
			continue;
		ASSERT_TRUE(supply_read(zone, &supply));
		drain = supply.loose + zone->cached + TOP_PAGES;
		if (zone->free - 2 * zone->high < drain)
			continue;
		ASSERT_TRUE(buffer_get(&buffer, zone, zone->free - 2 * zone->high));
		follow += followers(buffer.frame + drain, buffer.count - drain, &blocks);
		buffer_free(&buffer);
	}
	note("%d of %d blocks follow the one below them", follow, blocks);
	if (blocks < LEAST_BLOCKS)
		SKIP(return, "needs larger blocks");
	EXPECT_GE(MOST_FOLLOWERS, follow);
}

/* A zone has the memory that it spans, but for what is in blocks */
TEST_F(blocks, zones)
{
	unsigned long bytes, start, end, total = 0, present = 0;
	int i, j;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (plain_movable())
		SKIP(return, "more than the blocks is movable");
	for (i = 0; i < machine.zones; i++) {
		const struct zone *zone = &machine.zone[i];

		bytes = 0;
		for (j = 0; j < machine.memories; j++) {
			const struct memory_block *memory = &machine.memory[j];

			if (!memory->online || memory->node != zone->node)
				continue;
			start = (unsigned long)zone->start * page_bytes();
			end = start + (unsigned long)zone->spanned * page_bytes();
			start = start > memory->start ? start : memory->start;
			end = end < memory->end ? end : memory->end;
			if (start >= end)
				continue;
			if (zone_is_movable(zone))
				bytes += ranges_within(&machine.blocks, start, end);
			else
				bytes += ranges_within(&machine.ram, start, end) -
					 ranges_within(&machine.blocks, start, end);
		}
		EXPECT_EQ(bytes, (unsigned long)zone->present * page_bytes()) {
			TH_LOG("node %d, %s", zone->node, zone->name);
		}
		EXPECT_LE(zone->managed, zone->present);
		EXPECT_LE(zone->present, zone->spanned);
		EXPECT_LE(zone->free, zone->managed);
		present += zone->present * page_bytes();
	}
	for (j = 0; j < machine.memories; j++)
		if (machine.memory[j].online)
			total += ranges_within(&machine.ram, machine.memory[j].start,
					       machine.memory[j].end);
	EXPECT_EQ(total, present);
}

/* ZONE_MOVABLE of a node reaches from its first block to its last one */
TEST_F(blocks, movable_zones)
{
	unsigned long first[MAX_NODES] = {}, last[MAX_NODES] = {}, held[MAX_NODES] = {};
	unsigned long start, end, address;
	int i, node, movable = 0;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (plain_movable())
		SKIP(return, "more than the blocks is movable");
	for (i = 0; i < machine.blocks.nr; i++) {
		start = machine.blocks.range[i].start;
		end = machine.blocks.range[i].end;
		for (address = start; address < end; address += TOP_BYTES) {
			node = node_of(address);
			ASSERT_LE(0, node) {
				TH_LOG("memory at %#lx is of two nodes",
				       address);
			}
			if (!held[node] || address < first[node])
				first[node] = address;
			if (address + TOP_BYTES > last[node])
				last[node] = address + TOP_BYTES;
			held[node] += TOP_BYTES;
		}
	}
	for (node = 0; node < MAX_NODES; node++) {
		const struct zone *zone = zone_find(machine.zone, machine.zones, node,
						    "Movable");

		if (!held[node]) {
			EXPECT_EQ(NULL, zone);
			continue;
		}
		ASSERT_NE(NULL, zone);
		EXPECT_EQ(first[node], zone->start * page_bytes());
		EXPECT_EQ(last[node] - first[node], zone->spanned * page_bytes());
		EXPECT_EQ(held[node], zone->present * page_bytes());
		EXPECT_EQ(zone->present, zone->managed);
		movable++;
	}
	EXPECT_LT(0, movable);
}

/* As much as the blocks have is in them, and what is more elsewhere */
TEST_F_TIMEOUT(blocks, fill_first, PATIENT_TIMEOUT)
{
	const struct zone *zone;
	struct buffer buffer;
	size_t pages, more;
	int i, tried = 0;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	for (i = 0; i < machine.zones; i++) {
		machine.zones = zones_read(machine.zone, MAX_ZONES);
		zone = &machine.zone[i];
		if (!zone_is_movable(zone) || zone->free < 4 * zone->high)
			continue;
		pages = zone->free - 2 * zone->high;
		ASSERT_TRUE(buffer_get(&buffer, zone, pages));
		EXPECT_EQ(pages, buffer.count);
		buffer_free(&buffer);

		/* The zones below have to have them */
		more = zone->free + 2 * TOP_PAGES;
		if (node_free_pages(zone->node) > (long)more + 16 * TOP_PAGES) {
			ASSERT_TRUE(buffer_get(&buffer, zone, more));
			EXPECT_LE(pages, buffer.count);
			EXPECT_GE(zone->managed, (long)buffer.count);
			EXPECT_LT(buffer.count, more);
			buffer_free(&buffer);
		}
		tried++;
	}
	EXPECT_LT(0, tried);
}

static const unsigned long kernel_flags = 1UL << KPF_SLAB | 1UL << KPF_PGTABLE |
					  1UL << KPF_RESERVED | 1UL << KPF_NOPAGE;

static long frames_with(unsigned long start, unsigned long end, unsigned long mask)
{
	unsigned long flags[TOP_PAGES], frame = start / page_bytes();
	long found = 0;
	size_t i;

	for (; frame < end / page_bytes(); frame += TOP_PAGES) {
		if (flags_of_frames(frame, TOP_PAGES, flags))
			return -1;
		for (i = 0; i < TOP_PAGES; i++)
			found += !!(flags[i] & mask);
	}
	return found;
}

/* Page tables of many sparse pages, and files, which have inodes and names */
static int use_kernel_memory(char *map, size_t len)
{
	char name[64];
	size_t i;
	int fd;

	for (i = 0; i < len; i += HUGE_BYTES)
		map[i] = 1;
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "/dev/shm/memory_channels.%zu", i);
		fd = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		close(fd);
	}
	return 0;
}

static void release_kernel_memory(char *map, size_t len)
{
	char name[64];
	int i;

	munmap(map, len);
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "/dev/shm/memory_channels.%d", i);
		unlink(name);
	}
}

TEST_F_TIMEOUT(blocks, have_no_kernel_memory, PATIENT_TIMEOUT)
{
	const size_t len = 4UL << 30;
	long outside = 0, all;
	struct range *range;
	char *map;
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	map = mmap(NULL, len, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	madvise(map, len, MADV_NOHUGEPAGE);
	EXPECT_EQ(0, use_kernel_memory(map, len));
	for (i = 0; i < machine.blocks.nr; i++) {
		range = &machine.blocks.range[i];
		EXPECT_EQ(0, frames_with(range->start, range->end, kernel_flags)) {
			TH_LOG("in the block at %#lx", range->start);
		}
	}
	/* They can be seen where they are */
	for (i = 0; i < machine.ram.nr; i++) {
		range = &machine.ram.range[i];
		all = frames_with(range->start, range->end, kernel_flags);
		EXPECT_LE(0, all);
		outside += all;
	}
	EXPECT_LT((long)(len / HUGE_BYTES), outside);
	release_kernel_memory(map, len);
}

/* Gigantic pages do not move, so none of them is in a block, in whole or in part */
TEST_F_TIMEOUT(blocks, have_no_gigantic_pages, PATIENT_TIMEOUT)
{
	struct zone before[MAX_ZONES];
	long long old, got;
	struct range *range;
	int i, zones;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	old = file_number(GIGANTIC_FILE);
	if (old < 0)
		SKIP(return, "no gigantic pages on this machine");
	zones = zones_read(before, MAX_ZONES);
	/* More than there can be */
	ASSERT_EQ(0, file_print(GIGANTIC_FILE, "%d", 64));
	got = file_number(GIGANTIC_FILE);
	note("%lld gigantic pages", got);
	EXPECT_LE(old, got);
	EXPECT_GT(64, got);
	for (i = 0; i < machine.blocks.nr; i++) {
		range = &machine.blocks.range[i];
		EXPECT_EQ(0, frames_with(range->start, range->end, 1UL << KPF_HUGE));
	}
	ASSERT_EQ(0, file_print(GIGANTIC_FILE, "%lld", old));
	EXPECT_EQ(old, file_number(GIGANTIC_FILE));
	machine.zones = zones_read(machine.zone, MAX_ZONES);
	ASSERT_EQ(zones, machine.zones);
	for (i = 0; i < zones; i++) {
		EXPECT_EQ(before[i].present, machine.zone[i].present);
		EXPECT_EQ(before[i].managed, machine.zone[i].managed);
	}
}

/* Memory blocks are of the zone that has their memory */
TEST_F(blocks, zones_of_memory_blocks)
{
	unsigned long held, has;
	char zones[64];
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!machine.memories)
		SKIP(return, "needs memory hotplug");
	if (plain_movable())
		SKIP(return, "more than the blocks is movable");
	for (i = 0; i < machine.memories; i++) {
		const struct memory_block *memory = &machine.memory[i];

		if (!memory->online)
			continue;
		ASSERT_EQ(0, memory_block_zones(memory, zones, sizeof(zones)));
		held = ranges_within(&machine.blocks, memory->start, memory->end);
		has = ranges_within(&machine.ram, memory->start, memory->end);
		if (memory->node >= 0 && held == has) {
			EXPECT_STREQ("Movable", zones) {
				TH_LOG("memory%d", memory->id);
			}
		} else if (memory->node < 0 || held) {
			EXPECT_STREQ("none", zones) {
				TH_LOG("memory%d", memory->id);
			}
		} else if (memory->start) {
			/* The first one has parts of two zones */
			EXPECT_STRNE("Movable", zones) {
				TH_LOG("memory%d", memory->id);
			}
			EXPECT_STRNE("none", zones) {
				TH_LOG("memory%d", memory->id);
			}
		}
	}
}

/* Goes offline, in spite of pages that are there only for a while */
static int take_offline(const struct memory_block *memory)
{
	int ret, rounds = 0;

	do {
		ret = memory_block_write(memory, "offline");
	} while (ret == -EBUSY && settle(&rounds));
	return ret;
}

/* What is movable goes, with what users have there, and comes back as it was */
TEST_F_TIMEOUT(blocks, go_offline_and_come_back, PATIENT_TIMEOUT)
{
	struct zone before[MAX_ZONES];
	int i, j, zones, gone = 0, mixed = 0;
	struct buffer buffer;
	char text[64];

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!machine.memories)
		SKIP(return, "needs memory hotplug");
	if (BOOT_MEMORY_STAYS)
		SKIP(return, "what was there at boot stays online on this architecture");
	zones = zones_read(before, MAX_ZONES);
	for (i = 0; i < machine.memories; i++) {
		const struct memory_block *memory = &machine.memory[i];
		unsigned long held = ranges_within(&machine.blocks, memory->start,
					      memory->end);
		const struct zone *zone;
		unsigned long bytes = memory->end - memory->start;

		if (!memory->online || !held)
			continue;
		if (held != bytes || memory->node < 0) {
			/* Not all of it could go */
			EXPECT_EQ(-EINVAL, memory_block_write(memory, "offline"));
			mixed++;
			continue;
		}
		machine.zones = zones_read(machine.zone, MAX_ZONES);
		zone = zone_find(machine.zone, machine.zones, memory->node, "Movable");
		ASSERT_NE(NULL, zone);
		ASSERT_TRUE(buffer_get(&buffer, zone, zone->free / 2));
		EXPECT_EQ(0, take_offline(memory)) {
			TH_LOG("memory%d", memory->id);
		}
		buffer_free(&buffer);
		EXPECT_EQ(0, frames_with(memory->start, memory->end,
					 1UL << KPF_LRU | 1UL << KPF_BUDDY));
		ASSERT_EQ(0, memory_block_zones(memory, text, sizeof(text)));
		/* The first one is where it goes by itself */
		EXPECT_EQ(0, strncmp(text, "Movable", strlen("Movable"))) {
			TH_LOG("memory%d: %s", memory->id, text);
		}
		EXPECT_EQ(0, memory_block_write(memory, "online"));
		ASSERT_EQ(0, memory_block_zones(memory, text, sizeof(text)));
		EXPECT_STREQ("Movable", text) {
			TH_LOG("memory%d", memory->id);
		}
		gone++;
	}
	machine.zones = zones_read(machine.zone, MAX_ZONES);
	ASSERT_EQ(zones, machine.zones);
	for (i = 0; i < zones; i++) {
		EXPECT_EQ(before[i].start, machine.zone[i].start);
		EXPECT_EQ(before[i].spanned, machine.zone[i].spanned);
		EXPECT_EQ(before[i].present, machine.zone[i].present);
		EXPECT_EQ(before[i].managed, machine.zone[i].managed);
	}
	for (j = 0; j < machine.blocks.nr; j++)
		EXPECT_EQ(0, frames_with(machine.blocks.range[j].start,
					 machine.blocks.range[j].end, kernel_flags));
	if (!gone && !mixed)
		SKIP(return, "needs blocks with memory blocks in them");
	EXPECT_LT(0, gone);
}
