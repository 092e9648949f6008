// SPDX-License-Identifier: GPL-2.0
/*
 * fallback own|global|even: the last program of programs.md, spread.h, on this kernel, on
 * one that has mainline's mode alone, and on one that has neither: what they lack is
 * refused by a filter, as that of a container does. Fails if the buffer has another
 * policy than it should have there.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "spread.h"

#define MIB	1048576UL

static void refuse(struct sock_filter *filter, size_t count)
{
	struct sock_fprog program = { .len = count, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(EXIT_FAILURE, "seccomp");
}

/* The third argument of mbind(2) is the mode. */
static void be_older(int mode)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mbind2, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mbind, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mode, 2, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
	};

	refuse(filter, sizeof(filter) / sizeof(*filter));
}

int main(int argc, char **argv)
{
	const char *kernel = argc == 2 ? argv[1] : "";
	const unsigned char weights[64] = { 5, 1 };
	unsigned long start;
	char line[512], *policy;
	void *buffer;
	FILE *maps;

	if (!strcmp(kernel, "global"))
		be_older(-1);
	else if (!strcmp(kernel, "even"))
		be_older(MPOL_WEIGHTED_INTERLEAVE);
	else if (strcmp(kernel, "own"))
		errx(EXIT_FAILURE, "usage: fallback own|global|even");
	buffer = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED || spread(buffer, MIB, 3, weights))
		err(EXIT_FAILURE, "spread");
	maps = fopen("/proc/self/numa_maps", "r");
	if (!maps)
		err(EXIT_FAILURE, "numa_maps");
	while (fgets(line, sizeof(line), maps)) {
		start = strtoul(line, &policy, 16);
		if (start != (unsigned long)buffer)
			continue;
		fputs(line, stdout);
		if (!strcmp(kernel, "even"))
			return strncmp(policy, " interleave:0-1", 15) != 0;
		return strncmp(policy, " weighted interleave:0-1", 24) ||
		       !strstr(line, " weights=0:5,1:1") != !strcmp(kernel, "global");
	}
	errx(EXIT_FAILURE, "the buffer is no mapping of its own");
}
