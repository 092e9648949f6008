// SPDX-License-Identifier: GPL-2.0
/*
 * mpolctl - run commands with interleave weights of their own, give them to
 * processes that run, show where the pages of a process are, read and write the
 * global weights, save and restore what placement is set to, say what could be
 * better
 */
#include <err.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "mpolctl.h"

/* What there is: help and complaints go by it as well */
static const struct command {
	const char *name;
	const char *arguments;
	const char *summary;
	int (*run)(int argc, char **argv);
	int closed_output;	/* the status when output is impossible */
} commands[] = {
	{ "run",
	  "--weights NODE=WEIGHT,... [--static|--relative] [--] COMMAND...",
	  "runs a command whose pages are spread over nodes by weights of its own",
	  run_command, STATUS_RUN_FAILED },
	{ "set",
	  "{--weights NODE=WEIGHT,... [--move] | --default} [--tree] PID",
	  "gives a process that runs such weights, and moves what it has to where they say",
	  set_command, STATUS_FAILED },
	{ "show",
	  "[--json] [--watch[=SECONDS]] [--weights NODE=WEIGHT,...] PID",
	  "shows the policy of each mapping of a process, and where its pages are",
	  show_command, STATUS_FAILED },
	{ "weights",
	  "[--json] [NODE=WEIGHT... | auto]",
	  "shows or changes the global weights",
	  weights_command, STATUS_FAILED },
	{ "save",
	  "[FILE]",
	  "writes what the placement of memory is set to",
	  save_command, STATUS_FAILED },
	{ "restore",
	  "[FILE]",
	  "sets what such a file has, at boot for example",
	  restore_command, STATUS_FAILED },
	{ "doctor",
	  "",
	  "says what of the memory is not used as it could be, and what mends it",
	  doctor_command, STATUS_FAILED },
	{}
};

static const char more_help[] =
	"\n"
	"  -h, --help     this text; after a subcommand, more about that\n"
	"  -V, --version  the version\n"
	"\n"
	"Exit status: 0 done; 1 failed; 2 bad arguments; 3 not available here, because\n"
	"this kernel lacks it or a filter of system calls forbids it. \"run\" has 125 for\n"
	"its own failures, 126 when the command cannot be run, 127 when it is not found,\n"
	"else the status of the command; \"doctor\" has 4 when there is something to mend.\n";

static int print_usage(void)
{
	const struct command *command;

	for (command = commands; command->name; command++)
		printf("%-6s mpolctl %s%s%s\n",
		       command == commands ? "Usage:" : "", command->name,
		       *command->arguments ? " " : "", command->arguments);
	putchar('\n');
	for (command = commands; command->name; command++)
		printf("  %-7s  %s\n", command->name, command->summary);
	return print_help(more_help);
}

/* "run, set, show, weights, save, restore or doctor" */
static const char *name_commands(void)
{
	static char text[128];
	const struct command *command;
	const char *before = "";
	size_t used = 0;

	for (command = commands; command->name && used < sizeof(text);
	     command++) {
		used += snprintf(text + used, sizeof(text) - used, "%s%s",
				 before, command->name);
		before = command[1].name && command[2].name ? ", " : " or ";
	}
	return text;
}

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

	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return finish(print_usage(), STATUS_FAILED);
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("mpolctl " VERSION);
		return finish(STATUS_OK, STATUS_FAILED);
	}
	for (command = commands; command->name; command++) {
		if (!strcmp(name, command->name))
			return finish(command->run(argc - 1, argv + 1),
				      command->closed_output);
	}
	if (argc > 1)
		warnx("'%s' is not a subcommand: use %s", name,
		      name_commands());
	else
		warnx("no subcommand: use %s (mpolctl --help tells more)",
		      name_commands());
	return STATUS_USAGE;
}
