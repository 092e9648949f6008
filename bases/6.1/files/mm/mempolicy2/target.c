// SPDX-License-Identifier: GPL-2.0
/*
 * What folios are moved to, for migrate_pages().
 */
#include <linux/hugetlb.h>
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
	};
	struct page *page = alloc_migration_target(&src->page, (unsigned long)&control);

	return page ? page_folio(page) : NULL;
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
	gfp_t gfp = GFP_HIGHUSER_MOVABLE | __GFP_RETRY_MAYFAIL;
	struct vm_area_struct vma;
	struct page *page;

	/* Contains the policy, and nothing else */
	vma_init(&vma, NULL);
	vma.vm_policy = (struct mempolicy *)pol;
	if (folio_test_hugetlb(src)) {
		page = alloc_huge_page_vma(folio_hstate(src), &vma, 0);
		return page ? page_folio(page) : NULL;
	}
	if (folio_test_large(src))
		gfp = GFP_TRANSHUGE;
	return vma_alloc_folio(gfp, folio_order(src), &vma, 0, folio_test_large(src));
}
