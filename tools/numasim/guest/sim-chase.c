// SPDX-License-Identifier: GPL-2.0
/*
 * Latency of loads, each of which needs the one before:
 *	sim-chase [-p POLICY:NODE,...] [-m MIB] [-n TIMES]
 * Follows a ring of pointers through MIB of memory, 8 without -m, one in each cache
 * line, in an order that is drawn by chance but always the same. Prints the mean of
 * TIMES rounds, 1 without -n, in nanoseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "place.h"

#define LINE	64
#define MIB	(1UL << 20)

struct line {
	struct line *next;
	char rest[LINE - sizeof(struct line *)];
};

static uint64_t chance(uint64_t below)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

int main(int argc, char **argv)
{
	size_t count = 8 * MIB / LINE, i, j;
	unsigned int times = 1;
	struct line *lines, *line;
	uint32_t *order, swap;
	uint64_t took;
	int option;

	while ((option = getopt(argc, argv, "p:m:n:")) != -1) {
		switch (option) {
		case 'p':
			place(optarg);
			break;
		case 'm':
			count = to_number(optarg, 65536) * MIB / LINE;
			break;
		case 'n':
			times = to_number(optarg, 1000);
			break;
		default:
			die("usage: sim-chase [-p POLICY:NODE,...] [-m MIB] [-n TIMES]");
		}
	}
	order = get_memory(count * sizeof(*order));
	lines = get_memory(count * sizeof(*lines));
	for (i = 0; i < count; i++)
		order[i] = i;
	for (i = count - 1; i; i--) {
		j = chance(i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < count; i++)
		lines[order[i]].next = &lines[order[(i + 1) % count]];

	line = &lines[order[0]];
	took = now_ns();
	for (i = 0; i < count * times; i++)
		line = line->next;
	took = now_ns() - took;
	if (line != &lines[order[0]])
		die("the ring is broken");
	printf("%.2f\n", (double)took / count / times);
	return 0;
}
