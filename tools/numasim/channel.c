// SPDX-License-Identifier: GPL-2.0
/*
 * The channel of a node. CPUs come with different times, as each is emulated for
 * a while before the next, and so none of them queues behind another one: a
 * request takes what is still free of the bucket that its own time is in, or of
 * the first later one that has something free. What it costs is taken to the
 * last femtosecond, so that no bandwidth is lost at the edges of buckets.
 */
#include <string.h>

#include "channel.h"

#define BUCKET_FS	(CHANNEL_BUCKET_PS * 1000)

/*
 * Load is the mean of this many buckets. They end LOAD_DELAY buckets ago, because
 * a CPU that is behind may still take from later ones.
 */
#define LOAD_BUCKETS	8
#define LOAD_DELAY	3

/**
 * channel_factor - latency under load
 * @load: what is given away of the bandwidth, in 1024ths
 *
 * Flat up to 40 % of the bandwidth, linear to 80 %, where it is 1.4 times the idle
 * latency, and from there steeply to 2.4 times.
 *
 * Return: latency in 1024ths of the idle one.
 */
uint32_t channel_factor(uint32_t load)
{
	const uint32_t knee = 1024 * 40 / 100, steep = 1024 * 80 / 100;
	uint32_t over;

	if (load <= knee)
		return 1024;
	if (load <= steep)
		return 1024 + (load - knee);
	over = (load < 1024 ? load : 1024) - steep;
	return 1024 + (steep - knee) + over * over * 1024 / ((1024 - steep) * (1024 - steep));
}

static uint64_t used(const struct channel *channel, uint64_t number)
{
	const struct channel_bucket *bucket =
		&channel->buckets[number % CHANNEL_BUCKETS];

	return bucket->number == number ? bucket->used : 0;
}

static struct channel_bucket *get_bucket(struct channel *channel,
					 uint64_t number)
{
	struct channel_bucket *bucket =
		&channel->buckets[number % CHANNEL_BUCKETS];
	uint64_t sum = 0;
	unsigned int i;

	if (bucket->number == number)
		return bucket;
	bucket->number = number;
	bucket->used = 0;
	for (i = 0; i < LOAD_BUCKETS && number >= LOAD_DELAY + i; i++)
		sum += used(channel, number - LOAD_DELAY - i);
	bucket->factor = channel_factor(sum * 1024 / (LOAD_BUCKETS * BUCKET_FS));
	return bucket;
}

/* The first bucket from @number on that has something free */
static uint64_t find_free(struct channel *channel, uint64_t number)
{
	uint64_t found = number;

	if (found >= channel->full_start && found < channel->full_end)
		found = channel->full_end;
	while (get_bucket(channel, found)->used == BUCKET_FS)
		found++;
	if (number >= channel->full_start && number <= channel->full_end) {
		channel->full_end = found;
	} else {
		channel->full_start = number;
		channel->full_end = found;
	}
	return found;
}

/**
 * channel_init - a channel with nothing given away
 * @channel: the channel
 */
void channel_init(struct channel *channel)
{
	unsigned int i;

	memset(channel, 0, sizeof(*channel));
	for (i = 0; i < CHANNEL_BUCKETS; i++)
		channel->buckets[i].number = UINT64_MAX;
}

/**
 * channel_take - bandwidth for a line
 * @channel: channel of its node
 * @now: time of the CPU that asks, ps
 * @cost_fs: time of the channel that the line takes, fs
 * @latency: latency of the node when nothing else goes on, ps
 *
 * Return: when the line arrives, ps.
 */
uint64_t channel_take(struct channel *channel, uint64_t now, uint64_t cost_fs,
		      uint64_t latency)
{
	uint64_t first = now / CHANNEL_BUCKET_PS;
	uint64_t number = find_free(channel, first), start = now;
	uint32_t factor = get_bucket(channel, first)->factor;

	if (number > first)
		start = number * CHANNEL_BUCKET_PS + used(channel, number) / 1000;
	while (cost_fs) {
		struct channel_bucket *bucket = get_bucket(channel, number);
		uint64_t part = BUCKET_FS - bucket->used;

		if (part > cost_fs)
			part = cost_fs;
		bucket->used += part;
		cost_fs -= part;
		number++;
	}
	return start + latency * factor / 1024;
}
