/* SPDX-License-Identifier: GPL-2.0 */
/* Bandwidths that firmware tells */
#ifndef BWACTL_KNOWN_H
#define BWACTL_KNOWN_H

#include <stdbool.h>

struct machine;
struct matrix;

/*
 * Those of firmware's tables for the nodes whose CPUs are closest: what a node gives of
 * reads and writes together in the kernel's mix, or the one of them that is told.
 * Complains and returns false when there are none.
 */
bool read_tables(const struct machine *machine, struct matrix *matrix);

#endif /* BWACTL_KNOWN_H */
