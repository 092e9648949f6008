// SPDX-License-Identifier: GPL-2.0
/* Policies, mappings, files, and where their pages are, see placement.h */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "placement.h"

#ifndef __NR_set_mempolicy_home_node
#define __NR_set_mempolicy_home_node 450
#endif

/* Linux 6.1 loses its place in longer arrays of 32-bit programs */
#define MOVE_PAGES_CHUNK 16

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

int area_pin(const struct area *area)
{
	struct iovec buffer = { area->start, area->len };
	struct io_uring_params params = {};
	int ring = syscall(__NR_io_uring_setup, 1, &params), ret;

	if (ring < 0)
		return -errno;
	if (!syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1))
		return ring;
	ret = -errno;
	close(ring);
	return ret;
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

int area_touch_once(const struct area *area)
{
	int ret = madvise(area->start, area->len, MADV_DONTNEED);

	if (!ret) {
		touch(area->start, 1, 1);
		ret = madvise(area->start, area->len, MADV_DONTNEED);
	}
	return ret ? -errno : 0;
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
		" writeback=", " N", " kernelpagesize_kB=", " weights=", "\n",
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
