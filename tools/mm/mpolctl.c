// SPDX-License-Identifier: GPL-2.0
/*
 * mpolctl - run commands with interleave weights of their own, show where the
 * pages of a process are, read and write the global weights
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "mpolctl.h"

#define VERSION "1.0"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	int closed_output;	/* the status when output is impossible */
} commands[] = {
	{ "run",	run_command,		STATUS_RUN_FAILED },
	{ "show",	show_command,		STATUS_FAILED },
	{ "weights",	weights_command,	STATUS_FAILED },
	{}
};

static const char help[] =
	"Usage: mpolctl run --weights NODE=WEIGHT,... [--static|--relative] [--] COMMAND...\n"
	"       mpolctl show [--json] [--watch[=SECONDS]] [--weights NODE=WEIGHT,...] PID\n"
	"       mpolctl weights [--json] [NODE=WEIGHT... | auto]\n"
	"\n"
	"  run      runs a command whose pages are spread over nodes by weights of its own\n"
	"  show     shows the policy of each mapping of a process, and where its pages are\n"
	"  weights  shows or changes the global weights\n"
	"\n"
	"  --help     this text; after a subcommand, more about that\n"
	"  --version  the version\n"
	"\n"
	"Exit status: 0 done; 1 failed; 2 bad arguments; 3 not available here, because\n"
	"this kernel lacks it or a filter of system calls forbids it. \"run\" has 125 for\n"
	"its own failures, 126 when the command cannot be run, 127 when it is not found,\n"
	"else the status of the command.\n";

/* A full disk must not look like success */
static int finish(int status, int failed)
{
	if (!ferror(stdout) && !fflush(stdout))
		return status;
	warnx("cannot write the output: %s", strerror(errno));
	return failed;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct command *command;

	if (!strcmp(name, "--help"))
		return finish(print_help(help), STATUS_FAILED);
	if (!strcmp(name, "--version")) {
		puts("mpolctl " VERSION);
		return finish(STATUS_OK, STATUS_FAILED);
	}
	for (command = commands; command->name; command++) {
		if (!strcmp(name, command->name))
			return finish(command->run(argc - 1, argv + 1),
				      command->closed_output);
	}
	if (argc > 1)
		warnx("'%s' is not a subcommand: use run, show or weights", name);
	else
		warnx("no subcommand: use run, show or weights (mpolctl --help tells more)");
	return STATUS_USAGE;
}
