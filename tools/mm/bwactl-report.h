/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BWACTL_REPORT_H
#define BWACTL_REPORT_H

#include <stdio.h>

#include "bwactl-measure.h"
#include "global-weights.h"

/* All that is known at the end */
struct report {
	const struct machine *machine;
	const struct groups *groups;
	const struct matrix *matrix;
	struct nodes from;		/* the rows and columns of @matrix */
	struct nodes to;
	struct fit_rule rule;
	const char *source;		/* "measured", "firmware" or "file" */
	const char *mix;		/* NULL: nothing was measured */
	struct wish *wishes;		/* of each group */
	struct ratio ratio;		/* global weights for all */
	int conflict;			/* a node that is to have two; or -1 */
	bool complete;			/* each group has weights */
	bool applied;
	struct saved_weights saved;	/* from before */
	struct verdict *verdicts;	/* of each group, or NULL */
};

/* bwactl-print.c */
void print_report(const struct report *report);
void print_verdicts(const struct report *report);

/* How to go back to the weights from before */
void print_way_back(const struct report *report, FILE *out);

/* bwactl-json.c */
void print_report_json(const struct report *report);

#endif /* BWACTL_REPORT_H */
