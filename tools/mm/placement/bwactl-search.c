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
	/* The one line is below the better point on the side of that alone. */
	if (!before && after && up)
		found.share = (near->share + far->share +
			       (near->cost - far->cost) / up) / 2;
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

bool are_apart(double a, double b)
{
	double least = a < b ? a : b, most = a < b ? b : a;

	return most - least > SEARCH_APART * (most < 1 - least ? most : 1 - least);
}

/* Whether there is room for a point between two that is apart from both */
static bool have_room(const struct search_point *a, const struct search_point *b)
{
	double middle = (a->share + b->share) / 2;

	return are_apart(a->share, middle) && are_apart(middle, b->share);
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

/* Farther than all that was tried, four times as far at most */
static double extend(double last)
{
	return last < 1. / 5 ? 4 * last : (1 + last) / 2;
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
	/* Whichever of two is better: close to each other they say little. */
	if (count == 2 || best == last)
		*share = extend(last->share);
	if ((count == 2 || best == last) && are_apart(last->share, *share))
		return true;
	left = best > first ? best - 1 : NULL;
	right = best < last ? best + 1 : NULL;
	if (right && have_room(best, right)) {
		found = between(left, best, right,
				right < last ? right + 1 : NULL);
		looking = true;
	}
	if (left && have_room(left, best)) {
		other = between(right, best, left, left > first ? left - 1 : NULL);
		if (!looking || other.bound < found.bound)
			found = other;
		looking = true;
	}
	*share = found.share;
	return looking && found.bound < best->cost * (1 - SEARCH_GAIN);
}
