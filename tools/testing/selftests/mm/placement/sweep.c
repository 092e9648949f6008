// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sweep.h"

size_t page_size;
size_t area_len;

struct mask masks[24];
size_t nr_masks;
const unsigned long *both_nodes;
char *edge;

void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

const char *named(long answer)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {
		{ EACCES, "EACCES" }, { EBUSY, "EBUSY" },
		{ EFAULT, "EFAULT" }, { EINVAL, "EINVAL" }, { EIO, "EIO" },
		{ ENODEV, "ENODEV" }, { ENOENT, "ENOENT" },
		{ ENOMEM, "ENOMEM" }, { EOPNOTSUPP, "EOPNOTSUPP" },
		{ EPERM, "EPERM" }, { ESRCH, "ESRCH" },
	};
	static char number[32];
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (answer == -names[i].error)
			return names[i].name;
	snprintf(number, sizeof(number), "%ld", answer);
	return number;
}

void say_policy(const void *addr)
{
	struct nodeset nodes;
	char list[256];
	int mode = -1;
	int ret;

	ret = policy_get(&mode, &nodes, (void *)addr, addr ? MPOL_F_ADDR : 0);
	if (ret)
		printf(" %s", named(ret));
	else
		printf(" %x:%s", mode,
		       nodeset_format(&nodes, list, sizeof(list)));
}

void say_maps(void)
{
	char text[256];

	if (numa_maps_policy(AREA, text, sizeof(text)))
		die("numa_maps");
	printf(" '%s'", text);
}

void say_nodes(void)
{
	int node[PAGES];
	size_t i;

	if (nodes_of_pages(AREA, PAGES, page_size, node))
		die("move_pages");
	putchar(' ');
	for (i = 0; i < PAGES; i++)
		putchar(node[i] < 0 ? '.' : '0' + node[i]);
}

void forget_pages(void)
{
	if (madvise(AREA, area_len, MADV_DONTNEED))
		die("madvise");
}

void say_placement(void)
{
	forget_pages();
	touch(AREA, PAGES, page_size);
	say_nodes();
	forget_pages();
}

void map_area(int kind)
{
	if (mmap(AREA, area_len, PROT_READ | PROT_WRITE,
		 MAP_FIXED | MAP_ANONYMOUS | kind, -1, 0) != AREA)
		die("mmap");
	if (madvise(AREA, area_len, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
}

void alternate_pages(int kind)
{
	unsigned long node[] = { 1, 2 };
	size_t i;

	map_area(kind);
	for (i = 0; i < PAGES; i++) {
		if (bind(AREA + i * page_size, page_size, MPOL_BIND, &node[i % 2], 3, 0))
			die("mbind");
		touch(AREA + i * page_size, 1, page_size);
	}
	if (bind(AREA, area_len, MPOL_DEFAULT, NULL, 0, 0))
		die("mbind");
}

void reset_task(void)
{
	static const unsigned long node = 1;

	if (set(MPOL_PREFERRED, &node, 3))
		die("set_mempolicy");
}

void task_default(void)
{
	if (set(MPOL_DEFAULT, NULL, 0))
		die("set_mempolicy");
}

static void add_mask(const char *name, const void *at)
{
	masks[nr_masks++] = (struct mask){ name, at };
}

static unsigned long *new_mask(int prot)
{
	char *map = mmap(NULL, MASK_BYTES + page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		die("mmap");
	/* What comes behind is not there */
	if (munmap(map + MASK_BYTES, page_size))
		die("munmap");
	map[0] = 3;
	if (mprotect(map, MASK_BYTES, prot))
		die("mprotect");
	return (unsigned long *)map;
}

static const void *mask_of(int first, int second)
{
	unsigned long *mask = new_mask(PROT_READ | PROT_WRITE);

	mask[0] = 0;
	if (first >= 0)
		mask[first / BITS_PER_WORD] |= 1UL << first % BITS_PER_WORD;
	if (second >= 0)
		mask[second / BITS_PER_WORD] |= 1UL << second % BITS_PER_WORD;
	return mask;
}

/* Both nodes, @bytes before the end of what is mapped */
static const void *mask_at_end(size_t bytes)
{
	char *end = (char *)new_mask(PROT_READ | PROT_WRITE) + MASK_BYTES;

	end[-(long)bytes] = 3;
	return end - bytes;
}

void make_masks(void)
{
	char *ones = (char *)new_mask(PROT_READ | PROT_WRITE);

	memset(ones, 0xff, MASK_BYTES);
	both_nodes = mask_of(0, 1);
	add_mask("null", NULL);
	add_mask("nowhere", (void *)16);
	add_mask("none", mask_of(-1, -1));
	add_mask("node0", mask_of(0, -1));
	add_mask("node1", mask_of(1, -1));
	add_mask("both", both_nodes);
	add_mask("absent", mask_of(ABSENT, -1));
	add_mask("node1+absent", mask_of(1, ABSENT));
	add_mask("kernel", (void *)-page_size);
	add_mask("impossible", mask_of(IMPOSSIBLE, -1));
	add_mask("node0+impossible", mask_of(0, IMPOSSIBLE));
	add_mask("node0+bit32", mask_of(0, 32));
	add_mask("node0+bit64", mask_of(0, 64));
	add_mask("node0+bit32767", mask_of(0, 32767));
	add_mask("ones", ones);
	add_mask("readonly", new_mask(PROT_READ));
	add_mask("hidden", new_mask(PROT_NONE));
	add_mask("end8", mask_at_end(8));
	add_mask("end4", mask_at_end(4));
	add_mask("end1", mask_at_end(1));
	edge = (char *)new_mask(PROT_READ | PROT_WRITE) + MASK_BYTES;
}
