// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of weights that fit bandwidths: pure arithmetic.
 */
#include <kunit/test.h>
#include <linux/gcd.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "../fit.h"

#define MOST_NODES	16

struct machine {
	unsigned int nr;
	u32 bandwidth[4];
	u8 weight[4];
};

/* MB/s */
static const struct machine machines[] = {
	{ 1, { 200000 }, { 1 } },
	{ 2, { 200000, 200000 }, { 1, 1 } },
	{ 2, { 200000, 20000 }, { 10, 1 } },
	{ 2, { 200000, 22000 }, { 100, 11 } },
	{ 2, { 204800, 22528 }, { 100, 11 } },
	{ 2, { 20000, 200000 }, { 1, 10 } },
	{ 2, { 38400 * 8, 38400 * 4 }, { 2, 1 } },
	{ 3, { 8000, 2000, 3000 }, { 8, 2, 3 } },
	{ 4, { 12, 10, 12, 10 }, { 6, 5, 6, 5 } },
	/* Further apart than weights can be */
	{ 2, { 1000000, 1 }, { 255, 1 } },
	{ 2, { U32_MAX, 1 }, { 255, 1 } },
	{ 3, { U32_MAX, U32_MAX, U32_MAX }, { 1, 1, 1 } },
};

static void known_machines(struct kunit *test)
{
	u8 weight[4], work[4];
	unsigned int i, node;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		const struct machine *machine = &machines[i];

		interleave_fit(machine->bandwidth, weight, work, machine->nr, 255);
		for (node = 0; node < machine->nr; node++)
			KUNIT_EXPECT_EQ_MSG(test, weight[node], machine->weight[node],
					    "machine %u, node %u", i, node);
	}
}

static const struct {
	u32 read, write;
	unsigned int reads;
	u32 mixed;
} mixes[] = {
	{ 200000, 100000, 100, 200000 },
	{ 200000, 100000, 0, 100000 },
	/* Half of the bytes at either speed: 2 / (1 / 200 + 1 / 100) */
	{ 200000, 100000, 50, 133333 },
	/* 100 / (67 / 224800 + 33 / 182600) */
	{ 224800, 182600, 67, 208870 },
	/* An expander that writes faster than it reads */
	{ 11720, 14680, 67, 12555 },
	{ 22528, 22528, 67, 22528 },
	{ 22528, 22528, 1, 22528 },
	/* One alone, or none */
	{ 22528, 0, 67, 22528 },
	{ 0, 22528, 67, 22528 },
	{ 0, 22528, 100, 22528 },
	{ 0, 0, 67, 0 },
	{ U32_MAX, U32_MAX, 67, U32_MAX },
	{ U32_MAX, 1, 100, U32_MAX },
	{ 1, U32_MAX, 50, 1 },
	{ 1, 1, 0, 1 },
};

static void mixed_bandwidths(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mixes); i++)
		KUNIT_EXPECT_EQ_MSG(test, mixes[i].mixed,
				    interleave_mixed(mixes[i].read, mixes[i].write,
						     mixes[i].reads),
				    "mix %u", i);
}

/* Less than 0 when the ratios of @a are closer than those of @b */
static int compare(const u32 *bandwidth, const u8 *a, const u8 *b,
		   unsigned int nr)
{
	u64 longest[2] = {}, shortest[2] = { U64_MAX, U64_MAX };
	const u8 *weight[2] = { a, b };
	unsigned int i, j;

	/* The bandwidths of the test divide it. */
	for (j = 0; j < 2; j++) {
		for (i = 0; i < nr; i++) {
			u64 time = weight[j][i] * div_u64(1260ULL * 1260, bandwidth[i]);

			longest[j] = max(longest[j], time);
			shortest[j] = min(shortest[j], time);
		}
	}
	if (longest[0] * shortest[1] == longest[1] * shortest[0])
		return 0;
	return longest[0] * shortest[1] < longest[1] * shortest[0] ? -1 : 1;
}

/* Against all weights that there are, where these are few */
static void as_good_as_any(struct kunit *test)
{
	enum { MOST = 9 };
	static const u32 divisors[] = { 1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 14, 15,
		18, 20, 21, 28, 30, 35, 36, 42, 45, 60, 63, 70, 84, 90, 105,
		126, 140, 180, 210, 252, 315, 420, 630, 1260 };
	u32 bandwidth[3];
	struct rnd_state random;
	unsigned int round;

	prandom_seed_state(&random, 71);
	for (round = 0; round < 60; round++) {
		u8 best[3], other[3], work[3];
		unsigned int i, sum;

		for (i = 0; i < 3; i++)
			bandwidth[i] = divisors[prandom_u32_state(&random) %
						ARRAY_SIZE(divisors)];
		interleave_fit(bandwidth, best, work, 3, MOST);
		sum = best[0] + best[1] + best[2];
		for (other[0] = 1; other[0] <= MOST; other[0]++)
			for (other[1] = 1; other[1] <= MOST; other[1]++)
				for (other[2] = 1; other[2] <= MOST; other[2]++) {
					int better = compare(bandwidth, best, other, 3);

					KUNIT_ASSERT_LE(test, better, 0);
					if (!better)
						KUNIT_ASSERT_LE(test, sum,
								other[0] + other[1] + other[2]);
				}
	}
}

/* Down to 1:25 the ratio is met to a quarter of a percent, at any place. */
static void close_to_any_ratio(struct kunit *test)
{
	u32 bandwidth[2] = { 100000, 0 };
	u8 weight[2], work[2];
	u32 ratio;

	for (ratio = 4000; ratio <= 100000; ratio += 37) {
		s64 error;

		bandwidth[1] = ratio;
		interleave_fit(bandwidth, weight, work, 2, 255);
		/* In millionths of the ratio wanted */
		error = abs(weight[0] * (s64)ratio - weight[1] * 100000LL);
		error = div_s64(error * 1000000, weight[1] * 100000);
		KUNIT_EXPECT_LE_MSG(test, error, 2500LL, "%u: %u:%u", ratio,
				    weight[0], weight[1]);
		KUNIT_EXPECT_EQ(test, gcd(weight[0], weight[1]), 1UL);
	}
}

static void many_nodes(struct kunit *test)
{
	u8 weight[MOST_NODES], work[MOST_NODES];
	u32 bandwidth[MOST_NODES];
	unsigned int i;

	for (i = 0; i < MOST_NODES; i++)
		bandwidth[i] = 1000 * (1 + i * 15);
	interleave_fit(bandwidth, weight, work, MOST_NODES, 255);
	for (i = 0; i < MOST_NODES; i++)
		KUNIT_EXPECT_EQ(test, (unsigned int)weight[i], 1 + i * 15);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(mixed_bandwidths),
	KUNIT_CASE(known_machines),
	KUNIT_CASE(as_good_as_any),
	KUNIT_CASE(close_to_any_ratio),
	KUNIT_CASE(many_nodes),
	{}
};

static struct kunit_suite suite = {
	.name = "interleave_fit",
	.test_cases = cases,
};

kunit_test_suite(suite);
