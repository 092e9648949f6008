// SPDX-License-Identifier: GPL-2.0
/*
 * The node of a huge page that small ones are collapsed into.
 *
 * khugepaged and MADV_COLLAPSE take the node that has most of the small pages,
 * which under 9:1 is always the first one. Whose policy weights its nodes has the
 * huge page where a fault would put it, if that node has given small pages, too.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/task.h>
#include <linux/shmem_fs.h>
#include <linux/weighted_interleave.h>

#include "../newer.h"

/*
 * That of the task, with a reference; khugepaged asks on behalf of the owner. A task
 * whose fork has failed may still be that: its policy, too, goes under task_lock().
 */
static struct mempolicy *policy_of_task(struct mm_struct *mm)
{
	struct task_struct *task = mm == current->mm ? current : NULL;
	struct mempolicy *pol = NULL;

	rcu_read_lock();
#ifdef CONFIG_MEMCG
	if (!task)
		task = rcu_dereference(mm->owner);
#endif
	if (task) {
		task_lock(task);
		pol = task->mempolicy;
		mpol_get(pol);
		task_unlock(task);
	}
	rcu_read_unlock();
	return pol;
}

/*
 * No page was taken from a node that had its turns: a cpuset keeps the pages off it,
 * it was full, or the policy came after them. Any half of a huge page is a whole round
 * of two nodes, at least; fewer pages may all be other nodes'.
 */
static bool has_taken_none(int nid, const u32 *node_load)
{
	unsigned int pages = 0;
	int other;

	if (node_load[nid])
		return false;
	for_each_node(other)
		pages += node_load[other];
	return pages >= HPAGE_PMD_NR / 2;
}

static void prefer_node(const struct mempolicy *pol, unsigned long turn,
			u32 *node_load)
{
	int nid;

	if (!pol || pol->mode != MPOL_WEIGHTED_INTERLEAVE)
		return;
	nid = weighted_interleave_nid(pol, turn);
	/* Nothing falls back: there is to be room, and leave to take it. */
	if (node_state(nid, N_MEMORY) && !has_taken_none(nid, node_load))
		/* More than all small pages together */
		node_load[nid] = HPAGE_PMD_NR + 1;
}

/**
 * weighted_interleave_collapse - choose the node of a huge page of a mapping
 * @vma:       the mapping
 * @addr:      address of the huge page
 * @node_load: small pages by node id; the node that the policy chooses has most
 *             afterwards. Stays as it is with another policy, and when that node
 *             has no memory, or none of at least half a huge page of small ones.
 *
 * Context: mmap_lock held; takes task_lock().
 */
void weighted_interleave_collapse(struct vm_area_struct *vma, unsigned long addr,
				  u32 *node_load)
{
	struct mempolicy *own, *pol;
	unsigned long turn;
	pgoff_t first;

	own = __get_vma_policy(vma, addr, &first);
	turn = first + (linear_page_index(vma, addr) >> HPAGE_PMD_ORDER);
	if (own) {
		prefer_node(own, turn, node_load);
		mpol_cond_put(own);
		return;
	}
	pol = policy_of_task(vma->vm_mm);
	prefer_node(pol, turn, node_load);
	mpol_put(pol);
}

/**
 * weighted_interleave_collapse_file - choose the node of a huge page of a file
 * @mm:        on whose behalf
 * @file:      the file; nothing is chosen unless it is shared memory
 * @index:     offset of the huge page in pages
 * @node_load: see weighted_interleave_collapse()
 *
 * Context: may sleep, takes task_lock() and the lock of the file's policies.
 */
void weighted_interleave_collapse_file(struct mm_struct *mm, struct file *file,
				       unsigned long index, u32 *node_load)
{
	struct inode *inode = file_inode(file);
	struct mempolicy *pol;

	if (!shmem_mapping(file->f_mapping))
		return;
	pol = mpol_shared_policy_lookup(&SHMEM_I(inode)->policy, index);
	if (!pol)
		pol = policy_of_task(mm);
	prefer_node(pol, shmem_turn(inode, index, HPAGE_PMD_ORDER), node_load);
	mpol_put(pol);
}
