// SPDX-License-Identifier: GPL-2.0
/*
 * movablecore=SIZE@BASE, as a user can see it: what the zones have, and what is
 * in the blocks.
 *
 * The cases run in this order, as that of the free lists needs a machine that
 * has not given out and taken back much memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cases.h"
#include "movable.h"

#define GIGANTIC_FILE "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"

/* arm64 lets go of memory only that came after boot. */
#ifdef __aarch64__
#define BOOT_MEMORY_STAYS true
#else
#define BOOT_MEMORY_STAYS false
#endif

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

static int node_of(unsigned long address)
{
	int i;

	for (i = 0; i < machine.memories; i++)
		if (address >= machine.memory[i].start &&
		    address < machine.memory[i].end)
			return machine.memory[i].node;
	return -1;
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

/* Free lists in random order; with channels that is tested with their shares */
TEST_F_TIMEOUT(blocks, are_shuffled, PATIENT_TIMEOUT)
{
	struct supply supply;
	struct buffer buffer;
	const struct zone *zone;
	int told = 0, i;
	long drain;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!machine.shuffled || machine.ordered)
		SKIP(return, "needs page_alloc.shuffle=1 without channels");
	if (!fresh())
		SKIP(return, "needs a fresh boot");
	for (i = 0; i < machine.zones; i++) {
		struct followers found = {};

		zone = &machine.zone[i];
		if (!zone_is_movable(zone))
			continue;
		ASSERT_TRUE(supply_read(zone, &supply));
		drain = supply.loose + zone->cached + TOP_PAGES;
		if (zone->free - 2 * zone->high < drain)
			continue;
		ASSERT_TRUE(buffer_get(&buffer, zone, zone->free - 2 * zone->high));
		followers_add(&found, buffer.frame + drain, buffer.count - drain);
		if (followers_tell(&found)) {
			told++;
			EXPECT_FALSE(followers_are_many(&found));
			EXPECT_FALSE(many_are_in_place(zone, buffer.frame + drain,
						       buffer.count - drain));
		}
		buffer_free(&buffer);
	}
	if (!told)
		SKIP(return, "needs larger blocks");
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

		/* One of which the blocks took all spans none. */
		ASSERT_LT(0, zone->present) {
			TH_LOG("node %d, %s", zone->node, zone->name);
		}
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
