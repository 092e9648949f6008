// SPDX-License-Identifier: GPL-2.0
/*
 * The files under /sys/kernel/mm/mempolicy/weighted_interleave: which there
 * are, what they read, what may be written, and that placement keeps up while
 * weights are being written.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "cases.h"
#include "placement.h"
#include "stress.h"

/* Of each thread beside the others */
#define STRESS_ROUNDS 200
#define FAULT_PAGES 200

FIXTURE(weights)
{
	struct saved_weights saved;
	struct nodeset memory;
	int node;
	char path[128];
	const char *missing;
};

FIXTURE_SETUP(weights)
{
	ASSERT_EQ(0, weights_enter(&self->saved, 0, &self->missing));
	if (self->missing)
		return;
	self->memory = self->saved.nodes;
	self->node = nodeset_nth(&self->memory,
				 nodeset_count(&self->memory) - 1);
	weight_path(self->node, self->path, sizeof(self->path));
}

FIXTURE_TEARDOWN(weights)
{
	if (!self->missing)
		EXPECT_EQ(0, weights_restore(&self->saved));
}

TEST_F(weights, one_file_for_each_node_with_memory)
{
	struct nodeset found;
	struct dirent *entry;
	struct stat stat;
	int node, used;
	DIR *dir;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	nodeset_clear(&found);
	dir = opendir(WEIGHT_DIR);
	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		used = 0;
		if (sscanf(entry->d_name, "node%d%n", &node, &used) != 1)
			continue;
		EXPECT_EQ('\0', entry->d_name[used]);
		nodeset_add(&found, node);
		ASSERT_EQ(0, fstatat(dirfd(dir), entry->d_name, &stat, 0));
		EXPECT_EQ(S_IFREG | 0644, stat.st_mode);
		EXPECT_EQ(0, stat.st_uid);
	}
	closedir(dir);
	EXPECT_TRUE(nodeset_equal(&self->memory, &found));
}

TEST_F(weights, format)
{
	char text[64];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, weight_write(self->node, 255));
	EXPECT_EQ(4, file_read(self->path, text, sizeof(text)));
	EXPECT_STREQ("255\n", text);
	ASSERT_EQ(0, weight_write(self->node, 7));
	EXPECT_EQ(2, file_read(self->path, text, sizeof(text)));
	EXPECT_STREQ("7\n", text);
}

TEST_F(weights, every_value)
{
	int other = nodeset_nth(&self->memory, 0);
	unsigned int weight;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	if (other != self->node)
		ASSERT_EQ(0, weight_write(other, 42));
	for (weight = 1; weight <= MAX_WEIGHT; weight++) {
		ASSERT_EQ(0, weight_write(self->node, weight));
		ASSERT_EQ(weight, weight_read(self->node));
	}
	/* The files are independent */
	if (other != self->node)
		EXPECT_EQ(42, weight_read(other));
}

TEST_F(weights, accepted)
{
	static const struct {
		const char *text;
		int weight;
	} inputs[] = {
		{ "9", 9 }, { "9\n", 9 }, { "255\n", 255 }, { "0x1f", 31 },
		{ "0X1F\n", 31 }, { "0xff", 255 }, { "017\n", 15 },
		{ "0377", 255 }, { "+5", 5 }, { "1", 1 },
	};
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	for (i = 0; i < ARRAY_LEN(inputs); i++) {
		ASSERT_EQ(0, weight_write(self->node, 77));
		EXPECT_EQ(0, file_write(self->path, inputs[i].text,
					strlen(inputs[i].text)));
		EXPECT_EQ(inputs[i].weight, weight_read(self->node))
			TH_LOG("input '%s'", inputs[i].text);
	}
}

/* What hands the node back to the value the kernel derives */
TEST_F(weights, handed_back)
{
	static const char * const inputs[] = {
		"0", "0\n", "00", "0x0", "\n", " ", "\x20\n", "\t\n", "   ",
		"\n\n",
	};
	int derived;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	derived = weight_read(self->node);
	for (i = 0; i < ARRAY_LEN(inputs); i++) {
		ASSERT_EQ(0, weight_write(self->node, 77));
		EXPECT_EQ(0, file_write(self->path, inputs[i],
					strlen(inputs[i])));
		EXPECT_EQ(derived, weight_read(self->node))
			TH_LOG("input %zu", i);
	}
}

TEST_F(weights, derived_from_bandwidth)
{
	int i, told = 0;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	for (i = 0; i < nodeset_count(&self->memory); i++)
		told += node_bandwidth(nodeset_nth(&self->memory, i)) > 0;
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "1"));
	EXPECT_TRUE(weights_fit(&self->memory));
	if (told < 2)
		SKIP(return, "the firmware tells fewer than two bandwidths");
}

TEST_F(weights, auto_follows_what_is_written)
{
	int other = nodeset_nth(&self->memory, 0), derived, others;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	derived = weight_read(self->node);
	others = weight_read(other);

	/* A weight ends it; the other nodes keep what they have. */
	ASSERT_EQ(0, weight_write(self->node, 77));
	EXPECT_FALSE(weights_automatic());
	if (other != self->node)
		EXPECT_EQ(others, weight_read(other));
	/* A node that is handed back does not bring it back. */
	ASSERT_EQ(0, file_print(self->path, "0"));
	EXPECT_FALSE(weights_automatic());
	EXPECT_EQ(derived, weight_read(self->node));
	/* It forgets what was written. */
	ASSERT_EQ(0, weight_write(self->node, 77));
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	EXPECT_TRUE(weights_automatic());
	EXPECT_EQ(derived, weight_read(self->node));
	EXPECT_EQ(others, weight_read(other));
	/* Zero changes nothing while it is on. */
	ASSERT_EQ(0, file_print(self->path, "0"));
	EXPECT_TRUE(weights_automatic());
	/* Off, all stays as it is. */
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "false"));
	EXPECT_FALSE(weights_automatic());
	EXPECT_EQ(derived, weight_read(self->node));
	EXPECT_EQ(others, weight_read(other));
}

TEST_F(weights, mix_spellings)
{
	static const struct {
		const char *text;
		long long mix;
	} good[] = {
		{ "0", 0 }, { "100\n", 100 }, { "0x32", 50 }, { "67\n", 67 },
	};
	static const char * const bad[] = {
		"101", "255", "256", "-1", "", " ", "\n", "x", "50 50", "2:1", "66.7",
	};
	struct stat stat;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, lstat(WEIGHT_MIX, &stat));
	EXPECT_EQ(S_IFREG | 0644, stat.st_mode);
	EXPECT_EQ(67, self->saved.mix);
	for (i = 0; i < ARRAY_LEN(good); i++) {
		EXPECT_EQ(0, file_write(WEIGHT_MIX, good[i].text, strlen(good[i].text)));
		EXPECT_EQ(good[i].mix, file_number(WEIGHT_MIX))
			TH_LOG("'%s'", good[i].text);
	}
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		/* Nothing at all is written to nobody. */
		EXPECT_EQ(*bad[i] ? -EINVAL : 0,
			  file_write(WEIGHT_MIX, bad[i], strlen(bad[i])))
			TH_LOG("'%s'", bad[i]);
		EXPECT_EQ(67, file_number(WEIGHT_MIX));
	}
}

TEST_F(weights, derived_for_the_mix)
{
	unsigned int mix;
	int before, i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	for (mix = 0; mix <= 100; mix += 20) {
		ASSERT_EQ(0, file_print(WEIGHT_MIX, "%u", mix));
		/* At once: what is read now is what it will be. */
		i = weight_read(self->node);
		EXPECT_TRUE(weights_fit(&self->memory)) TH_LOG("mix %u", mix);
		EXPECT_EQ(i, weight_read(self->node));
		EXPECT_TRUE(weights_automatic());
	}
	/* What somebody has written stays, and so does all that is not automatic. */
	before = weight_read(self->node);
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "false"));
	ASSERT_EQ(0, file_print(WEIGHT_MIX, "0"));
	EXPECT_EQ(before, weight_read(self->node));
	ASSERT_EQ(0, weight_write(self->node, 77));
	ASSERT_EQ(0, file_print(WEIGHT_MIX, "33"));
	EXPECT_EQ(77, weight_read(self->node));
	/* It counts as soon as they are derived again. */
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	i = weight_read(self->node);
	EXPECT_TRUE(weights_fit(&self->memory));
	EXPECT_EQ(i, weight_read(self->node));
}

TEST_F(weights, auto_spellings)
{
	static const struct {
		const char *text;
		bool on;
	} good[] = {
		{ "true", true }, { "false\n", false }, { "1", true }, { "0\n", false },
		{ "y", true }, { "N", false }, { "on\n", true }, { "off", false },
		{ "T", true }, { "F", false },
	};
	static const char * const bad[] = {
		"2", "-1", "maybe", " ", "\n", "o", "auto", "x\n",
	};
	char text[16];
	struct stat stat;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, lstat(WEIGHT_AUTO, &stat));
	EXPECT_EQ(S_IFREG | 0644, stat.st_mode);
	for (i = 0; i < ARRAY_LEN(good); i++) {
		EXPECT_EQ(0, file_write(WEIGHT_AUTO, good[i].text,
					strlen(good[i].text)));
		ASSERT_LT(0, file_read(WEIGHT_AUTO, text, sizeof(text)));
		EXPECT_STREQ(good[i].on ? "true\n" : "false\n", text)
			TH_LOG("'%s'", good[i].text);
	}
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		EXPECT_EQ(-EINVAL, file_write(WEIGHT_AUTO, bad[i], strlen(bad[i])))
			TH_LOG("'%s'", bad[i]);
		EXPECT_EQ(good[ARRAY_LEN(good) - 1].on, weights_automatic());
	}
}

/* Pages follow derived weights as they follow written ones. */
TEST_F(weights, derived_weights_place_pages)
{
	struct nodeset nodes = nodeset_head(&self->memory, 2);
	static int node[4 * MAX_WEIGHT];
	struct round round;
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (nodeset_count(&self->memory) < 2)
		SKIP(return, "needs two nodes with memory");
	if (!nodes_have_room(&nodes, ARRAY_LEN(node)))
		SKIP(return, "too little free memory on a node");
	ASSERT_EQ(0, weights_flatten(3));
	ASSERT_EQ(0, area_map(&area, ARRAY_LEN(node), 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_WEIGHTED_INTERLEAVE,
				 &nodes, 0));
	/* The policy is there already. */
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	ASSERT_EQ(0, round_read(&round, &nodes));
	ASSERT_EQ(0, place(area.start, ARRAY_LEN(node), page_bytes(), node));
	EXPECT_TRUE(round_window(&round, node, ARRAY_LEN(node)));
}

/* write(2) of no bytes never reaches the file */
TEST_F(weights, write_of_nothing)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, weight_write(self->node, 77));
	EXPECT_EQ(0, file_write(self->path, "", 0));
	EXPECT_EQ(77, weight_read(self->node));
}

TEST_F(weights, rejected)
{
	static const char * const inputs[] = {
		"256", "256\n", "1000", "4294967297", "18446744073709551617",
		"99999999999999999999999", "-1", "-0", "-255", "1.5", "1,5",
		"abc", "5 6", "5\n6", "1e2", "0x", "0x100", "08", "0400", "5x",
		"x5", "++5", "+", "-", "5%", "true", "auto", "node0", "1:1",
		"\n5", "5\n\n",
	};
	char page[4096];
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, weight_write(self->node, 77));
	for (i = 0; i < ARRAY_LEN(inputs); i++) {
		EXPECT_EQ(-EINVAL, file_write(self->path, inputs[i],
					      strlen(inputs[i])))
			TH_LOG("input '%s'", inputs[i]);
		EXPECT_EQ(77, weight_read(self->node))
			TH_LOG("input '%s'", inputs[i]);
	}

	EXPECT_EQ(-EINVAL, file_write(self->path, "5\0006", 3));
	EXPECT_EQ(77, weight_read(self->node));

	memset(page, '1', sizeof(page));
	EXPECT_EQ(-EINVAL, file_write(self->path, page, sizeof(page)));
	EXPECT_EQ(-EINVAL, file_write(self->path, page, sizeof(page) - 1));
	EXPECT_EQ(77, weight_read(self->node));
}

TEST_F(weights, for_root_only)
{
	int status;
	pid_t pid;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, weight_write(self->node, 77));
	pid = fork();
	if (!pid) {
		if (setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(2);
		if (weight_read(self->node) != 77)
			_exit(3);
		_exit(weight_write(self->node, 5) != -EACCES);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(77, weight_read(self->node));
}

/* No other file takes the place of a node's */
TEST_F(weights, no_file_without_memory)
{
	char path[128];

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (node_without_memory() < 0)
		SKIP(return, "every node has memory");

	EXPECT_EQ(-ENOENT, weight_read(node_without_memory()));
	snprintf(path, sizeof(path), WEIGHT_DIR "/node%d", MAX_NODES);
	EXPECT_EQ(-ENOENT, file_write(path, "1", 1));
	EXPECT_NE(0, unlink(self->path));
	EXPECT_EQ(0, access(self->path, F_OK));
}

/* Threads that write, read and fault at the same time */
static void stress_failed(struct stress *stress, const char *why)
{
	__atomic_store_n(&stress->wrong, why, __ATOMIC_RELAXED);
}

static void *writes_weights(void *arg)
{
	struct worker *worker = arg;
	struct stress *stress = worker->stress;
	unsigned int seed = (uintptr_t)&seed;
	int nr = nodeset_count(&stress->nodes);

	while (!stopped(worker))
		if (weight_write(nodeset_nth(&stress->nodes,
					     rand_r(&seed) % nr),
				 1 + rand_r(&seed) % MAX_WEIGHT))
			stress_failed(stress, "a write failed");
	return NULL;
}

/* From derived weights to what they are by then, which is a weight write as well */
static void *switches_automatic(void *arg)
{
	struct worker *worker = arg;
	bool on = true;

	for (; !stopped(worker); on = !on)
		if (file_print(WEIGHT_AUTO, "%d", on))
			stress_failed(worker->stress, "a switch failed");
	return NULL;
}

static void *reads_weights(void *arg)
{
	struct worker *worker = arg;
	struct stress *stress = worker->stress;
	int nr = nodeset_count(&stress->nodes);
	int i;

	while (!stopped(worker))
		for (i = 0; i < nr; i++)
			if (weight_read(nodeset_nth(&stress->nodes, i)) < 0)
				stress_failed(stress, "a weight is no weight");
	return NULL;
}

static void *faults_pages(void *arg)
{
	struct worker *worker = arg;
	struct stress *stress = worker->stress;
	int node[FAULT_PAGES];
	struct area area;
	size_t i;

	if (area_map(&area, FAULT_PAGES, 1) ||
	    policy_set(MPOL_WEIGHTED_INTERLEAVE, &stress->nodes)) {
		stress_failed(stress, "no mapping or no policy");
		return NULL;
	}
	while (!stopped(worker)) {
		if (place(area.start, FAULT_PAGES, page_bytes(), node))
			stress_failed(stress, "pages could not be placed");
		for (i = 0; i < FAULT_PAGES; i++)
			if (!nodeset_has(&stress->nodes, node[i]))
				stress_failed(stress, "a page left the mask");
		madvise(area.start, area.len, MADV_DONTNEED);
	}
	return NULL;
}

/* Sets policies of its own, so that tables come and go under the writers */
static void *sets_policies(void *arg)
{
	struct worker *worker = arg;
	struct stress *stress = worker->stress;
	struct nodeset one = nodeset_head(&stress->nodes, 1);
	struct area area;

	if (area_map(&area, 8, 1)) {
		stress_failed(stress, "no mapping");
		return NULL;
	}
	while (!stopped(worker)) {
		if (policy_set(MPOL_WEIGHTED_INTERLEAVE, &one) ||
		    policy_bind(area.start, 4 * page_bytes(),
				MPOL_WEIGHTED_INTERLEAVE, &stress->nodes, 0) ||
		    policy_set(MPOL_WEIGHTED_INTERLEAVE, &stress->nodes) ||
		    policy_bind(area.start, area.len, MPOL_DEFAULT, NULL, 0))
			stress_failed(stress, "a policy could not be set");
	}
	return NULL;
}

TEST_F(weights, writers_readers_and_faults)
{
	struct stress stress = {};
	struct worker worker[] = {
		{ .stress = &stress, .work = writes_weights },
		{ .stress = &stress, .work = switches_automatic },
		{ .stress = &stress, .work = reads_weights },
		{ .stress = &stress, .work = faults_pages },
		{ .stress = &stress, .work = faults_pages },
		{ .stress = &stress, .work = sets_policies },
	};
	unsigned int weight[2] = { 13, 4 };
	struct area early, late;
	struct round round;
	int node[170];
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (nodeset_count(&self->memory) < 2)
		SKIP(return, "needs two nodes with memory");
	stress.nodes = nodeset_head(&self->memory, 2);
	if (!nodes_have_room(&stress.nodes, 3 * FAULT_PAGES))
		SKIP(return, "too little free memory on a node");

	/* This policy lives through all of it */
	ASSERT_EQ(0, area_map(&early, ARRAY_LEN(node), 1));
	ASSERT_EQ(0, policy_bind(early.start, early.len,
				 MPOL_WEIGHTED_INTERLEAVE, &stress.nodes, 0));
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_create(&worker[i].thread, NULL,
					    worker[i].work, &worker[i]));
	while (!__atomic_load_n(&stress.wrong, __ATOMIC_RELAXED) &&
	       !all_worked(worker, ARRAY_LEN(worker), STRESS_ROUNDS))
		usleep(10000);
	__atomic_store_n(&stress.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_join(worker[i].thread, NULL));
	EXPECT_TRUE(!stress.wrong)
		TH_LOG("%s", stress.wrong);

	/* First by the weights that were left, then by new ones */
	ASSERT_EQ(0, area_map(&late, ARRAY_LEN(node), 1));
	ASSERT_EQ(0, policy_bind(late.start, late.len,
				 MPOL_WEIGHTED_INTERLEAVE, &stress.nodes, 0));
	ASSERT_EQ(0, round_read(&round, &stress.nodes));
	ASSERT_EQ(0, place(early.start, ARRAY_LEN(node), page_bytes(), node));
	EXPECT_TRUE(round_window(&round, node, ARRAY_LEN(node)));
	ASSERT_EQ(0, place(late.start, ARRAY_LEN(node), page_bytes(), node));
	EXPECT_TRUE(round_window(&round, node, ARRAY_LEN(node)));
	ASSERT_EQ(0, round_write(&round, &stress.nodes, weight));
	ASSERT_EQ(0, madvise(early.start, early.len, MADV_DONTNEED));
	ASSERT_EQ(0, place(early.start, ARRAY_LEN(node), page_bytes(), node));
	EXPECT_TRUE(round_exact(&round, node, ARRAY_LEN(node)));
}
