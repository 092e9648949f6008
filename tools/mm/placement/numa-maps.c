// SPDX-License-Identifier: GPL-2.0
/*
 * Reads lines of /proc/PID/numa_maps, such as
 *
 * 7f5e40000000 weighted interleave:0-1 anon=6 dirty=6 N0=5 N1=1 kernelpagesize_kB=4 weights=0:5,1:1
 */
#include "numa-maps.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* Characters of a policy that kernels without the series have room for */
#define MOST_OF_POLICY 63

/* Cuts off the first @len characters of @text and the blank behind them */
static char *cut(char *text, size_t len)
{
	char *rest = text + len + (text[len] == ' ');

	text[len] = '\0';
	return rest;
}

/* Bytes of the policy's text: the names of some modes have a blank in them */
static size_t policy_length(const char *text)
{
	static const char *const blank[] = {
		"weighted interleave", "prefer (many)", NULL
	};
	const char *const *mode;
	size_t len;

	for (mode = blank; *mode; mode++) {
		len = strlen(*mode);
		if (!strncmp(text, *mode, len))
			return len + strcspn(text + len, " ");
	}
	return strcspn(text, " ");
}

/* The mode ends at the flags or the nodes, as in interleave=static:0-1 */
static bool has_mode(const char *policy, const char *mode)
{
	return strcspn(policy, "=:") == strlen(mode) &&
	       !strncmp(policy, mode, strlen(mode));
}

static char *number_before(const char *list, char *end)
{
	while (end > list && isdigit((unsigned char)end[-1]))
		end--;
	return end;
}

/*
 * Where the sure part of a policy's @list ends when the kernel has cut it off;
 * NULL when it is whole. A number at the end may be the beginning of a larger
 * one: it must be if it does not ascend, as lists do.
 */
static char *cut_of_list(const char *policy, char *list)
{
	char *end = list + strlen(list);
	char *last = number_before(list, end), *separator = last - 1;

	if (last == list)
		return NULL;
	if (end == policy + MOST_OF_POLICY)
		return separator;
	if (*separator == ',' && last < end &&
	    strtoul(last, NULL, 10) <= strtoul(number_before(list, separator), NULL, 10))
		return separator;
	return NULL;
}

static bool parse_policy_nodes(struct mapping *mapping, char *list)
{
	char *end = cut_of_list(mapping->policy, list);
	bool good;
	char kept;

	if (!end)
		return parse_nodes(list, &mapping->nodes);
	mapping->cut = true;
	kept = *end;
	*end = '\0';
	good = parse_nodes(list, &mapping->nodes);
	*end = kept;
	return good;
}

static bool parse_policy(struct mapping *mapping)
{
	char *colon = strchr(mapping->policy, ':');

	if (!*mapping->policy)
		return false;
	if (has_mode(mapping->policy, "weighted interleave"))
		mapping->placing = PLACED_BY_WEIGHT;
	else if (has_mode(mapping->policy, "interleave"))
		mapping->placing = PLACED_EVENLY;
	return !colon || parse_policy_nodes(mapping, colon + 1);
}

/* N0=5 */
static bool parse_pages(const char *word, struct mapping *mapping)
{
	const char *equals = strchr(word, '=');
	unsigned long node, pages;

	if (!parse_number(word + 1, equals - word - 1, MAX_NODES - 1, &node) ||
	    !parse_number(equals + 1, strlen(equals + 1), LONG_MAX, &pages) ||
	    pages > LONG_MAX - mapping->total)
		return false;
	mapping->pages[node] = pages;
	mapping->total += pages;
	return true;
}

/* 0:5,1:1 */
static bool parse_own(const char *list, struct mapping *mapping)
{
	const char *at, *end;
	unsigned long node, weight;

	for (at = list; ; at = end + 1) {
		size_t len = strcspn(at, ":");

		if (!at[len] || !parse_number(at, len, MAX_NODES - 1, &node))
			return false;
		at += len + 1;
		end = at + strcspn(at, ",");
		if (!parse_number(at, end - at, MAX_WEIGHT, &weight) || !weight)
			return false;
		mapping->own.weight[node] = weight;
		if (!*end)
			break;
	}
	mapping->has_own = true;
	return true;
}

static bool parse_word(char *word, struct mapping *mapping)
{
	static const char size[] = "kernelpagesize_kB=", own[] = "weights=";
	const char *number = word + sizeof(size) - 1;

	if (!strncmp(word, "file=", 5) || !strcmp(word, "heap") ||
	    !strcmp(word, "stack"))
		mapping->name = word;
	else if (!strncmp(word, size, sizeof(size) - 1))
		return parse_number(number, strlen(number), LONG_MAX,
				    &mapping->page_kb);
	else if (!strncmp(word, own, sizeof(own) - 1))
		return parse_own(word + sizeof(own) - 1, mapping);
	else if (word[0] == 'N' && isdigit((unsigned char)word[1]) && strchr(word, '='))
		return parse_pages(word, mapping);
	return true;
}

/* Own weights are told of each node of the policy. */
static void take_nodes_of_own(struct mapping *mapping)
{
	int i;

	for (i = 0; i < MAX_NODES; i++)
		mapping->nodes.in[i] = mapping->own.weight[i];
	mapping->cut = false;
}

bool parse_mapping(char *line, struct mapping *mapping)
{
	size_t address = strspn(line, "0123456789abcdef");
	char *rest;

	memset(mapping, 0, sizeof(*mapping));
	line[strcspn(line, "\n")] = '\0';
	if (!address || line[address] != ' ')
		return false;
	mapping->name = "";
	mapping->address = line;
	mapping->policy = cut(line, address);
	rest = cut(line + address + 1, policy_length(mapping->policy));
	if (!parse_policy(mapping))
		return false;
	while (*rest) {
		char *word = rest;

		rest = cut(word, strcspn(word, " "));
		if (!parse_word(word, mapping))
			return false;
	}
	if (mapping->cut && mapping->has_own)
		take_nodes_of_own(mapping);
	return true;
}

void add_mapping(struct placed *placed, const struct mapping *mapping)
{
	int i;

	placed->mappings++;
	placed->unsized |= mapping->total && !mapping->page_kb;
	for (i = 0; i < MAX_NODES; i++)
		placed->kb[i] += mapping->pages[i] * mapping->page_kb;
}

bool read_placed(const char *process, struct placed *placed)
{
	static struct mapping mapping;
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	bool good = true;
	FILE *maps;
	int error;

	snprintf(path, sizeof(path), "/proc/%s/numa_maps", process);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	errno = 0;
	while (good && getline(&line, &size, maps) >= 0) {
		good = parse_mapping(line, &mapping);
		if (good)
			add_mapping(placed, &mapping);
	}
	error = good ? errno : 0;
	good &= !ferror(maps);
	free(line);
	fclose(maps);
	errno = error;
	return good;
}
