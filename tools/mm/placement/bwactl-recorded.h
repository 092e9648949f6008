/* SPDX-License-Identifier: GPL-2.0 */
/* Bandwidths that somebody has recorded */
#ifndef BWACTL_RECORDED_H
#define BWACTL_RECORDED_H

#include <stdbool.h>

struct machine;
struct matrix;

/*
 * Reads lines of FROM TO MB/S [NS], bwactl's text or JSON, or the matrices of
 * Intel's Memory Latency Checker; complains, with line and column, and returns
 * false when it cannot be read or understood
 */
bool read_recorded(const char *path, const struct machine *machine,
		   struct matrix *matrix);

#endif /* BWACTL_RECORDED_H */
