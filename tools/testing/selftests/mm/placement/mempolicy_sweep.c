// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what set_mempolicy, mbind, get_mempolicy, set_mempolicy_home_node and
 * migrate_pages answer to good and bad arguments, and what can be seen of it
 * afterwards: one line for each combination, the same on every boot. Two
 * kernels that print the same treat programs the same. Needs root, and memory
 * on nodes 0 and 1; modes that not every kernel has are left out.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "placement.h"
#include "sweep.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define SKIPPED 4

#define BALANCING MPOL_F_NUMA_BALANCING
#define RELATIVE MPOL_F_RELATIVE_NODES
#define STATIC MPOL_F_STATIC_NODES

static const unsigned long modes[] = {
	0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 255, 0xfff, 0x10003, ULONG_MAX,
};

static const unsigned long mode_flags[] = {
	0, STATIC, RELATIVE, BALANCING, STATIC | RELATIVE, STATIC | BALANCING,
	RELATIVE | BALANCING, STATIC | RELATIVE | BALANCING, 1 << 4, 1 << 11,
	1 << 12, 1 << 16, 1 << 30, 1UL << 31,
};

static const unsigned long good_modes[] = {
	MPOL_DEFAULT, MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE, MPOL_LOCAL,
	MPOL_PREFERRED_MANY, MPOL_BIND | STATIC, MPOL_INTERLEAVE | RELATIVE,
	MPOL_BIND | BALANCING,
};

/* One of each way to take a mask */
static const unsigned long mask_modes[] = {
	MPOL_DEFAULT, MPOL_PREFERRED, MPOL_INTERLEAVE, MPOL_BIND | STATIC,
};

static const unsigned long maxnodes[] = {
	0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 1024, 1025, 32767,
	32768, 32769, 32770, 65537, LONG_MAX, ULONG_MAX - 1, ULONG_MAX,
};

static void sweep_set_modes(void)
{
	size_t m, f, k;
	long ret;

	for (m = 0; m < ARRAY_LEN(modes); m++) {
		for (f = 0; f < ARRAY_LEN(mode_flags); f++) {
			for (k = 0; k < USUAL_MASKS; k++) {
				unsigned long mode = modes[m] | mode_flags[f];

				reset_task();
				ret = set((int)mode, masks[k].at, 65);
				printf("set %x %s: %s", (int)mode,
				       masks[k].name, named(ret));
				say_policy(NULL);
				if (!ret) {
					say_maps();
					say_placement();
				}
				putchar('\n');
			}
		}
	}
	task_default();
}

static void sweep_set_masks(void)
{
	size_t m, n, k;
	long ret;

	for (m = 0; m < ARRAY_LEN(mask_modes); m++) {
		for (k = 0; k < nr_masks; k++) {
			for (n = 0; n < ARRAY_LEN(maxnodes); n++) {
				reset_task();
				ret = set(mask_modes[m], masks[k].at,
					  maxnodes[n]);
				printf("set %lx %s/%lu: %s", mask_modes[m],
				       masks[k].name, maxnodes[n], named(ret));
				say_policy(NULL);
				putchar('\n');
			}
		}
	}
	task_default();
}

static void sweep_bind_modes(void)
{
	size_t m, f, k;
	long ret;

	for (m = 0; m < ARRAY_LEN(modes); m++) {
		for (f = 0; f < ARRAY_LEN(mode_flags); f++) {
			for (k = 0; k < USUAL_MASKS; k++) {
				unsigned long mode = modes[m] | mode_flags[f];

				ret = bind(AREA, area_len, mode, masks[k].at,
					   65, 0);
				printf("mbind %lx %s: %s", mode, masks[k].name,
				       named(ret));
				say_policy(AREA);
				if (!ret) {
					say_maps();
					say_placement();
					map_area(MAP_PRIVATE);
				}
				putchar('\n');
			}
		}
	}
}

static void sweep_bind_masks(void)
{
	size_t m, n, k;
	long ret;

	for (m = 0; m < ARRAY_LEN(mask_modes); m++) {
		for (k = 0; k < nr_masks; k++) {
			for (n = 0; n < ARRAY_LEN(maxnodes); n++) {
				ret = bind(AREA, area_len, mask_modes[m],
					   masks[k].at, maxnodes[n], 0);
				printf("mbind %lx %s/%lu: %s", mask_modes[m],
				       masks[k].name, maxnodes[n], named(ret));
				if (!ret) {
					say_policy(AREA);
					map_area(MAP_PRIVATE);
				}
				putchar('\n');
			}
		}
	}
}

/* With pages on both nodes, and each of the @low lowest flags */
static void sweep_bind_flags(const char *who, int kind, size_t low)
{
	static const unsigned long high[] = {
		1 << 5, 1 << 8, 1 << 15, 1 << 16, 1 << 30, 1UL << 31,
		1UL << 31 | MPOL_MF_MOVE,
	};
	unsigned long flags;
	size_t m, k, f;
	long ret = 0;

	for (m = 0; m < ARRAY_LEN(good_modes); m++) {
		for (k = 0; k < USUAL_MASKS; k++) {
			for (f = 0; f < low + ARRAY_LEN(high); f++) {
				flags = f < low ? f : high[f - low];
				if (ret != -EINVAL)
					alternate_pages(kind);
				ret = bind(AREA, area_len, good_modes[m],
					   masks[k].at, 65, flags);
				printf("mbind %s %lx %s flags %lx: %s", who,
				       good_modes[m], masks[k].name, flags,
				       named(ret));
				if (ret != -EINVAL) {
					say_policy(AREA);
					say_nodes();
				}
				putchar('\n');
			}
		}
	}
	map_area(MAP_PRIVATE);
}

/* Ranges of the area, whose last but one page is not there */
static const struct {
	const char *name;
	long start;
	long len;
	/* In bytes, in addition to the pages above */
	long shift;
	long more;
} ranges[] = {
	{ "over-hole", 0, PAGES, 0, 0 },
	{ "first", 0, 1, 0, 0 },
	{ "inside", 2, 3, 0, 0 },
	{ "part", 0, 2, 0, 1 },
	{ "byte", 1, 0, 0, 1 },
	{ "nothing", 1, 0, 0, 0 },
	{ "nothing-unmapped", PAGES - 2, 0, 0, 0 },
	{ "nothing-unaligned", 0, 0, 1, 0 },
	{ "unaligned", 0, 2, 1, 0 },
	{ "unaligned-byte", 0, 0, 4095, 1 },
	{ "unmapped", PAGES - 2, 1, 0, 0 },
	{ "tail-unmapped", PAGES - 4, 3, 0, 0 },
	{ "head-unmapped", PAGES - 2, 2, 0, 0 },
	{ "beyond", PAGES - 1, 4, 0, 0 },
	{ "far", PAGES + 4, 4, 0, 0 },
	{ "length-wraps", 0, 0, 0, -1 },
	{ "length-wraps-page", 0, -1, 0, 0 },
	{ "ends-at-0", 0, 0, 0, -0x60000000L },
	{ "largest", 0, 0, 0, LONG_MAX },
	{ "last-page", -0x60001, 1, 0, 0 },
};

static void map_with_hole(void)
{
	map_area(MAP_PRIVATE);
	if (munmap(AREA + (PAGES - 2) * page_size, page_size))
		die("munmap");
}

static void say_each_policy(void)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		say_policy(AREA + i * page_size);
}

static void sweep_bind_ranges(void)
{
	size_t m, r, f;
	long ret;

	for (m = 0; m < ARRAY_LEN(good_modes); m++) {
		for (r = 0; r < ARRAY_LEN(ranges); r++) {
			for (f = 0; f < 16; f++) {
				const void *mask = both_nodes;
				char *start = AREA;

				if (good_modes[m] == MPOL_DEFAULT ||
				    good_modes[m] == MPOL_LOCAL)
					mask = NULL;
				start += ranges[r].start * (long)page_size +
					 ranges[r].shift;
				map_with_hole();
				touch(AREA, 1, page_size);
				ret = bind(start, ranges[r].len * page_size +
					   ranges[r].more, good_modes[m], mask,
					   65, f);
				printf("mbind %lx range %s flags %zx: %s",
				       good_modes[m], ranges[r].name, f,
				       named(ret));
				if (f < 8)
					say_each_policy();
				putchar('\n');
			}
		}
	}
	map_area(MAP_PRIVATE);
}

static const struct {
	unsigned long mode;
	unsigned long nodes;
} policies[] = {
	{ MPOL_DEFAULT, 0 },
	{ MPOL_LOCAL, 0 },
	{ MPOL_PREFERRED, 0 },
	{ MPOL_PREFERRED, 2 },
	{ MPOL_PREFERRED | RELATIVE, 2 },
	{ MPOL_BIND, 3 },
	{ MPOL_BIND | STATIC, 5 },
	{ MPOL_BIND | BALANCING, 1 },
	{ MPOL_INTERLEAVE, 3 },
	{ MPOL_INTERLEAVE | RELATIVE, 10 },
	{ MPOL_PREFERRED_MANY, 3 },
	{ MPOL_PREFERRED_MANY | STATIC, 7 },
};

/* How many bytes get wrote, and those of the first nodes */
static void say_written(const unsigned char *buf, size_t size)
{
	size_t i, last = size;

	while (last && buf[last - 1] == 0xa5)
		last--;
	printf(" %zu", last);
	for (i = 0; i < last && i < 16; i++)
		printf("%s%02x", i ? "" : ":", buf[i]);
	for (; i < last; i++)
		if (buf[i])
			printf("@%zu:%02x", i, buf[i]);
}

static void sweep_get_flags(void)
{
	const struct {
		const char *name;
		const char *addr;
	} places[] = {
		{ "null", NULL },
		{ "odd", (char *)1 },
		{ "mapping", AREA },
		{ "inside", AREA + page_size + 17 },
		{ "untouched", AREA + 3 * page_size },
		{ "hole", AREA + (PAGES - 2) * page_size },
		{ "kernel", (char *)-page_size },
	};
	static const unsigned long high[] = {
		1 << 4, 1 << 15, 1 << 16, 1UL << 31, ULONG_MAX,
	};
	const size_t low = 16;
	size_t p, a, f;
	int ret, mode, with_mask;
	unsigned long word[64 / BITS_PER_WORD];

	for (p = 0; p < ARRAY_LEN(policies); p++) {
		map_with_hole();
		if (bind(AREA, 3 * page_size, policies[p].mode, &policies[p].nodes,
			 WORD_MAXNODE, 0))
			die("mbind");
		touch(AREA, 3, page_size);
		for (a = 0; a < ARRAY_LEN(places) * 2; a++) {
			with_mask = a % 2;
			for (f = 0; f < low + ARRAY_LEN(high); f++) {
				unsigned long flags = f < low ? f :
						      high[f - low];

				mode = -1;
				memset(word, 0, sizeof(word));
				/* Anew, for the node of the next page */
				if (set(policies[p].mode, &policies[p].nodes,
					WORD_MAXNODE))
					die("set_mempolicy");
				ret = get(&mode, with_mask ? word : NULL, 64,
					  places[a / 2].addr, flags);
				printf("get %lx:%lx %s%s flags %lx: %s %x %lx\n",
				       policies[p].mode, policies[p].nodes,
				       places[a / 2].name,
				       with_mask ? " mask" : "", flags,
				       named(ret), mode, word[0]);
			}
		}
		task_default();
	}
	map_area(MAP_PRIVATE);
}

/* Where the mask is put and how long it may be */
static void sweep_get_masks(void)
{
	static unsigned char buf[MASK_BYTES];
	const struct {
		const char *name;
		void *at;
	} places[] = {
		{ "null", NULL },
		{ "buffer", buf },
		{ "odd", buf + 3 },
		{ "nowhere", (void *)16 },
		{ "kernel", (void *)-page_size },
		{ "end8", edge - 8 },
		{ "end4", edge - 4 },
		{ "end", edge },
	};
	size_t p, a, n;
	int mode;

	for (p = 0; p < ARRAY_LEN(policies); p++) {
		if (set(policies[p].mode, &policies[p].nodes, WORD_MAXNODE))
			die("set_mempolicy");
		for (a = 0; a < ARRAY_LEN(places); a++) {
			for (n = 0; n < ARRAY_LEN(maxnodes); n++) {
				memset(buf, 0xa5, sizeof(buf));
				memset(edge - 8, 0xa5, 8);
				mode = -1;
				printf("get %lx:%lx into %s/%lu: %s",
				       policies[p].mode, policies[p].nodes,
				       places[a].name, maxnodes[n],
				       named(get(&mode, places[a].at,
						 maxnodes[n], NULL, 0)));
				printf(" %x", mode);
				say_written(buf, sizeof(buf));
				say_written((unsigned char *)edge - 8, 8);
				putchar('\n');
			}
		}
		printf("get %lx:%lx mode into nowhere: %s\n", policies[p].mode,
		       policies[p].nodes,
		       named(get((int *)16, NULL, 0, NULL, 0)));
	}
	task_default();
}

static void sweep_home_nodes(void)
{
	static const unsigned long homes[] = {
		0, 1, 2, ABSENT, 64, IMPOSSIBLE, INT_MAX, 1UL << 31, ULONG_MAX,
	};
	size_t p, h, r, f;
	long ret;

	for (p = 0; p < ARRAY_LEN(policies); p++) {
		for (h = 0; h < ARRAY_LEN(homes); h++) {
			for (r = 0; r < ARRAY_LEN(ranges); r++) {
				/* No flag is known; that is the same for every node */
				for (f = 0; f < (h ? 1 : 2); f++) {
					map_with_hole();
					if (bind(AREA, 5 * page_size,
						 policies[p].mode,
						 &policies[p].nodes, WORD_MAXNODE, 0))
						die("mbind");
					ret = set_home(AREA + ranges[r].start *
						       (long)page_size +
						       ranges[r].shift,
						       ranges[r].len * page_size +
						       ranges[r].more,
						       homes[h], f);
					printf("home %lx:%lx %s node %lx flags %zx: %s",
					       policies[p].mode,
					       policies[p].nodes,
					       ranges[r].name, homes[h], f,
					       named(ret));
					if (!ret && !f) {
						touch(AREA, PAGES - 2, page_size);
						say_nodes();
						say_maps();
						say_each_policy();
						printf(" %d", mappings_within(AREA,
									      area_len));
					}
					putchar('\n');
				}
			}
		}
	}
	map_area(MAP_PRIVATE);
}

/* How many pages could not be moved depends on what else runs */
static const char *migrated(long ret)
{
	return named(ret > 0 ? 0 : ret);
}

static void sweep_migrate_masks(void)
{
	size_t k, n, end;
	long ret;

	alternate_pages(MAP_PRIVATE);
	for (k = 0; k < nr_masks; k++) {
		for (n = 0; n < ARRAY_LEN(maxnodes); n++) {
			for (end = 0; end < 2; end++) {
				/* From and to the same nodes nothing moves */
				ret = migrate(0, maxnodes[n],
					      end ? masks[k].at : both_nodes,
					      end ? both_nodes : masks[k].at);
				printf("migrate %s %s/%lu: %s",
				       end ? "from" : "to", masks[k].name,
				       maxnodes[n], migrated(ret));
				if (!ret) {
					say_nodes();
					alternate_pages(MAP_PRIVATE);
				}
				putchar('\n');
			}
		}
	}
	map_area(MAP_PRIVATE);
}

static void sweep_migrate(const char *who)
{
	static const struct {
		const char *name;
		long pid;
	} pids[] = {
		{ "0", 0 }, { "self", 0 }, { "init", 1 }, { "none", 1 << 23 },
		{ "-1", -1 },
	};
	static const unsigned long nodes[] = { 0, 1, 2, 3, 5, 7 };
	size_t p, from, to;
	long pid, ret;

	for (p = 0; p < ARRAY_LEN(pids); p++) {
		for (from = 0; from < ARRAY_LEN(nodes); from++) {
			for (to = 0; to < ARRAY_LEN(nodes); to++) {
				pid = p == 1 ? getpid() : pids[p].pid;
				alternate_pages(MAP_PRIVATE);
				ret = migrate(pid, WORD_MAXNODE, &nodes[from],
					      &nodes[to]);
				printf("migrate %s pid %s %lx to %lx: %s", who,
				       pids[p].name, nodes[from], nodes[to],
				       migrated(ret));
				say_nodes();
				putchar('\n');
			}
		}
	}
	map_area(MAP_PRIVATE);
}

static unsigned int any(unsigned int count)
{
	static unsigned int seed = 1;

	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % count;
}

/* Calls that follow each other on parts of a mapping, which split and merge */
static void sweep_history(int steps)
{
	static const unsigned long flags[] = {
		0, 0, 0, MPOL_MF_STRICT, MPOL_MF_MOVE, MPOL_MF_MOVE_ALL,
		MPOL_MF_STRICT | MPOL_MF_MOVE,
	};
	unsigned int first, count, p;
	const char *what;
	char *start;
	size_t len;
	long ret;

	while (steps--) {
		first = any(PAGES);
		count = 1 + any(PAGES - first);
		p = any(ARRAY_LEN(policies));
		start = AREA + first * page_size;
		len = count * page_size;
		switch (any(8)) {
		case 0:
			what = "touch";
			touch(start, count, page_size);
			ret = 0;
			break;
		case 1:
			what = "forget";
			ret = answer_of(madvise(start, len, MADV_DONTNEED));
			break;
		case 2:
			what = "home";
			ret = set_home(start, len, p % 2, 0);
			break;
		case 3:
			what = "set";
			ret = set(policies[p].mode, &policies[p].nodes,
				  WORD_MAXNODE);
			break;
		default:
			what = "mbind";
			ret = bind(start, len, policies[p].mode,
				   &policies[p].nodes, WORD_MAXNODE,
				   flags[any(ARRAY_LEN(flags))]);
		}
		printf("history %d %s %u+%u %lx:%lx: %s", steps, what, first,
		       count, policies[p].mode, policies[p].nodes, named(ret));
		say_policy(NULL);
		say_nodes();
		printf(" %d", mappings_within(AREA, area_len));
		say_each_policy();
		putchar('\n');
	}
	task_default();
	map_area(MAP_PRIVATE);
}

/* The calls that ask for a capability */
static void sweep_unprivileged(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (setresuid(65534, 65534, 65534))
			die("setresuid");
		sweep_bind_flags("unprivileged", MAP_PRIVATE, 8);
		sweep_migrate("unprivileged");
		fflush(stdout);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die("unprivileged");
}

static void stay_on_cpu_0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

int main(void)
{
	static char buffer[1 << 16];
	struct nodeset memory, want = nodeset_pair(0, 1);

	if (geteuid() || nodeset_read("has_memory", &memory) ||
	    !nodeset_equal(&memory, &want)) {
		fprintf(stderr, "needs root, and memory on nodes 0 and 1\n");
		return SKIPPED;
	}
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	page_size = page_bytes();
	area_len = PAGES * page_size;
	/* Alone, so that it merges with no neighbour */
	if (mmap(AREA - page_size, area_len + 64 * page_size, PROT_NONE,
		 MAP_FIXED_NOREPLACE | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	    AREA - page_size)
		die("mmap");
	if (munmap(AREA - page_size, page_size) ||
	    munmap(AREA + area_len, 63 * page_size))
		die("munmap");
	map_area(MAP_PRIVATE);
	stay_on_cpu_0();
	make_masks();

	sweep_set_modes();
	sweep_set_masks();
	sweep_bind_modes();
	sweep_bind_masks();
	sweep_bind_flags("private", MAP_PRIVATE, 32);
	sweep_bind_flags("shared", MAP_SHARED, 32);
	sweep_bind_ranges();
	sweep_get_flags();
	sweep_get_masks();
	sweep_home_nodes();
	sweep_migrate_masks();
	sweep_migrate("root");
	sweep_history(600);
	sweep_unprivileged();
	if (fflush(stdout))
		die("output");
	return 0;
}
