// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the queue of hot pages: it takes what it has room for, gives it
 * back in order, and holds the number of a process as long as a page of it waits.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>

#include "../queue.h"

static unsigned int holders(void)
{
	return refcount_read(&task_tgid(current)->count);
}

static void takes_what_it_has_room_for(struct kunit *test)
{
	struct promotion_queue queue = {};
	unsigned int before = holders(), i;
	struct queued_page page;

	KUNIT_ASSERT_EQ(test, promotion_queue_init(&queue), 0);
	KUNIT_EXPECT_FALSE(test, promotion_queue_oldest(&queue, &page));
	for (i = 0; i < QUEUE_PAGES; i++)
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, i * PAGE_SIZE, 1));
	KUNIT_EXPECT_EQ(test, holders(), before + QUEUE_PAGES);

	KUNIT_ASSERT_FALSE(test, promotion_queue_add(&queue, i * PAGE_SIZE, 1));
	KUNIT_EXPECT_EQ(test, holders(), before + QUEUE_PAGES);

	for (i = 0; i < QUEUE_PAGES; i++) {
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

	KUNIT_ASSERT_EQ(test, promotion_queue_init(&queue), 0);
	KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, 0, 1));
	for (i = 1; i <= QUEUE_PAGES; i++) {
		KUNIT_ASSERT_TRUE(test, promotion_queue_add(&queue, i * PAGE_SIZE, i));
		KUNIT_ASSERT_TRUE(test, promotion_queue_oldest(&queue, &page));
		KUNIT_ASSERT_EQ(test, page.address, (i - 1) * PAGE_SIZE);
		promotion_queue_drop(&queue);
	}
	KUNIT_ASSERT_TRUE(test, promotion_queue_oldest(&queue, &page));
	KUNIT_EXPECT_EQ(test, page.address, QUEUE_PAGES * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, page.pages, QUEUE_PAGES);
	promotion_queue_drop(&queue);
	promotion_queue_free(&queue);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(takes_what_it_has_room_for),
	KUNIT_CASE(keeps_the_order),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "promotion_queue",
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);

MODULE_LICENSE("GPL");
