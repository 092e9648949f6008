// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command with the model of memory nodes switched on:
 *	sim-run COMMAND [ARGUMENT ...]
 * The exit status is the command's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../marker.h"
#include "place.h"

#define BYTES_(...)	#__VA_ARGS__
#define BYTES(...)	BYTES_(__VA_ARGS__)

int main(int argc, char **argv)
{
	int status;
	pid_t child;

	if (argc < 2)
		die("usage: sim-run COMMAND [ARGUMENT ...]");
	__asm__ volatile(".byte " BYTES(MARKER_ON) ::: "memory");
	child = fork();
	if (!child) {
		execvp(argv[1], argv + 1);
		die("%s: %s", argv[1], strerror(errno));
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		die("%s: %s", argv[1], strerror(errno));
	__asm__ volatile(".byte " BYTES(MARKER_OFF) ::: "memory");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
