// SPDX-License-Identifier: GPL-2.0
/*
 * A cpuset that changes its nodes takes the policies of its tasks along. The
 * masks become what those of MPOL_INTERLEAVE become, and pages are then placed
 * by the weights of the new nodes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "cases.h"
#include "placement.h"
#include "stress.h"

/* Rounds of each of those who work while the cpuset moves, and moves of it */
#define STRESS_ROUNDS 100
#define PAGES 660
#define MAX_MOVES 4

FIXTURE(cpuset)
{
	struct saved_weights saved;
	struct nodeset memory;
	struct cpuset cpuset;
	const char *missing;
};

FIXTURE_SETUP(cpuset)
{
	int ret;

	ASSERT_EQ(0, weights_enter(&self->saved, 1, &self->missing));
	if (self->missing)
		return;
	self->memory = self->saved.nodes;
	if (nodeset_count(&self->memory) < 2) {
		self->missing = "needs two nodes with memory";
		return;
	}
	if (!nodes_have_room(&self->memory, 2 * PAGES)) {
		self->missing = "too little free memory on a node";
		return;
	}
	ret = cpuset_enter(&self->cpuset, &self->memory);
	if (ret == -EOPNOTSUPP) {
		self->missing = "no cpusets";
		return;
	}
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(cpuset)
{
	policy_set(MPOL_DEFAULT, NULL);
	cpuset_leave(&self->cpuset);
	if (!geteuid())
		EXPECT_EQ(0, weights_restore(&self->saved));
}

/* A policy and the nodes its cpuset goes through, first the start */
struct journey {
	int flags;
	struct nodeset policy;
	int moves;
	struct nodeset nodes[MAX_MOVES];
};

/* What a journey made of the policy at each stop */
struct stops {
	struct nodeset task[MAX_MOVES];
	struct nodeset mapping[MAX_MOVES];
	/* As numa_maps has it, without the "weighted " */
	char text[MAX_MOVES][128];
};

/* Pages by the policy of the mapping and of the task, when @exact is asked */
static bool placed_by_weight(struct area *area, const struct nodeset *nodes)
{
	struct round round;
	struct area fresh;
	int node[PAGES];
	bool good;

	if (round_read(&round, nodes) || round.total > PAGES / 2)
		return false;
	madvise(area->start, area->len, MADV_DONTNEED);
	if (place(area->start, PAGES, page_bytes(), node))
		return false;
	good = round_exact(&round, node, PAGES);
	if (area_map(&fresh, PAGES, round.total) ||
	    place(fresh.start, PAGES, page_bytes(), node))
		return false;
	good = round_exact(&round, node, PAGES) && good;
	area_unmap(&fresh);
	return good;
}

static const char *travel(const struct cpuset *cpuset,
			  const struct journey *journey, int mode,
			  struct stops *stops)
{
	struct area area;
	char *text;
	int got, i;

	if (cpuset_move(cpuset, &journey->nodes[0]))
		return "the start";
	if (area_map(&area, PAGES, 1) ||
	    policy_bind(area.start, area.len, mode | journey->flags,
			&journey->policy, 0) ||
	    policy_set(mode | journey->flags, &journey->policy))
		return "the policies";
	for (i = 0; i < journey->moves; i++) {
		if (i && cpuset_move(cpuset, &journey->nodes[i]))
			return "a move";
		if (policy_get(&got, &stops->task[i], NULL, 0) ||
		    got != (mode | journey->flags) ||
		    policy_get(&got, &stops->mapping[i], area.start,
			       MPOL_F_ADDR) ||
		    got != (mode | journey->flags))
			return "get_mempolicy";
		text = stops->text[i];
		if (numa_maps_policy(area.start, text,
				     sizeof(stops->text[i])))
			return "numa_maps";
		if (mode != MPOL_WEIGHTED_INTERLEAVE)
			continue;
		if (strncmp(text, "weighted ", 9))
			return "the name in numa_maps";
		memmove(text, text + 9, strlen(text + 9) + 1);
	}
	area_unmap(&area);
	return NULL;
}

/* The nodes that numa_maps shows: those in use, also with flags */
static struct nodeset nodes_in_use(const char *text)
{
	struct nodeset nodes;

	text = strchr(text, ':');
	if (!text || nodeset_parse(text + 1, &nodes))
		nodeset_clear(&nodes);
	return nodes;
}

/* The journey under both modes, then with pages placed at every stop */
static const char *compare_journeys(const struct cpuset *cpuset,
				    const struct journey *journey)
{
	const int mode = MPOL_WEIGHTED_INTERLEAVE | journey->flags;
	static struct stops plain, weighted;
	struct nodeset in_use;
	const char *wrong;
	struct area area;
	int i;

	wrong = travel(cpuset, journey, MPOL_INTERLEAVE, &plain);
	if (!wrong)
		wrong = travel(cpuset, journey, MPOL_WEIGHTED_INTERLEAVE,
			       &weighted);
	if (wrong)
		return wrong;
	for (i = 0; i < journey->moves; i++) {
		if (!nodeset_equal(&plain.task[i], &weighted.task[i]))
			return "the task's mask";
		if (!nodeset_equal(&plain.mapping[i], &weighted.mapping[i]))
			return "the mapping's mask";
		if (strcmp(plain.text[i], weighted.text[i])) {
			note("'%s', not '%s'", weighted.text[i],
			     plain.text[i]);
			return "the text in numa_maps";
		}
	}

	if (cpuset_move(cpuset, &journey->nodes[0]) ||
	    area_map(&area, PAGES, 1) ||
	    policy_bind(area.start, area.len, mode, &journey->policy, 0) ||
	    policy_set(mode, &journey->policy))
		return "the policies, the second time";
	for (i = 0; i < journey->moves; i++) {
		if (i && cpuset_move(cpuset, &journey->nodes[i]))
			return "a move, the second time";
		in_use = nodes_in_use(weighted.text[i]);
		if (area_touch_once(&area) || !placed_by_weight(&area, &in_use)) {
			note("stop %d, %s", i, weighted.text[i]);
			return "the placement";
		}
	}
	policy_set(MPOL_DEFAULT, NULL);
	area_unmap(&area);
	return NULL;
}

/* Different small weights, so that each mask has a round of its own */
static int weights_differ(const struct nodeset *memory)
{
	static const unsigned int weight[] = { 5, 2, 3, 7 };
	int nr = nodeset_count(memory);
	int i, ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = weight_write(nodeset_nth(memory, i),
				   weight[i % ARRAY_LEN(weight)]);
	return ret;
}

/* Shrink to one node, to the other, and back */
static void two_node_journey(struct journey *journey,
			     const struct nodeset *memory)
{
	journey->policy = nodeset_head(memory, 2);
	journey->moves = 4;
	journey->nodes[0] = nodeset_head(memory, 2);
	journey->nodes[1] = nodeset_of(nodeset_nth(memory, 0));
	journey->nodes[2] = nodeset_of(nodeset_nth(memory, 1));
	journey->nodes[3] = nodeset_head(memory, 2);
}

/* From two nodes to two others and to a mixed pair */
static void four_node_journey(struct journey *journey,
			      const struct nodeset *memory)
{
	journey->policy = nodeset_head(memory, 2);
	journey->moves = 4;
	journey->nodes[0] = nodeset_head(memory, 2);
	journey->nodes[1] = nodeset_pair(nodeset_nth(memory, 2),
					 nodeset_nth(memory, 3));
	journey->nodes[2] = nodeset_pair(nodeset_nth(memory, 1),
					 nodeset_nth(memory, 3));
	journey->nodes[3] = nodeset_head(memory, 4);
}

TEST_F(cpuset, two_nodes)
{
	static const int flags[] = {
		0, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	struct journey journey = {};
	const char *wrong;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, weights_differ(&self->memory));
	two_node_journey(&journey, &self->memory);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		journey.flags = flags[i];
		wrong = compare_journeys(&self->cpuset, &journey);
		EXPECT_TRUE(!wrong)
			TH_LOG("flags %#x: %s", flags[i], wrong);
	}
}

TEST_F(cpuset, four_nodes)
{
	static const int flags[] = {
		0, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	struct journey journey = {};
	const char *wrong;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (nodeset_count(&self->memory) < 4)
		SKIP(return, "needs four nodes with memory");

	ASSERT_EQ(0, weights_differ(&self->memory));
	four_node_journey(&journey, &self->memory);
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		journey.flags = flags[i];
		wrong = compare_journeys(&self->cpuset, &journey);
		EXPECT_TRUE(!wrong)
			TH_LOG("flags %#x: %s", flags[i], wrong);
	}
}

/* A relative mask wider than the cpuset folds, as for interleave */
TEST_F(cpuset, relative_mask_folds)
{
	struct journey journey = { .flags = MPOL_F_RELATIVE_NODES };
	const char *wrong;
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, weights_differ(&self->memory));
	two_node_journey(&journey, &self->memory);
	nodeset_clear(&journey.policy);
	for (i = 1; i < 4; i++)
		nodeset_add(&journey.policy, i);
	wrong = compare_journeys(&self->cpuset, &journey);
	EXPECT_TRUE(!wrong)
		TH_LOG("%s", wrong);
}

/* Weights that change while a policy has moved away are there on its return */
TEST_F(cpuset, weights_change_while_away)
{
	static const unsigned int weight[] = { 3, 8 };
	struct nodeset both, one;
	struct round round;
	struct area area;
	int node[PAGES];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	both = nodeset_head(&self->memory, 2);
	one = nodeset_head(&self->memory, 1);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE |
				 MPOL_F_STATIC_NODES, &both, 0));
	ASSERT_EQ(0, cpuset_move(&self->cpuset, &one));
	ASSERT_EQ(0, round_write(&round, &both, weight));
	ASSERT_EQ(0, cpuset_move(&self->cpuset, &both));
	ASSERT_EQ(0, area_touch_once(&area));
	ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), node));
	EXPECT_TRUE(round_exact(&round, node, PAGES));
}

/* A policy set in a small cpuset covers the part of its mask that is there */
TEST_F(cpuset, policy_set_inside)
{
	struct nodeset both, one, plain, weighted;
	int mode;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	both = nodeset_head(&self->memory, 2);
	one = nodeset_of(nodeset_nth(&self->memory, 1));
	ASSERT_EQ(0, cpuset_move(&self->cpuset, &one));
	ASSERT_EQ(0, policy_set(MPOL_INTERLEAVE, &both));
	ASSERT_EQ(0, policy_get(&mode, &plain, NULL, 0));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &both));
	ASSERT_EQ(0, policy_get(&mode, &weighted, NULL, 0));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode);
	EXPECT_TRUE(nodeset_equal(&one, &weighted));
	EXPECT_TRUE(nodeset_equal(&plain, &weighted));

	one = nodeset_head(&self->memory, 1);
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, cpuset_move(&self->cpuset, &one));
	both = nodeset_of(nodeset_nth(&self->memory, 1));
	EXPECT_EQ(-EINVAL, policy_set(MPOL_INTERLEAVE, &both));
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, &both));
}

/* MPOL_F_NODE knows of the move, and is right about the next page */
TEST_F(cpuset, next_node_after_a_move)
{
	const int mode = MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES;
	int predicted[90], node[90];
	struct nodeset both, stop[3];
	char dir[64];
	size_t i;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, nodeset_read("has_normal_memory", &both));
	if (!nodeset_has(&both, nodeset_nth(&self->memory, 1)))
		SKIP(return, "needs two nodes with kernel memory");

	ASSERT_EQ(0, weights_differ(&self->memory));
	both = nodeset_head(&self->memory, 2);
	stop[0] = nodeset_of(nodeset_nth(&self->memory, 1));
	stop[1] = both;
	stop[2] = nodeset_of(nodeset_nth(&self->memory, 0));
	ASSERT_EQ(0, fs_mount("ramfs", NULL, dir, sizeof(dir)));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_prepare(fd, ARRAY_LEN(node)));
	ASSERT_EQ(0, policy_set(mode, &both));
	for (i = 0; i < ARRAY_LEN(node); i++) {
		if (i % 30 == 10)
			ASSERT_EQ(0, cpuset_move(&self->cpuset,
						 &stop[i / 30]));
		predicted[i] = policy_next_node();
		ASSERT_EQ(0, file_fill(fd, i, 1));
		if (i >= 10)
			EXPECT_TRUE(nodeset_has(&stop[(i - 10) / 30],
						predicted[i]));
	}
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_filled(fd, 0, ARRAY_LEN(node), node));
	EXPECT_TRUE(same_nodes(node, predicted, ARRAY_LEN(node)));
	close(fd);
	fs_unmount(dir);
}

/* The cpuset moves back and forth while threads fault by both kinds of policy */
static void *faults_pages(void *arg)
{
	const int mode = MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES;
	struct worker *worker = arg;
	struct stress *stress = worker->stress;
	struct area bound, task;
	int node[64];
	size_t i;

	if (area_map(&bound, 64, 1) || area_map(&task, 64, 1) ||
	    policy_bind(bound.start, bound.len, mode, &stress->nodes, 0) ||
	    policy_set(mode, &stress->nodes)) {
		stress->wrong = "no mapping or no policy";
		return NULL;
	}
	while (!__atomic_load_n(&stress->stop, __ATOMIC_RELAXED)) {
		touch(task.start, 64, page_bytes());
		if (place(bound.start, 64, page_bytes(), node)) {
			stress->wrong = "pages could not be placed";
			continue;
		}
		for (i = 0; i < 64; i++)
			if (node[i] >= 0 &&
			    !nodeset_has(&stress->nodes, node[i]))
				stress->wrong = "a page left the mask";
		madvise(bound.start, bound.len, MADV_DONTNEED);
		madvise(task.start, task.len, MADV_DONTNEED);
		round_done(worker);
	}
	return NULL;
}

static void *writes_weights(void *arg)
{
	struct worker *worker = arg;
	struct stress *stress = worker->stress;
	unsigned int weight = 0;

	while (!__atomic_load_n(&stress->stop, __ATOMIC_RELAXED)) {
		weight = weight % 200 + 1;
		if (weight_write(nodeset_nth(&stress->nodes, weight % 2),
				 weight))
			stress->wrong = "a weight could not be written";
		round_done(worker);
	}
	return NULL;
}

TEST_F(cpuset, moves_while_faulting)
{
	static const unsigned int weight[] = { 9, 4 };
	struct stress stress = {};
	struct worker worker[] = {
		{ .stress = &stress, .work = faults_pages },
		{ .stress = &stress, .work = faults_pages },
		{ .stress = &stress, .work = writes_weights },
	};
	struct nodeset stop[3];
	struct round round;
	struct area area;
	int moves = 0;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	stress.nodes = nodeset_head(&self->memory, 2);
	stop[0] = nodeset_of(nodeset_nth(&self->memory, 0));
	stop[1] = stress.nodes;
	stop[2] = nodeset_of(nodeset_nth(&self->memory, 1));
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE |
				 MPOL_F_STATIC_NODES, &stress.nodes, 0));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE | MPOL_F_STATIC_NODES,
				&stress.nodes));
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_create(&worker[i].thread, NULL,
					    worker[i].work, &worker[i]));
	while (!stress.wrong && (moves < STRESS_ROUNDS ||
				 !all_worked(worker, ARRAY_LEN(worker), STRESS_ROUNDS)))
		ASSERT_EQ(0, cpuset_move(&self->cpuset,
					 &stop[moves++ % ARRAY_LEN(stop)]));
	TH_LOG("%d moves", moves);
	__atomic_store_n(&stress.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_join(worker[i].thread, NULL));
	EXPECT_TRUE(!stress.wrong)
		TH_LOG("%s", stress.wrong);

	/* Quiet again: exact, for the policies that lived through it */
	ASSERT_EQ(0, cpuset_move(&self->cpuset, &stress.nodes));
	ASSERT_EQ(0, round_write(&round, &stress.nodes, weight));
	ASSERT_EQ(0, area_touch_once(&area));
	EXPECT_TRUE(placed_by_weight(&area, &stress.nodes));
}
