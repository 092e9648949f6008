// SPDX-License-Identifier: GPL-2.0
/*
 * page_alloc.channels=, as a user can see it: how much of a buffer each channel
 * has.
 *
 * The cases run in this order, and before those of movable_blocks, as free lists
 * need a machine that has not given out and taken back much memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cases.h"
#include "movable.h"

#define WINDOW_PAGES (16 * TOP_PAGES)
/* More of them say no more, and the host has to have the memory */
#define MOST_WINDOWS 8
/* Free blocks that other users of the memory may have taken in between */
#define SPARE_BLOCKS 2

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
	struct followers found = {};
	int windows, bad = 0, i;
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
		followers_add(&found, buffer.frame + drain, windows * WINDOW_PAGES);
		bad += followers_are_many(&found) && followers_tell(&found);
	}
	if (released && windows > 1)
		bad += !turns_after_release(zone, &buffer);
	note("node %d, %s: %d channels, %d windows, the longest run is %zu pages",
	     zone->node, zone->name, supply.channels, windows,
	     longest_run(buffer.frame + drain, buffer.count - drain));
	buffer_free(&buffer);
	return bad ? -1 : windows;
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
