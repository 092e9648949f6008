/* SPDX-License-Identifier: GPL-2.0 */
/* The channel of a node: bandwidth, and latency that grows under load */
#ifndef NUMASIM_CHANNEL_H
#define NUMASIM_CHANNEL_H

#include <stdint.h>

/* Time is accounted in buckets of 100 ns. */
#define CHANNEL_BUCKET_PS	100000ULL
/* 1.6 ms, twice what all CPUs together may wait for at a node */
#define CHANNEL_BUCKETS		16384

/**
 * struct channel_bucket - what is given away of a bucket
 * @number: its start, in buckets since power-on; other buckets had the place before
 * @used: time that is given away, fs
 * @factor: latency while it lasts, in 1024ths of the idle one
 */
struct channel_bucket {
	uint64_t number;
	uint64_t used;
	uint32_t factor;
};

/**
 * struct channel - accounts of a node's channel
 * @buckets: a ring; a number that is not there has nothing given away
 * @full_start: first bucket of a range without free time
 * @full_end: first bucket behind that range
 */
struct channel {
	struct channel_bucket buckets[CHANNEL_BUCKETS];
	uint64_t full_start;
	uint64_t full_end;
};

void channel_init(struct channel *channel);
uint64_t channel_take(struct channel *channel, uint64_t now, uint64_t cost_fs,
		      uint64_t latency);
uint32_t channel_factor(uint32_t load);

#endif
