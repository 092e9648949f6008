/* SPDX-License-Identifier: GPL-2.0 */
/* Measures bandwidths and latencies between nodes */
#ifndef BWACTL_MEASURE_H
#define BWACTL_MEASURE_H

#include <stdbool.h>

struct group;
struct machine;
struct matrix;
struct mix;
struct nodes;
struct plan;

struct request {
	const struct mix *mix;
	double seconds;			/* for each pair of nodes */
	unsigned long long buffer;	/* bytes; 0: find out */
};

/* What --verify found for a group */
struct verdict {
	unsigned int mbps;
	unsigned int sum;		/* of the bandwidths of its nodes */
	bool reached;
};

/* Takes out the nodes that this process may not use, and says so */
void restrict_nodes(const struct machine *machine, struct nodes *from,
		    struct nodes *to);

/*
 * Fills in the cells from the CPUs of each of @from to the memory of each of
 * @to; complains and returns false
 */
bool measure_all(const struct machine *machine, const struct request *request,
		 const struct nodes *from, const struct nodes *to,
		 struct matrix *matrix);

/*
 * Does a buffer with the weights of @plan give the CPUs of @group what its
 * nodes give together? Complains and returns false when that is not known.
 */
bool verify_group(const struct machine *machine, const struct request *request,
		  const struct group *group, const struct plan *plan,
		  struct verdict *verdict);

#endif /* BWACTL_MEASURE_H */
