/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which memory serves CPUs, for the rest of the kernel; mm/tiering/serving.c.
 */
#ifndef _LINUX_MEMORY_SERVING_H
#define _LINUX_MEMORY_SERVING_H

#if defined(CONFIG_NUMA) && defined(CONFIG_MIGRATION)
int serving_node(int nid);
#else
static inline int serving_node(int nid)
{
	return nid;
}
#endif

#endif /* _LINUX_MEMORY_SERVING_H */
