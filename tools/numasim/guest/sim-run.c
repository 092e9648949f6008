// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command with the model of memory nodes switched on:
 *	sim-run COMMAND [ARGUMENT ...]
 * Programs of this directory find MARKER_VARIABLE in their environment, and have it
 * off until what they measure begins. The exit status is the command's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../marker.h"
#include "place.h"

int main(int argc, char **argv)
{
	int status;
	pid_t child;

	if (argc < 2)
		die("usage: sim-run COMMAND [ARGUMENT ...]");
	setenv(MARKER_VARIABLE, "1", 1);
	SWITCH_MODEL(MARKER_ON);
	child = fork();
	if (!child) {
		execvp(argv[1], argv + 1);
		die("%s: %s", argv[1], strerror(errno));
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		die("%s: %s", argv[1], strerror(errno));
	SWITCH_MODEL(MARKER_OFF);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
