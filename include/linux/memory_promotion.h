/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Promotion of hot pages to fast nodes: what the rest of the kernel calls.
 */
#ifndef _LINUX_MEMORY_PROMOTION_H
#define _LINUX_MEMORY_PROMOTION_H

#include <linux/types.h>

struct folio;
struct mm_struct;
struct pglist_data;
struct seq_file;
struct task_struct;
struct vm_area_struct;
struct zone;

#ifdef CONFIG_NUMA_BALANCING
void promotion_enable(void);
int promotion_home(int curnid, int nid);
bool promotion_wanted(struct folio *folio, struct vm_area_struct *vma,
		      unsigned long address, int nid);
void promotion_no_room(int nid, unsigned int order);
void promotion_failed(int nid);
void promotion_succeeded(int nid);
int promotion_valid_cpupid(int cpupid);
void promotion_scan_folio(struct folio *folio);
bool promotion_scans_shared(void);
void promotion_scan_begins(struct task_struct *p, unsigned int shortest,
			   unsigned int longest);
void promotion_init_task(struct task_struct *p);
void promotion_init_mm(struct mm_struct *mm);
unsigned int promotion_scan_period(struct task_struct *p);
unsigned int promotion_scan_interval(const struct task_struct *p, unsigned int size);
u64 promotion_scan_runtime(const struct task_struct *p, unsigned int size);
long promotion_scan_portion(const struct task_struct *p, unsigned int size);
int promotion_mark(struct folio *from, struct folio *to, int mark);
bool promotion_may_reclaim(struct pglist_data *pgdat);
bool promotion_keeps_headroom(int nid);
unsigned long promotion_reclaim(struct pglist_data *pgdat, unsigned long pages);
unsigned long promotion_headroom(struct zone *zone);
void promotion_show_counts(struct seq_file *file);
int promotion_show_node_counts(int nid, char *buf, int len);
#else
static inline void promotion_show_counts(struct seq_file *file)
{
}

static inline int promotion_show_node_counts(int nid, char *buf, int len)
{
	return 0;
}

static inline int promotion_home(int curnid, int nid)
{
	return nid;
}

static inline void promotion_init_mm(struct mm_struct *mm)
{
}

static inline bool promotion_scans_shared(void)
{
	return false;
}

static inline void promotion_scan_folio(struct folio *folio)
{
}

static inline unsigned long promotion_headroom(struct zone *zone)
{
	return 0;
}

static inline bool promotion_keeps_headroom(int nid)
{
	return false;
}

static inline unsigned long promotion_reclaim(struct pglist_data *pgdat,
					      unsigned long pages)
{
	return pages;
}

static inline int promotion_mark(struct folio *from, struct folio *to,
				 int mark)
{
	return mark;
}
#endif

#endif /* _LINUX_MEMORY_PROMOTION_H */
