/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What mm/memory-tiers.c lends to this directory.
 */
#ifndef _MM_TIERING_BASE_H
#define _MM_TIERING_BASE_H

#include <linux/mutex.h>

struct memory_dev_type;
struct memory_tier;

extern struct mutex memory_tier_lock;

/* All under memory_tier_lock */
struct memory_tier *find_create_memory_tier(struct memory_dev_type *memtype);
struct memory_tier *set_node_memory_tier(int node);
bool clear_node_memory_tier(int node);
void establish_demotion_targets(void);

#endif /* _MM_TIERING_BASE_H */
