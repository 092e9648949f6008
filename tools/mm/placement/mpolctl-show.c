// SPDX-License-Identifier: GPL-2.0
/* mpolctl show: the policy of each mapping of a process, and where its pages are */
#include "mpolctl.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "global-weights.h"
#include "mpolctl-print.h"
#include "mpolctl-summary.h"
#include "numa-maps.h"

#define MAX_SECONDS	86400

static const char show_help[] =
	"Usage: mpolctl show [OPTION]... PID\n"
	"       mpolctl show [OPTION]... --file PATH\n"
	"       mpolctl show [OPTION]... --summary NAME\n"
	"\n"
	"Shows each mapping of a process: its policy, the pages that it has on each node,\n"
	"their share, and for interleaved mappings the share that the policy asks for,\n"
	"marked | in the bar. A PAGE is of the size in that column; a huge page that\n"
	"hugetlbfs does not know of (THP) counts as the pages it consists of. Under the\n"
	"mappings stands what all of them have on each node, in KiB.\n"
	"\n"
	"  --summary NAME     what all processes of that name have on each node, in KiB\n"
	"  -w, --weights LIST expect this ratio, as in 0=5,1=1, not the global weights\n"
	"  --file PATH        read a saved copy of /proc/PID/numa_maps\n"
	"  --dir DIR          take the global weights from DIR, not\n"
	"                     " WEIGHT_DIR "\n"
	"  --json             print JSON, one line a time\n"
	"  --watch[=SECONDS]  again every 2 seconds, or SECONDS, until the process ends\n"
	"  -h, --help         this text\n"
	"\n"
	"The expected share is that of the weights which a task or a mapping has of its\n"
	"own, else of the global ones. With --file the latter are unknown unless --weights\n"
	"or --dir is given.\n"
	"\n"
	"Exit status: 0 done; 1 failed; 2 bad arguments; 3 this kernel has no numa_maps.\n";

enum {
	OPTION_DIR = 1,
	OPTION_FILE,
	OPTION_JSON,
	OPTION_SUMMARY,
	OPTION_WATCH,
};

struct show_options {
	struct view view;
	const char *dir;
	const char *file;
	const char *summary;
	unsigned long seconds;	/* 0: once */
	bool json;
	bool help;
};

static bool parse_seconds(const char *text, unsigned long *seconds)
{
	*seconds = 2;
	if (!text || (parse_number(text, strlen(text), MAX_SECONDS, seconds) &&
		      *seconds))
		return true;
	warnx("show: '%s' is not an interval: use 1 to %d seconds", text,
	      MAX_SECONDS);
	return false;
}

static bool parse_option(int option, struct show_options *options)
{
	switch (option) {
	case OPTION_DIR:
		options->dir = optarg;
		return true;
	case OPTION_FILE:
		options->file = optarg;
		return true;
	case OPTION_HELP:
		options->help = true;
		return true;
	case OPTION_JSON:
		options->json = true;
		return true;
	case OPTION_SUMMARY:
		options->summary = optarg;
		return true;
	case OPTION_WATCH:
		return parse_seconds(optarg, &options->seconds);
	default:
		options->view.source = FROM_OPTION;
		return parse_ratio(optarg, &options->view.ratio);
	}
}

static bool parse_options(int argc, char **argv, struct show_options *options)
{
	static const struct option known[] = {
		{ "dir",	required_argument,	NULL, OPTION_DIR },
		{ "file",	required_argument,	NULL, OPTION_FILE },
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "json",	no_argument,		NULL, OPTION_JSON },
		{ "summary",	required_argument,	NULL, OPTION_SUMMARY },
		{ "watch",	optional_argument,	NULL, OPTION_WATCH },
		{ "weights",	required_argument,	NULL, OPTION_WEIGHTS },
		{}
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hw:", known, NULL)) != -1) {
		if (option == '?' || option == ':') {
			complain_option("mpolctl show", argv, option);
			return false;
		}
		if (!parse_option(option, options))
			return false;
		if (options->help)
			return true;
	}
	return true;
}

static bool check_summary(const struct show_options *options, const char *pid)
{
	if (pid || options->file || options->dir || options->view.source == FROM_OPTION) {
		warnx("show: --summary goes with --json and --watch alone");
		return false;
	}
	if (*options->summary)
		return true;
	warnx("show: '' is no name of processes");
	return false;
}

static bool check_options(struct show_options *options, char **arguments)
{
	const char *pid = *arguments;

	if (options->summary)
		return check_summary(options, pid);
	if (options->file && pid) {
		warnx("show: a PID and --file exclude each other: use one");
		return false;
	}
	if (options->file && options->seconds) {
		warnx("show: --watch needs a process: give a PID, not --file");
		return false;
	}
	if (options->file)
		return true;
	if (!pid || arguments[1]) {
		warnx("show: %s: give one PID, or --file PATH",
		      pid ? "more than one argument" : "no PID");
		return false;
	}
	if (parse_number(pid, strlen(pid), INT_MAX, &options->view.pid) &&
	    options->view.pid)
		return true;
	warnx("show: '%s' is not a PID: give the number of a process", pid);
	return false;
}

/* Before each showing: the global weights may have changed */
static bool find_ratio(const struct show_options *options, struct view *view)
{
	const char *dir = options->dir ? options->dir : WEIGHT_DIR;

	if (view->source == FROM_OPTION || (options->file && !options->dir))
		return true;
	if (read_global_weights(dir, &view->ratio)) {
		view->source = FROM_GLOBAL;
		return true;
	}
	view->source = FROM_NOWHERE;
	if (!options->dir && errno == ENOENT)
		return true;
	warn("show: cannot read the weights in %s", dir);
	return false;
}

static int complain_open(const struct show_options *options, const char *path)
{
	char process[32];

	if (options->file || (errno != ENOENT && errno != ESRCH)) {
		warn("show: cannot read %s%s", path,
		     !options->file && errno == EACCES ?
		     geteuid() ? " (only root and its owner may)" :
				 " (nor may root in every container)" : "");
		return STATUS_FAILED;
	}
	snprintf(process, sizeof(process), "/proc/%lu", options->view.pid);
	if (!access(process, F_OK)) {
		warnx("show: there is no %s: this kernel is built without NUMA",
		      path);
		return STATUS_UNAVAILABLE;
	}
	warnx("show: there is no process %lu", options->view.pid);
	return STATUS_FAILED;
}

static bool print_lines(FILE *maps, const char *path, FILE *out,
			const struct printer *printer, struct view *view)
{
	static struct mapping mapping;
	char *line = NULL;
	size_t size = 0;
	bool good = true;

	while (good && getline(&line, &size, maps) >= 0) {
		good = parse_mapping(line, &mapping);
		if (!good) {
			warnx("show: %s: line %lu is not one of numa_maps",
			      path, view->all.mappings + 1);
			break;
		}
		printer->mapping(out, view, &mapping);
		view->weighted |= mapping.placing == PLACED_BY_WEIGHT;
		view->cut |= mapping.cut;
		add_mapping(&view->all, &mapping);
	}
	free(line);
	if (good && ferror(maps))
		warn("show: cannot read %s", path);
	return good && !ferror(maps);
}

/* All is read before the first character is shown: no half tables */
static int print_maps(const struct show_options *options, FILE *maps,
		      const char *path, struct view *view)
{
	const struct printer *printer =
		options->json ? &json_printer : &table_printer;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool good;

	if (!out) {
		warnx("show: no memory for the table");
		return STATUS_FAILED;
	}
	printer->begin(out, view);
	good = print_lines(maps, path, out, printer, view);
	printer->end(out, view);
	if (fclose(out)) {
		warnx("show: no memory for the table");
		good = false;
	}
	if (good && view->all.mappings) {
		if (options->seconds && isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		fwrite(text, 1, size, stdout);
	}
	free(text);
	return good ? STATUS_OK : STATUS_FAILED;
}

/* One showing; *@mappings is what was found */
static int show_once(const struct show_options *options,
		     unsigned long *mappings)
{
	static struct view view;
	char path[PATH_MAX];
	int status;
	FILE *maps;

	view = options->view;
	if (!find_ratio(options, &view))
		return STATUS_FAILED;
	if (options->file)
		snprintf(path, sizeof(path), "%s", options->file);
	else
		snprintf(path, sizeof(path), "/proc/%lu/numa_maps", view.pid);
	maps = fopen(path, "re");
	if (!maps)
		return complain_open(options, path);
	status = print_maps(options, maps, path, &view);
	fclose(maps);
	*mappings = view.all.mappings;
	return status;
}

static bool process_exists(unsigned long pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%lu", pid);
	return !access(path, F_OK);
}

/* Until the process has no memory any more */
static int watch(const struct show_options *options)
{
	unsigned long mappings = 1;
	int status = STATUS_OK;

	do {
		fflush(stdout);
		sleep(options->seconds);
		if (!process_exists(options->view.pid))
			break;
		status = show_once(options, &mappings);
		if (status && !process_exists(options->view.pid))
			return STATUS_OK;
	} while (!status && mappings && !ferror(stdout));
	return status;
}

static int complain_empty(const struct show_options *options)
{
	if (options->file)
		warnx("show: %s is empty: it is no copy of numa_maps",
		      options->file);
	else
		warnx("show: process %lu has no memory: it has ended, or is a kernel thread",
		      options->view.pid);
	return STATUS_FAILED;
}

/* Until there is none of them any more */
static int show_summary(const struct show_options *options)
{
	unsigned long processes;
	int status;

	if (access("/proc/self/numa_maps", F_OK)) {
		warnx("show: there is no numa_maps: this kernel is built without NUMA");
		return STATUS_UNAVAILABLE;
	}
	status = summarize(options->summary, options->json, &processes);
	if (!status && !processes) {
		warnx("show: no process with memory is called %s", options->summary);
		return STATUS_FAILED;
	}
	while (!status && processes && options->seconds && !ferror(stdout)) {
		fflush(stdout);
		sleep(options->seconds);
		if (isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		status = summarize(options->summary, options->json, &processes);
	}
	return status;
}

int show_command(int argc, char **argv)
{
	static struct show_options options;
	unsigned long mappings = 0;
	int status;

	if (!parse_options(argc, argv, &options))
		return STATUS_USAGE;
	if (options.help)
		return print_help(show_help);
	if (!check_options(&options, argv + optind))
		return STATUS_USAGE;

	if (options.summary)
		return show_summary(&options);
	status = show_once(&options, &mappings);
	if (status)
		return status;
	if (!mappings)
		return complain_empty(&options);
	return options.seconds ? watch(&options) : STATUS_OK;
}
