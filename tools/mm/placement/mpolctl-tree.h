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
	/* What begins later has what this one was given; 0: it was not given yet */
	unsigned long long given;
	int error;			/* why it was not */
};

struct tree {
	struct member *member;
	size_t count;
};

/* The tree of one process; false with a line on stderr when there is none */
bool tree_plant(struct tree *tree, unsigned long pid);

/*
 * Adds what members have begun, parents before their children; false with a line on
 * stderr. Those that began after their parent was given it have inherited it.
 */
bool tree_grow(struct tree *tree);

/* Members from now on begin others that have what this one was given */
void tree_give(struct member *member);

#endif /* MPOLCTL_TREE_H */
