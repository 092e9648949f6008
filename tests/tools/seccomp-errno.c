// SPDX-License-Identifier: GPL-2.0
/*
 * seccomp-errno ERRNO COMMAND...: runs a command for which set_mempolicy2
 * fails with the error of this number, as a container's filter has it. 0 makes
 * it succeed without doing anything.
 */
#include <err.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "mempolicy2.h"

int main(int argc, char **argv)
{
	unsigned int error = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_set_mempolicy2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter),
		.filter = filter,
	};

	if (argc < 3)
		errx(EXIT_FAILURE, "usage: seccomp-errno ERRNO COMMAND...");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(EXIT_FAILURE, "seccomp");
	execvp(argv[2], argv + 2);
	err(EXIT_FAILURE, "%s", argv[2]);
}
