/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What memory cgroups have of fast nodes: a part of what each has for a node, and what
 * kswapd asks.
 */
#ifndef _LINUX_TIERING_SHARE_H
#define _LINUX_TIERING_SHARE_H

#include <linux/atomic.h>
#include <linux/types.h>

struct folio;
struct list_head;
struct mem_cgroup;

/**
 * struct tiering_share - what a cgroup has of a fast node, and is to have
 * @wanted: base pages of slow nodes that it has touched no more than 16 times less often
 *          than what is hot; this wraps around
 * @given:  base pages that kswapd has demoted of it, or that were in use and could not be
 *          moved; kswapd of the node alone writes it, and it wraps around
 * @give:   what @given may come to until the next look: as long as it is less, and somebody
 *          is spared, kswapd takes what is in use, too
 * @seen:   what @wanted was at the last look; promotion_lock
 * @recent: what was wanted lately; promotion_lock
 * @competes: it was one of those that share, at the last look; promotion_lock
 * @shift:  how many times twice as long its threshold is, or half as long
 * @spared: it has less than an even share: kswapd passes it over
 *
 * The work writes @give, @shift and @spared under promotion_lock; faults and kswapd read
 * them without.
 */
struct tiering_share {
	atomic_t wanted;
	u32 given;
	u32 give;
	u32 seen;
	u32 recent;
	bool competes;
	s8 shift;
	bool spared;
};

#if defined(CONFIG_MEMCG) && defined(CONFIG_NUMA_BALANCING)
bool tiering_spares(struct mem_cgroup *memcg, int nid, int priority);
bool tiering_presses(struct mem_cgroup *memcg, int nid, int priority);
bool tiering_takes(struct folio *folio, bool used, int priority);
void tiering_demotes(int nid, int priority, bool trims_cache);
void tiering_keeps(struct list_head *taken, struct list_head *kept);
#else
static inline bool tiering_spares(struct mem_cgroup *memcg, int nid, int priority)
{
	return false;
}

static inline bool tiering_presses(struct mem_cgroup *memcg, int nid, int priority)
{
	return false;
}

static inline bool tiering_takes(struct folio *folio, bool used, int priority)
{
	return false;
}

static inline void tiering_demotes(int nid, int priority, bool trims_cache)
{
}

static inline void tiering_keeps(struct list_head *taken, struct list_head *kept)
{
}
#endif

#endif /* _LINUX_TIERING_SHARE_H */
