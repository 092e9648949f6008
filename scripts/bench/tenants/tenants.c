// SPDX-License-Identifier: GPL-2.0
/*
 * Run as init of a virtual machine with memory on many nodes: what policies with
 * weights of their own cost who has them, and others. WORK comes from the kernel's
 * command line, through the environment, and so do POLICY, "interleave" where the
 * kernel has nothing but MPOL_INTERLEAVE, and CGROUP, 2 where a cpuset is to be one of
 * cgroup 2.
 *   sets    one user makes a million sets, another one makes some before and after;
 *           then who writes a weight is killed
 *   rebind  a task with 65,000 mappings goes from 8 nodes to 8 others
 *   move    a buffer of one node goes to all nodes; with MPOL_INTERLEAVE to two
 *   fold    mappings over all nodes, of each kind, lose one node
 *   write   a weight is written that sets over all nodes follow
 * Prints a line for each measurement,
 *   measured NAME index=N of=COUNT clock=NS
 * where "index" is its number, "of" how many things were done in it, and "clock" how
 * much time has gone by on the machine, where an instruction takes a nanosecond. Then
 * powers the machine off.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"
#include "../../../tools/mm/placement/mempolicy2.h"

#define PAGE_SIZE	4096UL
#define MAX_NODES	64
#define MAX_WEIGHT	255

#define SETS		(1000 * 1000)
#define SAMPLE		1000	/* calls of the other user */

#define MAPPINGS	65000
#define HALF		8	/* nodes of a cpuset, before and after */

#define MOVED		8192	/* pages */

#define LONG_SETS	32	/* sets with rounds as long as they can be */

/* Time for what was freed to be gone: it waits for grace periods, in works. */
#define SETTLED_US	300000

/* How many measurements there were; of all tasks */
static unsigned int *measurement;
static int nr_nodes;
static uint64_t begun;

static uint64_t clock_ns(void)
{
	return __builtin_ia32_rdtsc();
}

static void begin(void)
{
	begun = clock_ns();
	MARK(MARKER_BEGIN);
}

static void end(const char *name, unsigned long of)
{
	MARK(MARKER_END);
	printf("measured %s index=%u of=%lu clock=%llu\n", name, (*measurement)++, of,
	       (unsigned long long)(clock_ns() - begun));
	fflush(stdout);
}

static void put(const char *path, const char *format, ...)
{
	char text[128];
	va_list args;
	int fd, len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, len) != len || close(fd))
		fail(path);
}

static void mount_at(const char *type, const char *path, const char *options)
{
	mkdir(path, 0755);
	if (mount(type, path, type, 0, options))
		fail(path);
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

/* Nodes [first, last] */
static unsigned long node_mask(int first, int last)
{
	return (~0UL >> (63 - last)) & (~0UL << first);
}

static char *new_memory(unsigned long pages)
{
	char *mem = mmap(NULL, pages * PAGE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		fail("mmap");
	return mem;
}

/* Nothing merges with its neighbours, whatever their policies are. */
static void part_mappings(char *mem, unsigned long pages)
{
	unsigned long i;

	for (i = 0; i < pages; i += 2)
		if (mprotect(mem + i * PAGE_SIZE, PAGE_SIZE,
			     PROT_READ | PROT_WRITE | PROT_EXEC))
			fail("mprotect");
}

static void bind_own(char *mem, unsigned long pages, unsigned long mask,
		     int mode_flags, const unsigned char *weights,
		     unsigned long flags)
{
	struct mpol_param param = {
		.mode = MPOL_WEIGHTED_INTERLEAVE,
		.mode_flags = mode_flags,
		.pol_maxnodes = MAX_NODES,
		.pol_nodes = mpol_address(&mask),
		.il_weights = mpol_address(weights),
	};

	if (mbind2((unsigned long)mem, pages * PAGE_SIZE, &param, sizeof(param),
		   flags))
		fail("mbind2");
}

static void bind_old(char *mem, unsigned long pages, int mode, unsigned long mask,
		     unsigned long flags)
{
	if (syscall(SYS_mbind, mem, pages * PAGE_SIZE, mode, &mask, MAX_NODES + 1UL,
		    flags))
		fail("mbind");
}

/* Another vector for each number: its digits on the nodes from @first on */
static void number_weights(unsigned char *weights, int first, int last,
			   unsigned long number)
{
	const int base = 8;
	int node;

	memset(weights, 0, MAX_NODES);
	for (node = first; node <= last; node++) {
		weights[node] = 1 + number % base;
		number /= base;
	}
}

/* What comes up in a round that is as long as it can be */
static void long_weights(unsigned char *weights, unsigned int number)
{
	int node;

	for (node = 0; node < MAX_NODES; node++)
		weights[node] = MAX_WEIGHT - node % 2;
	weights[1] = 1 + number;
}

/* A task that says when it has begun, and goes on when it is told to */
struct task {
	pid_t pid;
	int from, to;
};

static void wait_for(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		fail("another task");
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		fail("pipe");
}

static struct task start(void (*work)(const struct task *starter))
{
	int up[2], down[2];
	struct task task;

	if (pipe(up) || pipe(down))
		fail("pipe");
	fflush(stdout);
	task.pid = fork();
	if (task.pid < 0)
		fail("fork");
	if (!task.pid) {
		struct task starter = { .from = down[0], .to = up[1] };

		close(up[0]);
		close(down[1]);
		work(&starter);
		fflush(stdout);
		_exit(0);
	}
	close(up[1]);
	close(down[0]);
	task.from = up[0];
	task.to = down[1];
	return task;
}

static void stop(const struct task *task)
{
	kill(task->pid, SIGKILL);
	if (waitpid(task->pid, NULL, 0) != task->pid)
		fail("waitpid");
	close(task->from);
	close(task->to);
	usleep(SETTLED_US);
}

#define WEIGHT_OF_FIRST	"/sys/kernel/mm/mempolicy/weighted_interleave/node0"

/* Who writes a weight is killed while the orders are being renewed. */
static void write_weight(const struct task *starter)
{
	tell(starter->to);
	put(WEIGHT_OF_FIRST, "7\n");
}

static void kill_writer(const char *name, unsigned long sets)
{
	struct task writer = start(write_weight);
	int status;

	wait_for(writer.from);
	/* So much that it is computing, and has far to go */
	usleep(2000);
	begin();
	if (kill(writer.pid, SIGKILL) || waitpid(writer.pid, &status, 0) != writer.pid)
		fail("killing a writer");
	end(name, sets);
	/* One that has ended before shows nothing. */
	if (!WIFSIGNALED(status))
		fail("a writer that was done before it was killed");
}

/* All follow the global weight of the first node. */
static void make_sets(const struct task *starter)
{
	unsigned long all = node_mask(0, nr_nodes - 1), others = node_mask(1, nr_nodes - 1);
	unsigned char weights[MAX_NODES];
	unsigned long i;
	char *mem;

	put("/cgroup/first/cgroup.procs", "0");
	/* Node 0 is for the others. */
	if (syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &others, MAX_NODES + 1UL))
		fail("set_mempolicy");
	mem = new_memory(SETS);
	for (i = 0; i < SETS; i++) {
		number_weights(weights, 1, nr_nodes - 1, i);
		bind_own(mem + i * PAGE_SIZE, 1, all, 0, weights, 0);
	}
	tell(starter->to);
	wait_for(starter->from);
}

static void sample(const char *name)
{
	unsigned char weights[SAMPLE][MAX_NODES];
	unsigned long all = node_mask(0, nr_nodes - 1), i;
	char *mem = new_memory(SAMPLE);

	part_mappings(mem, SAMPLE);
	for (i = 0; i < SAMPLE; i++)
		number_weights(weights[i], 0, nr_nodes - 1, i);
	begin();
	for (i = 0; i < SAMPLE; i++)
		bind_own(mem + i * PAGE_SIZE, 1, all, 0, weights[i], 0);
	end(name, SAMPLE);
	munmap(mem, SAMPLE * PAGE_SIZE);
	usleep(SETTLED_US);
}

static void measure_sets(void)
{
	struct task task;

	mount_at("cgroup2", "/cgroup", NULL);
	put("/cgroup/cgroup.subtree_control", "+memory");
	mkdir("/cgroup/first", 0755);
	mkdir("/cgroup/second", 0755);
	put("/cgroup/second/cgroup.procs", "0");
	put("/proc/sys/vm/max_map_count", "%d", 4 * SETS);
	/* The first one takes what later ones find: slabs, mappings of the program. */
	sample("warm-up");
	sample("beside-none");
	task = start(make_sets);
	wait_for(task.from);
	sample("warm-up");
	sample("beside-a-million");
	kill_writer("killed-a-million", SETS);
	stop(&task);
}

static bool has_own_weights(void)
{
	const char *policy = getenv("policy");

	return !policy || strcmp(policy, "interleave");
}

static char *cpuset_mem;

static void in_cpuset(const struct task *starter)
{
	unsigned char weights[MAX_NODES];
	unsigned long i;

	put("/cpuset/one/cgroup.procs", "0");
	cpuset_mem = new_memory(MAPPINGS);
	part_mappings(cpuset_mem, MAPPINGS);
	for (i = 0; i < MAPPINGS; i++) {
		char *page = cpuset_mem + i * PAGE_SIZE;

		number_weights(weights, 0, HALF - 1, i);
		if (has_own_weights())
			bind_own(page, 1, node_mask(0, HALF - 1), 0, weights, 0);
		else
			bind_old(page, 1, MPOL_INTERLEAVE, node_mask(0, HALF - 1), 0);
	}
	tell(starter->to);
	wait_for(starter->from);
	begin();
	for (i = 0; i < MAPPINGS; i++)
		((volatile char *)cpuset_mem)[i * PAGE_SIZE] = 1;
	end("first-page", MAPPINGS);
	tell(starter->to);
	wait_for(starter->from);
}

/* In cgroup 2, if that is asked for, pages follow; there are none. */
static void make_cpuset(const char *mems)
{
	const char *version = getenv("cgroup");

	if (version && !strcmp(version, "2")) {
		mount_at("cgroup2", "/cpuset", NULL);
		put("/cpuset/cgroup.subtree_control", "+cpuset");
	} else {
		mount_at("cgroup", "/cpuset", "cpuset");
	}
	mkdir("/cpuset/one", 0755);
	put("/cpuset/one/cpuset.cpus", "0");
	put("/cpuset/one/cpuset.mems", "%s", mems);
}

static void measure_rebind(void)
{
	struct task task;

	make_cpuset("0-7");
	put("/proc/sys/vm/max_map_count", "%d", 2 * MAPPINGS);
	task = start(in_cpuset);
	wait_for(task.from);
	begin();
	put("/cpuset/one/cpuset.mems", "8-15");
	end("rebind", MAPPINGS);
	begin();
	usleep(SETTLED_US);
	end("settling", MAPPINGS);
	tell(task.to);
	wait_for(task.from);
	stop(&task);
}

static unsigned long pages_migrated(void)
{
	unsigned long count = 0;
	char line[128];
	FILE *f = fopen("/proc/vmstat", "r");

	if (!f)
		fail("vmstat");
	while (fgets(line, sizeof(line), f) &&
	       sscanf(line, "pgmigrate_success %lu", &count) != 1)
		;
	fclose(f);
	return count;
}

/* From one node to where they belong, then to where they are already */
static void measure_move(void)
{
	unsigned long all = node_mask(0, nr_nodes - 1), moved;
	unsigned char weights[MAX_NODES];
	char *mem = new_memory(MOVED);
	int node;

	for (node = 0; node < nr_nodes; node++)
		weights[node] = 1 + node % 8;
	bind_old(mem, MOVED, MPOL_BIND, node_mask(1, 1), 0);
	memset(mem, 1, MOVED * PAGE_SIZE);
	moved = pages_migrated();
	begin();
	if (has_own_weights())
		bind_own(mem, MOVED, all, 0, weights, MPOL_MF_MOVE);
	else
		bind_old(mem, MOVED, MPOL_INTERLEAVE, node_mask(2, 3), MPOL_MF_MOVE);
	end("move", pages_migrated() - moved);
	if (!has_own_weights())
		return;
	moved = pages_migrated();
	begin();
	bind_own(mem, MOVED, all, 0, weights, MPOL_MF_MOVE);
	end("move-again", MOVED);
	if (pages_migrated() != moved)
		fail("pages that were in their place have moved");
}

/* The mode flags of the next task in a cpuset */
static int kind;

static void over_all_nodes(const struct task *starter)
{
	unsigned char weights[MAX_NODES];

	put("/cpuset/one/cgroup.procs", "0");
	long_weights(weights, 0);
	bind_own(new_memory(1), 1, node_mask(0, nr_nodes - 1), kind, weights, 0);
	tell(starter->to);
	wait_for(starter->from);
}

static void measure_fold(void)
{
	static const struct {
		const char *name;
		int flags;
	} kinds[] = {
		{ "fold-plain", 0 },
		{ "fold-static", MPOL_F_STATIC_NODES },
		{ "fold-relative", MPOL_F_RELATIVE_NODES },
	};
	struct task task;
	size_t i;

	make_cpuset("0-63");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kind = kinds[i].flags;
		put("/cpuset/one/cpuset.mems", "0-63");
		task = start(over_all_nodes);
		wait_for(task.from);
		begin();
		put("/cpuset/one/cpuset.mems", "0-62");
		end(kinds[i].name, 1);
		stop(&task);
	}
}

static void measure_write(void)
{
	unsigned char weights[MAX_NODES];
	char *mem = new_memory(LONG_SETS);
	unsigned int i;

	for (i = 0; i < LONG_SETS; i++) {
		long_weights(weights, i);
		weights[0] = 0;
		bind_own(mem + i * PAGE_SIZE, 1, node_mask(0, nr_nodes - 1), 0, weights, 0);
	}
	begin();
	put(WEIGHT_OF_FIRST, "9\n");
	end("write", LONG_SETS);
	kill_writer("killed", LONG_SETS);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*measure)(void);
	} works[] = {
		{ "sets", measure_sets },
		{ "rebind", measure_rebind },
		{ "move", measure_move },
		{ "fold", measure_fold },
		{ "write", measure_write },
	};
	const char *work = getenv("work");
	size_t i;

	mount_at("sysfs", "/sys", NULL);
	mount_at("proc", "/proc", NULL);
	nr_nodes = count_nodes();
	if (nr_nodes < 1 || nr_nodes > MAX_NODES)
		fail("number of nodes");
	measurement = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (measurement == MAP_FAILED)
		fail("mmap");
	printf("\nnodes %d\n", nr_nodes);
	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (work && !strcmp(work, works[i].name))
			works[i].measure();
	printf("done\n");
	power_off();
}
