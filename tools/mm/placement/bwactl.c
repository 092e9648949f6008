// SPDX-License-Identifier: GPL-2.0
/*
 * bwactl - measure the bandwidth between nodes, and derive the weights of
 * weighted interleaving from it
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bwactl-fit.h"
#include "bwactl-groups.h"
#include "bwactl-json.h"
#include "bwactl-known.h"
#include "bwactl-machine.h"
#include "bwactl-matrix.h"
#include "bwactl-measure.h"
#include "bwactl-mixes.h"
#include "bwactl-plan.h"
#include "bwactl-print.h"
#include "bwactl-recorded.h"
#include "bwactl-report.h"
#include "bwactl-tune.h"
#include "common.h"
#include "global-weights.h"

#define MAX_SECONDS	3600

static const char help[] =
	"Usage: bwactl [OPTION]...\n"
	"       bwactl tune [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	"\n"
	"Measures the bandwidth from the CPUs of each node to the memory of each node, and\n"
	"prints the weights for weighted interleaving that use all of it. \"tune\" finds them\n"
	"by running COMMAND instead: see bwactl tune --help.\n"
	"\n"
	"  --apply            write the weights, all or none; needs root\n"
	"  --force            even when runs differ by more than 10 %\n"
	"  --topology GROUPS  the nodes that belong together, as in [[0,2],[1,3]];\n"
	"                     otherwise the nodes of each package and the memory near it\n"
	"  --max-weight N     the best ratio of weights up to N (1 to 255), in place of the\n"
	"                     shortest one within 4 % of the bandwidths\n"
	"  --verify           use a buffer with these weights; is it as fast as all nodes\n"
	"                     together?\n"
	"  --mix MIX          what to measure, read if not given:\n";

static const char more_help[] =
	"  --runtime SECONDS  how long to measure each pair of nodes, 2 if not given\n"
	"  --buffer SIZE      how much memory to measure with, as in 256M\n"
	"  --from-hmat        measure nothing, take what firmware tells\n"
	"  --from FILE        measure nothing, take lines of FROM TO MB/S [NS], or what\n"
	"                     bwactl, bwactl --json or Intel's mlc have printed\n"
	"  --json             print JSON\n"
	"  --sysfs DIR        use a copy of /sys in DIR, measure nothing\n"
	"  -h, --help         this text\n"
	"  -V, --version      the version\n"
	"\n"
	"Exit status: 0 done; 1 failed, and no weight was changed; 2 bad arguments; 3 not\n"
	"available here, because this kernel lacks it.\n";

enum {
	OPTION_APPLY = 1,
	OPTION_BUFFER,
	OPTION_FORCE,
	OPTION_FROM,
	OPTION_HMAT,
	OPTION_JSON,
	OPTION_MAX_WEIGHT,
	OPTION_MIX,
	OPTION_RUNTIME,
	OPTION_SYSFS,
	OPTION_TOPOLOGY,
	OPTION_VERIFY,
};

struct options {
	const char *topology;
	const char *from;
	const char *sysfs;
	struct fit_rule rule;
	struct request request;
	bool apply;
	bool force;
	bool help;
	bool json;
	bool hmat;
	bool verify;
	bool version;
	bool measuring;		/* an option that only measuring needs */
};

static bool parse_max_weight(const char *text, struct fit_rule *rule)
{
	unsigned long weight;

	if (!parse_number(text, strlen(text), MAX_WEIGHT, &weight) || !weight) {
		warnx("--max-weight: '%s' is not a weight: weights are 1 to %d",
		      text, MAX_WEIGHT);
		return false;
	}
	rule->max_weight = weight;
	rule->per_mille = 0;
	return true;
}

static bool parse_mix(const char *text, struct request *request)
{
	for (request->mix = mixes; request->mix->name; request->mix++) {
		if (!strcmp(request->mix->name, text))
			return true;
	}
	warnx("--mix: '%s' is not a mix: bwactl --help has them all", text);
	return false;
}

static bool parse_seconds(const char *text, struct request *request)
{
	char *end = NULL;

	if (isdigit((unsigned char)*text) &&
	    !text[strspn(text, "0123456789.")])
		request->seconds = strtod(text, &end);
	if (end && !*end && request->seconds >= 0.01 &&
	    request->seconds <= MAX_SECONDS)
		return true;
	warnx("--runtime: '%s' is not a time: use 0.01 to %d seconds", text,
	      MAX_SECONDS);
	return false;
}

static bool parse_size(const char *text, struct request *request)
{
	if (parse_bytes(text, &request->buffer))
		return true;
	warnx("--buffer: '%s' is not a size: write it like 256M or 4G", text);
	return false;
}

static bool parse_option(int option, struct options *options)
{
	switch (option) {
	case OPTION_APPLY:
		options->apply = true;
		return true;
	case OPTION_BUFFER:
		options->measuring = true;
		return parse_size(optarg, &options->request);
	case OPTION_FORCE:
		options->force = true;
		return true;
	case OPTION_FROM:
		options->from = optarg;
		return true;
	case OPTION_HMAT:
		options->hmat = true;
		return true;
	case OPTION_JSON:
		options->json = true;
		return true;
	case OPTION_MAX_WEIGHT:
		return parse_max_weight(optarg, &options->rule);
	case OPTION_MIX:
		options->measuring = true;
		return parse_mix(optarg, &options->request);
	case OPTION_RUNTIME:
		options->measuring = true;
		return parse_seconds(optarg, &options->request);
	case OPTION_SYSFS:
		options->sysfs = optarg;
		return true;
	case OPTION_TOPOLOGY:
		options->topology = optarg;
		return true;
	case OPTION_VERIFY:
		options->verify = true;
		return true;
	case OPTION_VERSION:
		options->version = true;
		return true;
	default:
		options->help = true;
		return true;
	}
}

static bool parse_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "apply",	no_argument,		NULL, OPTION_APPLY },
		{ "buffer",	required_argument,	NULL, OPTION_BUFFER },
		{ "force",	no_argument,		NULL, OPTION_FORCE },
		{ "from",	required_argument,	NULL, OPTION_FROM },
		{ "from-hmat",	no_argument,		NULL, OPTION_HMAT },
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "json",	no_argument,		NULL, OPTION_JSON },
		{ "max-weight",	required_argument,	NULL,
		  OPTION_MAX_WEIGHT },
		{ "mix",	required_argument,	NULL, OPTION_MIX },
		{ "runtime",	required_argument,	NULL, OPTION_RUNTIME },
		{ "sysfs",	required_argument,	NULL, OPTION_SYSFS },
		{ "topology",	required_argument,	NULL,
		  OPTION_TOPOLOGY },
		{ "verify",	no_argument,		NULL, OPTION_VERIFY },
		{ "version",	no_argument,		NULL, OPTION_VERSION },
		{}
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hV", known, NULL)) != -1) {
		if (option == '?' || option == ':') {
			complain_option("bwactl", argv, option);
			return false;
		}
		if (!parse_option(option, options))
			return false;
		if (options->help || options->version)
			return true;
	}
	return true;
}

static bool check_options(const struct options *options, const char *argument)
{
	const char *known = options->hmat ? "--from-hmat" : "--from";

	if (argument) {
		warnx("'%s' is too much: there are only options", argument);
		return false;
	}
	if (options->hmat && options->from) {
		warnx("--from-hmat and --from exclude each other: use one");
		return false;
	}
	if (options->measuring && !options->verify &&
	    (options->hmat || options->from)) {
		warnx("--mix, --runtime and --buffer are for measuring, which %s does not",
		      known);
		return false;
	}
	if (options->force && !options->apply) {
		warnx("--force is for --apply: add that");
		return false;
	}
	if (options->sysfs && !options->hmat && !options->from) {
		warnx("--sysfs: a copy cannot be measured: add --from-hmat or --from");
		return false;
	}
	if (options->sysfs && options->verify) {
		warnx("--sysfs: a copy cannot be measured: leave out --verify");
		return false;
	}
	return true;
}

static int print_usage(void)
{
	const struct mix *mix;

	print_help(help);
	for (mix = mixes; mix->name; mix++)
		printf("    %-10s         %s\n", mix->name, mix->meaning);
	return print_help(more_help);
}

/* Better before minutes of measuring than after them */
static int check_writable(const struct machine *machine)
{
	char dir[PATH_MAX - 16], path[PATH_MAX];
	int i;

	weight_directory(machine, dir, sizeof(dir));
	if (access(dir, F_OK))
		return complain_weights(dir);
	for (i = next_node(&machine->memory, -1); i >= 0;
	     i = next_node(&machine->memory, i)) {
		snprintf(path, sizeof(path), "%s/node%d", dir, i);
		if (!access(path, W_OK))
			continue;
		warn("--apply: cannot write %s%s", path, errno == EACCES ?
		     ": only root may, bwactl without --apply needs no root" :
		     "");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* All nodes that are in a group */
static void unite_groups(const struct groups *groups, struct report *report)
{
	size_t g;
	int i;

	for (g = 0; g < groups->count; g++) {
		for (i = 0; i < MAX_NODES; i++) {
			report->from.in[i] |= groups->group[g].compute.in[i];
			report->to.in[i] |= groups->group[g].memory.in[i];
		}
	}
}

static bool find_bandwidths(const struct options *options,
			    struct report *report, struct matrix *matrix)
{
	if (options->hmat) {
		report->source = "firmware";
		return read_tables(report->machine, matrix);
	}
	if (options->from) {
		report->source = "file";
		return read_recorded(options->from, report->machine, matrix);
	}
	report->source = "measured";
	report->mix = options->request.mix->name;
	restrict_nodes(report->machine, &report->from, &report->to);
	return measure_all(report->machine, &options->request, &report->from,
			   &report->to, matrix);
}

static bool find_weights(struct report *report)
{
	const struct groups *groups = report->groups;
	size_t g;

	report->plans = calloc(groups->count, sizeof(*report->plans));
	if (!report->plans) {
		warn("cannot find weights");
		return false;
	}
	report->complete = true;
	for (g = 0; g < groups->count; g++) {
		plan_weights(report->matrix, &report->rule,
			     &groups->group[g].compute, &groups->group[g].memory,
			     &report->plans[g]);
		report->complete &= report->plans[g].unknown < 0;
	}
	report->conflict = merge_plans(&report->rule, report->plans,
				       groups->count, &report->ratio);
	return true;
}

static bool has_weights(const struct ratio *ratio)
{
	static const struct ratio none;

	return memcmp(ratio, &none, sizeof(none));
}

static int refuse_to_apply(const struct report *report)
{
	if (report->conflict >= 0)
		warnx("--apply: packages want different weights for node %d: no weight was written",
		      report->conflict);
	else if (report->complete)
		warnx("--apply: no memory belongs to these CPUs: no weight was written");
	else
		warnx("--apply: not all bandwidths are known: no weight was written");
	return STATUS_FAILED;
}

static int refuse_noise(const struct report *report)
{
	warnx("--apply: runs differ by %.0f%%: no weight was written: measure longer, or --force",
	      100 * report->matrix->spread);
	return STATUS_FAILED;
}

/* Whoever ends it now learns what was written, and how to go back */
static int apply(const struct options *options, struct report *report)
{
	char dir[PATH_MAX];
	sigset_t all, old;
	int status;

	if (report->conflict >= 0 || !report->complete ||
	    !has_weights(&report->ratio))
		return refuse_to_apply(report);
	if (100 * report->matrix->spread > NOISY && !options->force)
		return refuse_noise(report);
	weight_directory(report->machine, dir, sizeof(dir));
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	status = change_weights(dir, &report->ratio, &report->saved);
	if (!status) {
		report->applied = true;
		print_way_back(report, options->json ? stderr : stdout);
		fflush(stdout);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}

static int verify_all(const struct options *options, struct report *report)
{
	const struct groups *groups = report->groups;
	size_t g;

	report->verdicts = calloc(groups->count, sizeof(*report->verdicts));
	if (!report->verdicts) {
		warn("cannot verify");
		return STATUS_FAILED;
	}
	for (g = 0; g < groups->count; g++) {
		if (report->plans[g].unknown >= 0 ||
		    !count_nodes(&groups->group[g].memory))
			continue;
		if (!verify_group(report->machine, &options->request,
				  &groups->group[g], &report->plans[g],
				  &report->verdicts[g]))
			return STATUS_FAILED;
	}
	if (!options->json)
		print_verdicts(report);
	return STATUS_OK;
}

/* A full disk must not look like success */
static int finish(int status)
{
	static bool complained;

	if (!ferror(stdout) && !fflush(stdout))
		return status;
	if (!complained)
		warnx("cannot write the output: %s", strerror(errno));
	complained = true;
	return STATUS_FAILED;
}

/* What failed, or nobody could read, has changed no weight */
static int take_back(struct report *report)
{
	char dir[PATH_MAX];
	sigset_t all, old;

	weight_directory(report->machine, dir, sizeof(dir));
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (!restore_weights(dir, &report->ratio, &report->saved))
		report->applied = false;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return STATUS_FAILED;
}

/* What can be seen is said before anything is changed */
static int conclude(const struct options *options, struct report *report)
{
	int status = report->complete ? STATUS_OK : STATUS_FAILED;

	/* Whose output nobody reads has to live to take back what it has written. */
	if (options->apply)
		signal(SIGPIPE, SIG_IGN);
	if (!options->json)
		print_report(report);
	if (finish(STATUS_OK))
		return STATUS_FAILED;
	if (options->apply)
		status = apply(options, report);
	if (!status && options->verify)
		status = verify_all(options, report);
	if (status && report->applied)
		status = take_back(report);
	if (options->json)
		print_report_json(report);
	if (report->applied && finish(STATUS_OK))
		return take_back(report);
	return status;
}

static int run(const struct options *options)
{
	static struct machine machine;
	static struct groups groups;
	static struct matrix matrix;
	static struct report report;
	int status;

	status = read_machine(options->sysfs ? options->sysfs : "/sys",
			      &machine);
	if (status)
		return status;
	if (!options->topology)
		group_by_package(&machine, &groups);
	else if (!parse_topology(options->topology, &machine, &groups))
		return STATUS_USAGE;
	if (!groups.count) {
		warnx("no node in %s/devices/system/node has CPUs: weights are for CPUs",
		      machine.sysfs);
		return STATUS_FAILED;
	}
	if (count_nodes(&machine.memory) == 1)
		warnx("note: only node %d has memory: there is nothing to interleave over",
		      next_node(&machine.memory, -1));
	if (options->apply) {
		status = check_writable(&machine);
		if (status)
			return status;
	}
	report.machine = &machine;
	report.groups = &groups;
	report.matrix = &matrix;
	report.rule = options->rule;
	unite_groups(&groups, &report);
	if (!find_bandwidths(options, &report, &matrix) ||
	    !find_weights(&report))
		return STATUS_FAILED;
	return conclude(options, &report);
}

int main(int argc, char **argv)
{
	struct options options = {
		.rule = { .max_weight = MAX_WEIGHT, .per_mille = FIT_PER_MILLE },
		.request = { .mix = mixes, .seconds = 2 },
	};

	if (argc > 1 && !strcmp(argv[1], "tune"))
		return finish(tune_command(argc - 1, argv + 1));
	if (!parse_options(argc, argv, &options))
		return STATUS_USAGE;
	if (options.help)
		return finish(print_usage());
	if (options.version) {
		puts("bwactl " VERSION);
		return finish(STATUS_OK);
	}
	if (!check_options(&options, argv[optind]))
		return STATUS_USAGE;
	return finish(run(&options));
}
