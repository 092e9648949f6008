/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_MEMPOLICY2_TARGET_H
#define _MM_MEMPOLICY2_TARGET_H

#include <linux/gfp.h>
#include <linux/nodemask.h>

struct folio;

/**
 * struct mpol_target - where folios move to that go to nodes
 * @nid:    the node that they are to be near to
 * @nodes:  the nodes that they may go to, NULL for all
 * @gfp:    how hard to look, beside GFP_HIGHUSER_MOVABLE
 * @reason: of the migration, MR_*
 */
struct mpol_target {
	int nid;
	nodemask_t *nodes;
	gfp_t gfp;
	int reason;
};

struct folio *mpol_target_near(struct folio *src, unsigned long target);
struct folio *mpol_target_by_policy(struct folio *src, unsigned long pol);

#endif /* _MM_MEMPOLICY2_TARGET_H */
