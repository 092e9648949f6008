// SPDX-License-Identifier: GPL-2.0
/*
 * The fast node that pages of slow nodes come to.
 */
#include <linux/cpuset.h>
#include <linux/gfp.h>
#include <linux/memory-tiers.h>
#include <linux/memory_promotion.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>

#include "promote.h"

/**
 * promotion_home - the node where a task wants its pages
 * @curnid: the node of a page
 * @nid:    the node of the task's CPU
 *
 * That is @nid, but for slow pages in memory tiering mode: they go to the nearest
 * fast memory that is promoted to and that the task's cpuset allows. The CPU's own
 * node may have no memory, or its memory may be slow. While zonelists change, the
 * answer may be @curnid.
 *
 * Context: any of the task.
 * Return: the node; @curnid if the page stays.
 */
int promotion_home(int curnid, int nid)
{
	enum zone_type highest = gfp_zone(GFP_HIGHUSER_MOVABLE);
	struct zoneref *z;
	struct zone *zone;

	if (!promotion_is_on() || node_is_toptier(curnid))
		return nid;
	for_each_zone_zonelist(zone, z, node_zonelist(nid, GFP_HIGHUSER_MOVABLE),
			       highest) {
		int home = zone_to_nid(zone);

		if (promotion_node_of(home) && node_is_toptier(home) &&
		    node_isset(home, cpuset_current_mems_allowed))
			return home;
	}
	return curnid;
}
