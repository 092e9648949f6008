// SPDX-License-Identifier: GPL-2.0
/* What the weighted interleave tests share, see placement.h */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/membarrier.h>

#include "placement.h"

#ifndef __NR_set_mempolicy_home_node
#define __NR_set_mempolicy_home_node 450
#endif

/* Linux 6.1 loses its place in longer arrays of 32-bit programs */
#define MOVE_PAGES_CHUNK 16

/* What a node keeps back before it falls back: watermarks and CPU lists */
#define NODE_RESERVE_PAGES 2048

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

void nodeset_clear(struct nodeset *set)
{
	memset(set, 0, sizeof(*set));
}

void nodeset_add(struct nodeset *set, int node)
{
	set->word[node / BITS_PER_WORD] |= 1UL << (node % BITS_PER_WORD);
}

bool nodeset_has(const struct nodeset *set, int node)
{
	return node >= 0 && node < MAX_NODES &&
	       (set->word[node / BITS_PER_WORD] >> (node % BITS_PER_WORD)) & 1;
}

bool nodeset_equal(const struct nodeset *a, const struct nodeset *b)
{
	return !memcmp(a, b, sizeof(*a));
}

int nodeset_count(const struct nodeset *set)
{
	int count = 0;
	int node;

	for (node = 0; node < MAX_NODES; node++)
		count += nodeset_has(set, node);
	return count;
}

int nodeset_nth(const struct nodeset *set, int nth)
{
	int node;

	for (node = 0; node < MAX_NODES; node++)
		if (nodeset_has(set, node) && !nth--)
			return node;
	return -1;
}

struct nodeset nodeset_head(const struct nodeset *set, int count)
{
	struct nodeset head;
	int node;

	nodeset_clear(&head);
	for (node = 0; node < MAX_NODES && count; node++) {
		if (!nodeset_has(set, node))
			continue;
		nodeset_add(&head, node);
		count--;
	}
	return head;
}

struct nodeset nodeset_of(int node)
{
	struct nodeset set;

	nodeset_clear(&set);
	nodeset_add(&set, node);
	return set;
}

struct nodeset nodeset_pair(int a, int b)
{
	struct nodeset set = nodeset_of(a);

	nodeset_add(&set, b);
	return set;
}

int nodeset_parse(const char *list, struct nodeset *set)
{
	long first, last;
	char *end;

	nodeset_clear(set);
	while (*list && *list != '\n') {
		first = strtol(list, &end, 10);
		last = first;
		if (end == list)
			return -EINVAL;
		if (*end == '-') {
			list = end + 1;
			last = strtol(list, &end, 10);
			if (end == list)
				return -EINVAL;
		}
		if (first < 0 || last < first || last >= MAX_NODES)
			return -EINVAL;
		while (first <= last)
			nodeset_add(set, first++);
		if (*end && *end != ',' && *end != '\n')
			return -EINVAL;
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

const char *nodeset_format(const struct nodeset *set, char *buf, size_t size)
{
	size_t used = 0;
	int node, last;

	buf[0] = '\0';
	for (node = 0; node < MAX_NODES; node++) {
		if (!nodeset_has(set, node))
			continue;
		for (last = node; nodeset_has(set, last + 1); last++)
			;
		used += snprintf(buf + used, size - used, "%s%d",
				 used ? "," : "", node);
		if (used < size && last > node)
			used += snprintf(buf + used, size - used, "-%d", last);
		if (used >= size)
			break;
		node = last;
	}
	return buf;
}

int nodeset_read(const char *name, struct nodeset *set)
{
	char path[128], buf[512];
	int ret;

	snprintf(path, sizeof(path), NODE_DIR "/%s", name);
	ret = file_read(path, buf, sizeof(buf));
	if (ret < 0)
		return ret;
	return nodeset_parse(buf, set);
}

/*
 * The nodes that the kernel's masks have room for, as four a digit of the one
 * in a task's status; a node beyond them is an error, not one that is absent.
 * Without cpusets the status tells nothing: then as many as most kernels have.
 */
static int nodes_of_a_mask(void)
{
	char buf[8192], *digit = NULL;
	int nodes = 0;

	if (file_read("/proc/self/status", buf, sizeof(buf)) > 0)
		digit = strstr(buf, "\nMems_allowed:\t");
	if (!digit)
		return 64;
	for (digit = strchr(digit, '\t') + 1; *digit != '\n'; digit++)
		nodes += 4 * !!isxdigit(*digit);
	return nodes;
}

int node_without_memory(void)
{
	int node = nodes_of_a_mask();
	struct nodeset memory;

	if (nodeset_read("has_memory", &memory))
		return -1;
	if (node > 64)
		node = 64;
	while (--node >= 0)
		if (!nodeset_has(&memory, node))
			return node;
	return -1;
}

int policy_set(int mode, const struct nodeset *nodes)
{
	long ret = syscall(__NR_set_mempolicy, mode,
			   nodes ? nodes->word : NULL,
			   nodes ? MAX_NODES + 1 : 0);

	return ret ? -errno : 0;
}

int policy_bind(void *addr, size_t len, int mode, const struct nodeset *nodes,
		unsigned int flags)
{
	long ret = syscall(__NR_mbind, addr, len, (unsigned long)mode,
			   nodes ? nodes->word : NULL,
			   nodes ? MAX_NODES + 1 : 0, flags);

	return ret ? -errno : 0;
}

int policy_get(int *mode, struct nodeset *nodes, void *addr,
	       unsigned long flags)
{
	long ret;

	if (nodes)
		nodeset_clear(nodes);
	ret = syscall(__NR_get_mempolicy, mode, nodes ? nodes->word : NULL,
		      nodes ? MAX_NODES + 1 : 0, addr, flags);
	return ret ? -errno : 0;
}

int policy_set_home(void *addr, size_t len, int node)
{
	long ret = syscall(__NR_set_mempolicy_home_node, addr, len,
			   (unsigned long)node, 0UL);

	return ret ? -errno : 0;
}

int policy_next_node(void)
{
	int node = -1;
	int ret = policy_get(&node, NULL, NULL, MPOL_F_NODE);

	return ret ? ret : node;
}

int param_set(const void *param, size_t usize, unsigned long flags)
{
	return syscall(__NR_set_mempolicy2, param, usize, flags) ? -errno : 0;
}

int param_get(void *param, size_t usize, const void *addr,
	      unsigned long flags)
{
	long ret = syscall(__NR_get_mempolicy2, param, usize, addr, flags);

	return ret ? -errno : 0;
}

int param_bind(const void *addr, size_t len, const void *param, size_t usize,
	       unsigned long flags)
{
	long ret = syscall(__NR_mbind2, addr, len, param, usize, flags);

	return ret ? -errno : 0;
}

void own_init(struct own_policy *own, int mode, int mode_flags,
	      const struct nodeset *nodes, const unsigned int *weight)
{
	int i, nr = weight ? nodeset_count(nodes) : 0;

	memset(own, 0, sizeof(*own));
	own->param.mode = mode;
	own->param.mode_flags = mode_flags;
	own->param.home_node = -1;
	own->param.pol_maxnodes = MAX_NODES;
	own->param.pol_nodes = (uintptr_t)own->nodes.word;
	if (nodes)
		own->nodes = *nodes;
	if (weight)
		own->param.il_weights = (uintptr_t)own->weight;
	for (i = 0; i < nr; i++)
		own->weight[nodeset_nth(nodes, i)] = weight[i];
}

int own_set(const struct own_policy *own)
{
	return param_set(&own->param, sizeof(own->param), 0);
}

int own_bind(const void *addr, size_t len, const struct own_policy *own,
	     unsigned long flags)
{
	return param_bind(addr, len, &own->param, sizeof(own->param), flags);
}

int own_get(struct own_policy *own, const void *addr, unsigned long flags)
{
	own_init(own, 0, 0, NULL, NULL);
	own->param.il_weights = (uintptr_t)own->weight;
	return param_get(&own->param, sizeof(own->param), addr, flags);
}

bool own_equal(const struct own_policy *a, const struct own_policy *b)
{
	return a->param.mode == b->param.mode &&
	       a->param.mode_flags == b->param.mode_flags &&
	       a->param.home_node == b->param.home_node &&
	       nodeset_equal(&a->nodes, &b->nodes) &&
	       !memcmp(a->weight, b->weight, sizeof(a->weight));
}

int possible_nodes(void)
{
	struct nodeset possible;
	int ret;

	ret = nodeset_read("possible", &possible);
	if (ret)
		return ret;
	for (ret = MAX_NODES; ret > 0 && !nodeset_has(&possible, ret - 1); ret--)
		;
	return ret;
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

const char *weight_path(int node, char *buf, size_t size)
{
	snprintf(buf, size, WEIGHT_DIR "/node%d", node);
	return buf;
}

int weight_read(int node)
{
	char path[128], buf[64], *end;
	long weight;
	int ret;

	ret = file_read(weight_path(node, path, sizeof(path)), buf,
			sizeof(buf));
	if (ret < 0)
		return ret;
	weight = strtol(buf, &end, 10);
	if (end == buf || strcmp(end, "\n") || weight < 1 ||
	    weight > MAX_WEIGHT) {
		note("node%d reads '%s'", node, buf);
		return -EPROTO;
	}
	return weight;
}

int weight_write(int node, unsigned int weight)
{
	char path[128];

	return file_print(weight_path(node, path, sizeof(path)), "%u\n",
			  weight);
}

long long node_bandwidth(int node)
{
	static const char * const names[] = { "read", "write" };
	long long least = 0, value;
	char path[128];
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path),
			 NODE_DIR "/node%d/access1/initiators/%s_bandwidth", node,
			 names[i]);
		value = file_number(path);
		if (value > 0 && (!least || value < least))
			least = value;
	}
	return least;
}

struct fit {
	long long bandwidth[MAX_NODES];
	int weight[MAX_NODES];
	int nr;
};

/* The time of a round on the busiest node to that on the idlest */
static double fit_error(const struct fit *fit)
{
	double most = 0, least = 0, time;
	int i;

	for (i = 0; i < fit->nr; i++) {
		time = (double)fit->weight[i] / fit->bandwidth[i];
		if (time > most)
			most = time;
		if (!least || time < least)
			least = time;
	}
	return most / least;
}

/* Of all weights: each node could be the idlest one, with each weight */
static double least_error(const struct fit *fit)
{
	double least = 1e30, error;
	struct fit other = *fit;
	int i, j, weight;

	for (i = 0; i < fit->nr; i++) {
		for (weight = 1; weight <= MAX_WEIGHT; weight++) {
			for (j = 0; j < fit->nr; j++) {
				long long want = weight * fit->bandwidth[j];

				want = (want + fit->bandwidth[i] - 1) /
				       fit->bandwidth[i];
				other.weight[j] = want < MAX_WEIGHT ? want : MAX_WEIGHT;
			}
			error = fit_error(&other);
			if (error < least)
				least = error;
		}
	}
	return least;
}

static bool weights_fit_now(const struct nodeset *nodes)
{
	static struct fit fit;
	int i, node, weight;

	fit.nr = 0;
	for (i = 0; i < nodeset_count(nodes); i++) {
		node = nodeset_nth(nodes, i);
		weight = weight_read(node);
		if (weight < 1)
			return false;
		fit.bandwidth[fit.nr] = node_bandwidth(node);
		fit.weight[fit.nr] = weight;
		if (fit.bandwidth[fit.nr])
			fit.nr++;
		else if (weight != 1)
			return false;
	}
	return !fit.nr || fit_error(&fit) <= 1.01 ||
	       fit_error(&fit) <= 1.000001 * least_error(&fit);
}

bool weights_fit(const struct nodeset *nodes)
{
	int rounds = 0;

	while (!weights_fit_now(nodes))
		if (!settle(&rounds))
			return false;
	return true;
}

bool weights_automatic(void)
{
	char text[16] = "";

	file_read(WEIGHT_AUTO, text, sizeof(text));
	return !strcmp(text, "true\n");
}

int weights_save(struct saved_weights *saved)
{
	int node, weight;
	int ret;

	ret = nodeset_read("has_memory", &saved->nodes);
	if (ret)
		return ret;
	saved->automatic = weights_automatic();
	for (node = 0; node < MAX_NODES; node++) {
		if (!nodeset_has(&saved->nodes, node))
			continue;
		weight = weight_read(node);
		if (weight < 0)
			return weight;
		saved->weight[node] = weight;
	}
	return 0;
}

int weights_restore(const struct saved_weights *saved)
{
	int ret = 0;
	int node;

	for (node = 0; node < MAX_NODES && !ret; node++)
		if (nodeset_has(&saved->nodes, node))
			ret = weight_write(node, saved->weight[node]);
	if (!ret && saved->automatic)
		ret = file_print(WEIGHT_AUTO, "true");
	return ret;
}

int weights_flatten(unsigned int weight)
{
	struct nodeset nodes;
	int node;
	int ret;

	ret = nodeset_read("has_memory", &nodes);
	for (node = 0; node < MAX_NODES && !ret; node++)
		if (nodeset_has(&nodes, node))
			ret = weight_write(node, weight);
	return ret;
}

long node_free_pages(int node)
{
	char path[128], line[256];
	long kib = -ENOENT;
	char *colon;
	FILE *file;

	snprintf(path, sizeof(path), NODE_DIR "/node%d/meminfo", node);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		colon = strstr(line, " MemFree:");
		if (colon)
			kib = strtol(colon + strlen(" MemFree:"), NULL, 10);
	}
	fclose(file);
	return kib < 0 ? kib : kib / (long)(page_bytes() / 1024);
}

bool nodes_have_room(const struct nodeset *nodes, size_t pages)
{
	int node;

	for (node = 0; node < MAX_NODES; node++)
		if (nodeset_has(nodes, node) &&
		    node_free_pages(node) < (long)pages + NODE_RESERVE_PAGES)
			return false;
	return true;
}

long long node_interleave_hits(int node)
{
	char path[128];

	snprintf(path, sizeof(path), NODE_DIR "/node%d/numastat", node);
	return file_value(path, "interleave_hit");
}

size_t page_bytes(void)
{
	return sysconf(_SC_PAGESIZE);
}

unsigned int page_index(const void *addr, size_t size)
{
	return (uintptr_t)addr / size;
}

static int area_reserve(struct area *area, size_t pages, size_t align)
{
	size_t before;

	area->reserve_len = (pages + align + 2) * page_bytes();
	area->reserve = mmap(NULL, area->reserve_len, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			     0);
	if (area->reserve == MAP_FAILED)
		return -errno;
	before = page_index(area->reserve, page_bytes()) % align;
	area->start = area->reserve + (align - before) * page_bytes();
	area->len = pages * page_bytes();
	return 0;
}

static int area_fill(struct area *area, int flags)
{
	void *map = mmap(area->start, area->len, PROT_READ | PROT_WRITE,
			 MAP_FIXED | MAP_ANONYMOUS | flags, -1, 0);

	if (map == MAP_FAILED)
		return -errno;
	/* Fails where there are no huge pages, and then there is no need */
	madvise(area->start, area->len, MADV_NOHUGEPAGE);
	return 0;
}

int area_map(struct area *area, size_t pages, size_t align)
{
	int ret = area_reserve(area, pages, align);

	return ret ? ret : area_fill(area, MAP_PRIVATE);
}

int area_map_shared(struct area *area, size_t pages)
{
	int ret = area_reserve(area, pages, 1);

	return ret ? ret : area_fill(area, MAP_SHARED);
}

void area_unmap(struct area *area)
{
	munmap(area->reserve, area->reserve_len);
}

/* Pages of @node that @cpu keeps for itself: they are not among the free ones */
static long pages_of_cpu(int node, int cpu)
{
	int nid = -1, owner = -1;
	long count, pages = 0;
	char line[128];
	FILE *file;

	file = fopen("/proc/zoneinfo", "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d,", &nid) == 1)
			owner = -1;
		else if (sscanf(line, " cpu: %d", &owner) != 1 && nid == node &&
			 owner == cpu && sscanf(line, " count: %ld", &count) == 1)
			pages += count;
	}
	fclose(file);
	return pages;
}

#define FILL_CHUNK 512

/* Another chunk; how many of its pages @node had, or -errno */
static int fill_chunk(struct area *area, size_t *used, int node)
{
	int placed[FILL_CHUNK], there = 0, ret, i;

	if ((*used + FILL_CHUNK) * page_bytes() > area->len)
		return -ENOSPC;
	ret = place(area->start + *used * page_bytes(), FILL_CHUNK, page_bytes(),
		    placed);
	if (ret)
		return ret;
	*used += FILL_CHUNK;
	for (i = 0; i < FILL_CHUNK; i++)
		there += placed[i] == node;
	return there;
}

/*
 * What a CPU has freed it keeps, up to all that the zone holds back: for others
 * there is none left, until a move takes it away from it. So that is used first.
 */
static int fill_from_cpus(struct area *area, size_t *used, int node)
{
	cpu_set_t before, one;
	long left;
	int cpu, ret = 0;

	if (sched_getaffinity(0, sizeof(before), &before))
		return -errno;
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF) && ret >= 0; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		left = pages_of_cpu(node, cpu);
		/* Those of a CPU that is offline are nobody's */
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		for (; left > 0 && ret >= 0; left -= FILL_CHUNK)
			ret = fill_chunk(area, used, node);
	}
	if (sched_setaffinity(0, sizeof(before), &before))
		return -errno;
	return ret < 0 ? ret : 0;
}

int area_fill_node(struct area *area, int node)
{
	struct nodeset nodes = nodeset_of(node);
	size_t used = 0, most = node_free_pages(node);
	int cpu, ret;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		most += pages_of_cpu(node, cpu);
	ret = area_map(area, most + 64 * FILL_CHUNK, 1);
	if (!ret)
		ret = policy_bind(area->start, area->len, MPOL_PREFERRED,
				  &nodes, 0);
	if (!ret)
		ret = fill_from_cpus(area, &used, node);
	if (ret)
		return ret;
	do {
		ret = fill_chunk(area, &used, node);
	} while (ret > 0);
	return ret;
}

void touch(void *addr, size_t count, size_t stride)
{
	char *page = addr;
	size_t i;

	for (i = 0; i < count; i++)
		page[i * stride] = 1;
}

int nodes_of_pages(void *addr, size_t count, size_t stride, int *node)
{
	void *pages[MOVE_PAGES_CHUNK];
	size_t done, nr, i;

	for (done = 0; done < count; done += nr) {
		nr = count - done;
		if (nr > MOVE_PAGES_CHUNK)
			nr = MOVE_PAGES_CHUNK;
		for (i = 0; i < nr; i++)
			pages[i] = (char *)addr + (done + i) * stride;
		if (syscall(__NR_move_pages, 0, nr, pages, NULL, node + done,
			    0))
			return -errno;
	}
	return 0;
}

int place(void *addr, size_t count, size_t stride, int *node)
{
	touch(addr, count, stride);
	return nodes_of_pages(addr, count, stride, node);
}

int file_append(int fd, size_t count)
{
	static char page[1 << 16];

	while (count--)
		if (write(fd, page, page_bytes()) != (ssize_t)page_bytes())
			return errno ? -errno : -EIO;
	return 0;
}

int nodes_of_file(int fd, size_t first, size_t count, int *node)
{
	size_t page = page_bytes();
	char *map;
	int ret;
	size_t i;

	map = mmap(NULL, count * page, PROT_READ, MAP_SHARED, fd,
		   first * page);
	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < count; i++)
		asm volatile("" : : "r" (map[i * page]));
	ret = nodes_of_pages(map, count, page, node);
	munmap(map, count * page);
	return ret;
}

/* A node of the page cache's tree has 16 pages with BASE_SMALL, else 64 */
#define KEPT_EVERY 16

static size_t filled_index(size_t nth)
{
	return nth / (KEPT_EVERY - 1) * KEPT_EVERY + nth % (KEPT_EVERY - 1);
}

static int file_write_page(int fd, size_t index)
{
	static char page[1 << 16];

	if (pwrite(fd, page, page_bytes(), index * page_bytes()) !=
	    (ssize_t)page_bytes())
		return errno ? -errno : -EIO;
	return 0;
}

int file_prepare(int fd, size_t count)
{
	size_t index;
	int ret = 0;

	for (index = KEPT_EVERY - 1; !ret && index < filled_index(count) + KEPT_EVERY;
	     index += KEPT_EVERY)
		ret = file_write_page(fd, index);
	return ret;
}

int file_fill(int fd, size_t first, size_t count)
{
	size_t nth;
	int ret = 0;

	for (nth = first; !ret && nth < first + count; nth++)
		ret = file_write_page(fd, filled_index(nth));
	return ret;
}

int nodes_of_filled(int fd, size_t first, size_t count, int *node)
{
	size_t start = filled_index(first);
	size_t pages = filled_index(first + count - 1) + 1 - start;
	int *all, ret;
	size_t i;

	all = malloc(pages * sizeof(*all));
	if (!all)
		return -ENOMEM;
	ret = nodes_of_file(fd, start, pages, all);
	for (i = 0; !ret && i < count; i++)
		node[i] = all[filled_index(first + i) - start];
	free(all);
	return ret;
}

int fs_mount(const char *type, const char *options, char *dir, size_t size)
{
	int ret;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	mkdir("/tmp", 01777);
	snprintf(dir, size, "/tmp/placement.XXXXXX");
	if (!mkdtemp(dir))
		return -errno;
	if (!mount(type, dir, type, 0, options))
		return 0;
	ret = -errno;
	rmdir(dir);
	return ret;
}

void fs_unmount(const char *dir)
{
	umount2(dir, MNT_DETACH);
	rmdir(dir);
}

int fs_file(const char *dir)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/file.XXXXXX", dir);
	fd = mkstemp(path);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

unsigned long inode_of_mapping(void *addr)
{
	unsigned long inode = 0;
	char line[512];
	FILE *file;

	file = fopen("/proc/self/maps", "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (strtoull(line, NULL, 16) != (uintptr_t)addr)
			continue;
		if (sscanf(line, "%*s %*s %*s %*s %lu", &inode) != 1)
			inode = 0;
		break;
	}
	fclose(file);
	return inode;
}

int numa_maps_line(void *addr, char *buf, size_t size)
{
	int ret = -ENOENT;
	FILE *file;

	file = fopen("/proc/self/numa_maps", "re");
	if (!file)
		return -errno;
	while (ret && fgets(buf, size, file))
		if (strtoull(buf, NULL, 16) == (uintptr_t)addr)
			ret = 0;
	fclose(file);
	return ret;
}

int numa_maps_policy(void *addr, char *buf, size_t size)
{
	static const char * const after[] = {
		" file=", " heap", " stack", " huge", " anon=", " dirty=",
		" mapped=", " mapmax=", " swapcache=", " active=",
		" writeback=", " N", " kernelpagesize_kB=", "\n",
	};
	char line[1024], *text, *end;
	size_t i;
	int ret;

	ret = numa_maps_line(addr, line, sizeof(line));
	if (ret)
		return ret;
	text = strchr(line, ' ');
	if (!text)
		return -EPROTO;
	text++;
	for (i = 0; i < ARRAY_LEN(after); i++) {
		end = strstr(text, after[i]);
		if (end)
			*end = '\0';
	}
	snprintf(buf, size, "%s", text);
	return 0;
}

int mappings_within(void *addr, size_t len)
{
	uintptr_t first = (uintptr_t)addr, start;
	char line[512];
	int count = 0;
	FILE *file;

	file = fopen("/proc/self/maps", "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		start = strtoull(line, NULL, 16);
		count += start >= first && start < first + len;
	}
	fclose(file);
	return count;
}

static unsigned int gcd(unsigned int a, unsigned int b)
{
	while (b) {
		unsigned int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void round_init(struct round *round, const struct nodeset *nodes,
		const unsigned int *weight)
{
	unsigned int divisor = 0;
	int i;

	memset(round, 0, sizeof(*round));
	round->nr = nodeset_count(nodes);
	for (i = 0; i < round->nr; i++) {
		round->node[i] = nodeset_nth(nodes, i);
		round->weight[i] = weight[i];
		divisor = gcd(divisor, weight[i]);
	}
	for (i = 0; i < round->nr; i++) {
		round->weight[i] /= divisor;
		round->total += round->weight[i];
	}
}

int round_read(struct round *round, const struct nodeset *nodes)
{
	unsigned int weight[MAX_ROUND_NODES];
	int count = nodeset_count(nodes);
	int i, ret;

	for (i = 0; i < count; i++) {
		ret = weight_read(nodeset_nth(nodes, i));
		if (ret < 0)
			return ret;
		weight[i] = ret;
	}
	round_init(round, nodes, weight);
	return 0;
}

int round_write(struct round *round, const struct nodeset *nodes,
		const unsigned int *weight)
{
	int count = nodeset_count(nodes);
	int i, ret;

	for (i = 0; i < count; i++) {
		ret = weight_write(nodeset_nth(nodes, i), weight[i]);
		if (ret)
			return ret;
	}
	round_init(round, nodes, weight);
	return 0;
}

static int round_position(const struct round *round, int node)
{
	int i;

	for (i = 0; i < round->nr; i++)
		if (round->node[i] == node)
			return i;
	return -1;
}

bool round_exact(const struct round *round, const int *placed, size_t count)
{
	unsigned int pages[MAX_ROUND_NODES];
	size_t start, k;
	int i;

	if (count < round->total) {
		note("%zu pages are no whole round of %u", count, round->total);
		return false;
	}
	for (start = 0; start + round->total <= count; start += round->total) {
		memset(pages, 0, sizeof(pages));
		for (k = start; k < start + round->total; k++) {
			i = round_position(round, placed[k]);
			if (i < 0) {
				note("page %zu is on node %d", k, placed[k]);
				return false;
			}
			pages[i]++;
		}
		for (i = 0; i < round->nr; i++) {
			if (pages[i] == round->weight[i])
				continue;
			note("round at page %zu: %u pages on node %d, not %u",
			     start, pages[i], round->node[i],
			     round->weight[i]);
			return false;
		}
	}
	return true;
}

bool round_smooth(const struct round *round, const int *placed, size_t count)
{
	unsigned int pages[MAX_ROUND_NODES];
	long long apart;
	size_t k, step;
	int i, j;

	for (k = 0; k < count; k++) {
		step = k % round->total;
		if (!step)
			memset(pages, 0, sizeof(pages));
		i = round_position(round, placed[k]);
		if (i < 0) {
			note("page %zu is on node %d", k, placed[k]);
			return false;
		}
		pages[i]++;
		for (j = 0; j < round->nr && round->nr > 1; j++) {
			apart = llabs((long long)(step + 1) * round->weight[j] -
				      (long long)pages[j] * round->total);
			if (apart * (2 * round->nr - 2) <=
			    (2LL * round->nr - 3) * round->total)
				continue;
			note("page %zu: node %d has %u of %zu pages of a round",
			     k, round->node[j], pages[j], step + 1);
			return false;
		}
	}
	return true;
}

bool round_counts(const struct round *round, const long long *pages)
{
	long long count = 0, apart, limit;
	int i;

	for (i = 0; i < round->nr; i++)
		count += pages[i];
	for (i = 0; i < round->nr; i++) {
		apart = llabs(pages[i] * round->total -
			      count * (long long)round->weight[i]);
		limit = round->nr <= 2 ? round->total : 2 * round->total - 1;
		if (apart <= limit)
			continue;
		note("node %d has %lld of %lld pages, weight %u of %u",
		     round->node[i], pages[i], count, round->weight[i],
		     round->total);
		return false;
	}
	return true;
}

bool round_window(const struct round *round, const int *placed, size_t count)
{
	long long pages[MAX_ROUND_NODES] = {};
	size_t k;
	int i;

	for (k = 0; k < count; k++) {
		i = round_position(round, placed[k]);
		if (i < 0) {
			note("page %zu is on node %d", k, placed[k]);
			return false;
		}
		pages[i]++;
	}
	return round_counts(round, pages);
}

int round_sample(const struct round *round, const struct nodeset *nodes,
		 int *order)
{
	struct area area;
	int ret;

	ret = area_map(&area, round->total, round->total);
	if (ret)
		return ret;
	ret = policy_bind(area.start, area.len, MPOL_WEIGHTED_INTERLEAVE,
			  nodes, 0);
	if (!ret)
		ret = place(area.start, round->total, page_bytes(), order);
	area_unmap(&area);
	return ret;
}

bool round_follows(const struct round *round, const int *order,
		   unsigned long shift, const int *placed, size_t count)
{
	int expected;
	size_t i;

	for (i = 0; i < count; i++) {
		expected = order[(i + shift) % round->total];
		if (placed[i] == expected)
			continue;
		note("page %zu is on node %d, not on node %d", i, placed[i],
		     expected);
		return false;
	}
	return true;
}

bool same_nodes(const int *a, const int *b, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (a[i] == b[i])
			continue;
		note("page %zu is on node %d, not on node %d", i, a[i], b[i]);
		return false;
	}
	return true;
}

int in_child(int (*check)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(check(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
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

static int write_in(const char *dir, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return file_print(path, "%s", text);
}

/* The files of cgroup 2, or those of a cpuset hierarchy of cgroup 1 */
static const char *mount_cpusets(char *dir, size_t size)
{
	if (!fs_mount("cgroup2", NULL, dir, size)) {
		/* For slab_bytes(), where it is there */
		write_in(dir, "cgroup.subtree_control", "+memory");
		if (!write_in(dir, "cgroup.subtree_control", "+cpuset"))
			return "cpuset.mems";
		fs_unmount(dir);
	}
	if (!fs_mount("cgroup", "cpuset", dir, size))
		return "cpuset.mems";
	dir[0] = '\0';
	return NULL;
}

int cpuset_enter(struct cpuset *cpuset, const struct nodeset *nodes)
{
	char list[512], path[128];
	int ret;

	memset(cpuset, 0, sizeof(*cpuset));
	cpuset->mems = mount_cpusets(cpuset->mount, sizeof(cpuset->mount));
	if (!cpuset->mems)
		return -EOPNOTSUPP;
	snprintf(cpuset->group, sizeof(cpuset->group), "%s/placement.%d",
		 cpuset->mount, getpid());
	if (mkdir(cpuset->group, 0755))
		return -errno;
	snprintf(path, sizeof(path), "%s/cpuset.cpus", cpuset->mount);
	ret = 0;
	if (file_read(path, list, sizeof(list)) > 0)
		ret = write_in(cpuset->group, "cpuset.cpus", list);
	if (!ret)
		ret = cpuset_move(cpuset, nodes);
	return ret ? ret : write_in(cpuset->group, "cgroup.procs", "0");
}

int cpuset_move(const struct cpuset *cpuset, const struct nodeset *nodes)
{
	char list[512];

	return write_in(cpuset->group, cpuset->mems,
			nodeset_format(nodes, list, sizeof(list)));
}

static void group_leave(const char *mount, const char *group)
{
	if (group[0]) {
		write_in(mount, "cgroup.procs", "0");
		rmdir(group);
	}
	if (mount[0])
		fs_unmount(mount);
}

void cpuset_leave(struct cpuset *cpuset)
{
	group_leave(cpuset->mount, cpuset->group);
}

int memcg_enter(struct memcg *memcg)
{
	memset(memcg, 0, sizeof(*memcg));
	if (fs_mount("cgroup2", NULL, memcg->mount, sizeof(memcg->mount))) {
		memcg->mount[0] = '\0';
		return -EOPNOTSUPP;
	}
	if (write_in(memcg->mount, "cgroup.subtree_control", "+memory"))
		return -EOPNOTSUPP;
	snprintf(memcg->group, sizeof(memcg->group), "%s/placement.%d",
		 memcg->mount, getpid());
	if (mkdir(memcg->group, 0755))
		return -errno;
	return write_in(memcg->group, "cgroup.procs", "0");
}

void memcg_leave(struct memcg *memcg)
{
	group_leave(memcg->mount, memcg->group);
}

long long slab_bytes(const char *group)
{
	char path[128];

	if (!group)
		return 1024 * file_value("/proc/meminfo", "SUnreclaim:");
	snprintf(path, sizeof(path), "%s/memory.stat", group);
	return file_value(path, "slab_unreclaimable");
}

long long slab_settle(const char *group, long long limit)
{
	long long bytes;
	int rounds = 0;

	do {
		bytes = slab_bytes(group);
	} while (bytes > limit && settle(&rounds));
	return bytes;
}

int memory_blocks(int node, int *block)
{
	struct dirent *entry;
	char path[128];
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), NODE_DIR "/node%d", node);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)) && count < MAX_BLOCKS) {
		if (sscanf(entry->d_name, "memory%d", &block[count]) != 1)
			continue;
		count++;
	}
	closedir(dir);
	return count;
}

int hot_find(struct hot_node *hot)
{
	struct nodeset online, memory;
	int node, ret;

	ret = nodeset_read("online", &online);
	if (!ret)
		ret = nodeset_read("has_memory", &memory);
	for (node = 0; node < MAX_NODES && !ret; node++) {
		if (!nodeset_has(&online, node) || nodeset_has(&memory, node))
			continue;
		hot->node = node;
		hot->blocks = memory_blocks(node, hot->block);
		if (hot->blocks)
			return 0;
	}
	return ret ? ret : -ENOENT;
}

bool hot_has_memory(const struct hot_node *hot)
{
	struct nodeset memory;

	return !nodeset_read("has_memory", &memory) &&
	       nodeset_has(&memory, hot->node);
}

int hot_block_state(int block, const char *state)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/memory/memory%d/state", block);
	ret = file_print(path, "%s", state);
	/* Already there */
	return ret == -EINVAL ? 0 : ret;
}

/* What the caller may allocate from follows a while after the memory */
static bool hot_settled(int node, bool there)
{
	struct nodeset allowed;
	int mode, rounds = 0;

	do {
		if (!policy_get(&mode, &allowed, NULL, MPOL_F_MEMS_ALLOWED) &&
		    nodeset_has(&allowed, node) == there)
			/* The policies of the mappings come after that */
			return settle(&rounds);
	} while (settle(&rounds));
	return false;
}

int hot_add(const struct hot_node *hot, int blocks)
{
	int i, ret = 0;

	/* Movable, so that it can go offline again */
	for (i = 0; i < blocks && !ret; i++)
		ret = hot_block_state(hot->block[i], "online_movable");
	if (!ret && !hot_settled(hot->node, true))
		ret = -ETIMEDOUT;
	return ret;
}

int hot_remove(const struct hot_node *hot, int blocks)
{
	int i, left, rounds = 0;

	do {
		if (rounds)
			file_print("/proc/sys/vm/drop_caches", "3");
		for (left = 0, i = 0; i < blocks; i++)
			left += hot_block_state(hot->block[i], "offline") != 0;
	} while (left && settle(&rounds));
	if (left || hot_has_memory(hot))
		return -EBUSY;
	return hot_settled(hot->node, false) ? 0 : -ETIMEDOUT;
}
