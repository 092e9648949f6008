/* SPDX-License-Identifier: GPL-2.0 */
/* All that is known at the end, which is printed */
#ifndef BWACTL_REPORT_H
#define BWACTL_REPORT_H

#include <stdbool.h>

#include "bwactl-fit.h"
#include "common.h"
#include "global-weights.h"

struct groups;
struct machine;
struct matrix;
struct verdict;
struct plan;

struct report {
	const struct machine *machine;
	const struct groups *groups;
	const struct matrix *matrix;
	struct nodes from;		/* the rows and columns of @matrix */
	struct nodes to;
	struct fit_rule rule;
	const char *source;		/* "measured", "firmware" or "file" */
	const char *mix;		/* NULL: nothing was measured */
	struct plan *plans;		/* of each group */
	struct ratio ratio;		/* global weights for all */
	int conflict;			/* a node that is to have two; or -1 */
	bool complete;			/* each group has weights */
	bool applied;
	struct saved_weights saved;	/* from before */
	struct verdict *verdicts;	/* of each group, or NULL */
};

#endif /* BWACTL_REPORT_H */
