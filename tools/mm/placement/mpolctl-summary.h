/* SPDX-License-Identifier: GPL-2.0 */
/* What all processes of a name have on each node */
#ifndef MPOLCTL_SUMMARY_H
#define MPOLCTL_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "numa-maps.h"

struct summary {
	const char *name;
	unsigned long processes;	/* shown so far */
	struct placed all;		/* of these */
	unsigned long unread;		/* those that are not, and the last one's errno */
	int error;
};

/* Called in this order: the beginning, each process, the end */
struct summary_printer {
	void (*begin)(FILE *out, const struct summary *summary);
	void (*process)(FILE *out, const struct summary *summary,
			const char *process, const struct placed *placed);
	void (*end)(FILE *out, const struct summary *summary);
};

extern const struct summary_printer table_summary;
extern const struct summary_printer json_summary;

/*
 * Prints them, as a line of JSON or as a table; nothing if there are none. *@processes is
 * how many there are. When one cannot be read, complains and returns STATUS_FAILED; the
 * others are printed.
 */
int summarize(const char *name, bool json, unsigned long *processes);

#endif /* MPOLCTL_SUMMARY_H */
