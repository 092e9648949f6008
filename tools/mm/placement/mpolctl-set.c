// SPDX-License-Identifier: GPL-2.0
/* mpolctl set: weights for a process that runs */
#include "mpolctl.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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
	"a line for each process that is done; with --move how it goes, each second on\n"
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

/* 0 or an error number; ESRCH when another process has the number now */
static int set_policy(const struct member *member, const struct mpol_param *param,
		      unsigned long flags)
{
	int pidfd = syscall(SYS_pidfd_open, (pid_t)member->pid, 0);
	int error = 0;

	/* A thread's number, or one that ends just now */
	if (pidfd < 0)
		return errno == EINVAL ? ESRCH : errno;
	if (!tree_has(member))
		error = ESRCH;
	else if (process_set_mempolicy2(pidfd, param, sizeof(*param), flags))
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
		{ EPERM, "it takes its owner, where kernel.yama.ptrace_scope is 0, or root" },
		{ ESRCH, "it has ended, or is a thread, or one of the kernel" },
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

/* False when that cannot be read, of one that is there, with a line on stderr */
static bool print_placed(FILE *out, const struct member *member)
{
	static struct placed placed;
	const char *before = ": ";
	char process[32];
	int i;

	snprintf(process, sizeof(process), "%lu", member->pid);
	memset(&placed, 0, sizeof(placed));
	if (!read_placed(process, &placed)) {
		if (!tree_has(member))
			return true;
		warn("set: cannot read where the memory of %s is", process);
		return false;
	}
	fputs(process, out);
	for (i = 0; i < MAX_NODES; i++) {
		if (!placed.kb[i])
			continue;
		fprintf(out, "%snode %d %lu KiB", before, i, placed.kb[i]);
		before = ", ";
	}
	putc('\n', out);
	return true;
}

/*
 * In a process of its own, so that this one can look, which ends when this one is
 * killed. It holds the end of a pipe until it is done. 0 or an error number
 */
static int move_pages_of(const struct member *member, const struct mpol_param *param)
{
	struct pollfd done = { .events = POLLIN };
	int ends[2], status, error;
	pid_t self = getpid(), mover;

	if (pipe(ends))
		return errno;
	signal(SIGCHLD, SIG_DFL);
	mover = fork();
	if (!mover) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(getppid() == self ? set_policy(member, param, MPOL_MF_MOVE) : EINTR);
	}
	error = errno;
	close(ends[1]);
	done.fd = ends[0];
	while (mover > 0 && !poll(&done, 1, 1000))
		print_placed(stderr, member);
	close(ends[0]);
	if (mover < 0)
		return error;
	if (waitpid(mover, &status, 0) < 0)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* STATUS_FAILED with a line; one of several that has ended is no failure */
static int check_result(const struct set_options *options, const struct member *member)
{
	if (!member->error || (member->error == ESRCH && member->pid != options->pid))
		return STATUS_OK;
	complain(member->pid, member->error);
	return STATUS_FAILED;
}

static bool has_nodes(const struct set_options *options, const struct member *member)
{
	char process[32];

	snprintf(process, sizeof(process), "%lu", member->pid);
	return !options->weights ||
	       check_nodes("set", &options->ratio, options->mode_flags, process);
}

static int set_member(const struct set_options *options, const struct mpol_param *param,
		      struct member *member)
{
	if (!has_nodes(options, member)) {
		member->error = EINVAL;
		return STATUS_FAILED;
	}
	member->error = set_policy(member, param, 0);
	if (!member->error)
		tree_give(member);
	return check_result(options, member);
}

/*
 * Until there is none that may have begun before its parent had the policy. Others are
 * set as well: the parent that is told need not be the one that has begun it.
 */
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
			struct member *member = &tree->member[done];

			status |= set_member(options, param, member);
			again |= !member->error && !member->inherited;
		}
	}
	return status;
}

/* Once more: one that was about to execute another program has lost it */
static int finish_member(const struct set_options *options, const struct mpol_param *param,
			 struct member *member)
{
	bool good = true;

	member->error = options->move ? move_pages_of(member, param) :
					set_policy(member, param, 0);
	if (member->error)
		return check_result(options, member);
	if (options->move)
		good = print_placed(stdout, member);
	else
		printf("%lu\n", member->pid);
	fflush(stdout);
	return good ? STATUS_OK : STATUS_FAILED;
}

/* Moves and prints those that have the policy */
static int finish_tree(const struct set_options *options, const struct mpol_param *param,
		       const struct tree *tree)
{
	int status = STATUS_OK;
	size_t i;

	for (i = 0; i < tree->count; i++)
		if (!tree->member[i].error)
			status |= finish_member(options, param, &tree->member[i]);
	return status;
}

int set_command(int argc, char **argv)
{
	static const struct mpol_param local = { .mode = MPOL_DEFAULT };
	static struct set_options options;
	const struct mpol_param *param;
	struct weighted policy;
	struct tree tree = {};
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
	if (!has_nodes(&options, &tree.member[0]))
		return STATUS_USAGE;

	make_weighted(&options.ratio, options.mode_flags, &policy);
	param = options.local ? &local : &policy.param;
	status = set_tree(&options, param, &tree);
	status |= finish_tree(&options, param, &tree);
	free(tree.member);
	return status;
}
