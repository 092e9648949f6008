// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ranges of memory that the command line names.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mmzone.h>
#include <linux/string.h>

#include "../ranges.h"

/* Pages of the smallest range there is */
#define BLOCK	MAX_ORDER_NR_PAGES

static const char *add(struct memory_ranges *ranges, unsigned long start,
		       unsigned long end)
{
	const struct memory_range range = { start, end };

	return memory_ranges_add(ranges, &range, NULL);
}

/* Ranges of one, two and one block with gaps between them */
static void three(struct kunit *test, struct memory_ranges *ranges)
{
	*ranges = (struct memory_ranges) {};
	KUNIT_ASSERT_NULL(test, add(ranges, 8 * BLOCK, 9 * BLOCK));
	KUNIT_ASSERT_NULL(test, add(ranges, 2 * BLOCK, 3 * BLOCK));
	KUNIT_ASSERT_NULL(test, add(ranges, 4 * BLOCK, 6 * BLOCK));
}

static void what_is_right(struct kunit *test)
{
	static const struct {
		const char *text;
		size_t length;
		u64 size, base;
	} items[] = {
		{ "1G@0", 4, 1ULL << 30, 0 },
		{ "1g@4G", 5, 1ULL << 30, 4ULL << 30 },
		{ "512M@0x60000000,1G@8G", 15, 512ULL << 20, 0x60000000 },
		{ "0x40000000@0x140000000", 22, 1ULL << 30, 0x140000000 },
		{ "0X40000000@0Xc0000000", 21, 1ULL << 30, 3ULL << 30 },
		{ "1048576K@1T", 11, 1ULL << 30, 1ULL << 40 },
		{ "1073741824@1P,", 13, 1ULL << 30, 1ULL << 50 },
	};
	struct memory_range range;
	const char *wrong;
	size_t length;
	int i;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		if (items[i].base + items[i].size - 1 > ULONG_MAX)
			continue;
		length = memory_range_parse(items[i].text, &range, &wrong);
		KUNIT_EXPECT_EQ_MSG(test, items[i].length, length, "%s",
				    items[i].text);
		KUNIT_EXPECT_NULL_MSG(test, wrong, "%s: %s", items[i].text,
				      wrong);
		KUNIT_EXPECT_EQ_MSG(test, items[i].base,
				    (u64)range.start << PAGE_SHIFT, "%s",
				    items[i].text);
		KUNIT_EXPECT_EQ_MSG(test, items[i].base + items[i].size,
				    (u64)range.end << PAGE_SHIFT, "%s",
				    items[i].text);
	}
}

static void what_is_wrong(struct kunit *test)
{
	static const struct {
		const char *text, *wrong;
	} items[] = {
		{ "", "it is not SIZE@BASE" },
		{ ",1G@0", "it is not SIZE@BASE" },
		{ "@", "it is not SIZE@BASE" },
		{ "1G", "it is not SIZE@BASE" },
		{ "1G@", "it is not SIZE@BASE" },
		{ "@1G", "it is not SIZE@BASE" },
		{ "foo@bar", "it is not SIZE@BASE" },
		{ "1G@1G@1G", "it is not SIZE@BASE" },
		{ "1G@1Gx", "it is not SIZE@BASE" },
		{ "1GB@1G", "it is not SIZE@BASE" },
		{ "-1G@1G", "it is not SIZE@BASE" },
		{ " 1G@1G", "it is not SIZE@BASE" },
		{ "10%@1G", "it is not SIZE@BASE" },
		{ "0@1G", "it is empty" },
		{ "0G@4G", "it is empty" },
		{ "1000000000000000000000G@0", "it is too large" },
		{ "16384P@0", "it is too large" },
		{ "1G@16E", "it is too large" },
		{ "8E@8E", "it is too large" },
		{ "0xfffffffffffffffff@0", "it is too large" },
		{ "0x8000000000000000@0x8000000000000000", "it is too large" },
		{ "0x@0x", "it is not SIZE@BASE" },
		{ "1G@08", "it is not SIZE@BASE" },
		{ "1G@1", "its start or its end is not a multiple of" },
		{ "4097@1G", "its start or its end is not a multiple of" },
		{ "1G@1025K", "its start or its end is not a multiple of" },
	};
	struct memory_range range = { 1, 2 };
	const char *wrong;
	size_t length;
	int i;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		length = memory_range_parse(items[i].text, &range, &wrong);
		KUNIT_EXPECT_EQ(test, strcspn(items[i].text, ","), length);
		KUNIT_EXPECT_STREQ_MSG(test, wrong, items[i].wrong, "%s",
				       items[i].text);
	}
	KUNIT_EXPECT_EQ(test, range.start, 1UL);
	KUNIT_EXPECT_EQ(test, range.end, 2UL);
}

static void no_two_overlap(struct kunit *test)
{
	static const struct memory_range others[] = {
		{ 2 * BLOCK, 3 * BLOCK },
		{ 0, 100 * BLOCK },
		{ 0, 2 * BLOCK + 1 },
		{ 3 * BLOCK - 1, 4 * BLOCK },
		{ 5 * BLOCK, 7 * BLOCK },
		{ 8 * BLOCK, 8 * BLOCK + 1 },
	};
	struct memory_ranges ranges;
	int i;

	three(test, &ranges);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_STREQ_MSG(test, "it overlaps another one",
				       add(&ranges, others[i].start,
					   others[i].end), "%d", i);
	KUNIT_EXPECT_EQ(test, ranges.nr, 3U);
	/* What only touches them does not overlap. */
	KUNIT_EXPECT_NULL(test, add(&ranges, 3 * BLOCK, 4 * BLOCK));
	for (i = 1; i < ranges.nr; i++)
		KUNIT_EXPECT_LE(test, ranges.range[i - 1].end,
				ranges.range[i].start);
}

static const char *refuse_odd(const struct memory_range *range)
{
	return range->start / BLOCK % 2 ? "it is odd" : NULL;
}

static void what_is_refused_is_in_nobodys_way(struct kunit *test)
{
	static const struct memory_range odd = { BLOCK, 9 * BLOCK };
	static const struct memory_range even = { 2 * BLOCK, 3 * BLOCK };
	struct memory_ranges ranges = {};

	KUNIT_EXPECT_STREQ(test, "it is odd",
			   memory_ranges_add(&ranges, &odd, refuse_odd));
	KUNIT_EXPECT_NULL(test, memory_ranges_add(&ranges, &even, refuse_odd));
	KUNIT_EXPECT_STREQ(test, "it overlaps another one",
			   memory_ranges_add(&ranges, &odd, refuse_odd));
	KUNIT_EXPECT_EQ(test, ranges.nr, 1U);
}

static void no_more_than_there_is_room_for(struct kunit *test)
{
	struct memory_ranges ranges = {};
	unsigned long i;

	for (i = 0; i < MEMORY_RANGES_MAX; i++)
		KUNIT_EXPECT_NULL(test, add(&ranges, 2 * i, 2 * i + 1));
	KUNIT_EXPECT_STREQ(test, "there are 8 already",
			   add(&ranges, 2 * i, 2 * i + 1));
	KUNIT_EXPECT_EQ(test, ranges.nr, (unsigned int)MEMORY_RANGES_MAX);
}

static void each_frame_has_its_range(struct kunit *test)
{
	struct memory_ranges ranges;
	unsigned long pfn;
	unsigned int i;

	three(test, &ranges);
	for (pfn = 0; pfn < 10 * BLOCK; pfn += BLOCK / 2) {
		i = memory_ranges_find(&ranges, pfn);
		KUNIT_EXPECT_EQ(test, memory_ranges_hold(&ranges, pfn, pfn + 1),
				i < ranges.nr);
		if (i < ranges.nr) {
			KUNIT_EXPECT_LE(test, ranges.range[i].start, pfn);
			KUNIT_EXPECT_GT(test, ranges.range[i].end, pfn);
		}
		KUNIT_EXPECT_EQ(test, memory_ranges_next(&ranges, i, pfn), pfn);
	}
	KUNIT_EXPECT_TRUE(test, memory_ranges_hold(&ranges, 4 * BLOCK,
						   6 * BLOCK));
	KUNIT_EXPECT_FALSE(test, memory_ranges_hold(&ranges, 4 * BLOCK,
						    6 * BLOCK + 1));
	KUNIT_EXPECT_FALSE(test, memory_ranges_hold(&ranges, 4 * BLOCK - 1,
						    6 * BLOCK));
	/* Two that touch hold what lies across. */
	KUNIT_ASSERT_NULL(test, add(&ranges, 3 * BLOCK, 4 * BLOCK));
	KUNIT_EXPECT_TRUE(test, memory_ranges_hold(&ranges, 2 * BLOCK,
						   6 * BLOCK));
}

static void next_skips_the_others(struct kunit *test)
{
	struct memory_ranges ranges;

	three(test, &ranges);
	KUNIT_EXPECT_EQ(test, memory_ranges_next(&ranges, 1, 0), 4 * BLOCK);
	KUNIT_EXPECT_EQ(test, memory_ranges_next(&ranges, 1, 6 * BLOCK),
			ULONG_MAX);
	KUNIT_EXPECT_EQ(test, memory_ranges_next(&ranges, 3, 2 * BLOCK),
			3 * BLOCK);
	KUNIT_EXPECT_EQ(test, memory_ranges_next(&ranges, 3, 5 * BLOCK),
			6 * BLOCK);
	/* Ranges that touch each other are passed as one. */
	KUNIT_ASSERT_NULL(test, add(&ranges, 3 * BLOCK, 4 * BLOCK));
	KUNIT_EXPECT_EQ(test, memory_ranges_next(&ranges, 4, 2 * BLOCK),
			6 * BLOCK);
}

static void frames_are_counted_and_found(struct kunit *test)
{
	struct memory_ranges ranges;
	unsigned long pages, n, pfn;

	three(test, &ranges);
	KUNIT_EXPECT_EQ(test, memory_ranges_pages(&ranges, 0, ULONG_MAX),
			4UL * BLOCK);
	KUNIT_EXPECT_EQ(test, memory_ranges_pages(&ranges, 3 * BLOCK,
						  4 * BLOCK), 0UL);
	pages = memory_ranges_pages(&ranges, 2 * BLOCK + 1, 5 * BLOCK);
	KUNIT_EXPECT_EQ(test, pages, 2UL * BLOCK - 1);
	pfn = 2 * BLOCK;
	for (n = 0; n < pages; n++) {
		unsigned long nth = memory_ranges_nth(&ranges, 2 * BLOCK + 1,
						      5 * BLOCK, n);

		KUNIT_ASSERT_GT(test, nth, pfn);
		KUNIT_ASSERT_LT(test, memory_ranges_find(&ranges, nth),
				ranges.nr);
		pfn = nth;
	}
	KUNIT_EXPECT_EQ(test, pfn, 5UL * BLOCK - 1);
	KUNIT_EXPECT_EQ(test, memory_ranges_nth(&ranges, 0, 20 * BLOCK,
						4 * BLOCK), 20UL * BLOCK);
}

static struct kunit_case ranges_cases[] = {
	KUNIT_CASE(what_is_right),
	KUNIT_CASE(what_is_wrong),
	KUNIT_CASE(no_two_overlap),
	KUNIT_CASE(what_is_refused_is_in_nobodys_way),
	KUNIT_CASE(no_more_than_there_is_room_for),
	KUNIT_CASE(each_frame_has_its_range),
	KUNIT_CASE(next_skips_the_others),
	KUNIT_CASE(frames_are_counted_and_found),
	{}
};

static struct kunit_suite ranges_suite = {
	.name = "memory_ranges",
	.test_cases = ranges_cases,
};

kunit_test_suite(ranges_suite);
