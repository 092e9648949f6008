// SPDX-License-Identifier: GPL-2.0
/*
 * A node whose memory comes and goes: its weight file follows, its weight
 * survives, and the policies over it do what those of MPOL_INTERLEAVE do.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "placement.h"

#define PAGES 400
#define MAX_BLOCKS 512
#define SETTLE_SECONDS 10

FIXTURE(hotplug)
{
	struct saved_weights saved;
	struct nodeset memory;
	/* A node with memory and the one without */
	int other;
	int node;
	int block[MAX_BLOCKS];
	int blocks;
	const char *missing;
};

/* The memory blocks of a node, by their numbers */
static int memory_blocks(int node, int *block)
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

static int block_state(int block, const char *state)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/memory/memory%d/state", block);
	ret = file_print(path, "%s", state);
	/* Already there */
	return ret == -EINVAL ? 0 : ret;
}

static bool has_memory(int node)
{
	struct nodeset memory;

	return !nodeset_read("has_memory", &memory) &&
	       nodeset_has(&memory, node);
}

/* What the caller may allocate from follows a while after the memory */
static bool settled(int node, bool there)
{
	time_t end = time(NULL) + SETTLE_SECONDS;
	struct nodeset allowed;
	int mode;

	do {
		if (!policy_get(&mode, &allowed, NULL, MPOL_F_MEMS_ALLOWED) &&
		    nodeset_has(&allowed, node) == there) {
			/* The policies of the mappings come after that */
			usleep(200000);
			return true;
		}
		usleep(10000);
	} while (time(NULL) < end);
	return false;
}

static int bring_online(int node, const int *block, int blocks)
{
	int i, ret = 0;

	/* Movable, so that it can go offline again */
	for (i = 0; i < blocks && !ret; i++)
		ret = block_state(block[i], "online_movable");
	if (!ret && !settled(node, true))
		ret = -ETIMEDOUT;
	return ret;
}

static int take_offline(int node, const int *block, int blocks)
{
	int attempt, i, left = blocks;

	for (attempt = 0; attempt < 20 && left; attempt++) {
		if (attempt) {
			file_print("/proc/sys/vm/drop_caches", "3");
			usleep(100000);
		}
		for (left = 0, i = 0; i < blocks; i++)
			left += block_state(block[i], "offline") != 0;
	}
	if (left || has_memory(node))
		return -EBUSY;
	return settled(node, false) ? 0 : -ETIMEDOUT;
}

FIXTURE_SETUP(hotplug)
{
	struct nodeset online;
	int node;

	if (!have_weighted_interleave()) {
		self->missing = "no weighted interleaving in this kernel";
		return;
	}
	if (geteuid()) {
		self->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&self->saved));
	self->memory = self->saved.nodes;
	self->other = nodeset_nth(&self->memory, 0);
	self->node = -1;
	ASSERT_EQ(0, nodeset_read("online", &online));
	for (node = 0; node < MAX_NODES; node++) {
		if (!nodeset_has(&online, node) ||
		    nodeset_has(&self->memory, node))
			continue;
		self->blocks = memory_blocks(node, self->block);
		if (!self->blocks)
			continue;
		self->node = node;
		break;
	}
	if (self->node < 0)
		self->missing = "needs a node whose memory is offline";
}

FIXTURE_TEARDOWN(hotplug)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (self->node >= 0 && has_memory(self->node)) {
		EXPECT_EQ(0, weight_write(self->node, 1));
		EXPECT_EQ(0, take_offline(self->node, self->block,
					  self->blocks));
	}
	if (have_weighted_interleave() && !geteuid())
		EXPECT_EQ(0, weights_restore(&self->saved));
}

/* A mapping under each mode, with the same mask and flags */
struct mappings {
	struct area plain;
	struct area weighted;
};

static int map_both(struct mappings *maps, int flags,
		    const struct nodeset *nodes)
{
	int ret;

	ret = area_map(&maps->plain, PAGES, 1);
	if (!ret)
		ret = area_map(&maps->weighted, PAGES, 1);
	if (!ret)
		ret = policy_bind(maps->plain.start, maps->plain.len,
				  MPOL_INTERLEAVE | flags, nodes, 0);
	if (!ret)
		ret = policy_bind(maps->weighted.start, maps->weighted.len,
				  MPOL_WEIGHTED_INTERLEAVE | flags, nodes, 0);
	return ret;
}

/* Masks and texts agree; the nodes in use go to @in_use */
static bool compare_masks(const struct mappings *maps, struct nodeset *in_use)
{
	struct nodeset plain, weighted;
	char plain_text[128], text[128];
	int mode;

	if (policy_get(&mode, &plain, maps->plain.start, MPOL_F_ADDR) ||
	    policy_get(&mode, &weighted, maps->weighted.start, MPOL_F_ADDR) ||
	    numa_maps_policy(maps->plain.start, plain_text,
			     sizeof(plain_text)) ||
	    numa_maps_policy(maps->weighted.start, text, sizeof(text)))
		return false;
	if (!nodeset_equal(&plain, &weighted) ||
	    strncmp(text, "weighted ", 9) || strcmp(text + 9, plain_text)) {
		note("'%s' beside '%s'", text, plain_text);
		return false;
	}
	return strchr(text, ':') &&
	       !nodeset_parse(strchr(text, ':') + 1, in_use);
}

/* The two are rebound one after the other */
static bool masks_agree(const struct mappings *maps, struct nodeset *in_use)
{
	time_t end = time(NULL) + SETTLE_SECONDS;

	do {
		if (compare_masks(maps, in_use))
			return true;
		usleep(100000);
	} while (time(NULL) < end);
	return false;
}

/* Every page is there, on a node in use, by the weights of those */
static bool placed_well(const struct mappings *maps,
			const struct nodeset *in_use)
{
	struct round round;
	int node[PAGES];
	bool good;

	if (round_read(&round, in_use) ||
	    place(maps->weighted.start, PAGES, page_bytes(), node))
		return false;
	good = round_exact(&round, node, PAGES);
	madvise(maps->weighted.start, maps->weighted.len, MADV_DONTNEED);
	return good;
}

TEST_F(hotplug, comes_and_goes)
{
	struct nodeset nodes, in_use;
	struct mappings plain, fixed;
	struct round round;
	int placed[PAGES];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	EXPECT_EQ(-ENOENT, weight_read(self->node));
	nodes = nodeset_of(self->node);
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, &nodes));

	ASSERT_EQ(0, bring_online(self->node, self->block, self->blocks));
	EXPECT_EQ(1, weight_read(self->node));
	ASSERT_EQ(0, weight_write(self->other, 2));
	ASSERT_EQ(0, weight_write(self->node, 7));
	nodes = nodeset_pair(self->other, self->node);
	ASSERT_EQ(0, round_read(&round, &nodes));
	EXPECT_EQ(9, round.total);
	ASSERT_EQ(0, map_both(&plain, 0, &nodes));
	ASSERT_EQ(0, map_both(&fixed, MPOL_F_STATIC_NODES, &nodes));
	EXPECT_TRUE(placed_well(&plain, &nodes));
	EXPECT_TRUE(placed_well(&fixed, &nodes));

	/* Gone: no file; both modes have the same nodes left */
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE |
				MPOL_F_STATIC_NODES, &nodes));
	ASSERT_EQ(0, take_offline(self->node, self->block, self->blocks));
	EXPECT_EQ(-ENOENT, weight_read(self->node));
	ASSERT_TRUE(masks_agree(&plain, &in_use));
	EXPECT_TRUE(placed_well(&plain, &in_use));
	ASSERT_TRUE(masks_agree(&fixed, &in_use));
	EXPECT_TRUE(nodeset_has(&in_use, self->other));
	EXPECT_TRUE(placed_well(&fixed, &in_use));
	ASSERT_EQ(0, place(plain.plain.start, PAGES, page_bytes(), placed));
	EXPECT_EQ(self->other, placed[0]);
	ASSERT_EQ(0, madvise(plain.plain.start, plain.plain.len,
			     MADV_DONTNEED));

	/* Back: the weight it had */
	ASSERT_EQ(0, bring_online(self->node, self->block, self->blocks));
	EXPECT_EQ(7, weight_read(self->node));
	ASSERT_TRUE(masks_agree(&plain, &in_use));
	EXPECT_TRUE(placed_well(&plain, &in_use));
	ASSERT_TRUE(masks_agree(&fixed, &in_use));
	EXPECT_TRUE(nodeset_equal(&nodes, &in_use));
	EXPECT_TRUE(placed_well(&fixed, &in_use));
}

/* Another block of a node that has memory already changes nothing */
TEST_F(hotplug, one_block_after_the_other)
{
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->blocks < 2)
		SKIP(return, "needs two memory blocks");

	ASSERT_EQ(0, bring_online(self->node, self->block, 1));
	ASSERT_EQ(0, weight_write(self->node, 9));
	for (i = 1; i < self->blocks; i++)
		ASSERT_EQ(0, block_state(self->block[i], "online_movable"));
	EXPECT_EQ(9, weight_read(self->node));
	for (i = 1; i < self->blocks; i++)
		EXPECT_EQ(0, block_state(self->block[i], "offline"));
	EXPECT_EQ(9, weight_read(self->node));
}

/* The file goes while it is being written */
TEST_F(hotplug, writes_during_hotplug)
{
	int status, i;
	pid_t pid;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	pid = fork();
	if (!pid) {
		unsigned int weight = 0;
		int ret;

		for (;;) {
			weight = weight % MAX_WEIGHT + 1;
			ret = weight_write(self->node, weight);
			if (ret && ret != -ENOENT && ret != -ENODEV)
				_exit(-ret);
		}
	}
	ASSERT_LT(0, pid);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(0, bring_online(self->node, self->block, 1));
		EXPECT_EQ(0, take_offline(self->node, self->block, 1));
	}
	EXPECT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_EQ(-ENOENT, weight_read(self->node));
	ASSERT_EQ(0, bring_online(self->node, self->block, 1));
	EXPECT_LT(0, weight_read(self->node));
}

TEST_HARNESS_MAIN
