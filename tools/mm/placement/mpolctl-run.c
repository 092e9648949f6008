// SPDX-License-Identifier: GPL-2.0
/* mpolctl run: one command with weights of its own */
#include "mpolctl.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "mempolicy2.h"

#define NODE_DIR	"/sys/devices/system/node"
#define MAX_LINE	4096
#define WORD_BITS	(8 * sizeof(unsigned long))

static const char run_help[] =
	"Usage: mpolctl run --weights NODE=WEIGHT[,NODE=WEIGHT]... [--static|--relative]\n"
	"                   [--] COMMAND [ARGUMENT]...\n"
	"\n"
	"Runs COMMAND with the memory policy \"weighted interleave\" over the given nodes,\n"
	"with weights (1 to 255) of its own: --weights 0=5,1=1 puts 5 pages of 6 on node\n"
	"0. Needs no privilege and leaves the global weights alone.\n"
	"\n"
	"  -w, --weights LIST  nodes and their weights\n"
	"  --static            keep to these nodes when the cpuset changes\n"
	"  --relative          count nodes from the first one that the cpuset allows\n"
	"  -h, --help          this text\n"
	"\n"
	"Exit status: 125 when mpolctl itself fails, 126 when COMMAND cannot be run, 127\n"
	"when it is not found, else the status of COMMAND.\n";

enum {
	OPTION_RELATIVE = 1,
	OPTION_STATIC,
};

struct run_options {
	struct ratio ratio;
	bool weights;
	bool help;
	unsigned int mode_flags;
};

static bool parse_options(int argc, char **argv, struct run_options *options)
{
	static const struct option known[] = {
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "relative",	no_argument,		NULL, OPTION_RELATIVE },
		{ "static",	no_argument,		NULL, OPTION_STATIC },
		{ "weights",	required_argument,	NULL, OPTION_WEIGHTS },
		{}
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:hw:", known, NULL)) != -1) {
		switch (option) {
		case OPTION_HELP:
			options->help = true;
			return true;
		case OPTION_RELATIVE:
			options->mode_flags |= MPOL_F_RELATIVE_NODES;
			break;
		case OPTION_STATIC:
			options->mode_flags |= MPOL_F_STATIC_NODES;
			break;
		case OPTION_WEIGHTS:
			options->weights = true;
			if (!parse_ratio(optarg, &options->ratio))
				return false;
			break;
		default:
			complain_option("mpolctl run", argv, option);
			return false;
		}
	}
	return true;
}

static bool check_options(const struct run_options *options, char **command)
{
	if (!options->weights) {
		warnx("run: no weights: add --weights, as in --weights 0=5,1=1");
		return false;
	}
	if (options->mode_flags ==
	    (MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES)) {
		warnx("run: --static and --relative exclude each other: use one");
		return false;
	}
	if (!*command) {
		warnx("run: no command: name it after the options");
		return false;
	}
	return true;
}

/* True when all nodes of @ratio are in @list, or @list cannot be understood */
static bool nodes_are_in(const struct ratio *ratio, const char *list,
			 const char *meaning)
{
	static struct nodes nodes;
	int i;

	if (!parse_nodes(list, &nodes))
		return true;
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i] || nodes.in[i])
			continue;
		warnx("run: node %d %s: use nodes out of %s", i, meaning, list);
		return false;
	}
	return true;
}

/* The kernel leaves out such nodes without a word, and the ratio with them */
static bool check_nodes(const struct run_options *options)
{
	char list[MAX_LINE];

	if (options->mode_flags & MPOL_F_RELATIVE_NODES)
		return true;
	if (read_line(NODE_DIR "/has_memory", list, sizeof(list)) &&
	    !nodes_are_in(&options->ratio, list, "has no memory"))
		return false;
	if (options->mode_flags & MPOL_F_STATIC_NODES)
		return true;
	return !read_allowed_nodes(list, sizeof(list)) ||
	       nodes_are_in(&options->ratio, list,
			    "is not allowed by the cpuset");
}

static bool set_policy(const struct run_options *options)
{
	unsigned long mask[MAX_NODES / WORD_BITS] = {};
	struct mpol_param param = {
		.mode = MPOL_WEIGHTED_INTERLEAVE,
		.mode_flags = options->mode_flags,
		.pol_maxnodes = MAX_NODES,
		.pol_nodes = mpol_address(mask),
		.il_weights = mpol_address(options->ratio.weight),
	};
	size_t i;

	if (!mempolicy2_available()) {
		warn("run: set_mempolicy2 is not available here; %s",
		     errno == EPERM ?
		     "a filter of system calls, as containers have, forbids it" :
		     "this kernel lacks it, or a filter hides it");
		return false;
	}
	for (i = 0; i < MAX_NODES; i++) {
		if (options->ratio.weight[i])
			mask[i / WORD_BITS] |= 1UL << i % WORD_BITS;
	}
	if (!set_mempolicy2(&param, sizeof(param), 0))
		return true;

	if (errno == EINVAL)
		warnx("run: the kernel refuses these nodes: use some that the cpuset allows");
	else
		warn("run: set_mempolicy2");
	return false;
}

int run_command(int argc, char **argv)
{
	static struct run_options options;
	int status;

	if (!parse_options(argc, argv, &options))
		return STATUS_RUN_FAILED;
	if (options.help)
		return print_help(run_help);

	argv += optind;
	if (!check_options(&options, argv) || !check_nodes(&options) ||
	    !set_policy(&options))
		return STATUS_RUN_FAILED;

	execvp(argv[0], argv);
	status = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	warn("run: cannot run '%s'", argv[0]);
	return status;
}
