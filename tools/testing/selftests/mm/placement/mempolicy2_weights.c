// SPDX-License-Identifier: GPL-2.0
/*
 * Where pages go when a task, a mapping or a shared object has weights of its
 * own: exactly by these, whatever the global weights are, and by the global
 * one where a weight is 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "cases.h"
#include "placement.h"

#define PAGES 420
#define OWN_AFTER_EXEC "MEMPOLICY2_WEIGHTS_AFTER_EXEC"

static int placed[PAGES], fresh[PAGES];

static const unsigned int five_one[] = { 5, 1 }, one_five[] = { 1, 5 };

struct context {
	struct saved_weights saved;
	struct nodeset memory;
	struct nodeset nodes;
	int first;
	int second;
	/* Whether kernel memory can come from both nodes */
	bool kernel_memory;
	const char *missing;
};

FIXTURE(weights)
{
	struct context ctx;
};

static void own_fill(struct own_policy *own, const struct nodeset *nodes,
		     const unsigned int *weight)
{
	own_init(own, MPOL_WEIGHTED_INTERLEAVE, 0, nodes, weight);
}

FIXTURE_SETUP(weights)
{
	struct context *ctx = &self->ctx;
	struct nodeset normal;

	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&ctx->saved));
	ASSERT_EQ(0, nodeset_read("has_normal_memory", &normal));
	ctx->memory = ctx->saved.nodes;
	ctx->nodes = nodeset_head(&ctx->memory, 2);
	ctx->first = nodeset_nth(&ctx->memory, 0);
	ctx->second = nodeset_nth(&ctx->memory, 1);
	ctx->kernel_memory = nodeset_has(&normal, ctx->first) &&
			     nodeset_has(&normal, ctx->second);
	if (ctx->second < 0) {
		ctx->missing = "needs two nodes with memory";
		return;
	}
	if (!nodes_have_room(&ctx->nodes, 2 * PAGES)) {
		ctx->missing = "too little free memory on a node";
		return;
	}
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(weights)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (!self->ctx.missing)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

/* Fresh pages of an existing mapping are exact by @weight */
static bool places_by(const struct area *area, const struct nodeset *nodes,
		      const unsigned int *weight)
{
	struct round round;
	size_t count = area->len / page_bytes();

	round_init(&round, nodes, weight);
	madvise(area->start, area->len, MADV_DONTNEED);
	if (place(area->start, count, page_bytes(), placed))
		return false;
	return round_exact(&round, placed, count);
}

/* So are those of a new mapping, by the policy of the task */
static bool task_places_by(const struct nodeset *nodes,
			   const unsigned int *weight)
{
	struct area area;
	bool good;

	if (area_map(&area, PAGES, PAGES))
		return false;
	good = places_by(&area, nodes, weight);
	area_unmap(&area);
	return good;
}

TEST_F(weights, task)
{
	static const unsigned int pairs[][2] = {
		{ 5, 1 }, { 1, 5 }, { 1, 1 }, { 4, 2 }, { 100, 37 },
		{ 255, 105 },
	};
	struct context *ctx = &self->ctx;
	struct own_policy own;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	for (i = 0; i < ARRAY_LEN(pairs); i++) {
		own_fill(&own, &ctx->nodes, pairs[i]);
		ASSERT_EQ(0, own_set(&own));
		EXPECT_TRUE(task_places_by(&ctx->nodes, pairs[i]))
			TH_LOG("%u:%u", pairs[i][0], pairs[i][1]);
	}
	/* The old call gives the global weights back */
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes));
	EXPECT_TRUE(task_places_by(&ctx->nodes,
				   (const unsigned int []){ 1, 1 }));
}

TEST_F(weights, mapping)
{
	static const unsigned int pairs[][2] = {
		{ 5, 1 }, { 1, 5 }, { 1, 1 }, { 4, 2 }, { 100, 37 },
		{ 255, 105 },
	};
	struct context *ctx = &self->ctx;
	struct own_policy own;
	struct area area;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	/* A task policy does not matter for a mapping that has one */
	own_fill(&own, &ctx->nodes, one_five);
	ASSERT_EQ(0, own_set(&own));
	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	for (i = 0; i < ARRAY_LEN(pairs); i++) {
		own_fill(&own, &ctx->nodes, pairs[i]);
		ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
		EXPECT_TRUE(places_by(&area, &ctx->nodes, pairs[i]))
			TH_LOG("%u:%u", pairs[i][0], pairs[i][1]);
	}
}

TEST_F(weights, more_than_two_nodes)
{
	static const unsigned int weight[] = { 7, 1, 3, 4 };
	struct context *ctx = &self->ctx;
	struct own_policy own;
	struct nodeset nodes;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	nodes = nodeset_head(&ctx->memory, ARRAY_LEN(weight));
	if (nodeset_count(&nodes) < 3)
		SKIP(return, "needs three nodes with memory");
	if (!nodes_have_room(&nodes, PAGES))
		SKIP(return, "too little free memory on a node");

	own_fill(&own, &nodes, weight);
	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	EXPECT_TRUE(places_by(&area, &nodes, weight));
}

/* Page cache of a ramfs file: the counter of the task */
TEST_F(weights, page_cache)
{
	struct context *ctx = &self->ctx;
	struct own_policy own;
	struct round round;
	char dir[64];
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!ctx->kernel_memory)
		SKIP(return, "needs two nodes with kernel memory");

	ASSERT_EQ(0, fs_mount("ramfs", NULL, dir, sizeof(dir)));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_prepare(fd, PAGES));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_set(&own));
	ASSERT_EQ(0, file_fill(fd, 0, PAGES));
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_filled(fd, 0, PAGES, placed));
	round_init(&round, &ctx->nodes, five_one);
	EXPECT_TRUE(round_exact(&round, placed, PAGES));
	close(fd);
	fs_unmount(dir);
}

struct wish {
	const struct nodeset *nodes;
	const unsigned int *weight;
};

/* 0 when this task has the weights, and its fresh pages follow them */
static int has_weights(void *arg)
{
	const struct wish *wish = arg;
	struct own_policy own, got;

	own_fill(&own, wish->nodes, wish->weight);
	if (own_get(&got, NULL, MPOL_F_OWN_WEIGHTS) || !own_equal(&own, &got))
		return 1;
	return task_places_by(wish->nodes, wish->weight) ? 0 : 2;
}

/* A child that takes other weights does not change those of its parent */
static int takes_others(void *arg)
{
	struct wish wish = { .nodes = arg, .weight = one_five };
	struct own_policy own;

	own_fill(&own, arg, one_five);
	return own_set(&own) || has_weights(&wish);
}

TEST_F(weights, fork)
{
	struct context *ctx = &self->ctx;
	struct wish wish = { .nodes = &ctx->nodes, .weight = five_one };
	struct own_policy own;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_set(&own));
	EXPECT_EQ(0, in_child(has_weights, &wish));
	EXPECT_EQ(0, in_child(takes_others, &ctx->nodes));
	EXPECT_EQ(0, has_weights(&wish));
}

/* Runs instead of the tests in what the exec test executes */
static void __attribute__((constructor)) check_weights_after_exec(void)
{
	const char *list = getenv(OWN_AFTER_EXEC);
	struct nodeset nodes;
	struct wish wish = { .nodes = &nodes, .weight = five_one };

	if (!list)
		return;
	_exit(nodeset_parse(list, &nodes) ? 3 : has_weights(&wish));
}

static int executes_itself(void *arg)
{
	char *const argv[] = { "mempolicy2_weights", NULL };
	char list[64];

	nodeset_format(arg, list, sizeof(list));
	setenv(OWN_AFTER_EXEC, list, 1);
	execv("/proc/self/exe", argv);
	return 4;
}

TEST_F(weights, exec)
{
	struct context *ctx = &self->ctx;
	struct own_policy own;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	EXPECT_EQ(1, in_child(executes_itself, &ctx->nodes));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_set(&own));
	EXPECT_EQ(0, in_child(executes_itself, &ctx->nodes));
}

static void *thread_has_others(void *arg)
{
	struct wish wish = { .nodes = arg, .weight = five_one };
	struct own_policy own;

	/* Inherited first, then its own */
	if (has_weights(&wish))
		return "the thread has not what its creator had";
	own_fill(&own, arg, one_five);
	wish.weight = one_five;
	if (own_set(&own) || has_weights(&wish))
		return "the thread has not what it set";
	return NULL;
}

TEST_F(weights, threads)
{
	struct context *ctx = &self->ctx;
	struct wish wish = { .nodes = &ctx->nodes, .weight = five_one };
	struct own_policy own;
	pthread_t thread;
	void *wrong;
	int word = 0;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (syscall(__NR_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) < 0)
		SKIP(return, "no threads, the kernel lacks futex(2)");

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_set(&own));
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_has_others,
				    &ctx->nodes));
	ASSERT_EQ(0, pthread_join(thread, &wrong));
	EXPECT_TRUE(!wrong)
		TH_LOG("%s", (char *)wrong);
	EXPECT_EQ(0, has_weights(&wish));
}

/* Weight 0 is the global one, now and after each change; the others stay */
TEST_F(weights, zero_follows_the_global_weight)
{
	static const unsigned int given[][2] = { { 0, 0 }, { 0, 2 }, { 4, 0 } };
	static const unsigned int global[][2] = {
		{ 1, 1 }, { 5, 2 }, { 1, 4 }, { 8, 16 }, { 1, 1 },
	};
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	unsigned int want[2];
	struct round round;
	struct area area;
	size_t i, j;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	for (i = 0; i < ARRAY_LEN(given); i++) {
		own_fill(&own, &ctx->nodes, given[i]);
		ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
		ASSERT_EQ(0, own_set(&own));
		for (j = 0; j < ARRAY_LEN(global); j++) {
			ASSERT_EQ(0, round_write(&round, &ctx->nodes,
						 global[j]));
			want[0] = given[i][0] ? given[i][0] : global[j][0];
			want[1] = given[i][1] ? given[i][1] : global[j][1];
			EXPECT_TRUE(places_by(&area, &ctx->nodes, want))
				TH_LOG("mapping %u:%u, global %u:%u",
				       given[i][0], given[i][1],
				       global[j][0], global[j][1]);
			EXPECT_TRUE(task_places_by(&ctx->nodes, want))
				TH_LOG("task %u:%u, global %u:%u",
				       given[i][0], given[i][1],
				       global[j][0], global[j][1]);

			EXPECT_EQ(0, own_get(&got, area.start,
					     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
			EXPECT_EQ(given[i][0], got.weight[ctx->first]);
			EXPECT_EQ(given[i][1], got.weight[ctx->second]);
			EXPECT_EQ(0, own_get(&got, area.start, MPOL_F_ADDR));
			EXPECT_EQ(want[0], got.weight[ctx->first]);
			EXPECT_EQ(want[1], got.weight[ctx->second]);
		}
	}
}

/* Policies made by the old calls and by a null pointer have no own weights */
TEST_F(weights, without_any)
{
	static const unsigned int global[] = { 6, 1 };
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	struct round round;
	struct area area;
	int i, ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, weights_flatten(1));
		own_fill(&own, &ctx->nodes, NULL);
		ret = i ? own_bind(area.start, area.len, &own, 0) :
			  policy_bind(area.start, area.len,
				      MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes,
				      0);
		ASSERT_EQ(0, ret);
		ASSERT_EQ(0, round_write(&round, &ctx->nodes, global));
		EXPECT_TRUE(places_by(&area, &ctx->nodes, global));
		EXPECT_EQ(0, own_get(&got, area.start,
				     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got));
		EXPECT_EQ(0, own_get(&got, area.start, MPOL_F_ADDR));
		EXPECT_EQ(global[0], got.weight[ctx->first]);
		EXPECT_EQ(global[1], got.weight[ctx->second]);
	}
}

/* Mappings are joined when their weights are the same, and only then */
TEST_F(weights, merge)
{
	static const unsigned int zero[] = { 0, 0 };
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct own_policy own, got;
	struct area area;
	char *half;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, 4, 1));
	half = area.start + 2 * page;
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, 2 * page, &own, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
	ASSERT_EQ(0, own_bind(half, 2 * page, &own, 0));
	EXPECT_EQ(1, mappings_within(area.start, area.len));

	/* Others, in the ratio of the first or not, and none */
	own_fill(&own, &ctx->nodes, one_five);
	ASSERT_EQ(0, own_bind(half, 2 * page, &own, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
	EXPECT_EQ(0, own_get(&got, area.start,
			     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(5, got.weight[ctx->first]);
	EXPECT_EQ(0, own_get(&got, half, MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(1, got.weight[ctx->first]);
	own_fill(&own, &ctx->nodes, (const unsigned int []){ 10, 2 });
	ASSERT_EQ(0, own_bind(half, 2 * page, &own, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
	own_fill(&own, &ctx->nodes, NULL);
	ASSERT_EQ(0, own_bind(half, 2 * page, &own, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));

	/* The weights that the global ones happen to be are not those */
	ASSERT_EQ(0, weight_write(ctx->first, 5));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, 2 * page, &own, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
	own_fill(&own, &ctx->nodes, NULL);
	ASSERT_EQ(0, own_bind(area.start, 2 * page, &own, 0));
	EXPECT_EQ(1, mappings_within(area.start, area.len));
	/* No weights and weights of 0 are the same */
	own_fill(&own, &ctx->nodes, zero);
	ASSERT_EQ(0, own_bind(half, 2 * page, &own, 0));
	EXPECT_EQ(1, mappings_within(area.start, area.len));
}

/* Nothing but the weights is new */
TEST_F(weights, second_call_takes_effect)
{
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	EXPECT_TRUE(places_by(&area, &ctx->nodes, five_one));
	own_fill(&own, &ctx->nodes, one_five);
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	EXPECT_TRUE(places_by(&area, &ctx->nodes, one_five));
	EXPECT_EQ(0, own_get(&got, area.start,
			     MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&own, &got));
	/* And away with them */
	ASSERT_EQ(0, policy_bind(area.start, area.len,
				 MPOL_WEIGHTED_INTERLEAVE, &ctx->nodes, 0));
	EXPECT_TRUE(places_by(&area, &ctx->nodes,
			      (const unsigned int []){ 1, 1 }));
}

/* Weights of the mapping at @addr, once it has been cut or moved */
static bool still_has(void *addr, const struct own_policy *own)
{
	struct own_policy got;

	return !own_get(&got, addr, MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS) &&
	       own_equal(own, &got);
}

TEST_F(weights, split)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes(), part = 60 * page;
	struct own_policy own;
	struct round round;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, PAGES, page, fresh));
	madvise(area.start, area.len, MADV_DONTNEED);

	ASSERT_EQ(0, mprotect(area.start + part, part, PROT_READ));
	EXPECT_EQ(3, mappings_within(area.start, area.len));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_TRUE(still_has(area.start + part, &own));
	EXPECT_TRUE(still_has(area.start + 2 * part, &own));
	ASSERT_EQ(0, mprotect(area.start + part, part,
			      PROT_READ | PROT_WRITE));
	EXPECT_EQ(1, mappings_within(area.start, area.len));
	EXPECT_TRUE(places_by(&area, &ctx->nodes, five_one));
	EXPECT_TRUE(same_nodes(placed, fresh, PAGES));

	madvise(area.start, area.len, MADV_DONTNEED);
	ASSERT_EQ(0, munmap(area.start + part, part));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_TRUE(still_has(area.start + 2 * part, &own));
	ASSERT_EQ(0, place(area.start, 60, page, placed));
	round_init(&round, &ctx->nodes, five_one);
	EXPECT_TRUE(round_exact(&round, placed, 60));
	EXPECT_TRUE(same_nodes(placed, fresh, 60));
	ASSERT_EQ(0, place(area.start + 2 * part, PAGES - 120, page, placed));
	EXPECT_TRUE(same_nodes(placed, fresh + 120, PAGES - 120));
}

TEST_F(weights, mremap)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct area area, target;
	struct own_policy own;
	struct round round;
	char *moved;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	round_init(&round, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, PAGES / 2, PAGES));
	ASSERT_EQ(0, area_map(&target, PAGES, PAGES));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	touch(area.start, 30, page);
	moved = mremap(area.start, area.len, target.len,
		       MREMAP_MAYMOVE | MREMAP_FIXED, target.start);
	ASSERT_TRUE(moved == target.start);
	EXPECT_TRUE(still_has(moved, &own));
	EXPECT_TRUE(still_has(moved + target.len - 1, &own));
	/* Also what it has grown by */
	ASSERT_EQ(0, place(moved, PAGES, page, placed));
	EXPECT_TRUE(round_exact(&round, placed, PAGES));
}

static int places_parents_mapping(void *arg)
{
	const struct area *area = arg;

	if (place(area->start, PAGES, page_bytes(), placed))
		return 2;
	return !same_nodes(placed, fresh, PAGES);
}

TEST_F(weights, fork_of_a_mapping)
{
	struct context *ctx = &self->ctx;
	struct own_policy own;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), fresh));
	madvise(area.start, area.len, MADV_DONTNEED);
	EXPECT_EQ(0, in_child(places_parents_mapping, &area));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_EQ(0, places_parents_mapping(&area));
}

/* The old interfaces show the mode and the nodes, as they always did */
TEST_F(weights, old_interfaces)
{
	struct context *ctx = &self->ctx;
	char want[128], text[128], list[64];
	struct nodeset got;
	struct own_policy own;
	struct area area;
	int mode, node;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	snprintf(want, sizeof(want), "weighted interleave:%s",
		 nodeset_format(&ctx->nodes, list, sizeof(list)));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, 12, 12));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, own_set(&own));
	ASSERT_EQ(0, numa_maps_policy(area.start, text, sizeof(text)));
	EXPECT_STREQ(want, text);
	EXPECT_EQ(0, policy_get(&mode, &got, area.start, MPOL_F_ADDR));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode);
	EXPECT_TRUE(nodeset_equal(&ctx->nodes, &got));
	EXPECT_EQ(0, policy_get(&mode, &got, NULL, 0));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode);
	EXPECT_TRUE(nodeset_equal(&ctx->nodes, &got));

	ASSERT_EQ(0, place(area.start, 12, page_bytes(), placed));
	for (i = 0; i < 12; i++) {
		node = -1;
		EXPECT_EQ(0, policy_get(&node, NULL,
					area.start + i * page_bytes(),
					MPOL_F_NODE | MPOL_F_ADDR));
		EXPECT_EQ(placed[i], node);
	}
}

/* MPOL_F_NODE counts by the task's own weights */
TEST_F(weights, next_node)
{
	struct context *ctx = &self->ctx;
	int predicted[60];
	struct own_policy own;
	struct round round;
	char dir[64];
	size_t i;
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!ctx->kernel_memory)
		SKIP(return, "needs two nodes with kernel memory");

	ASSERT_EQ(0, fs_mount("ramfs", NULL, dir, sizeof(dir)));
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_prepare(fd, ARRAY_LEN(predicted)));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_set(&own));
	for (i = 0; i < ARRAY_LEN(predicted); i++) {
		predicted[i] = policy_next_node();
		ASSERT_EQ(0, file_fill(fd, i, 1));
	}
	ASSERT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
	ASSERT_EQ(0, nodes_of_filled(fd, 0, ARRAY_LEN(predicted), placed));
	EXPECT_TRUE(same_nodes(placed, predicted, ARRAY_LEN(predicted)));
	round_init(&round, &ctx->nodes, five_one);
	EXPECT_TRUE(round_exact(&round, predicted, ARRAY_LEN(predicted)));
	close(fd);
	fs_unmount(dir);
}

static int touches_pages(void *arg)
{
	const struct area *area = arg;

	touch(area->start, PAGES, page_bytes());
	return 0;
}

/* The weights are the object's: they hold for whoever touches it */
TEST_F(weights, shared_object)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct own_policy own, other;
	struct round round;
	struct area area;
	char *again;
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	fd = memfd_create("weights", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, PAGES * page));
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_TRUE(mmap(area.start, area.len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == area.start);
	madvise(area.start, area.len, MADV_NOHUGEPAGE);
	own_fill(&own, &ctx->nodes, five_one);
	round_init(&round, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_EQ(0, in_child(touches_pages, &area));
	ASSERT_EQ(0, nodes_of_file(fd, 0, PAGES, placed));
	EXPECT_TRUE(round_exact(&round, placed, PAGES));

	/* A second mapping of it sees them, also when the first has gone */
	again = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	ASSERT_TRUE(again != MAP_FAILED);
	EXPECT_TRUE(still_has(again, &own));
	area_unmap(&area);
	EXPECT_TRUE(still_has(again, &own));

	/* A part gets others; the rest keeps its own */
	own_fill(&other, &ctx->nodes, one_five);
	ASSERT_EQ(0, own_bind(again + 120 * page, 120 * page, &other, 0));
	EXPECT_TRUE(still_has(again, &own));
	EXPECT_TRUE(still_has(again + 120 * page, &other));
	EXPECT_TRUE(still_has(again + 240 * page, &own));
	ASSERT_EQ(0, madvise(again, PAGES * page, MADV_REMOVE));
	ASSERT_EQ(0, place(again, PAGES, page, placed));
	EXPECT_TRUE(round_exact(&round, placed, 120));
	EXPECT_TRUE(round_exact(&round, placed + 240, PAGES - 240));
	round_init(&round, &ctx->nodes, one_five);
	EXPECT_TRUE(round_exact(&round, placed + 120, 120));
	close(fd);
}

/* So are those of a segment of shared memory */
TEST_F(weights, shared_segment)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct own_policy own;
	struct round round;
	char *map[2];
	int id, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	id = shmget(IPC_PRIVATE, PAGES * page, 0600);
	if (id < 0)
		SKIP(return, "no System V shared memory");

	for (i = 0; i < 2; i++)
		map[i] = shmat(id, NULL, 0);
	EXPECT_EQ(0, shmctl(id, IPC_RMID, NULL));
	ASSERT_TRUE(map[0] != (void *)-1 && map[1] != (void *)-1);
	madvise(map[1], PAGES * page, MADV_NOHUGEPAGE);
	own_fill(&own, &ctx->nodes, five_one);
	round_init(&round, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(map[0], PAGES * page, &own, 0));
	ASSERT_EQ(0, shmdt(map[0]));
	EXPECT_TRUE(still_has(map[1], &own));
	ASSERT_EQ(0, place(map[1], PAGES, page, placed));
	EXPECT_TRUE(round_exact(&round, placed, PAGES));
	ASSERT_EQ(0, shmdt(map[1]));
}

/* A shared object follows the global weight where it has none of its own */
TEST_F(weights, shared_object_follows)
{
	static const unsigned int given[] = { 0, 2 };
	static const unsigned int global[][2] = { { 1, 1 }, { 5, 3 }, { 8, 8 } };
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	unsigned int want[2];
	struct round round;
	struct area area;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, given);
	ASSERT_EQ(0, area_map_shared(&area, PAGES));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	for (i = 0; i < ARRAY_LEN(global); i++) {
		ASSERT_EQ(0, round_write(&round, &ctx->nodes, global[i]));
		want[0] = global[i][0];
		want[1] = given[1];
		round_init(&round, &ctx->nodes, want);
		ASSERT_EQ(0, madvise(area.start, area.len, MADV_REMOVE));
		ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), placed));
		EXPECT_TRUE(round_exact(&round, placed, PAGES));
		EXPECT_EQ(0, own_get(&got, area.start, MPOL_F_ADDR));
		EXPECT_EQ(want[0], got.weight[ctx->first]);
		EXPECT_EQ(want[1], got.weight[ctx->second]);
		EXPECT_TRUE(still_has(area.start, &own));
	}
}

static long long pages_migrated(void)
{
	return file_value("/proc/vmstat", "pgmigrate_success");
}

/* Pages that lie elsewhere than @want has them */
static int pages_apart(void *addr, const int *want)
{
	int count = 0;
	size_t i;

	if (nodes_of_pages(addr, PAGES, page_bytes(), placed))
		return -1;
	for (i = 0; i < PAGES; i++)
		count += placed[i] != want[i];
	return count;
}

/*
 * Re-weights the pages of @area in place, by mbind2 or by mbind(2) and the
 * global weights: just those move that lie elsewhere than fresh ones would.
 */
static void move_in_place(struct __test_metadata *_metadata,
			  struct context *ctx, struct area *area, int give_back,
			  bool old_call)
{
	static const unsigned int weights[][2] = {
		{ 5, 1 }, { 1, 5 }, { 5, 1 }, { 3, 2 }, { 1, 1 }, { 255, 1 },
	};
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct own_policy own;
	struct round round;
	long long before;
	int apart, ret;
	size_t i;

	for (i = 0; i < ARRAY_LEN(weights); i++) {
		/* Where fresh ones would be */
		own_fill(&own, &ctx->nodes, weights[i]);
		ASSERT_EQ(0, madvise(area->start, area->len, give_back));
		ASSERT_EQ(0, own_bind(area->start, area->len, &own, 0));
		ASSERT_EQ(0, place(area->start, PAGES, page_bytes(), fresh));

		/* The pages as the weights before placed them */
		own_fill(&own, &ctx->nodes, weights[i ? i - 1 : 1]);
		ASSERT_EQ(0, madvise(area->start, area->len, give_back));
		ASSERT_EQ(0, own_bind(area->start, area->len, &own, 0));
		touch(area->start, PAGES, page_bytes());
		apart = pages_apart(area->start, fresh);
		ASSERT_LT(0, apart);

		own_fill(&own, &ctx->nodes, weights[i]);
		if (old_call)
			ASSERT_EQ(0, round_write(&round, &ctx->nodes,
						 weights[i]));
		before = pages_migrated();
		ASSERT_LE(0, before);
		ret = old_call ? policy_bind(area->start, area->len, mode,
					     &ctx->nodes, MPOL_MF_MOVE) :
				 own_bind(area->start, area->len, &own,
					  MPOL_MF_MOVE);
		EXPECT_EQ(0, ret);
		EXPECT_EQ(before + apart, pages_migrated());
		EXPECT_EQ(0, pages_apart(area->start, fresh))
			TH_LOG("%u:%u", weights[i][0], weights[i][1]);

		/* Once more: everything is in its place */
		before = pages_migrated();
		ret = old_call ? policy_bind(area->start, area->len, mode,
					     &ctx->nodes,
					     MPOL_MF_MOVE | MPOL_MF_STRICT) :
				 own_bind(area->start, area->len, &own,
					  MPOL_MF_MOVE | MPOL_MF_STRICT);
		EXPECT_EQ(0, ret);
		EXPECT_EQ(before, pages_migrated());
		EXPECT_EQ(0, pages_apart(area->start, fresh));
	}
}

TEST_F(weights, move_in_place)
{
	struct area area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	move_in_place(_metadata, &self->ctx, &area, MADV_DONTNEED, false);
}

TEST_F(weights, move_in_place_by_mbind)
{
	struct area area;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	move_in_place(_metadata, &self->ctx, &area, MADV_DONTNEED, true);
}

/* Inode numbers bias the layout: several objects, not only one at 0 */
TEST_F(weights, move_in_place_tmpfs)
{
	struct area area;
	int i;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, area_map_shared(&area, PAGES));
		move_in_place(_metadata, &self->ctx, &area, MADV_REMOVE,
			      false);
		move_in_place(_metadata, &self->ctx, &area, MADV_REMOVE,
			      true);
		area_unmap(&area);
	}
}

/* A mapping that begins inside of a tmpfs file counts from the file's start */
TEST_F(weights, move_in_place_at_an_offset)
{
	struct context *ctx = &self->ctx;
	const size_t page = page_bytes();
	struct area area;
	int fd, i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	for (i = 0; i < 3; i++) {
		fd = memfd_create("weights", 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ftruncate(fd, (PAGES + 7) * page));
		ASSERT_EQ(0, area_map(&area, PAGES, 1));
		ASSERT_TRUE(mmap(area.start, area.len, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED, fd, 7 * page) ==
			    area.start);
		madvise(area.start, area.len, MADV_NOHUGEPAGE);
		move_in_place(_metadata, ctx, &area, MADV_REMOVE, false);
		area_unmap(&area);
		close(fd);
	}
}

/* What a fault has placed is in its place from the start */
TEST_F(weights, fresh_pages_do_not_move)
{
	struct context *ctx = &self->ctx;
	struct own_policy own;
	struct area area[2];
	long long before;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area[0], PAGES, 1));
	ASSERT_EQ(0, area_map_shared(&area[1], PAGES));
	for (i = 0; i < ARRAY_LEN(area); i++) {
		ASSERT_EQ(0, own_bind(area[i].start, area[i].len, &own, 0));
		ASSERT_EQ(0, place(area[i].start, PAGES, page_bytes(), fresh));
		before = pages_migrated();
		ASSERT_LE(0, before);
		EXPECT_EQ(0, own_bind(area[i].start, area[i].len, &own,
				      MPOL_MF_MOVE | MPOL_MF_STRICT));
		EXPECT_EQ(before, pages_migrated());
		EXPECT_EQ(0, pages_apart(area[i].start, fresh));
	}
}

/* Pages that another process has, too: EIO, and the new policy is in force */
TEST_F(weights, move_of_what_cannot_move)
{
	struct context *ctx = &self->ctx;
	const int mode = MPOL_WEIGHTED_INTERLEAVE;
	struct own_policy own;
	struct area area;
	int pipes[2];
	char byte;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), fresh));
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) < 0);
	}
	close(pipes[0]);

	/* They are all where these weights want them */
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_MOVE | MPOL_MF_STRICT));
	own_fill(&own, &ctx->nodes, one_five);
	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_EQ(0, pages_apart(area.start, fresh));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE));
	EXPECT_EQ(0, pages_apart(area.start, fresh));

	/* The old call means the same */
	EXPECT_EQ(-EIO, policy_bind(area.start, area.len, mode, &ctx->nodes,
				    MPOL_MF_MOVE | MPOL_MF_STRICT));
	own_fill(&own, &ctx->nodes, NULL);
	EXPECT_TRUE(still_has(area.start, &own));
	close(pipes[1]);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

/* More than a node that is full for a fault has left for a move */
#define MANY_PAGES 8192

static int moved_node[MANY_PAGES];

static int count_on(const struct area *area, int node)
{
	int count = 0;
	size_t i;

	if (nodes_of_pages(area->start, MANY_PAGES, page_bytes(), moved_node))
		return -1;
	for (i = 0; i < MANY_PAGES; i++)
		count += moved_node[i] == node;
	return count;
}

/* A full node takes no page: what is meant for it stays, and can move later */
TEST_F(weights, move_to_a_full_node)
{
	struct context *ctx = &self->ctx;
	int on_first, on_second, want;
	struct area area, filler;
	struct own_policy own;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (!nodes_have_room(&ctx->nodes, 2 * MANY_PAGES))
		SKIP(return, "too little free memory on a node");

	own_fill(&own, &ctx->nodes, one_five);
	ASSERT_EQ(0, area_map(&area, MANY_PAGES, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	touch(area.start, MANY_PAGES, page_bytes());
	want = count_on(&area, ctx->second);
	ASSERT_LT(MANY_PAGES / 2, want);
	ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));
	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	touch(area.start, MANY_PAGES, page_bytes());
	ASSERT_EQ(0, area_fill_node(&filler, ctx->second));

	own_fill(&own, &ctx->nodes, one_five);
	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own,
				 MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own, MPOL_MF_MOVE));
	on_first = count_on(&area, ctx->first);
	on_second = count_on(&area, ctx->second);
	EXPECT_LT(on_second, want);
	/* None went to a third place instead */
	EXPECT_EQ(MANY_PAGES, on_first + on_second);

	area_unmap(&filler);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_MOVE | MPOL_MF_STRICT));
	EXPECT_EQ(want, count_on(&area, ctx->second));
}

/* Only pages on a node outside of the mask matter to MPOL_MF_STRICT alone */
TEST_F(weights, strict_alone)
{
	struct context *ctx = &self->ctx;
	struct own_policy own, kept;
	struct nodeset one;
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	own_fill(&own, &ctx->nodes, five_one);
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, place(area.start, PAGES, page_bytes(), fresh));
	own_fill(&kept, &ctx->nodes, one_five);
	EXPECT_EQ(0, own_bind(area.start, area.len, &kept, MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &kept));
	EXPECT_EQ(0, pages_apart(area.start, fresh));
	one = nodeset_of(ctx->second);
	own_fill(&own, &one, five_one);
	EXPECT_EQ(-EIO, own_bind(area.start, area.len, &own, MPOL_MF_STRICT));
	EXPECT_TRUE(still_has(area.start, &kept));
}

#define HUGE_PAGES 12

/* Sets the number of huge pages of a node; what it was, or -errno */
static int hugetlb_pool(int node, int count)
{
	long long kib = file_value("/proc/meminfo", "Hugepagesize:");
	char path[160], text[32];
	int ret, old;

	snprintf(path, sizeof(path),
		 NODE_DIR "/node%d/hugepages/hugepages-%lldkB/nr_hugepages",
		 node, kib);
	ret = file_read(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	old = atoi(text);
	ret = file_print(path, "%d\n", count);
	if (ret)
		return ret;
	file_read(path, text, sizeof(text));
	if (atoi(text) == count)
		return old;
	file_print(path, "%d\n", old);
	return -ENOMEM;
}

/* As many huge pages on each of both nodes; those before go to @old */
static const char *hugetlb_pools(const struct context *ctx, long long huge,
				 int *old)
{
	old[0] = -1;
	old[1] = -1;
	if (huge < 0)
		return "no huge pages in this kernel";
	if (!nodes_have_room(&ctx->nodes, HUGE_PAGES * huge / page_bytes()))
		return "too little free memory on a node";
	old[0] = hugetlb_pool(ctx->first, HUGE_PAGES);
	old[1] = hugetlb_pool(ctx->second, HUGE_PAGES);
	return old[0] < 0 || old[1] < 0 ? "no huge pages to be had" : NULL;
}

static void hugetlb_pools_restore(const struct context *ctx, const int *old)
{
	if (old[0] >= 0)
		hugetlb_pool(ctx->first, old[0]);
	if (old[1] >= 0)
		hugetlb_pool(ctx->second, old[1]);
}

TEST_F(weights, hugetlb)
{
	struct context *ctx = &self->ctx;
	long long huge = file_value("/proc/meminfo", "Hugepagesize:") * 1024;
	struct own_policy own;
	struct round round;
	const char *missing;
	int old[2], flags, i;
	char *map;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	missing = hugetlb_pools(ctx, huge, old);
	own_fill(&own, &ctx->nodes, five_one);
	round_init(&round, &ctx->nodes, five_one);
	for (i = 0; i < 2 && !missing; i++) {
		flags = i ? MAP_SHARED : MAP_PRIVATE;
		map = mmap(NULL, HUGE_PAGES * huge, PROT_READ | PROT_WRITE,
			   flags | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
		if (map == MAP_FAILED) {
			missing = "no huge pages to be had";
			break;
		}
		EXPECT_EQ(0, own_bind(map, HUGE_PAGES * huge, &own, 0));
		EXPECT_EQ(0, place(map, HUGE_PAGES, huge, placed));
		EXPECT_TRUE(round_exact(&round, placed, HUGE_PAGES));
		EXPECT_TRUE(still_has(map, &own));
		munmap(map, HUGE_PAGES * huge);
	}
	hugetlb_pools_restore(ctx, old);
	if (missing)
		SKIP(return, "%s", missing);
}

/* The policy of @addr: its mode, or -errno */
static int mode_of(void *addr)
{
	int mode, ret;

	ret = policy_get(&mode, NULL, addr, MPOL_F_ADDR);
	return ret ? ret : mode;
}

/*
 * A file of huge pages has no policy, in any mode: each of its mappings has one
 * of its own, and places by the offset in the file.
 */
static const char *two_hugetlb_mappings(struct __test_metadata *_metadata,
					struct context *ctx, int fd,
					size_t huge)
{
	const size_t half = HUGE_PAGES / 2 * huge;
	struct own_policy own, other;
	struct round round;
	char *map[2];
	int i;

	for (i = 0; i < 2; i++) {
		map[i] = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);
		if (map[i] == MAP_FAILED)
			return "no huge pages to be had";
	}
	EXPECT_EQ(0, policy_bind(map[0], 2 * half, MPOL_INTERLEAVE,
				 &ctx->nodes, 0));
	EXPECT_EQ(MPOL_DEFAULT, mode_of(map[1]));
	own_fill(&own, &ctx->nodes, five_one);
	EXPECT_EQ(0, own_bind(map[0], 2 * half, &own, 0));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode_of(map[0]));
	EXPECT_EQ(MPOL_DEFAULT, mode_of(map[1]));
	own_fill(&other, &ctx->nodes, one_five);
	EXPECT_EQ(0, own_bind(map[1], 2 * half, &other, 0));
	EXPECT_TRUE(still_has(map[0], &own));
	EXPECT_TRUE(still_has(map[1], &other));

	/* Who touches a page first places it, for both */
	touch(map[0], HUGE_PAGES / 2, huge);
	touch(map[1] + half, HUGE_PAGES / 2, huge);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, place(map[i], HUGE_PAGES, huge, placed));
		round_init(&round, &ctx->nodes, five_one);
		EXPECT_TRUE(round_exact(&round, placed, HUGE_PAGES / 2));
		round_init(&round, &ctx->nodes, one_five);
		EXPECT_TRUE(round_exact(&round, placed + HUGE_PAGES / 2,
					HUGE_PAGES / 2));
	}

	/* The same weights by either mapping are the same layout */
	EXPECT_EQ(0, own_bind(map[1], 2 * half, &own, 0));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, madvise(map[i], 2 * half, MADV_REMOVE));
		EXPECT_EQ(0, place(map[i], HUGE_PAGES, huge,
				   i ? placed : fresh));
	}
	EXPECT_TRUE(same_nodes(placed, fresh, HUGE_PAGES));
	for (i = 0; i < 2; i++)
		munmap(map[i], 2 * half);
	return NULL;
}

static const char *hugetlb_object(struct __test_metadata *_metadata,
				  struct context *ctx, int fd, long long huge)
{
	const char *missing;
	int old[2];

	missing = hugetlb_pools(ctx, huge, old);
	if (!missing) {
		EXPECT_EQ(0, ftruncate(fd, HUGE_PAGES * huge));
		missing = two_hugetlb_mappings(_metadata, ctx, fd, huge);
	}
	close(fd);
	hugetlb_pools_restore(ctx, old);
	return missing;
}

TEST_F(weights, hugetlb_memfd)
{
	struct context *ctx = &self->ctx;
	long long huge = file_value("/proc/meminfo", "Hugepagesize:") * 1024;
	const char *missing;
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	fd = memfd_create("weights", MFD_HUGETLB);
	if (fd < 0)
		SKIP(return, "no huge pages in this kernel");
	missing = hugetlb_object(_metadata, ctx, fd, huge);
	if (missing)
		SKIP(return, "%s", missing);
}

TEST_F(weights, hugetlb_file)
{
	struct context *ctx = &self->ctx;
	long long huge = file_value("/proc/meminfo", "Hugepagesize:") * 1024;
	const char *missing;
	char dir[64];
	int fd;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (fs_mount("hugetlbfs", NULL, dir, sizeof(dir)))
		SKIP(return, "no huge pages in this kernel");
	fd = fs_file(dir);
	ASSERT_LE(0, fd);
	missing = hugetlb_object(_metadata, ctx, fd, huge);
	fs_unmount(dir);
	if (missing)
		SKIP(return, "%s", missing);
}
