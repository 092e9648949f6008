/* SPDX-License-Identifier: GPL-2.0 */
/* How mpolctl show prints mappings */
#ifndef MPOLCTL_PRINT_H
#define MPOLCTL_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "common.h"
#include "numa-maps.h"

enum source { FROM_NOWHERE, FROM_GLOBAL, FROM_OPTION };

/* One showing of a process, or of a saved file */
struct view {
	unsigned long pid;		/* 0: a file */
	enum source source;		/* of the ratio */
	struct ratio ratio;
	bool weighted;			/* a mapping is interleaved by weight */
	bool cut;			/* a policy is not shown whole by the kernel */
	struct placed all;		/* of the mappings shown so far */
};

/* Called in this order: the beginning, each mapping, the end */
struct printer {
	void (*begin)(FILE *out, const struct view *view);
	void (*mapping)(FILE *out, const struct view *view,
			const struct mapping *mapping);
	void (*end)(FILE *out, const struct view *view);
};

extern const struct printer table_printer;
extern const struct printer json_printer;

#endif /* MPOLCTL_PRINT_H */
