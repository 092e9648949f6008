// SPDX-License-Identifier: GPL-2.0
/*
 * Bandwidth of a mix of reads and writes:
 *	sim-mix [-p|-b POLICY] [-m MIB] [-t THREADS] [-n TIMES] [-r READS:WRITES]
 * Each thread goes TIMES, 3 without -n, through its part of MIB, 64 without -m. Of
 * each READS + WRITES lines, 2:1 without -r, it reads the first READS, and writes
 * all of each of the others. Prints the bandwidth of both together in 10^9 bytes
 * per second.
 */
#include <stdio.h>
#include <unistd.h>

#include "mix.h"
#include "place.h"
#include "team.h"

static const char usage[] =
	"sim-mix [-p|-b POLICY] [-m MIB] [-t THREADS] [-n TIMES] [-r READS:WRITES]";

#define MAX_MIX		100

static struct mix mix = { 2, 1 };
static struct mix_line *lines;
static size_t part;	/* lines of a thread */
static unsigned int threads = 1, times = 3;

static void work(unsigned int number)
{
	struct mix_line *own = lines + number * part;
	unsigned int time;
	uint64_t took;

	touch(own, part * sizeof(*own));
	team_prepared(number);
	team_begin(number);
	for (time = 0; time < times; time++)
		use(mix_pass(&mix, own, part, time));
	took = team_took(number);
	if (!number)
		printf("%.2f\n", (double)part * threads * times * sizeof(*own) / took);
}

static void read_mix(const char *text)
{
	const char *at = text;

	if (!take_number(&at, MAX_MIX, &mix.reads) || *at++ != ':' ||
	    !take_number(&at, MAX_MIX, &mix.writes) || *at ||
	    !(mix.reads + mix.writes))
		die("'%s' is not READS:WRITES, each up to %u and one of them not 0",
		    text, MAX_MIX);
}

int main(int argc, char **argv)
{
	size_t count = 64 * MIB / LINE_SIZE;
	int option;

	while ((option = next_option(argc, argv, "m:t:n:r:", usage)) != -1) {
		if (option == 'm')
			count = to_number(optarg, MAX_MIB) * MIB / LINE_SIZE;
		else if (option == 't')
			threads = to_number(optarg, MAX_THREADS);
		else if (option == 'n')
			times = to_number(optarg, 1000);
		else
			read_mix(optarg);
	}
	part = mix_whole(&mix, count / threads);
	lines = get_array(count * sizeof(*lines));
	model_off();
	team_run(threads, work);
	return 0;
}
