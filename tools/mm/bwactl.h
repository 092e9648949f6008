/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BWACTL_H
#define BWACTL_H

#include <stdbool.h>
#include <stddef.h>

#include "bwactl-fit.h"
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

/* Memory nodes, and the CPUs of one package that use them together */
struct group {
	struct nodes compute;
	struct nodes memory;
	int package;
};

struct groups {
	size_t count;
	struct group group[MAX_NODES];
};

/* From the CPUs of one node to the memory of one */
struct cell {
	unsigned int mbps;		/* 0: not known */
	float spread;			/* of the runs, relative to the median */
	float ns;			/* 0: not known */
};

/* [compute][memory] */
struct matrix {
	struct cell cell[MAX_NODES][MAX_NODES];
};

/* The weights that fit some CPUs */
struct wish {
	struct ratio ratio;
	unsigned int mbps[MAX_NODES];	/* what each node gives these CPUs */
	double error;			/* of the ratio */
	int unknown;			/* a node without a bandwidth, or -1 */
};

/* bwactl-machine.c */

/* Complains; returns the exit status */
int read_machine(const char *sysfs, struct machine *machine);

/* The CPUs of a node that are online, into MAX_CPUS entries; false: none */
bool read_node_cpus(const struct machine *machine, int node, bool *cpus);

/* Where the global weights are */
void weight_directory(const struct machine *machine, char *path, size_t size);

/* Where sysfs has what firmware tells of a node's memory */
void access_directory(const struct machine *machine, int node, char *path,
		      size_t size);

/* bwactl-groups.c */

/* -1 after the last one */
int next_node(const struct nodes *nodes, int after);
int count_nodes(const struct nodes *nodes);

/* "0-1,3", cut to @size */
void format_set(const struct nodes *nodes, char *text, size_t size);

/* A group for each package */
void group_by_package(const struct machine *machine, struct groups *groups);

/* "[[0,2],[1,3]]"; when that is wrong complains and returns false */
bool parse_topology(const char *text, const struct machine *machine,
		    struct groups *groups);

/* bwactl-known.c: complain and return false when there is nothing */
bool read_tables(const struct machine *machine, struct matrix *matrix);
bool read_recorded(const char *path, const struct machine *machine,
		   struct matrix *matrix);

/* bwactl-plan.c */

/*
 * What @compute, CPUs of one package, want of @memory. A node gives them what
 * it gives the closest of them.
 */
void make_wish(const struct matrix *matrix, const struct fit_rule *rule,
	       const struct nodes *compute, const struct nodes *memory,
	       struct wish *wish);

/* Puts all wishes into one ratio; returns a node with two weights, or -1 */
int merge_wishes(const struct wish *wishes, size_t count, struct ratio *ratio);

#endif /* BWACTL_H */
