// SPDX-License-Identifier: GPL-2.0
/*
 * The life of an MPOL_WEIGHTED_INTERLEAVE policy.
 *
 * pol->interleave points to the set of pol->nodes and holds a reference. Who
 * may change it is who may change pol->nodes:
 * - policy of a task: task_lock() of the task;
 * - policy of a mapping: mmap_lock for writing;
 * - policy of a shared object: nobody once it is in the tree;
 * - policy not yet visible: its maker.
 * Readers look under rcu_read_lock() only; see place.c.
 *
 * A cpuset rebind of a task runs with interrupts off and may not allocate: it
 * leaves the policy without a set. weighted_interleave_rebuild_task() follows
 * as soon as the rebinding task has left that section. A copy that fork() made
 * in between is completed by mpol_dup(). If memory is lacking then, the policy
 * stays without and its pages are placed in run order, until the next rebind
 * of the task or the next call that sets it.
 */
#include <linux/nodemask.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/weighted_interleave.h>

#include "internal.h"

static struct interleave_set *set_of(const struct mempolicy *pol)
{
	return rcu_dereference_protected(pol->interleave, true);
}

static bool has_set_of_nodes(const struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	return set && nodes_equal(set->nodes, pol->nodes);
}

/**
 * weighted_interleave_init - start the life of a policy
 * @pol: a new policy, not visible to anybody
 */
void weighted_interleave_init(struct mempolicy *pol)
{
	RCU_INIT_POINTER(pol->interleave, NULL);
}

/**
 * weighted_interleave_create - give a policy its nodes
 * @pol:   a policy that is not yet visible
 * @nodes: nodes that the user asked for and the task may use
 *
 * Context: may be called under task_lock(), so it makes no set.
 * Return: 0 when the policy has the set of @nodes already, -EAGAIN when the
 * caller has to drop its locks, call weighted_interleave_build() and begin
 * anew, -EINVAL when @nodes is empty.
 */
int weighted_interleave_create(struct mempolicy *pol, const nodemask_t *nodes)
{
	if (nodes_empty(*nodes))
		return -EINVAL;

	pol->nodes = *nodes;
	return has_set_of_nodes(pol) ? 0 : -EAGAIN;
}

/**
 * weighted_interleave_detach - part from a set that is not that of the nodes
 * @pol: the policy, after its nodes may have changed
 *
 * Context: any; whatever protects @pol against changes is held.
 */
void weighted_interleave_detach(struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	if (!set || has_set_of_nodes(pol))
		return;
	RCU_INIT_POINTER(pol->interleave, NULL);
	interleave_set_put(set);
}

/**
 * weighted_interleave_build - give a policy the set of its nodes
 * @pol: the policy; not yet visible, or of a mapping
 *
 * Context: may sleep; mmap_lock held for writing if @pol is of a mapping.
 * Return: 0, also when nothing was to be done, or -ENOMEM.
 */
int weighted_interleave_build(struct mempolicy *pol)
{
	struct interleave_set *set;

	weighted_interleave_detach(pol);
	if (set_of(pol))
		return 0;

	set = interleave_set_find_or_make(&pol->nodes);
	if (IS_ERR(set))
		return PTR_ERR(set);
	rcu_assign_pointer(pol->interleave, set);
	return 0;
}

/**
 * weighted_interleave_get - account for a copy
 * @pol: a policy that was just copied, byte by byte
 *
 * Context: any; the policy it was copied from cannot change.
 */
void weighted_interleave_get(struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	if (set)
		interleave_set_get(set);
}

/**
 * weighted_interleave_put - end the life of a policy
 * @pol: a policy nobody refers to
 *
 * Context: any but NMI.
 */
void weighted_interleave_put(struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	if (set)
		interleave_set_put(set);
}

/**
 * weighted_interleave_rebuild_task - complete a cpuset rebind
 * @task: a task whose nodes have changed
 *
 * The nodes are read under task_lock(), the set is made without it, and is
 * installed if the task still has this policy with these nodes. Another
 * rebind, by whoever, is followed by a call of its own.
 *
 * Context: may sleep.
 */
void weighted_interleave_rebuild_task(struct task_struct *task)
{
	struct interleave_set *set = NULL;
	struct mempolicy *pol;
	nodemask_t *nodes;

	/* A hint only; what counts is read again under task_lock(). */
	pol = READ_ONCE(task->mempolicy);
	if (!pol)
		return;

	nodes = kmalloc(sizeof(*nodes), GFP_KERNEL);
	if (!nodes)
		return;

	task_lock(task);
	pol = task->mempolicy;
	if (!pol || pol->mode != MPOL_WEIGHTED_INTERLEAVE || set_of(pol)) {
		task_unlock(task);
		goto free;
	}
	*nodes = pol->nodes;
	task_unlock(task);

	set = interleave_set_find_or_make(nodes);
	if (IS_ERR(set))
		goto free;

	task_lock(task);
	pol = task->mempolicy;
	if (pol && pol->mode == MPOL_WEIGHTED_INTERLEAVE && !set_of(pol) &&
	    nodes_equal(pol->nodes, set->nodes)) {
		rcu_assign_pointer(pol->interleave, set);
		set = NULL;
	}
	task_unlock(task);
	if (set)
		interleave_set_put(set);
free:
	kfree(nodes);
}

#define MOUNT_NAME	"weighted-interleave"

/**
 * weighted_interleave_is_name - is this the mode's name in a mount option?
 * @name: the mode, without flags and nodes
 *
 * The mode is shown with a dash there, because a blank would break the columns
 * of /proc/mounts; what is shown has to be read as well.
 */
bool weighted_interleave_is_name(const char *name)
{
	return !strcmp(name, MOUNT_NAME);
}

/**
 * weighted_interleave_mount_name - turn mpol_to_str()'s text into a mount option
 * @text: the text, changed in place if it is of this mode
 */
void weighted_interleave_mount_name(char *text)
{
	size_t first_word = strcspn(MOUNT_NAME, "-");

	if (!strncmp(text, MOUNT_NAME, first_word) && text[first_word] == ' ')
		text[first_word] = '-';
}
