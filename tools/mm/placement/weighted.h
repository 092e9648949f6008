/* SPDX-License-Identifier: GPL-2.0 */
/* A policy of weighted interleaving with weights of its own */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include "common.h"
#include "mempolicy2.h"

struct weighted {
	struct mpol_param param;	/* names what follows, and the ratio */
	unsigned long nodes[MAX_NODES / (8 * sizeof(unsigned long))];
};

/* The policy of @ratio, which stays where it is, and so does @policy */
void make_weighted(const struct ratio *ratio, unsigned int mode_flags,
		   struct weighted *policy);

#endif /* WEIGHTED_H */
