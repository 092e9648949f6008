/* SPDX-License-Identifier: GPL-2.0 */
/* Chance that is always the same, and rings of pointers drawn by it */
#ifndef NUMASIM_RING_H
#define NUMASIM_RING_H

#include <stddef.h>
#include <stdint.h>

#include "place.h"

/* A line of a cache that points to another one */
struct link {
	struct link *next;
	char rest[LINE_SIZE - sizeof(struct link *)];
};

uint64_t chance(uint64_t below);
void make_ring(struct link *links, size_t count);
struct link *follow_ring(struct link *link, size_t steps);

#endif
