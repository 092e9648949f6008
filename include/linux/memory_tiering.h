/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory tiering: what the rest of the kernel calls.
 */
#ifndef _LINUX_MEMORY_TIERING_H
#define _LINUX_MEMORY_TIERING_H

#include <linux/nodemask.h>
#include <linux/types.h>

struct memory_dev_type;

#if defined(CONFIG_NUMA) && defined(CONFIG_MIGRATION)
struct memory_dev_type *tiering_place_node(int nid,
					   struct memory_dev_type *driver,
					   bool default_);
struct memory_dev_type *tiering_node_type(int nid,
					  struct memory_dev_type *driver);
void tiering_place_all(void);
void tiering_top_nodes(nodemask_t *nodes);
void tiering_set_speed(unsigned int nid, unsigned int access,
		       unsigned int read_latency, unsigned int write_latency,
		       unsigned int read_bandwidth, unsigned int write_bandwidth);
#else
static inline struct memory_dev_type *
tiering_place_node(int nid, struct memory_dev_type *driver, bool default_)
{
	return driver;
}

static inline struct memory_dev_type *
tiering_node_type(int nid, struct memory_dev_type *driver)
{
	return driver;
}

static inline void tiering_place_all(void)
{
}

static inline void tiering_set_speed(unsigned int nid, unsigned int access,
				     unsigned int read_latency,
				     unsigned int write_latency,
				     unsigned int read_bandwidth,
				     unsigned int write_bandwidth)
{
}
#endif

#endif /* _LINUX_MEMORY_TIERING_H */
