// SPDX-License-Identifier: GPL-2.0
/*
 * Room on fast nodes for pages that are promoted, and who makes it.
 *
 * kswapd does, by demotion: only while slow nodes can take what it demotes, or it
 * would swap out. Nothing here takes a lock.
 */
#include <linux/jiffies.h>
#include <linux/memory-tiers.h>
#include <linux/memory_promotion.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "../internal.h"
#include "promote.h"

/* As many as look at all that kswapd takes from, if a third of it at a time */
#define TRY_RUNS	4

/**
 * promotion_has_free_space - is there so much room that no page needs to be chosen?
 * @pgdat: the node to promote to
 *
 * More than a sixteenth of the node and 1 GiB, but no more than an eighth, so
 * that small nodes have such a time as well. What lower zones keep for others
 * does not count.
 *
 * Context: any.
 */
bool promotion_has_free_space(struct pglist_data *pgdat)
{
	unsigned long present = pgdat->node_present_pages;
	unsigned long enough = min(max(SZ_1G >> PAGE_SHIFT, present / 16),
				   present / 8);
	unsigned long free = 0;
	int i;

	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;
		unsigned long kept = wmark_pages(zone, WMARK_PROMO) +
				     zone->lowmem_reserve[ZONE_MOVABLE];
		unsigned long zone_free = zone_page_state(zone, NR_FREE_PAGES);

		if (populated_zone(zone) && zone_free > kept)
			free += zone_free - kept;
	}
	return free > enough;
}

/**
 * promotion_has_room - can a page come without another one being demoted for it?
 * @pgdat: the node to promote to
 *
 * kswapd stops somewhat above its mark: what it has just made is no such room. So there
 * has to be as much again as it keeps for promotions.
 *
 * Context: any.
 */
bool promotion_has_room(struct pglist_data *pgdat)
{
	int i;

	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;
		unsigned long mark = 2 * wmark_pages(zone, WMARK_PROMO) -
				     high_wmark_pages(zone);

		if (managed_zone(zone) &&
		    zone_watermark_ok(zone, 0, mark, ZONE_MOVABLE, 0))
			return true;
	}
	return false;
}

/**
 * promotion_is_full - is there no room at all for more pages?
 * @pgdat: the node to promote to
 * @pages: how many
 *
 * As the base has it: no page comes once a zone is down to its high watermark.
 *
 * Context: any.
 */
bool promotion_is_full(struct pglist_data *pgdat, unsigned int pages)
{
	int i;

	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;

		if (managed_zone(zone) &&
		    zone_watermark_ok(zone, 0, high_wmark_pages(zone) + pages,
				      ZONE_MOVABLE, 0))
			return false;
	}
	return true;
}

/*
 * Can slow nodes take what is demoted? Not above the mark at which they make
 * room themselves, or nobody would.
 */
static bool can_demote_from(struct pglist_data *pgdat)
{
	nodemask_t targets;
	int nid, i;

	if (!numa_demotion_enabled)
		return false;
	node_get_allowed_targets(pgdat, &targets);
	for_each_node_mask(nid, targets) {
		for (i = 0; i < NODE_DATA(nid)->nr_zones; i++) {
			struct zone *zone = NODE_DATA(nid)->node_zones + i;

			if (populated_zone(zone) &&
			    zone_watermark_ok(zone, 0, min_wmark_pages(zone),
					      ZONE_MOVABLE, 0))
				return true;
		}
	}
	return false;
}

/*
 * How far apart kswapd's tries are, ms: as far as the threshold, as no page that is
 * touched more often needs to go, and half as far after each pass that has found
 * nothing: so what is demoted is as cold as it can be, and tells what the threshold is.
 * Where that is only a guess, a quarter of it, as for the pages that come.
 */
static unsigned int tries_apart(const struct promotion_node *node)
{
	unsigned int most = READ_ONCE(node->threshold.ms);
	unsigned int apart = READ_ONCE(node->try_apart);

	if (!READ_ONCE(node->threshold.found))
		most /= 4;
	most = clamp(most, 1U, max(promotion_pass_ms() / 2, 1U));
	if (!apart)
		return most;
	return min(READ_ONCE(node->try_worked) ? 2 * apart : max(apart / 2, 1U), most);
}

/*
 * kswapd gives a node up that it has reclaimed nothing from so many times in a row,
 * until direct reclaim does. Here nobody would: promotion does not reclaim, and
 * what others do not get from fast nodes, they take from slow ones. Meanwhile
 * there may be pages to demote. Two tries a pass show whether there are: the second
 * finds what has not been touched since the first. With one alone that would have to be
 * colder than a pass is long.
 */
static void let_kswapd_try(struct pglist_data *pgdat)
{
	struct promotion_node *node = promotion_node_of(pgdat->node_id);
	int failures = READ_ONCE(pgdat->kswapd_failures);
	unsigned int apart, wait;
	unsigned long try_at;
	bool again;

	if (!node)
		return;
	if (!failures && !READ_ONCE(node->try_worked))
		WRITE_ONCE(node->try_worked, true);
	if (failures < MAX_RECLAIM_RETRIES)
		return;
	try_at = READ_ONCE(node->try_at);
	if (time_before(jiffies, try_at))
		return;
	again = READ_ONCE(node->try_again);
	apart = again ? READ_ONCE(node->try_apart) : tries_apart(node);
	wait = again ? max(promotion_pass_ms(), apart) - apart : apart;
	if (cmpxchg(&node->try_at, try_at, jiffies + msecs_to_jiffies(wait) + 1) != try_at)
		return;
	WRITE_ONCE(node->try_again, !again);
	WRITE_ONCE(node->try_apart, apart);
	WRITE_ONCE(node->try_worked, false);
	/* Not over a count that kswapd has begun anew meanwhile */
	cmpxchg(&pgdat->kswapd_failures, failures, MAX_RECLAIM_RETRIES - TRY_RUNS);
}

/**
 * promotion_may_reclaim - is it worth waking kswapd for a refused promotion?
 * @pgdat: the node that is too full
 *
 * Only if slow nodes can take what is demoted. Otherwise pages of the fast node
 * would be swapped out for pages that are only a little slower to reach. If
 * kswapd has given the node up, it gets another try once in a while.
 *
 * Context: any.
 */
bool promotion_may_reclaim(struct pglist_data *pgdat)
{
	if (!promotion_is_on() || !can_demote_from(pgdat))
		return false;
	let_kswapd_try(pgdat);
	return true;
}

/**
 * promotion_wake_kswapd - let kswapd make room for a promotion, if it is worth it
 * @pgdat: the node to promote to
 * @order: of the block that is needed
 *
 * Context: any.
 */
void promotion_wake_kswapd(struct pglist_data *pgdat, unsigned int order)
{
	int i = pgdat->nr_zones;

	while (i--) {
		struct zone *zone = pgdat->node_zones + i;

		if (!managed_zone(zone))
			continue;
		if (promotion_may_reclaim(pgdat))
			wakeup_kswapd(zone, 0, order, ZONE_MOVABLE);
		return;
	}
}

/**
 * promotion_keep_room - a page has come: let kswapd begin before all room is used
 * @pgdat: the node to which it came
 *
 * kswapd makes room when there is none. Then each page that is wanted before it
 * has done so would have to wait for the next pass of the scan. Let it begin
 * when a 32nd of what it keeps for promotions is used: it then works in small
 * steps, between which pages have time to be touched. Where it has to find many
 * at once, it takes hot ones, too.
 *
 * Context: any.
 */
void promotion_keep_room(struct pglist_data *pgdat)
{
	int i;

	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;
		unsigned long mark = (high_wmark_pages(zone) +
				      31 * wmark_pages(zone, WMARK_PROMO)) / 32;

		if (managed_zone(zone) &&
		    zone_watermark_ok(zone, 0, mark, ZONE_MOVABLE, 0))
			return;
	}
	promotion_wake_kswapd(pgdat, 0);
}

/**
 * promotion_keeps_headroom - does kswapd keep room on a node for promotions?
 * @nid: the node
 *
 * As long as slow nodes can take what it demotes.
 *
 * Context: any.
 */
bool promotion_keeps_headroom(int nid)
{
	return promotion_is_on() && can_demote_from(NODE_DATA(nid));
}

/**
 * promotion_reclaim - how much kswapd reclaims before it looks whether that is enough
 * @pgdat: the node
 * @pages: as the base has it
 *
 * Two batches, where the room is missing that is kept for promotions and no other.
 *
 * Context: kswapd.
 * Return: pages.
 */
unsigned long promotion_reclaim(struct pglist_data *pgdat, unsigned long pages)
{
	int i;

	if (!promotion_keeps_headroom(pgdat->node_id))
		return pages;
	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;

		if (managed_zone(zone) &&
		    zone_watermark_ok(zone, 0, high_wmark_pages(zone), ZONE_MOVABLE, 0))
			return min(pages, 2 * SWAP_CLUSTER_MAX);
	}
	return pages;
}

/**
 * promotion_headroom - room to be kept in a zone for promotions
 * @zone: the zone
 *
 * The zone's part of a 512th of the node, but of no less than a huge page and
 * a quarter, or none could come, and of no more than 10 MiB: on large nodes the
 * distance between two watermarks is more, and that is what holds. A node so
 * small that this is more than a 16th of it keeps that.
 *
 * Context: any.
 * Return: pages above the high watermark.
 */
unsigned long promotion_headroom(struct zone *zone)
{
	unsigned long present = zone->zone_pgdat->node_present_pages;
	unsigned long room = clamp(present / 512, 5UL * PTRS_PER_PTE / 4,
				   10UL << (20 - PAGE_SHIFT));

	room = min(room, present / 16);
	return present ? mult_frac(room, zone_managed_pages(zone), present) : 0;
}
