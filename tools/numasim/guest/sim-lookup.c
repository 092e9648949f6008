// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups of cross sections, as in the transport of neutrons by chance:
 *	sim-lookup [-p|-b POLICY] [-m MIB] [-t THREADS] [-n LOOKUPS] [-c NUCLIDES]
 * A lookup draws an energy and one of eight materials. For each nuclide of the
 * material it reads where to look from an index, and the two points beside the
 * energy from the nuclide's grid, 96 bytes, and adds up what lies between them. The
 * tables have MIB, 128 without -m, the materials of NUCLIDES, 256 without -c, all of
 * them, a quarter, an eighth, ... Prints how many of LOOKUPS, 20000 without -n, there
 * are per second. A lookup that gives anything else than it has to ends the program.
 */
#include <stdio.h>
#include <unistd.h>

#include "grid.h"
#include "place.h"
#include "team.h"

static const char usage[] =
	"sim-lookup [-p|-b POLICY] [-m MIB] [-t THREADS] [-n LOOKUPS] [-c NUCLIDES]";

#define MAX_LOOKUPS	1000000000
/* Lookups that a thread takes at a time: materials differ much in their work. */
#define BATCH		8

static struct grid grid;
static struct material materials[MATERIALS];
static unsigned int threads = 1;
static uint64_t lookups = 20000, taken;

/* Always the same for a lookup, whichever thread has it: splitmix64, S. Vigna (2015) */
static uint64_t draw(uint64_t number)
{
	number *= 0x9e3779b97f4a7c15ULL;
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
	number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
	return number ^ number >> 31;
}

static bool look_up(uint64_t number)
{
	uint64_t drawn = draw(number);
	double energy = (drawn >> 11) / 9007199254740992.0;
	double sums[SECTIONS];

	return grid_look_up(&grid, &materials[drawn % MATERIALS], energy, sums);
}

static void work(unsigned int number)
{
	uint64_t i, end, took;
	unsigned int nuclide;
	bool good = true;

	for (nuclide = number; nuclide < grid.nuclides; nuclide += threads)
		grid_fill(&grid, nuclide);
	team_prepared(number);
	team_begin(number);
	for (;;) {
		i = __atomic_fetch_add(&taken, BATCH, __ATOMIC_RELAXED);
		if (i >= lookups)
			break;
		for (end = i + BATCH < lookups ? i + BATCH : lookups; i < end; i++)
			good &= look_up(i);
	}
	if (!good)
		die("a lookup went wrong");
	took = team_took(number);
	if (!number)
		printf("%.0f\n", 1e9 * lookups / took);
}

int main(int argc, char **argv)
{
	unsigned int nuclides = 256, i;
	size_t size = 128 * MIB;
	int option;

	while ((option = next_option(argc, argv, "m:t:n:c:", usage)) != -1) {
		if (option == 'm')
			size = to_number(optarg, MAX_MIB) * MIB;
		else if (option == 't')
			threads = to_number(optarg, MAX_THREADS);
		else if (option == 'n')
			lookups = to_number(optarg, MAX_LOOKUPS);
		else
			nuclides = to_number(optarg, MAX_NUCLIDES);
	}
	model_off();
	grid_divide(&grid, size, nuclides);
	grid.data = get_array(grid_data_size(&grid));
	grid.index = get_array(grid_index_size(&grid));
	touch(grid.data, grid_data_size(&grid));
	touch(grid.index, grid_index_size(&grid));
	for (i = 0; i < MATERIALS; i++)
		materials[i] = grid_material(&grid, i);
	team_run(threads, work);
	return 0;
}
