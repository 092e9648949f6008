/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory tiering: what the rest of the kernel calls.
 */
#ifndef _LINUX_MEMORY_TIERING_H
#define _LINUX_MEMORY_TIERING_H

#include <linux/nodemask.h>
#include <linux/types.h>

struct memory_dev_type;
struct node_hmem_attrs;

#if defined(CONFIG_NUMA) && defined(CONFIG_MIGRATION)
struct memory_dev_type *tiering_place_node(int nid,
					   struct memory_dev_type *driver,
					   bool default_);
struct memory_dev_type *tiering_node_type(int nid,
					  struct memory_dev_type *driver);
void tiering_place_all(void);
void tiering_top_nodes(nodemask_t *nodes);
void tiering_set_speed(unsigned int nid, const struct node_hmem_attrs *attrs,
		       unsigned int access);
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

static inline void tiering_set_speed(unsigned int nid,
				     const struct node_hmem_attrs *attrs,
				     unsigned int access)
{
}
#endif

#endif /* _LINUX_MEMORY_TIERING_H */
