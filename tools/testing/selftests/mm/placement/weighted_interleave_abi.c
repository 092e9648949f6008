// SPDX-License-Identifier: GPL-2.0
/*
 * MPOL_WEIGHTED_INTERLEAVE as set_mempolicy(2), mbind(2), get_mempolicy(2),
 * numa_maps, numastat and the mpol= option of tmpfs present it. Where the mode
 * has nothing of its own to say, it must answer as MPOL_INTERLEAVE does.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "cases.h"
#include "placement.h"

#define POLICY_AFTER_EXEC "WEIGHTED_INTERLEAVE_AFTER_EXEC"

/* Runs instead of the tests in what the exec test executes */
static void __attribute__((constructor)) check_policy_after_exec(void)
{
	const char *list = getenv(POLICY_AFTER_EXEC);
	struct nodeset want, got;
	int mode = -1;

	if (!list)
		return;
	if (nodeset_parse(list, &want) || policy_get(&mode, &got, NULL, 0))
		_exit(2);
	_exit(mode != MPOL_WEIGHTED_INTERLEAVE || !nodeset_equal(&want, &got));
}

FIXTURE(abi)
{
	struct saved_weights saved;
	struct nodeset memory;
	/* The first two nodes, or the only one */
	struct nodeset nodes;
	int first;
	int second;
	char list[64];
	const char *missing;
};

FIXTURE_SETUP(abi)
{
	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		self->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&self->saved));
	ASSERT_EQ(0, weights_flatten(1));
	self->memory = self->saved.nodes;
	self->nodes = nodeset_head(&self->memory, 2);
	self->first = nodeset_nth(&self->memory, 0);
	self->second = nodeset_nth(&self->memory, 1);
	nodeset_format(&self->nodes, self->list, sizeof(self->list));
}

FIXTURE_TEARDOWN(abi)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (!self->missing)
		EXPECT_EQ(0, weights_restore(&self->saved));
}

TEST_F(abi, mode_number)
{
	struct nodeset got;
	struct area area;
	int mode = -1;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	EXPECT_EQ(6, MPOL_WEIGHTED_INTERLEAVE);
	EXPECT_EQ(0, policy_set(6, &self->nodes));
	EXPECT_EQ(0, policy_get(&mode, &got, NULL, 0));
	EXPECT_EQ(6, mode);
	EXPECT_TRUE(nodeset_equal(&self->nodes, &got));

	ASSERT_EQ(0, area_map(&area, 1, 1));
	EXPECT_EQ(0, policy_bind(area.start, area.len, 6, &self->nodes, 0));
	mode = -1;
	EXPECT_EQ(0, policy_get(&mode, &got, area.start, MPOL_F_ADDR));
	EXPECT_EQ(6, mode);
	EXPECT_TRUE(nodeset_equal(&self->nodes, &got));
}

TEST_F(abi, unknown_modes)
{
	struct area area;
	int mode;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (mode = MPOL_WEIGHTED_INTERLEAVE + 1; mode < 64; mode++) {
		EXPECT_EQ(-EINVAL, policy_set(mode, &self->nodes));
		EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, mode,
					       &self->nodes, 0));
	}
	EXPECT_EQ(-EINVAL, policy_set(-1, &self->nodes));
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE | 1 << 12,
				      &self->nodes));
}

TEST_F(abi, empty_mask)
{
	struct nodeset empty;
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	nodeset_clear(&empty);
	ASSERT_EQ(0, area_map(&area, 1, 1));
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, &empty));
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, NULL));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len,
				       MPOL_WEIGHTED_INTERLEAVE, &empty, 0));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len,
				       MPOL_WEIGHTED_INTERLEAVE, NULL, 0));
	EXPECT_EQ(-EINVAL,
		  policy_set(MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES,
			     &empty));
	EXPECT_EQ(-EINVAL,
		  policy_set(MPOL_WEIGHTED_INTERLEAVE | MPOL_F_RELATIVE_NODES,
			     &empty));
}

TEST_F(abi, nodes_that_do_not_exist)
{
	int absent = node_without_memory();
	struct nodeset set, got;
	struct area area;
	int mode = -1;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (absent < 0)
		SKIP(return, "every node has memory");

	ASSERT_EQ(0, area_map(&area, 1, 1));
	set = nodeset_of(absent);
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, &set));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len,
				       MPOL_WEIGHTED_INTERLEAVE, &set, 0));
	EXPECT_EQ(-EINVAL,
		  policy_set(MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES,
			     &set));

	/* Beyond the largest mask of any kernel */
	set = self->nodes;
	nodeset_add(&set, MAX_NODES - 1);
	if (policy_set(MPOL_INTERLEAVE, &set) == -EINVAL)
		EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, &set));

	/* Where one node is there, the others are left out */
	set = nodeset_pair(self->first, absent);
	ASSERT_EQ(policy_set(MPOL_INTERLEAVE, &set),
		  policy_set(MPOL_WEIGHTED_INTERLEAVE, &set));
	EXPECT_EQ(0, policy_get(&mode, &got, NULL, 0));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode);
	set = nodeset_of(self->first);
	EXPECT_TRUE(nodeset_equal(&set, &got));
}

TEST_F(abi, mask_that_cannot_be_read)
{
	void *nowhere = (void *)16;
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	EXPECT_EQ(-EFAULT, policy_set(MPOL_WEIGHTED_INTERLEAVE, nowhere));
	EXPECT_EQ(-EFAULT, policy_bind(area.start, area.len,
				       MPOL_WEIGHTED_INTERLEAVE, nowhere, 0));
}

TEST_F(abi, mode_flags)
{
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	const int both = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES;
	static const struct {
		int flag;
		const char *name;
	} flags[] = {
		{ 0, "" },
		{ MPOL_F_STATIC_NODES, "=static" },
		{ MPOL_F_RELATIVE_NODES, "=relative" },
	};
	char want[128], text[128];
	struct nodeset got;
	struct area area;
	int got_mode;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		snprintf(want, sizeof(want), "weighted interleave%s:%s",
			 flags[i].name, self->list);

		/* The task's policy is shown for mappings without one */
		ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_DEFAULT,
					 NULL, 0));
		ASSERT_EQ(0, policy_set(mode | flags[i].flag, &self->nodes));
		ASSERT_EQ(0, numa_maps_policy(area.start, text,
					      sizeof(text)));
		EXPECT_STREQ(want, text);
		EXPECT_EQ(0, policy_get(&got_mode, &got, NULL, 0));
		EXPECT_EQ(mode | flags[i].flag, got_mode);
		EXPECT_TRUE(nodeset_equal(&self->nodes, &got));

		ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
		ASSERT_EQ(0, policy_bind(area.start, area.len,
					 mode | flags[i].flag, &self->nodes,
					 0));
		ASSERT_EQ(0, numa_maps_policy(area.start, text,
					      sizeof(text)));
		EXPECT_STREQ(want, text);
		EXPECT_EQ(0, policy_get(&got_mode, &got, area.start,
					MPOL_F_ADDR));
		EXPECT_EQ(mode | flags[i].flag, got_mode);
		EXPECT_TRUE(nodeset_equal(&self->nodes, &got));
	}

	EXPECT_EQ(-EINVAL, policy_set(mode | both, &self->nodes));
	EXPECT_EQ(-EINVAL, policy_set(mode | MPOL_F_NUMA_BALANCING,
				      &self->nodes));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, mode | both,
				       &self->nodes, 0));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len,
				       mode | MPOL_F_NUMA_BALANCING,
				       &self->nodes, 0));
}

/* The user's mask comes back with the flags, also nodes without memory */
TEST_F(abi, masks_as_interleave_reports_them)
{
	static const int flags[] = {
		0, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	struct nodeset plain, weighted, masks[4];
	char plain_text[128], text[128];
	int plain_mode, mode;
	struct area area;
	size_t i, j;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	masks[0] = self->memory;
	masks[1] = nodeset_of(self->first);
	masks[2] = nodeset_pair(0, 3);
	masks[3] = nodeset_pair(1, 2);
	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < ARRAY_LEN(flags) * ARRAY_LEN(masks); i++) {
		j = i / ARRAY_LEN(flags);
		plain_mode = MPOL_INTERLEAVE | flags[i % ARRAY_LEN(flags)];
		mode = MPOL_WEIGHTED_INTERLEAVE | flags[i % ARRAY_LEN(flags)];

		ASSERT_EQ(policy_set(plain_mode, &masks[j]),
			  policy_set(mode, &masks[j]));
		ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
		if (policy_set(plain_mode, &masks[j]))
			continue;
		EXPECT_EQ(0, policy_get(&plain_mode, &plain, NULL, 0));
		ASSERT_EQ(0, numa_maps_policy(area.start, plain_text,
					      sizeof(plain_text)));
		EXPECT_EQ(0, policy_set(mode, &masks[j]));
		EXPECT_EQ(0, policy_get(&mode, &weighted, NULL, 0));
		ASSERT_EQ(0, numa_maps_policy(area.start, text,
					      sizeof(text)));
		EXPECT_TRUE(nodeset_equal(&plain, &weighted));
		EXPECT_EQ(0, strncmp(text, "weighted ", 9));
		EXPECT_STREQ(plain_text, text + 9);
	}
}

TEST_F(abi, failed_call_keeps_the_policy)
{
	const int flags = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES;
	struct nodeset empty, got, one;
	char before[128], after[128];
	struct area area;
	int mode;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	nodeset_clear(&empty);
	one = nodeset_of(self->first);
	ASSERT_EQ(0, area_map(&area, 2, 1));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &one, 0));
	ASSERT_EQ(0, numa_maps_policy(area.start, before, sizeof(before)));

	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, &empty));
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE | flags, &one));
	EXPECT_EQ(0, policy_get(&mode, &got, NULL, 0));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode);
	EXPECT_TRUE(nodeset_equal(&self->nodes, &got));

	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len,
				       MPOL_WEIGHTED_INTERLEAVE, &empty, 0));
	ASSERT_EQ(0, numa_maps_policy(area.start, after, sizeof(after)));
	EXPECT_STREQ(before, after);
}

TEST_F(abi, mbind_arguments)
{
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 4, 1));
	EXPECT_EQ(-EINVAL, policy_bind(area.start + 1, area.len, mode,
				       &self->nodes, 0));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, mode,
				       &self->nodes, 1 << 4));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, mode,
				       &self->nodes, 1 << 3));
	EXPECT_EQ(0, policy_bind(area.start, 0, mode, &self->nodes, 0));
	EXPECT_EQ(1, mappings_within(area.start, area.len));

	ASSERT_EQ(0, munmap(area.start + page_bytes(), page_bytes()));
	EXPECT_EQ(-EFAULT, policy_bind(area.start, area.len, mode,
				       &self->nodes, 0));
	ASSERT_EQ(0, munmap(area.start, area.len));
	EXPECT_EQ(-EFAULT, policy_bind(area.start, area.len, mode,
				       &self->nodes, 0));
}

TEST_F(abi, mapping_without_a_policy)
{
	struct nodeset got;
	struct area area;
	int mode = -1;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 1, 1));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes));
	EXPECT_EQ(0, policy_get(&mode, &got, area.start, MPOL_F_ADDR));
	EXPECT_EQ(MPOL_DEFAULT, mode);
	EXPECT_EQ(0, nodeset_count(&got));
	area_unmap(&area);
	EXPECT_EQ(-EFAULT, policy_get(&mode, &got, area.start, MPOL_F_ADDR));
}

TEST_F(abi, node_of_an_address)
{
	static const unsigned int weight[] = { 2, 1 };
	struct round round;
	struct area area;
	int node[12];
	int got;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, area_map(&area, ARRAY_LEN(node), round.total));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	ASSERT_EQ(0, place(area.start, ARRAY_LEN(node), page_bytes(), node));
	EXPECT_TRUE(round_exact(&round, node, ARRAY_LEN(node)));
	for (i = 0; i < ARRAY_LEN(node); i++) {
		got = -1;
		EXPECT_EQ(0, policy_get(&got, NULL,
					area.start + i * page_bytes(),
					MPOL_F_NODE | MPOL_F_ADDR));
		EXPECT_EQ(node[i], got);
	}
}

/* Pages of a ramfs file advance the task's counter */
TEST_F(abi, node_of_the_next_page)
{
	static const unsigned int weight[] = { 5, 3 };
	int predicted[160], node[160];
	struct nodeset normal;
	struct round round;
	char dir[64];
	size_t i;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, nodeset_read("has_normal_memory", &normal));
	if (self->second < 0 || !nodeset_has(&normal, self->second))
		SKIP(return, "needs two nodes with kernel memory");

	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, fs_mount("ramfs", NULL, dir, sizeof(dir)));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_prepare(fd, ARRAY_LEN(node)));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes));
	for (i = 0; i < ARRAY_LEN(node); i++) {
		predicted[i] = policy_next_node();
		ASSERT_EQ(0, file_fill(fd, i, 1));
	}
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_filled(fd, 0, ARRAY_LEN(node), node));
	EXPECT_TRUE(same_nodes(node, predicted, ARRAY_LEN(node)));

	/* Not the same node every time, and asking places nothing */
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes));
	EXPECT_EQ(policy_next_node(), policy_next_node());
	for (i = 1; i < ARRAY_LEN(node) && predicted[i] == predicted[0]; i++)
		;
	EXPECT_LT(i, ARRAY_LEN(node));
	close(fd);
	fs_unmount(dir);
}

/* A policy that is set begins with its first node, whatever was before */
TEST_F(abi, setting_a_policy_starts_over)
{
	static const int modes[] = {
		MPOL_INTERLEAVE, MPOL_WEIGHTED_INTERLEAVE,
	};
	struct nodeset normal;
	char dir[64];
	size_t i, j;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, nodeset_read("has_normal_memory", &normal));
	if (self->second < 0 || !nodeset_has(&normal, self->second))
		SKIP(return, "needs two nodes with kernel memory");

	ASSERT_EQ(0, fs_mount("ramfs", NULL, dir, sizeof(dir)));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		for (j = 0; j < 6; j++) {
			ASSERT_EQ(0, policy_set(modes[i], &self->nodes));
			EXPECT_EQ(self->first, policy_next_node());
			ASSERT_EQ(0, file_append(fd, j));
		}
	}
	close(fd);
	fs_unmount(dir);
}

TEST_F(abi, next_node_without_an_interleave_policy)
{
	struct area area;
	int node;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	EXPECT_EQ(-EINVAL, policy_next_node());
	ASSERT_EQ(0, policy_set(MPOL_BIND, &self->nodes));
	EXPECT_EQ(-EINVAL, policy_next_node());
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes));
	EXPECT_LE(0, policy_next_node());
	ASSERT_EQ(0, area_map(&area, 1, 1));
	EXPECT_EQ(-EINVAL, policy_get(&node, NULL, area.start, MPOL_F_NODE));
}

TEST_F(abi, interleave_hit)
{
	static const unsigned int weight[] = { 5, 1 };
	const int rounds = 50;
	long long before[2], after[2];
	struct round round;
	struct area area;
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (!nodes_have_room(&self->nodes, 6 * rounds))
		SKIP(return, "too little free memory on a node");

	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, area_map(&area, rounds * round.total, round.total));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	for (i = 0; i < round.nr; i++)
		before[i] = node_interleave_hits(round.node[i]);
	ASSERT_LE(0, before[0]);
	touch(area.start, rounds * round.total, page_bytes());
	for (i = 0; i < round.nr; i++) {
		after[i] = node_interleave_hits(round.node[i]);
		EXPECT_EQ(rounds * round.weight[i], after[i] - before[i]);
	}
}

/* 0 when this process has the policy and its fresh pages follow the weights */
static int follows_weights(void *arg)
{
	const struct nodeset *nodes = arg;
	struct nodeset got;
	struct round round;
	struct area area;
	int node[64];
	int mode;

	if (policy_get(&mode, &got, NULL, 0) ||
	    mode != MPOL_WEIGHTED_INTERLEAVE || !nodeset_equal(nodes, &got))
		return 1;
	if (round_read(&round, nodes) || area_map(&area, 64, round.total) ||
	    place(area.start, 64, page_bytes(), node))
		return 2;
	return !round_exact(&round, node, 64);
}

static int changes_own_policy(void *arg)
{
	return policy_set(MPOL_DEFAULT, NULL) || follows_weights(arg) != 1;
}

TEST_F(abi, fork_inherits)
{
	static const unsigned int weight[] = { 7, 2 };
	struct round round;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes));
	EXPECT_EQ(0, in_child(follows_weights, &self->nodes));
	/* The policies are separate from then on */
	EXPECT_EQ(0, in_child(changes_own_policy, &self->nodes));
	EXPECT_EQ(0, follows_weights(&self->nodes));
}

struct inherited {
	char *start;
	struct round round;
	int order[8];
};

/* 0 when a mapping of the parent is placed as the parent would have done */
static int places_parents_mapping(void *arg)
{
	const struct inherited *in = arg;
	int node[32];

	if (place(in->start, 32, page_bytes(), node))
		return 2;
	return !round_follows(&in->round, in->order, 0, node, 32);
}

TEST_F(abi, fork_inherits_mappings)
{
	static const unsigned int weight[] = { 5, 3 };
	struct inherited in;
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, round_write(&in.round, &self->nodes, weight));
	ASSERT_EQ(0, round_sample(&in.round, &self->nodes, in.order));
	ASSERT_EQ(0, area_map(&area, 32, in.round.total));
	in.start = area.start;
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	EXPECT_EQ(0, in_child(places_parents_mapping, &in));
	EXPECT_EQ(0, places_parents_mapping(&in));
}

static int executes_itself(void *arg)
{
	char *const argv[] = { "weighted_interleave_abi", NULL };

	setenv(POLICY_AFTER_EXEC, arg, 1);
	execv("/proc/self/exe", argv);
	return 3;
}

TEST_F(abi, exec_keeps_the_policy)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);

	EXPECT_EQ(1, in_child(executes_itself, self->list));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes));
	EXPECT_EQ(0, in_child(executes_itself, self->list));
}

static void *thread_sets_policy(void *arg)
{
	const struct nodeset *nodes = arg;
	struct nodeset got;
	int mode = -1;

	if (policy_get(&mode, &got, NULL, 0) || mode != MPOL_DEFAULT ||
	    policy_set(MPOL_WEIGHTED_INTERLEAVE, nodes) ||
	    policy_get(&mode, &got, NULL, 0) ||
	    mode != MPOL_WEIGHTED_INTERLEAVE || !nodeset_equal(nodes, &got))
		return "the thread has not the policy it set";
	return NULL;
}

TEST_F(abi, threads_have_their_own)
{
	struct nodeset got;
	pthread_t thread;
	void *wrong;
	int mode;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (syscall(__NR_futex, &mode, FUTEX_WAKE, 1, NULL, NULL, 0) < 0)
		SKIP(return, "no threads, the kernel lacks futex(2)");

	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_sets_policy,
				    &self->nodes));
	ASSERT_EQ(0, pthread_join(thread, &wrong));
	EXPECT_TRUE(!wrong)
		TH_LOG("%s", (char *)wrong);
	EXPECT_EQ(0, policy_get(&mode, &got, NULL, 0));
	EXPECT_EQ(MPOL_DEFAULT, mode);
}

TEST_F(abi, home_node)
{
	char before[128], after[128];
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 2, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	ASSERT_EQ(0, numa_maps_policy(area.start, before, sizeof(before)));
	EXPECT_EQ(-EOPNOTSUPP, policy_set_home(area.start, area.len,
					       self->first));
	EXPECT_EQ(-EOPNOTSUPP, policy_set_home(area.start, page_bytes(),
					       self->first));
	EXPECT_EQ(1, mappings_within(area.start, area.len));
	ASSERT_EQ(0, numa_maps_policy(area.start, after, sizeof(after)));
	EXPECT_STREQ(before, after);
}

/* Every step must cut and join mappings as the same step does for interleave */
TEST_F(abi, split_and_merge)
{
	static const struct {
		int first;
		int pages;
		int nodes;
	} steps[] = {
		{ 2, 2, 2 }, { 0, 2, 2 }, { 6, 2, 2 }, { 4, 2, 2 },
		{ 3, 2, 1 }, { 0, 3, 1 }, { 0, 8, 2 },
	};
	static const int modes[] = {
		MPOL_INTERLEAVE, MPOL_WEIGHTED_INTERLEAVE,
	};
	int count[2][ARRAY_LEN(steps)];
	struct nodeset nodes;
	struct area area;
	size_t i, j;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		ASSERT_EQ(0, area_map(&area, 8, 1));
		for (j = 0; j < ARRAY_LEN(steps); j++) {
			nodes = nodeset_head(&self->nodes, steps[j].nodes);
			ASSERT_EQ(0, policy_bind(area.start +
						 steps[j].first * page_bytes(),
						 steps[j].pages * page_bytes(),
						 modes[i], &nodes, 0));
			count[i][j] = mappings_within(area.start, area.len);
		}
	}
	for (j = 0; j < ARRAY_LEN(steps); j++)
		EXPECT_EQ(count[0][j], count[1][j]);
	EXPECT_EQ(3, count[1][0]);
	EXPECT_EQ(1, count[1][ARRAY_LEN(steps) - 1]);
}

TEST_F(abi, other_modes_do_not_merge)
{
	const size_t page = page_bytes();
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, area_map(&area, 4, 1));
	ASSERT_EQ(0, policy_bind(area.start, 2 * page,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	ASSERT_EQ(0, policy_bind(area.start + 2 * page, 2 * page,
				 MPOL_INTERLEAVE, &self->nodes, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
	ASSERT_EQ(0, policy_bind(area.start + 2 * page, 2 * page,
				 MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES,
				 &self->nodes, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
}

TEST_F(abi, unmap_and_remap_keep_the_policy)
{
	const size_t page = page_bytes();
	char want[128], text[128];
	struct area area, target;
	void *moved;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	snprintf(want, sizeof(want), "weighted interleave:%s", self->list);
	ASSERT_EQ(0, area_map(&area, 6, 1));
	ASSERT_EQ(0, area_map(&target, 4, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &self->nodes, 0));
	ASSERT_EQ(0, munmap(area.start + 2 * page, 2 * page));
	ASSERT_EQ(0, numa_maps_policy(area.start, text, sizeof(text)));
	EXPECT_STREQ(want, text);
	ASSERT_EQ(0, numa_maps_policy(area.start + 4 * page, text,
				      sizeof(text)));
	EXPECT_STREQ(want, text);

	touch(area.start, 1, page);
	moved = mremap(area.start, 2 * page, 4 * page,
		       MREMAP_MAYMOVE | MREMAP_FIXED, target.start);
	ASSERT_TRUE(moved == target.start);
	ASSERT_EQ(0, numa_maps_policy(moved, text, sizeof(text)));
	EXPECT_STREQ(want, text);
}

TEST_F(abi, mbind_strict)
{
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct nodeset first, second;
	char text[128];
	struct area area;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	first = nodeset_of(self->first);
	second = nodeset_of(self->second);
	ASSERT_EQ(0, area_map(&area, 4, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &first, 0));
	touch(area.start, 4, page_bytes());
	EXPECT_EQ(-EIO, policy_bind(area.start, area.len, mode, &second,
				    MPOL_MF_STRICT));
	ASSERT_EQ(0, numa_maps_policy(area.start, text, sizeof(text)));
	EXPECT_EQ(0, strncmp("bind:", text, 5));
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &self->nodes,
				 MPOL_MF_STRICT));
	/* Without STRICT the misplaced pages are no error */
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &second, 0));
}

static int moves_all_unprivileged(void *arg)
{
	struct nodeset memory;

	if (nodeset_read("has_memory", &memory) || setresuid(1, 1, 1))
		return 2;
	return policy_bind(arg, page_bytes(), MPOL_WEIGHTED_INTERLEAVE,
			   &memory, MPOL_MF_MOVE_ALL) != -EPERM;
}

TEST_F(abi, mbind_move)
{
	static const unsigned int weight[] = { 5, 2 };
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct nodeset first, second, third;
	struct round round;
	struct area area;
	int node[70];
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	first = nodeset_of(self->first);
	second = nodeset_of(self->second);
	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, area_map(&area, ARRAY_LEN(node), round.total));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &first, 0));
	touch(area.start, ARRAY_LEN(node), page_bytes());
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &second,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area.start, ARRAY_LEN(node), page_bytes(),
				    node));
	for (i = 0; i < ARRAY_LEN(node); i++)
		EXPECT_EQ(self->second, node[i]);
	EXPECT_EQ(0, in_child(moves_all_unprivileged, area.start));

	if (nodeset_count(&self->memory) < 3)
		return;
	/* What comes from outside the mask is placed by weight */
	third = nodeset_of(nodeset_nth(&self->memory, 2));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &third,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(0, policy_bind(area.start, area.len, mode, &self->nodes,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	ASSERT_EQ(0, nodes_of_pages(area.start, ARRAY_LEN(node), page_bytes(),
				    node));
	EXPECT_TRUE(round_exact(&round, node, ARRAY_LEN(node)));
}

/* The options that /proc/mounts shows for @dir */
static int mount_options(const char *dir, char *buf, size_t size)
{
	char line[1024], at[256], options[512];
	int ret = -ENOENT;
	FILE *file;

	file = fopen("/proc/mounts", "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %255s %*s %511s %*d %*d", at,
			   options) != 2 || strcmp(at, dir))
			continue;
		snprintf(buf, size, "%s", options);
		ret = 0;
	}
	fclose(file);
	return ret;
}

/* The mpol= option alone; a node list goes on after its commas */
static int mount_policy(const char *dir, char *buf, size_t size)
{
	char options[512], *mpol, *end;
	int ret;

	ret = mount_options(dir, options, sizeof(options));
	if (ret)
		return ret;
	mpol = strstr(options, "mpol=");
	if (!mpol) {
		buf[0] = '\0';
		return 0;
	}
	for (end = mpol; *end; end++)
		if (*end == ',' && (end[1] < '0' || end[1] > '9'))
			break;
	*end = '\0';
	snprintf(buf, size, "%s", mpol);
	return 0;
}

FIXTURE(tmpfs)
{
	struct saved_weights saved;
	struct nodeset memory;
	struct nodeset nodes;
	int second;
	char list[64];
	char dir[64];
	const char *missing;
};

FIXTURE_SETUP(tmpfs)
{
	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		self->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&self->saved));
	ASSERT_EQ(0, weights_flatten(1));
	self->memory = self->saved.nodes;
	self->nodes = nodeset_head(&self->memory, 2);
	self->second = nodeset_nth(&self->memory, 1);
	nodeset_format(&self->nodes, self->list, sizeof(self->list));
	if (fs_mount("tmpfs", NULL, self->dir, sizeof(self->dir)))
		self->missing = "no tmpfs";
}

FIXTURE_TEARDOWN(tmpfs)
{
	if (self->dir[0])
		fs_unmount(self->dir);
	if (!geteuid())
		EXPECT_EQ(0, weights_restore(&self->saved));
}

TEST_F(tmpfs, mount_option)
{
	static const char * const given[] = {
		"weighted interleave%s:%s", "weighted-interleave%s:%s",
	};
	static const char * const flags[] = { "", "=static", "=relative" };
	char mode[64], option[160], want[160], got[160], dir[64];
	char text[128], shown[160];
	void *map;
	size_t i;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	for (i = 0; i < ARRAY_LEN(given) * ARRAY_LEN(flags); i++) {
		snprintf(mode, sizeof(mode), given[i % 2], flags[i / 2],
			 self->list);
		snprintf(option, sizeof(option), "mpol=%s", mode);
		snprintf(want, sizeof(want), "mpol=weighted-interleave%s:%s",
			 flags[i / 2], self->list);
		snprintf(shown, sizeof(shown), "weighted interleave%s:%s",
			 flags[i / 2], self->list);
		ASSERT_EQ(0, fs_mount("tmpfs", option, dir, sizeof(dir)))
			TH_LOG("%s", option);
		ASSERT_EQ(0, mount_policy(dir, got, sizeof(got)));
		EXPECT_STREQ(want, got);

		/* A file of it has the policy */
		fd = fs_file(dir);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ftruncate(fd, page_bytes()));
		map = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
		ASSERT_TRUE(map != MAP_FAILED);
		ASSERT_EQ(0, numa_maps_policy(map, text, sizeof(text)));
		EXPECT_STREQ(shown, text);
		munmap(map, page_bytes());
		close(fd);
		fs_unmount(dir);
	}
}

TEST_F(tmpfs, mount_without_nodes)
{
	char want[600], list[512], got[600], dir[64];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	snprintf(want, sizeof(want), "mpol=weighted-interleave:%s",
		 nodeset_format(&self->memory, list, sizeof(list)));
	ASSERT_EQ(0, fs_mount("tmpfs", "mpol=weighted interleave", dir,
			      sizeof(dir)));
	ASSERT_EQ(0, mount_policy(dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);
	fs_unmount(dir);
	ASSERT_EQ(0, fs_mount("tmpfs", "mpol=weighted-interleave", dir,
			      sizeof(dir)));
	ASSERT_EQ(0, mount_policy(dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);
	fs_unmount(dir);
}

TEST_F(tmpfs, wrong_options)
{
	static const char * const wrong[] = {
		"mpol=weighted", "mpol=weighted:0", "mpol=weighted--interleave",
		"mpol=weighted-interleave:", "mpol=weighted  interleave:0",
		"mpol=weighted_interleave:0", "mpol=weightedinterleave:0",
		"mpol=weighted-interleav:0", "mpol=weighted-interleaves:0",
		"mpol=weighted-interleave=:0", "mpol=weighted-interleave=fixed:0",
		"mpol=weighted-interleave=static|relative:0",
		"mpol=-interleave:0", "mpol=weighted-:0",
		"mpol=weighted-interleave:x", "mpol=weighted-interleave:1-0",
		"mpol=Weighted-Interleave:0", "mpol=prefer-(many):0",
	};
	char option[64], dir[64];
	size_t i;
	int ret;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		ret = fs_mount("tmpfs", wrong[i], dir, sizeof(dir));
		EXPECT_EQ(-EINVAL, ret)
			TH_LOG("accepted: %s", wrong[i]);
		if (!ret)
			fs_unmount(dir);
	}
	snprintf(option, sizeof(option), "mpol=weighted interleave:%d",
		 node_without_memory());
	EXPECT_EQ(-EINVAL, fs_mount("tmpfs", option, dir, sizeof(dir)));
	EXPECT_EQ(-EINVAL, fs_mount("tmpfs", "mpol=weighted interleave:99999",
				    dir, sizeof(dir)));
	/* The old modes as before */
	ASSERT_EQ(0, fs_mount("tmpfs", "mpol=interleave:0", dir, sizeof(dir)));
	ASSERT_EQ(0, mount_policy(dir, option, sizeof(option)));
	EXPECT_STREQ("mpol=interleave:0", option);
	fs_unmount(dir);
}

TEST_F(tmpfs, remount)
{
	char option[160], got[160], want[160];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ("", got);
	snprintf(option, sizeof(option), "mpol=weighted interleave:%s",
		 self->list);
	snprintf(want, sizeof(want), "mpol=weighted-interleave:%s",
		 self->list);
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT, option));
	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);

	/* Other options leave it; what is shown is accepted */
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT,
			   "size=1m"));
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT, want));
	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);

	EXPECT_NE(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT,
			   "mpol=weighted:0"));
	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT,
			   "mpol=default"));
}

struct toucher {
	const char *path;
	size_t pages;
};

static int touches_file(void *arg)
{
	const struct toucher *work = arg;
	char *map;
	int fd;

	fd = open(work->path, O_RDWR);
	if (fd < 0)
		return 2;
	map = mmap(NULL, work->pages * page_bytes(), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 3;
	madvise(map, work->pages * page_bytes(), MADV_NOHUGEPAGE);
	touch(map, work->pages, page_bytes());
	return 0;
}

/* The policy of a range is the file's: another process allocates by it */
TEST_F(tmpfs, ranges_are_shared)
{
	static const unsigned int weight[] = { 4, 3 };
	const size_t page = page_bytes(), half = 70;
	struct toucher work = { .pages = 2 * half };
	int node[140], order[7];
	struct nodeset second;
	struct round round;
	char text[128], path[128];
	struct stat stat;
	char *map;
	size_t i;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	second = nodeset_of(self->second);
	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, round_sample(&round, &self->nodes, order));
	snprintf(path, sizeof(path), "%s/shared", self->dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 2 * half * page));
	ASSERT_EQ(0, fstat(fd, &stat));
	map = mmap(NULL, 2 * half * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		   fd, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	ASSERT_EQ(0, policy_bind(map, half * page, MPOL_WEIGHTED_INTERLEAVE,
				 &self->nodes, 0));
	ASSERT_EQ(0, policy_bind(map + half * page, half * page, MPOL_BIND,
				 &second, 0));
	snprintf(text, sizeof(text), "weighted interleave:%s", self->list);
	ASSERT_EQ(0, numa_maps_policy(map, path, sizeof(path)));
	EXPECT_STREQ(text, path);

	snprintf(path, sizeof(path), "%s/shared", self->dir);
	work.path = path;
	ASSERT_EQ(0, in_child(touches_file, &work));
	ASSERT_EQ(0, nodes_of_file(fd, 0, 2 * half, node));
	EXPECT_TRUE(round_follows(&round, order, stat.st_ino, node, half));
	for (i = half; i < 2 * half; i++)
		EXPECT_EQ(self->second, node[i]);
}

/* Cutting a range out of the middle leaves a policy on either side */
TEST_F(tmpfs, range_inside_a_range)
{
	static const unsigned int weight[] = { 4, 3 };
	const size_t page = page_bytes(), pages = 63;
	int node[63], order[7];
	struct nodeset second;
	struct round round;
	struct stat stat;
	size_t i;
	char *map;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	second = nodeset_of(self->second);
	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, round_sample(&round, &self->nodes, order));
	fd = fs_file(self->dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, pages * page));
	ASSERT_EQ(0, fstat(fd, &stat));
	map = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   0);
	ASSERT_TRUE(map != MAP_FAILED);
	ASSERT_EQ(0, policy_bind(map, pages * page, MPOL_WEIGHTED_INTERLEAVE,
				 &self->nodes, 0));
	ASSERT_EQ(0, policy_bind(map + 21 * page, 21 * page, MPOL_BIND,
				 &second, 0));
	ASSERT_EQ(0, place(map, pages, page, node));
	EXPECT_TRUE(round_follows(&round, order, stat.st_ino, node, 21));
	for (i = 21; i < 42; i++)
		EXPECT_EQ(self->second, node[i]);
	EXPECT_TRUE(round_follows(&round, order, stat.st_ino + 42, node + 42,
				  21));
}
