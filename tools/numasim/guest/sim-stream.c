// SPDX-License-Identifier: GPL-2.0
/*
 * The four kernels of the STREAM benchmark:
 *	sim-stream [-p|-b POLICY] [-m MIB] [-t THREADS] [-n TIMES]
 * Each of the three arrays has MIB, 16 without -m. Prints for each kernel the best
 * of TIMES, 3 without -n, in 10^9 bytes per second, counting as STREAM does what
 * the kernel reads and writes. The first time does not count.
 */
#include <stdio.h>
#include <unistd.h>

#include "place.h"
#include "team.h"

static const char usage[] =
	"sim-stream [-p|-b POLICY] [-m MIB] [-t THREADS] [-n TIMES]";

enum kernel { COPY, SCALE, ADD, TRIAD, KERNELS };

static const struct {
	const char *name;
	unsigned int arrays;
} kernels[KERNELS] = {
	{ "copy", 2 }, { "scale", 2 }, { "add", 3 }, { "triad", 3 },
};

static double *a, *b, *c;
static size_t part;	/* elements of a thread */
static unsigned int threads = 1, times = 3;

static void run_kernel(enum kernel kernel, size_t i, size_t end)
{
	switch (kernel) {
	case COPY:
		for (; i < end; i++)
			c[i] = a[i];
		break;
	case SCALE:
		for (; i < end; i++)
			b[i] = 3 * c[i];
		break;
	case ADD:
		for (; i < end; i++)
			c[i] = a[i] + b[i];
		break;
	default:
		for (; i < end; i++)
			a[i] = b[i] + 3 * c[i];
	}
}

static void work(unsigned int number)
{
	size_t first = number * part, end = first + part, i;
	uint64_t best, took;
	unsigned int kernel, time;

	for (i = first; i < end; i++) {
		a[i] = 1;
		b[i] = 2;
		c[i] = 0;
	}
	team_prepared(number);
	for (kernel = 0; kernel < KERNELS; kernel++) {
		best = UINT64_MAX;
		for (time = 0; time <= times; time++) {
			team_begin(number);
			run_kernel(kernel, first, end);
			took = team_took(number);
			if (time && took < best)
				best = took;
		}
		if (!number)
			printf("%s %.2f\n", kernels[kernel].name,
			       (double)kernels[kernel].arrays * sizeof(*a) *
			       part * threads / best);
	}
}

int main(int argc, char **argv)
{
	size_t mib = 16;
	int option;

	while ((option = next_option(argc, argv, "m:t:n:", usage)) != -1) {
		if (option == 'm')
			mib = to_number(optarg, MAX_MIB);
		else if (option == 't')
			threads = to_number(optarg, MAX_THREADS);
		else
			times = to_number(optarg, 1000);
	}
	part = mib * MIB / sizeof(*a) / threads;
	a = get_array(mib * MIB);
	b = get_array(mib * MIB);
	c = get_array(mib * MIB);
	model_off();
	team_run(threads, work);
	return 0;
}
