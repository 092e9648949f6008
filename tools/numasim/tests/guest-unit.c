// SPDX-License-Identifier: GPL-2.0
/* Tests what the programs for the guest do to memory. Prints TAP. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../guest/draws.h"
#include "../guest/grid.h"
#include "../guest/mix.h"
#include "../guest/place.h"
#include "../guest/ring.h"
#include "../guest/team.h"
#include "tap.h"

#define PAGES	5000
#define DRAWS	1048576U

static bool near_to(double value, double wanted, double off)
{
	return value >= wanted - off && value <= wanted + off;
}

/* Every word of a line has this value but the first, which is its number. */
#define UNTOUCHED	0xdeadbeef
#define WRITTEN		7

static bool has_words(const struct mix_line *line, uint32_t first, uint32_t others)
{
	unsigned int i;

	for (i = 1; i < LINE_SIZE / sizeof(others); i++) {
		if (line->words[i] != others)
			return false;
	}
	return line->words[0] == first;
}

static void test_mix(unsigned int reads, unsigned int writes)
{
	const struct mix mix = { reads, writes };
	static struct mix_line lines[1001];
	size_t count = mix_whole(&mix, 1000), written = 0, i;
	uint32_t sum, wanted = 0;
	bool good = true;

	for (i = 0; i <= 1000; i++) {
		memset(&lines[i], 0, sizeof(lines[i]));
		for (sum = 1; sum < LINE_SIZE / sizeof(sum); sum++)
			lines[i].words[sum] = UNTOUCHED;
		lines[i].words[0] = 1000 * i * i;
	}
	sum = mix_pass(&mix, lines, count, WRITTEN);
	for (i = 0; i <= 1000; i++) {
		if (i < count && has_words(&lines[i], WRITTEN, WRITTEN)) {
			written++;
			continue;
		}
		good &= has_words(&lines[i], 1000 * i * i, UNTOUCHED);
		if (i < count)
			wanted += lines[i].words[0];
	}
	result(good && sum == wanted && count > 1000 - reads - writes &&
	       written * (reads + writes) == count * writes,
	       "mix %u:%u: of %zu lines %zu are written, and each other one is read once",
	       reads, writes, count, written);
}

static void test_ring(void)
{
	static struct link links[PAGES];
	struct link *link = links;
	size_t steps = 0, neighbours = 0;

	make_ring(links, PAGES);
	do {
		neighbours += link->next == link + 1;
		link = link->next;
		steps++;
	} while (link != links && steps <= PAGES);
	result(steps == PAGES && follow_ring(links, PAGES) == links &&
	       follow_ring(links, 1) == links->next,
	       "the ring comes back after all of its links (%zu)", steps);
	result(neighbours < PAGES / 100, "and hardly leads from one to its neighbour (%zu)",
	       neighbours);
}

static const char * const distributions[] = { "normal", "zipf", "uniform", "groups" };
static uint32_t lines[DRAWS];
static unsigned int draws_of_page[PAGES], most_first[PAGES];

static int by_draws(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Draws that the pages @from to @to of PAGES have, most drawn first, percent */
static double share_of_ranks(size_t from, size_t to)
{
	double sum = 0;

	for (; from < to; from++)
		sum += most_first[from];
	return 100 * sum / DRAWS;
}

/* How many of the most drawn fifth of the pages are in a quarter of the memory, percent */
static double hot_in_quarter(unsigned int quarter)
{
	unsigned int hot = 0, i;

	for (i = quarter * PAGES / 4; i < (quarter + 1) * PAGES / 4; i++)
		hot += draws_of_page[i] > most_first[PAGES / 5];
	return 100.0 * hot / (PAGES / 5);
}

/* Draws of pages that are drawn more often than the one of this rank, percent */
static double share_above(size_t first, size_t count, size_t rank)
{
	size_t above = 0, i;

	for (i = first; i < first + count; i++)
		above += draws_of_page[lines[i] / PAGE_LINES] > most_first[rank];
	return 100.0 * above / count;
}

static bool draw_all(enum distribution distribution)
{
	size_t i;

	draw_lines(distribution, PAGES, lines, DRAWS);
	memset(draws_of_page, 0, sizeof(draws_of_page));
	for (i = 0; i < DRAWS; i++) {
		if (lines[i] / PAGE_LINES >= PAGES)
			return false;
		draws_of_page[lines[i] / PAGE_LINES]++;
	}
	memcpy(most_first, draws_of_page, sizeof(most_first));
	qsort(most_first, PAGES, sizeof(most_first[0]), by_draws);
	return true;
}

static void test_lines(const char *name)
{
	unsigned int draws_of_line[PAGE_LINES] = {}, i;
	double off = 0;

	for (i = 0; i < DRAWS; i++)
		draws_of_line[lines[i] % PAGE_LINES]++;
	for (i = 0; i < PAGE_LINES; i++)
		off = fmax(off, fabs(draws_of_line[i] * (double)PAGE_LINES / DRAWS - 1));
	result(off < 0.05, "%s: the lines of a page are drawn as often, to within %.1f %%",
	       name, 100 * off);
}

static void test_order(const char *name)
{
	double whole = share_above(0, DRAWS, PAGES / 5), off = 0;
	size_t i;

	for (i = 0; i < 16; i++)
		off = fmax(off, fabs(share_above(i * DRAWS / 16, DRAWS / 16, PAGES / 5) - whole));
	result(off < 1, "%s: each part of the draws is like the whole, to within %.2f points",
	       name, off);
}

static void test_draws(enum distribution distribution)
{
	const char *name = distributions[distribution];
	static const double wanted_groups[] = { 88.810, 8.881, 1.776, 0.444, 0.089 };
	double harmonic = 0, off = 0;
	bool good = true;
	size_t i;

	result(find_distribution(name) == distribution, "%s is known by its name", name);
	if (!draw_all(distribution)) {
		result(false, "%s draws pages that do not exist", name);
		return;
	}
	for (i = 1; i <= PAGES; i++)
		harmonic += 1.0 / i;
	switch (distribution) {
	case NORMAL:
		result(near_to(share_of_ranks(0, PAGES / 4), 68.27, 0.2) &&
		       near_to(share_of_ranks(0, PAGES / 2), 95.45, 0.1) &&
		       near_to(share_of_ranks(0, PAGES / 4 * 3), 99.73, 0.05),
		       "normal: a deviation has %.2f %%, two %.2f %%, three %.2f %%",
		       share_of_ranks(0, PAGES / 4), share_of_ranks(0, PAGES / 2),
		       share_of_ranks(0, PAGES / 4 * 3));
		break;
	case ZIPF:
		for (i = 0; i < PAGES; i++)
			off = fmax(off, fabs(most_first[i] - DRAWS / harmonic / (i + 1)));
		result(off < 1.01, "zipf: each page has its draws to within %.2f", off);
		break;
	case UNIFORM:
		result(most_first[0] - most_first[PAGES - 1] <= 1,
		       "uniform: pages have %u to %u draws", most_first[PAGES - 1], most_first[0]);
		break;
	default:
		for (i = 0; i < 5; i++)
			good &= near_to(share_of_ranks(i * PAGES / 5, (i + 1) * PAGES / 5),
					wanted_groups[i], 0.01);
		result(good, "groups: they have 1000, 100, 20, 5, 1 of 1126 draws");
	}
	if (distribution != UNIFORM) {
		double first = hot_in_quarter(0), last = hot_in_quarter(3);

		result(near_to(first, 25, 5) && near_to(last, 25, 5),
		       "%s: of the hot pages %.1f %% are in the first quarter, %.1f %% in the last",
		       name, first, last);
		test_order(name);
	}
	test_lines(name);
}

static struct grid make_grid(size_t size, unsigned int nuclides)
{
	struct grid grid;
	unsigned int i;

	grid_divide(&grid, size, nuclides);
	grid.data = get_array(grid_data_size(&grid));
	grid.index = get_array(grid_index_size(&grid));
	for (i = 0; i < nuclides; i++)
		grid_fill(&grid, i);
	return grid;
}

static bool ascending(const struct grid *grid, unsigned int nuclide)
{
	const struct point *points = grid->data + nuclide * grid->points;
	size_t i;

	for (i = 1; i < grid->points; i++) {
		if (points[i].energy <= points[i - 1].energy)
			return false;
	}
	return points[0].energy == 0 && points[grid->points - 1].energy == 1;
}

/* How many of @count lookups in a material are as they have to be */
static unsigned int good_lookups(const struct grid *grid, unsigned int material,
				 unsigned int count)
{
	struct material sums_of = grid_material(grid, material);
	double sums[SECTIONS];
	unsigned int good = 0, i;

	for (i = 0; i < count; i++)
		good += grid_look_up(grid, &sums_of, (double)i / count, sums);
	return good;
}

static void test_grid(unsigned int nuclides)
{
	struct grid grid = make_grid(8 * MIB, nuclides);
	size_t used = grid_data_size(&grid) + grid_index_size(&grid);
	unsigned int sorted = 0, good = 0, before, i;
	const unsigned int lookups = 999;

	for (i = 0; i < nuclides; i++)
		sorted += ascending(&grid, i);
	for (i = 0; i < MATERIALS; i++)
		good += good_lookups(&grid, i, lookups);
	result(used <= 8 * MIB && used > 7.9 * MIB, "%u nuclides fill their memory: %zu bytes",
	       nuclides, used);
	result(sorted == nuclides, "their points ascend from 0 to 1");
	result(good == MATERIALS * lookups, "lookups in all materials are right (%u)", good);

	grid.data[nuclides / 2 * grid.points].sections[SECTIONS - 1] *= 1.001;
	before = good_lookups(&grid, 0, 100000);
	grid.data[nuclides / 2 * grid.points].sections[SECTIONS - 1] /= 1.001;
	result(before < 100000, "a point that is wrong is noticed (%u)", 100000 - before);
	grid.index[grid.buckets / 2 * nuclides] += 2;
	before = good_lookups(&grid, 0, 2 * grid.buckets);
	result(before < 2 * grid.buckets, "an index that is wrong is noticed (%zu)",
	       2 * grid.buckets - before);
	put_memory(grid.data, grid_data_size(&grid));
	put_memory(grid.index, grid_index_size(&grid));
}

#define SLOWEST_NS	20000000

static uint64_t times[2];

/* Only the last thread has something to do. */
static void work(unsigned int number)
{
	const struct timespec slowest = { 0, SLOWEST_NS };

	team_begin(number);
	if (times[number])
		nanosleep(&slowest, NULL);
	times[number] = team_took(number);
}

static void test_team(void)
{
	unsigned int threads;
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	threads = CPU_COUNT(&set) > 1 ? 2 : 1;
	times[threads - 1] = 1;
	team_run(threads, work);
	result(times[0] >= SLOWEST_NS && times[0] == times[threads - 1],
	       "each of %u threads is told the time of the slowest one", threads);
}

int main(void)
{
	enum distribution distribution;

	puts("TAP version 13");
	test_mix(1, 0);
	test_mix(0, 1);
	test_mix(1, 1);
	test_mix(2, 1);
	test_mix(3, 1);
	test_mix(7, 30);
	test_team();
	test_ring();
	for (distribution = NORMAL; distribution < DISTRIBUTIONS; distribution++)
		test_draws(distribution);
	result(find_distribution("norma") == DISTRIBUTIONS &&
	       find_distribution("") == DISTRIBUTIONS,
	       "other distributions are not known");
	test_grid(1);
	test_grid(37);
	printf("1..%u\n", tests);
	return failed;
}
