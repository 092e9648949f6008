/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_DISTANCE_H
#define _MM_TIERING_DISTANCE_H

#include <linux/types.h>

/* What an administrator may set, and what is derived stays within */
#define LOWEST_DISTANCE		1
#define HIGHEST_DISTANCE	65535

/**
 * struct memory_speed - what firmware tells of a node
 * @latency:   of reads and writes together, ns; 0 when unknown
 * @bandwidth: of reads and writes together, MB/s; 0 when unknown
 */
struct memory_speed {
	u64 latency;
	u64 bandwidth;
};

/**
 * struct memory_speed_sum - of several nodes
 * @speed:      the sums
 * @latencies:  how many nodes have a latency
 * @bandwidths: how many have a bandwidth
 */
struct memory_speed_sum {
	struct memory_speed speed;
	unsigned int latencies;
	unsigned int bandwidths;
};

void memory_speed_add(struct memory_speed_sum *sum,
		      const struct memory_speed *speed);
struct memory_speed memory_speed_mean(const struct memory_speed_sum *sum);
int memory_distance(const struct memory_speed *speed,
		    const struct memory_speed *dram, int dram_distance);

#endif /* _MM_TIERING_DISTANCE_H */
