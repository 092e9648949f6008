/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_CGROUP_H
#define _MM_TIERING_CGROUP_H

#include <linux/tiering_cgroup.h>

struct mem_cgroup;

#ifdef CONFIG_MEMCG
void tiering_cgroup_count(struct mem_cgroup *memcg, enum tiering_move move,
			  unsigned int pages);
#else
static inline void tiering_cgroup_count(struct mem_cgroup *memcg,
					enum tiering_move move, unsigned int pages)
{
}
#endif

#endif /* _MM_TIERING_CGROUP_H */
