// SPDX-License-Identifier: GPL-2.0
/*
 * Latency under load:
 *	sim-loaded [-p|-b POLICY] [-m MIB] [-t THREADS] [-d MBPS,...]
 * One of THREADS, 2 without -t, follows a ring of pointers while the others read
 * their buffers, all of them together MBPS, in 10^6 bytes per second; 0 is as fast
 * as they can. MIB, 64 without -m, is shared out evenly among the threads. Prints
 * "MBPS BANDWIDTH LATENCY" for each MBPS: what all threads have read, in 10^9 bytes
 * per second, and the mean latency of the ring, in nanoseconds.
 */
#include <stdio.h>
#include <unistd.h>
#include <x86intrin.h>

#include "mix.h"
#include "place.h"
#include "ring.h"
#include "team.h"

static const char usage[] =
	"sim-loaded [-p|-b POLICY] [-m MIB] [-t THREADS] [-d MBPS,...]";

#define MAX_RATES	64
#define MAX_MBPS	1000000
/* Lines that are read between two looks at the clock */
#define BATCH		16
/* Pointers followed before anything is measured, and then */
#define STEPS_BEFORE	1024
#define STEPS		8192

/* Each has a line of its own. */
struct reader {
	uint64_t lines;
	char rest[LINE_SIZE - sizeof(uint64_t)];
};

static unsigned int rates[MAX_RATES] = {
	1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 0
};

static unsigned int nr_rates = 10, threads = 2;
static char *memory;
static size_t part;	/* bytes of a thread */
static double ticks_per_ns;
static _Alignas(LINE_SIZE) struct reader readers[MAX_THREADS];
static bool reading;

static bool still_reading(void)
{
	return __atomic_load_n(&reading, __ATOMIC_ACQUIRE);
}

/*
 * Reads at its share of @mbps; what could not be read in time is made up for. Looks
 * at the time stamp counter, because now_ns() waits for all that is being read.
 */
static void read_at_rate(struct reader *reader, const struct mix_line *lines,
			 unsigned int mbps)
{
	const double lines_per_tick = mbps / 1000.0 / LINE_SIZE / (threads - 1) / ticks_per_ns;
	size_t count = part / sizeof(*lines) / BATCH * BATCH, at = 0;
	uint64_t start = __rdtsc(), own = 0;

	while (still_reading()) {
		if (mbps && own > (__rdtsc() - start) * lines_per_tick) {
			team_rest();
			continue;
		}
		use(read_lines(lines + at, BATCH));
		at = at + BATCH < count ? at + BATCH : 0;
		own += BATCH;
		__atomic_store_n(&reader->lines, own, __ATOMIC_RELAXED);
	}
}

static uint64_t lines_read(void)
{
	uint64_t lines = 0;
	unsigned int i;

	for (i = 1; i < threads; i++)
		lines += __atomic_load_n(&readers[i].lines, __ATOMIC_RELAXED);
	return lines;
}

static struct link *measure(struct link *link, unsigned int mbps)
{
	uint64_t lines, took;

	link = follow_ring(link, STEPS_BEFORE);
	lines = lines_read();
	took = now_ns();
	link = follow_ring(link, STEPS);
	took = now_ns() - took;
	lines = lines_read() - lines + STEPS;
	printf("%u %.2f %.2f\n", mbps, (double)lines * LINE_SIZE / took,
	       (double)took / STEPS);
	fflush(stdout);
	return link;
}

/* And how fast the time stamp counter goes */
static void make_ring_and_time(struct link *links)
{
	uint64_t start = now_ns(), ticks = __rdtsc();

	make_ring(links, part / sizeof(*links));
	ticks_per_ns = (double)(__rdtsc() - ticks) / (now_ns() - start);
}

static void work(unsigned int number)
{
	char *own = memory + number * part;
	struct link *link = (struct link *)own;
	unsigned int i;

	if (number)
		touch(own, part);
	else
		make_ring_and_time(link);
	team_prepared(number);
	for (i = 0; i < nr_rates; i++) {
		if (!number)
			__atomic_store_n(&reading, true, __ATOMIC_RELEASE);
		team_meet();
		if (number) {
			read_at_rate(&readers[number], (struct mix_line *)own, rates[i]);
		} else {
			link = measure(link, rates[i]);
			__atomic_store_n(&reading, false, __ATOMIC_RELEASE);
		}
		team_meet();
	}
}

static void read_rates(const char *text)
{
	const char *at = text;

	nr_rates = 0;
	do {
		if (nr_rates == MAX_RATES)
			die("'%s' are more than %u rates", text, MAX_RATES);
		if (!take_number(&at, MAX_MBPS, &rates[nr_rates++]))
			die("'%s': a rate is a number from 0 to %u", text, MAX_MBPS);
	} while (*at++ == ',');
	if (at[-1])
		die("'%s': rates are separated by commas", text);
}

int main(int argc, char **argv)
{
	size_t size = 64 * MIB;
	int option;

	while ((option = next_option(argc, argv, "m:t:d:", usage)) != -1) {
		if (option == 'm')
			size = to_number(optarg, MAX_MIB) * MIB;
		else if (option == 't')
			threads = to_number(optarg, MAX_THREADS);
		else
			read_rates(optarg);
	}
	if (threads < 2)
		die("it takes 2 threads: one waits for memory, the others are the load");
	part = size / threads / LINE_SIZE * LINE_SIZE;
	memory = get_array(size);
	model_off();
	team_run(threads, work);
	return 0;
}
