/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Demotion to slower nodes: what reclaim calls.
 */
#ifndef _LINUX_MEMORY_DEMOTION_H
#define _LINUX_MEMORY_DEMOTION_H

#include <linux/types.h>

struct folio;
struct mem_cgroup;

#if defined(CONFIG_NUMA) && defined(CONFIG_MIGRATION)
bool demotion_possible(int nid, struct mem_cgroup *memcg);
bool demotion_for_limit(int nid, int priority);
struct folio *demotion_alloc(struct folio *src, unsigned long private);
#else
static inline bool demotion_possible(int nid, struct mem_cgroup *memcg)
{
	return false;
}

static inline bool demotion_for_limit(int nid, int priority)
{
	return false;
}

static inline struct folio *demotion_alloc(struct folio *src, unsigned long private)
{
	return NULL;
}
#endif

#endif /* _LINUX_MEMORY_DEMOTION_H */
