// SPDX-License-Identifier: GPL-2.0
/*
 * What memory cgroups have of fast nodes, and are to have.
 *
 * A cgroup's share of a node is a part of what it has for that node, which is made with
 * the cgroup for each node that is possible and freed with it, a grace period after the
 * last reference is gone. The work that looks at thresholds writes it, under
 * promotion_lock, for all cgroups at each look; mem_cgroup_iter() holds each of them
 * meanwhile, also those that are removed and have memory left. Hint faults find it through
 * the folio, under RCU: the page table's lock keeps the folio, but cgroup 1 may charge it
 * to another one. They add to what is wanted, and read what kswapd reads as well: whoever
 * sees it a look late goes by the shares of then. kswapd has the cgroup from its own walk,
 * or from a folio that it has isolated, which nobody charges to another one. What it has
 * demoted of a cgroup it counts itself, and ends taking by that count between two looks.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/memory-tiers.h>
#include <linux/memory_demotion.h>
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/page-flags.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/tiering_share.h>

#include "promote.h"
#include "share.h"
#include "shares.h"
#include "stamp.h"
#include "../newer.h"

/* After some looks for what is idle, kswapd takes from those with more what is in use. */
#define TAKE_PRIORITY	(DEF_PRIORITY - 4)
/* What nobody else can give is taken from all in its last looks. */
#define SPARE_PRIORITY	2
/* So often is it asked who cannot be brought down to an even share; twice is the rule. */
#define EVEN_ROUNDS	8

static struct tiering_share *share_of(struct mem_cgroup *memcg, int nid)
{
	return &memcg->nodeinfo[nid]->share;
}

/* Pages of generations are on no list that a cgroup has the length of. */
static unsigned long pages_of_generations(struct lruvec *lruvec)
{
	unsigned long pages = 0;
#ifdef CONFIG_LRU_GEN
	int gen, type, zone;

	for (gen = 0; gen < MAX_NR_GENS; gen++)
		for (type = 0; type < ANON_AND_FILE; type++)
			for (zone = 0; zone < MAX_NR_ZONES; zone++)
				pages += max(READ_ONCE(lruvec->lrugen.nr_pages[gen][type][zone]),
					     0L);
#endif
	return pages;
}

static unsigned long pages_of_list(struct lruvec *lruvec, enum lru_list lru)
{
	unsigned long pages = 0;
	int zone;

	for (zone = 0; zone < MAX_NR_ZONES; zone++)
		pages += mem_cgroup_get_zone_lru_size(lruvec, lru, zone);
	return pages;
}

/* Base pages that a cgroup has locked to memory on a node */
static unsigned long locked_on(struct mem_cgroup *memcg, int nid)
{
	return pages_of_list(mem_cgroup_lruvec(memcg, NODE_DATA(nid)), LRU_UNEVICTABLE);
}

/* Base pages that it has there; also locked ones, or locking would be a way to get more */
static unsigned long pages_on(struct mem_cgroup *memcg, int nid)
{
	struct lruvec *lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(nid));
	unsigned long pages = pages_of_generations(lruvec);
	enum lru_list lru;

	for_each_lru(lru)
		pages += pages_of_list(lruvec, lru);
	return pages;
}

/* What it could have on a node: what other fast nodes have does not come */
static unsigned long could_have(struct mem_cgroup *memcg, int nid)
{
	unsigned long pages = pages_on(memcg, nid);
	int slow;

	for_each_node_state(slow, N_MEMORY)
		if (slow != nid && !node_is_toptier(slow))
			pages += pages_on(memcg, slow);
	return pages;
}

/**
 * tiering_share_threshold - the threshold for a folio, by what its cgroup has
 * @folio:     a folio of a slow node, at whose hint fault this is
 * @nid:       the node to which it would go
 * @latency:   of that fault, ms
 * @threshold: of that node, ms
 *
 * Context: page table lock held.
 * Return: ms.
 */
unsigned int tiering_share_threshold(struct folio *folio, int nid, unsigned int latency,
				     unsigned int threshold)
{
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = folio_memcg_rcu(folio);
	if (memcg) {
		struct tiering_share *share = share_of(memcg, nid);

		if (share_wants(latency, threshold, STAMP_FINEST_MS))
			atomic_add(folio_nr_pages(folio), &share->wanted);
		threshold = share_threshold(threshold, STAMP_FINEST_MS,
					    READ_ONCE(share->shift));
	}
	rcu_read_unlock();
	return threshold;
}

static struct mem_cgroup *next_cgroup(struct mem_cgroup *memcg)
{
	cond_resched();
	return mem_cgroup_iter(NULL, memcg, NULL);
}

/* Who competes? Whether anybody does */
static bool find_rivals(int nid)
{
	struct mem_cgroup *memcg = NULL;
	bool rivals = false;

	while ((memcg = next_cgroup(memcg))) {
		struct tiering_share *share = share_of(memcg, nid);

		share->competes = share_competes(share, atomic_read(&share->wanted),
						 pages_on(memcg, nid));
		rivals |= share->competes;
	}
	return rivals;
}

/*
 * How many of its @pages cannot be taken from a cgroup? What protects it is as reclaim,
 * which keeps it up to date, has last found it.
 */
static unsigned long stays_on(struct mem_cgroup *memcg, int nid, unsigned long pages)
{
	if (mem_cgroup_below_min(NULL, memcg) || mem_cgroup_below_low(NULL, memcg) ||
	    !demotion_possible(nid, memcg))
		return pages;
	return min(locked_on(memcg, nid), pages);
}

static struct share_group group_of(struct mem_cgroup *memcg, int nid, unsigned long most)
{
	struct share_group group = {
		.pages = pages_on(memcg, nid),
		.competes = share_of(memcg, nid)->competes,
	};

	if (group.pages > most)
		group.stays = stays_on(memcg, nid, group.pages);
	return group;
}

/* An even share of those that can be left with @most pages */
static unsigned long even_within(int nid, unsigned long most)
{
	struct share_sum sum = { .most = most };
	struct mem_cgroup *memcg = NULL;
	struct share_group group;

	while ((memcg = next_cgroup(memcg))) {
		group = group_of(memcg, nid, most);
		share_add_rival(&sum, &group);
	}
	while ((memcg = next_cgroup(memcg))) {
		group = group_of(memcg, nid, most);
		if (group.competes)
			group.could = could_have(memcg, nid);
		share_add(&sum, &group);
	}
	return share_even(&sum);
}

/*
 * Where the next tier is of nodes that count as fast, too, what goes there is not counted
 * as demoted, and does not come back.
 */
static bool demotes_to_fast(int nid)
{
	nodemask_t targets;
	int target;

	node_get_allowed_targets(NODE_DATA(nid), &targets);
	for_each_node_mask(target, targets)
		if (node_is_toptier(target))
			return true;
	return false;
}

/*
 * Pages, or 0 if nobody competes, or nothing of what there is can be shared. Who cannot be
 * brought down to it has no part in it, which makes it less, so that there may be more of
 * these.
 */
static unsigned long even_share(int nid)
{
	unsigned long even, most = ULONG_MAX;
	unsigned int round;

	if (demotes_to_fast(nid) || !find_rivals(nid))
		return 0;
	for (round = 0; round < EVEN_ROUNDS; round++) {
		even = even_within(nid, most);
		if (even >= most)
			break;
		most = even;
	}
	return most;
}

/**
 * tiering_demotes - kswapd is about to demote
 * @nid:         the node from which it does
 * @priority:    of reclaim; 0 for a soft limit of cgroup version 1
 * @trims_cache: it takes idle page cache, whoever has it
 *
 * Context: any; only kswapd, of that node, has last passes.
 */
void tiering_demotes(int nid, int priority, bool trims_cache)
{
	struct promotion_node *node = promotion_node_of(nid);

	if (node && current_is_kswapd())
		node->forces = priority && priority <= SPARE_PRIORITY && !trims_cache;
}

/* By kswapd of the node alone */
static void count_given(struct mem_cgroup *memcg, int nid, unsigned int pages)
{
	struct tiering_share *share = share_of(memcg, nid);

	WRITE_ONCE(share->given, share->given + pages);
}

/**
 * tiering_share_demoted - a folio is being demoted
 * @folio: the folio, locked and isolated, which is still charged
 * @node:  of the node that it leaves
 *
 * Context: kswapd of that node, which alone writes the counts.
 */
void tiering_share_demoted(struct folio *folio, struct promotion_node *node)
{
	struct mem_cgroup *memcg = folio_memcg(folio);
	unsigned int pages = folio_nr_pages(folio);

	WRITE_ONCE(node->gone.all, node->gone.all + pages);
	if (!memcg)
		return;
	count_given(memcg, node->nid, pages);
	if (node->forces && READ_ONCE(share_of(memcg, node->nid)->spared))
		WRITE_ONCE(node->gone.spared, node->gone.spared + pages);
}

static bool took_from_spared(struct promotion_node *node)
{
	struct share_demoted gone = {
		.all = READ_ONCE(node->gone.all),
		.spared = READ_ONCE(node->gone.spared),
	};

	return share_was_taken(&gone, &node->gone_seen);
}

/* Is somebody spared? */
static bool give_shares(int nid, unsigned long even)
{
	struct mem_cgroup *memcg = NULL;
	bool spares = false;

	while ((memcg = next_cgroup(memcg))) {
		struct tiering_share *share = share_of(memcg, nid);
		unsigned long pages = pages_on(memcg, nid);
		unsigned long wanted = 0;
		unsigned long least = even;

		if (even && share->competes)
			wanted = min(even, could_have(memcg, nid));
		if (even && pages > even)
			least = max(even, stays_on(memcg, nid, pages));
		WRITE_ONCE(share->shift, share_shift(pages, wanted));
		WRITE_ONCE(share->spared, share_is_spared(pages, wanted));
		/* One that competes no more, as all that it uses is there, gives as well. */
		WRITE_ONCE(share->give, READ_ONCE(share->given) + share_gives(pages, least));
		spares |= share->spared;
	}
	return spares;
}

/**
 * tiering_share_look - look at what all cgroups have of a fast node
 * @node: of the node
 *
 * Once a second; and for a pass of the scan nobody has a share after most of what was
 * demoted was of cgroups that are spared: those with more cannot give any of it. Without
 * memory cgroups nobody competes.
 *
 * Context: the work that looks at thresholds, under promotion_lock.
 */
void tiering_share_look(struct promotion_node *node)
{
	unsigned long even;
	bool taken;

	if (time_before(jiffies, node->share_next))
		return;
	node->share_next = jiffies + HZ;
	even = even_share(node->nid);
	taken = took_from_spared(node);
	if (share_rests(&node->share_rest, node->shared && taken, promotion_pass_ms()))
		even = 0;
	if (even || node->shared)
		WRITE_ONCE(node->spares, give_shares(node->nid, even));
	node->shared = even;
}

/**
 * tiering_spares - is a cgroup passed over when pages are demoted?
 * @memcg:    the cgroup, or NULL where there are none
 * @nid:      the node that is short of room
 * @priority: of reclaim: what nobody else can give is taken from it all the same
 *
 * Only while slow nodes can take what the others give, whoever needs the room.
 *
 * Context: any; only kswapd spares.
 */
bool tiering_spares(struct mem_cgroup *memcg, int nid, int priority)
{
	struct promotion_node *node = promotion_node_of(nid);

	return node && memcg && priority > SPARE_PRIORITY && current_is_kswapd() &&
	       READ_ONCE(share_of(memcg, nid)->spared) && READ_ONCE(node->spares) &&
	       promotion_keeps_headroom(nid);
}

/*
 * That of a cgroup that has more than its share, while some cgroup is spared: all that it
 * has may be used between any two looks. A soft limit of cgroup version 1 looks but once,
 * with priority 0.
 */
static bool takes_from(struct mem_cgroup *memcg, int nid, int priority)
{
	struct promotion_node *node = promotion_node_of(nid);
	struct tiering_share *share;

	if (!node || !memcg || !current_is_kswapd())
		return false;
	share = share_of(memcg, nid);
	return share_gives_more(READ_ONCE(share->given), READ_ONCE(share->give)) &&
	       priority && priority <= TAKE_PRIORITY && READ_ONCE(node->spares) &&
	       promotion_keeps_headroom(nid);
}

/**
 * tiering_presses - does kswapd look at pages of a cgroup that were used last, too?
 * @memcg:    the cgroup, or NULL where there are none
 * @nid:      the node that is short of room
 * @priority: of reclaim
 *
 * The base leaves active pages alone as long as there are enough others on the node,
 * though these may all be of cgroups that are spared.
 *
 * Context: any; only kswapd does.
 */
bool tiering_presses(struct mem_cgroup *memcg, int nid, int priority)
{
	return takes_from(memcg, nid, priority);
}

/**
 * tiering_takes - is a folio demoted, or else kept?
 * @folio:    the folio, locked and isolated, after a look at who uses it
 * @used:     it is used
 * @priority: of reclaim
 *
 * One that was on the active list may be used as well: when it was pressed from there that
 * was cleared, and at the next look it may not have been touched yet.
 *
 * Not what is locked to memory, nor what may not be demoted. What cannot be moved counts as
 * given, like what is tried in vain: or kswapd would look at it again and again.
 *
 * Context: any; only kswapd takes.
 */
bool tiering_takes(struct folio *folio, bool used, int priority)
{
	struct mem_cgroup *memcg = folio_memcg(folio);
	int nid = folio_nid(folio);

	if (!(used || folio_test_workingset(folio)) || !takes_from(memcg, nid, priority) ||
	    folio_test_mlocked(folio) || !demotion_possible(nid, memcg))
		return false;
	if (!folio_maybe_dma_pinned(folio) &&
	    (thp_migration_supported() || !folio_test_large(folio)))
		return true;
	count_given(memcg, nid, folio_nr_pages(folio));
	return false;
}

/**
 * tiering_keeps - keep what was taken and could not be demoted
 * @taken: isolated folios; empty afterwards
 * @kept:  those that go back to their lists
 *
 * The base would look at them again, now that they look idle, and swap out. They count as
 * given, or kswapd would try them again until the next look.
 *
 * Context: kswapd of the node, where there are any.
 */
void tiering_keeps(struct list_head *taken, struct list_head *kept)
{
	struct folio *folio;

	list_for_each_entry(folio, taken, lru) {
		folio_set_active(folio);
		if (folio_memcg(folio))
			count_given(folio_memcg(folio), folio_nid(folio), folio_nr_pages(folio));
	}
	list_splice_init(taken, kept);
}
