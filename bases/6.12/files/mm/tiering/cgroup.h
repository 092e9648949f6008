/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_CGROUP_H
#define _MM_TIERING_CGROUP_H

struct folio;

/* Whoever moves pages counts them for memory.stat here. */
static inline void tiering_cgroup_promoted(struct folio *folio)
{
}

#endif /* _MM_TIERING_CGROUP_H */
