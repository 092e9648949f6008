/* SPDX-License-Identifier: GPL-2.0 */
/* Lines drawn from pages by a distribution */
#ifndef NUMASIM_DRAWS_H
#define NUMASIM_DRAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_LINES	64

/**
 * enum distribution - how often pages are drawn; which page has which rank is drawn too
 * @NORMAL: ranks in the middle most, with a deviation of an eighth of all
 * @ZIPF: the page of rank r has 1/r of what the first one has
 * @UNIFORM: all pages the same
 * @GROUPS: five groups of as many pages, one of which has 1000, 100, 20, 5, 1
 * @DISTRIBUTIONS: how many there are
 */
enum distribution { NORMAL, ZIPF, UNIFORM, GROUPS, DISTRIBUTIONS };

enum distribution find_distribution(const char *name);
void draw_lines(enum distribution distribution, size_t pages, uint32_t *lines,
		size_t count);

#endif
