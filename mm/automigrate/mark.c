// SPDX-License-Identifier: GPL-2.0
/*
 * Lazy migration: pages are made inaccessible, and move when they are touched,
 * by the same fault that NUMA balancing takes its hints from.
 *
 * NUMA balancing marks pages for itself, by its own mode; MM_CP_LAZY_ANY and
 * MM_CP_LAZY_FAST ask for marks whatever that is.
 */
#include <linux/automigrate.h>
#include <linux/hugetlb.h>
#include <linux/lazy_migration.h>
#include <linux/memory-tiers.h>
#include <linux/memory_serving.h>
#include <linux/mempolicy.h>
#include <linux/mempolicy2.h>
#include <linux/mempolicy_ops.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mmzone.h>
#include <linux/sched/numa_balancing.h>
#include <linux/sched/signal.h>
#include <linux/sched/sysctl.h>
#include <linux/topology.h>
#include <linux/vmstat.h>

#include <asm/tlb.h>

#include "internal.h"
#include "../newer.h"

/* Pages that are marked in the time that it takes to move one */
#define MARKS_A_PAGE	16
/* Bytes in which no page is marked cost as much as a mark */
#define LOOKED_AT_FOR_ONE	(16 * PAGE_SIZE)
/* Of a huge page, or of what one page table maps */
#define HUGE_BYTES	PMD_SIZE

/* Bytes that a user has marked while mmap_lock is held, where pages are and where not */
#define LEAST_PORTION	(4 * HUGE_BYTES)
#define MOST_PORTION	(16 * HUGE_BYTES)

/* Set as soon as anything is lazy: hint faults are not looked at before. */
DEFINE_STATIC_KEY_FALSE(lazy_migration_used);

static void expect_marks(struct mm_struct *mm)
{
	if (!static_key_enabled(&lazy_migration_used))
		static_branch_enable(&lazy_migration_used);
	if (mm)
		set_bit(AUTOMIGRATE_LAZY, &mm->automigrate.flags);
}

/**
 * lazy_migration_begin - expect marks on pages of a process
 * @mm:  of the current task
 * @pol: the policy that the pages will have, which is new; NULL for the default
 *
 * Context: no locks, may sleep.
 */
void lazy_migration_begin(struct mm_struct *mm, struct mempolicy *pol)
{
	expect_marks(pol ? NULL : mm);
	if (pol)
		pol->flags |= MPOL_F_MOF;
}

static bool has_many_sharers(struct page *page)
{
	return folio_precise_page_mapcount(page_folio(page), page) > automigrate_max_sharers();
}

/**
 * lazy_mark_unwanted - should a page not be marked?
 * @cp_flags: of change_protection(), with MM_CP_LAZY_ANY or MM_CP_LAZY_FAST
 * @page:     the page
 * @toptier:  whether it is on a node of the top tier
 *
 * Context: the page table's lock.
 * Return: whether the page stays as it is.
 */
bool lazy_mark_unwanted(unsigned long cp_flags, struct page *page, bool toptier)
{
	if (has_many_sharers(page))
		return true;
	if (cp_flags & MM_CP_LAZY_ANY)
		return false;
	return !toptier || page_to_nid(page) == serving_node(numa_node_id());
}

static unsigned long mark(struct vm_area_struct *vma, unsigned long start,
			  unsigned long end, unsigned long how)
{
	struct mmu_gather tlb;
	long marked;

	tlb_gather_mmu(&tlb, vma->vm_mm);
	marked = change_protection(&tlb, vma, start, end, MM_CP_PROT_NUMA | how);
	tlb_finish_mmu(&tlb);
	return max(marked, 0L);
}

/* As the scan of NUMA balancing has it, but for files, which a user may move. */
static bool user_may_mark(struct vm_area_struct *vma, const struct mpol_portion *portion)
{
	return vma_migratable(vma) && !is_vm_hugetlb_page(vma) && vma_is_accessible(vma) &&
	       !(vma->vm_flags & VM_MIXEDMAP) && mpol_portion_takes(portion, vma);
}

/* Up to portion->end, with mmap_lock held for reading; how many were marked */
static unsigned long mark_portion(struct mm_struct *mm, struct mpol_portion *portion)
{
	unsigned long start, end, marked = 0;
	struct vm_area_struct *vma;
	struct vma_iterator vmi;

	vma_iter_init(&vmi, mm, portion->next);
	for_each_vma_range(vmi, vma, portion->end) {
		start = max(portion->next, vma->vm_start);
		end = min(portion->end, vma->vm_end);
		if (user_may_mark(vma, portion))
			marked += mark(vma, start, end, MM_CP_LAZY_ANY);
	}
	return marked;
}

/**
 * lazy_migration_mark - let pages of a range move when they are touched
 * @mm:    of the current task
 * @start: the first address
 * @end:   the address behind the last one
 * @pol:   the policy that was set there, or NULL for the default
 *
 * To where the policy says that is in force then; it needs MPOL_F_MOF. What has
 * another one by now is left alone. Portions grow where nothing is marked: a
 * mapping may be large and empty.
 *
 * Context: no locks, may sleep; takes mmap_lock for reading, for a portion at a time.
 * Return: 0, or -EINTR when the caller is being killed.
 */
int lazy_migration_mark(struct mm_struct *mm, unsigned long start, unsigned long end,
			struct mempolicy *pol)
{
	struct mpol_portion portion = { .next = start, .pol = pol };
	unsigned long size = LEAST_PORTION, marked;

	while (portion.next < end) {
		if (fatal_signal_pending(current) || mmap_read_lock_killable(mm))
			return -EINTR;
		/* Whole huge pages: a part of one would split it */
		portion.end = ALIGN(portion.next + size, HUGE_BYTES);
		if (portion.end < portion.next || portion.end > end)
			portion.end = end;
		marked = mark_portion(mm, &portion);
		mmap_read_unlock(mm);
		count_vm_events(AUTO_MIGRATE_UNMAPPED, marked);
		size = marked ? LEAST_PORTION : min(2 * size, MOST_PORTION);
		portion.next = portion.end;
		cond_resched();
	}
	return 0;
}

/* As for NUMA balancing: what is only read from a file is in caches, or shared. */
static bool may_be_marked(struct vm_area_struct *vma)
{
	if (vma->vm_file && (vma->vm_flags & (VM_READ | VM_WRITE)) == VM_READ)
		return false;
	return automigrate_vma(vma) && vma_is_accessible(vma);
}

/**
 * automigrate_mark - let pages of a process move to a node when they are touched
 * @mm:    of the current task, which is on that node
 * @piece: from which address on, how many to move in that time
 *
 * Pages of slow nodes are left to promotion.
 *
 * Context: no locks, may sleep. AUTOMIGRATE_BUSY.
 * Return: 0, or -EAGAIN when mmap_lock was taken.
 */
int automigrate_mark(struct mm_struct *mm, struct automigrate_piece *piece)
{
	unsigned long room = (unsigned long)piece->pages * MARKS_A_PAGE;
	unsigned long start, end, marked;
	struct vm_area_struct *vma;
	struct vma_iterator vmi;

	expect_marks(mm);
	if (!mmap_read_trylock(mm))
		return -EAGAIN;

	vma_iter_init(&vmi, mm, piece->address);
	for_each_vma(vmi, vma) {
		start = max(piece->address, vma->vm_start);
		piece->address = vma->vm_end;
		marked = 0;
		if (may_be_marked(vma)) {
			/* Whole huge pages: a part of one would split it */
			end = ALIGN(start + (room << PAGE_SHIFT), HUGE_BYTES);
			if (end < start || end > vma->vm_end)
				end = vma->vm_end;
			marked = mark(vma, start, end, MM_CP_LAZY_FAST);
			piece->marked += marked;
			piece->address = end;
			marked = max(marked, (end - start) / LOOKED_AT_FOR_ONE);
		}
		room -= min(room, marked + 1);
		if (!room)
			break;
		cond_resched();
	}
	if (!vma)
		piece->address = ULONG_MAX;
	mmap_read_unlock(mm);
	return 0;
}

/**
 * lazy_migration_nid - where a page of a mapping with some nodes belongs
 * @pol: MPOL_BIND or MPOL_PREFERRED_MANY
 *
 * Context: any.
 * Return: the node nearest to the policy's home node, or to this CPU,
 * NUMA_NO_NODE if none has memory for users.
 */
int lazy_migration_nid(struct mempolicy *pol)
{
	int home = mpol_home_node(pol);
	struct zoneref *z;

	if (home == NUMA_NO_NODE)
		home = numa_node_id();
	z = first_zones_zonelist(node_zonelist(home, GFP_HIGHUSER_MOVABLE),
				 gfp_zone(GFP_HIGHUSER_MOVABLE), &pol->nodes);
	return z->zone ? zone_to_nid(z->zone) : NUMA_NO_NODE;
}

/*
 * NUMA balancing knows nothing of CPUs without memory: where it decides, it has to
 * be asked for the node that it has looked at.
 */
int __lazy_migration_home(int nid)
{
	return READ_ONCE(sysctl_numa_balancing_mode) & NUMA_BALANCING_NORMAL ?
	       nid : serving_node(nid);
}

/*
 * Where NUMA balancing marks pages of fast nodes as well, it decides; else all
 * marks on them are ours. The fault is not of a slow node's page.
 */
bool __lazy_migration_wanted(struct task_struct *p, int to)
{
	const struct mm_automigrate *memory;

	if (!p->mm || READ_ONCE(sysctl_numa_balancing_mode) & NUMA_BALANCING_NORMAL)
		return false;
	memory = &p->mm->automigrate;
	to = serving_node(to);
	return test_bit(AUTOMIGRATE_LAZY, &memory->flags) &&
	       (READ_ONCE(memory->node) == to ||
		READ_ONCE(memory->node) == NUMA_NO_NODE);
}

bool __lazy_migration_refused(const struct mempolicy *pol, struct page *page)
{
	if (!has_many_sharers(page))
		return false;
	/* Else it is NUMA balancing's, or promotion's. */
	return !(pol->flags & MPOL_F_MORON) ||
	       (node_is_toptier(page_to_nid(page)) &&
		!(READ_ONCE(sysctl_numa_balancing_mode) & NUMA_BALANCING_NORMAL));
}

void __lazy_migration_faulted(struct task_struct *p, int pages, int flags)
{
	if (!p->mm || !test_bit(AUTOMIGRATE_LAZY, &p->mm->automigrate.flags))
		return;

	count_vm_events(AUTO_MIGRATE_FAULTS, pages);
	if (!(flags & (TNF_MIGRATED | TNF_MIGRATE_FAIL)))
		return;
	count_vm_events(AUTO_MIGRATE_MISPLACED, pages);
	count_vm_events(flags & TNF_MIGRATED ? AUTO_MIGRATE_SUCCESS :
					       AUTO_MIGRATE_FAILED, pages);
}
