// SPDX-License-Identifier: GPL-2.0
/*
 * Run as init of a virtual machine with two nodes and a processor each: lets one
 * of three programs run, with memory that follows its tasks or not, and says how
 * much of their memory was near. WORK and MODE come from the kernel's command
 * line, through the environment.
 *   stream   one task computes a[i] = b[i] + k * c[i] over 48 MiB, again and
 *            again; another program takes the one processor, then the other
 *   compile  48 short programs, three at a time, which fill 8 MiB each and read
 *            it some times over
 *   pool     three threads that take pieces of 32 MiB, and wait for more
 * Modes: off, direct, lazy, and balancing (kernel.numa_balancing=1).
 * Prints
 *   WORK MODE moves=N migrated=N followed=N near=N of=N
 * "moves" of tasks from node to node, pages "migrated" for whatever reason, the sum
 * of all that automatic migration counts, and of the pages that were asked for while
 * they were in use, those on the node of who used them. Then powers the machine off.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
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

#define PAGE_SIZE	4096UL
#define CHUNK		(1UL << 20)
#define WORDS		(CHUNK / sizeof(uint64_t))

#define STREAM_CHUNKS	16	/* in each of three arrays */
#define STREAM_PASSES	30	/* before the other program changes processors */
#define STREAM_PHASES	4

#define COMPILE_JOBS	48
#define COMPILE_AT_ONCE	3
#define COMPILE_CHUNKS	8
#define COMPILE_PASSES	8

#define POOL_THREADS	3
#define POOL_CHUNKS	32
#define POOL_BATCHES	60
#define POOL_PASSES	4

/* One page of a chunk in so many is looked for, in one chunk of so many. */
#define PAGE_STEP	16
#define CHUNK_STEP	4

/* What the tasks share; never the memory that is measured */
static struct {
	atomic_ulong near, asked;
	atomic_int taken;	/* the processor that the other program takes */
	pthread_barrier_t batch;
	atomic_uint next;
} *shared;

static char *new_memory(size_t size, int flags)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 flags | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		fail("mmap");
	return mem;
}

/* Looks where the chunk is that was just used; asking makes no hint fault. */
static void look(char *chunk)
{
	void *pages[CHUNK / PAGE_SIZE / PAGE_STEP];
	int nodes[CHUNK / PAGE_SIZE / PAGE_STEP];
	unsigned int count = sizeof(nodes) / sizeof(nodes[0]), i, near = 0;
	unsigned int cpu, node;

	for (i = 0; i < count; i++)
		pages[i] = chunk + i * PAGE_STEP * PAGE_SIZE;
	if (getcpu(&cpu, &node) ||
	    syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, nodes, 0))
		fail("move_pages");
	for (i = 0; i < count; i++)
		near += nodes[i] == (int)node;
	atomic_fetch_add(&shared->near, near);
	atomic_fetch_add(&shared->asked, count);
}

static uint64_t read_chunk(const char *chunk)
{
	const uint64_t *words = (const uint64_t *)chunk;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < WORDS; i++)
		sum += words[i];
	return sum;
}

static void stream_pass(char *memory, unsigned int pass)
{
	unsigned int chunk;
	size_t i;

	for (chunk = 0; chunk < STREAM_CHUNKS; chunk++) {
		uint64_t *a = (uint64_t *)(memory + chunk * CHUNK);
		const uint64_t *b = a + STREAM_CHUNKS * WORDS;
		const uint64_t *c = b + STREAM_CHUNKS * WORDS;

		for (i = 0; i < WORDS; i++)
			a[i] = b[i] + 3 * c[i];
		if (chunk % CHUNK_STEP == pass % CHUNK_STEP) {
			look((char *)a);
			look((char *)b);
			look((char *)c);
		}
	}
}

/* The other program: takes a processor until it is told to take the other. */
static void take_processors(void)
{
	for (;;) {
		int cpu = atomic_load(&shared->taken);
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			fail("sched_setaffinity");
		while (atomic_load(&shared->taken) == cpu)
			;
	}
}

static void stream(void)
{
	char *memory = new_memory(3 * STREAM_CHUNKS * CHUNK, MAP_PRIVATE);
	unsigned int phase, pass;

	memset(memory, 1, 3 * STREAM_CHUNKS * CHUNK);
	for (phase = 0; phase < STREAM_PHASES; phase++) {
		unsigned int cpu, node;

		if (getcpu(&cpu, &node))
			fail("getcpu");
		atomic_store(&shared->taken, cpu);
		for (pass = 0; pass < STREAM_PASSES; pass++)
			stream_pass(memory, pass);
	}
}

static void compile_job(void)
{
	char *memory = new_memory(COMPILE_CHUNKS * CHUNK, MAP_PRIVATE);
	static volatile uint64_t sum;
	unsigned int pass, chunk;

	memset(memory, 1, COMPILE_CHUNKS * CHUNK);
	for (pass = 0; pass < COMPILE_PASSES; pass++) {
		for (chunk = 0; chunk < COMPILE_CHUNKS; chunk++) {
			sum += read_chunk(memory + chunk * CHUNK);
			if (chunk % CHUNK_STEP == pass % CHUNK_STEP)
				look(memory + chunk * CHUNK);
		}
	}
}

static void reap(void)
{
	int status;

	if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
		errno = 0;
		fail("a program");
	}
}

/* Programs are executed anew; what they share comes as a file descriptor. */
static void compile(int share)
{
	char number[16];
	unsigned int job;

	snprintf(number, sizeof(number), "%d", share);
	for (job = 0; job < COMPILE_JOBS; job++) {
		pid_t pid;

		if (job >= COMPILE_AT_ONCE)
			reap();
		pid = fork();
		if (pid < 0)
			fail("fork");
		if (!pid) {
			execl("/init", "/init", "job", number, NULL);
			_exit(127);
		}
	}
	for (job = 0; job < COMPILE_AT_ONCE; job++)
		reap();
}

static char *pool_memory;

static void *pool_thread(void *unused)
{
	static volatile uint64_t sum;
	unsigned int batch, pass, item;

	(void)unused;
	for (batch = 0; batch < POOL_BATCHES; batch++) {
		pthread_barrier_wait(&shared->batch);
		while ((item = atomic_fetch_add(&shared->next, 1)) < POOL_CHUNKS) {
			char *chunk = pool_memory + item * CHUNK;

			for (pass = 0; pass < POOL_PASSES; pass++)
				sum += read_chunk(chunk);
			if (item % CHUNK_STEP == batch % CHUNK_STEP)
				look(chunk);
		}
		pthread_barrier_wait(&shared->batch);
	}
	return NULL;
}

static void pool(void)
{
	pthread_t threads[POOL_THREADS];
	unsigned int i;

	pool_memory = new_memory(POOL_CHUNKS * CHUNK, MAP_PRIVATE);
	memset(pool_memory, 1, POOL_CHUNKS * CHUNK);
	pthread_barrier_init(&shared->batch, NULL, POOL_THREADS + 1);
	for (i = 0; i < POOL_THREADS; i++) {
		if (pthread_create(&threads[i], NULL, pool_thread, NULL))
			fail("pthread_create");
	}
	for (i = 0; i < POOL_BATCHES; i++) {
		atomic_store(&shared->next, 0);
		pthread_barrier_wait(&shared->batch);
		pthread_barrier_wait(&shared->batch);
		usleep(20000);
	}
	for (i = 0; i < POOL_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		fail(path);
}

static void set_mode(const char *mode)
{
	if (!strcmp(mode, "balancing")) {
		write_file("/proc/sys/kernel/numa_balancing", "1");
		return;
	}
	if (!strcmp(mode, "off"))
		return;
	if (!strcmp(mode, "lazy"))
		write_file("/sys/kernel/migration/auto_migrate_lazy", "1");
	write_file("/sys/kernel/migration/auto_migrate_interval", "5");
	write_file("/sys/kernel/migration/auto_migrate_enable", "1");
}

/* The sum of the counters whose names begin so */
static unsigned long counted(const char *prefix)
{
	FILE *f = fopen("/proc/vmstat", "r");
	unsigned long value, sum = 0;
	char name[64];

	if (!f)
		fail("/proc/vmstat");
	while (fscanf(f, "%63s %lu", name, &value) == 2) {
		if (!strncmp(name, prefix, strlen(prefix)))
			sum += value;
	}
	fclose(f);
	return sum;
}

/* Moves of this task, and of those that it will start, between processors */
static int count_moves(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_MIGRATIONS,
		.inherit = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		fail("perf_event_open");
	return fd;
}

static void share(int fd)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (shared == MAP_FAILED)
		fail("what is shared");
}

static int job(const char *number)
{
	share(atoi(number));
	compile_job();
	return 0;
}

int main(int argc, char **argv)
{
	const char *work = getenv("work"), *mode = getenv("mode");
	uint64_t moves = 0;
	unsigned long migrated;
	int fd, counter;
	pid_t other = 0;

	if (argc == 3 && !strcmp(argv[1], "job"))
		return job(argv[2]);
	if (!work || !mode)
		fail("work and mode are not said");
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	if (mount("proc", "/proc", "proc", 0, NULL) ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL))
		fail("mount");
	fd = memfd_create("shared", 0);
	if (fd < 0 || ftruncate(fd, sizeof(*shared)))
		fail("memfd_create");
	share(fd);
	set_mode(mode);
	if (!strcmp(work, "stream")) {
		other = fork();
		if (other < 0)
			fail("fork");
		if (!other)
			take_processors();
	}
	counter = count_moves();
	migrated = counted("pgmigrate_success");
	MARK(MARKER_BEGIN);
	if (!strcmp(work, "stream"))
		stream();
	else if (!strcmp(work, "compile"))
		compile(fd);
	else
		pool();
	MARK(MARKER_END);
	if (read(counter, &moves, sizeof(moves)) != sizeof(moves))
		fail("moves");
	printf("\n%s %s moves=%llu migrated=%lu followed=%lu near=%lu of=%lu\n",
	       work, mode, (unsigned long long)moves,
	       counted("pgmigrate_success") - migrated, counted("auto_migrate_"),
	       atomic_load(&shared->near), atomic_load(&shared->asked));
	printf("done\n");
	power_off();
}
