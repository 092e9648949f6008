/* SPDX-License-Identifier: GPL-2.0 */
/* Bandwidths that need not be measured */
#ifndef BWACTL_KNOWN_H
#define BWACTL_KNOWN_H

#include <stdbool.h>

struct machine;
struct matrix;

/*
 * Those of firmware's tables for the nodes whose CPUs are closest: the slower of
 * reading and writing, or the one of them that is told. Complains and returns
 * false when there are none.
 */
bool read_tables(const struct machine *machine, struct matrix *matrix);

/*
 * Lines of FROM TO MB/S [NS] in a file; complains and returns false when it
 * cannot be read or understood
 */
bool read_recorded(const char *path, const struct machine *machine,
		   struct matrix *matrix);

#endif /* BWACTL_KNOWN_H */
