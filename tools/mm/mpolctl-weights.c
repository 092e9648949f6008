// SPDX-License-Identifier: GPL-2.0
/* mpolctl weights: the global weights */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpolctl.h"

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
	"  --help     this text\n"
	"\n"
	"Exit status: 0 done; 1 failed; 2 bad arguments, and nothing was changed; 3 this\n"
	"kernel has no such weights, or no \"auto\".\n";

enum {
	OPTION_DIR = 1,
	OPTION_HELP,
	OPTION_JSON,
};

struct weights_options {
	const char *dir;
	bool json;
	bool help;
};

/* What has to be undone when a write fails */
struct saved_weights {
	struct ratio weights;
	bool automatic;
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
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
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
			complain_option("weights", argv);
			return false;
		}
	}
	return true;
}

static bool read_weight(const char *dir, unsigned long node,
			unsigned char *weight)
{
	char path[PATH_MAX], line[32];
	unsigned long value;

	snprintf(path, sizeof(path), "%s/node%lu", dir, node);
	if (!read_line(path, line, sizeof(line)))
		return false;
	if (!parse_number(line, strlen(line), MAX_WEIGHT, &value) || !value) {
		errno = EINVAL;
		return false;
	}
	*weight = value;
	return true;
}

bool read_global_weights(const char *dir, struct ratio *ratio)
{
	DIR *files = opendir(dir);
	struct dirent *file;
	unsigned long node;
	bool good = true;

	memset(ratio, 0, sizeof(*ratio));
	if (!files)
		return false;
	while (good && (file = readdir(files))) {
		const char *number = file->d_name + 4;

		if (strncmp(file->d_name, "node", 4) ||
		    !parse_number(number, strlen(number), MAX_NODES - 1, &node))
			continue;
		/* A node that goes away meanwhile has no weight */
		good = read_weight(dir, node, &ratio->weight[node]) ||
		       errno == ENOENT;
	}
	closedir(files);
	return good;
}

/* 1 and 0 are the file's values, -1: there is no such file */
static int read_auto(const char *dir)
{
	char path[PATH_MAX], line[32];

	snprintf(path, sizeof(path), "%s/auto", dir);
	if (!read_line(path, line, sizeof(line)))
		return -1;
	return !strcmp(line, "true");
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

static int complain_weights(const char *dir)
{
	if (errno == ENOENT) {
		warnx("weights: there is no %s: this kernel has no weighted interleaving",
		      dir);
		return STATUS_UNAVAILABLE;
	}
	warn("weights: cannot read the weights in %s", dir);
	return STATUS_FAILED;
}

static int complain_write(const char *path)
{
	if (errno == EACCES || errno == EPERM)
		warn("weights: only root may write %s, and not in every container",
		     path);
	else
		warn("weights: cannot write %s", path);
	return STATUS_FAILED;
}

static bool write_value(int file, const char *text)
{
	ssize_t len = strlen(text);
	ssize_t done = pwrite(file, text, len, 0);

	if (done >= 0 && done != len)
		errno = EIO;
	return done == len;
}

static int write_auto(const char *dir)
{
	char path[PATH_MAX];
	int status = STATUS_OK;
	int file;

	snprintf(path, sizeof(path), "%s/auto", dir);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0 && errno == ENOENT) {
		warnx("weights: this kernel derives no weights (there is no %s): set them",
		      path);
		return STATUS_UNAVAILABLE;
	}
	if (file < 0)
		return complain_write(path);
	if (!write_value(file, "true\n"))
		status = complain_write(path);
	close(file);
	return status;
}

static bool check_nodes(const char *dir, const struct ratio *wanted,
			const struct ratio *present)
{
	char list[1024];
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (!wanted->weight[i] || present->weight[i])
			continue;
		format_nodes(present, list, sizeof(list));
		warnx("weights: node %d has no weight in %s: nodes with one are %s",
		      i, dir, *list ? list : "none");
		return false;
	}
	return true;
}

/* Back to what was before; @nodes and later ones have not been written */
static void undo(const char *dir, const struct saved_weights *saved,
		 const int *files, int nodes)
{
	char text[8];
	int i;

	if (saved->automatic) {
		write_auto(dir);
		return;
	}
	for (i = 0; i < nodes; i++) {
		if (files[i] < 0)
			continue;
		snprintf(text, sizeof(text), "%u\n", saved->weights.weight[i]);
		if (!write_value(files[i], text))
			warnx("weights: node %d keeps its new weight", i);
	}
}

/* Opens all before the first is written: most failures come to light here */
static int open_files(const char *dir, const struct ratio *wanted, int *files)
{
	char path[PATH_MAX];
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (!wanted->weight[i])
			continue;
		snprintf(path, sizeof(path), "%s/node%d", dir, i);
		files[i] = open(path, O_WRONLY | O_CLOEXEC);
		if (files[i] < 0)
			return complain_write(path);
	}
	return STATUS_OK;
}

static int write_files(const char *dir, const struct ratio *wanted,
		       const struct saved_weights *saved, const int *files)
{
	char text[PATH_MAX];
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (files[i] < 0)
			continue;
		snprintf(text, sizeof(text), "%u\n", wanted->weight[i]);
		if (write_value(files[i], text))
			continue;
		snprintf(text, sizeof(text), "%s/node%d", dir, i);
		complain_write(text);
		undo(dir, saved, files, i);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int write_weights(const char *dir, const struct ratio *wanted,
			 const struct saved_weights *saved)
{
	int files[MAX_NODES];
	int i, status;

	for (i = 0; i < MAX_NODES; i++)
		files[i] = -1;
	status = open_files(dir, wanted, files);
	if (!status)
		status = write_files(dir, wanted, saved, files);
	for (i = 0; i < MAX_NODES; i++) {
		if (files[i] >= 0)
			close(files[i]);
	}
	return status;
}

static int change(const char *dir, char **arguments)
{
	static struct saved_weights saved;
	static struct ratio wanted;

	for (; *arguments; arguments++) {
		if (!parse_ratio(*arguments, &wanted))
			return STATUS_USAGE;
	}
	if (!read_global_weights(dir, &saved.weights))
		return complain_weights(dir);
	if (!check_nodes(dir, &wanted, &saved.weights))
		return STATUS_USAGE;
	saved.automatic = read_auto(dir) > 0;
	return write_weights(dir, &wanted, &saved);
}

static int show(const struct weights_options *options)
{
	static struct ratio ratio;
	int automatic;

	if (!read_global_weights(options->dir, &ratio))
		return complain_weights(options->dir);
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
