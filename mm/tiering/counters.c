// SPDX-License-Identifier: GPL-2.0
/*
 * What /proc/vmstat and each node's vmstat tell of promotion, beside what the base
 * counts: of a node to which pages are promoted, for each CPU.
 *
 * They are no items of nodes' statistics, of which each memory cgroup has two numbers
 * for each CPU and node.
 */
#include <linux/cpumask.h>
#include <linux/memory_promotion.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/sysfs.h>

#include "promote.h"

static const char * const count_name[NR_PROMOTION_COUNTS] = {
	[COUNT_FREE_SPACE]	= "pgpromote_free_space",
	[COUNT_RATE_LIMITED]	= "pgpromote_rate_limited",
	[COUNT_FAILED]		= "pgpromote_failed",
	[COUNT_DEMOTED_BACK]	= "pgpromote_demoted_back",
};

/**
 * promotion_count - count what became of pages
 * @nid:   the node to which they went, or would have gone
 * @count: of what
 * @pages: how many base pages
 *
 * Does nothing for a node that nothing is promoted to.
 *
 * Context: any.
 */
void promotion_count(int nid, enum promotion_count count, unsigned int pages)
{
	struct promotion_node *node = promotion_node_of(nid);

	if (node)
		this_cpu_add(node->counts->became[count], pages);
}

/* CPUs go on counting meanwhile: each number is one that it has had. */
static unsigned long count_of(int nid, enum promotion_count count)
{
	struct promotion_node *node = promotion_node_of(nid);
	unsigned long sum = 0;
	int cpu;

	if (!node)
		return 0;
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(node->counts, cpu)->became[count]);
	return sum;
}

/**
 * promotion_show_counts - show what became of pages on all nodes
 * @file: /proc/vmstat, which goes on with these lines
 *
 * Context: any that @file is shown in.
 */
void promotion_show_counts(struct seq_file *file)
{
	unsigned long sum;
	int count, nid;

	for (count = 0; count < NR_PROMOTION_COUNTS; count++) {
		sum = 0;
		for_each_online_node(nid)
			sum += count_of(nid, count);
		seq_printf(file, "%s %lu\n", count_name[count], sum);
	}
}

/**
 * promotion_show_node_counts - the same for one node
 * @nid: the node
 * @buf: of its vmstat, a page
 * @len: where it goes on
 *
 * Context: any that @buf is written in.
 * Return: bytes written.
 */
int promotion_show_node_counts(int nid, char *buf, int len)
{
	int count, begin = len;

	for (count = 0; count < NR_PROMOTION_COUNTS; count++)
		len += sysfs_emit_at(buf, len, "%s %lu\n", count_name[count],
				     count_of(nid, count));
	return len - begin;
}
