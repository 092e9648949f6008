/* SPDX-License-Identifier: GPL-2.0 */
/* The share of slow memory at which a program is fastest, from few runs of it */
#ifndef BWACTL_SEARCH_H
#define BWACTL_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Where it is less, nothing more is looked for: 1 % */
#define SEARCH_GAIN	0.01

/*
 * Shares that are closer, of what either set of nodes has, say more of noise than of
 * memory: 4 %, as the slower set takes as much longer
 */
#define SEARCH_APART	0.04

/* What a run took with this share; the time, or something that is less when better */
struct search_point {
	double share;		/* 0 to 1 */
	double cost;		/* above 0 */
};

/* Whether two shares are far enough from each other to be two */
bool are_apart(double a, double b);

/**
 * next_share - what to try next
 * @points: what has been tried, by share, all apart
 * @count: how many, 0 to begin with
 * @start: the first that is to be tried, above 0 and below 1
 * @share: where the next goes
 *
 * Each node takes its time for its share of the accesses, and the slowest decides,
 * so the cost is convex: it is nowhere below the lines through two neighbours beyond
 * them. The next one is where these leave most room below the best; between two
 * lines that is where they meet.
 *
 * Return: false when no other share can be better by more than SEARCH_GAIN.
 */
bool next_share(const struct search_point *points, size_t count, double start,
		double *share);

/**
 * add_point - puts a run into its place
 * @points: sorted by share; room for one more
 * @count: how many there are
 * @point: the new one
 */
void add_point(struct search_point *points, size_t count,
	       struct search_point point);

/* The one with the least cost, of at least one */
size_t best_point(const struct search_point *points, size_t count);

#endif /* BWACTL_SEARCH_H */
