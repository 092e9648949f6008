// SPDX-License-Identifier: GPL-2.0
/* Huge pages of each kind, placed by a policy, see huge_pages.h */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "huge_pages.h"

size_t huge_bytes(void)
{
	return file_value("/proc/meminfo", "Hugepagesize:") * 1024;
}

bool thp_available(void)
{
	char text[128];

	return file_read("/sys/kernel/mm/transparent_hugepage/enabled", text,
			 sizeof(text)) > 0 && !strstr(text, "[never]");
}

size_t thp_backed(void *addr)
{
	unsigned long start, end;
	bool inside = false;
	char line[512];
	size_t kib = 0;
	FILE *file;

	file = fopen("/proc/self/smaps", "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start == (unsigned long)addr;
		else if (inside && sscanf(line, "AnonHugePages: %zu", &kib) == 1)
			break;
	}
	fclose(file);
	return kib * 1024;
}

/* Sets the number of huge pages of a node; what it was, or -errno */
static int hugetlb_pool(int node, int count)
{
	char path[160], text[32];
	int ret, old;

	snprintf(path, sizeof(path),
		 NODE_DIR "/node%d/hugepages/hugepages-%zukB/nr_hugepages",
		 node, huge_bytes() / 1024);
	ret = file_read(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	old = atoi(text);
	ret = file_print(path, "%d\n", count);
	if (ret)
		return ret;
	file_read(path, text, sizeof(text));
	return atoi(text) == count ? old : -ENOMEM;
}

/*
 * Huge pages a node may have to give for @count: all of them with two nodes,
 * with more nodes only equal weights are used.
 */
static size_t huge_share(const struct nodeset *nodes, size_t count)
{
	size_t nr = nodeset_count(nodes);

	return (2 * count + nr - 1) / nr;
}

bool room_for_huge(const struct nodeset *nodes, size_t count)
{
	/* Other tests may have left the free memory in pieces. */
	file_print("/proc/sys/vm/compact_memory", "1");
	return nodes_have_room(nodes, (huge_share(nodes, count) + 1) *
				      huge_bytes() / page_bytes());
}

int place_thp(int mode, const struct nodeset *nodes, size_t count, int *node)
{
	static struct area area;
	const size_t huge = huge_bytes();
	size_t len = count * huge;
	int ret;

	if (!thp_available())
		return -EOPNOTSUPP;
	if (!area.start) {
		ret = area_map(&area, len / page_bytes(), huge / page_bytes());
		if (ret)
			return ret;
		if (madvise(area.start, len, MADV_HUGEPAGE))
			return -EOPNOTSUPP;
	}
	ret = policy_bind(area.start, len, mode, nodes, 0);
	if (!ret)
		ret = place(area.start, count, huge, node);
	if (!ret && thp_backed(area.start) != len)
		ret = -EAGAIN;
	madvise(area.start, area.len, MADV_DONTNEED);
	return ret;
}

int place_tmpfs_thp(int mode, const struct nodeset *nodes, size_t count,
		    int *node)
{
	const size_t huge = huge_bytes(), len = count * huge;
	long long before, after;
	static struct area area;
	static int fd = -1;
	char dir[64];
	int ret;

	if (fd < 0) {
		if (fs_mount("tmpfs", "huge=always", dir, sizeof(dir)))
			return -EOPNOTSUPP;
		fd = fs_file(dir);
		fs_unmount(dir);
		if (fd < 0)
			return fd;
		ret = area_map(&area, len / page_bytes(), huge / page_bytes());
		if (ret)
			return ret;
		if (mmap(area.start, len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return -errno;
	}
	if (ftruncate(fd, len))
		return -errno;
	before = file_value("/proc/meminfo", "ShmemHugePages:");
	ret = policy_bind(area.start, len, mode, nodes, 0);
	if (!ret)
		ret = place(area.start, count, huge, node);
	after = file_value("/proc/meminfo", "ShmemHugePages:");
	if (!ret && (after - before) * 1024 != (long long)len)
		ret = -EAGAIN;
	if (ftruncate(fd, 0))
		return -errno;
	return ret;
}

static int place_hugetlb(int mode, const struct nodeset *nodes,
			 size_t count, int *node, int fd)
{
	const size_t huge = huge_bytes();
	int old[MAX_ROUND_NODES];
	int nr = nodeset_count(nodes);
	char *map = MAP_FAILED;
	int i, ret = 0;

	for (i = 0; i < nr; i++) {
		old[i] = hugetlb_pool(nodeset_nth(nodes, i),
				      huge_share(nodes, count));
		if (old[i] < 0)
			ret = -EOPNOTSUPP;
	}
	if (!ret && fd >= 0)
		map = mmap(NULL, count * huge, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	else if (!ret)
		map = mmap(NULL, count * huge, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (map == MAP_FAILED) {
		ret = -EOPNOTSUPP;
	} else {
		ret = policy_bind(map, count * huge, mode, nodes, 0);
		if (!ret)
			ret = place(map, count, huge, node);
		munmap(map, count * huge);
	}
	if (fd >= 0 && ftruncate(fd, 0))
		ret = -errno;
	for (i = 0; i < nr; i++)
		if (old[i] >= 0)
			hugetlb_pool(nodeset_nth(nodes, i), old[i]);
	return ret;
}

int place_hugetlb_private(int mode, const struct nodeset *nodes, size_t count,
			  int *node)
{
	return place_hugetlb(mode, nodes, count, node, -1);
}

int place_hugetlb_file(int mode, const struct nodeset *nodes, size_t count,
		       int *node)
{
	char dir[64];
	int fd, ret;

	if (fs_mount("hugetlbfs", NULL, dir, sizeof(dir)))
		return -EOPNOTSUPP;
	fd = fs_file(dir);
	if (fd < 0)
		return fd;
	if (ftruncate(fd, count * huge_bytes()))
		return -errno;
	ret = place_hugetlb(mode, nodes, count, node, fd);
	close(fd);
	fs_unmount(dir);
	return ret;
}
