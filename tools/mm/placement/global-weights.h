/* SPDX-License-Identifier: GPL-2.0 */
/* The files of the global weights: DIR/nodeN and DIR/auto */
#ifndef GLOBAL_WEIGHTS_H
#define GLOBAL_WEIGHTS_H

#include <stdbool.h>

#include "common.h"

#define WEIGHT_DIR	"/sys/kernel/mm/mempolicy/weighted_interleave"

/* What has to be undone when a write fails */
struct saved_weights {
	struct ratio weights;
	bool automatic;
};

/* Reads all weights of a directory; on error false and errno */
bool read_global_weights(const char *dir, struct ratio *ratio);

/* 1 and 0 are the file's values, -1: there is no such file */
int read_auto(const char *dir);

/* Has the kernel derive all weights; complains, returns the exit status */
int write_auto(const char *dir);

/* Says why, by errno, the weights cannot be read; returns the exit status */
int complain_weights(const char *dir);

/*
 * Writes the weights that @wanted has, all or none, after saving the old ones
 * in @saved; complains, returns the exit status.
 */
int change_weights(const char *dir, const struct ratio *wanted,
		   struct saved_weights *saved);

/*
 * Takes back what change_weights() did with @wanted, and says so; complains,
 * returns the exit status.
 */
int restore_weights(const char *dir, const struct ratio *wanted,
		    const struct saved_weights *saved);

#endif /* GLOBAL_WEIGHTS_H */
