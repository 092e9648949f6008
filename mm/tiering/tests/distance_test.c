// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of abstract distances: pure arithmetic.
 */
#include <kunit/test.h>
#include <linux/memory-tiers.h>

#include "../distance.h"

#define DRAM	MEMTIER_ADISTANCE_DRAM

static const struct memory_speed dram = { 160, 400000 };

static int distance(u64 latency, u64 bandwidth)
{
	struct memory_speed speed = { latency, bandwidth };

	return memory_distance(&speed, &dram, DRAM);
}

static void like_dram(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, distance(160, 400000), DRAM);
	KUNIT_EXPECT_EQ(test, distance(320, 800000), DRAM);
	KUNIT_EXPECT_EQ(test, distance(80, 200000), DRAM);
}

static void slower_is_further(struct kunit *test)
{
	/* 250 ns and 22 GB/s beside 80 ns and 200 GB/s: 3.125 * 9.0909 */
	KUNIT_EXPECT_EQ(test, distance(500, 44000), 16364);
	KUNIT_EXPECT_EQ(test, distance(320, 200000), 4 * DRAM);
	/* High bandwidth memory */
	KUNIT_EXPECT_EQ(test, distance(200, 1600000), DRAM * 5 / 16);
}

static void one_value_is_enough(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, distance(480, 0), 3 * DRAM);
	KUNIT_EXPECT_EQ(test, distance(0, 100000), 4 * DRAM);
	KUNIT_EXPECT_EQ(test, distance(0, 0), 0);
}

static void both_must_know_it(struct kunit *test)
{
	static const struct memory_speed latency_only = { 160, 0 };
	struct memory_speed speed = { 320, 100 };

	KUNIT_EXPECT_EQ(test, memory_distance(&speed, &latency_only, DRAM),
			2 * DRAM);
	speed.latency = 0;
	KUNIT_EXPECT_EQ(test, memory_distance(&speed, &latency_only, DRAM), 0);
}

/* A ratio of 1.1 is lost where 160 / 176 is divided first */
static void nothing_lost_to_rounding(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, distance(161, 400000), 580);
	KUNIT_EXPECT_EQ(test, distance(176, 400000), 634);
	KUNIT_EXPECT_EQ(test, distance(160, 399000), 577);
	KUNIT_EXPECT_EQ(test, distance(159, 400000), 572);
}

static void extremes(struct kunit *test)
{
	static const struct memory_speed slowest = { 2ULL * U32_MAX, 1 };
	static const struct memory_speed fastest = { 1, 2ULL * U32_MAX };

	KUNIT_EXPECT_EQ(test, memory_distance(&slowest, &fastest, DRAM),
			HIGHEST_DISTANCE);
	KUNIT_EXPECT_EQ(test, memory_distance(&fastest, &slowest, DRAM),
			LOWEST_DISTANCE);
	KUNIT_EXPECT_EQ(test, memory_distance(&slowest, &slowest, DRAM), DRAM);
	KUNIT_EXPECT_EQ(test, memory_distance(&fastest, &fastest, DRAM), DRAM);
}

/* DRAM of two kinds is averaged over what is known of each. */
static void mean(struct kunit *test)
{
	static const struct memory_speed speeds[] = {
		{ 160, 400000 }, { 240, 0 }, { 0, 200001 }, {},
	};
	struct memory_speed_sum sum = {};
	struct memory_speed mean;
	unsigned int i;

	mean = memory_speed_mean(&sum);
	KUNIT_EXPECT_EQ(test, mean.latency, 0ULL);
	KUNIT_EXPECT_EQ(test, mean.bandwidth, 0ULL);
	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		memory_speed_add(&sum, &speeds[i]);
	mean = memory_speed_mean(&sum);
	KUNIT_EXPECT_EQ(test, mean.latency, 200ULL);
	KUNIT_EXPECT_EQ(test, mean.bandwidth, 300001ULL);
}

static struct kunit_case distance_cases[] = {
	KUNIT_CASE(like_dram),
	KUNIT_CASE(slower_is_further),
	KUNIT_CASE(one_value_is_enough),
	KUNIT_CASE(both_must_know_it),
	KUNIT_CASE(nothing_lost_to_rounding),
	KUNIT_CASE(extremes),
	KUNIT_CASE(mean),
	{}
};

static struct kunit_suite distance_suite = {
	.name = "memory_distance",
	.test_cases = distance_cases,
};

kunit_test_suite(distance_suite);

MODULE_LICENSE("GPL");
