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
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"
#include "mempolicy2.h"
#include "mpolctl-larger.h"
#include "mpolctl-weighted.h"
#include "weighted.h"

static const char run_help[] =
	"Usage: mpolctl run --weights NODE=WEIGHT[,NODE=WEIGHT]... [--static|--relative]\n"
	"                   [--larger-than SIZE] [--] COMMAND [ARGUMENT]...\n"
	"\n"
	"Runs COMMAND with the memory policy \"weighted interleave\" over the given nodes,\n"
	"with weights (1 to 255) of its own: --weights 0=5,1=1 puts 5 pages of 6 on node\n"
	"0. Needs no privilege and leaves the global weights alone.\n"
	"\n"
	"  -w, --weights LIST  nodes and their weights\n"
	"  --static            keep to these nodes when the cpuset changes\n"
	"  --relative          count nodes from the first one that the cpuset allows\n"
	"  --larger-than SIZE  only for what is allocated or mapped in one piece of at\n"
	"                      least SIZE, 32M or more; for dynamic programs under glibc\n"
	"  -h, --help          this text\n"
	"\n"
	"Exit status: 125 when mpolctl itself fails, 126 when COMMAND cannot be run, 127\n"
	"when it is not found, else the status of COMMAND.\n";

enum {
	OPTION_LARGER_THAN = 1,
	OPTION_RELATIVE,
	OPTION_STATIC,
};

struct run_options {
	struct ratio ratio;
	bool weights;
	bool help;
	unsigned int mode_flags;
	unsigned long long larger_than;	/* bytes, 0: all memory */
};

static bool parse_larger_than(const char *text, unsigned long long *bytes)
{
	if (!parse_bytes(text, bytes)) {
		warnx("run: --larger-than: '%s' is not a size: write it like 64M or 1G",
		      text);
		return false;
	}
	if (*bytes < LARGER_LEAST) {
		warnx("run: --larger-than: %s is less than 32M, where allocations share mappings",
		      text);
		return false;
	}
	return true;
}

static bool parse_options(int argc, char **argv, struct run_options *options)
{
	static const struct option known[] = {
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "larger-than", required_argument,	NULL, OPTION_LARGER_THAN },
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
		case OPTION_LARGER_THAN:
			if (!parse_larger_than(optarg, &options->larger_than))
				return false;
			break;
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

/* Whether the kernel takes @param for memory, tried on a page that is given back */
static bool try_policy(const struct mpol_param *param)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool taken;
	int error;

	if (page == MAP_FAILED)
		return false;
	taken = !mbind2((unsigned long)page, size, param, sizeof(*param), 0);
	error = errno;
	munmap(page, size);
	errno = error;
	return taken;
}

/* For all memory of the command; or only sees that it can be */
static bool set_policy(const struct run_options *options)
{
	struct weighted policy;

	if (!mempolicy2_available()) {
		complain_missing("run", "set_mempolicy2");
		return false;
	}
	make_weighted(&options->ratio, options->mode_flags, &policy);
	if (options->larger_than ?
	    try_policy(&policy.param) :
	    !set_mempolicy2(&policy.param, sizeof(policy.param), 0))
		return true;

	if (errno == EINVAL)
		warnx("run: the kernel refuses these nodes: use some that the cpuset allows");
	else
		warn("run: %s", options->larger_than ? "mbind2" : "set_mempolicy2");
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
	if (!check_options(&options, argv) ||
	    !check_nodes("run", &options.ratio, options.mode_flags, "self") ||
	    !set_policy(&options))
		return STATUS_RUN_FAILED;
	if (options.larger_than &&
	    !prepare_larger(argv[0], options.larger_than, &options.ratio,
			    options.mode_flags))
		return STATUS_RUN_FAILED;

	execvp(argv[0], argv);
	status = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	warn("run: cannot run '%s'", argv[0]);
	return status;
}
