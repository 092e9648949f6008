// SPDX-License-Identifier: GPL-2.0
/*
 * What is promoted and demoted of a memory cgroup, for its memory.stat.
 *
 * A page that moves is charged to its cgroup as long as it is held, and a cgroup
 * holds those above it. The counters are a part of the cgroup.
 */
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/seq_buf.h>
#include <linux/swap.h>
#include <linux/tiering_cgroup.h>

#include "cgroup.h"

static const char * const move_name[NR_TIERING_MOVES] = {
	[TIERING_PROMOTED]	 = "pgpromote_success",
	[TIERING_DEMOTED_KSWAPD] = "pgdemote_kswapd",
	[TIERING_DEMOTED_DIRECT] = "pgdemote_direct",
};

/**
 * tiering_cgroup_count - count pages of a cgroup that have moved
 * @memcg: the cgroup, which stays, or NULL; those above it count as well
 * @move:  where to
 * @pages: how many base pages
 *
 * Context: any.
 */
void tiering_cgroup_count(struct mem_cgroup *memcg, enum tiering_move move,
			  unsigned int pages)
{
	for (; memcg; memcg = parent_mem_cgroup(memcg))
		atomic_long_add(pages, &memcg->tiering.pages[move]);
}

/**
 * tiering_cgroup_get - the cgroup of folios that are about to be demoted
 * @folios: some, isolated, of one cgroup
 *
 * Context: any.
 * Return: the cgroup with a reference, which tiering_cgroup_put() drops; or NULL.
 */
struct mem_cgroup *tiering_cgroup_get(struct list_head *folios)
{
	struct folio *folio = list_first_entry(folios, struct folio, lru);
	struct mem_cgroup *memcg = folio_memcg(folio);

	/* Isolated, it is neither freed nor charged to another one. */
	if (memcg)
		css_get(&memcg->css);
	return memcg;
}

/**
 * tiering_cgroup_put - count what has been demoted
 * @memcg:   what tiering_cgroup_get() has returned
 * @demoted: how many base pages, by current
 *
 * Context: any of a task.
 */
void tiering_cgroup_put(struct mem_cgroup *memcg, unsigned int demoted)
{
	if (!memcg)
		return;
	tiering_cgroup_count(memcg, current_is_kswapd() ? TIERING_DEMOTED_KSWAPD :
							  TIERING_DEMOTED_DIRECT,
			     demoted);
	css_put(&memcg->css);
}

/**
 * tiering_cgroup_show - show what has moved
 * @memcg: the cgroup
 * @text:  its memory.stat, which goes on with a line for each kind
 *
 * Context: any that @text is written in.
 */
void tiering_cgroup_show(struct mem_cgroup *memcg, struct seq_buf *text)
{
	int move;

	for (move = 0; move < NR_TIERING_MOVES; move++)
		seq_buf_printf(text, "%s %ld\n", move_name[move],
			       atomic_long_read(&memcg->tiering.pages[move]));
}
