// SPDX-License-Identifier: GPL-2.0
/* Tables of cross sections */
#include "grid.h"

/* What rounding may take from a sum, or add to it, as a part of it */
#define OFF	0.000000001

/* Points that are closer together at one end of the energies than at the other */
static double bend(double at, double middle)
{
	return at < 0.5 ? 2 * middle * at : middle + 2 * (1 - middle) * (at - 0.5);
}

/* A number from 0 up to 1 for each @number, all over that range */
static double spread(unsigned int number)
{
	return (number * 2654435769U) / 4294967296.0;
}

static double section_at_zero(unsigned int nuclide, unsigned int section)
{
	return 1 + spread(nuclide * SECTIONS + section);
}

static double section_slope(unsigned int nuclide, unsigned int section)
{
	return 1 + spread(section * MAX_NUCLIDES + nuclide);
}

/**
 * grid_divide - how many points and buckets fit into so much memory
 * @grid: gets its numbers; memory is to be provided by the caller
 * @size: bytes for data and index together, 1 MiB at least
 * @nuclides: 1 to MAX_NUCLIDES
 *
 * There are two buckets for each point of a nuclide, so that a lookup is seldom more
 * than one point beside that of its bucket.
 */
void grid_divide(struct grid *grid, size_t size, unsigned int nuclides)
{
	grid->nuclides = nuclides;
	grid->points = size / nuclides / (sizeof(*grid->data) + 2 * sizeof(*grid->index));
	grid->buckets = 2 * grid->points;
}

/**
 * grid_data_size - bytes of the points
 * @grid: the grids
 */
size_t grid_data_size(const struct grid *grid)
{
	return grid->nuclides * grid->points * sizeof(*grid->data);
}

/**
 * grid_index_size - bytes of the index
 * @grid: the grids
 */
size_t grid_index_size(const struct grid *grid)
{
	return grid->nuclides * grid->buckets * sizeof(*grid->index);
}

/**
 * grid_fill - makes the points and the index of a nuclide
 * @grid: the grids
 * @nuclide: its number
 *
 * Nuclides may be made at the same time. Points come in ascending order: each is
 * somewhere in a part of its own of the energies.
 */
void grid_fill(const struct grid *grid, unsigned int nuclide)
{
	const double middle = 0.25 + spread(nuclide) / 2;
	struct point *points = grid->data + nuclide * grid->points;
	uint64_t random = nuclide;
	unsigned int section;
	size_t bucket = 0, i;

	for (i = 0; i < grid->points; i++) {
		struct point *point = &points[i];

		/* D. Knuth's MMIX */
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		point->energy = bend((i + (random >> 33) / 2147483648.0) / grid->points, middle);
		if (i == 0)
			point->energy = 0;
		else if (i == grid->points - 1)
			point->energy = 1;
		for (section = 0; section < SECTIONS; section++)
			point->sections[section] = section_at_zero(nuclide, section) +
				section_slope(nuclide, section) * point->energy;
		for (; bucket < point->energy * grid->buckets; bucket++)
			grid->index[bucket * grid->nuclides + nuclide] = i - 1;
	}
}

/**
 * grid_material - one of MATERIALS
 * @grid: the grids
 * @number: which; 0 is of all nuclides, 1 of a quarter of them, 2 of an eighth, ...
 *
 * Return: the material.
 */
struct material grid_material(const struct grid *grid, unsigned int number)
{
	struct material material = {
		.first = number % grid->nuclides,
		.step = number ? 2U << number : 1,
	};
	unsigned int nuclide, section;

	for (nuclide = material.first; nuclide < grid->nuclides; nuclide += material.step) {
		for (section = 0; section < SECTIONS; section++) {
			material.at_zero[section] += section_at_zero(nuclide, section);
			material.slope[section] += section_slope(nuclide, section);
		}
	}
	return material;
}

/**
 * grid_look_up - sums of the cross sections of a material
 * @grid: the grids
 * @material: the material
 * @energy: from 0 up to but not 1
 * @sums: get the sum of each section over the material's nuclides
 *
 * Return: true when all of it is as it has to be.
 */
bool grid_look_up(const struct grid *grid, const struct material *material,
		  double energy, double *sums)
{
	const uint32_t *row = grid->index +
		(size_t)(energy * grid->buckets) * grid->nuclides;
	unsigned int nuclide, section;
	bool good = true;

	for (section = 0; section < SECTIONS; section++)
		sums[section] = 0;
	for (nuclide = material->first; nuclide < grid->nuclides; nuclide += material->step) {
		const struct point *point = grid->data + nuclide * grid->points + row[nuclide];
		double part;

		while (point[1].energy <= energy)
			point++;
		part = (energy - point[0].energy) / (point[1].energy - point[0].energy);
		good &= part >= 0;
		for (section = 0; section < SECTIONS; section++)
			sums[section] += point[0].sections[section] + part *
				(point[1].sections[section] - point[0].sections[section]);
	}
	for (section = 0; section < SECTIONS; section++) {
		double wanted = material->at_zero[section] + material->slope[section] * energy;

		good &= sums[section] > wanted * (1 - OFF) &&
			sums[section] < wanted * (1 + OFF);
	}
	return good;
}
