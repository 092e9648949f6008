// SPDX-License-Identifier: GPL-2.0
/*
 * The measured workloads, run as init of a virtual machine under one memory
 * policy after another:
 *   anon  64 MiB of anonymous memory, touched once a page
 *   huge  32 MiB of it in huge pages, touched once each
 *   file  16 MiB written to a file of ramfs, a page a call
 *   bulk  memory of 8 MiB that the kernel allocates at once and maps
 * The first measurement of a policy also makes page tables; in the ones after
 * it, an allocation is a fault or a call.
 *
 * Prints a line for each policy, then powers the machine off:
 *   policy LOAD NAME SCOPE WEIGHTS first=N runs=N pages=N single=N:N... split=N:N...
 *   policy LOAD NAME SCOPE WEIGHTS error=ERRNO
 * where "first" is the number of its first measurement, "pages" what one
 * allocates, in pages of the load's size, "single" the median over its faults or
 * calls of the instructions of one, run by run, and "split" what each node got in
 * the last run. Policies that spread anonymous memory have a second line,
 *   order NAME SCOPE WEIGHTS NODES
 * with a character for each page of a mapping that begins with a round: '0' and
 * the number of its node.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"

#define PAGE_SIZE	4096UL
#define HUGE_SIZE	(2UL << 20)
#define RUNS		6	/* with the first, which is not reported */
#define MAX_NODES	64

#define ANON_PAGES	16384UL
#define HUGE_PAGES	16UL
#define FILE_PAGES	4096UL
/* A semaphore takes 64 bytes; what holds them all is too large for kmalloc(). */
#define SEMAPHORES	(128 * 1024)
#define BULK_PAGES	(SEMAPHORES * 64UL / PAGE_SIZE)

/*
 * Where mappings begin, in pages: a multiple of each round, which is
 * (even + odd) * nodes / 2 pages long, for up to 64 nodes.
 */
#define ROUNDS		(2UL * 3 * 5 * 137 * 32 * 64)
#define FIRST_ADDRESS	(ROUNDS * PAGE_SIZE)

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

enum scope { NONE, MAPPING, TASK };

static const char * const scope_name[] = { "-", "mapping", "task" };

/* Allocates once, and gives back what was allocated; @mem is the mapping. */
struct load {
	const char *name;
	unsigned long pages;	/* in a measurement */
	unsigned long page_size;
	unsigned long calls;
	void (*allocate)(char *mem, unsigned long call);
	void (*release)(char *mem);
};

static void touch_page(char *mem, unsigned long call);
static void touch_huge_page(char *mem, unsigned long call);
static void write_page(char *mem, unsigned long call);
static void make_semaphores(char *mem, unsigned long call);
static void release_memory(char *mem);
static void release_file(char *mem);
static void release_semaphores(char *mem);

enum { ANON, HUGE, FILE_CACHE, BULK };

static const struct load loads[] = {
	[ANON] = { "anon", ANON_PAGES, PAGE_SIZE, ANON_PAGES,
		   touch_page, release_memory },
	[HUGE] = { "huge", HUGE_PAGES, HUGE_SIZE, HUGE_PAGES,
		   touch_huge_page, release_memory },
	[FILE_CACHE] = { "file", FILE_PAGES, PAGE_SIZE, FILE_PAGES,
			 write_page, release_file },
	[BULK] = { "bulk", BULK_PAGES, PAGE_SIZE, 1,
		   make_semaphores, release_semaphores },
};

static const struct policy {
	int load;
	const char *name;
	int mode;
	enum scope scope;
	int even, odd;		/* weights of nodes with even and odd numbers */
	bool own;		/* which are the policy's, not the global ones */
} policies[] = {
	{ ANON, "default",    MODE_DEFAULT,             NONE,    0,   0 },
	{ ANON, "bind",       MODE_BIND,                MAPPING, 0,   0 },
	{ ANON, "interleave", MODE_INTERLEAVE,          MAPPING, 0,   0 },
	{ ANON, "interleave", MODE_INTERLEAVE,          TASK,    0,   0 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 1,   1 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 5,   1 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 9,   1 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 100, 37 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    1,   1 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    5,   1 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    9,   1 },
	{ ANON, "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    100, 37 },
	{ ANON, "own",        MODE_WEIGHTED_INTERLEAVE, MAPPING, 5,   1,  true },
	{ ANON, "own",        MODE_WEIGHTED_INTERLEAVE, MAPPING, 100, 37, true },
	{ ANON, "own",        MODE_WEIGHTED_INTERLEAVE, TASK,    5,   1,  true },
	{ ANON, "own",        MODE_WEIGHTED_INTERLEAVE, TASK,    100, 37, true },
	{ HUGE, "default",    MODE_DEFAULT,             NONE,    0,   0 },
	{ HUGE, "interleave", MODE_INTERLEAVE,          MAPPING, 0,   0 },
	{ HUGE, "interleave", MODE_INTERLEAVE,          TASK,    0,   0 },
	{ HUGE, "weighted",   MODE_WEIGHTED_INTERLEAVE, MAPPING, 5,   1 },
	{ HUGE, "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    5,   1 },
	{ HUGE, "own",        MODE_WEIGHTED_INTERLEAVE, MAPPING, 5,   1,  true },
	{ FILE_CACHE, "default",    MODE_DEFAULT,       NONE,    0,   0 },
	{ FILE_CACHE, "interleave", MODE_INTERLEAVE,    TASK,    0,   0 },
	{ FILE_CACHE, "weighted", MODE_WEIGHTED_INTERLEAVE, TASK, 5,  1 },
	{ FILE_CACHE, "own",      MODE_WEIGHTED_INTERLEAVE, TASK, 5,  1,  true },
	{ BULK, "default",    MODE_DEFAULT,             NONE,    0,   0 },
	{ BULK, "interleave", MODE_INTERLEAVE,          TASK,    0,   0 },
	{ BULK, "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    5,   1 },
	{ BULK, "weighted",   MODE_WEIGHTED_INTERLEAVE, TASK,    100, 37 },
	{ BULK, "own",        MODE_WEIGHTED_INTERLEAVE, TASK,    5,   1,  true },
};

static unsigned int measurement;
static int nr_nodes;
static int file;
static int semaphores = -1;
static char page[PAGE_SIZE];

static void touch_page(char *mem, unsigned long call)
{
	((volatile char *)mem)[call * PAGE_SIZE] = 1;
}

static void touch_huge_page(char *mem, unsigned long call)
{
	((volatile char *)mem)[call * HUGE_SIZE] = 1;
}

static void release_memory(char *mem)
{
	if (madvise(mem, ANON_PAGES * PAGE_SIZE, MADV_DONTNEED))
		fail("madvise");
}

static void write_page(char *mem, unsigned long call)
{
	(void)mem;
	if (pwrite(file, page, PAGE_SIZE, call * PAGE_SIZE) != PAGE_SIZE)
		fail("pwrite");
}

static void release_file(char *mem)
{
	(void)mem;
	if (ftruncate(file, 0))
		fail("ftruncate");
}

static void make_semaphores(char *mem, unsigned long call)
{
	(void)mem;
	(void)call;
	semaphores = semget(IPC_PRIVATE, SEMAPHORES, 0600);
	if (semaphores < 0)
		fail("semget");
}

static void release_semaphores(char *mem)
{
	(void)mem;
	if (semaphores >= 0 && semctl(semaphores, 0, IPC_RMID))
		fail("semctl");
	semaphores = -1;
	/* Their memory is freed after a grace period, in a work. */
	usleep(100000);
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
		return !syscall(NR_mbind2, mem, ANON_PAGES * PAGE_SIZE, &param,
				sizeof(param), 0);
	return !syscall(NR_set_mempolicy2, &param, sizeof(param), 0);
}

static bool set_policy(const struct policy *p, char *mem)
{
	unsigned long mask = (1UL << (nr_nodes - 1)) * 2 - 1;

	if (p->own)
		return set_own_policy(p, mem, &mask);
	if (p->scope == MAPPING)
		return !syscall(SYS_mbind, mem, ANON_PAGES * PAGE_SIZE, p->mode,
				&mask, MAX_NODES + 1UL, 0);
	if (p->scope == TASK)
		return !syscall(SYS_set_mempolicy, p->mode, &mask,
				MAX_NODES + 1UL);
	return true;
}

static uint64_t instructions(void)
{
	return __builtin_ia32_rdtsc();
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Between the markers the kernel runs for the load alone. Returns the median of
 * its calls; the clock counts instructions of the program and the kernel.
 */
static uint32_t run(const struct load *load, char *mem)
{
	static uint32_t single[ANON_PAGES];
	unsigned long i;

	/* Present already when they are written to */
	memset(single, 0xff, sizeof(single));
	MARK(MARKER_BEGIN);
	for (i = 0; i < load->calls; i++) {
		uint64_t begin = instructions();

		load->allocate(mem, i);
		single[i] = instructions() - begin;
	}
	MARK(MARKER_END);
	measurement++;
	qsort(single, load->calls, sizeof(*single), compare);
	return single[load->calls / 2];
}

/* The node of each page of the load, in pages of 4 KiB */
static const int *placement(const struct load *load, char *mem)
{
	static void *pages[ANON_PAGES];
	static int status[ANON_PAGES];
	unsigned long i, n = load->pages * (load->page_size / PAGE_SIZE);

	for (i = 0; i < n; i++)
		pages[i] = mem + i * PAGE_SIZE;
	if (syscall(SYS_move_pages, 0, n, pages, NULL, status, 0))
		fail("move_pages");
	for (i = 0; i < n; i++) {
		if (status[i] < 0 || status[i] >= nr_nodes) {
			errno = -status[i];
			fail("page without a node");
		}
	}
	return status;
}

static void print_split(const struct load *load, char *mem)
{
	unsigned long step = load->page_size / PAGE_SIZE, i;
	unsigned long count[MAX_NODES] = { 0 };
	const int *nodes;
	int node;

	/* Pages of a file and of the kernel have no address to ask for. */
	if (load->allocate != touch_page && load->allocate != touch_huge_page)
		return;
	nodes = placement(load, mem);
	for (i = 0; i < load->pages; i++)
		count[nodes[i * step]]++;
	printf(" split");
	for (node = 0; node < nr_nodes; node++)
		printf("%c%lu", node ? ':' : '=', count[node]);
}

static void print_weights(const struct policy *p)
{
	if (p->even)
		printf("%d:%d", p->even, p->odd);
	else
		printf("-");
}

static void print_order(const struct policy *p, char *mem)
{
	const struct load *load = &loads[p->load];
	const int *nodes;
	unsigned long i;

	/* A new policy of a task begins with a round. */
	release_memory(mem);
	if (!set_policy(p, mem))
		fail("policy");
	run(load, mem);
	nodes = placement(load, mem);
	printf("order %s %s ", p->name, scope_name[p->scope]);
	print_weights(p);
	printf(" ");
	for (i = 0; i < load->pages; i++)
		putchar('0' + nodes[i]);
	printf("\n");
}

/* The kernel leaves them switched off where there is little memory. */
static void allow_huge_pages(bool allow)
{
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "w");

	if (!f || fputs(allow ? "madvise" : "never", f) < 0 || fclose(f))
		fail("huge pages");
}

static void measure(const struct policy *p)
{
	const struct load *load = &loads[p->load];
	char *mem = mmap((void *)FIRST_ADDRESS, ANON_PAGES * PAGE_SIZE,
			 PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			 -1, 0);
	int i;

	if (mem == MAP_FAILED)
		fail("mmap");
	if (p->load == HUGE) {
		allow_huge_pages(true);
		if (madvise(mem, ANON_PAGES * PAGE_SIZE, MADV_HUGEPAGE))
			fail("madvise");
	}
	printf("policy %s %s %s ", load->name, p->name, scope_name[p->scope]);
	print_weights(p);
	if (!set_weights(p) || !set_policy(p, mem)) {
		printf(" error=%d\n", errno);
	} else {
		printf(" first=%u runs=%d pages=%lu single", measurement, RUNS,
		       load->pages);
		for (i = 0; i < RUNS; i++) {
			load->release(mem);
			printf("%c%u", i ? ':' : '=', run(load, mem));
		}
		print_split(load, mem);
		printf("\n");
		if (p->load == ANON && p->mode >= MODE_INTERLEAVE)
			print_order(p, mem);
		load->release(mem);
	}
	if (syscall(SYS_set_mempolicy, MODE_DEFAULT, NULL, 0))
		fail("set_mempolicy");
	munmap(mem, ANON_PAGES * PAGE_SIZE);
	if (p->load == HUGE)
		allow_huge_pages(false);
}

/* More semaphores in a set than the kernel allows unless told so */
static void allow_semaphores(void)
{
	FILE *f = fopen("/proc/sys/kernel/sem", "w");

	if (!f || fprintf(f, "%d %d 500 128\n", SEMAPHORES, 4 * SEMAPHORES) < 0 ||
	    fclose(f))
		fail("kernel.sem");
}

static void mount_at(const char *type, const char *path)
{
	mkdir(path, 0755);
	if (mount(type, path, type, 0, NULL))
		fail(path);
}

int main(void)
{
	size_t i;

	mount_at("sysfs", "/sys");
	mount_at("proc", "/proc");
	mount_at("ramfs", "/ram");
	file = open("/ram/file", O_RDWR | O_CREAT, 0600);
	if (file < 0)
		fail("file");
	allow_semaphores();
	nr_nodes = count_nodes();
	if (nr_nodes < 1 || nr_nodes > MAX_NODES)
		fail("number of nodes");
	printf("\nnodes %d\n", nr_nodes);
	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		measure(&policies[i]);
	printf("done\n");
	power_off();
}
