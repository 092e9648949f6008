// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of placement: pages are allocated from real nodes under a policy
 * that the test gives to its own task.
 */
#include <kunit/test.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy2.h>
#include <linux/mempolicy_ops.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>
#include <linux/weighted_interleave.h>

#include "../order.h"
#include "../policy.h"
#include "../../newer.h"

#define MOST_PAGES	512

struct place_test {
	struct mempolicy *before;
	short il_prev;
	u32 il_position;
	struct interleave_turns il_turns;
	int node[2];
	u8 weight[2];
	bool automatic;
	struct mempolicy policy;
	struct page *pages[MOST_PAGES];
};

static void use_policy(struct mempolicy *pol)
{
	task_lock(current);
	current->mempolicy = pol;
	current->il_prev = MAX_NUMNODES - 1;
	current->il_position = 0;
	interleave_turns_begin(&current->il_turns);
	task_unlock(current);
}

static int place_init(struct kunit *test)
{
	struct place_test *place;
	int nid, nr = 0;

	place = kunit_kzalloc(test, sizeof(*place), GFP_KERNEL);
	if (!place)
		return -ENOMEM;
	test->priv = place;

	for_each_node_state(nid, N_MEMORY) {
		if (nr < 2 && node_present_pages(nid) > 4 * MOST_PAGES)
			place->node[nr++] = nid;
	}
	if (nr < 2) {
		place->node[0] = NUMA_NO_NODE;
		return 0;
	}

	place->automatic = interleave_auto();
	for (nr = 0; nr < 2; nr++) {
		place->weight[nr] = interleave_weights[place->node[nr]];
		node_set(place->node[nr], place->policy.nodes);
	}
	atomic_set(&place->policy.refcnt, 1);
	place->policy.mode = MPOL_WEIGHTED_INTERLEAVE;
	place->policy.flags = MPOL_F_INTERLEAVES;
	weighted_interleave_init(&place->policy,
				 MPOL_ARGS(place->policy.mode, 0, place->policy.nodes));
	place->before = current->mempolicy;
	place->il_prev = current->il_prev;
	place->il_position = current->il_position;
	place->il_turns = current->il_turns;
	return 0;
}

static void place_exit(struct kunit *test)
{
	struct place_test *place = test->priv;
	int nr;

	if (!place || place->node[0] == NUMA_NO_NODE)
		return;

	use_policy(place->before);
	current->il_prev = place->il_prev;
	current->il_position = place->il_position;
	current->il_turns = place->il_turns;
	atomic_set(&place->policy.refcnt, 0);
	if (place->policy.mode == MPOL_WEIGHTED_INTERLEAVE)
		weighted_interleave_put(&place->policy);
	for (nr = 0; nr < 2; nr++)
		interleave_weight_store(place->node[nr], place->weight[nr]);
	interleave_auto_store(place->automatic);
}

static struct place_test *two_nodes(struct kunit *test, u8 first, u8 second)
{
	struct place_test *place = test->priv;

	if (place->node[0] == NUMA_NO_NODE)
		kunit_skip(test, "needs two nodes with memory");
	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(place->node[0], first));
	KUNIT_ASSERT_EQ(test, 0, interleave_weight_store(place->node[1], second));
	atomic_set(&place->policy.refcnt, 1);
	KUNIT_ASSERT_EQ(test, 0, weighted_interleave_build(&place->policy));
	/* One more than the task will have: if it dies, nobody frees the policy. */
	atomic_set(&place->policy.refcnt, 2);
	return place;
}

static void free_pages_of(struct place_test *place)
{
	int i;

	for (i = 0; i < MOST_PAGES; i++) {
		if (place->pages[i])
			__free_page(place->pages[i]);
		place->pages[i] = NULL;
	}
}

static int on_first(struct place_test *place, unsigned long nr)
{
	unsigned long i;
	int pages = 0;

	for (i = 0; i < nr; i++)
		pages += page_to_nid(place->pages[i]) == place->node[0];
	return pages;
}

static unsigned long bulk(struct place_test *place, unsigned long nr)
{
	return alloc_pages_bulk_array_mempolicy(GFP_KERNEL, nr, place->pages);
}

static void offsets_follow_the_order(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 5, 1);
	unsigned long index;
	int pages = 0;

	for (index = 0; index < 600; index++)
		pages += weighted_interleave_nid(&place->policy, index) ==
			 place->node[0];
	KUNIT_EXPECT_EQ(test, pages, 500);

	/* 32 bits, as MPOL_INTERLEAVE */
	KUNIT_EXPECT_EQ(test, weighted_interleave_nid(&place->policy, 3),
			weighted_interleave_nid(&place->policy,
						(unsigned long)(3ULL + (5ULL << 32))));
}

static void peek_tells_the_next_page(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 3, 2);
	int i;

	use_policy(&place->policy);
	for (i = 0; i < 25; i++) {
		unsigned int nid = weighted_interleave_peek(&place->policy);

		KUNIT_EXPECT_EQ(test, nid, weighted_interleave_peek(&place->policy));
		KUNIT_EXPECT_EQ(test, nid,
				weighted_interleave_advance(&place->policy));
	}
}

static void slab_advances_the_counter(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 3, 1);
	int i, pages = 0;

	use_policy(&place->policy);
	for (i = 0; i < 40; i++)
		pages += mempolicy_slab_node() == place->node[0];
	KUNIT_EXPECT_EQ(test, pages, 30);
}

static void single_pages_follow_the_counter(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 9, 1);
	int i;

	use_policy(&place->policy);
	for (i = 0; i < 100; i++) {
		place->pages[i] = alloc_page(GFP_HIGHUSER_MOVABLE);
		KUNIT_ASSERT_NOT_NULL(test, place->pages[i]);
	}
	KUNIT_EXPECT_EQ(test, on_first(place, 100), 90);
	free_pages_of(place);
}

static void bulk_goes_on_where_it_stopped(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 100, 37);
	int first = 0, total = 0;

	use_policy(&place->policy);
	while (total < 137 * 3) {
		unsigned long nr = min(53, 137 * 3 - total);

		KUNIT_ASSERT_EQ(test, nr, bulk(place, nr));
		first += on_first(place, nr);
		total += nr;
		free_pages_of(place);
		/* Half a page from the ideal share at every prefix */
		KUNIT_EXPECT_LE(test, abs(first * 137 - total * 100) * 2, 137);
	}
	KUNIT_EXPECT_EQ(test, first, 300);
}

static void bulk_takes_what_single_pages_would(struct kunit *test)
{
	static const u8 weights[][2] = { { 5, 1 }, { 100, 37 }, { 1, 255 }, { 255, 254 } };
	struct place_test *place = two_nodes(test, 2, 1);
	unsigned long i, nr, position;
	unsigned int set;

	for (set = 0; set < ARRAY_SIZE(weights); set++) {
		interleave_weight_store(place->node[0], weights[set][0]);
		interleave_weight_store(place->node[1], weights[set][1]);
		use_policy(&place->policy);
		position = 0;
		for (nr = 1; nr <= INTERLEAVE_COUNT_PAGES; nr += 9) {
			int want = 0;

			for (i = position; i < position + nr; i++)
				want += weighted_interleave_nid(&place->policy, i) ==
					place->node[0];
			KUNIT_ASSERT_EQ(test, nr, bulk(place, nr));
			KUNIT_EXPECT_EQ(test, want, on_first(place, nr));
			position += nr;
			KUNIT_EXPECT_EQ(test, weighted_interleave_peek(&place->policy),
					weighted_interleave_nid(&place->policy, position));
			free_pages_of(place);
		}
		use_policy(place->before);
	}
}

static void a_request_has_so_many_pages_at_most(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 3, 1);

	use_policy(&place->policy);
	KUNIT_EXPECT_EQ(test, (unsigned long)INTERLEAVE_COUNT_PAGES, bulk(place, MOST_PAGES));
	KUNIT_EXPECT_EQ(test, INTERLEAVE_COUNT_PAGES * 3 / 4,
			on_first(place, INTERLEAVE_COUNT_PAGES));
	KUNIT_EXPECT_EQ(test, current->il_position, INTERLEAVE_COUNT_PAGES);
	KUNIT_EXPECT_EQ(test, 0ul, bulk(place, 0));
	KUNIT_EXPECT_EQ(test, weighted_interleave_peek(&place->policy),
			weighted_interleave_nid(&place->policy, INTERLEAVE_COUNT_PAGES));
	free_pages_of(place);
}

#if defined(CONFIG_MEMCG) && !defined(CONFIG_SLOB)
/* Then the bulk allocator gives one page at a time. */
static void charged_bulk_keeps_the_ratio(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 3, 1);
	int i, first = 0;

	use_policy(&place->policy);
	static_branch_inc(&memcg_kmem_online_key);
	for (i = 0; i < 10; i++) {
		unsigned long got;

		got = alloc_pages_bulk_array_mempolicy(GFP_KERNEL_ACCOUNT, 4,
						       place->pages);
		KUNIT_EXPECT_EQ(test, got, 4ul);
		first += on_first(place, got);
		free_pages_of(place);
	}
	static_branch_dec(&memcg_kmem_online_key);
	KUNIT_EXPECT_EQ(test, first, 30);
}
#endif

static void bulk_and_single_pages_share_the_counter(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 5, 2);
	unsigned int next;

	use_policy(&place->policy);
	KUNIT_ASSERT_EQ(test, 10ul, bulk(place, 10));
	next = weighted_interleave_nid(&place->policy, 10);
	KUNIT_EXPECT_EQ(test, next, weighted_interleave_peek(&place->policy));
	free_pages_of(place);
}

/* What readahead of 128 KiB makes of a file on xfs, and other sizes that repeat */
static const unsigned int repeated[][4] = { { 2, 2, 3, 4 }, { 2, 3, 2, 3 }, { 1, 2, 3, 4 } };

/* At any time each size is within a page of it from its share, and even at the end. */
static void take_sizes(struct kunit *test, const unsigned int *orders, int weight, int total)
{
	struct place_test *place = test->priv;
	int first[5] = {}, count[5] = {}, i;

	for (i = 0; i < 8 * total; i++) {
		unsigned int order = orders[i % 4];
		struct page *page = alloc_pages(GFP_KERNEL, order);

		KUNIT_ASSERT_NOT_NULL(test, page);
		first[order] += page_to_nid(page) == place->node[0];
		count[order]++;
		__free_pages(page, order);
		KUNIT_EXPECT_LE(test, abs(first[order] * total - count[order] * weight), total);
	}
	for (i = 1; i < 5; i++)
		KUNIT_EXPECT_EQ(test, first[i] * total, count[i] * weight);
}

static void each_size_has_its_shares(struct kunit *test)
{
	static const u8 weights[][2] = { { 1, 1 }, { 3, 1 }, { 5, 2 }, { 100, 37 } };
	struct place_test *place = two_nodes(test, 2, 1);
	int set, i;

	for (set = 0; set < ARRAY_SIZE(weights); set++) {
		interleave_weight_store(place->node[0], weights[set][0]);
		interleave_weight_store(place->node[1], weights[set][1]);
		for (i = 0; i < ARRAY_SIZE(repeated); i++) {
			use_policy(&place->policy);
			take_sizes(test, repeated[i], weights[set][0],
				   weights[set][0] + weights[set][1]);
			use_policy(place->before);
		}
	}
}

static struct mempolicy plain_policy(const struct place_test *place)
{
	return (struct mempolicy) {
		/* One more than the task will have */
		.refcnt = ATOMIC_INIT(2),
		.mode = MPOL_INTERLEAVE,
		.flags = MPOL_F_INTERLEAVES,
		.nodes = place->policy.nodes,
	};
}

static void each_size_is_even_under_interleave(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 1, 1);
	struct mempolicy plain = plain_policy(place);
	int i;

	for (i = 0; i < ARRAY_SIZE(repeated); i++) {
		use_policy(&plain);
		take_sizes(test, repeated[i], 1, 2);
		use_policy(place->before);
	}
}

static void larger_pages_leave_single_ones_alone(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 3, 1);
	struct mempolicy plain = plain_policy(place);
	unsigned int order;

	use_policy(&place->policy);
	for (order = 1; order < 5; order++)
		__free_pages(alloc_pages(GFP_KERNEL, order), order);
	KUNIT_EXPECT_EQ(test, current->il_position, 0);
	use_policy(&plain);
	for (order = 1; order < 5; order++)
		__free_pages(alloc_pages(GFP_KERNEL, order), order);
	KUNIT_EXPECT_EQ(test, current->il_prev, MAX_NUMNODES - 1);
	use_policy(place->before);
}

static void counters_of_orders(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 3, 1);
	struct interleave_turns turns;
	unsigned int order;

	interleave_turns_begin(&turns);
	for (order = 1; order <= INTERLEAVE_TURNS; order++) {
		KUNIT_EXPECT_EQ(test, interleave_turn(&turns, order), order);
		KUNIT_EXPECT_EQ(test, interleave_turn(&turns, order), order + 1);
	}
	KUNIT_EXPECT_EQ(test, interleave_turn(&turns, INTERLEAVE_TURNS + 1),
			INTERLEAVE_TURNS + 2);
	KUNIT_EXPECT_EQ(test, interleave_turn(&turns, UINT_MAX), INTERLEAVE_TURNS + 3);
	turns.next[0] = U16_MAX;
	KUNIT_EXPECT_EQ(test, interleave_turn(&turns, 1), U16_MAX);
	KUNIT_EXPECT_EQ(test, interleave_turn(&turns, 1), 0);
	KUNIT_EXPECT_EQ(test, interleave_turn(&turns, 2), 4);

	use_policy(&place->policy);
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, 40));
	KUNIT_EXPECT_EQ(test, current->il_turns.next[INTERLEAVE_TURNS - 1],
			INTERLEAVE_TURNS + 1);
	use_policy(place->before);
}

static void even_bulk_is_that_of_interleave(struct kunit *test)
{
	static const unsigned long sizes[] = { 1, 2, 3, 7, 100, 1, 5 };
	struct place_test *place = two_nodes(test, 7, 7);
	struct mempolicy plain = plain_policy(place);
	int round, i, j, nr;
	s16 nodes[2][128];

	for (round = 0; round < 2; round++) {
		use_policy(round ? &plain : &place->policy);
		nr = 0;
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			KUNIT_EXPECT_EQ(test, sizes[i], bulk(place, sizes[i]));
			for (j = 0; j < sizes[i] && place->pages[j]; j++)
				nodes[round][nr++] = page_to_nid(place->pages[j]);
			free_pages_of(place);
		}
		use_policy(place->before);
	}
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, nodes[0][i], nodes[1][i]);
}

static void vmalloc_is_weighted(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 3, 1);
	int i, pages = 0;
	char *memory;

	use_policy(&place->policy);
	memory = vmalloc(400 * PAGE_SIZE);
	use_policy(place->before);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	for (i = 0; i < 400; i++)
		pages += page_to_nid(vmalloc_to_page(memory + i * PAGE_SIZE)) ==
			 place->node[0];
	/* Page tables and the like move the counter, too. */
	KUNIT_EXPECT_GE(test, pages, 295);
	KUNIT_EXPECT_LE(test, pages, 305);
	vfree(memory);
}

/* Nobody else has such a policy at boot. */
static unsigned long run_order_pages(struct kunit *test)
{
	unsigned long *events = kunit_kcalloc(test, NR_VM_EVENT_ITEMS,
					      sizeof(*events), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, events);
	all_vm_events(events);
	return events[INTERLEAVE_RUN_ORDER];
}

static void without_a_set_pages_go_in_run_order(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 4, 2);
	unsigned long index, counted = run_order_pages(test);
	struct interleave_set *set;
	int pages = 0;

	set = rcu_dereference_protected(place->policy.interleave, true);
	RCU_INIT_POINTER(place->policy.interleave, NULL);

	for (index = 0; index < 60; index++) {
		int nid = weighted_interleave_nid(&place->policy, index);

		KUNIT_EXPECT_EQ(test, nid, place->node[index % 6 >= 4]);
		pages += nid == place->node[0];
	}
	KUNIT_EXPECT_EQ(test, pages, 40);
	KUNIT_EXPECT_EQ(test, counted + 60, run_order_pages(test));

	use_policy(&place->policy);
	for (pages = 0, index = 0; index < 60; index++)
		pages += weighted_interleave_advance(&place->policy) ==
			 place->node[0];
	KUNIT_EXPECT_EQ(test, pages, 40);
	/* Memory to read the events with is not to be one more of them. */
	use_policy(place->before);
	KUNIT_EXPECT_EQ(test, counted + 120, run_order_pages(test));
	/* In bulk there is nothing to go by: the caller takes single pages. */
	use_policy(&place->policy);
	KUNIT_EXPECT_EQ(test, 0ul, bulk(place, 12));
	KUNIT_EXPECT_EQ(test, current->il_position, 0);

	RCU_INIT_POINTER(place->policy.interleave, set);
}

static void take_nodes(struct mempolicy *pol, const nodemask_t *nodes)
{
	pol->nodes = *nodes;
}

static void a_rebind_is_completed(struct kunit *test)
{
	struct place_test *place = two_nodes(test, 4, 1);
	nodemask_t second = nodemask_of_node(place->node[1]);
	struct interleave_set *set;

	use_policy(&place->policy);
	task_lock(current);
	weighted_interleave_rebind(&place->policy, &second, take_nodes);
	task_unlock(current);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(place->policy.interleave));
	KUNIT_EXPECT_EQ(test, place->node[1],
			(int)weighted_interleave_peek(&place->policy));

	KUNIT_EXPECT_EQ(test, 0, weighted_interleave_complete(&place->policy));
	set = rcu_dereference_protected(place->policy.interleave, true);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_EXPECT_TRUE(test, interleave_set_is_of(set, &place->policy.nodes, NULL));
	KUNIT_EXPECT_EQ(test, place->node[1],
			(int)weighted_interleave_advance(&place->policy));
}

static void policies_of_other_modes_do_not_grow(struct kunit *test)
{
	/* refcnt, mode, flags, home node or set, two masks */
	KUNIT_EXPECT_EQ(test, sizeof(struct mempolicy),
			8 + sizeof(void *) + 2 * sizeof(nodemask_t));
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE(offsets_follow_the_order),
	KUNIT_CASE(peek_tells_the_next_page),
	KUNIT_CASE(slab_advances_the_counter),
	KUNIT_CASE(single_pages_follow_the_counter),
	KUNIT_CASE(bulk_goes_on_where_it_stopped),
	KUNIT_CASE(bulk_takes_what_single_pages_would),
	KUNIT_CASE(a_request_has_so_many_pages_at_most),
#if defined(CONFIG_MEMCG) && !defined(CONFIG_SLOB)
	KUNIT_CASE(charged_bulk_keeps_the_ratio),
#endif
	KUNIT_CASE(bulk_and_single_pages_share_the_counter),
	KUNIT_CASE(each_size_has_its_shares),
	KUNIT_CASE(each_size_is_even_under_interleave),
	KUNIT_CASE(larger_pages_leave_single_ones_alone),
	KUNIT_CASE(counters_of_orders),
	KUNIT_CASE(even_bulk_is_that_of_interleave),
	KUNIT_CASE(vmalloc_is_weighted),
	KUNIT_CASE(without_a_set_pages_go_in_run_order),
	KUNIT_CASE(a_rebind_is_completed),
	KUNIT_CASE(policies_of_other_modes_do_not_grow),
	{}
};

static struct kunit_suite place_suite = {
	.name = "interleave_place",
	.init = place_init,
	.exit = place_exit,
	.test_cases = place_cases,
};

kunit_test_suite(place_suite);
