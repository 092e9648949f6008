// SPDX-License-Identifier: GPL-2.0
/* bwactl tune: runs a command with other weights each time, and says which were best */
#include "bwactl-tune.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bwactl-fit.h"
#include "bwactl-machine.h"
#include "bwactl-search.h"
#include "common.h"
#include "global-weights.h"
#include "weighted.h"

#define RUNS		8
#define MAX_RUNS	64
#define MAX_LINE	4096
#define LEAST_START	0.05	/* share of slow nodes */
#define MAX_TEXT	(MAX_NODES * sizeof("1023=255,"))

static const char tune_help[] =
	"Usage: bwactl tune [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	"\n"
	"Runs COMMAND with several weights of its own, and prints with which it is fastest.\n"
	"What it prints goes to standard error.\n"
	"\n"
	"  --number TEXT      go by the number behind TEXT in what it prints, where more is\n"
	"                     better, in place of its run time; of several, the last\n"
	"  --less             less of that number is better\n"
	"  --slow NODES       the nodes whose share is looked for, those without CPUs if not\n"
	"                     given\n"
	"  --runs N           at most so many runs, 3 to 64, 8 if not given\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0 found; 1 failed, COMMAND among others; 2 bad arguments; 3 not\n"
	"available here, because this kernel lacks it.\n";

enum {
	OPTION_LESS = 1,
	OPTION_NUMBER,
	OPTION_RUNS,
	OPTION_SLOW,
};

struct tune_options {
	const char *number;
	const char *slow;
	unsigned long runs;
	off_t input;		/* where a file on standard input stands, or -1 */
	bool less;
	bool help;
};

/* What is divided: each of two sets of nodes keeps the ratio that it has in itself */
struct division {
	struct ratio ratio;
	struct nodes slow;
	unsigned int fast_sum, slow_sum;
};

static bool parse_option(int option, struct tune_options *options)
{
	switch (option) {
	case OPTION_HELP:
		options->help = true;
		return true;
	case OPTION_LESS:
		options->less = true;
		return true;
	case OPTION_NUMBER:
		options->number = optarg;
		if (*optarg)
			return true;
		warnx("tune: --number: name the text before the number");
		return false;
	case OPTION_RUNS:
		if (parse_number(optarg, strlen(optarg), MAX_RUNS,
				 &options->runs) && options->runs >= 3)
			return true;
		warnx("tune: --runs: '%s' is not a number of runs: use 3 to %d",
		      optarg, MAX_RUNS);
		return false;
	default:
		options->slow = optarg;
		return true;
	}
}

static bool parse_options(int argc, char **argv, struct tune_options *options)
{
	static const struct option known[] = {
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "less",	no_argument,		NULL, OPTION_LESS },
		{ "number",	required_argument,	NULL, OPTION_NUMBER },
		{ "runs",	required_argument,	NULL, OPTION_RUNS },
		{ "slow",	required_argument,	NULL, OPTION_SLOW },
		{}
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:h", known, NULL)) != -1) {
		if (option == '?' || option == ':') {
			complain_option("bwactl tune", argv, option);
			return false;
		}
		if (!parse_option(option, options))
			return false;
		if (options->help)
			return true;
	}
	if (options->less && !options->number) {
		warnx("tune: --less is for --number: add that");
		return false;
	}
	if (optind == argc) {
		warnx("tune: no command: name it after the options");
		return false;
	}
	return true;
}

/* The nodes that this task may use, with the weights that they have in common */
static void find_nodes(const struct machine *machine, struct nodes *nodes,
		       struct ratio *ratio)
{
	char line[MAX_NODES * 5], dir[256];
	struct nodes allowed;
	struct ratio global;
	bool known;
	int i;

	*nodes = machine->memory;
	if (read_allowed_nodes("self", line, sizeof(line)) && parse_nodes(line, &allowed)) {
		for (i = 0; i < MAX_NODES; i++)
			nodes->in[i] &= allowed.in[i];
	}
	weight_directory(machine, dir, sizeof(dir));
	memset(&global, 0, sizeof(global));
	known = read_global_weights(dir, &global);
	memset(ratio, 0, sizeof(*ratio));
	for (i = next_node(nodes, -1); i >= 0; i = next_node(nodes, i))
		ratio->weight[i] = known && global.weight[i] ? global.weight[i] : 1;
}

static bool find_slow(const struct tune_options *options,
		      const struct machine *machine, const struct nodes *nodes,
		      struct nodes *slow)
{
	char text[MAX_LINE];
	int i;

	format_set(nodes, text, sizeof(text));
	if (!options->slow) {
		for (i = 0; i < MAX_NODES; i++)
			slow->in[i] = nodes->in[i] && !machine->compute.in[i];
	} else if (!parse_nodes(options->slow, slow)) {
		warnx("tune: --slow: '%s' is not a list of nodes: write it like 1 or 2-3",
		      options->slow);
		return false;
	}
	for (i = next_node(slow, -1); i >= 0; i = next_node(slow, i)) {
		if (nodes->in[i])
			continue;
		warnx("tune: --slow: node %d has no memory that may be used: use some of %s",
		      i, text);
		return false;
	}
	if (count_nodes(slow) && count_nodes(slow) < count_nodes(nodes))
		return true;
	if (count_nodes(nodes) == 1)
		warnx("tune: only node %s has memory: there is nothing to interleave over",
		      text);
	else
		warnx("tune: --slow: name some of nodes %s, but not all: their share is looked for",
		      text);
	return false;
}

static int divide(const struct tune_options *options, struct division *division)
{
	static struct machine machine;
	struct nodes nodes;
	int i, status = read_machine("/sys", &machine);

	if (status)
		return status;
	find_nodes(&machine, &nodes, &division->ratio);
	if (!find_slow(options, &machine, &nodes, &division->slow))
		return options->slow ? STATUS_USAGE : STATUS_FAILED;
	for (i = 0; i < MAX_NODES; i++) {
		if (division->slow.in[i])
			division->slow_sum += division->ratio.weight[i];
		else
			division->fast_sum += division->ratio.weight[i];
	}
	return STATUS_OK;
}

/* Small weights near @share; returns the share that they make */
static double find_ratio(const struct division *division, double share,
			 struct ratio *ratio)
{
	static const struct fit_rule rule = {
		.max_weight = MAX_WEIGHT, .per_mille = 10,
	};
	unsigned int parts[MAX_NODES];
	unsigned char weights[MAX_NODES];
	unsigned int slow = 0, all = 0;
	size_t count = 0;
	int i;

	memset(ratio, 0, sizeof(*ratio));
	for (i = 0; i < MAX_NODES; i++) {
		double part = division->slow.in[i] ?
			      share / division->slow_sum :
			      (1 - share) / division->fast_sum;

		part *= division->ratio.weight[i] * (FIT_MAX_MBPS / 2);
		if (!division->ratio.weight[i] || part < 1)
			continue;
		ratio->weight[i] = 1;
		parts[count++] = part;
	}
	fit_weights(&rule, parts, count, weights);
	count = 0;
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i])
			continue;
		ratio->weight[i] = weights[count++];
		all += ratio->weight[i];
		if (division->slow.in[i])
			slow += ratio->weight[i];
	}
	return (double)slow / all;
}

static void format_ratio(const struct ratio *ratio, char *text)
{
	char *end = text;
	int i;

	*text = '\0';
	for (i = 0; i < MAX_NODES; i++) {
		if (ratio->weight[i])
			end += sprintf(end, "%s%d=%u", *text ? "," : "", i,
				       ratio->weight[i]);
	}
}

/* The child: its output goes to @output, and it becomes the command */
static void become_command(const struct ratio *ratio, int output, char **command)
{
	struct weighted policy;

	make_weighted(ratio, 0, &policy);
	if (set_mempolicy2(&policy.param, sizeof(policy.param), 0)) {
		warn("tune: set_mempolicy2");
		_exit(STATUS_FAILED);
	}
	if (dup2(output, STDOUT_FILENO) < 0)
		_exit(STATUS_FAILED);
	execvp(command[0], command);
	warn("tune: cannot run '%s'", command[0]);
	_exit(STATUS_FAILED);
}

/* The number whose first digit is @at, with what belongs to it before that, from @from on */
static const char *with_sign(const char *at, const char *from)
{
	if (at > from && at[-1] == '.' && (at - 1 == from || at[-2] != '.'))
		at--;
	if (at > from && at[-1] == '-')
		at--;
	return at;
}

/* The last number behind @text in what comes from @input, which is passed on; or 0 */
static double read_number(int input, const char *text)
{
	FILE *file = fdopen(input, "r");
	double number = 0;
	char line[MAX_LINE];

	if (!file) {
		close(input);
		return 0;
	}
	while (fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, text), *digits;

		fputs(line, stderr);
		if (!at)
			continue;
		at += strlen(text);
		digits = at + strcspn(at, "0123456789");
		if (*digits)
			number = strtod(with_sign(digits, at), NULL);
	}
	fclose(file);
	return isfinite(number) ? number : 0;
}

static bool complain_status(int status, const char *weights)
{
	if (WIFSIGNALED(status))
		warnx("tune: with --weights %s the command was ended by signal %d",
		      weights, WTERMSIG(status));
	else
		warnx("tune: with --weights %s the command ended with status %d",
		      weights, WEXITSTATUS(status));
	return false;
}

/* One run; @value is in seconds, or the number that it printed */
static bool measure(const struct tune_options *options, char **command,
		    const struct ratio *ratio, const char *weights, double *value)
{
	struct timespec begin, end;
	int status, ends[2] = { -1, STDERR_FILENO };
	pid_t child;

	if (options->number && pipe(ends)) {
		warn("tune: pipe");
		return false;
	}
	fflush(NULL);
	/* A file is read from the same place each time, a pipe has none. */
	if (options->input >= 0)
		lseek(STDIN_FILENO, options->input, SEEK_SET);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	child = fork();
	if (!child) {
		if (options->number)
			close(ends[0]);
		become_command(ratio, ends[1], command);
	}
	if (options->number) {
		close(ends[1]);
		*value = read_number(ends[0], options->number);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		warn("tune: cannot run '%s'", command[0]);
		return false;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return complain_status(status, weights);
	if (!options->number)
		*value = (end.tv_sec - begin.tv_sec) +
			 (end.tv_nsec - begin.tv_nsec) / 1e9;
	if (*value > 0)
		return true;
	warnx("tune: the command printed no number above 0 behind '%s'",
	      options->number ? options->number : "");
	return false;
}

static bool is_new(const struct search_point *points, size_t count, double share)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!are_apart(points[i].share, share))
			return false;
	}
	return true;
}

/* @weights are those of the best run; the first point is the run without slow nodes */
static void conclude(const struct tune_options *options, const char *weights,
		     const struct search_point *points, size_t count)
{
	size_t best = best_point(points, count);
	const char *what = options->number && !options->less ? "more" : "less";
	double factor = points[0].cost / points[best].cost;

	if (!options->number || options->less)
		factor = 1 / factor;
	if (best)
		printf("best: --weights %s, %.1f %% %s than without the slow nodes\n"
		       "use it: mpolctl run --weights %s -- COMMAND\n", weights,
		       100 * fabs(factor - 1), what, weights);
	else
		puts("best: without the slow nodes: leave the command its fast memory");
}

static int search(const struct tune_options *options,
		  const struct division *division, char **command)
{
	static char text[MAX_TEXT], best[MAX_TEXT];
	struct search_point points[MAX_RUNS], point;
	double value = 0, share, start;
	struct ratio ratio;
	size_t count = 0;

	/* The second run, without them, is to be another one. */
	start = (double)division->slow_sum / (division->slow_sum + division->fast_sum);
	if (start < LEAST_START)
		start = LEAST_START;
	if (start > 1 - LEAST_START)
		start = 1 - LEAST_START;
	printf("run  slow share  %12s  weights\n",
	       options->number ? "number" : "seconds");
	while (count < options->runs && next_share(points, count, start, &share)) {
		point.share = find_ratio(division, share, &ratio);
		if (!is_new(points, count, point.share))
			break;
		format_ratio(&ratio, text);
		if (!measure(options, command, &ratio, text, &value))
			return STATUS_FAILED;
		point.cost = options->number && !options->less ? 1 / value : value;
		if (!count || point.cost < points[best_point(points, count)].cost)
			memcpy(best, text, sizeof(best));
		add_point(points, count++, point);
		printf("%3zu  %8.1f %%  %12.6g  %s\n", count, 100 * point.share,
		       value, text);
		fflush(stdout);
	}
	conclude(options, best, points, count);
	return STATUS_OK;
}

int tune_command(int argc, char **argv)
{
	static struct division division;
	struct tune_options options = {
		.runs = RUNS,
		.input = lseek(STDIN_FILENO, 0, SEEK_CUR),
	};
	int status;

	if (!parse_options(argc, argv, &options))
		return STATUS_USAGE;
	if (options.help)
		return print_help(tune_help);
	if (!mempolicy2_available()) {
		warn("tune: set_mempolicy2 is not available here");
		return STATUS_UNAVAILABLE;
	}
	/* Ignored, it would take away how the command has ended. */
	signal(SIGCHLD, SIG_DFL);
	status = divide(&options, &division);
	return status ? status : search(&options, &division, argv + optind);
}
