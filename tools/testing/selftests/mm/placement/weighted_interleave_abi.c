// SPDX-License-Identifier: GPL-2.0
/*
 * MPOL_WEIGHTED_INTERLEAVE as set_mempolicy(2), mbind(2), get_mempolicy(2),
 * numa_maps and numastat present it, and as processes and threads have it.
 * Where the mode has nothing of its own to say, it must answer as
 * MPOL_INTERLEAVE does.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "cases.h"
#include "weighted_interleave_abi.h"

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

/* Every other node, which with many of them is a long list */
static struct nodeset scattered(const struct nodeset *memory)
{
	struct nodeset nodes;
	int i;

	nodeset_clear(&nodes);
	for (i = 0; nodeset_nth(memory, i) >= 0; i += 2)
		nodeset_add(&nodes, nodeset_nth(memory, i));
	return nodes;
}

TEST_F(abi, numa_maps_shows_all_nodes)
{
	static const struct {
		int mode;
		const char *name;
	} policies[] = {
		{ MPOL_WEIGHTED_INTERLEAVE, "weighted interleave" },
		{ MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES, "weighted interleave=static" },
		{ MPOL_INTERLEAVE | MPOL_F_STATIC_NODES, "interleave=static" },
		{ MPOL_BIND, "bind" },
		{ MPOL_BIND | MPOL_F_STATIC_NODES | MPOL_F_NUMA_BALANCING,
		  "bind=static|balancing" },
	};
	char list[512], want[600], text[600];
	struct nodeset nodes;
	struct area area;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	nodes = scattered(&self->memory);
	nodeset_format(&nodes, list, sizeof(list));
	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < ARRAY_LEN(policies); i++) {
		snprintf(want, sizeof(want), "%s:%s", policies[i].name, list);
		ASSERT_EQ(0, policy_set(policies[i].mode, &nodes));
		ASSERT_EQ(0, numa_maps_policy(area.start, text, sizeof(text)));
		EXPECT_STREQ(want, text);
	}
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_WEIGHTED_INTERLEAVE, &nodes, 0));
	snprintf(want, sizeof(want), "weighted interleave:%s", list);
	ASSERT_EQ(0, numa_maps_policy(area.start, text, sizeof(text)));
	EXPECT_STREQ(want, text);
}

#define MAPPINGS 400

/* Wherever a page of the file ends: each line is there, once, and whole */
TEST_F(abi, numa_maps_of_many_mappings)
{
	char list[512], want[600], line[1024];
	const size_t page = page_bytes();
	unsigned long long address;
	int i, next = 0, used;
	struct nodeset nodes;
	struct area area;
	FILE *file;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	nodes = scattered(&self->memory);
	nodeset_format(&nodes, list, sizeof(list));
	ASSERT_EQ(0, area_map(&area, MAPPINGS, 1));
	for (i = 0; i < MAPPINGS; i += 2)
		ASSERT_EQ(0, policy_bind(area.start + i * page, page,
					 MPOL_WEIGHTED_INTERLEAVE, &nodes, 0));
	file = fopen("/proc/self/numa_maps", "re");
	ASSERT_TRUE(!!file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %n", &address, &used) != 1 ||
		    address < (uintptr_t)area.start ||
		    address >= (uintptr_t)area.start + area.len)
			continue;
		EXPECT_EQ((uintptr_t)area.start + next * page, address);
		if (next % 2)
			snprintf(want, sizeof(want), "default\n");
		else
			snprintf(want, sizeof(want), "weighted interleave:%s\n", list);
		EXPECT_STREQ(want, line + used);
		next++;
	}
	fclose(file);
	EXPECT_EQ(MAPPINGS, next);
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
