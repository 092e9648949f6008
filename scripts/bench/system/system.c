// SPDX-License-Identifier: GPL-2.0
/*
 * Run as init of a virtual machine: says how long the kernel took to get here
 * and how much memory it has taken, and compiles the preprocessed sources that
 * it finds. Then powers the machine off.
 *   boot instructions=N
 *   memory NAME KILOBYTES
 *   compile FILE first=N instructions=N
 * "instructions" is of the clock, which counts those of the program and of the
 * kernel, and goes on while the machine waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

static void print_memory(void)
{
	static const char * const wanted[] = {
		"MemTotal:", "MemFree:", "Slab:", "Percpu:",
	};
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long kilobytes;
	char name[64];
	size_t i;

	if (!f)
		fail("meminfo");
	while (fscanf(f, "%63s %lu%*[^\n]", name, &kilobytes) == 2) {
		for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (!strcmp(name, wanted[i]))
				printf("memory %.*s %lu\n",
				       (int)strlen(name) - 1, name, kilobytes);
		}
	}
	fclose(f);
}

static void run(char **args)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid) {
		execv(args[0], args);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		errno = 0;
		printf("%s ended with status %#x\n", args[0], status);
		fail(args[0]);
	}
}

/* As the kernel's makefiles have it, as far as it changes what is done */
static void compile(char *source)
{
	char * const compiler[] = {
		"/bin/cc1", "-quiet", "-fpreprocessed", "-O2", "-std=gnu11",
		"-mcmodel=kernel", "-mno-red-zone", "-mno-sse", "-mno-sse2",
		"-mno-mmx", "-mno-80387", "-fno-strict-aliasing", "-fno-pie",
		"-fno-asynchronous-unwind-tables", "-fno-jump-tables",
		"-fno-delete-null-pointer-checks", "-w", source,
		"-o", "/tmp/output.s", NULL
	};
	char * const assembler[] = {
		"/bin/as", "--64", "/tmp/output.s", "-o", "/tmp/output.o", NULL
	};

	run((char **)compiler);
	run((char **)assembler);
}

int main(void)
{
	uint64_t booted = __builtin_ia32_rdtsc(), begin;
	unsigned int measurement = 0;
	glob_t sources;
	size_t i;

	mkdir("/proc", 0755);
	mkdir("/tmp", 0755);
	if (mount("proc", "/proc", "proc", 0, NULL))
		fail("/proc");
	printf("\nboot instructions=%llu\n", (unsigned long long)booted);
	print_memory();
	if (!glob("/src/*.i", 0, NULL, &sources)) {
		for (i = 0; i < sources.gl_pathc; i++) {
			begin = __builtin_ia32_rdtsc();
			MARK(MARKER_BEGIN);
			compile(sources.gl_pathv[i]);
			MARK(MARKER_END);
			printf("compile %s first=%u instructions=%llu\n",
			       sources.gl_pathv[i], measurement++,
			       (unsigned long long)(__builtin_ia32_rdtsc() - begin));
		}
	}
	printf("done\n");
	power_off();
}
