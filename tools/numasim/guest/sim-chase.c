// SPDX-License-Identifier: GPL-2.0
/*
 * Latency of loads, each of which needs the one before:
 *	sim-chase [-p|-b POLICY] [-m MIB] [-n TIMES]
 * Follows a ring of pointers through MIB of memory, 8 without -m, one in each cache
 * line, in an order that is drawn by chance but always the same. Prints the mean of
 * TIMES rounds, 1 without -n, in nanoseconds.
 */
#include <stdio.h>
#include <unistd.h>

#include "place.h"
#include "ring.h"

static const char usage[] =
	"sim-chase [-p|-b POLICY] [-m MIB] [-n TIMES]";

int main(int argc, char **argv)
{
	size_t count = 8 * MIB / LINE_SIZE;
	unsigned int times = 1;
	struct link *links;
	uint64_t took;
	int option;

	while ((option = next_option(argc, argv, "m:n:", usage)) != -1) {
		if (option == 'm')
			count = to_number(optarg, MAX_MIB) * MIB / LINE_SIZE;
		else
			times = to_number(optarg, 1000);
	}
	model_off();
	links = get_array(count * sizeof(*links));
	make_ring(links, count);
	model_on();

	took = now_ns();
	if (follow_ring(links, count * times) != links)
		die("the ring is broken");
	took = now_ns() - took;
	printf("%.2f\n", (double)took / count / times);
	return 0;
}
