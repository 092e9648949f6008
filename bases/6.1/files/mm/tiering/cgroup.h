/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_CGROUP_H
#define _MM_TIERING_CGROUP_H

#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/tiering_cgroup.h>

#ifdef CONFIG_MEMCG
void tiering_cgroup_count(struct mem_cgroup *memcg, enum tiering_move move,
			  unsigned int pages);
#else
static inline void tiering_cgroup_count(struct mem_cgroup *memcg,
					enum tiering_move move, unsigned int pages)
{
}
#endif

/* @folio: is being promoted, and locked */
static inline void tiering_cgroup_promoted(struct folio *folio)
{
	tiering_cgroup_count(folio_memcg(folio), TIERING_PROMOTED, folio_nr_pages(folio));
}

#endif /* _MM_TIERING_CGROUP_H */
