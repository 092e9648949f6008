/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a memory cgroup tells of pages that move between tiers.
 */
#ifndef _LINUX_TIERING_CGROUP_H
#define _LINUX_TIERING_CGROUP_H

#include <linux/atomic.h>
#include <linux/types.h>

struct list_head;
struct mem_cgroup;
struct seq_buf;

/* In the order in which memory.stat has them */
enum tiering_move {
	TIERING_PROMOTED,
	TIERING_DEMOTED_KSWAPD,
	TIERING_DEMOTED_DIRECT,
	NR_TIERING_MOVES,
};

/**
 * struct tiering_counts - base pages of a cgroup, and of those below it, that moved
 * @pages: of each kind; these only grow
 *
 * One number for all CPUs: a page that moves is copied, beside which an atomic
 * addition for each level of cgroups does not count.
 */
struct tiering_counts {
	atomic_long_t pages[NR_TIERING_MOVES];
};

#if defined(CONFIG_MEMCG) && defined(CONFIG_NUMA) && defined(CONFIG_MIGRATION)
struct mem_cgroup *tiering_cgroup_get(struct list_head *folios);
void tiering_cgroup_put(struct mem_cgroup *memcg, unsigned int demoted);
void tiering_cgroup_show(struct mem_cgroup *memcg, struct seq_buf *text);
#else
static inline struct mem_cgroup *tiering_cgroup_get(struct list_head *folios)
{
	return NULL;
}

static inline void tiering_cgroup_put(struct mem_cgroup *memcg, unsigned int demoted)
{
}

static inline void tiering_cgroup_show(struct mem_cgroup *memcg, struct seq_buf *text)
{
}
#endif

#endif /* _LINUX_TIERING_CGROUP_H */
