/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_MOVABLE_BLOCKS_H
#define _LINUX_MOVABLE_BLOCKS_H

/*
 * Blocks of memory that movablecore=SIZE@BASE puts into ZONE_MOVABLE while the
 * zones around them keep the rest; mm/movable_blocks/blocks.c.
 */

#include <linux/init.h>
#include <linux/mmzone.h>
#include <linux/types.h>

#ifdef CONFIG_MOVABLE_BLOCKS

extern unsigned int nr_movable_blocks;

bool movable_blocks_parse(char *text);
void movable_blocks_reserve(void);
void movable_blocks_release(void);
bool movable_blocks_hold(unsigned long start_pfn, unsigned long nr_pages);
unsigned long movable_blocks_draw(const struct zone *zone, unsigned long random);
bool movable_blocks_apart(struct zone *zone, unsigned long start_pfn,
			  unsigned long nr_pages);
void movable_blocks_share(unsigned long *kernelcore, unsigned long *movablecore);
void movable_blocks_beside(unsigned long *pfns);
void movable_blocks_zone_range(int nid, enum zone_type type,
			       unsigned long *start_pfn, unsigned long *end_pfn);
unsigned long movable_blocks_absent(int nid, enum zone_type type,
				    unsigned long start_pfn,
				    unsigned long end_pfn);
bool __movable_blocks_skip(int nid, enum zone_type type, unsigned long *pfn);

/**
 * movable_blocks_exist - are there blocks?
 *
 * Context: after movable_blocks_reserve().
 * Return: whether there are.
 */
static inline bool movable_blocks_exist(void)
{
	return nr_movable_blocks;
}

/* __movable_blocks_skip() for each page frame at boot, at no cost without blocks */
static inline bool movable_blocks_skip(int nid, enum zone_type type,
				       unsigned long *pfn)
{
	return movable_blocks_exist() && __movable_blocks_skip(nid, type, pfn);
}

#else

static inline bool movable_blocks_parse(char *text)
{
	return false;
}

static inline void movable_blocks_reserve(void) {}
static inline void movable_blocks_release(void) {}

static inline bool movable_blocks_exist(void)
{
	return false;
}

static inline bool movable_blocks_hold(unsigned long start_pfn,
				       unsigned long nr_pages)
{
	return false;
}

static inline unsigned long movable_blocks_draw(const struct zone *zone,
						unsigned long random)
{
	return zone->zone_start_pfn;
}

static inline bool movable_blocks_apart(struct zone *zone,
					unsigned long start_pfn,
					unsigned long nr_pages)
{
	return false;
}

static inline void movable_blocks_share(unsigned long *kernelcore,
					unsigned long *movablecore) {}

static inline void movable_blocks_beside(unsigned long *pfns) {}

static inline void movable_blocks_zone_range(int nid, enum zone_type type,
					     unsigned long *start_pfn,
					     unsigned long *end_pfn) {}

static inline unsigned long movable_blocks_absent(int nid, enum zone_type type,
						  unsigned long start_pfn,
						  unsigned long end_pfn)
{
	return 0;
}

static inline bool movable_blocks_skip(int nid, enum zone_type type,
				       unsigned long *pfn)
{
	return false;
}

#endif /* CONFIG_MOVABLE_BLOCKS */

#endif /* _LINUX_MOVABLE_BLOCKS_H */
