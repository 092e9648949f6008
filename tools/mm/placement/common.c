// SPDX-License-Identifier: GPL-2.0
/* What mpolctl and bwactl share */
#include "common.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

void complain_option(const char *command, char **argv, int option)
{
	const char *subcommand = strchr(command, ' ');
	const char *before = subcommand ? subcommand + 1 : "";
	const char *between = subcommand ? ": " : "";
	char letter[] = { '-', optopt, '\0' };
	const char *name = letter;

	/* The value of one with a name as well as a letter tells nothing */
	if (optopt < ' ' || (strchr("Vhw", optopt) && !strncmp(argv[optind - 1], "--", 2)))
		name = argv[optind - 1];
	if (option == ':')
		warnx("%s%soption '%s' needs a value: see %s --help", before,
		      between, name, command);
	else
		warnx("%s%soption '%s' is unknown or takes no value: see %s --help",
		      before, between, name, command);
}

int print_help(const char *help)
{
	fputs(help, stdout);
	return STATUS_OK;
}

bool parse_root(int argc, char **argv, const char *command, const char *help,
		const char **root, int *status)
{
	static const struct option known[] = {
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "root",	required_argument,	NULL, OPTION_ROOT },
		{}
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
		switch (option) {
		case OPTION_HELP:
			*status = print_help(help);
			return false;
		case OPTION_ROOT:
			*root = optarg;
			break;
		default:
			complain_option(command, argv, option);
			*status = STATUS_USAGE;
			return false;
		}
	}
	return true;
}

static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789");
}

bool parse_number(const char *text, size_t len, unsigned long max,
		  unsigned long *value)
{
	if (!len || count_digits(text) < len || (len > 1 && *text == '0'))
		return false;

	*value = 0;
	for (; len; len--, text++) {
		unsigned int digit = *text - '0';

		if (digit > max || *value > (max - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return true;
}

bool parse_bytes(const char *text, unsigned long long *bytes)
{
	static const char units[] = "KMGT";
	size_t len = count_digits(text);
	const char *unit = text[len] ? strchr(units, text[len]) : NULL;
	unsigned long size;

	if (!unit || text[len + 1] ||
	    !parse_number(text, len, 1UL << 20, &size) || !size)
		return false;
	*bytes = (unsigned long long)size << 10 * (unit - units + 1);
	return true;
}

/* Adds one NODE=WEIGHT, whose form is known to be good */
static bool add_weight(const char *node_text, int node_len,
		       const char *weight_text, int weight_len,
		       struct ratio *ratio)
{
	unsigned long node, weight;

	if (!parse_number(node_text, node_len, MAX_NODES - 1, &node)) {
		warnx("'%.*s' is not a node: nodes are 0 to %d", node_len,
		      node_text, MAX_NODES - 1);
		return false;
	}
	if (!parse_number(weight_text, weight_len, MAX_WEIGHT, &weight) ||
	    !weight) {
		warnx("'%.*s' is not a weight for node %lu: weights are 1 to %d",
		      weight_len, weight_text, node, MAX_WEIGHT);
		return false;
	}
	if (ratio->weight[node]) {
		warnx("node %lu has two weights: give it one", node);
		return false;
	}
	ratio->weight[node] = weight;
	return true;
}

bool parse_ratio(const char *text, struct ratio *ratio)
{
	const char *at = text;

	for (;;) {
		size_t node_len = count_digits(at);
		const char *weight = at + node_len + (at[node_len] == '=');
		size_t weight_len = count_digits(weight);
		const char *end = weight + weight_len;

		if (!node_len || weight == at + node_len || !weight_len ||
		    (*end && *end != ',')) {
			warnx("'%s' is not a list of weights: write it like 0=5,1=1",
			      text);
			return false;
		}
		if (!add_weight(at, node_len, weight, weight_len, ratio))
			return false;
		if (!*end)
			return true;
		at = end + 1;
	}
}

bool parse_list(const char *list, bool *in, size_t count)
{
	unsigned long first, last;
	size_t len;

	memset(in, 0, count * sizeof(*in));
	for (;;) {
		len = count_digits(list);
		if (!parse_number(list, len, count - 1, &first))
			return false;
		list += len;
		last = first;
		if (*list == '-') {
			len = count_digits(++list);
			if (!parse_number(list, len, count - 1, &last))
				return false;
			list += len;
		}
		if (last < first)
			return false;
		memset(in + first, true, last - first + 1);
		if (!*list)
			return true;
		if (*list++ != ',')
			return false;
	}
}

bool parse_nodes(const char *list, struct nodes *nodes)
{
	return parse_list(list, nodes->in, MAX_NODES);
}

int next_node(const struct nodes *nodes, int after)
{
	while (++after < MAX_NODES) {
		if (nodes->in[after])
			return after;
	}
	return -1;
}

int count_nodes(const struct nodes *nodes)
{
	int count = 0;
	int i;

	for (i = next_node(nodes, -1); i >= 0; i = next_node(nodes, i))
		count++;
	return count;
}

void format_nodes(const struct ratio *ratio, char *text, size_t size)
{
	const char *comma = "";
	size_t used = 0;
	int first, last;

	text[0] = '\0';
	for (first = 0; first < MAX_NODES && used < size; first = last + 1) {
		last = first;
		if (!ratio->weight[first])
			continue;
		while (last + 1 < MAX_NODES && ratio->weight[last + 1])
			last++;
		used += snprintf(text + used, size - used,
				 first == last ? "%s%d" : "%s%d-%d",
				 comma, first, last);
		comma = ",";
	}
}

void format_set(const struct nodes *nodes, char *text, size_t size)
{
	struct ratio ratio;
	int i;

	for (i = 0; i < MAX_NODES; i++)
		ratio.weight[i] = nodes->in[i];
	format_nodes(&ratio, text, size);
}

bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool good;

	if (!file)
		return false;
	errno = 0;
	line[0] = '\0';
	good = fgets(line, size, file) || !errno;
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return good;
}

bool read_allowed_nodes(const char *process, char *list, size_t size)
{
	static const char key[] = "Mems_allowed_list:\t";
	char line[4096], path[64];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", process);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = !strncmp(line, key, sizeof(key) - 1);
	fclose(file);
	if (!found)
		return false;
	line[strcspn(line, "\n")] = '\0';
	snprintf(list, size, "%s", line + sizeof(key) - 1);
	return true;
}

void format_bar(char *bar, double share, double expected)
{
	int filled = share * BAR_WIDTH + 0.5;

	memset(bar, 0, BAR_WIDTH + 2);
	memset(bar, '.', BAR_WIDTH);
	memset(bar, '#', filled);
	if (expected >= 0)
		bar[(int)(expected * BAR_WIDTH + 0.5)] = '|';
}
