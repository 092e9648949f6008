// SPDX-License-Identifier: GPL-2.0
/*
 * What happens when memory is short while a policy is set or a weight is
 * written: each allocation of a call is made to fail in turn. A call that sets a
 * policy answers ENOMEM and what was in force before stays in force, or it
 * succeeds. A weight is in force whatever fails; what it has no room for comes
 * back when somebody asks for a page.
 *
 * Needs a kernel with fault injection (FAILSLAB, FAIL_PAGE_ALLOC).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "cases.h"
#include "interleave.h"
#include "placement.h"

#define MOST_ALLOCATIONS 2000
#define PAGES 64
/* Mappings that share one of two global weights and have another one of their own */
#define SETS 4
/*
 * Each allocation fails a few times: now and then the failure goes to one that
 * is not the call's own and does no harm, or a slab that needs another page
 * shifts the count.
 */
#define TRIES 4
/* The buffer that sysfs copies a write to, and a page for it, come first */
#define BUFFER 4

FIXTURE(enomem)
{
	struct saved_weights saved;
	struct nodeset nodes;
	struct area area;
	const char *missing;
	int fail;
};

FIXTURE_SETUP(enomem)
{
	ASSERT_TRUE(is_there(WEIGHT_DIR));
	self->fail = fault_open();
	if (self->fail < 0) {
		self->missing = "no fault injection in this kernel";
		return;
	}
	ASSERT_EQ(0, weights_save(&self->saved));
	if (nodeset_count(&self->saved.nodes) < 2) {
		self->missing = "needs two nodes with memory";
		return;
	}
	self->nodes = nodeset_head(&self->saved.nodes, 2);
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(enomem)
{
	if (self->missing)
		return;
	EXPECT_EQ(0, weights_restore(&self->saved));
	close(self->fail);
}

/* Pages of one mapping after the other that go in run order */
static long long touch_each(const struct area *area)
{
	const long long before = run_order_placements();
	const size_t page = page_bytes();
	size_t i;

	madvise(area->start, area->len, MADV_DONTNEED);
	for (i = 0; i < SETS; i++)
		touch(area->start + i * page, 1, page);
	return run_order_placements() - before;
}

/* sysfs needs a buffer for what is written. Behind that nothing may stop the write. */
TEST_F(enomem, weight)
{
	int file, first, nth, try, ret, lost = 0;
	const size_t page = page_bytes();
	unsigned int weight[2] = {};
	struct own_policy own;
	bool hit, was_lost, failed = true;
	char path[128];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	/* Live sets, each of which a write makes an order for */
	ASSERT_EQ(0, area_map(&self->area, SETS, 1));
	for (weight[1] = 1; weight[1] <= SETS; weight[1]++) {
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &self->nodes, weight);
		ASSERT_EQ(0, own_bind(self->area.start + (weight[1] - 1) * page, page,
				      &own, 0));
	}
	first = nodeset_nth(&self->nodes, 0);
	weight_path(first, path, sizeof(path));
	file = open(path, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, weight_write(first, 1));

	for (nth = 1; nth < MOST_ALLOCATIONS && failed; nth++) {
		failed = false;
		was_lost = false;
		for (try = 0; try < TRIES; try++) {
			fault_nth(self->fail, nth);
			ret = pwrite(file, "7", 1, 0) == 1 ? 0 : -errno;
			hit = fault_hit(self->fail);
			failed |= hit;
			if (ret) {
				ASSERT_TRUE(hit);
				ASSERT_EQ(-ENOMEM, ret);
				ASSERT_GE(BUFFER, nth);
				ASSERT_EQ(1, weight_read(first));
				continue;
			}
			ASSERT_EQ(7, weight_read(first));
			was_lost |= touch_each(&self->area) > 0;
			ASSERT_EQ(0, touch_each(&self->area));
			ASSERT_EQ(0, weight_write(first, 1));
		}
		lost += was_lost;
	}
	EXPECT_FALSE(failed);
	/* The shares and the order of each set */
	EXPECT_LE(2 * SETS, lost);
	close(file);
	area_unmap(&self->area);
}

TEST_F(enomem, new_weight_counts)
{
	int node[PAGES], nth, ret, on_first;
	struct nodeset *nodes = &self->nodes;
	char path[128];
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, weight_write(nodeset_nth(nodes, 0), 3));
	weight_path(nodeset_nth(nodes, 1), path, sizeof(path));
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE, nodes));
	for (nth = 1; nth < MOST_ALLOCATIONS; nth++) {
		ASSERT_EQ(0, file_write(path, "3", 1));
		fault_nth(self->fail, nth);
		ret = file_write(path, "1", 1);
		if (!fault_hit(self->fail))
			break;
		if (ret)
			continue;

		ASSERT_EQ(0, area_map(&self->area, PAGES, PAGES));
		ASSERT_EQ(0, place(self->area.start, PAGES, page_bytes(), node));
		for (on_first = 0, i = 0; i < PAGES; i++)
			on_first += node[i] == nodeset_nth(nodes, 0);
		area_unmap(&self->area);
		ASSERT_EQ(PAGES * 3 / 4, on_first);
	}
	EXPECT_LT(1, nth);
	EXPECT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
}

TEST_F(enomem, task_policy)
{
	int mode, nth, try, ret, refused = 0;
	struct nodeset one, got;
	bool failed = true, was_refused;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	one = nodeset_of(nodeset_nth(&self->nodes, 0));
	for (nth = 1; nth < MOST_ALLOCATIONS && failed; nth++) {
		was_refused = false;
		failed = false;
		for (try = 0; try < TRIES; try++) {
			ASSERT_EQ(0, policy_set(MPOL_BIND, &one));
			fault_nth(self->fail, nth);
			ret = policy_set(MPOL_WEIGHTED_INTERLEAVE, &self->nodes);
			failed |= fault_hit(self->fail);
			if (!ret)
				continue;
			ASSERT_EQ(-ENOMEM, ret);
			was_refused = true;
			ASSERT_EQ(0, policy_get(&mode, &got, NULL, 0));
			ASSERT_EQ(MPOL_BIND, mode);
			ASSERT_TRUE(nodeset_equal(&one, &got));
		}
		refused += was_refused;
	}
	EXPECT_FALSE(failed);
	EXPECT_EQ(0, ret);
	/* The policy, the set, the shares and the order */
	EXPECT_LE(4, refused);
	EXPECT_EQ(0, policy_set(MPOL_DEFAULT, NULL));
}

/* The middle of an area under @mode gets weighted interleaving. */
static void bind_middle(struct __test_metadata *_metadata, int fail,
			const struct nodeset *nodes, bool shared)
{
	size_t page = page_bytes(), len = PAGES / 2 * page;
	int mode, nth, ret, refused = 0;
	struct nodeset one, got;
	struct area area;
	char *middle;
	bool failed;

	one = nodeset_of(nodeset_nth(nodes, 0));
	for (nth = 1; nth < MOST_ALLOCATIONS; nth++) {
		ASSERT_EQ(0, shared ? area_map_shared(&area, PAGES) :
				      area_map(&area, PAGES, 1));
		middle = area.start + PAGES / 4 * page;
		ASSERT_EQ(0, policy_bind(area.start, PAGES * page,
					 MPOL_BIND, &one, 0));

		fault_nth(fail, nth);
		ret = policy_bind(middle, len, MPOL_WEIGHTED_INTERLEAVE,
				  nodes, 0);
		failed = fault_hit(fail);
		ASSERT_EQ(0, policy_get(&mode, &got, middle, MPOL_F_ADDR));
		if (ret) {
			ASSERT_TRUE(failed);
			ASSERT_EQ(-ENOMEM, ret);
			ASSERT_EQ(MPOL_BIND, mode);
			ASSERT_TRUE(nodeset_equal(&one, &got));
			refused++;
		} else {
			ASSERT_EQ(MPOL_WEIGHTED_INTERLEAVE, mode);
		}
		touch(area.start, PAGES, page);
		area_unmap(&area);
		if (!failed)
			break;
	}
	EXPECT_EQ(0, ret);
	EXPECT_LE(4, refused);
}

TEST_F(enomem, mapping)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	bind_middle(_metadata, self->fail, &self->nodes, false);
}

TEST_F(enomem, shared_mapping)
{
	if (self->missing)
		SKIP(return, "%s", self->missing);
	bind_middle(_metadata, self->fail, &self->nodes, true);
}
