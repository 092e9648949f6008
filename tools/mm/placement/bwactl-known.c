// SPDX-License-Identifier: GPL-2.0
/* Bandwidths that need not be measured, as firmware tells them */
#include "bwactl-known.h"

#include <err.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bwactl-fit.h"
#include "bwactl-machine.h"
#include "bwactl-matrix.h"
#include "common.h"

#define MAX_NS	10000000

static unsigned int read_value(const char *dir, const char *name,
			       unsigned long max)
{
	char path[PATH_MAX], line[32];
	unsigned long value;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!read_line(path, line, sizeof(line)) ||
	    !parse_number(line, strlen(line), max, &value))
		return 0;
	return value;
}

/* Reads and writes are mixed, and wait for the slower ones; 0: not known */
static unsigned int read_bandwidth(const char *dir)
{
	unsigned int reading = read_value(dir, "read_bandwidth", UINT_MAX);
	unsigned int writing = read_value(dir, "write_bandwidth", UINT_MAX);

	if (!reading || (writing && writing < reading))
		reading = writing;
	return reading <= FIT_MAX_MBPS ? reading : 0;
}

bool read_tables(const struct machine *machine, struct matrix *matrix)
{
	char dir[PATH_MAX - 32];
	bool found = false;
	int from, to;

	for (to = next_node(&machine->memory, -1); to >= 0;
	     to = next_node(&machine->memory, to)) {
		struct cell cell = {};

		access_directory(machine, to, dir, sizeof(dir));
		cell.mbps = read_bandwidth(dir);
		cell.ns = read_value(dir, "read_latency", MAX_NS);
		found |= cell.mbps;
		for (from = next_node(&machine->compute, -1); from >= 0;
		     from = next_node(&machine->compute, from)) {
			if (machine->initiator[to][from])
				matrix->cell[from][to] = cell;
		}
	}
	if (!found)
		warnx("firmware tells no bandwidths: measure them, without --from-hmat");
	return found;
}
