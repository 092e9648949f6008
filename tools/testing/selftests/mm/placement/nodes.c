// SPDX-License-Identifier: GPL-2.0
/* Sets of nodes, the memory that a node has, and memory that comes and goes, see placement.h */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement.h"

/* What a node keeps back before it falls back: watermarks and CPU lists */
#define NODE_RESERVE_PAGES 2048

void nodeset_clear(struct nodeset *set)
{
	memset(set, 0, sizeof(*set));
}

void nodeset_add(struct nodeset *set, int node)
{
	set->word[node / BITS_PER_WORD] |= 1UL << (node % BITS_PER_WORD);
}

bool nodeset_has(const struct nodeset *set, int node)
{
	return node >= 0 && node < MAX_NODES &&
	       (set->word[node / BITS_PER_WORD] >> (node % BITS_PER_WORD)) & 1;
}

bool nodeset_equal(const struct nodeset *a, const struct nodeset *b)
{
	return !memcmp(a, b, sizeof(*a));
}

int nodeset_count(const struct nodeset *set)
{
	int count = 0;
	int node;

	for (node = 0; node < MAX_NODES; node++)
		count += nodeset_has(set, node);
	return count;
}

int nodeset_nth(const struct nodeset *set, int nth)
{
	int node;

	for (node = 0; node < MAX_NODES; node++)
		if (nodeset_has(set, node) && !nth--)
			return node;
	return -1;
}

struct nodeset nodeset_head(const struct nodeset *set, int count)
{
	struct nodeset head;
	int node;

	nodeset_clear(&head);
	for (node = 0; node < MAX_NODES && count; node++) {
		if (!nodeset_has(set, node))
			continue;
		nodeset_add(&head, node);
		count--;
	}
	return head;
}

struct nodeset nodeset_of(int node)
{
	struct nodeset set;

	nodeset_clear(&set);
	nodeset_add(&set, node);
	return set;
}

struct nodeset nodeset_pair(int a, int b)
{
	struct nodeset set = nodeset_of(a);

	nodeset_add(&set, b);
	return set;
}

int nodeset_parse(const char *list, struct nodeset *set)
{
	long first, last;
	char *end;

	nodeset_clear(set);
	while (*list && *list != '\n') {
		first = strtol(list, &end, 10);
		last = first;
		if (end == list)
			return -EINVAL;
		if (*end == '-') {
			list = end + 1;
			last = strtol(list, &end, 10);
			if (end == list)
				return -EINVAL;
		}
		if (first < 0 || last < first || last >= MAX_NODES)
			return -EINVAL;
		while (first <= last)
			nodeset_add(set, first++);
		if (*end && *end != ',' && *end != '\n')
			return -EINVAL;
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

const char *nodeset_format(const struct nodeset *set, char *buf, size_t size)
{
	size_t used = 0;
	int node, last;

	buf[0] = '\0';
	for (node = 0; node < MAX_NODES; node++) {
		if (!nodeset_has(set, node))
			continue;
		for (last = node; nodeset_has(set, last + 1); last++)
			;
		used += snprintf(buf + used, size - used, "%s%d",
				 used ? "," : "", node);
		if (used < size && last > node)
			used += snprintf(buf + used, size - used, "-%d", last);
		if (used >= size)
			break;
		node = last;
	}
	return buf;
}

int nodeset_read(const char *name, struct nodeset *set)
{
	char path[128], buf[512];
	int ret;

	snprintf(path, sizeof(path), NODE_DIR "/%s", name);
	ret = file_read(path, buf, sizeof(buf));
	if (ret < 0)
		return ret;
	return nodeset_parse(buf, set);
}

int node_distance(int from, int to)
{
	char path[128], buf[1024], *text = buf, *end;
	struct nodeset online;
	int node, ret;
	long distance;

	ret = nodeset_read("online", &online);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), NODE_DIR "/node%d/distance", from);
	ret = file_read(path, buf, sizeof(buf));
	if (ret < 0)
		return ret;
	/* One for each node that is online, in their order */
	for (node = 0; node < MAX_NODES; node++) {
		if (!nodeset_has(&online, node))
			continue;
		distance = strtol(text, &end, 10);
		if (end == text)
			return -EINVAL;
		if (node == to)
			return distance;
		text = end;
	}
	return -ENOENT;
}

/* Those of @set that are as near to @node as any; false when a distance is not told */
static bool nearest(int node, const struct nodeset *set, struct nodeset *near)
{
	int other, distance, best = INT_MAX;

	nodeset_clear(near);
	for (other = 0; other < MAX_NODES; other++) {
		if (!nodeset_has(set, other))
			continue;
		distance = node_distance(node, other);
		if (distance < 0)
			return false;
		if (distance < best)
			nodeset_clear(near);
		if (distance <= best)
			nodeset_add(near, other);
		best = distance < best ? distance : best;
	}
	return true;
}

static bool share_a_node(const struct nodeset *a, const struct nodeset *b)
{
	int node;

	for (node = 0; node < MAX_NODES; node++)
		if (nodeset_has(a, node) && nodeset_has(b, node))
			return true;
	return false;
}

int serving_nodes(struct nodeset *set)
{
	struct nodeset memory, cpu, near;
	int node, other, ret;

	ret = nodeset_read("has_memory", &memory);
	if (!ret)
		ret = nodeset_read("has_cpu", &cpu);
	if (ret)
		return ret;
	nodeset_clear(set);
	for (node = 0; node < MAX_NODES; node++) {
		if (!nodeset_has(&cpu, node))
			continue;
		if (nodeset_has(&memory, node)) {
			nodeset_add(set, node);
			continue;
		}
		if (!nearest(node, &memory, &near))
			return -EINVAL;
		if (share_a_node(&near, &cpu))
			continue;
		for (other = 0; other < MAX_NODES; other++)
			if (nodeset_has(&near, other))
				nodeset_add(set, other);
	}
	return 0;
}

int serving_node(int node)
{
	struct nodeset serving, near;

	if (serving_nodes(&serving))
		return -1;
	if (nodeset_has(&serving, node))
		return node;
	return nearest(node, &serving, &near) ? nodeset_nth(&near, 0) : -1;
}

int served_node(int node)
{
	struct nodeset cpu;
	int other;

	if (nodeset_read("has_cpu", &cpu))
		return -1;
	if (nodeset_has(&cpu, node))
		return node;
	for (other = 0; other < MAX_NODES; other++)
		if (nodeset_has(&cpu, other) && serving_node(other) == node)
			return other;
	return -1;
}

int served_cpu(int node)
{
	char path[64], list[256];
	struct nodeset cpus;

	snprintf(path, sizeof(path), NODE_DIR "/node%d/cpulist", served_node(node));
	if (file_read(path, list, sizeof(list)) < 0 || nodeset_parse(list, &cpus))
		return -EINVAL;
	return nodeset_count(&cpus) ? nodeset_nth(&cpus, 0) : -EINVAL;
}

/*
 * The nodes that the kernel's masks have room for, as four a digit of the one
 * in a task's status; a node beyond them is an error, not one that is absent.
 * Without cpusets the status tells nothing: then as many as most kernels have.
 */
static int nodes_of_a_mask(void)
{
	char buf[8192], *digit = NULL;
	int nodes = 0;

	if (file_read("/proc/self/status", buf, sizeof(buf)) > 0)
		digit = strstr(buf, "\nMems_allowed:\t");
	if (!digit)
		return 64;
	for (digit = strchr(digit, '\t') + 1; *digit != '\n'; digit++)
		nodes += 4 * !!isxdigit(*digit);
	return nodes;
}

int node_without_memory(void)
{
	int node = nodes_of_a_mask();
	struct nodeset memory;

	if (nodeset_read("has_memory", &memory))
		return -1;
	if (node > 64)
		node = 64;
	while (--node >= 0)
		if (!nodeset_has(&memory, node))
			return node;
	return -1;
}

int possible_nodes(void)
{
	struct nodeset possible;
	int ret;

	ret = nodeset_read("possible", &possible);
	if (ret)
		return ret;
	for (ret = MAX_NODES; ret > 0 && !nodeset_has(&possible, ret - 1); ret--)
		;
	return ret;
}

long node_free_pages(int node)
{
	char path[128], line[256];
	long kib = -ENOENT;
	char *colon;
	FILE *file;

	snprintf(path, sizeof(path), NODE_DIR "/node%d/meminfo", node);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		colon = strstr(line, " MemFree:");
		if (colon)
			kib = strtol(colon + strlen(" MemFree:"), NULL, 10);
	}
	fclose(file);
	return kib < 0 ? kib : kib / (long)(page_bytes() / 1024);
}

bool nodes_have_room(const struct nodeset *nodes, size_t pages)
{
	int node;

	for (node = 0; node < MAX_NODES; node++)
		if (nodeset_has(nodes, node) &&
		    node_free_pages(node) < (long)pages + NODE_RESERVE_PAGES)
			return false;
	return true;
}

long long node_interleave_hits(int node)
{
	char path[128];

	snprintf(path, sizeof(path), NODE_DIR "/node%d/numastat", node);
	return file_value(path, "interleave_hit");
}

int memory_blocks(int node, int *block)
{
	struct dirent *entry;
	char path[128];
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), NODE_DIR "/node%d", node);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)) && count < MAX_BLOCKS) {
		if (sscanf(entry->d_name, "memory%d", &block[count]) != 1)
			continue;
		count++;
	}
	closedir(dir);
	return count;
}
