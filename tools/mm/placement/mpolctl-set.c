// SPDX-License-Identifier: GPL-2.0
/* mpolctl set: weights for a process that runs */
#include "mpolctl.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "mempolicy2.h"
#include "mpolctl-tree.h"
#include "mpolctl-weighted.h"
#include "numa-maps.h"
#include "weighted.h"

static const char set_help[] =
	"Usage: mpolctl set --weights NODE=WEIGHT[,NODE=WEIGHT]... [--static|--relative]\n"
	"                   [--move] [--tree] PID\n"
	"       mpolctl set --default [--tree] PID\n"
	"\n"
	"Gives all threads of a process that runs the memory policy \"weighted interleave\"\n"
	"with weights (1 to 255) of its own, as \"mpolctl run\" does for a new one. Memory\n"
	"that has a policy of its own, by mbind(2), keeps it.\n"
	"\n"
	"  -w, --weights LIST  nodes and their weights\n"
	"  --static            keep to these nodes when the cpuset changes\n"
	"  --relative          count nodes from the first one that its cpuset allows\n"
	"  --default           back to the default policy: each page near who touches it\n"
	"  --move              also the memory that the process has already\n"
	"  --tree              also the processes that it has begun, and so on\n"
	"  -h, --help          this text\n"
	"\n"
	"For one's own processes, where kernel.yama.ptrace_scope is 0, or as root. Prints\n"
	"a line for each process that was set; with --move how it goes, each second on\n"
	"stderr, and then what the process has on each node.\n"
	"\n"
	"Exit status: 0 done; 1 failed, for some with --tree; 2 bad arguments, and nothing\n"
	"was changed; 3 this kernel has no process_set_mempolicy2.\n";

enum {
	OPTION_DEFAULT = 1,
	OPTION_MOVE,
	OPTION_RELATIVE,
	OPTION_STATIC,
	OPTION_TREE,
};

struct set_options {
	struct ratio ratio;
	unsigned int mode_flags;
	unsigned long pid;
	bool weights;
	bool local;		/* --default */
	bool move;
	bool tree;
	bool help;
};

static bool parse_option(int option, struct set_options *options)
{
	switch (option) {
	case OPTION_DEFAULT:
		options->local = true;
		return true;
	case OPTION_HELP:
		options->help = true;
		return true;
	case OPTION_MOVE:
		options->move = true;
		return true;
	case OPTION_RELATIVE:
		options->mode_flags |= MPOL_F_RELATIVE_NODES;
		return true;
	case OPTION_STATIC:
		options->mode_flags |= MPOL_F_STATIC_NODES;
		return true;
	case OPTION_TREE:
		options->tree = true;
		return true;
	default:
		options->weights = true;
		return parse_ratio(optarg, &options->ratio);
	}
}

static bool parse_options(int argc, char **argv, struct set_options *options)
{
	static const struct option known[] = {
		{ "default",	no_argument,		NULL, OPTION_DEFAULT },
		{ "help",	no_argument,		NULL, OPTION_HELP },
		{ "move",	no_argument,		NULL, OPTION_MOVE },
		{ "relative",	no_argument,		NULL, OPTION_RELATIVE },
		{ "static",	no_argument,		NULL, OPTION_STATIC },
		{ "tree",	no_argument,		NULL, OPTION_TREE },
		{ "weights",	required_argument,	NULL, OPTION_WEIGHTS },
		{}
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hw:", known, NULL)) != -1) {
		if (option == '?' || option == ':') {
			complain_option("mpolctl set", argv, option);
			return false;
		}
		if (!parse_option(option, options))
			return false;
		if (options->help)
			return true;
	}
	return true;
}

static bool check_policy(const struct set_options *options)
{
	if (!options->weights && !options->local) {
		warnx("set: no weights: add --weights, as in --weights 0=5,1=1, or --default");
		return false;
	}
	if (options->local && (options->weights || options->mode_flags || options->move)) {
		warnx("set: --default goes with --tree alone");
		return false;
	}
	if (options->mode_flags == (MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES)) {
		warnx("set: --static and --relative exclude each other: use one");
		return false;
	}
	return true;
}

static bool check_options(struct set_options *options, char **arguments)
{
	const char *pid = *arguments;

	if (!check_policy(options))
		return false;
	if (!pid || arguments[1]) {
		warnx("set: %s: give one PID behind the options",
		      pid ? "more than one argument" : "no PID");
		return false;
	}
	if (parse_number(pid, strlen(pid), INT_MAX, &options->pid) && options->pid)
		return true;
	warnx("set: '%s' is not a PID: give the number of a process", pid);
	return false;
}

/* Asks with arguments that are refused, so that nothing changes */
static bool is_available(void)
{
	if (!process_set_mempolicy2(-1, NULL, 0, 0) || errno == EINVAL)
		return true;
	complain_missing("set", "process_set_mempolicy2");
	return false;
}

/* 0 or an error number */
static int set_policy(unsigned long pid, const struct mpol_param *param, unsigned long flags)
{
	int pidfd = syscall(SYS_pidfd_open, (pid_t)pid, 0);
	int error = 0;

	if (pidfd < 0)
		return errno;
	if (process_set_mempolicy2(pidfd, param, sizeof(*param), flags))
		error = errno;
	close(pidfd);
	return error;
}

static void complain(unsigned long pid, int error)
{
	static const struct {
		int error;
		const char *text;
	} known[] = {
		{ EINVAL, "the kernel refuses these nodes: use some that its cpuset allows" },
		{ EPERM, "only its owner may, where kernel.yama.ptrace_scope is 0, or root" },
		{ ESRCH, "it has ended, or is a kernel thread" },
		{}
	}, *is;

	for (is = known; is->error; is++)
		if (is->error == error) {
			warnx("set: process %lu: %s", pid, is->text);
			return;
		}
	errno = error;
	warn("set: process %lu", pid);
}

static void print_placed(FILE *out, unsigned long pid)
{
	static struct placed placed;
	const char *before = ": ";
	char process[32];
	bool good;
	int i;

	snprintf(process, sizeof(process), "%lu", pid);
	memset(&placed, 0, sizeof(placed));
	good = read_placed(process, &placed);
	fputs(process, out);
	for (i = 0; good && i < MAX_NODES; i++) {
		if (!placed.kb[i])
			continue;
		fprintf(out, "%snode %d %lu KiB", before, i, placed.kb[i]);
		before = ", ";
	}
	putc('\n', out);
}

/* In a process of its own, so that this one can look; 0 or an error number */
static int move_pages_of(unsigned long pid, const struct mpol_param *param)
{
	static const struct timespec tenth = { .tv_nsec = 100000000 };
	int status, tenths = 0;
	pid_t mover = fork();

	if (mover < 0)
		return errno;
	if (!mover)
		_exit(set_policy(pid, param, MPOL_MF_MOVE));
	while (!waitpid(mover, &status, WNOHANG)) {
		nanosleep(&tenth, NULL);
		if (++tenths % 10 == 0)
			print_placed(stderr, pid);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* STATUS_FAILED with a line; one of several that has ended is no failure */
static int check_result(const struct set_options *options, unsigned long pid, int error)
{
	if (!error || (error == ESRCH && pid != options->pid))
		return STATUS_OK;
	complain(pid, error);
	return STATUS_FAILED;
}

static int set_member(const struct set_options *options, const struct mpol_param *param,
		      struct member *member)
{
	member->error = set_policy(member->pid, param, 0);
	if (!member->error)
		tree_give(member);
	return check_result(options, member->pid, member->error);
}

/* Until all were given the policy, or began when their parent had it */
static int set_tree(const struct set_options *options, const struct mpol_param *param,
		    struct tree *tree)
{
	int status = set_member(options, param, &tree->member[0]);
	bool again = options->tree && !status;
	size_t done = 1;

	while (again) {
		if (!tree_grow(tree))
			return STATUS_FAILED;
		for (again = false; done < tree->count; done++) {
			if (tree->member[done].given)
				continue;
			status |= set_member(options, param, &tree->member[done]);
			again = true;
		}
	}
	return status;
}

static int finish_member(const struct set_options *options, const struct mpol_param *param,
			 unsigned long pid)
{
	int error = options->move ? move_pages_of(pid, param) : 0;

	if (error)
		return check_result(options, pid, error);
	if (options->move)
		print_placed(stdout, pid);
	else
		printf("%lu\n", pid);
	fflush(stdout);
	return STATUS_OK;
}

/* Moves and prints those that have the policy */
static int finish_tree(const struct set_options *options, const struct mpol_param *param,
		       const struct tree *tree)
{
	int status = STATUS_OK;
	size_t i;

	for (i = 0; i < tree->count; i++)
		if (!tree->member[i].error)
			status |= finish_member(options, param, tree->member[i].pid);
	return status;
}

int set_command(int argc, char **argv)
{
	static const struct mpol_param local = { .mode = MPOL_DEFAULT };
	static struct set_options options;
	struct weighted policy;
	struct tree tree = {};
	char process[32];
	int status;

	if (!parse_options(argc, argv, &options))
		return STATUS_USAGE;
	if (options.help)
		return print_help(set_help);
	if (!check_options(&options, argv + optind))
		return STATUS_USAGE;
	if (!is_available())
		return STATUS_UNAVAILABLE;
	if (!tree_plant(&tree, options.pid))
		return STATUS_FAILED;
	snprintf(process, sizeof(process), "%lu", options.pid);
	if (options.weights &&
	    !check_nodes("set", &options.ratio, options.mode_flags, process))
		return STATUS_USAGE;

	make_weighted(&options.ratio, options.mode_flags, &policy);
	status = set_tree(&options, options.local ? &local : &policy.param, &tree);
	status |= finish_tree(&options, &policy.param, &tree);
	free(tree.member);
	return status;
}
