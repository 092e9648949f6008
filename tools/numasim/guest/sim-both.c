// SPDX-License-Identifier: GPL-2.0
/*
 * A program that waits for a table and streams an array:
 *	sim-both [-p|-b POLICY] [-c MIB] [-m MIB] [-t THREADS] [-n TIMES]
 * Each thread follows a ring of pointers once through its part of a table of MIB, 4
 * without -c, one after the other, and then reads its part of an array of MIB, 64
 * without -m, four times. Prints how many of TIMES such rounds, 3 without -n, there
 * are per second. The first round does not count.
 */
#include <stdio.h>
#include <unistd.h>

#include "place.h"
#include "ring.h"
#include "team.h"

static const char usage[] =
	"sim-both [-p|-b POLICY] [-c MIB] [-m MIB] [-t THREADS] [-n TIMES]";

#define PASSES	4

static struct link *table;
static uint64_t *array;
static size_t links, words;	/* of a thread */
static unsigned int threads = 1, times = 3;

static uint64_t add_up(const uint64_t *own)
{
	uint64_t sum = 0;
	unsigned int pass;
	size_t i;

	for (pass = 0; pass < PASSES; pass++) {
		for (i = 0; i < words; i++)
			sum += own[i];
		use(sum);
	}
	return sum;
}

static void work(unsigned int number)
{
	struct link *ring = table + number * links;
	uint64_t *own = array + number * words;
	uint64_t took = 0;
	unsigned int time;

	touch(own, words * sizeof(*own));
	team_prepared(number);
	for (time = 0; time <= times; time++) {
		team_begin(number);
		if (follow_ring(ring, links) != ring)
			die("the ring is broken");
		use(add_up(own));
		if (time)
			took += team_took(number);
		else
			team_took(number);
	}
	if (!number)
		printf("%.2f\n", times * 1e9 / took);
}

int main(int argc, char **argv)
{
	size_t table_mib = 4, array_mib = 64;
	unsigned int number;
	int option;

	while ((option = next_option(argc, argv, "c:m:t:n:", usage)) != -1) {
		if (option == 'c')
			table_mib = to_number(optarg, MAX_MIB);
		else if (option == 'm')
			array_mib = to_number(optarg, MAX_MIB);
		else if (option == 't')
			threads = to_number(optarg, MAX_THREADS);
		else
			times = to_number(optarg, 1000);
	}
	links = table_mib * MIB / sizeof(*table) / threads;
	words = array_mib * MIB / sizeof(*array) / threads;
	table = get_array(table_mib * MIB);
	array = get_array(array_mib * MIB);
	model_off();
	/* One after the other: chance is drawn from one place. */
	for (number = 0; number < threads; number++)
		make_ring(table + number * links, links);
	team_run(threads, work);
	return 0;
}
