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

/* The percentage of reads that the kernel derives weights for */
static unsigned int read_mix(const struct machine *machine)
{
	char path[PATH_MAX - 16], file[PATH_MAX], line[32];
	unsigned long reads;

	weight_directory(machine, path, sizeof(path));
	snprintf(file, sizeof(file), "%s/mix", path);
	if (read_line(file, line, sizeof(line)) &&
	    parse_number(line, strlen(line), 100, &reads))
		return reads;
	return FIT_MIX;
}

/* Of @reads percent of reads and else writes; 0: not known */
static unsigned int read_bandwidth(const char *dir, unsigned int reads)
{
	unsigned int both = fit_mix(read_value(dir, "read_bandwidth", FIT_MAX_TOLD),
				    read_value(dir, "write_bandwidth", FIT_MAX_TOLD),
				    reads);

	return both <= FIT_MAX_MBPS ? both : 0;
}

bool read_tables(const struct machine *machine, struct matrix *matrix)
{
	unsigned int reads = read_mix(machine);
	char dir[PATH_MAX - 32];
	bool found = false;
	int from, to;

	for (to = next_node(&machine->memory, -1); to >= 0;
	     to = next_node(&machine->memory, to)) {
		struct cell cell = {};

		access_directory(machine, to, dir, sizeof(dir));
		cell.mbps = read_bandwidth(dir, reads);
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
