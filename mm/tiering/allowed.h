/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_ALLOWED_H
#define _MM_TIERING_ALLOWED_H

#include <linux/types.h>

struct folio;
struct mem_cgroup;

bool tiering_may_hold(struct mem_cgroup *memcg, int nid);
bool tiering_may_hold_folio(struct folio *folio, int nid);

#endif /* _MM_TIERING_ALLOWED_H */
