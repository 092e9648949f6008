// SPDX-License-Identifier: GPL-2.0
/*
 * The four kernels of the STREAM benchmark:
 *	sim-stream [-p POLICY:NODE,...] [-m MIB] [-t THREADS] [-n TIMES]
 * Each of the three arrays has MIB, 16 without -m. Prints for each kernel the best
 * of TIMES, 3 without -n, in 10^9 bytes per second, counting as STREAM does what
 * the kernel reads and writes. The first time does not count.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "place.h"

#define MAX_THREADS	8
#define MIB		(1UL << 20)

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
static pthread_barrier_t barrier;

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

static void *work(void *data)
{
	size_t number = (size_t)data, first = number * part, end = first + part, i;
	uint64_t best, took;
	unsigned int kernel, time;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("there is no CPU %zu", number);
	for (i = first; i < end; i++) {
		a[i] = 1;
		b[i] = 2;
		c[i] = 0;
	}
	for (kernel = 0; kernel < KERNELS; kernel++) {
		best = UINT64_MAX;
		for (time = 0; time <= times; time++) {
			pthread_barrier_wait(&barrier);
			took = now_ns();
			run_kernel(kernel, first, end);
			pthread_barrier_wait(&barrier);
			took = now_ns() - took;
			if (time && took < best)
				best = took;
		}
		if (!number)
			printf("%s %.2f\n", kernels[kernel].name,
			       (double)kernels[kernel].arrays * sizeof(*a) *
			       part * threads / best);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[MAX_THREADS];
	size_t mib = 16, i;
	int option;

	while ((option = getopt(argc, argv, "p:m:t:n:")) != -1) {
		switch (option) {
		case 'p':
			place(optarg);
			break;
		case 'm':
			mib = to_number(optarg, 65536);
			break;
		case 't':
			threads = to_number(optarg, MAX_THREADS);
			break;
		case 'n':
			times = to_number(optarg, 1000);
			break;
		default:
			die("usage: sim-stream [-p POLICY:NODE,...] [-m MIB] [-t THREADS] [-n TIMES]");
		}
	}
	part = mib * MIB / sizeof(*a) / threads;
	a = get_memory(mib * MIB);
	b = get_memory(mib * MIB);
	c = get_memory(mib * MIB);
	pthread_barrier_init(&barrier, NULL, threads);
	for (i = 1; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, work, (void *)i))
			die("no thread");
	}
	work(NULL);
	for (i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
