// SPDX-License-Identifier: GPL-2.0
/* The search of bwactl tune: a convex function, few runs */
#include "bwactl-search.h"

/* Where to look, and the least cost that can be there */
struct candidate {
	double share;
	double bound;
};

static double slope(const struct search_point *a, const struct search_point *b)
{
	return (b->cost - a->cost) / (b->share - a->share);
}

/*
 * Between neighbours @near, the better one, and @far. @before is beyond @near, and
 * the line through both goes on below; so does that of @far and @after, which is
 * beyond @far. Either may be missing.
 */
static struct candidate between(const struct search_point *before,
				const struct search_point *near,
				const struct search_point *far,
				const struct search_point *after)
{
	struct candidate found = { .share = (near->share + far->share) / 2 };
	double margin = (far->share - near->share) / 8;
	double down = before ? slope(before, near) : 0;
	double up = after ? slope(far, after) : 0;
	double at;

	if (before && after && down != up) {
		at = (far->cost - near->cost + down * near->share -
		      up * far->share) / (down - up);
		/* Too close to what is known it would tell nothing. */
		if ((at - near->share) / (far->share - near->share) < 1. / 8)
			at = near->share + margin;
		else if ((far->share - at) / (far->share - near->share) < 1. / 8)
			at = far->share - margin;
		found.share = at;
	}
	if (before)
		found.bound = near->cost + down * (found.share - near->share);
	else if (after)
		found.bound = far->cost + up * (found.share - far->share);
	if (before && after) {
		at = far->cost + up * (found.share - far->share);
		if (at > found.bound)
			found.bound = at;
	}
	return found;
}

size_t best_point(const struct search_point *points, size_t count)
{
	size_t i, best = 0;

	for (i = 1; i < count; i++) {
		if (points[i].cost < points[best].cost)
			best = i;
	}
	return best;
}

void add_point(struct search_point *points, size_t count,
	       struct search_point point)
{
	for (; count && points[count - 1].share > point.share; count--)
		points[count] = points[count - 1];
	points[count] = point;
}

/* Farther than all that was tried, twice as far at most */
static double extend(double last)
{
	return last < 1. / 3 ? 2 * last : (1 + last) / 2;
}

bool next_share(const struct search_point *points, size_t count, double start,
		double *share)
{
	const struct search_point *best, *left, *right, *first = points;
	const struct search_point *last = points + count - 1;
	struct candidate found = { 0 }, other;
	bool looking = false;

	if (!count || count == 1) {
		*share = count ? 0 : start;
		return true;
	}
	best = points + best_point(points, count);
	if (best == last && 1 - best->share > SEARCH_APART) {
		*share = extend(best->share);
		return true;
	}
	left = best > first ? best - 1 : NULL;
	right = best < last ? best + 1 : NULL;
	if (right && right->share - best->share > 2 * SEARCH_APART) {
		found = between(left, best, right,
				right < last ? right + 1 : NULL);
		looking = true;
	}
	if (left && best->share - left->share > 2 * SEARCH_APART) {
		other = between(right, best, left, left > first ? left - 1 : NULL);
		if (!looking || other.bound < found.bound)
			found = other;
		looking = true;
	}
	*share = found.share;
	return looking && found.bound < best->cost * (1 - SEARCH_GAIN);
}
