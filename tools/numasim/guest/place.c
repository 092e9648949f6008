// SPDX-License-Identifier: GPL-2.0
/* What the programs of this directory share */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "place.h"

void die(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

unsigned int to_number(const char *text, unsigned int max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || !value || value > max)
		die("'%s' is not a number from 1 to %u", text, max);
	return value;
}

/**
 * place - sets the memory policy of this process
 * @text: POLICY:NODE,..., POLICY being bind, interleave or weighted
 */
void place(const char *text)
{
	static const struct {
		const char *name;
		int mode;	/* of set_mempolicy(2) */
	} policies[] = { { "bind:", 2 }, { "interleave:", 3 }, { "weighted:", 6 } };
	unsigned long nodes = 0;
	size_t i, length;

	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		length = strlen(policies[i].name);
		if (strncmp(text, policies[i].name, length))
			continue;
		for (text += length; *text; text += *text == ',') {
			char *end;
			unsigned long node = strtoul(text, &end, 10);

			if (end == text || node >= 8 * sizeof(nodes) ||
			    (*end && *end != ','))
				die("'%s' are no nodes", text);
			nodes |= 1UL << node;
			text = end;
		}
		if (syscall(SYS_set_mempolicy, policies[i].mode, &nodes,
			    8 * sizeof(nodes) + 1))
			die("set_mempolicy: %s", strerror(errno));
		return;
	}
	die("'%s' is not bind:, interleave: or weighted: and nodes", text);
}

/**
 * get_memory - memory of its own mapping, which the first touch places page by page
 * @size: in bytes
 *
 * Return: its address; ends the program when there is not enough.
 */
void *get_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("no memory: %s", strerror(errno));
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}
