// SPDX-License-Identifier: GPL-2.0
/*
 * From latency and bandwidth to an abstract distance.
 *
 * The distance of a node is that of DRAM, times how much longer its latency is,
 * times how much lower its bandwidth is. A CXL device with 22 GB/s and 250 ns
 * beside DRAM with 200 GB/s and 80 ns is 28 times as far. Firmware that tells
 * only one of the two gives a distance by that one.
 *
 * Nothing here knows of nodes, tiers or locks.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "distance.h"

/* The mean of the values that are known; 0 when none is */
static u64 mean_of(u64 sum, unsigned int known)
{
	return known ? div_u64(sum + known / 2, known) : 0;
}

/**
 * memory_speed_add - take a node into account
 * @sum:   of those so far, zeroed at first
 * @speed: of one more, either value of which may be unknown
 */
void memory_speed_add(struct memory_speed_sum *sum,
		      const struct memory_speed *speed)
{
	sum->speed.latency += speed->latency;
	sum->latencies += !!speed->latency;
	sum->speed.bandwidth += speed->bandwidth;
	sum->bandwidths += !!speed->bandwidth;
}

/**
 * memory_speed_mean - what several nodes are like on average
 * @sum: of all of them
 *
 * Return: the means of what is known.
 */
struct memory_speed memory_speed_mean(const struct memory_speed_sum *sum)
{
	return (struct memory_speed) {
		.latency = mean_of(sum->speed.latency, sum->latencies),
		.bandwidth = mean_of(sum->speed.bandwidth, sum->bandwidths),
	};
}

/* Both below 2^24, which leaves a ratio of two real values as it is */
static void shorten(u64 *a, u64 *b)
{
	int shift = fls64(*a | *b) - 24;

	if (shift > 0) {
		*a = max(*a >> shift, 1ULL);
		*b = max(*b >> shift, 1ULL);
	}
}

/**
 * memory_distance - abstract distance of a node
 * @speed:         the node's
 * @dram:          that of the DRAM of nodes with CPUs
 * @dram_distance: its abstract distance, 1 .. 4095
 *
 * One division of the product: nothing is lost to rounding before the end.
 *
 * Return: LOWEST_DISTANCE .. HIGHEST_DISTANCE, or 0 when there is nothing to
 * compare.
 */
int memory_distance(const struct memory_speed *speed,
		    const struct memory_speed *dram, int dram_distance)
{
	bool by_latency = speed->latency && dram->latency;
	bool by_bandwidth = speed->bandwidth && dram->bandwidth;
	u64 over = dram_distance, under = 1;
	u64 a, b;

	if (!by_latency && !by_bandwidth)
		return 0;
	if (by_latency) {
		a = speed->latency;
		b = dram->latency;
		shorten(&a, &b);
		over *= a;
		under *= b;
	}
	if (by_bandwidth) {
		a = dram->bandwidth;
		b = speed->bandwidth;
		shorten(&a, &b);
		over *= a;
		under *= b;
	}
	return clamp_t(u64, div64_u64(over + under / 2, under),
		       LOWEST_DISTANCE, HIGHEST_DISTANCE);
}
