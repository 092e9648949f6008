// SPDX-License-Identifier: GPL-2.0
/*
 * Where pages go when a task or a mapping has weights of its own: exactly by
 * these, whatever the global weights are, and by the global one where a weight
 * is 0.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>

#include "cases.h"
#include "own_weights.h"
#include "placement.h"

#define OWN_AFTER_EXEC "MEMPOLICY2_WEIGHTS_AFTER_EXEC"

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

/* A position has its weight also where there is no node of that number */
TEST_F(weights, positions_beyond_the_nodes)
{
	static const struct {
		unsigned int given[3], want[2];
	} ratios[] = {
		{ { 1, 2, 3 }, { 1, 5 } },
		{ { 5, 1, 1 }, { 5, 2 } },
		{ { 3, 0, 4 }, { 3, 1 } },
		{ { 3, 4, 0 }, { 3, 1 } },
		/* None but that one */
		{ { 0, 0, 7 }, { 1, 1 } },
	};
	struct context *ctx = &self->ctx;
	struct own_policy own, got;
	struct area area;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	own_fill_positions(&own, ctx, ratios[0].given);
	if (own_set(&own))
		SKIP(return, "this kernel has no more node ids than this machine");

	ASSERT_EQ(0, area_map(&area, PAGES, PAGES));
	for (i = 0; i < ARRAY_LEN(ratios); i++) {
		own_fill_positions(&own, ctx, ratios[i].given);
		ASSERT_EQ(0, own_set(&own));
		EXPECT_EQ(0, own_get(&got, NULL, MPOL_F_OWN_WEIGHTS));
		EXPECT_TRUE(own_equal(&own, &got))
			TH_LOG("task, ratio %zu", i);
		EXPECT_TRUE(task_places_by(&ctx->nodes, ratios[i].want))
			TH_LOG("task, ratio %zu", i);
		ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
		EXPECT_TRUE(still_has(area.start, &own))
			TH_LOG("mapping, ratio %zu", i);
		EXPECT_TRUE(places_by(&area, &ctx->nodes, ratios[i].want))
			TH_LOG("mapping, ratio %zu", i);
	}
}

/* What was given is compared, not only what it comes to */
TEST_F(weights, positions_beyond_the_nodes_are_compared)
{
	static const unsigned int given[][3] = { { 1, 2, 3 }, { 1, 3, 2 } };
	struct context *ctx = &self->ctx;
	struct own_policy own, other;
	const size_t page = page_bytes();
	struct area area;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	own_fill_positions(&own, ctx, given[0]);
	own_fill_positions(&other, ctx, given[1]);
	if (own_set(&own))
		SKIP(return, "this kernel has no more node ids than this machine");

	ASSERT_EQ(0, area_map(&area, 4, 1));
	ASSERT_EQ(0, own_bind(area.start, area.len, &own, 0));
	ASSERT_EQ(0, own_bind(area.start + 2 * page, 2 * page, &other, 0));
	EXPECT_EQ(2, mappings_within(area.start, area.len));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_TRUE(still_has(area.start + 2 * page, &other));
	ASSERT_EQ(0, own_bind(area.start + 2 * page, 2 * page, &own, 0));
	EXPECT_EQ(1, mappings_within(area.start, area.len));
	/* A part keeps them all */
	ASSERT_EQ(0, munmap(area.start + page, page));
	EXPECT_TRUE(still_has(area.start, &own));
	EXPECT_TRUE(still_has(area.start + 2 * page, &own));
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

struct wish_by_position {
	const struct context *ctx;
	const unsigned int *given, *want;
};

static int has_weights_by_position(void *arg)
{
	const struct wish_by_position *wish = arg;
	struct own_policy own, got;

	own_fill_positions(&own, wish->ctx, wish->given);
	if (own_get(&got, NULL, MPOL_F_OWN_WEIGHTS) || !own_equal(&own, &got))
		return 1;
	return task_places_by(&wish->ctx->nodes, wish->want) ? 0 : 2;
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

TEST_F(weights, fork_with_positions_beyond_the_nodes)
{
	static const unsigned int given[] = { 1, 2, 3 }, want[] = { 1, 5 };
	struct context *ctx = &self->ctx;
	struct wish_by_position wish = { .ctx = ctx, .given = given, .want = want };
	struct own_policy own;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	own_fill_positions(&own, ctx, given);
	if (own_set(&own))
		SKIP(return, "this kernel has no more node ids than this machine");

	EXPECT_EQ(0, in_child(has_weights_by_position, &wish));
	EXPECT_EQ(0, has_weights_by_position(&wish));
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
