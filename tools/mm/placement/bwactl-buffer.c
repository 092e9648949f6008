// SPDX-License-Identifier: GPL-2.0
/* Memory to measure with: how much is wanted, how much there is, and where */
#include "bwactl-buffer.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bwactl-machine.h"
#include "common.h"
#include "global-weights.h"
#include "mempolicy2.h"

#define MIB		(1024 * 1024ULL)
#define WANTED		4	/* times the caches */
#define NEEDED		2
#define SAMPLES		256
#define WORD_BITS	(8 * sizeof(unsigned long))

static const char remedy[] =
	"stop programs, drop the page cache, or use less with --buffer";

/* "512K" and the like, and bytes; 0 when it is something else */
static unsigned long long parse_kib(const char *text)
{
	size_t len = strspn(text, "0123456789");
	unsigned long kib;

	if (!parse_number(text, len, ULONG_MAX / 1024 - 1, &kib))
		return 0;
	return text[len] == 'M' ? kib * MIB : kib * 1024ULL;
}

/* The size of a cache, counted at the first of the CPUs that share it */
static unsigned long long cache_size(const char *dir, int cpu)
{
	char path[PATH_MAX], line[4096];
	unsigned long first, level;

	snprintf(path, sizeof(path), "%s/level", dir);
	if (!read_line(path, line, sizeof(line)) ||
	    !parse_number(line, strlen(line), 9, &level) || level < 2)
		return 0;
	snprintf(path, sizeof(path), "%s/shared_cpu_list", dir);
	if (read_line(path, line, sizeof(line)) &&
	    parse_number(line, strspn(line, "0123456789"), INT_MAX, &first) &&
	    first != (unsigned long)cpu)
		return 0;
	snprintf(path, sizeof(path), "%s/size", dir);
	return read_line(path, line, sizeof(line)) ? parse_kib(line) : 0;
}

unsigned long long count_caches(const struct machine *machine,
				const bool *cpus)
{
	unsigned long long sum = 0;
	char dir[PATH_MAX / 2];
	int cpu, index;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		for (index = 0; cpus[cpu] && index < 8; index++) {
			snprintf(dir, sizeof(dir),
				 "%s/devices/system/cpu/cpu%d/cache/index%d",
				 machine->sysfs, cpu, index);
			sum += cache_size(dir, cpu);
		}
	}
	return sum;
}

unsigned long long node_room(const struct machine *machine, int node)
{
	unsigned long long free_kib = 0, total_kib = 0;
	char path[PATH_MAX], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/devices/system/node/node%d/meminfo",
		 machine->sysfs, node);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %*d MemTotal: %llu", &total_kib) != 1 &&
		    sscanf(line, "Node %*d MemFree: %llu", &free_kib) == 1)
			break;
	}
	fclose(file);
	/* The kernel keeps a part to itself */
	total_kib /= 16;
	return free_kib > total_kib ? (free_kib - total_kib) * 1024 : 0;
}

static unsigned long long read_bytes(const char *dir, const char *name)
{
	char path[PATH_MAX], line[64];
	unsigned long value;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!read_line(path, line, sizeof(line)) ||
	    !parse_number(line, strlen(line), ULONG_MAX, &value))
		return ULLONG_MAX;
	return value;
}

static unsigned long long memory_left(const char *dir)
{
	static const char * const names[][2] = {
		{ "memory.max", "memory.current" },
		{ "memory.limit_in_bytes", "memory.usage_in_bytes" },
	};
	unsigned long long limit, used, left = ULLONG_MAX;
	size_t i;

	for (i = 0; i < 2; i++) {
		limit = read_bytes(dir, names[i][0]);
		used = read_bytes(dir, names[i][1]);
		if (limit == ULLONG_MAX || used == ULLONG_MAX)
			continue;
		used = limit > used ? limit - used : 0;
		if (used < left)
			left = used;
	}
	return left;
}

/* 1 when there is a quota, which is all that matters */
static unsigned long long quota_left(const char *dir)
{
	char path[PATH_MAX], line[64];

	snprintf(path, sizeof(path), "%s/cpu.max", dir);
	if (!read_line(path, line, sizeof(line)) || !strncmp(line, "max", 3))
		return ULLONG_MAX;
	return 1;
}

/* The least that any of the cgroups has left, from this one to the root */
static unsigned long long walk_cgroups(const struct machine *machine,
				       const char *mount, char *path,
				       unsigned long long (*left)(const char *))
{
	unsigned long long least = ULLONG_MAX, here;
	char dir[PATH_MAX];
	char *slash = path;

	path[strcspn(path, "\n")] = '\0';
	while (slash) {
		slash = strrchr(path, '/');
		snprintf(dir, sizeof(dir), "%s/fs/cgroup/%s%s", machine->sysfs,
			 mount, path);
		here = left(dir);
		if (here < least)
			least = here;
		if (slash)
			*slash = '\0';
	}
	return least;
}

static unsigned long long ask_cgroups(const struct machine *machine,
				      unsigned long long (*left)(const char *))
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	unsigned long long least = ULLONG_MAX, here;
	char line[PATH_MAX / 2], *path;

	while (file && fgets(line, sizeof(line), file)) {
		path = strrchr(line, ':');
		if (!path)
			continue;
		here = ULLONG_MAX;
		if (!strncmp(line, "0::", 3))
			here = walk_cgroups(machine, "", line + 3, left);
		else if (strstr(line, ":memory:"))
			here = walk_cgroups(machine, "memory", path + 1, left);
		if (here < least)
			least = here;
	}
	if (file)
		fclose(file);
	return least;
}

void note_quota(const struct machine *machine)
{
	if (ask_cgroups(machine, quota_left) != ULLONG_MAX)
		warnx("note: this cgroup has a quota of CPU time: bandwidths may be too low");
}

static unsigned long long find_size(const struct machine *machine,
				    unsigned long long size,
				    unsigned long long caches,
				    unsigned long long room, const char *what)
{
	unsigned long long left = ask_cgroups(machine, memory_left);
	unsigned long long wanted, needed;

	if (left < room)
		room = left;
	wanted = WANTED * caches > 64 * MIB ? WANTED * caches : 64 * MIB;
	needed = NEEDED * caches > 16 * MIB ? NEEDED * caches : 16 * MIB;
	if (size) {
		wanted = size;
		needed = size;
	}
	if (wanted <= room)
		return wanted;
	if (needed <= room) {
		warnx("note: %s: %llu MiB are wanted, %llu MiB are free and must do",
		      what, wanted / MIB, room / MIB);
		return room;
	}
	warnx("%s: %llu MiB are wanted, %llu MiB at least, %llu MiB are free: %s",
	      what, wanted / MIB, needed / MIB, room / MIB, remedy);
	return 0;
}

bool get_buffer(const struct machine *machine, unsigned long long size,
		unsigned long long caches, unsigned long long room,
		const char *what, struct buffer *buffer)
{
	buffer->size = find_size(machine, size, caches, room, what);
	if (!buffer->size)
		return false;
	buffer->memory = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			      -1, 0);
	if (buffer->memory == MAP_FAILED) {
		warn("cannot get %llu MiB to measure %s",
		     buffer->size / MIB, what);
		return false;
	}
	/* Misses of the TLB are not to be measured */
	madvise(buffer->memory, buffer->size, MADV_HUGEPAGE);
	return true;
}

void put_buffer(struct buffer *buffer)
{
	munmap(buffer->memory, buffer->size);
}

/* Preferred, not bound: when the node is full, nobody is killed for it */
bool prefer_node(const struct buffer *buffer, int node)
{
	unsigned long mask[MAX_NODES / WORD_BITS] = {};

	mask[node / WORD_BITS] = 1UL << node % WORD_BITS;
	if (!syscall(__NR_mbind, buffer->memory, buffer->size, MPOL_PREFERRED,
		     mask, MAX_NODES + 1, 0))
		return true;
	warn("cannot have memory of node %d%s", node, errno == EPERM ?
	     ": a filter of system calls, as containers have, forbids it" : "");
	return false;
}

bool check_placement(const struct buffer *buffer, int node)
{
	size_t step = buffer->size / SAMPLES & ~4095UL;
	void *pages[SAMPLES];
	int status[SAMPLES];
	int i, elsewhere = 0;

	for (i = 0; i < SAMPLES; i++)
		pages[i] = buffer->memory + i * step;
	if (syscall(__NR_move_pages, 0, (long)SAMPLES, pages, NULL, status, 0))
		return true;
	for (i = 0; i < SAMPLES; i++)
		elsewhere += status[i] >= 0 && status[i] != node;
	if (elsewhere <= SAMPLES / 50)
		return true;
	warnx("node %d: other nodes had to give %d%% of the memory: %s", node,
	      100 * elsewhere / SAMPLES, remedy);
	return false;
}

static bool same_weights(const char *dir, const struct ratio *ratio)
{
	struct ratio global;
	int i;

	if (!read_global_weights(dir, &global))
		return false;
	for (i = 0; i < MAX_NODES; i++) {
		if (ratio->weight[i] && ratio->weight[i] != global.weight[i])
			return false;
	}
	return true;
}

bool spread_buffer(const struct machine *machine, const struct buffer *buffer,
		   const struct ratio *ratio)
{
	unsigned long mask[MAX_NODES / WORD_BITS] = {};
	struct mpol_param param = {
		.mode = MPOL_WEIGHTED_INTERLEAVE,
		.pol_maxnodes = MAX_NODES,
		.pol_nodes = mpol_address(mask),
		.il_weights = mpol_address(ratio->weight),
	};
	char dir[PATH_MAX];
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (ratio->weight[i])
			mask[i / WORD_BITS] |= 1UL << i % WORD_BITS;
	}
	weight_directory(machine, dir, sizeof(dir));
	if (mempolicy2_available()) {
		if (!mbind2((unsigned long)buffer->memory, buffer->size, &param,
			    sizeof(param), 0))
			return true;
	} else if (!same_weights(dir, ratio)) {
		warnx("--verify needs --apply here, for this kernel has no mbind2");
		return false;
	} else if (!syscall(__NR_mbind, buffer->memory, buffer->size,
			    MPOL_WEIGHTED_INTERLEAVE, mask, MAX_NODES + 1, 0)) {
		return true;
	}
	warn("cannot spread a buffer by weight");
	return false;
}
