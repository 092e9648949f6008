// SPDX-License-Identifier: GPL-2.0
/*
 * Abstract distances of nodes, and the tiers that follow from them:
 * /sys/kernel/mm/tiering/nodeN/abstract_distance and
 * /sys/devices/virtual/memory_tiering/memory_tierN/nodelist
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "cases.h"
#include "placement.h"

#define TIER_DIR	"/sys/devices/virtual/memory_tiering"
#define TIER_CHUNK	128
#define DRAM_DISTANCE	576
#define HIGHEST		65535

struct context {
	struct nodeset memory;
	/* Memory that serves CPUs */
	struct nodeset serving;
	/* A node that does not, and one that does */
	int slow;
	int fast;
	/* The distance of the first when the case began */
	long first;
	/* That a test has brought online, or no blocks */
	struct hot_node hot;
	const char *missing;
};

static const char *node_path(int node, const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "/sys/kernel/mm/tiering/node%d/%s", node, name);
	return buf;
}

static long distance_read(int node)
{
	char path[64], text[32];
	int ret = file_read(node_path(node, "abstract_distance", path,
				      sizeof(path)), text, sizeof(text));

	return ret < 0 ? ret : strtol(text, NULL, 10);
}

static int distance_write(int node, const char *text)
{
	char path[64];

	return file_write(node_path(node, "abstract_distance", path,
				    sizeof(path)), text, strlen(text));
}

/* The next tier of @dir and its nodes; @err is -errno when they cannot be read */
static bool next_tier(DIR *dir, int *tier, struct nodeset *nodes, int *err)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		char path[320], list[256];

		if (sscanf(entry->d_name, "memory_tier%d", tier) != 1)
			continue;
		snprintf(path, sizeof(path), TIER_DIR "/%s/nodelist", entry->d_name);
		*err = file_read(path, list, sizeof(list));
		if (*err >= 0)
			*err = nodeset_parse(list, nodes);
		return true;
	}
	return false;
}

/* The tier whose list has @node; how many lists have it is in @count */
static int tier_of(int node, int *count)
{
	DIR *dir = opendir(TIER_DIR);
	struct nodeset nodes;
	int tier = -1, id, err;

	*count = 0;
	while (dir && next_tier(dir, &id, &nodes, &err)) {
		if (err || !nodeset_has(&nodes, node))
			continue;
		tier = id;
		(*count)++;
	}
	if (dir)
		closedir(dir);
	return tier;
}

static bool in_tier_of(int node, long distance)
{
	int count, tier = tier_of(node, &count);

	if (count == 1 && tier == distance / TIER_CHUNK)
		return true;
	note("node %d is in %d tiers, the last is %d, not %ld", node, count, tier,
	     distance / TIER_CHUNK);
	return false;
}

FIXTURE(tiers)
{
	struct context ctx;
};

FIXTURE_SETUP(tiers)
{
	struct context *ctx = &self->ctx;
	char path[64];
	int i;

	ASSERT_EQ(0, nodeset_read("has_memory", &ctx->memory));
	ASSERT_EQ(0, serving_nodes(&ctx->serving));
	ctx->slow = -1;
	ctx->fast = nodeset_nth(&ctx->serving, 0);
	for (i = nodeset_nth(&ctx->memory, 0); i >= 0 && i < MAX_NODES; i++)
		if (nodeset_has(&ctx->memory, i) && !nodeset_has(&ctx->serving, i))
			ctx->slow = i;
	ASSERT_TRUE(is_there(node_path(ctx->fast, "abstract_distance", path, sizeof(path))));
	if (ctx->slow >= 0)
		ctx->first = distance_read(ctx->slow);
	if (geteuid())
		ctx->missing = "needs root";
}

FIXTURE_TEARDOWN(tiers)
{
	const struct hot_node *hot = &self->ctx.hot;

	/* To write has the node placed again, which would hide a wrong place. */
	if (!self->ctx.missing && self->ctx.slow >= 0 &&
	    distance_read(self->ctx.slow) != self->ctx.first)
		EXPECT_EQ(0, distance_write(self->ctx.slow, "0"));
	if (hot->blocks && hot_has_memory(hot)) {
		EXPECT_EQ(0, distance_write(hot->node, "0"));
		EXPECT_EQ(0, hot_remove(hot, hot->blocks));
	}
}

TEST_F(tiers, each_node_has_one)
{
	struct context *ctx = &self->ctx;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	for (i = 0; i < MAX_NODES; i++)
		if (nodeset_has(&ctx->memory, i))
			EXPECT_TRUE(in_tier_of(i, distance_read(i)));
}

TEST_F(tiers, what_serves_cpus_is_dram)
{
	struct context *ctx = &self->ctx;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	for (i = 0; i < MAX_NODES; i++)
		if (nodeset_has(&ctx->serving, i))
			EXPECT_EQ(DRAM_DISTANCE, distance_read(i));
}

static long attribute(int node, const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), NODE_DIR "/node%d/access1/initiators/%s",
		 node, name);
	return file_read(path, text, sizeof(text)) < 0 ? 0 : strtol(text, NULL, 10);
}

/* As HBM beside DRAM, if the firmware says so */
static bool is_faster(int node, int other)
{
	double latency = attribute(node, "read_latency");
	double bandwidth = attribute(node, "read_bandwidth");

	return latency && bandwidth &&
	       latency * attribute(other, "read_bandwidth") <
	       bandwidth * attribute(other, "read_latency");
}

/* Two tables of the firmware, two distances; without any it is slow as well */
TEST_F(tiers, what_serves_none_is_further)
{
	struct context *ctx = &self->ctx;
	long beyond;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->slow < 0)
		SKIP(return, "needs memory that serves no CPUs");
	for (i = 0; i < MAX_NODES; i++) {
		if (!nodeset_has(&ctx->memory, i) || nodeset_has(&ctx->serving, i))
			continue;
		beyond = distance_read(i) - DRAM_DISTANCE;
		EXPECT_LT(TIER_CHUNK, is_faster(i, ctx->fast) ? -beyond : beyond)
			TH_LOG("node %d", i);
	}
}

/* Latency times bandwidth, from what the kernel shows of the tables */
TEST_F(tiers, distance_follows_from_the_tables)
{
	struct context *ctx = &self->ctx;
	double latency, bandwidth, want;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->slow < 0)
		SKIP(return, "needs memory that serves no CPUs");
	if (!attribute(ctx->slow, "read_latency") ||
	    !attribute(ctx->slow, "read_bandwidth") ||
	    !attribute(ctx->fast, "read_latency"))
		SKIP(return, "the firmware tells nothing of that node");

	/* Memory that serves CPUs is all alike on these machines */
	latency = (double)attribute(ctx->slow, "read_latency") /
		  attribute(ctx->fast, "read_latency");
	bandwidth = (double)attribute(ctx->fast, "read_bandwidth") /
		    attribute(ctx->slow, "read_bandwidth");
	want = DRAM_DISTANCE * latency * bandwidth;
	if (want > HIGHEST)
		want = HIGHEST;
	EXPECT_LE(want - 1, distance_read(ctx->slow));
	EXPECT_GE(want + 1, distance_read(ctx->slow));
}

TEST_F(tiers, override)
{
	static const struct { const char *text; long distance; } good[] = {
		{ "1", 1 }, { "576", 576 }, { "2000\n", 2000 }, { "0x400", 1024 },
		{ "65535", 65535 },
	};
	struct context *ctx = &self->ctx;
	long before;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->slow < 0)
		SKIP(return, "needs memory that serves no CPUs");
	before = distance_read(ctx->slow);
	for (i = 0; i < ARRAY_LEN(good); i++) {
		EXPECT_EQ(0,
			  distance_write(ctx->slow, good[i].text));
		EXPECT_EQ(good[i].distance, distance_read(ctx->slow));
		EXPECT_TRUE(in_tier_of(ctx->slow, good[i].distance));
		EXPECT_TRUE(in_tier_of(ctx->fast, DRAM_DISTANCE));
	}
	EXPECT_EQ(0, distance_write(ctx->slow, "0"));
	EXPECT_EQ(before, distance_read(ctx->slow));
	EXPECT_TRUE(in_tier_of(ctx->slow, before));
}

/* Also for a node with CPUs, which leaves no tier behind without nodes */
TEST_F(tiers, override_of_dram)
{
	struct context *ctx = &self->ctx;
	struct nodeset rest;
	int tier, err;
	DIR *dir;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	EXPECT_EQ(0, distance_write(ctx->fast, "1500"));
	EXPECT_TRUE(in_tier_of(ctx->fast, 1500));
	EXPECT_EQ(0, distance_write(ctx->fast, "0"));
	EXPECT_TRUE(in_tier_of(ctx->fast, DRAM_DISTANCE));

	dir = opendir(TIER_DIR);
	ASSERT_NE(NULL, dir);
	while (next_tier(dir, &tier, &rest, &err)) {
		EXPECT_EQ(0, err);
		EXPECT_NE(0, nodeset_count(&rest))
			TH_LOG("tier %d is empty", tier);
	}
	closedir(dir);
}

/* Those of @cpus that can go offline do, or come back */
static void switch_cpus(const struct nodeset *cpus, const char *online)
{
	char path[64];
	int cpu;

	for (cpu = 0; cpu < MAX_NODES; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (nodeset_has(cpus, cpu) && !access(path, F_OK))
			file_write(path, online, 1);
	}
}

/* A node stays what it is while its CPUs rest. The first CPU of a machine may not. */
TEST_F(tiers, nodes_whose_cpus_are_offline_are_dram)
{
	struct context *ctx = &self->ctx;
	char path[64], list[256];
	struct nodeset cpus, cpu;
	int node;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	for (node = MAX_NODES - 1; node >= 0; node--)
		if (nodeset_has(&ctx->serving, node) && nodeset_has(&cpu, node))
			break;
	if (node < 0)
		node = nodeset_nth(&cpu, nodeset_count(&cpu) - 1);
	snprintf(path, sizeof(path), NODE_DIR "/node%d/cpulist", node);
	ASSERT_LT(0, file_read(path, list, sizeof(list)));
	ASSERT_EQ(0, nodeset_parse(list, &cpus));
	node = serving_node(node);
	switch_cpus(&cpus, "0");
	/* It is looked at again when it gets its own distance back. */
	EXPECT_EQ(0, distance_write(node, "1500"));
	EXPECT_EQ(0, distance_write(node, "0"));
	EXPECT_EQ(DRAM_DISTANCE, distance_read(node));
	EXPECT_TRUE(in_tier_of(node, DRAM_DISTANCE));
	switch_cpus(&cpus, "1");
}

struct reader {
	atomic_bool enough;
	atomic_long good;
	long bad;
};

/* A tier may have gone since its name was read, or have no nodes any more. */
static void *read_until_enough(void *arg)
{
	struct reader *reader = arg;

	while (!atomic_load(&reader->enough)) {
		DIR *dir = opendir(TIER_DIR);
		struct nodeset nodes;
		int tier, err;

		while (dir && next_tier(dir, &tier, &nodes, &err)) {
			if (!err)
				reader->good++;
			else if (err != -ENOENT && err != -ENODEV)
				reader->bad++;
		}
		if (dir)
			closedir(dir);
	}
	return NULL;
}

/* The removal of a tier waits for those who read its list, and they for it. */
TEST_F(tiers, lists_are_read_while_tiers_go)
{
	static const char * const distances[] = { "1500", "0" };
	struct context *ctx = &self->ctx;
	int node = ctx->slow < 0 ? ctx->fast : ctx->slow;
	struct reader reader = {};
	pthread_t thread;
	long before;
	int i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	before = distance_read(node);
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_until_enough, &reader));
	/* On until some have been read, and the node is in its own tier again */
	for (i = 0; i < 100 || i % 2 || (!atomic_load(&reader.good) && i < 10000);
	     i++) {
		EXPECT_EQ(0, distance_write(node, distances[i % 2]));
		/* Lists can be read while nobody writes */
		usleep(1000);
	}
	atomic_store(&reader.enough, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, reader.bad);
	EXPECT_LT(0, atomic_load(&reader.good));
	EXPECT_TRUE(in_tier_of(node, before));
}

TEST_F(tiers, bad_input)
{
	static const char * const bad[] = {
		"-1", "65536", "4294967296", "x", "1 2", "1x", " ", "\n", "0x",
	};
	struct context *ctx = &self->ctx;
	long before;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	before = distance_read(ctx->fast);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		EXPECT_EQ(-EINVAL, distance_write(ctx->fast, bad[i]))
			TH_LOG("'%s'", bad[i]);
		EXPECT_EQ(before, distance_read(ctx->fast));
	}
}

/* The permissions of a file, -errno */
static int mode_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? -errno : (int)(status.st_mode & 07777);
}

/* What promotion goes by is shown where it goes to */
TEST_F(tiers, files)
{
	static const char * const files[] = { "threshold_ms", "histogram", "budget" };
	struct context *ctx = &self->ctx;
	char path[64];
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	for (i = 0; i < ARRAY_LEN(files); i++) {
		EXPECT_EQ(0444, mode_of(node_path(ctx->fast, files[i], path,
						  sizeof(path))))
			TH_LOG("%s", files[i]);
		EXPECT_EQ(-EACCES, seteuid(65534) ? -errno :
			  file_write(path, "1", 1));
		EXPECT_EQ(0, seteuid(0));
		if (ctx->slow >= 0)
			EXPECT_NE(0, access(node_path(ctx->slow, files[i], path,
						      sizeof(path)), F_OK));
	}
	EXPECT_EQ(0644, mode_of(node_path(ctx->fast, "abstract_distance", path,
					  sizeof(path))));
	EXPECT_EQ(0, seteuid(65534));
	EXPECT_LT(0, distance_read(ctx->fast));
	EXPECT_EQ(-EACCES, distance_write(ctx->fast, "576"));
	EXPECT_EQ(0, seteuid(0));
}

/*
 * Each allocation is made to fail in turn: the node is moved, or stays where it
 * was. Now and then the failure goes to one that is not the call's own.
 */
TEST_F(tiers, override_without_memory)
{
	enum { MOST_ALLOCATIONS = 2000, TRIES = 4 };
	struct context *ctx = &self->ctx;
	int fail, nth, try, ret, refused = 0;
	bool failed = true, was_refused;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	fail = fault_open();
	if (fail < 0)
		SKIP(return, "no fault injection in this kernel");
	for (nth = 1; nth < MOST_ALLOCATIONS && failed; nth++) {
		failed = false;
		was_refused = false;
		for (try = 0; try < TRIES; try++) {
			fault_nth(fail, nth);
			ret = distance_write(ctx->fast, "1500");
			failed |= fault_hit(fail);
			if (ret) {
				ASSERT_TRUE(failed);
				ASSERT_EQ(DRAM_DISTANCE, distance_read(ctx->fast));
				ASSERT_TRUE(in_tier_of(ctx->fast, DRAM_DISTANCE));
				was_refused = true;
				continue;
			}
			ASSERT_EQ(1500, distance_read(ctx->fast));
			ASSERT_TRUE(in_tier_of(ctx->fast, 1500));
			ASSERT_EQ(0, distance_write(ctx->fast, "0"));
		}
		refused += was_refused;
	}
	EXPECT_FALSE(failed);
	/* The type, the tier and its device, at least */
	EXPECT_LE(3, refused);
	close(fail);
}

/* The buffer of the write, the type and the tier */
#define REFUSALS 3

/* What was refused is not in force later either, when the node has been away. */
TEST_F(tiers, refused_override_stays_refused)
{
	struct context *ctx = &self->ctx;
	struct hot_node *hot = &ctx->hot;
	int fail, file, nth, refused;
	char path[64];
	long before;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (hot_find(hot)) {
		hot->blocks = 0;
		SKIP(return, "needs a node whose memory is offline");
	}
	fail = fault_open();
	if (fail < 0)
		SKIP(return, "no fault injection in this kernel");
	ASSERT_EQ(0, hot_add(hot, hot->blocks));
	before = distance_read(hot->node);
	EXPECT_NE(1500, before);
	for (nth = 1, refused = 0; nth <= 2 * REFUSALS && refused < REFUSALS; nth++) {
		ssize_t put;

		/* Opened anew, since the directory goes with the memory */
		file = open(node_path(hot->node, "abstract_distance", path,
				      sizeof(path)), O_WRONLY);
		ASSERT_LE(0, file);
		fault_nth(fail, nth);
		put = write(file, "1500", 4);
		fault_hit(fail);
		close(file);
		if (put == 4) {
			EXPECT_EQ(0, distance_write(hot->node, "0"));
			continue;
		}
		refused++;
		EXPECT_EQ(before, distance_read(hot->node));
		ASSERT_EQ(0, hot_remove(hot, hot->blocks));
		ASSERT_EQ(0, hot_add(hot, hot->blocks));
		EXPECT_EQ(before, distance_read(hot->node));
	}
	EXPECT_EQ(REFUSALS, refused);
	close(fail);
}
