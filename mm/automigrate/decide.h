/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_AUTOMIGRATE_DECIDE_H
#define _MM_AUTOMIGRATE_DECIDE_H

#include <linux/types.h>

/* What becomes of a process's memory when a task of it is on another node */
enum automigrate_verdict {
	AUTOMIGRATE_START,	/* it follows from the beginning */
	AUTOMIGRATE_GO_ON,	/* and from where it got to */
	AUTOMIGRATE_DONE,	/* it is there */
	AUTOMIGRATE_POLICY,	/* the task has a policy of its own */
	AUTOMIGRATE_CPUSET,	/* it may not use that node's memory */
	AUTOMIGRATE_NO_MEMORY,	/* the node has none, or slow memory only */
	AUTOMIGRATE_PREFERRED,	/* NUMA balancing has a node for it */
	AUTOMIGRATE_INTERVAL,	/* it has just followed a task elsewhere */
	AUTOMIGRATE_THREADS,	/* most threads are elsewhere */
};

/**
 * struct automigrate_facts - what the verdict goes by
 * @node:       where the task is
 * @follows:    where its memory has been sent last, or NUMA_NO_NODE
 * @arrived:    whether all of it has been looked at since
 * @held:       whether that was less than the interval ago, automigrate_held()
 * @own_policy: the task has a memory policy
 * @allowed:    its cpuset has @node
 * @fast:       @node has memory of the top tier
 * @balanced:   NUMA balancing prefers a node for the task
 * @here:       runnable threads on @node
 * @threads:    runnable threads
 */
struct automigrate_facts {
	int node;
	int follows;
	bool arrived;
	bool held;
	bool own_policy;
	bool allowed;
	bool fast;
	bool balanced;
	unsigned int here;
	unsigned int threads;
};

enum automigrate_verdict
automigrate_decide(const struct automigrate_facts *facts);
bool automigrate_held(unsigned long elapsed, unsigned long interval,
		      unsigned long moved, unsigned long resident);
unsigned int automigrate_pages_a_return(unsigned int hz);

#endif /* _MM_AUTOMIGRATE_DECIDE_H */
