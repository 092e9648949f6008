/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_TIERS_H
#define _MM_TIERING_TIERS_H

int tiering_get_distance(int nid);
int tiering_override_distance(int nid, int distance);

#endif /* _MM_TIERING_TIERS_H */
