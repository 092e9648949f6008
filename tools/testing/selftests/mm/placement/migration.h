/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of automatic migration share: its files, two nodes whose memory
 * serves CPUs, and what goes from one to the other.
 */
#ifndef MIGRATION_H
#define MIGRATION_H

#include <dirent.h>

#include "cases.h"
#include "promotion.h"

#define MIGRATION_DIR	"/sys/kernel/migration/"
#define ENABLE		MIGRATION_DIR "auto_migrate_enable"
#define INTERVAL	MIGRATION_DIR "auto_migrate_interval"
#define LAZY		MIGRATION_DIR "auto_migrate_lazy"
#define MAPCOUNT	MIGRATION_DIR "migrate_max_mapcount"

/* Pages that are on a CPU's own list are not taken; 99 % have to come */
#define MOST_OF(pages)	((pages) * 99 / 100)

static const char * const files[] = { ENABLE, INTERVAL, LAZY, MAPCOUNT };

/* What a child that follows() is about */
struct move {
	int from;
	int to;
	size_t pages;
	bool huge;
	/* Maps @area on @from, where the task is; map_on() without */
	int (*map)(struct move *move);
	/* What is done to the memory when it is on @from */
	int (*before)(struct move *move);
	/* Another mapping of as many pages, if any; it lies on @from as well */
	struct area other;
	struct area area;
	/* The counter of marks before there were any */
	long long marked;
	/* What is left of an interval before the memory follows, at most, s */
	int held;
};

/* How much memory is put together that nobody has asked for, in the background */
#define PROACTIVENESS "/proc/sys/vm/compaction_proactiveness"

FIXTURE(migration)
{
	char old[ARRAY_LEN(files)][32];
	long balancing;
	/* What a test has changed; 0 otherwise */
	long proactiveness;
	struct move move;
	const char *missing;
};

FIXTURE_SETUP(migration)
{
	struct nodeset serving;
	int node;
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++)
		ASSERT_TRUE(is_there(files[i]));
	if (geteuid()) {
		self->missing = "needs root";
		return;
	}
	for (i = 0; i < ARRAY_LEN(files); i++)
		ASSERT_LT(0, file_read(files[i], self->old[i],
				       sizeof(self->old[i])));
	ASSERT_EQ(0, serving_nodes(&serving));
	self->move.from = -1;
	self->move.to = -1;
	for (node = MAX_NODES - 1; node >= 0; node--)
		if (nodeset_has(&serving, node) && served_node(node) >= 0) {
			self->move.to = self->move.from;
			self->move.from = node;
		}
	self->move.pages = SOME_PAGES;
	if (self->move.to < 0 || stay_on(self->move.to)) {
		self->missing = "needs two nodes whose memory serves CPUs";
		return;
	}
	if (!has_room(self->move.from, MOST_PAGES) ||
	    !has_room(self->move.to, MOST_PAGES)) {
		self->missing = "a node is too small";
		return;
	}
	/* It brings pages to the CPU as well, and hides them meanwhile. */
	self->balancing = sysctl_read("numa_balancing");
	ASSERT_EQ(0, sysctl_write("numa_balancing", "0"));
}

FIXTURE_TEARDOWN(migration)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++)
		if (self->old[i][0])
			EXPECT_EQ(0, file_write(files[i], self->old[i],
						strlen(self->old[i])));
	if (!self->missing)
		EXPECT_EQ(0, file_print(SYSCTL_DIR "/numa_balancing", "%ld",
					self->balancing));
	if (self->proactiveness > 0)
		EXPECT_EQ(0, file_print(PROACTIVENESS, "%ld", self->proactiveness));
}

/* Some time in user space */
static inline void spin(void)
{
	unsigned int i;

	for (i = 0; i < 1 << 20; i++)
		__asm__ volatile("" : : : "memory");
}

/* A file for each block of memory of @node; false when there is none */
static inline bool block_of(int node, int nth, char *path, size_t size)
{
	struct dirent *entry;
	char dir[64];
	bool found = false;
	DIR *d;
	int nr;

	snprintf(dir, sizeof(dir), NODE_DIR "/node%d", node);
	d = opendir(dir);
	while (d && !found && (entry = readdir(d)))
		if (sscanf(entry->d_name, "memory%d", &nr) == 1 && !nth--) {
			snprintf(path, size, "%s/memory%d/state", dir, nr);
			found = true;
		}
	if (d)
		closedir(d);
	return found;
}

/* What takes the only CPU that @node serves offline; false when there is no such thing */
static inline bool switch_of_cpu(int node, char *path, size_t size)
{
	char list[64];
	struct nodeset cpus;

	snprintf(path, size, NODE_DIR "/node%d/cpulist", served_node(node));
	if (file_read(path, list, sizeof(list)) < 0 || nodeset_parse(list, &cpus) ||
	    nodeset_count(&cpus) != 1)
		return false;
	snprintf(path, size, "/sys/devices/system/cpu/cpu%d/online",
		 nodeset_nth(&cpus, 0));
	return !access(path, W_OK);
}

#endif /* MIGRATION_H */
