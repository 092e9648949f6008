/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What mempolicy_sweep asks with and looks at: the calls, masks in every place,
 * and the mapping whose policy and pages are printed after each answer.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include <errno.h>
#include <unistd.h>

#include "placement.h"

#ifndef __NR_set_mempolicy_home_node
#define __NR_set_mempolicy_home_node 450
#endif

/* What is interleaved by address must be at the same one on every boot */
#define AREA ((char *)0x60000000)
#define PAGES 8
/* For masks: more than the kernel ever reads */
#define MASK_BYTES 16384
#define ABSENT 63
#define IMPOSSIBLE 1000
/* The maximum to be given with a mask of one word */
#define WORD_MAXNODE (BITS_PER_WORD + 1)

extern size_t page_size;
extern size_t area_len;

struct mask {
	const char *name;
	const void *at;
};

/* The first ones for every mode, the others for those that take a mask */
#define USUAL_MASKS 8
extern struct mask masks[24];
extern size_t nr_masks;
extern const unsigned long *both_nodes;
/* Where a mask is written to that ends with a mapping */
extern char *edge;

static inline long answer_of(long ret)
{
	return ret < 0 ? -errno : ret;
}

static inline long set(unsigned long mode, const void *mask, unsigned long maxnode)
{
	return answer_of(syscall(__NR_set_mempolicy, mode, mask, maxnode));
}

static inline long bind(const void *addr, unsigned long len, unsigned long mode,
			const void *mask, unsigned long maxnode, unsigned long flags)
{
	return answer_of(syscall(__NR_mbind, addr, len, mode, mask, maxnode,
				 flags));
}

static inline long get(int *mode, void *mask, unsigned long maxnode, const void *addr,
		       unsigned long flags)
{
	return answer_of(syscall(__NR_get_mempolicy, mode, mask, maxnode, addr,
				 flags));
}

static inline long set_home(const void *addr, unsigned long len, unsigned long node,
			    unsigned long flags)
{
	return answer_of(syscall(__NR_set_mempolicy_home_node, addr, len, node,
				 flags));
}

static inline long migrate(long pid, unsigned long maxnode, const void *from,
			   const void *to)
{
	return answer_of(syscall(__NR_migrate_pages, pid, maxnode, from, to));
}

void die(const char *what);
const char *named(long answer);

void say_policy(const void *addr);
void say_maps(void);
void say_nodes(void);
void forget_pages(void);
/* Where fresh pages of the area go */
void say_placement(void);

void map_area(int kind);
/* The pages by turns on nodes 0 and 1, and no policy */
void alternate_pages(int kind);

/* What a refused call must leave: other than the default */
void reset_task(void);
void task_default(void);

void make_masks(void);

#endif /* SWEEP_H */
