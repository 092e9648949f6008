// SPDX-License-Identifier: GPL-2.0
/* Text files, messages, waits, children, privileges, allocations that fail: see placement.h */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/membarrier.h>

#include "placement.h"

size_t page_bytes(void)
{
	return sysconf(_SC_PAGESIZE);
}

int slowdown(void)
{
	const char *text = getenv("KSELFTEST_SLOWDOWN");
	int times = text ? atoi(text) : 1;

	return times > 1 ? times : 1;
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

time_t guard_begin(void)
{
	return seconds();
}

bool guard_over(time_t begin)
{
	if (seconds() - begin < GUARD_SECONDS)
		return false;
	note("nothing for %d s: a hang", GUARD_SECONDS);
	return true;
}

bool settle(int *rounds)
{
	if (++*rounds > SETTLE_ROUNDS)
		return false;
	/* A grace period: each CPU has been through the scheduler, or idle. */
	syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0);
	usleep(100000);
	return true;
}

void note(const char *fmt, ...)
{
	char line[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(stderr, "# %s\n", line);
}

bool is_there(const char *path)
{
	if (!access(path, F_OK))
		return true;
	note("%s is missing", path);
	return false;
}

int file_read(const char *path, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t got;
	int fd, ret;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, buf + used, size - 1 - used);
		if (got > 0)
			used += got;
	} while (got > 0 && used < size - 1);
	ret = got < 0 ? -errno : (int)used;
	close(fd);
	buf[used] = '\0';
	return ret;
}

int file_write(const char *path, const void *buf, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t put;
	int ret;

	if (fd < 0)
		return -errno;
	put = write(fd, buf, len);
	if (put < 0)
		ret = -errno;
	else
		ret = (size_t)put == len ? 0 : -EIO;
	close(fd);
	return ret;
}

int file_print(const char *path, const char *fmt, ...)
{
	char buf[256];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	return file_write(path, buf, len);
}

long long file_value(const char *path, const char *key)
{
	long long value = -ENOENT;
	size_t len = strlen(key);
	char line[256];
	FILE *file;

	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, len) || !isblank(line[len]))
			continue;
		value = strtoll(line + len, NULL, 10);
		break;
	}
	fclose(file);
	return value;
}

long long file_number(const char *path)
{
	char text[32];
	int ret = file_read(path, text, sizeof(text));

	return ret < 0 ? ret : strtoll(text, NULL, 10);
}

pid_t fork_child(void)
{
	const pid_t parent = getpid();
	const pid_t pid = fork();

	/* The parent may have ended before the signal was asked for. */
	if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(1);
	return pid;
}

int in_child(int (*check)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	pid = fork_child();
	if (!pid)
		_exit(check(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

bool keep_sys_nice(bool keep)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {};

	if (keep) {
		data[0].permitted = 1 << CAP_SYS_NICE;
		data[0].effective = data[0].permitted;
	}
	return !syscall(SYS_capset, &header, data);
}

int fault_open(void)
{
	static const struct {
		const char *path;
		const char *value;
	} settings[] = {
		{ "/sys/kernel/debug/failslab/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/failslab/verbose", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/fail_page_alloc/verbose", "0" },
	};
	int fd, ret;
	size_t i;

	fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (i = 0; i < ARRAY_LEN(settings); i++) {
		ret = file_print(settings[i].path, "%s", settings[i].value);
		if (!ret)
			continue;
		close(fd);
		return ret;
	}
	return fd;
}

void fault_nth(int fd, int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(fd, text, len, 0) == len)
		return;
	note("fail-nth cannot be written");
	exit(1);
}

bool fault_hit(int fd)
{
	char text[16] = "";
	int left;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0) {
		note("fail-nth cannot be read");
		exit(1);
	}
	left = atoi(text);
	fault_nth(fd, 0);
	return !left;
}

int console_level(int level)
{
	const char *path = "/proc/sys/kernel/printk";
	char text[64];
	int ret, old;

	ret = file_read(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	old = atoi(text);
	ret = file_print(path, "%d", level);
	return ret ? ret : old;
}
