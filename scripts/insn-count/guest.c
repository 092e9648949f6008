// SPDX-License-Identifier: GPL-2.0
/*
 * The measured workload, run as init of a virtual machine: 64 MiB of anonymous
 * memory touched once a page, under one memory policy after another. The first
 * measurement of a policy also makes the page tables; in the ones after it, an
 * allocation is a fault.
 *
 * Prints a line for each policy, then powers the machine off:
 *   policy NAME SCOPE WEIGHTS first=N runs=N faults=N pages=N:N...
 *   policy NAME SCOPE WEIGHTS error=ERRNO
 * where "first" is the number of its first measurement and "pages" what each
 * node got in the last.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "marker.h"

#define PAGE_SIZE	4096UL
#define NR_PAGES	((64UL << 20) / PAGE_SIZE)
#define RUNS		6	/* with the first, which is not reported */
#define MAX_NODES	64

/* Modes of set_mempolicy(2) and mbind(2). */
#define MODE_DEFAULT			0
#define MODE_BIND			2
#define MODE_INTERLEAVE			3
#define MODE_WEIGHTED_INTERLEAVE	6

#define NR_set_mempolicy2	600
#define NR_mbind2		602

/* As the kernel takes it; the headers of the host do not know it. */
struct mpol_param {
	uint16_t mode;
	uint16_t mode_flags;
	int32_t home_node;
	uint16_t pol_maxnodes;
	uint8_t resv[6];
	uint64_t pol_nodes;
	uint64_t il_weights;
};

#define STR(...)	#__VA_ARGS__
#define MARK(...)	__asm__ volatile(".byte " STR(__VA_ARGS__) : : : "memory")

enum scope { NONE, MAPPING, TASK };

static const char * const scope_name[] = { "-", "mapping", "task" };

static const struct policy {
	const char *name;
	int mode;
	enum scope scope;
	int even, odd;		/* weights of nodes with even and odd numbers */
	bool own;		/* which are the policy's, not the global ones */
} policies[] = {
	{ "default",    MODE_DEFAULT,             NONE,    0,   0 },
	{ "bind",       MODE_BIND,                MAPPING, 0,   0 },
	{ "interleave", MODE_INTERLEAVE,          MAPPING, 0,   0 },
	{ "interleave", MODE_INTERLEAVE,          TASK,    0,   0 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 1,   1 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 5,   1 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 9,   1 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 100, 37 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    1,   1 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    5,   1 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    9,   1 },
	{ "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    100, 37 },
	{ "own",        MODE_WEIGHTED_INTERLEAVE, MAPPING, 5,   1,  true },
	{ "own",        MODE_WEIGHTED_INTERLEAVE, MAPPING, 100, 37, true },
	{ "own",        MODE_WEIGHTED_INTERLEAVE, TASK,    5,   1,  true },
	{ "own",        MODE_WEIGHTED_INTERLEAVE, TASK,    100, 37, true },
};

static unsigned int measurement;
static int nr_nodes;

static void power_off(void)
{
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void fail(const char *what)
{
	printf("failed: %s: %s\n", what, strerror(errno));
	power_off();
}

static int count_nodes(void)
{
	char path[64];
	int n = 0;

	for (;;) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", n);
		if (access(path, F_OK))
			return n;
		n++;
	}
}

static bool set_weight(int node, int weight)
{
	char path[96];
	bool ok;
	FILE *f;

	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/mempolicy/weighted_interleave/node%d", node);
	f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "%d\n", weight);
	ok = !ferror(f);
	return !fclose(f) && ok;
}

static bool set_weights(const struct policy *p)
{
	int node;

	for (node = 0; p->even && node < nr_nodes; node++) {
		int weight = node % 2 ? p->odd : p->even;

		/* The global ones would place the pages elsewhere. */
		if (!set_weight(node, p->own ? 1 : weight))
			return false;
	}
	return true;
}

/* With set_mempolicy2(2) or mbind2(2) */
static bool set_own_policy(const struct policy *p, char *mem,
			   unsigned long *mask)
{
	unsigned char weights[MAX_NODES];
	struct mpol_param param = {
		.mode = p->mode,
		.pol_maxnodes = nr_nodes,
		.pol_nodes = (uintptr_t)mask,
		.il_weights = (uintptr_t)weights,
	};
	int node;

	for (node = 0; node < nr_nodes; node++)
		weights[node] = node % 2 ? p->odd : p->even;
	if (p->scope == MAPPING)
		return !syscall(NR_mbind2, mem, NR_PAGES * PAGE_SIZE, &param,
				sizeof(param), 0);
	return !syscall(NR_set_mempolicy2, &param, sizeof(param), 0);
}

static bool set_policy(const struct policy *p, char *mem)
{
	unsigned long mask = (1UL << (nr_nodes - 1)) * 2 - 1;

	if (p->own)
		return set_own_policy(p, mem, &mask);
	if (p->scope == MAPPING)
		return !syscall(SYS_mbind, mem, NR_PAGES * PAGE_SIZE, p->mode,
				&mask, MAX_NODES + 1UL, 0);
	if (p->scope == TASK)
		return !syscall(SYS_set_mempolicy, p->mode, &mask,
				MAX_NODES + 1UL);
	return true;
}

/* No calls between the markers: the kernel runs for the faults alone. */
static void touch(char *mem)
{
	volatile char *p;

	MARK(MARKER_BEGIN);
	for (p = mem; p < mem + NR_PAGES * PAGE_SIZE; p += PAGE_SIZE)
		*p = 1;
	MARK(MARKER_END);
}

static void print_placement(char *mem)
{
	static void *pages[NR_PAGES];
	static int status[NR_PAGES];
	unsigned long count[MAX_NODES] = { 0 }, i;
	int node;

	for (i = 0; i < NR_PAGES; i++)
		pages[i] = mem + i * PAGE_SIZE;
	if (syscall(SYS_move_pages, 0, NR_PAGES, pages, NULL, status, 0))
		fail("move_pages");
	for (i = 0; i < NR_PAGES; i++) {
		if (status[i] < 0 || status[i] >= nr_nodes) {
			errno = -status[i];
			fail("page without a node");
		}
		count[status[i]]++;
	}
	for (node = 0; node < nr_nodes; node++)
		printf("%c%lu", node ? ':' : '=', count[node]);
}

static void measure(const struct policy *p)
{
	char *mem = mmap(NULL, NR_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (mem == MAP_FAILED)
		fail("mmap");
	printf("policy %s %s ", p->name, scope_name[p->scope]);
	if (p->even)
		printf("%d:%d", p->even, p->odd);
	else
		printf("-");
	if (!set_policy(p, mem) || !set_weights(p)) {
		printf(" error=%d\n", errno);
	} else {
		printf(" first=%u runs=%d faults=%lu", measurement, RUNS,
		       NR_PAGES);
		for (i = 0; i < RUNS; i++) {
			if (madvise(mem, NR_PAGES * PAGE_SIZE, MADV_DONTNEED))
				fail("madvise");
			touch(mem);
			measurement++;
		}
		printf(" pages");
		print_placement(mem);
		printf("\n");
	}
	if (syscall(SYS_set_mempolicy, MODE_DEFAULT, NULL, 0))
		fail("set_mempolicy");
	munmap(mem, NR_PAGES * PAGE_SIZE);
}

int main(void)
{
	size_t i;

	mkdir("/sys", 0755);
	if (mount("sysfs", "/sys", "sysfs", 0, NULL))
		fail("mount /sys");
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		fail("prctl");
	nr_nodes = count_nodes();
	if (nr_nodes < 1 || nr_nodes > MAX_NODES)
		fail("number of nodes");
	printf("\nnodes %d\n", nr_nodes);
	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		measure(&policies[i]);
	printf("done\n");
	power_off();
}
