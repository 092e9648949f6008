// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "promotion.h"

static const struct setting settings[] = {
	{ SYSCTL_DIR "/numa_balancing_hot_threshold_ms", "1000" },
	{ SYSCTL_DIR "/numa_balancing_rate_limit_mbps", "65536" },
	{ DEMOTION, "1" },
	{ PACE_DIR "/scan_size_mb", "256" },
	/* Newer kernels let a new mapping be for so long, and passes go by without it. */
	{ PACE_DIR "/scan_delay_ms", "100" },
	{ PACE_DIR "/scan_period_min_ms", "100" },
	{ PACE_DIR "/scan_period_max_ms", "1000" },
	{ SYSCTL_DIR "/numa_balancing", "2" },
};

int sysctl_write(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), SYSCTL_DIR "/%s", name);
	return file_write(path, text, strlen(text));
}

long sysctl_read(const char *name)
{
	char path[128], text[32];
	int ret;

	snprintf(path, sizeof(path), SYSCTL_DIR "/%s", name);
	ret = file_read(path, text, sizeof(text));
	return ret < 0 ? ret : strtol(text, NULL, 10);
}

long threshold(int node)
{
	char path[64], text[32];
	int ret;

	snprintf(path, sizeof(path), TIERING_DIR "/node%d/threshold_ms", node);
	ret = file_read(path, text, sizeof(text));
	return ret < 0 ? ret : strtol(text, NULL, 10);
}

int distance_write(int node, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), TIERING_DIR "/node%d/abstract_distance", node);
	return file_write(path, text, strlen(text));
}

long long counter(const char *name)
{
	file_print("/proc/sys/vm/stat_refresh", "1");
	return file_value("/proc/vmstat", name);
}

long long node_counter(int node, const char *name)
{
	char path[64];

	file_print("/proc/sys/vm/stat_refresh", "1");
	snprintf(path, sizeof(path), NODE_DIR "/node%d/vmstat", node);
	return file_value(path, name);
}

bool counters_read(struct counters *counters)
{
	/* What the CPUs have counted for themselves so far */
	int ret = file_print("/proc/sys/vm/stat_refresh", "1"), fd;
	ssize_t len;

	fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	if (ret || fd < 0)
		return false;
	/* More would be of another moment: the file is made anew each 4 KiB. */
	len = read(fd, counters->text, sizeof(counters->text) - 1);
	close(fd);
	if (len <= 0)
		return false;
	counters->text[len] = '\0';
	return true;
}

long long counters_value(const struct counters *counters, const char *name)
{
	const char *line = counters->text;
	size_t len = strlen(name);

	while (line) {
		if (!strncmp(line, name, len) && line[len] == ' ')
			return strtoll(line + len, NULL, 10);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	note("no counter is called %s", name);
	exit(1);
}

long long direct_reclaims(void)
{
	return counter("allocstall_dma") + counter("allocstall_dma32") +
	       counter("allocstall_normal") + counter("allocstall_movable");
}

/*
 * Memory is scanned in parts, one after the other, as it is where there is much
 * of it: @part_mb each, all of them in @pass_ms.
 */
int set_pace(int part_mb, int pass_ms)
{
	int ret = file_print(PACE_DIR "/scan_size_mb", "%d", part_mb);

	if (!ret)
		ret = file_print(PACE_DIR "/scan_period_min_ms", "%d", pass_ms);
	return ret ? ret : file_print(PACE_DIR "/scan_period_max_ms", "%d", pass_ms);
}

int stay_on(int node)
{
	int cpu = served_cpu(node);
	cpu_set_t set;

	if (cpu < 0)
		return cpu;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

bool context_enter(struct context *ctx)
{
	struct nodeset memory, cpu, serving;
	size_t i;

	ctx->slow = -1;
	if (nodeset_read("has_memory", &memory) || nodeset_read("has_cpu", &cpu) ||
	    serving_nodes(&serving))
		return false;
	ctx->cpus = nodeset_nth(&cpu, 0);
	ctx->fast = serving_node(ctx->cpus);
	for (i = MAX_NODES; i-- > 0;)
		if (nodeset_has(&memory, i) && !nodeset_has(&serving, i))
			ctx->slow = i;
	if (!is_there(settings[0].path) || !is_there(settings[1].path) ||
	    !is_there(TIERING_DIR))
		return false;
	if (geteuid())
		ctx->missing = "needs root";
	else if (access(PACE_DIR, F_OK))
		ctx->missing = "the pace of the scan cannot be set";
	else if (ctx->slow < 0)
		ctx->missing = "needs memory that serves no CPUs";
	if (ctx->missing)
		return true;

	if (stay_on(ctx->cpus))
		return false;
	memcpy(ctx->setting, settings, sizeof(settings));
	for (i = 0; i < ARRAY_LEN(settings); i++) {
		struct setting *setting = &ctx->setting[i];

		if (file_read(setting->path, setting->old, sizeof(setting->old)) <= 0 ||
		    file_write(setting->path, setting->value, strlen(setting->value)))
			return false;
	}
	/* Where it takes longer to touch the pages once, these are hot all the same. */
	return !file_print(SYSCTL_DIR "/numa_balancing_hot_threshold_ms", "%d",
			   1000 * slowdown());
}

bool context_leave(struct context *ctx)
{
	bool good = true;
	size_t i;

	if (ctx->missing)
		return true;
	for (i = ARRAY_LEN(settings); i-- > 0;)
		if (file_write(ctx->setting[i].path, ctx->setting[i].old,
			       strlen(ctx->setting[i].old)))
			good = false;
	return good;
}

long zone_pages(int node, const char *name)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	size_t len = strlen(name);
	char line[128], *text;
	int nid = -1;
	long sum = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		text = line + strspn(line, " ");
		if (sscanf(line, "Node %d,", &nid) != 1 && nid == node &&
		    !strncmp(text, name, len) && text[len] == ' ')
			sum += strtol(text + len, NULL, 10);
	}
	fclose(file);
	return sum;
}

bool has_free_space(int node, size_t pages)
{
	return zone_pages(node, "pages free") > zone_pages(node, "present") / 8 +
	       2 * zone_pages(node, "high") + (long)pages;
}

bool is_given_up(int node)
{
	return zone_pages(node, "node_unreclaimable:") > 0;
}

bool has_room(int node, size_t pages)
{
	struct nodeset nodes = nodeset_of(node);

	return nodes_have_room(&nodes, pages + SOME_PAGES);
}

int map_on(struct area *area, int node, size_t pages, bool huge)
{
	struct nodeset nodes = nodeset_of(node);
	size_t align = HUGE_BYTES / page_bytes();
	int ret = area_map(area, pages, align);

	if (ret)
		return ret;
	if (madvise(area->start, area->len, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		return -errno;
	ret = policy_bind(area->start, area->len, MPOL_BIND, &nodes, 0);
	if (ret)
		return ret;
	touch(area->start, pages, page_bytes());
	return policy_bind(area->start, area->len, MPOL_DEFAULT, NULL, 0);
}

int count_of(pid_t pid, const struct area *area, int node)
{
	const char *end = area->start + area->len;
	char line[512], path[32], name[16], *text;
	int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	snprintf(name, sizeof(name), " N%d=", node);
	while (fgets(line, sizeof(line), file)) {
		const char *start = (char *)(uintptr_t)strtoull(line, NULL, 16);

		text = strstr(line, name);
		if (text && start >= area->start && start < end)
			count += atoi(text + strlen(name));
	}
	fclose(file);
	return count;
}

int count_on(const struct area *area, int node)
{
	size_t pages = area->len / page_bytes(), i;
	int *nodes = malloc(pages * sizeof(*nodes));
	int count = 0, ret;

	if (!nodes)
		return -ENOMEM;
	ret = nodes_of_pages(area->start, pages, page_bytes(), nodes);
	for (i = 0; i < pages && !ret; i++)
		count += nodes[i] == node;
	free(nodes);
	return ret ?: count;
}

void touch_once(const struct area *area)
{
	touch(area->start, area->len / page_bytes(), page_bytes());
}

void read_once(const struct area *area)
{
	unsigned char sum = 0;
	size_t i;

	for (i = 0; i < area->len; i += page_bytes())
		sum += area->start[i];
	/* Nobody wants it, but the reads are not left out */
	__asm__ volatile("" : : "r" (sum));
}

long scan_passes(void)
{
	static const char name[] = "mm->numa_scan_seq";
	char text[8192], *line;
	int ret = file_read("/proc/self/sched", text, sizeof(text));

	if (ret < 0)
		return ret;
	line = strstr(text, name);
	line = line ? strchr(line, ':') : NULL;
	return line ? strtol(line + 1, NULL, 10) : -ENOENT;
}

bool passes_go_by(const struct area *area, int passes,
		  void (*use)(const struct area *area))
{
	time_t begin = guard_begin();
	long now = scan_passes(), end = now + passes;
	int i;

	while (now >= 0 && now < end && !guard_over(begin)) {
		for (i = 0; i < 10; i++)
			use(area);
		now = scan_passes();
	}
	use(area);
	return now >= end;
}

bool comes_within(const struct area *area, int node, int count, int passes)
{
	int came = 0, pass;

	for (pass = 0; pass < passes; pass++) {
		if (!passes_go_by(area, 1, touch_once))
			return false;
		came = count_on(area, node);
		if (came >= count)
			return true;
	}
	note("%d pages of %d on node %d after %d passes", came, count, node, passes);
	return false;
}

bool comes_to(const struct area *area, int node, int count)
{
	return comes_within(area, node, count, FEW_PASSES);
}

bool is_scanned(const struct area *area, int passes)
{
	long long pages = passes * (area->len / page_bytes()), scanned = 0;
	long long before;
	int pass;

	touch_once(area);
	before = counter("numa_pte_updates");
	/* One may have been under way, and pages in a CPU's batch are passed over. */
	for (pass = 0; pass < passes + FEW_PASSES - 1 && scanned < pages; pass++) {
		if (!passes_go_by(area, 1, touch_once))
			return false;
		scanned = counter("numa_pte_updates") - before;
	}
	if (scanned < pages)
		note("%lld pages of %lld scanned in %d passes", scanned, pages, pass);
	return scanned >= pages;
}

/* Else kswapd would go through all of it once, just to see that nobody uses it. */
static int is_not_used(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", pid);
	return file_print(path, "1");
}

pid_t fill(int node, size_t pages, bool locked)
{
	struct nodeset nodes = nodeset_of(node);
	long room = node_free_pages(node) - (long)pages;
	pid_t pid;
	char *memory;
	int status;

	if (room <= 0)
		return -ENOMEM;
	/* A test that fails half way leaves the node to the next one. */
	pid = fork_child();
	if (pid) {
		if (pid > 0 && (waitpid(pid, &status, WUNTRACED) != pid ||
				!WIFSTOPPED(status) || is_not_used(pid)))
			return -ENOMEM;
		return pid;
	}
	memory = mmap(NULL, room * page_bytes(), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Preferred, since the last pages may not be for users */
	if (memory == MAP_FAILED ||
	    policy_bind(memory, room * page_bytes(), MPOL_PREFERRED, &nodes, 0))
		_exit(1);
	touch(memory, room, page_bytes());
	if (locked && mlock(memory, room * page_bytes()))
		_exit(1);
	raise(SIGSTOP);
	_exit(0);
}

void unfill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
