/* SPDX-License-Identifier: GPL-2.0 */
/* What mpolctl and bwactl share: limits, exit statuses, nodes and weights */
#ifndef COMMON_H
#define COMMON_H

#include <stdbool.h>
#include <stddef.h>

#define VERSION		"1.0"	/* of the packages, too */
#define MAX_NODES	1024	/* the most that any kernel is built for */
#define MAX_WEIGHT	255
#define BAR_WIDTH	20

enum {
	STATUS_OK,
	STATUS_FAILED,
	STATUS_USAGE,		/* bad arguments */
	STATUS_UNAVAILABLE,	/* the kernel lacks it */
};

/* A weight for each node, 0 where there is none */
struct ratio {
	unsigned char weight[MAX_NODES];
};

struct nodes {
	bool in[MAX_NODES];
};

/* What options of one letter stand for; those with a name alone have other values */
enum {
	OPTION_VERSION = 'V',
	OPTION_HELP = 'h',
	OPTION_WEIGHTS = 'w',
	OPTION_ROOT = 0x100,
};

/*
 * Complains about the option where getopt_long() stopped, with @option, '?' or ':'.
 * @command is the tool and the subcommand, if there is one: "mpolctl run".
 */
void complain_option(const char *command, char **argv, int option);

/*
 * The options of a subcommand that has none but --help and --root. True: go on,
 * with *@root if it was given; false: return *@status.
 */
bool parse_root(int argc, char **argv, const char *command, const char *help,
		const char **root, int *status);

/* Prints a text of --help and returns STATUS_OK */
int print_help(const char *help);

/*
 * The first @len characters as decimal, 0 to @max: no sign, blanks or leading
 * zeros; false when that is wrong
 */
bool parse_number(const char *text, size_t len, unsigned long max,
		  unsigned long *value);

/* "256M": 1 to 2^20 of K, M, G or T as bytes; false when that is wrong */
bool parse_bytes(const char *text, unsigned long long *bytes);

/* Adds "0=5,1=1" to @ratio; when that is wrong complains and returns false */
bool parse_ratio(const char *text, struct ratio *ratio);

/* Reads "0-1,3", numbers below @count, into @in; false when that is wrong */
bool parse_list(const char *list, bool *in, size_t count);

/* The same for nodes */
bool parse_nodes(const char *list, struct nodes *nodes);

/* The first node behind @after, -1 to begin with; -1 after the last one */
int next_node(const struct nodes *nodes, int after);

/* 0 to MAX_NODES */
int count_nodes(const struct nodes *nodes);

/* The nodes that have a weight, as "0-1,3", cut to @size */
void format_nodes(const struct ratio *ratio, char *text, size_t size);

/* The same for all nodes of a set */
void format_set(const struct nodes *nodes, char *text, size_t size);

/* The first line of a file, without its end; on error false and errno */
bool read_line(const char *path, char *line, size_t size);

/*
 * The nodes that the cpuset allows @process, "self" or a PID, as "0-1,3"; false: not
 * known
 */
bool read_allowed_nodes(const char *process, char *list, size_t size);

/*
 * Draws @share and the mark of @expected, both 0 to 1, unless that is negative.
 * @bar has BAR_WIDTH + 2 bytes: the mark of all is behind the last column.
 */
void format_bar(char *bar, double share, double expected);

#endif /* COMMON_H */
