/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_SHARE_H
#define _MM_TIERING_SHARE_H

#include <linux/types.h>

struct tiering_share;

/**
 * struct share_demoted - base pages that kswapd has demoted from a node; these wrap around
 * @all:    of all cgroups
 * @spared: of those that it spares, in its last passes, where it spares nobody
 */
struct share_demoted {
	u32 all;
	u32 spared;
};

/**
 * struct share_group - a cgroup, for an even share
 * @pages:    what it has of the fast node
 * @stays:    so many of these cannot be taken from it; 0 will do if @pages is no more than
 *            the most that may be left
 * @competes: it wants more than it has there
 * @could:    if so, what it could have there: @pages, and what it has of slow nodes
 */
struct share_group {
	unsigned long pages;
	unsigned long stays;
	bool competes;
	unsigned long could;
};

/**
 * struct share_sum - those that have an even share between them, pages
 * @most:   who cannot be left with so many is not one of them
 * @had:    what those that compete have of the fast node
 * @rivals: how many these are
 * @pages:  what all that share have there
 * @small:  what those could have there that are too small for an even share
 * @smalls: how many these are
 * @groups: how many the others are
 */
struct share_sum {
	unsigned long most;
	unsigned long had;
	unsigned long rivals;
	unsigned long pages;
	unsigned long small;
	unsigned long smalls;
	unsigned long groups;
};

/* So many times the threshold may a page's latency be that its cgroup wants it for */
#define SHARE_SHIFT	4

bool share_competes(struct tiering_share *share, u32 wanted, unsigned long fast);
void share_add_rival(struct share_sum *sum, const struct share_group *group);
void share_add(struct share_sum *sum, const struct share_group *group);
unsigned long share_even(const struct share_sum *sum);
bool share_wants(unsigned int latency, unsigned int threshold, unsigned int finest);
unsigned int share_threshold(unsigned int threshold, unsigned int finest, int shift);
int share_shift(unsigned long fast, unsigned long even);
bool share_is_spared(unsigned long fast, unsigned long even);
unsigned int share_gives(unsigned long fast, unsigned long least);
bool share_gives_more(u32 given, u32 give);
bool share_was_taken(const struct share_demoted *gone, struct share_demoted *seen);
bool share_rests(unsigned int *rest, bool taken, unsigned int pass_ms);

#endif /* _MM_TIERING_SHARE_H */
