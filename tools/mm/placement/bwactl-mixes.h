/* SPDX-License-Identifier: GPL-2.0 */
/* What the CPUs do to the memory that is measured */
#ifndef BWACTL_MIXES_H
#define BWACTL_MIXES_H

#include <stddef.h>

#define LINE		64		/* bytes that memory moves at once */
#define CHUNK		(48 * 1024)	/* a multiple of three lines */

/* What they do, one chunk at a time */
struct mix {
	const char *name;
	const char *meaning;
	size_t bytes;			/* read and written for a chunk */
	void (*run)(char *chunk);
};

/* Ends with one without a name */
extern const struct mix mixes[];

#endif /* BWACTL_MIXES_H */
