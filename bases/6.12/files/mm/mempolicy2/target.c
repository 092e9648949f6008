// SPDX-License-Identifier: GPL-2.0
/*
 * What folios are moved to, for migrate_pages().
 */
#include <linux/mempolicy.h>
#include <linux/migrate.h>
#include <linux/mm.h>

#include "../internal.h"
#include "target.h"

/**
 * mpol_target_near - a folio on some nodes, near to one
 * @src:    the folio that moves
 * @target: a struct mpol_target
 *
 * Context: may sleep.
 * Return: the folio, or NULL.
 */
struct folio *mpol_target_near(struct folio *src, unsigned long target)
{
	const struct mpol_target *to = (struct mpol_target *)target;
	struct migration_target_control control = {
		.nid = to->nid,
		.nmask = to->nodes,
		.gfp_mask = GFP_HIGHUSER_MOVABLE | to->gfp,
		/* By this huge pages of hugetlb may come from the pools of other nodes, or not. */
		.reason = to->reason,
	};

	return alloc_migration_target(src, (unsigned long)&control);
}

/**
 * mpol_target_by_policy - a folio where a policy puts it
 * @src: the folio that moves
 * @pol: a struct mempolicy that does not ask for the address
 *
 * Context: may sleep.
 * Return: the folio, or NULL.
 */
struct folio *mpol_target_by_policy(struct folio *src, unsigned long pol)
{
	struct migration_mpol to = {
		.pol = (struct mempolicy *)pol,
	};

	return alloc_migration_target_by_mpol(src, (unsigned long)&to);
}
