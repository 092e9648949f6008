// SPDX-License-Identifier: GPL-2.0
/*
 * On which nodes memory may be, whoever moves it.
 *
 * Memory is charged to a memory cgroup, and the cpuset of that cgroup says where
 * its tasks may have memory. A cgroup without one goes by the nearest above that
 * has. What the task that moves it may use does not matter: kswapd may use any
 * node, and who reclaims makes room at the expense of others.
 *
 * Only where both are in cgroup version 2. In version 1 a memory cgroup has no
 * cpuset, and neither has memory when nobody counts whose it is.
 *
 * Nothing here takes a lock or a reference, as reclaim may be called with any
 * lock held. The memory cgroup pins its cgroup. That cgroup's cpuset may be
 * taken from it, and is freed a grace period later. A cgroup that is removed
 * with memory left goes by those above it from then on.
 */
#include <linux/cgroup.h>
#include <linux/cpuset.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>

#include "allowed.h"

#if defined(CONFIG_CPUSETS) && defined(CONFIG_MEMCG)
static bool may_hold(struct mem_cgroup *memcg, int nid)
{
	if (!memcg || !cpusets_enabled() ||
	    !cgroup_subsys_on_dfl(cpuset_cgrp_subsys))
		return true;
	return cpuset_has_node(cgroup_e_css(memcg->css.cgroup,
					    &cpuset_cgrp_subsys), nid);
}
#else
static bool may_hold(struct mem_cgroup *memcg, int nid)
{
	return true;
}
#endif

/**
 * tiering_may_hold - may memory of a cgroup be on a node?
 * @memcg: the memory cgroup, which stays, or NULL for nobody in particular
 * @nid:   the node
 *
 * While the cpuset changes, either answer may be the old one.
 *
 * Context: any.
 */
bool tiering_may_hold(struct mem_cgroup *memcg, int nid)
{
	bool may;

	rcu_read_lock();
	may = may_hold(memcg, nid);
	rcu_read_unlock();
	return may;
}

/**
 * tiering_may_hold_folio - may a folio be on a node?
 * @folio: that somebody may charge to another cgroup meanwhile
 * @nid:   the node
 *
 * Context: any; the caller has a reference to the folio.
 */
bool tiering_may_hold_folio(struct folio *folio, int nid)
{
	bool may;

	rcu_read_lock();
	may = may_hold(folio_memcg_rcu(folio), nid);
	rcu_read_unlock();
	return may;
}
