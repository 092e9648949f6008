// SPDX-License-Identifier: GPL-2.0
/*
 * move_pages(2), which says where pages are, and moves them: many in one call, and
 * those that are inaccessible, because a scan has hidden them until they are
 * touched, or because their mapping is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "huge_pages.h"
#include "promotion.h"

#define BALANCING	SYSCTL_DIR "/numa_balancing"
/* So many are asked for in one call; the kernel takes sixteen at a time */
#define ASKED		256

struct machine {
	const char *missing;
	long long balancing;
	int first;
	/* The same on a machine with one node */
	int second;
};

static bool machine_enter(struct machine *machine)
{
	struct nodeset memory;

	if (geteuid()) {
		machine->missing = "needs root";
		return true;
	}
	if (nodeset_read("has_memory", &memory))
		return false;
	machine->first = nodeset_nth(&memory, 0);
	machine->second = nodeset_nth(&memory, nodeset_count(&memory) > 1);
	if (!has_room(machine->first, SOME_PAGES) ||
	    !has_room(machine->second, SOME_PAGES)) {
		machine->missing = "a node is too small";
		return true;
	}
	/* Nobody else hides pages, and none is brought back. */
	machine->balancing = file_number(BALANCING);
	return machine->balancing >= 0 && !file_print(BALANCING, "0");
}

static bool machine_leave(const struct machine *machine)
{
	return machine->missing ||
	       !file_print(BALANCING, "%lld", machine->balancing);
}

FIXTURE(one_call)
{
	struct machine on;
};

FIXTURE_SETUP(one_call)
{
	ASSERT_TRUE(machine_enter(&self->on));
}

FIXTURE_TEARDOWN(one_call)
{
	EXPECT_TRUE(machine_leave(&self->on));
}

/* What a call is given and gives, each at the very end of what can be accessed */
struct lists {
	struct area area[3];
	void **page;
	int *node;
	int *status;
};

static int lists_map(struct lists *lists, size_t count)
{
	char *end[ARRAY_LEN(lists->area)];
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_LEN(lists->area); i++) {
		ret = area_map(&lists->area[i], 1, 1);
		if (ret)
			return ret;
		end[i] = lists->area[i].start + lists->area[i].len;
	}
	lists->page = (void **)end[0] - count;
	lists->node = (int *)end[1] - count;
	lists->status = (int *)end[2] - count;
	for (i = 0; i < count; i++)
		lists->status[i] = INT_MIN;
	return 0;
}

static void lists_unmap(struct lists *lists)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(lists->area); i++)
		area_unmap(&lists->area[i]);
}

static int call(size_t count, void **page, const int *node, int *status)
{
	long ret = syscall(__NR_move_pages, 0, count, page, node, status,
			   node ? MPOL_MF_MOVE : 0);

	return ret < 0 ? -errno : ret;
}

/* Without a period: what is looked up in place of another page shows */
static bool odd(unsigned int i)
{
	return i * 0x9e3779b1u >> 31;
}

static bool is_hole(unsigned int i)
{
	return i % 5 == 3;
}

/* Pages of which each is on the node that odd() says, but for holes */
static int scatter(struct area *area, int first, int second)
{
	const size_t page = page_bytes();
	struct nodeset nodes;
	unsigned int i;
	int ret;

	ret = area_map(area, ASKED, 1);
	for (i = 0; i < ASKED && !ret; i++) {
		nodes = nodeset_of(odd(i) ? second : first);
		if (is_hole(i))
			ret = munmap(area->start + i * page, page) ? -errno : 0;
		else
			ret = policy_bind(area->start + i * page, page,
					  MPOL_BIND, &nodes, 0);
		if (!ret && !is_hole(i))
			touch(area->start + i * page, 1, page);
	}
	return ret;
}

/* How many of @status are not what they are to be */
static int wrong(const int *status, size_t count, int first, int second)
{
	int expected, found = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		expected = is_hole(i) ? -EFAULT : odd(i) ? second : first;
		if (status[i] == expected)
			continue;
		if (!found++)
			note("page %zu of %zu: %d in place of %d", i, count,
			     status[i], expected);
	}
	return found;
}

/* Every answer belongs to its page, and nothing beyond the list is read */
TEST_F(one_call, asks)
{
	static const size_t counts[] = { 1, 16, 17, 32, 33, 48, 255, ASKED };
	struct lists lists;
	struct area area;
	size_t i, k;

	if (self->on.missing)
		SKIP(return, "%s", self->on.missing);
	ASSERT_EQ(0, scatter(&area, self->on.first, self->on.second));
	for (i = 0; i < ARRAY_LEN(counts); i++) {
		ASSERT_EQ(0, lists_map(&lists, counts[i]));
		for (k = 0; k < counts[i]; k++)
			lists.page[k] = area.start + k * page_bytes();
		EXPECT_EQ(0, call(counts[i], lists.page, NULL, lists.status))
			TH_LOG("%zu pages", counts[i]);
		EXPECT_EQ(0, wrong(lists.status, counts[i], self->on.first,
				   self->on.second));
		lists_unmap(&lists);
	}
	area_unmap(&area);
}

/* A list that is shorter than it is said to be, and one without room for answers */
TEST_F(one_call, has_lists_that_end_early)
{
	struct lists lists;
	struct area area;
	size_t k;

	if (self->on.missing)
		SKIP(return, "%s", self->on.missing);
	ASSERT_EQ(0, scatter(&area, self->on.first, self->on.second));
	ASSERT_EQ(0, lists_map(&lists, ASKED));
	for (k = 0; k < ASKED; k++)
		lists.page[k] = area.start + k * page_bytes();
	EXPECT_EQ(-EFAULT, call(ASKED - 16, lists.page + 17, NULL,
				lists.status));
	/* What was answered before the end stays */
	EXPECT_EQ(odd(17) ? self->on.second : self->on.first, lists.status[0]);
	EXPECT_EQ(-EFAULT, call(ASKED - 16, lists.page, NULL,
				lists.status + 17));
	EXPECT_EQ(0, call(ASKED - 17, lists.page + 17, NULL,
			  lists.status + 17));
	lists_unmap(&lists);
	area_unmap(&area);
}

/* Each page to the node that is named for it, and where all of them are then */
TEST_F(one_call, moves)
{
	struct lists lists;
	struct area area;
	size_t k;

	if (self->on.missing)
		SKIP(return, "%s", self->on.missing);
	if (self->on.first == self->on.second)
		SKIP(return, "needs two nodes with memory");
	ASSERT_EQ(0, scatter(&area, self->on.first, self->on.second));
	ASSERT_EQ(0, lists_map(&lists, ASKED));
	for (k = 0; k < ASKED; k++) {
		lists.page[k] = area.start + k * page_bytes();
		lists.node[k] = odd(k) ? self->on.first : self->on.second;
	}
	EXPECT_EQ(0, call(ASKED, lists.page, lists.node, lists.status));
	EXPECT_EQ(0, wrong(lists.status, ASKED, self->on.second, self->on.first));
	for (k = 0; k < ASKED; k++)
		ASSERT_EQ(0, call(1, &lists.page[k], NULL, &lists.status[k]));
	EXPECT_EQ(0, wrong(lists.status, ASKED, self->on.second, self->on.first));
	lists_unmap(&lists);
	area_unmap(&area);
}

/* Pages of one size, and what makes them inaccessible */
FIXTURE(inaccessible)
{
	struct machine on;
	struct area area;
	/* Of each page that can be moved */
	size_t stride;
	size_t count;
};

FIXTURE_VARIANT(inaccessible)
{
	bool huge;
	/* What a scan does; else mprotect(2) */
	bool hidden;
};

FIXTURE_VARIANT_ADD(inaccessible, hidden) { .hidden = true };
FIXTURE_VARIANT_ADD(inaccessible, hidden_huge) { .hidden = true, .huge = true };
FIXTURE_VARIANT_ADD(inaccessible, protected) { };
FIXTURE_VARIANT_ADD(inaccessible, protected_huge) { .huge = true };

/* Pages that are known again by what is in them */
static void write_numbers(const struct area *area)
{
	size_t i, page = page_bytes();

	for (i = 0; i < area->len / page; i++)
		*(size_t *)(area->start + i * page) = i + 1;
}

static bool has_numbers(const struct area *area)
{
	size_t i, page = page_bytes();

	for (i = 0; i < area->len / page; i++)
		if (*(const size_t *)(area->start + i * page) != i + 1)
			return false;
	return true;
}

/* Memory on the first node, of huge pages or without; false when it is not so */
static bool fill_first(struct area *area, int first, bool huge)
{
	if (huge)
		file_print("/proc/sys/vm/compact_memory", "1");
	return !map_on(area, first, SOME_PAGES, huge) &&
	       thp_backed(area->start) == (huge ? area->len : 0) &&
	       count_on(area, first) == SOME_PAGES;
}

static bool hide(const struct area *area, bool by_scan)
{
	struct own_policy own;
	long long marked;

	if (!by_scan)
		return !mprotect(area->start, area->len, PROT_NONE);
	/* The default policy: touched on another node, they may move there. */
	own_init(&own, MPOL_DEFAULT, 0, NULL, NULL);
	marked = counter("auto_migrate_unmapped");
	return !own_bind(area->start, area->len, &own, MPOL_MF_LAZY | MPOL_MF_MOVE) &&
	       counter("auto_migrate_unmapped") >= marked + SOME_PAGES;
}

FIXTURE_SETUP(inaccessible)
{
	bool ready;

	ASSERT_TRUE(machine_enter(&self->on));
	if (self->on.missing)
		return;
	if (variant->huge && !thp_available()) {
		self->on.missing = "no transparent huge pages to be had";
		return;
	}
	ready = fill_first(&self->area, self->on.first, variant->huge);
	if (ready) {
		write_numbers(&self->area);
		self->stride = variant->huge ? HUGE_BYTES : page_bytes();
		self->count = self->area.len / self->stride;
		ready = hide(&self->area, variant->hidden);
	}
	if (!ready)
		machine_leave(&self->on);
	ASSERT_TRUE(ready);
}

FIXTURE_TEARDOWN(inaccessible)
{
	EXPECT_TRUE(machine_leave(&self->on));
}

static int pages_on[SOME_PAGES];

static int others(const int *status, size_t count, int node)
{
	int found = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (status[i] != node && !found++)
			note("page %zu of %zu: %d in place of %d", i, count,
			     status[i], node);
	return found;
}

/* How many pages are, by move_pages(2), anywhere else than on @node */
static int elsewhere(const struct area *area, int node)
{
	int err = nodes_of_pages(area->start, SOME_PAGES, page_bytes(), pages_on);

	return err ?: others(pages_on, SOME_PAGES, node);
}

/* Asked for, and still hidden from who touches them */
TEST_F(inaccessible, asked_for)
{
	long long faults;

	if (self->on.missing)
		SKIP(return, "%s", self->on.missing);
	EXPECT_EQ(0, elsewhere(&self->area, self->on.first));
	if (!variant->hidden)
		return;
	faults = counter("numa_hint_faults");
	EXPECT_TRUE(has_numbers(&self->area));
	EXPECT_LE(faults + (long long)self->count, counter("numa_hint_faults"));
}

TEST_F(inaccessible, moved)
{
	static int nodes[SOME_PAGES], status[SOME_PAGES];
	static void *page[SOME_PAGES];
	int second = self->on.second;
	size_t i;

	if (self->on.missing)
		SKIP(return, "%s", self->on.missing);
	if (self->on.first == second)
		SKIP(return, "needs two nodes with memory");
	for (i = 0; i < self->count; i++) {
		page[i] = self->area.start + i * self->stride;
		nodes[i] = second;
		status[i] = INT_MIN;
	}
	EXPECT_EQ(0, call(self->count, page, nodes, status));
	EXPECT_EQ(0, others(status, self->count, second));
	EXPECT_EQ(SOME_PAGES, count_on(&self->area, second));
	EXPECT_EQ(0, elsewhere(&self->area, second));
	if (!variant->hidden)
		ASSERT_EQ(0, mprotect(self->area.start, self->area.len,
				      PROT_READ));
	EXPECT_EQ(variant->huge ? self->area.len : 0,
		  thp_backed(self->area.start));
	EXPECT_TRUE(has_numbers(&self->area));
}

/* There is no page to tell of where nothing has been written, hidden or not. */
TEST(zero_page)
{
	struct area area;
	int node[2];

	ASSERT_EQ(0, area_map(&area, 2, 1));
	read_once(&area);
	ASSERT_EQ(0, nodes_of_pages(area.start, 2, page_bytes(), node));
	EXPECT_EQ(-EFAULT, node[0]);
	ASSERT_EQ(0, mprotect(area.start, page_bytes(), PROT_NONE));
	ASSERT_EQ(0, nodes_of_pages(area.start, 2, page_bytes(), node));
	EXPECT_EQ(-EFAULT, node[0]);
	EXPECT_EQ(-EFAULT, node[1]);
	area_unmap(&area);
}
