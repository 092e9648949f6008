// SPDX-License-Identifier: GPL-2.0
/*
 * Reads lines of /proc/PID/numa_maps, such as
 *
 * 7f5e40000000 weighted interleave:0-1 anon=6 dirty=6 N0=5 N1=1 kernelpagesize_kB=4 weights=0:5,1:1
 */
#include "numa-maps.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "common.h"

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

static bool parse_policy(struct mapping *mapping)
{
	const char *colon = strchr(mapping->policy, ':');

	if (!*mapping->policy)
		return false;
	if (has_mode(mapping->policy, "weighted interleave"))
		mapping->placing = PLACED_BY_WEIGHT;
	else if (has_mode(mapping->policy, "interleave"))
		mapping->placing = PLACED_EVENLY;
	return !colon || parse_nodes(colon + 1, &mapping->nodes);
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
	return true;
}
