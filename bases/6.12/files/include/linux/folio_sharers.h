/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_FOLIO_SHARERS_H
#define _LINUX_FOLIO_SHARERS_H

#include <linux/automigrate.h>
#include <linux/mm.h>

/**
 * folio_has_many_sharers - do more processes map a folio than MPOL_MF_MOVE may touch?
 * @folio: the folio
 *
 * With a limit of one, as without any. Above it, what maps the first page counts.
 *
 * Context: the page table's lock.
 * Return: whether they do.
 */
static inline bool folio_has_many_sharers(struct folio *folio)
{
	int most = automigrate_max_sharers(), mappings;

	if (most == 1)
		return folio_likely_mapped_shared(folio);
	/* hugetlb has its type there, and is mapped as a whole. */
	mappings = folio_test_hugetlb(folio) ? 0 : atomic_read(&folio->_mapcount) + 1;
	if (folio_test_large(folio))
		mappings += folio_entire_mapcount(folio);
	return mappings > most;
}

#endif /* _LINUX_FOLIO_SHARERS_H */
