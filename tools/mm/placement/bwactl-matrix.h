/* SPDX-License-Identifier: GPL-2.0 */
/* Bandwidths and latencies between nodes, from wherever they are known */
#ifndef BWACTL_MATRIX_H
#define BWACTL_MATRIX_H

#include "common.h"

/* From the CPUs of one node to the memory of one */
struct cell {
	unsigned int mbps;		/* 1 to FIT_MAX_MBPS; 0: not known */
	float spread;			/* of the runs, relative to the median */
	float ns;			/* 0: not known */
};

/* Runs that differ by more, in per cent, tell little */
#define NOISY		10

/* [compute][memory] */
struct matrix {
	struct cell cell[MAX_NODES][MAX_NODES];
	float spread;			/* the largest */
};

#endif /* BWACTL_MATRIX_H */
