/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Huge pages of each kind: whether there are any, and ways to get them placed
 * by a policy.
 *
 * Functions that can fail return 0 or a value on success, -errno otherwise;
 * -EOPNOTSUPP where such pages are not to be had.
 */
#ifndef HUGE_PAGES_H
#define HUGE_PAGES_H

#include "placement.h"

size_t huge_bytes(void);
bool thp_available(void);
/* Bytes of the mapping that starts at @addr that transparent huge pages back */
size_t thp_backed(void *addr);
/* Each node of @nodes can give its part of @count huge pages */
bool room_for_huge(const struct nodeset *nodes, size_t count);

/*
 * Each sets @mode, places @count huge pages, at the same offsets in every call,
 * and gives the memory back: transparent ones in a mapping and in a file on a
 * tmpfs, and those of hugetlb in a mapping and in a file.
 */
int place_thp(int mode, const struct nodeset *nodes, size_t count, int *node);
int place_tmpfs_thp(int mode, const struct nodeset *nodes, size_t count,
		    int *node);
int place_hugetlb_private(int mode, const struct nodeset *nodes, size_t count,
			  int *node);
int place_hugetlb_file(int mode, const struct nodeset *nodes, size_t count,
		       int *node);

#endif /* HUGE_PAGES_H */
