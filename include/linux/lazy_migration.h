/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_LAZY_MIGRATION_H
#define _LINUX_LAZY_MIGRATION_H

/*
 * Pages that move when they are next touched, whatever kernel.numa_balancing
 * is; mm/automigrate/mark.c.
 */

#include <linux/automigrate.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/sysctl.h>

struct mempolicy;

#if defined(CONFIG_AUTO_MIGRATION) && defined(CONFIG_NUMA_BALANCING)

DECLARE_STATIC_KEY_FALSE(lazy_migration_used);

void lazy_migration_begin(struct mm_struct *mm, struct mempolicy *pol);
int lazy_migration_mark(struct mm_struct *mm, unsigned long start, unsigned long end,
			struct mempolicy *pol);
int lazy_migration_nid(struct mempolicy *pol);
bool lazy_mark_unwanted(unsigned long cp_flags, struct page *page, bool toptier);
int __lazy_migration_home(int nid);
bool __lazy_migration_wanted(struct task_struct *p, int to);
bool __lazy_migration_refused(const struct mempolicy *pol, struct page *page);
void __lazy_migration_faulted(struct task_struct *p, int pages, int flags);

static inline bool lazy_migration_possible(void)
{
	return true;
}

/**
 * lazy_migration_home - where a page goes that follows a task
 * @nid: the node of the task's CPU
 *
 * Context: any.
 * Return: the node, another one if @nid has no memory.
 */
static inline int lazy_migration_home(int nid)
{
	return static_branch_unlikely(&lazy_migration_used) ?
	       __lazy_migration_home(nid) : nid;
}

/**
 * lazy_migration_wanted - does a page follow the task that touches it?
 * @p:  the current task
 * @to: its node
 *
 * For pages of mappings under the default policy, which are not on slow nodes.
 *
 * Context: a hint fault, with the page table locked.
 * Return: whether it does; else NUMA balancing is asked.
 */
static inline bool lazy_migration_wanted(struct task_struct *p, int to)
{
	return static_branch_unlikely(&lazy_migration_used) &&
	       __lazy_migration_wanted(p, to);
}

/**
 * lazy_migration_refused - does a page stay which its policy wants elsewhere?
 * @pol:  the policy
 * @page: the page, which was made inaccessible
 *
 * It may have got more mappings since.
 *
 * Context: a hint fault, with the page table locked.
 * Return: whether it does.
 */
static inline bool lazy_migration_refused(const struct mempolicy *pol,
					  struct page *page)
{
	return static_branch_unlikely(&lazy_migration_used) &&
	       __lazy_migration_refused(pol, page);
}

/**
 * lazy_migration_faulted - count what became of a hint fault
 * @p:     the current task
 * @pages: base pages
 * @flags: TNF_MIGRATED, TNF_MIGRATE_FAIL
 *
 * Context: a hint fault.
 */
static inline void lazy_migration_faulted(struct task_struct *p, int pages,
					  int flags)
{
	if (static_branch_unlikely(&lazy_migration_used))
		__lazy_migration_faulted(p, pages, flags);
}

#else

static inline bool lazy_migration_possible(void)
{
	return false;
}

static inline bool lazy_mark_unwanted(unsigned long cp_flags, struct page *page,
				      bool toptier)
{
	return false;
}

static inline void lazy_migration_begin(struct mm_struct *mm,
					struct mempolicy *pol) {}

static inline int lazy_migration_nid(struct mempolicy *pol)
{
	return NUMA_NO_NODE;
}

static inline int lazy_migration_home(int nid)
{
	return nid;
}

static inline bool lazy_migration_refused(const struct mempolicy *pol,
					  struct page *page)
{
	return false;
}

static inline int lazy_migration_mark(struct mm_struct *mm, unsigned long start,
				      unsigned long end, struct mempolicy *pol)
{
	return 0;
}

static inline bool lazy_migration_wanted(struct task_struct *p, int to)
{
	return false;
}

static inline void lazy_migration_faulted(struct task_struct *p, int pages,
					  int flags) {}

#endif

/**
 * hint_fault_unwanted - should a page not be made inaccessible?
 * @cp_flags: of change_protection(), with MM_CP_PROT_NUMA
 * @page:     the page
 * @toptier:  whether it is on a node of the top tier
 *
 * Context: the page table's lock.
 * Return: whether the page stays as it is.
 */
static inline bool hint_fault_unwanted(unsigned long cp_flags,
				       struct page *page, bool toptier)
{
	int mode;

	if (cp_flags & (MM_CP_LAZY_ANY | MM_CP_LAZY_FAST))
		return lazy_mark_unwanted(cp_flags, page, toptier);
	/* Not READ_ONCE(): without CONFIG_NUMA_BALANCING the mode is a constant */
	mode = data_race(sysctl_numa_balancing_mode);
	if (toptier)
		return !(mode & NUMA_BALANCING_NORMAL);
	/* What a device holds cannot be promoted: each pass would try it in vain. */
	return mode & NUMA_BALANCING_MEMORY_TIERING &&
	       folio_maybe_dma_pinned(page_folio(page));
}

#endif /* _LINUX_LAZY_MIGRATION_H */
