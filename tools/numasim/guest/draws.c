// SPDX-License-Identifier: GPL-2.0
/* Lines drawn from pages by a distribution */
#include <math.h>
#include <string.h>

#include "draws.h"
#include "place.h"
#include "ring.h"

/**
 * find_distribution - a distribution by its name
 * @name: the name
 *
 * Return: DISTRIBUTIONS when none has it.
 */
enum distribution find_distribution(const char *name)
{
	static const char * const names[] = { "normal", "zipf", "uniform", "groups" };
	enum distribution i;

	for (i = NORMAL; i < DISTRIBUTIONS && strcmp(name, names[i]); i++)
		;
	return i;
}

static double weight(enum distribution distribution, size_t rank, size_t pages)
{
	static const unsigned int of_groups[] = { 1000, 100, 20, 5, 1 };
	double deviations;

	switch (distribution) {
	case NORMAL:
		deviations = ((rank + 0.5) / pages - 0.5) * 8;
		return exp(-deviations * deviations / 2);
	case ZIPF:
		return 1.0 / (rank + 1);
	case GROUPS:
		return of_groups[rank * 5 / pages];
	default:
		return 1;
	}
}

static void shuffle(uint32_t *numbers, size_t count)
{
	size_t i, j;

	for (i = count - 1; i; i--) {
		uint32_t swap = numbers[i];

		j = chance(i + 1);
		numbers[i] = numbers[j];
		numbers[j] = swap;
	}
}

/**
 * draw_lines - draws lines
 * @distribution: of the pages; the lines of a page are all the same
 * @pages: how many there are
 * @lines: gets numbers, page * PAGE_LINES + line
 * @count: how many are drawn
 *
 * To within one draw each page has its share exactly: draws are dealt out first and
 * shuffled then.
 */
void draw_lines(enum distribution distribution, size_t pages, uint32_t *lines,
		size_t count)
{
	uint32_t *page_of_rank = get_memory(pages * sizeof(*page_of_rank));
	double all = 0, below = 0;
	size_t rank, next = 0;

	for (rank = 0; rank < pages; rank++) {
		page_of_rank[rank] = rank;
		all += weight(distribution, rank, pages);
	}
	shuffle(page_of_rank, pages);
	for (rank = 0; rank < pages; rank++) {
		below += weight(distribution, rank, pages) / all;
		for (; next < count && (next + 0.5) / count < below; next++)
			lines[next] = page_of_rank[rank] * PAGE_LINES + chance(PAGE_LINES);
	}
	/* What rounding leaves */
	for (; next < count; next++)
		lines[next] = lines[next - 1];
	shuffle(lines, count);
	put_memory(page_of_rank, pages * sizeof(*page_of_rank));
}
