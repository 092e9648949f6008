/* SPDX-License-Identifier: GPL-2.0 */
/*
 * process_set_mempolicy2(2), process_get_mempolicy2(2) and process_mbind2(2), as
 * param_set(), param_get() and param_bind() are for the calling thread: 0 or -errno.
 */
#ifndef PROCESS_CALLS_H
#define PROCESS_CALLS_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_process_set_mempolicy2
#define __NR_process_set_mempolicy2 603
#endif
#ifndef __NR_process_get_mempolicy2
#define __NR_process_get_mempolicy2 604
#endif
#ifndef __NR_process_mbind2
#define __NR_process_mbind2 605
#endif

static inline int process_param_set(int pidfd, const void *param, size_t usize,
				    unsigned long flags)
{
	return syscall(__NR_process_set_mempolicy2, pidfd, param, usize, flags) ? -errno : 0;
}

static inline int process_param_get(int pidfd, void *param, size_t usize,
				    const void *addr, unsigned long flags)
{
	long ret = syscall(__NR_process_get_mempolicy2, pidfd, param, usize, addr, flags);

	return ret ? -errno : 0;
}

static inline int process_param_bind(int pidfd, const void *addr, size_t len,
				     const void *param, size_t usize, unsigned long flags)
{
	long ret = syscall(__NR_process_mbind2, pidfd, addr, len, param, usize, flags);

	return ret ? -errno : 0;
}

static inline int pidfd_of(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

#endif /* PROCESS_CALLS_H */
