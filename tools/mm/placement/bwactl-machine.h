/* SPDX-License-Identifier: GPL-2.0 */
/* What sysfs tells of nodes, packages and distances */
#ifndef BWACTL_MACHINE_H
#define BWACTL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

#define MAX_CPUS	8192

/* What sysfs tells of the nodes that are online */
struct machine {
	const char *sysfs;		/* "/sys", or a copy of it */
	struct nodes online;
	struct nodes memory;		/* with memory */
	struct nodes compute;		/* with a CPU that is online */
	int package[MAX_NODES];		/* of a node's CPUs; -1: unknown */
	unsigned char distance[MAX_NODES][MAX_NODES];
	/* [memory][compute]: firmware says that no CPU is closer */
	bool initiator[MAX_NODES][MAX_NODES];
};

/*
 * Reads all of @machine, which is zeroed and keeps @sysfs; complains, returns
 * the exit status.
 */
int read_machine(const char *sysfs, struct machine *machine);

/* The CPUs of a node that are online, into MAX_CPUS entries; false: none */
bool read_node_cpus(const struct machine *machine, int node, bool *cpus);

/* Where the global weights are, cut to @size */
void weight_directory(const struct machine *machine, char *path, size_t size);

/* Where sysfs has what firmware tells of a node's memory, cut to @size */
void access_directory(const struct machine *machine, int node, char *path,
		      size_t size);

#endif /* BWACTL_MACHINE_H */
