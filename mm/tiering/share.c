// SPDX-License-Identifier: GPL-2.0
/*
 * How memory cgroups share a fast node: arithmetic.
 *
 * By heat alone a cgroup whose pages are touched ten times as often would have all of it.
 * So those that compete, as they touch pages of slow nodes about as often as what is hot,
 * come to even shares of what they have there together: whoever has less finds pages hot
 * that are touched less often, whoever has more only those that are touched more often.
 * What is demoted is taken from those that have more. A cgroup that is too small to want
 * more does not compete, and neither does one whose other pages are hardly touched.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/tiering_share.h>
#include <linux/time64.h>

#include "share.h"

/* Pages that count as wanted: at least so many, and a part of what the cgroup has */
#define WANTED_LEAST	256U
#define WANTED_PART	64
/* What was wanted is forgotten by so many parts in a look */
#define FORGET_PART	8
/* An even share in so many parts, each of which doubles or halves the threshold */
#define PARTS		16
/* What is missing of one before anything is spared, or two that are even would take turns */
#define SPARE_PART	32
/* Fewer demoted pages say nothing of those who gave them. */
#define DEMOTED_LEAST	256

/**
 * share_competes - does a cgroup want more of a fast node than it has?
 * @share:  of the cgroup; brought up to date
 * @wanted: its count of pages that are about as hot as what comes, as it is now
 * @fast:   what it has there, pages
 *
 * Context: one caller at a time, once a look: a second, or less where a pass is short.
 */
bool share_competes(struct tiering_share *share, u32 wanted, unsigned long fast)
{
	u64 recent = share->recent - share->recent / FORGET_PART;

	recent += wanted - share->seen;
	share->seen = wanted;
	share->recent = min_t(u64, recent, U32_MAX);
	return share->recent >= max_t(unsigned long, WANTED_LEAST, fast / WANTED_PART);
}

/**
 * share_add_rival - count a cgroup among those that compete
 * @sum:   all of them, before share_add() is called for any
 * @group: the cgroup
 */
void share_add_rival(struct share_sum *sum, const struct share_group *group)
{
	if (!group->competes || group->stays > sum->most)
		return;
	sum->had += group->pages;
	sum->rivals++;
}

/**
 * share_add - count a cgroup among those that have an even share between them
 * @sum:   with all that compete counted
 * @group: the cgroup
 *
 * Those that compete, and those that have more than these on average: what they have may
 * be all that they need, and all of it as hot. Who has more that cannot be taken leaves
 * the rest to the others. Who is so small that it could have no more in all
 * leaves the rest to the others.
 */
void share_add(struct share_sum *sum, const struct share_group *group)
{
	unsigned long mean = sum->had / max(sum->rivals, 1UL);

	if (group->stays > sum->most) {
		sum->pages += group->pages - group->stays;
		return;
	}
	if (!group->competes && group->pages <= mean)
		return;
	sum->pages += group->pages;
	if (group->competes && group->could < mean) {
		sum->small += group->could;
		sum->smalls++;
	} else {
		sum->groups++;
	}
}

/**
 * share_even - an even share of a fast node
 * @sum: of all that compete or have more
 *
 * Return: pages; 0 if there is nobody.
 */
unsigned long share_even(const struct share_sum *sum)
{
	if (!sum->groups)
		return sum->pages / max(sum->smalls, 1UL);
	return (sum->pages - min(sum->small, sum->pages)) / sum->groups;
}

/**
 * share_wants - does a page that is touched count as wanted?
 * @latency:   of its hint fault, ms
 * @threshold: of the node, ms; 0 while all that is demoted is touched as soon as can be
 *             told apart, and then no less is wanted
 * @finest:    the shortest latency that can be told apart, ms
 */
bool share_wants(unsigned int latency, unsigned int threshold, unsigned int finest)
{
	return latency >> SHARE_SHIFT < max(threshold, finest);
}

/**
 * share_threshold - the threshold of a cgroup
 * @threshold: of the node, ms
 * @finest:    the shortest latency that can be told apart, ms
 * @shift:     how many times twice as long that of the cgroup is, or half as long;
 *             -SHARE_SHIFT .. SHARE_SHIFT
 *
 * Where nothing is hotter than what goes, somebody who has less than a share gets one.
 *
 * Return: ms; 0 if nothing of it is hot.
 */
unsigned int share_threshold(unsigned int threshold, unsigned int finest, int shift)
{
	if (shift <= 0)
		return threshold >> -shift;
	return min(max(threshold, finest), UINT_MAX >> SHARE_SHIFT) << shift;
}

/**
 * share_shift - by how much is the threshold of a cgroup longer?
 * @fast: what it has of a fast node, pages
 * @even: an even share of that, pages, or 0 if it does not compete
 *
 * Return: how many times twice as long, or if less than 0 half as long;
 * -SHARE_SHIFT .. SHARE_SHIFT.
 */
int share_shift(unsigned long fast, unsigned long even)
{
	u64 apart = fast < even ? even - fast : fast - even;
	int shift;

	if (!even)
		return 0;
	shift = min_t(u64, div64_u64(apart * PARTS, even), SHARE_SHIFT);
	return fast < even ? shift : -shift;
}

/**
 * share_is_spared - is a cgroup passed over when pages are demoted?
 * @fast: what it has of a fast node, pages
 * @even: an even share of that, pages, or 0 if it does not compete
 */
bool share_is_spared(unsigned long fast, unsigned long even)
{
	return fast < even - even / SPARE_PART;
}

/**
 * share_gives - how much of what it uses may be taken from a cgroup?
 * @fast:  what it has of a fast node, pages
 * @least: what is left to it, pages: an even share, or more if that stays; 0 if nobody
 *         competes
 *
 * Whoever is spared, somebody else has to give: so there is nothing between having more
 * and giving.
 *
 * Return: pages, for those that have less.
 */
unsigned int share_gives(unsigned long fast, unsigned long least)
{
	return least && fast > least ? min_t(unsigned long, fast - least, S32_MAX) : 0;
}

/**
 * share_gives_more - has less been taken from a cgroup than may be?
 * @given: what was taken from it, ever, pages
 * @give:  what that comes to when it has given all that it has above a share
 */
bool share_gives_more(u32 given, u32 give)
{
	return (s32)(give - given) > 0;
}

/**
 * share_was_taken - did those that are spared give most of what was demoted?
 * @gone: what was demoted, as it is now
 * @seen: what of it has been looked at; brought up to date when there is enough to tell
 */
bool share_was_taken(const struct share_demoted *gone, struct share_demoted *seen)
{
	u32 all = gone->all - seen->all;
	u32 spared = gone->spared - seen->spared;

	if (all < DEMOTED_LEAST)
		return false;
	*seen = *gone;
	return spared > all / 2;
}

/**
 * share_rests - has nobody a share at this look?
 * @rest:    how many such looks are left; brought up to date
 * @taken:   those that are spared had to give most of what was demoted
 * @pass_ms: the time of a pass of the scan, ms
 */
bool share_rests(unsigned int *rest, bool taken, unsigned int pass_ms)
{
	if (taken)
		*rest = pass_ms / MSEC_PER_SEC + 1;
	if (!*rest)
		return false;
	--*rest;
	return true;
}
