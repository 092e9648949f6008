// SPDX-License-Identifier: GPL-2.0
/*
 * Demotion by reclaim for the limit of a memory cgroup: memory.max, memory.high,
 * memory.reclaim, and those of version 1 but for soft limits.
 *
 * What is demoted stays charged. So it brings a cgroup no nearer to its limit, and
 * mm/vmscan.c does not count it as reclaimed. It only makes room on the node,
 * which the cgroup does where others want that room, and else not.
 */
#include <linux/memory_demotion.h>
#include <linux/mm.h>
#include <linux/mmzone.h>

/*
 * A node is short below the mark at which kswapd begins. Up to the one at which it
 * ends, a node that is full of page cache rests for ever, and each page that a
 * cgroup drops there would be copied before.
 */
static bool is_short(struct pglist_data *pgdat)
{
	int i;

	for (i = 0; i < pgdat->nr_zones; i++) {
		struct zone *zone = pgdat->node_zones + i;

		if (managed_zone(zone) &&
		    zone_watermark_ok_safe(zone, 0, low_wmark_pages(zone),
					   MAX_NR_ZONES - 1))
			return false;
	}
	return true;
}

/**
 * demotion_for_limit - does reclaim for a cgroup's limit demote?
 * @nid:      the node from which it would
 * @priority: of reclaim, DEF_PRIORITY at first
 *
 * On a node that is short, while reclaim looks at small parts of the memory. In
 * what follows it drops and swaps out as if there were no slower node: so a
 * cgroup that has something to drop is not killed for what it has demoted.
 *
 * Context: any.
 */
bool demotion_for_limit(int nid, int priority)
{
	return priority >= DEF_PRIORITY - 2 && is_short(NODE_DATA(nid));
}
