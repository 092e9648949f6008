/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of cross sections, as a Monte Carlo program looks them up for each step
 * of a neutron: its energy, and every nuclide of the material that it is in.
 *
 * The sections of a nuclide lie on straight lines over the energy. So it is known
 * what a lookup has to give, whatever points it comes from.
 */
#ifndef NUMASIM_GRID_H
#define NUMASIM_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTIONS	5
#define MATERIALS	8
#define MAX_NUCLIDES	1024

/**
 * struct point - a point of a nuclide's grid
 * @energy: from 0 for the first point of a nuclide to 1 for the last, ascending
 * @sections: cross sections at this energy
 */
struct point {
	double energy;
	double sections[SECTIONS];
};

/**
 * struct grid - the grids of all nuclides
 * @nuclides: how many
 * @points: of each nuclide
 * @buckets: parts of the same size that the energies are divided into
 * @data: the points of the first nuclide, then those of the second, ...
 * @index: for the first bucket, then the second, ..., and each nuclide: its last
 *	point that is not behind the beginning of the bucket
 */
struct grid {
	unsigned int nuclides;
	size_t points;
	size_t buckets;
	struct point *data;
	uint32_t *index;
};

/**
 * struct material - what every lookup in a material gives
 * @first: its first nuclide
 * @step: from one of its nuclides to the next
 * @at_zero: sums of the sections of its nuclides at energy 0
 * @slope: and how much they grow up to energy 1
 */
struct material {
	unsigned int first;
	unsigned int step;
	double at_zero[SECTIONS];
	double slope[SECTIONS];
};

void grid_divide(struct grid *grid, size_t size, unsigned int nuclides);
size_t grid_data_size(const struct grid *grid);
size_t grid_index_size(const struct grid *grid);
void grid_fill(const struct grid *grid, unsigned int nuclide);
struct material grid_material(const struct grid *grid, unsigned int number);
bool grid_look_up(const struct grid *grid, const struct material *material,
		  double energy, double *sums);

#endif
