// SPDX-License-Identifier: GPL-2.0
/*
 * What "mpolctl run --larger-than 32M --weights 0=3,1=1" does to a program that is
 * linked with the C library of the machine. Prints TAP.
 * With an argument: how many instructions a call of that name takes, 64 bytes big.
 */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB		1048576UL
#define LARGE		(33 * MIB + 5000)
#define SMALL		(31 * MIB)
#define POLICY		"weighted interleave:0-1"

static int count, failed;

static void result(bool passed, const char *name, const char *what)
{
	printf("%sok %d - %s: %s\n", passed ? "" : "not ", ++count, name, what);
	failed += !passed;
}

/* The line of numa_maps of the mapping that begins last at or before @memory */
static bool find_mapping(const void *memory, char *line, size_t size)
{
	char *maps = NULL;
	size_t room = 0;
	FILE *file = fopen("/proc/self/numa_maps", "r");
	bool found = false;

	while (file && getline(&maps, &room, file) > 0) {
		if (strtoul(maps, NULL, 16) > (uintptr_t)memory)
			break;
		snprintf(line, size, "%s", maps);
		found = true;
	}
	if (file)
		fclose(file);
	free(maps);
	return found;
}

static unsigned long pages_on(const char *line, const char *node)
{
	const char *at = strstr(line, node);

	return at ? strtoul(at + strlen(node), NULL, 10) : 0;
}

/* Its first and its last byte are in one mapping, with three pages of four on node 0 */
static void is_weighted(const char *name, char *memory, size_t size)
{
	char first[1024] = "", last[1024] = "";
	unsigned long fast, slow, pages = size / sysconf(_SC_PAGESIZE);

	if (!memory || memory == MAP_FAILED) {
		result(false, name, "memory of more than 32 MiB");
		return;
	}
	memset(memory, 1, size);
	find_mapping(memory, first, sizeof(first));
	find_mapping(memory + size - 1, last, sizeof(last));
	fast = pages_on(first, " N0=");
	slow = pages_on(first, " N1=");
	if (strstr(first, " huge "))
		pages = fast + slow;
	result(strstr(first, " " POLICY " "), name, "large memory has the policy");
	result(!strcmp(first, last), name, "large memory is one mapping");
	result(fast + slow >= pages && pages && 4 * fast >= 3 * pages - 12 &&
	       4 * slow >= pages - 12 && 4 * slow <= fast + slow + 12, name,
	       "large memory is on both nodes, 3:1");
	printf("# %s", first);
}

static void is_left_alone(const char *name, char *memory, size_t size)
{
	char line[1024] = "";

	if (memory && memory != MAP_FAILED)
		memset(memory, 1, size);
	result(memory && memory != MAP_FAILED &&
	       find_mapping(memory, line, sizeof(line)) && strstr(line, " default "),
	       name, "smaller memory is left alone");
}

static void *by_malloc(size_t size)
{
	return malloc(size);
}

static void *by_calloc(size_t size)
{
	return calloc(8, size / 8);
}

static void *by_realloc(size_t size)
{
	return realloc(malloc(100), size);
}

static void *by_reallocarray(size_t size)
{
	return reallocarray(NULL, 8, size / 8);
}

static void *by_memalign(size_t size)
{
	return memalign(64, size);
}

static void *by_aligned_alloc(size_t size)
{
	return aligned_alloc(64, size);
}

static void *by_posix_memalign(size_t size)
{
	void *memory;

	return posix_memalign(&memory, 4096, size) ? NULL : memory;
}

/* "realloc" is two: of a block that malloc() has made */
static const struct call {
	const char *name;
	void *(*make)(size_t size);
} calls[] = {
	{ "malloc", by_malloc },
	{ "calloc", by_calloc },
	{ "realloc", by_realloc },
	{ "reallocarray", by_reallocarray },
	{ "memalign", by_memalign },
	{ "aligned_alloc", by_aligned_alloc },
	{ "posix_memalign", by_posix_memalign },
	{ "valloc", valloc },
	{ "pvalloc", pvalloc },
};

static void test_allocations(void)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		void *memory = calls[i].make(LARGE);

		is_weighted(calls[i].name, memory, LARGE / 8 * 8);
		free(memory);
		memory = calls[i].make(SMALL);
		is_left_alone(calls[i].name, memory, SMALL);
		free(memory);
	}
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static void test_growing(void)
{
	/* The second one ends where a page does, and its mapping a page later. */
	static const size_t sizes[] = { LARGE, 33 * MIB - 16 };
	char *memory = malloc(SMALL);
	size_t i;

	memset(memory, 7, SMALL);
	memory = realloc(memory, LARGE);
	result(memory && memory[SMALL - 1] == 7, "realloc", "what was there has come along");
	is_weighted("realloc of smaller memory", memory, LARGE);
	free(memory);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		long before;

		memory = malloc(sizes[i]);
		memset(memory, 7, sizes[i]);
		before = faults();
		memory = realloc(memory, 2 * sizes[i]);
		/* A copy takes one for each 2 MiB at least. */
		result(memory && faults() - before < 8, "realloc",
		       "large memory is not copied");
		result(memory && memory[sizes[i] - 1] == 7, "realloc",
		       "large memory has come along");
		is_weighted("realloc of large memory", memory, 2 * sizes[i]);
		free(memory);
	}
}

static void test_mappings(void)
{
	char *memory, *moved;

	memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	is_weighted("mmap", memory, LARGE);
	munmap(memory, LARGE);
	memory = mmap64(NULL, LARGE, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	is_weighted("mmap64 of shared memory", memory, LARGE);
	munmap(memory, LARGE);
	memory = mmap(NULL, SMALL, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	is_left_alone("mmap", memory, 4096);
	if (memory != MAP_FAILED)
		memset(memory, 7, SMALL);
	moved = mremap(memory, SMALL, LARGE, MREMAP_MAYMOVE);
	result(moved != MAP_FAILED && moved[SMALL - 1] == 7, "mremap",
	       "what was there has come along");
	is_weighted("mremap", moved, LARGE);
	munmap(moved, LARGE);
	memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	is_weighted("mmap of huge pages", memory, LARGE);
	munmap(memory, LARGE);
	memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	is_left_alone("mmap of a stack", memory, 4096);
	munmap(memory, LARGE);
}

static void *look_at_stack(void *unused)
{
	char on_stack[4096];

	(void)unused;
	is_left_alone("a thread's stack", on_stack, sizeof(on_stack));
	return NULL;
}

static void test_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 2 * LARGE / 4096 * 4096);
	if (pthread_create(&thread, &attributes, look_at_stack, NULL))
		result(false, "a thread", "it begins");
	else
		pthread_join(thread, NULL);
}

/* Answers are those of the C library. */
static void test_failures(void)
{
	/* At run time: the compiler knows what cannot be */
	size_t most = strtoul("-1", NULL, 0), much = most / 2;
	void *memory = &count;

	errno = 0;
	result(!malloc(much) && errno == ENOMEM, "malloc", "too much is ENOMEM");
	errno = 0;
	result(!malloc(most) && errno == ENOMEM, "malloc", "all there can be is ENOMEM");
	errno = 0;
	result(!calloc(most / 2, 3) && errno == ENOMEM, "calloc", "an overflow is ENOMEM");
	errno = 5;
	result(posix_memalign(&memory, 3, LARGE) == EINVAL && errno == 5,
	       "posix_memalign", "a bad alignment is EINVAL");
	errno = 0;
	result(mmap(NULL, LARGE, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED &&
	       errno == EBADF, "mmap", "no file is EBADF");
	errno = 5;
	memory = malloc(LARGE);
	result(memory && errno == 5, "malloc", "success leaves errno alone");
	free(memory);
}

/* All that a child inherits, and what others have asked to be loaded */
static void test_children(char **argv)
{
	pid_t child;
	int status = -1;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(execl(argv[0], argv[0], "child", (char *)NULL));
	result(child > 0 && waitpid(child, &status, 0) == child && !status,
	       "execve", "a program that is started has it as well");
	result(getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), ":libc.so.6"),
	       "mpolctl", "what was to be loaded before still is");
}

static int be_child(void)
{
	char line[1024] = "";
	char *memory = malloc(LARGE);

	return !memory || !find_mapping(memory, line, sizeof(line)) ||
	       !strstr(line, POLICY);
}

/* Stops, calls, stops: whoever traces it counts the steps between. */
static int call_between_stops(const struct call *call)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		return 1;
	/* The first one finds what it needs. */
	free(call->make(64));
	raise(SIGSTOP);
	free(call->make(64));
	raise(SIGSTOP);
	return 0;
}

static int count_instructions(const char *name)
{
	size_t i;
	int status;
	long steps;
	pid_t child;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (!strcmp(name, calls[i].name))
			break;
	}
	if (i == sizeof(calls) / sizeof(*calls))
		return 1;
	child = fork();
	if (!child)
		_exit(call_between_stops(&calls[i]));
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return 1;
	for (steps = 0; ; steps++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) ||
		    waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			return 1;
		if (WSTOPSIG(status) == SIGSTOP)
			break;
	}
	kill(child, SIGKILL);
	printf("%ld\n", steps);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "child"))
		return be_child();
	if (argc > 1)
		return count_instructions(argv[1]);
	test_allocations();
	test_growing();
	test_mappings();
	test_stack();
	test_failures();
	test_children(argv);
	printf("1..%d\n", count);
	return failed != 0;
}
