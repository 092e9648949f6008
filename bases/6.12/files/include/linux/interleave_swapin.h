/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interleaving: what reading pages in from swap calls.
 */
#ifndef _LINUX_INTERLEAVE_SWAPIN_H
#define _LINUX_INTERLEAVE_SWAPIN_H

#include <linux/types.h>

struct mempolicy;

#ifdef CONFIG_NUMA

bool interleave_needs_address(const struct mempolicy *pol);

#else

static inline bool interleave_needs_address(const struct mempolicy *pol)
{
	return false;
}

#endif /* CONFIG_NUMA */
#endif /* _LINUX_INTERLEAVE_SWAPIN_H */
