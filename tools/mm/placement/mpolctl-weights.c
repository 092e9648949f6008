// SPDX-License-Identifier: GPL-2.0
/* mpolctl weights: the global weights */
#include "mpolctl.h"

#include <err.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "global-weights.h"

static const char weights_help[] =
	"Usage: mpolctl weights [--json] [--dir DIR]\n"
	"       mpolctl weights [--dir DIR] NODE=WEIGHT...\n"
	"       mpolctl weights [--dir DIR] auto\n"
	"\n"
	"Shows the global weights, which hold for all tasks and mappings without weights\n"
	"of their own; sets those of the given nodes (1 to 255), all or none; or has the\n"
	"kernel derive all of them again. Only root may change them.\n"
	"\n"
	"  --json     print JSON\n"
	"  --dir DIR  use the files in DIR, not " WEIGHT_DIR "\n"
	"  -h, --help this text\n"
	"\n"
	"Exit status: 0 done; 1 failed; 2 bad arguments, and nothing was changed; 3 this\n"
	"kernel has no such weights, or no \"auto\".\n";

enum {
	OPTION_DIR = 1,
	OPTION_JSON,
};

struct weights_options {
	const char *dir;
	bool json;
	bool help;
};

static bool parse_options(int argc, char **argv,
			  struct weights_options *options)
{
	static const struct option known[] = {
		{ "dir",	required_argument,	NULL, OPTION_DIR },
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "json",	no_argument,		NULL, OPTION_JSON },
		{}
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
		switch (option) {
		case OPTION_DIR:
			options->dir = optarg;
			break;
		case OPTION_HELP:
			options->help = true;
			return true;
		case OPTION_JSON:
			options->json = true;
			break;
		default:
			complain_option("mpolctl weights", argv, option);
			return false;
		}
	}
	return true;
}

static void print_json(const struct ratio *ratio, int automatic)
{
	const char *comma = "";
	int i;

	printf("{\"auto\":%s,\"weights\":[", automatic < 0 ? "null" :
	       automatic ? "true" : "false");
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i])
			continue;
		printf("%s{\"node\":%d,\"weight\":%u}", comma, i,
		       ratio->weight[i]);
		comma = ",";
	}
	puts("]}");
}

static void print_table(const struct ratio *ratio, int automatic)
{
	char bar[BAR_WIDTH + 2];
	double total = 0;
	int i;

	for (i = 0; i < MAX_NODES; i++)
		total += ratio->weight[i];
	puts("NODE  WEIGHT   SHARE");
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i])
			continue;
		format_bar(bar, ratio->weight[i] / total, -1);
		printf("%4d  %6u  %5.1f%%  %s\n", i, ratio->weight[i],
		       100 * ratio->weight[i] / total, bar);
	}
	if (automatic >= 0)
		printf("auto: %s\n", automatic ? "true" : "false");
}

static int change(const char *dir, char **arguments)
{
	static struct saved_weights saved;
	static struct ratio wanted;

	for (; *arguments; arguments++) {
		if (!parse_ratio(*arguments, &wanted))
			return STATUS_USAGE;
	}
	return change_weights(dir, &wanted, &saved);
}

static int show(const struct weights_options *options)
{
	static const struct ratio none;
	static struct ratio ratio;
	int automatic;

	if (!read_global_weights(options->dir, &ratio))
		return complain_weights(options->dir);
	if (!memcmp(&ratio, &none, sizeof(none))) {
		warnx("weights: there is no file of a node in %s", options->dir);
		return STATUS_FAILED;
	}
	automatic = read_auto(options->dir);
	if (options->json)
		print_json(&ratio, automatic);
	else
		print_table(&ratio, automatic);
	return STATUS_OK;
}

int weights_command(int argc, char **argv)
{
	struct weights_options options = { .dir = WEIGHT_DIR };

	if (!parse_options(argc, argv, &options))
		return STATUS_USAGE;
	if (options.help)
		return print_help(weights_help);

	argv += optind;
	if (!*argv)
		return show(&options);
	if (options.json) {
		warnx("weights: --json is for showing the weights: leave it out to change them");
		return STATUS_USAGE;
	}
	if (strcmp(*argv, "auto"))
		return change(options.dir, argv);
	if (argv[1]) {
		warnx("weights: 'auto' stands alone: give it or weights");
		return STATUS_USAGE;
	}
	return write_auto(options.dir);
}
