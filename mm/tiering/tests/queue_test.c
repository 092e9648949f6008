// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the queue of hot pages: it takes what it has room for, gives it
 * back in order, and holds the number of a thread as long as a page of it waits.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>

#include "../budget.h"
#include "../queue.h"

static unsigned int holders(void)
{
	return refcount_read(&task_pid(current)->count);
}

/* Whoever has made a thread may let go of its number only after that runs. */
static int wait_for_maker(struct kunit *test)
{
	unsigned int tries;

	for (tries = 0; holders() > 1; tries++) {
		if (tries == 1000)
			return -ETIMEDOUT;
		usleep_range(1000, 2000);
	}
	return 0;
}

static void takes_what_it_has_room_for(struct kunit *test)
{
	struct promotion_queue queue = {};
	unsigned int before = holders(), i;
	struct queued_page page;

	KUNIT_ASSERT_EQ(test, promotion_queue_init(&queue, NUMA_NO_NODE), 0);
	KUNIT_EXPECT_FALSE(test, promotion_queue_oldest(&queue, &page));
	for (i = 0; i < QUEUE_LEAST; i++)
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, i * PAGE_SIZE, 1));
	KUNIT_EXPECT_EQ(test, holders(), before + QUEUE_LEAST);

	KUNIT_ASSERT_FALSE(test, promotion_queue_add(&queue, i * PAGE_SIZE, 1));
	KUNIT_EXPECT_EQ(test, holders(), before + QUEUE_LEAST);

	for (i = 0; i < QUEUE_LEAST; i++) {
		KUNIT_ASSERT_TRUE(test, promotion_queue_oldest(&queue, &page));
		KUNIT_ASSERT_EQ(test, page.address, i * PAGE_SIZE);
		promotion_queue_drop(&queue);
	}
	KUNIT_EXPECT_FALSE(test, promotion_queue_oldest(&queue, &page));
	KUNIT_EXPECT_EQ(test, holders(), before);
	promotion_queue_free(&queue);
}

/* Where the ring ends and begins again */
static void keeps_the_order(struct kunit *test)
{
	struct promotion_queue queue = {};
	struct queued_page page;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, promotion_queue_init(&queue, NUMA_NO_NODE), 0);
	KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, 0, 1));
	for (i = 1; i <= QUEUE_LEAST; i++) {
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, i * PAGE_SIZE, i));
		KUNIT_ASSERT_TRUE(test, promotion_queue_oldest(&queue, &page));
		KUNIT_ASSERT_EQ(test, page.address, (i - 1) * PAGE_SIZE);
		promotion_queue_drop(&queue);
	}
	KUNIT_ASSERT_TRUE(test, promotion_queue_oldest(&queue, &page));
	KUNIT_EXPECT_EQ(test, page.address, QUEUE_LEAST * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, page.pages, QUEUE_LEAST);
	promotion_queue_drop(&queue);
	promotion_queue_free(&queue);
}

/* What waits is there, in order, when the ring begins in the middle of the old one. */
static void grows_and_shrinks(struct kunit *test)
{
	struct promotion_queue queue = {};
	struct queued_page page;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, promotion_queue_init(&queue, NUMA_NO_NODE), 0);
	for (i = 0; i < QUEUE_LEAST; i++)
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, i * PAGE_SIZE, 1));
	for (i = 0; i < QUEUE_LEAST / 2; i++)
		promotion_queue_drop(&queue);
	for (i = 0; i < QUEUE_LEAST / 2; i++)
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue,
							    (QUEUE_LEAST + i) * PAGE_SIZE, 1));
	promotion_queue_fit(&queue, 2 * QUEUE_LEAST, NUMA_NO_NODE);
	KUNIT_ASSERT_EQ(test, queue.size, 2 * QUEUE_LEAST);
	for (i = QUEUE_LEAST / 2; i < 3 * QUEUE_LEAST / 2; i++)
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue,
							    (QUEUE_LEAST + i) * PAGE_SIZE, 1));
	/* No less than what waits */
	promotion_queue_fit(&queue, QUEUE_LEAST, NUMA_NO_NODE);
	KUNIT_EXPECT_EQ(test, queue.size, 2 * QUEUE_LEAST);
	for (i = QUEUE_LEAST / 2; i < 5 * QUEUE_LEAST / 2; i++) {
		KUNIT_ASSERT_TRUE(test, promotion_queue_oldest(&queue, &page));
		KUNIT_ASSERT_EQ(test, page.address, i * PAGE_SIZE);
		promotion_queue_drop(&queue);
	}
	KUNIT_EXPECT_EQ(test, promotion_queue_count(&queue), 0);
	promotion_queue_fit(&queue, QUEUE_LEAST, NUMA_NO_NODE);
	KUNIT_EXPECT_EQ(test, queue.size, QUEUE_LEAST);
	promotion_queue_free(&queue);
}

/* A page that cannot be looked at now gives way to the others. */
static void defers_one(struct kunit *test)
{
	static const unsigned long order[] = { 1, 2, 0 };
	struct promotion_queue queue = {};
	struct queued_page page;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, promotion_queue_init(&queue, NUMA_NO_NODE), 0);
	for (i = 0; i < ARRAY_SIZE(order); i++)
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, i * PAGE_SIZE, 1));
	promotion_queue_defer(&queue);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		KUNIT_ASSERT_TRUE(test, promotion_queue_oldest(&queue, &page));
		KUNIT_EXPECT_EQ(test, page.address, order[i] * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, page.tries, order[i] ? 0 : 1);
		promotion_queue_drop(&queue);
	}
	KUNIT_EXPECT_EQ(test, promotion_queue_count(&queue), 0);
	promotion_queue_free(&queue);
}

static void has_room_for_a_burst(struct kunit *test)
{
	const u32 pages_of_mb = (1 << 20) / PAGE_SIZE;

	KUNIT_EXPECT_EQ(test, promotion_queue_size(0), QUEUE_LEAST);
	KUNIT_EXPECT_EQ(test, promotion_queue_size(32 * pages_of_mb), QUEUE_LEAST);
	/* A quarter of a second */
	KUNIT_EXPECT_EQ(test, promotion_queue_size(2000 * pages_of_mb), 500 * pages_of_mb);
	KUNIT_EXPECT_EQ(test, promotion_queue_size(65535 * pages_of_mb), QUEUE_MOST);
	KUNIT_EXPECT_EQ(test, promotion_queue_size(PROMOTION_NO_LIMIT), QUEUE_LEAST);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(takes_what_it_has_room_for),
	KUNIT_CASE(keeps_the_order),
	KUNIT_CASE(grows_and_shrinks),
	KUNIT_CASE(defers_one),
	KUNIT_CASE(has_room_for_a_burst),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "promotion_queue",
	.init = wait_for_maker,
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);

MODULE_LICENSE("GPL");
