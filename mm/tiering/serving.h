/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_SERVING_H
#define _MM_TIERING_SERVING_H

#include <linux/nodemask.h>
#include <linux/types.h>

void nodes_with_cpus(nodemask_t *nodes);
void memory_serving(const nodemask_t *cpus, nodemask_t *nodes);
void serving_nodes(nodemask_t *nodes);
bool node_serves_cpus(int nid);

#endif /* _MM_TIERING_SERVING_H */
