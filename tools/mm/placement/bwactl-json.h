/* SPDX-License-Identifier: GPL-2.0 */
/* The report for programs */
#ifndef BWACTL_JSON_H
#define BWACTL_JSON_H

struct report;

/* All of it, in one line */
void print_report_json(const struct report *report);

#endif /* BWACTL_JSON_H */
