// SPDX-License-Identifier: GPL-2.0
/* See physical.h */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "physical.h"

#define MEMORY_DIR "/sys/devices/system/memory"

/* A number with a suffix, as the kernel's memparse() takes it */
static unsigned long parse_size(const char *text, char **end)
{
	static const char suffixes[] = "KMGTPE";
	unsigned long size = strtoull(text, end, 0);
	const char *suffix;

	if (*end == text || !**end)
		return size;
	suffix = strchr(suffixes, **end & ~0x20);
	if (suffix) {
		size <<= 10 * (suffix - suffixes + 1);
		(*end)++;
	}
	return size;
}

/* One item, which ends with @end */
static bool parse_item(const char *item, const char *end, struct range *range)
{
	unsigned long size;
	char *next;

	size = parse_size(item, &next);
	if (next == item || *next != '@')
		return false;
	item = next + 1;
	range->start = parse_size(item, &next);
	range->end = range->start + size;
	return next != item && next == end && size && range->end > range->start;
}

typedef bool choose(const char *item, int length);

/* Adds the items of a list that @wanted, if there is one, takes */
static int add_items(const char *list, struct ranges *ranges, choose *wanted)
{
	const char *end;
	struct range range;

	for (; *list; list = *end == ',' ? end + 1 : end) {
		end = list + strcspn(list, ",\n");
		if (parse_item(list, end, &range) &&
		    (!wanted || wanted(list, end - list))) {
			if (ranges->nr == MAX_RANGES)
				return -E2BIG;
			ranges->range[ranges->nr++] = range;
		}
		if (*end != ',')
			break;
	}
	return 0;
}

int ranges_parse(const char *list, struct ranges *ranges)
{
	ranges->nr = 0;
	return add_items(list, ranges, NULL);
}

bool log_has(const char *text)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192];
	bool found = false;
	ssize_t got;

	if (fd < 0)
		return false;
	do {
		got = read(fd, record, sizeof(record) - 1);
		if (got > 0) {
			record[got] = '\0';
			found = strstr(record, text);
		}
		/* EPIPE: records have gone while this was reading */
	} while (!found && (got > 0 || (got < 0 && errno == EPIPE)));
	close(fd);
	return found;
}

static const char *boot_name;

/* The log has an item as it was written, or as the range that it is */
static bool in_force(const char *item, int length)
{
	char text[512];
	struct range range;

	snprintf(text, sizeof(text), "%.*s: %.*s is left out",
		 (int)strlen(boot_name) - 1, boot_name, length, item);
	if (log_has(text) || !parse_item(item, item + length, &range))
		return false;
	snprintf(text, sizeof(text), "%.*s: [mem %#018lx-%#018lx] is left out",
		 (int)strlen(boot_name) - 1, boot_name,
		 range.start, range.end - 1);
	return !log_has(text);
}

int ranges_of_boot(const char *name, struct ranges *ranges)
{
	char line[8192], *word, *rest;
	int ret;

	ranges->nr = 0;
	ret = file_read("/proc/cmdline", line, sizeof(line));
	if (ret < 0)
		return ret;
	boot_name = name;
	line[strcspn(line, "\n")] = '\0';
	ret = 0;
	for (word = strtok_r(line, " ", &rest); word && !ret;
	     word = strtok_r(NULL, " ", &rest))
		if (!strncmp(word, name, strlen(name)))
			ret = add_items(word + strlen(name), ranges, in_force);
	return ret;
}

int ranges_of_ram(struct ranges *ranges)
{
	unsigned long first, last;
	struct range *range;
	char line[256];
	FILE *file;
	int i;

	file = fopen("/proc/iomem", "re");
	if (!file)
		return -errno;
	for (ranges->nr = 0; ranges->nr < MAX_RANGES && fgets(line, sizeof(line), file);) {
		if (line[0] == ' ' || !strstr(line, " : System RAM\n") ||
		    sscanf(line, "%lx-%lx", &first, &last) != 2)
			continue;
		range = &ranges->range[ranges->nr];
		/* One may follow another in the middle of a page */
		if (ranges->nr && range[-1].end == first) {
			range[-1].end = last + 1;
			continue;
		}
		range->start = first;
		range->end = last + 1;
		ranges->nr++;
	}
	fclose(file);
	for (i = 0; i < ranges->nr; i++) {
		range = &ranges->range[i];
		range->start = (range->start + page_bytes() - 1) & -page_bytes();
		range->end &= -page_bytes();
	}
	return ranges->nr && ranges->nr < MAX_RANGES ? 0 : -E2BIG;
}

int ranges_find(const struct ranges *ranges, unsigned long address)
{
	int i;

	for (i = 0; i < ranges->nr; i++)
		if (address >= ranges->range[i].start &&
		    address < ranges->range[i].end)
			break;
	return i;
}

unsigned long ranges_within(const struct ranges *ranges, unsigned long start, unsigned long end)
{
	unsigned long bytes = 0, first, last;
	int i;

	for (i = 0; i < ranges->nr; i++) {
		first = ranges->range[i].start > start ? ranges->range[i].start : start;
		last = ranges->range[i].end < end ? ranges->range[i].end : end;
		if (first < last)
			bytes += last - first;
	}
	return bytes;
}

/* That of devices spans what the page allocator does not have. */
static bool is_of_memory(const struct zone *zone)
{
	return zone && zone->spanned && strcmp(zone->name, "Device");
}

int zones_read(struct zone *zones, int max)
{
	struct zone *zone = NULL, other;
	char line[256], name[32];
	int count = 0;
	FILE *file;
	long value;

	file = fopen("/proc/zoneinfo", "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		memset(&other, 0, sizeof(other));
		if (sscanf(line, "Node %d, zone %15s", &other.node, other.name) == 2) {
			if (is_of_memory(zone))
				count++;
			if (count == max)
				break;
			zone = &zones[count];
			*zone = other;
			continue;
		}
		if (!zone)
			continue;
		if (sscanf(line, " pages free %ld", &value) == 1)
			zone->free = value;
		else if (sscanf(line, " %31[a-z_]%*[: ]%ld", name, &value) != 2)
			continue;
		else if (!strcmp(name, "high") && !zone->high)
			zone->high = value;
		else if (!strcmp(name, "spanned"))
			zone->spanned = value;
		else if (!strcmp(name, "present"))
			zone->present = value;
		else if (!strcmp(name, "managed"))
			zone->managed = value;
		else if (!strcmp(name, "count"))
			zone->cached += value;
		else if (!strcmp(name, "start_pfn"))
			zone->start = value;
	}
	fclose(file);
	if (count < max && is_of_memory(zone))
		count++;
	return count;
}

const struct zone *zone_find(const struct zone *zones, int count, int node,
			     const char *name)
{
	int i;

	for (i = 0; i < count; i++)
		if (zones[i].node == node && !strcmp(zones[i].name, name))
			return &zones[i];
	return NULL;
}

bool zone_is_movable(const struct zone *zone)
{
	return !strcmp(zone->name, "Movable");
}

static int by_id(const void *a, const void *b)
{
	const struct memory_block *one = a, *other = b;

	return one->id - other->id;
}

static int block_node(const char *path)
{
	struct dirent *entry;
	int nodes = 0, node, last = -1;
	DIR *dir = opendir(path);

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (sscanf(entry->d_name, "node%d", &node) != 1)
			continue;
		last = node;
		nodes++;
	}
	closedir(dir);
	return nodes == 1 ? last : -1;
}

int memory_blocks_read(struct memory_block *blocks, int max)
{
	struct memory_block *block;
	char path[64], text[32];
	struct dirent *entry;
	unsigned long bytes;
	int count = 0;
	DIR *dir;

	if (file_read(MEMORY_DIR "/block_size_bytes", text, sizeof(text)) < 0)
		return -ENOENT;
	bytes = strtoull(text, NULL, 16);
	dir = opendir(MEMORY_DIR);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) && count < max) {
		block = &blocks[count];
		if (sscanf(entry->d_name, "memory%d", &block->id) != 1)
			continue;
		snprintf(path, sizeof(path), MEMORY_DIR "/memory%d", block->id);
		block->node = block_node(path);
		snprintf(path, sizeof(path), MEMORY_DIR "/memory%d/state", block->id);
		block->online = file_read(path, text, sizeof(text)) > 0 &&
				!strcmp(text, "online\n");
		block->start = block->id * bytes;
		block->end = block->start + bytes;
		count++;
	}
	closedir(dir);
	qsort(blocks, count, sizeof(*blocks), by_id);
	return count;
}

int memory_block_zones(const struct memory_block *block, char *buf, size_t size)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), MEMORY_DIR "/memory%d/valid_zones", block->id);
	ret = file_read(path, buf, size);
	if (ret < 0)
		return ret;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int memory_block_write(const struct memory_block *block, const char *state)
{
	char path[64];

	snprintf(path, sizeof(path), MEMORY_DIR "/memory%d/state", block->id);
	return file_print(path, "%s", state);
}

/* @count words of a file of words, from the word @first on */
static int read_words(const char *path, unsigned long first, size_t count,
		      unsigned long *word)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	ssize_t got;
	int ret = 0;

	if (fd < 0)
		return -errno;
	while (done < count && !ret) {
		got = pread(fd, word + done, (count - done) * sizeof(*word),
			    (first + done) * sizeof(*word));
		if (got <= 0 || got % sizeof(*word))
			ret = got < 0 ? -errno : -EIO;
		else
			done += got / sizeof(*word);
	}
	close(fd);
	return ret;
}

int frames_of_pages(const void *addr, size_t count, unsigned long *frame)
{
	int ret = read_words("/proc/self/pagemap", (uintptr_t)addr / page_bytes(),
			     count, frame);
	size_t i;

	/* Bit 63: the page is there; the frame is in the lowest 55 */
	for (i = 0; i < count; i++)
		frame[i] = frame[i] >> 63 ? frame[i] & ((1UL << 55) - 1) : 0;
	return ret;
}

int flags_of_frames(unsigned long first, size_t count, unsigned long *flags)
{
	return read_words("/proc/kpageflags", first, count, flags);
}
