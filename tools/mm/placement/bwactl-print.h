/* SPDX-License-Identifier: GPL-2.0 */
/* The report for people */
#ifndef BWACTL_PRINT_H
#define BWACTL_PRINT_H

#include <stdio.h>

struct report;

/* All but what is found after it: weights that are written, and --verify */
void print_report(const struct report *report);

/* What --verify found, for each group */
void print_verdicts(const struct report *report);

/* How to go back to the weights from before */
void print_way_back(const struct report *report, FILE *out);

#endif /* BWACTL_PRINT_H */
