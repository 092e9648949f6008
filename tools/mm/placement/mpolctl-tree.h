/* SPDX-License-Identifier: GPL-2.0 */
/* A process and those that it has begun, while they begin others */
#ifndef MPOLCTL_TREE_H
#define MPOLCTL_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* Times are in ticks of the kernel since boot, as /proc/PID/stat has them. */
struct member {
	unsigned long pid;
	unsigned long parent;
	unsigned long long start;
	unsigned long long given;	/* by when it was; 0: it was not */
	bool inherited;			/* it began after its parent was given it */
	int error;			/* why it was not */
};

struct tree {
	struct member *member;
	size_t count;
};

/* The tree of one process; false with a line on stderr when there is none */
bool tree_plant(struct tree *tree, unsigned long pid);

/*
 * Adds what members have begun, parents before their children, but not this process;
 * false with a line on stderr
 */
bool tree_grow(struct tree *tree);

/* Whether the number is still that of the process */
bool tree_has(const struct member *member);

/* What it begins from now on has what it was given */
void tree_give(struct member *member);

#endif /* MPOLCTL_TREE_H */
