/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of old and the new ones for a whole policy behind one front, and what
 * the tests of both share.
 *
 * Functions that can fail return 0 or a value on success, -errno otherwise.
 */
#ifndef CALLS_H
#define CALLS_H

#include "placement.h"

#define CANARY 0xa5
#define NOWHERE ((void *)16)
#define PAGES 32
/* PAGES and two rounds of the most nodes, see weight_of() */
#define MOST_PAGES (PAGES + 2 * 2 * MAX_ROUND_NODES)
/* More than any kernel has nodes */
#define FAR_BITS 2048

/*
 * @bits is the number of bits of a mask. A mode may carry mode flags. A mode
 * that is to be interleaved over is told by the variant.
 */
struct front {
	int (*set)(int mode, const void *mask, unsigned int bits);
	int (*bind)(const void *addr, size_t len, int mode, const void *mask,
		    unsigned int bits, unsigned long flags);
	int (*get)(int *mode, void *mask, unsigned int bits, const void *addr,
		   unsigned long flags);
	/* The answer goes where nothing can be written */
	int (*get_nowhere)(void);
	/* What a maximum of nodes counts in addition to the bits */
	unsigned int extra;
	/* get has MPOL_F_NODE and MPOL_F_MEMS_ALLOWED */
	bool get_nodes;
};

#ifndef __LP64__
/* A system call of three arguments left something below the stack */
extern bool stack_written;
#endif

extern const struct front old_calls;
extern const struct front new_calls;
/* Policies have weights of their own */
extern const struct front new_calls_own;

/* By the number of a node; a mask in use has each node at its own place */
unsigned int weight_of(int node);

struct context {
	const struct front *front;
	/* The mode that interleaves, and in what shares over all nodes */
	int interleave;
	struct round round;
	struct nodeset memory;
	struct nodeset normal;
	struct nodeset empty;
	int first;
	int second;
	/* Where the test's only CPU is */
	int local;
	int nr_ids;
	struct saved_weights saved;
	bool restore;
	const char *missing;
};

/* The task stays on its CPU; the node of that */
int stay_on_this_cpu(void);

/* Those of weight_of(), or misleading ones */
int write_weights(struct context *ctx, bool global);

int set_nodes(const struct context *ctx, int mode,
	      const struct nodeset *nodes);
int bind_nodes(const struct context *ctx, const struct area *area,
	       int mode, const struct nodeset *nodes,
	       unsigned long flags);
/* Of the task, or with an area of its first page */
int get_nodes(const struct context *ctx, int *mode,
	      struct nodeset *nodes, const struct area *area);
bool policy_is(const struct context *ctx, const struct area *area,
	       int mode, const struct nodeset *nodes);

bool all_on(const int *placed, size_t count, int node);
/* The first PAGES of them */
bool pages_are_on(const struct area *area, int node);

/* Whole rounds */
size_t round_pages(const struct context *ctx);
/* Fresh pages of an area that begins with a round */
bool pages_follow(const struct context *ctx, const struct area *area);
/* An area that begins with a round */
int map_rounds(const struct context *ctx, struct area *area);

/* For what a child does with a mapping */
struct child_area {
	const struct context *ctx;
	const struct area *area;
};

#endif /* CALLS_H */
