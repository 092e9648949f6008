// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a page that comes back from swap needs an address of its own.
 *
 * Readahead by the page table knows the address of each page of its window.
 * Readahead by place on the disk knows that of the page that is asked for alone:
 * its neighbours there may be anybody's, at any offset. With that one address all
 * of a window goes to one node. A policy that interleaves is served page by page
 * then: the address that is asked for and a page's distance on the disk would keep
 * the ratio at best, as slots lie in the order of reclaim, and not the place.
 */
#include <linux/interleave_swapin.h>
#include <linux/mempolicy_ops.h>
#include <linux/nodemask.h>

#include "policy.h"

/**
 * interleave_needs_address - do neighbours of a page belong on other nodes?
 * @pol: the policy by which the page is allocated: that of the mapping or the shared
 *       object, else of the caller. With swapoff that is not the task whose memory it
 *       is, as pages do not tell.
 *
 * Context: the caller keeps @pol.
 * Return: true if the policy interleaves over more than one node.
 */
bool interleave_needs_address(const struct mempolicy *pol)
{
	nodemask_t nodes = interleave_nodes_now(pol);

	return mpol_is_interleave(pol) && nodes_weight(nodes) > 1;
}
