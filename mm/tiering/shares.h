/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_SHARES_H
#define _MM_TIERING_SHARES_H

struct folio;
struct promotion_node;

#ifdef CONFIG_MEMCG
unsigned int tiering_share_threshold(struct folio *folio, int nid, unsigned int latency,
				     unsigned int threshold);
void tiering_share_demoted(struct folio *folio, struct promotion_node *node);
void tiering_share_look(struct promotion_node *node);
#else
static inline unsigned int tiering_share_threshold(struct folio *folio, int nid,
						   unsigned int latency,
						   unsigned int threshold)
{
	return threshold;
}

static inline void tiering_share_demoted(struct folio *folio, struct promotion_node *node)
{
}

static inline void tiering_share_look(struct promotion_node *node)
{
}
#endif

#endif /* _MM_TIERING_SHARES_H */
