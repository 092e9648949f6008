/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways to have the pages of a mapping moved, and what another thread does meanwhile.
 */
#ifndef PORTIONS_H
#define PORTIONS_H

#include <sys/mman.h>
#include <unistd.h>

#include "placement.h"
#include "races.h"

enum way { BY_WEIGHTS, BY_BIND2, BY_BIND, BY_INTERLEAVED, BY_MIGRATE, NR_WAYS };

static const char * const way_name[NR_WAYS] = {
	"mbind2, weights", "mbind2, bind", "mbind, bind", "mbind, default that interleaves",
	"migrate_pages",
};

/* On the first node, under the default policy */
static inline int prepare(const struct context *ctx, struct area *area, size_t pages,
			  bool shared)
{
	struct nodeset first = nodeset_of(ctx->first);
	int err;

	err = shared ? area_map_shared(area, pages) : area_map(area, pages, 1);
	if (!err)
		err = policy_bind(area->start, area->len, MPOL_BIND, &first, 0);
	if (err)
		return err;
	touch(area->start, pages, page_bytes());
	return policy_bind(area->start, area->len, MPOL_DEFAULT, NULL, 0);
}

/* To the second node, or half of them */
static inline int move(const struct context *ctx, const struct area *area, enum way way)
{
	static const unsigned int even[] = { 1, 1 };
	struct nodeset first = nodeset_of(ctx->first), second = nodeset_of(ctx->second);
	struct own_policy own;
	int err;

	switch (way) {
	case BY_WEIGHTS:
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, even);
		return own_bind(area->start, area->len, &own, MPOL_MF_MOVE);
	case BY_BIND2:
		own_init(&own, MPOL_BIND, 0, &second, NULL);
		return own_bind(area->start, area->len, &own, MPOL_MF_MOVE);
	case BY_BIND:
		return policy_bind(area->start, area->len, MPOL_BIND, &second,
				   MPOL_MF_MOVE | MPOL_MF_STRICT);
	case BY_INTERLEAVED:
		err = policy_set(MPOL_INTERLEAVE, &ctx->nodes);
		if (!err)
			err = policy_bind(area->start, area->len, MPOL_DEFAULT, NULL,
					  MPOL_MF_MOVE);
		policy_set(MPOL_DEFAULT, NULL);
		return err;
	default:
		return syscall(__NR_migrate_pages, 0, MAX_NODES, first.word, second.word);
	}
}

static inline int map_once(void)
{
	char *addr = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (addr == MAP_FAILED)
		return -1;
	*addr = 1;
	return munmap(addr, page_bytes());
}

/* By one thread at a time */
static inline int fault_once(void)
{
	static char *addr;

	if (!addr)
		addr = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (addr == MAP_FAILED || madvise(addr, page_bytes(), MADV_DONTNEED))
		return -1;
	*addr = 1;
	return 0;
}

#endif /* PORTIONS_H */
