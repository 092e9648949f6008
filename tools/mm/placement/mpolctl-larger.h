/* SPDX-License-Identifier: GPL-2.0 */
/* Weights for a command's large memory alone */
#ifndef MPOLCTL_LARGER_H
#define MPOLCTL_LARGER_H

#include <stdbool.h>

#include "common.h"

/*
 * The least size: below it the C library may give parts of one mapping to several
 * allocations, in whatever order they come.
 */
#define LARGER_LEAST	(32ULL << 20)

/*
 * Sets the environment so that what @command, and what it starts, allocates or maps
 * in one piece of at least @bytes gets the weights of @ratio; complains and returns
 * false when that would do nothing.
 */
bool prepare_larger(const char *command, unsigned long long bytes,
		    const struct ratio *ratio, unsigned int mode_flags);

#endif /* MPOLCTL_LARGER_H */
