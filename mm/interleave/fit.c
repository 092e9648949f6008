// SPDX-License-Identifier: GPL-2.0
/*
 * Weights whose ratios are as close to those of bandwidths as small integers
 * can be.
 *
 * A node with weight w and bandwidth b is busy for w / b in each round. If that
 * is the same for all nodes, none waits for another one; the largest relative
 * error of the ratios is the longest of these times divided by the shortest.
 * Every node has a list of times, one for each weight it may have. The weights
 * wanted are the narrowest window that has a time of each list: the window that
 * begins at the shortest time and has the next time of every other list is moved
 * on by leaving the shortest one for the next of its list. No window that could
 * be the narrowest is passed by, and of several the one with the smallest
 * weights comes first. These have no common divisor, or else they divided by it
 * would have come before.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "fit.h"

/* Four factors, two of a byte and two of so many bits, fit into 64 bits. */
#define BANDWIDTH_BITS	23

/**
 * interleave_mixed - what a node gives of reads and writes together
 * @read:  its bandwidth of reads alone, MB/s, 0 if nobody tells
 * @write: so too of writes alone
 * @reads: percent of the bytes that are read, 0..100
 *
 * A channel is busy with either, one byte after the other: what of a second a byte
 * takes is the mean of both, weighted as they are mixed. A node of which one is known
 * alone is taken to have it of the other as well.
 *
 * Context: any.
 * Return: MB/s, between both; 0 if nobody tells either.
 */
u32 interleave_mixed(u32 read, u32 write, unsigned int reads)
{
	if (!read || !write)
		return max(read, write);
	return mul_u64_u64_div_u64((u64)read * write, 100,
				   (u64)reads * write + (u64)(100 - reads) * read);
}

static u64 scaled(u32 bandwidth, unsigned int shift)
{
	return max(bandwidth >> shift, 1U);
}

/**
 * interleave_fit - find the weights that fit bandwidths best
 * @bandwidth: of each node, in one unit, not 0
 * @weights:   the weights found, 1..@most
 * @work:      room for as many again
 * @nr:        number of nodes, not 0
 * @most:      the largest weight
 *
 * They make the largest relative error of the ratios smallest; of several, those
 * with the smallest sum. Takes nr * nr * most steps at most.
 *
 * Context: may sleep.
 */
void interleave_fit(const u32 *bandwidth, u8 *weights, u8 *work,
		    unsigned int nr, u8 most)
{
	u64 longest = U32_MAX, shortest = 1;
	unsigned int i, shift = 0;

	for (i = 0; i < nr; i++)
		shift = max_t(int, shift, fls(bandwidth[i]) - BANDWIDTH_BITS);
	memset(work, 1, nr);

	for (;;) {
		unsigned int first = 0, last = 0;
		u64 b, first_b, last_b;

		first_b = scaled(bandwidth[0], shift);
		last_b = first_b;
		for (i = 1; i < nr; i++) {
			b = scaled(bandwidth[i], shift);
			if (work[i] * first_b < work[first] * b) {
				first = i;
				first_b = b;
			}
			if (work[i] * last_b > work[last] * b) {
				last = i;
				last_b = b;
			}
		}
		/* The window, last / first, against the narrowest so far */
		if (work[last] * first_b * shortest <
		    work[first] * last_b * longest) {
			longest = work[last] * first_b;
			shortest = work[first] * last_b;
			memcpy(weights, work, nr);
		}
		if (work[first] == most)
			return;
		work[first]++;
		cond_resched();
	}
}
