// SPDX-License-Identifier: GPL-2.0
/* What sysfs tells of nodes, packages and distances */
#include "bwactl-machine.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

#define MAX_LINE	16384	/* a list of every other CPU is long */

/*
 * "3,00000001": words of 32 bits in hexadecimal, the highest first. False when
 * it is something else.
 */
static bool parse_mask(const char *mask, bool *in, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	size_t at = strlen(mask), word = 0, digit = 0, bit;
	const char *found;

	memset(in, 0, count * sizeof(*in));
	while (at--) {
		if (mask[at] == ',' && digit) {
			word++;
			digit = 0;
			continue;
		}
		found = strchr(digits, mask[at]);
		if (!found || digit == 8)
			return false;
		for (bit = 0; bit < 4; bit++) {
			size_t i = 32 * word + 4 * digit + bit;

			if (!((found - digits) >> bit & 1))
				continue;
			if (i >= count)
				return false;
			in[i] = true;
		}
		digit++;
	}
	return digit;
}

/* Copies of a machine may have the mask alone */
bool read_node_cpus(const struct machine *machine, int node, bool *cpus)
{
	char path[PATH_MAX], line[MAX_LINE];

	snprintf(path, sizeof(path), "%s/devices/system/node/node%d/cpulist",
		 machine->sysfs, node);
	if (read_line(path, line, sizeof(line)))
		return parse_list(line, cpus, MAX_CPUS);
	snprintf(path, sizeof(path), "%s/devices/system/node/node%d/cpumap",
		 machine->sysfs, node);
	return read_line(path, line, sizeof(line)) &&
	       parse_mask(line, cpus, MAX_CPUS);
}

static int read_package(const char *sysfs, int cpu)
{
	char path[PATH_MAX], line[32];
	unsigned long package;

	snprintf(path, sizeof(path),
		 "%s/devices/system/cpu/cpu%d/topology/physical_package_id",
		 sysfs, cpu);
	if (!read_line(path, line, sizeof(line)) ||
	    !parse_number(line, strlen(line), INT_MAX, &package))
		return -1;
	return package;
}

/* A node whose CPUs are all offline has none */
static void read_cpus(struct machine *machine, int node)
{
	bool cpus[MAX_CPUS];
	int i;

	machine->package[node] = -1;
	if (!read_node_cpus(machine, node, cpus))
		return;
	for (i = 0; i < MAX_CPUS && !cpus[i]; i++)
		;
	machine->compute.in[node] = i < MAX_CPUS;
	machine->package[node] = read_package(machine->sysfs, i);
}

/* The line has a number for each node that is online, in their order */
static bool read_distances(struct machine *machine, int node)
{
	char path[PATH_MAX], line[MAX_LINE];
	char *at = line, *end;
	int i;

	snprintf(path, sizeof(path), "%s/devices/system/node/node%d/distance",
		 machine->sysfs, node);
	if (!read_line(path, line, sizeof(line)))
		return false;
	errno = EINVAL;
	for (i = next_node(&machine->online, -1); i >= 0;
	     i = next_node(&machine->online, i)) {
		unsigned long distance = strtoul(at, &end, 10);

		if (end == at || distance > UCHAR_MAX)
			return false;
		machine->distance[node][i] = distance;
		at = end;
	}
	return true;
}

void weight_directory(const struct machine *machine, char *path, size_t size)
{
	snprintf(path, size, "%s/kernel/mm/mempolicy/weighted_interleave",
		 machine->sysfs);
}

/* Class 1 counts CPUs only, but not all kernels have it */
void access_directory(const struct machine *machine, int node, char *path,
		      size_t size)
{
	int class;

	for (class = 1; class >= 0; class--) {
		snprintf(path, size,
			 "%s/devices/system/node/node%d/access%d/initiators",
			 machine->sysfs, node, class);
		if (!access(path, F_OK))
			return;
	}
}

static void read_initiators(struct machine *machine, int node)
{
	char dir[PATH_MAX - 16], path[PATH_MAX];
	int i;

	access_directory(machine, node, dir, sizeof(dir));
	for (i = next_node(&machine->compute, -1); i >= 0;
	     i = next_node(&machine->compute, i)) {
		snprintf(path, sizeof(path), "%s/node%d", dir, i);
		machine->initiator[node][i] = !access(path, F_OK);
	}
}

static bool read_list(const char *sysfs, const char *name, struct nodes *nodes)
{
	char path[PATH_MAX], line[MAX_LINE];

	snprintf(path, sizeof(path), "%s/devices/system/node/%s", sysfs, name);
	return read_line(path, line, sizeof(line)) && parse_nodes(line, nodes);
}

int read_machine(const char *sysfs, struct machine *machine)
{
	int i;

	machine->sysfs = sysfs;
	if (!read_list(sysfs, "online", &machine->online) ||
	    !read_list(sysfs, "has_memory", &machine->memory)) {
		warnx("no nodes in %s/devices/system/node: this kernel has no NUMA",
		      sysfs);
		return STATUS_UNAVAILABLE;
	}
	for (i = next_node(&machine->online, -1); i >= 0;
	     i = next_node(&machine->online, i)) {
		read_cpus(machine, i);
		if (read_distances(machine, i))
			continue;
		warn("cannot read the distances of node %d", i);
		return STATUS_FAILED;
	}
	for (i = next_node(&machine->memory, -1); i >= 0;
	     i = next_node(&machine->memory, i))
		read_initiators(machine, i);
	return STATUS_OK;
}
