// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes whose memory comes and goes.
 */
#include <errno.h>
#include <stdio.h>

#include "placement.h"

int hot_find(struct hot_node *hot)
{
	struct nodeset online, memory;
	int node, ret;

	ret = nodeset_read("online", &online);
	if (!ret)
		ret = nodeset_read("has_memory", &memory);
	for (node = 0; node < MAX_NODES && !ret; node++) {
		if (!nodeset_has(&online, node) || nodeset_has(&memory, node))
			continue;
		hot->node = node;
		hot->blocks = memory_blocks(node, hot->block);
		if (hot->blocks)
			return 0;
	}
	return ret ? ret : -ENOENT;
}

bool hot_has_memory(const struct hot_node *hot)
{
	struct nodeset memory;

	return !nodeset_read("has_memory", &memory) &&
	       nodeset_has(&memory, hot->node);
}

int hot_block_state(int block, const char *state)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/memory/memory%d/state", block);
	ret = file_print(path, "%s", state);
	/* Already there */
	return ret == -EINVAL ? 0 : ret;
}

/* What the caller may allocate from follows a while after the memory */
static bool hot_settled(int node, bool there)
{
	struct nodeset allowed;
	int mode, rounds = 0;

	do {
		if (!policy_get(&mode, &allowed, NULL, MPOL_F_MEMS_ALLOWED) &&
		    nodeset_has(&allowed, node) == there)
			/* The policies of the mappings come after that */
			return settle(&rounds);
	} while (settle(&rounds));
	return false;
}

int hot_add(const struct hot_node *hot, int blocks)
{
	int i, ret = 0;

	/* Movable, so that it can go offline again */
	for (i = 0; i < blocks && !ret; i++)
		ret = hot_block_state(hot->block[i], "online_movable");
	if (!ret && !hot_settled(hot->node, true))
		ret = -ETIMEDOUT;
	return ret;
}

int hot_remove(const struct hot_node *hot, int blocks)
{
	int i, left, rounds = 0;

	do {
		if (rounds)
			file_print("/proc/sys/vm/drop_caches", "3");
		for (left = 0, i = 0; i < blocks; i++)
			left += hot_block_state(hot->block[i], "offline") != 0;
	} while (left && settle(&rounds));
	if (left || hot_has_memory(hot))
		return -EBUSY;
	return hot_settled(hot->node, false) ? 0 : -ETIMEDOUT;
}
