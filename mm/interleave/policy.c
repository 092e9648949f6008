// SPDX-License-Identifier: GPL-2.0
/*
 * The life of an MPOL_WEIGHTED_INTERLEAVE policy.
 *
 * The policy points to the set of its nodes, and of its weights where it has
 * some of its own, and holds a reference. Who may change that pointer and the
 * own weights is who may change pol->nodes:
 * - policy of a task: task_lock() of the task;
 * - policy of a mapping: mmap_lock for writing;
 * - policy of a shared object: nobody once it is in the tree;
 * - policy not yet visible: its maker.
 * Readers look under rcu_read_lock() only; see place.c.
 *
 * A cpuset rebind of a task runs with interrupts off and may not allocate: it
 * changes the own weights in place and leaves the policy without a set.
 * weighted_interleave_rebuild_task() follows as soon as the rebinding task has
 * left that section. A copy that fork() made in between is completed by
 * mpol_dup(). If memory is lacking then, the policy stays without and its pages
 * are placed in run order, until the next rebind of the task or the next call
 * that sets it.
 */
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy2.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/weighted_interleave.h>

#include "policy.h"
#include "remap.h"

static bool has_own(const struct mempolicy *pol)
{
	return pol->flags & MPOL_F_HAS_WEIGHTS;
}

static const u8 *bound_of(const struct mempolicy *pol)
{
	return has_own(pol) ? interleave_bound(pol->own) : NULL;
}

static struct interleave_set *set_of(const struct mempolicy *pol)
{
	return rcu_dereference_protected(*interleave_slot(pol), true);
}

static bool has_right_set(const struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	return set && interleave_set_is_of(set, &pol->nodes, bound_of(pol));
}

static struct interleave_own *own_alloc(void)
{
	struct interleave_own *own;

	own = kzalloc(struct_size(own, sums, nr_node_ids) + 2 * nr_node_ids,
		      GFP_KERNEL_ACCOUNT);
	if (own)
		refcount_set(&own->refs, 1);
	return own;
}

/**
 * weighted_interleave_init - start the life of a policy
 * @pol:  a new policy, not visible to anybody
 * @args: its weights, if it is to have some of its own, are copied; all 0 is
 *        as none
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int weighted_interleave_init(struct mempolicy *pol, const struct mpol_args *args)
{
	const u8 *weights = args->weights;
	struct interleave_own *own;

	RCU_INIT_POINTER(pol->interleave, NULL);
	if (!weights || !memchr_inv(weights, 0, nr_node_ids))
		return 0;

	own = own_alloc();
	if (!own)
		return -ENOMEM;
	memcpy(interleave_given(own), weights, nr_node_ids);
	pol->own = own;
	pol->flags |= MPOL_F_HAS_WEIGHTS;
	return 0;
}

/**
 * weighted_interleave_get_weights - tell the weights of a policy
 * @pol:      an MPOL_WEIGHTED_INTERLEAVE policy that cannot change meanwhile
 * @own_only: 0 instead of the global weight for nodes that follow it
 * @weights:  room for nr_node_ids weights, indexed as the user's were
 */
void weighted_interleave_get_weights(const struct mempolicy *pol, bool own_only,
				     u8 *weights)
{
	unsigned int node;

	if (has_own(pol))
		memcpy(weights, interleave_given(pol->own), nr_node_ids);
	else
		memset(weights, 0, nr_node_ids);
	if (own_only)
		return;
	for (node = 0; node < nr_node_ids; node++)
		if (!weights[node])
			weights[node] = READ_ONCE(interleave_weights[node]);
}

/**
 * weighted_interleave_equal - do two policies have the same own weights?
 * @a: an MPOL_WEIGHTED_INTERLEAVE policy
 * @b: another one, with the same flags
 *
 * Return: true when they have, or when neither has any.
 */
bool weighted_interleave_equal(const struct mempolicy *a,
			       const struct mempolicy *b)
{
	/* What was given, then what it came to. */
	return !has_own(a) || !memcmp(interleave_given(a->own),
				      interleave_given(b->own),
				      2 * nr_node_ids);
}

/**
 * weighted_interleave_bind - find the own weights of the nodes to be used
 * @pol:     a policy that is not yet visible
 * @nodes:   the mask as the user gave it
 * @allowed: nodes that the task may use
 *
 * Context: any.
 */
void weighted_interleave_bind(struct mempolicy *pol, const nodemask_t *nodes,
			      const nodemask_t *allowed)
{
	struct interleave_own *own = pol->own;
	unsigned int node;

	if (!has_own(pol))
		return;

	if (pol->flags & MPOL_F_RELATIVE_NODES) {
		interleave_weights_fold(interleave_bound(own), own->sums,
					nr_node_ids, interleave_given(own),
					nodes, allowed);
		return;
	}
	interleave_weights_restrict(interleave_bound(own), nr_node_ids,
				    interleave_given(own), nodes);
	for (node = 0; node < nr_node_ids; node++)
		if (!node_isset(node, *allowed))
			interleave_bound(own)[node] = 0;
}

/* For a plain mask: what the user gave travels, too. */
static void remap_own(struct mempolicy *pol, const nodemask_t *allowed)
{
	struct interleave_own *own = pol->own;

	interleave_weights_remap(interleave_bound(own), own->sums, nr_node_ids,
				 &pol->nodes, &pol->w.cpuset_mems_allowed,
				 allowed);
	memcpy(interleave_given(own), interleave_bound(own), nr_node_ids);
}

/**
 * weighted_interleave_rebind - take the own weights to other nodes
 * @pol:     a policy whose mask is about to be rebound
 * @allowed: nodes that the task may use from now on
 *
 * Context: any; whatever protects @pol against changes is held.
 */
void weighted_interleave_rebind(struct mempolicy *pol,
				const nodemask_t *allowed)
{
	struct interleave_own *own = pol->own;

	if (!has_own(pol))
		return;

	if (pol->flags & MPOL_F_RELATIVE_NODES)
		interleave_weights_fold(interleave_bound(own), own->sums,
					nr_node_ids, interleave_given(own),
					&pol->w.user_nodemask, allowed);
	else if (!(pol->flags & MPOL_F_STATIC_NODES))
		remap_own(pol, allowed);
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
	return has_right_set(pol) ? 0 : -EAGAIN;
}

/**
 * weighted_interleave_detach - part from a set that is not the right one
 * @pol: the policy, after its nodes may have changed
 *
 * Context: any; whatever protects @pol against changes is held.
 */
void weighted_interleave_detach(struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	if (has_own(pol) && pol->flags & MPOL_F_STATIC_NODES)
		interleave_weights_restrict(interleave_bound(pol->own),
					    nr_node_ids,
					    interleave_given(pol->own),
					    &pol->nodes);
	if (!set || has_right_set(pol))
		return;
	RCU_INIT_POINTER(*interleave_slot(pol), NULL);
	interleave_set_put(set);
}

/*
 * In a cpuset rebind the caller holds locks that each fork and exit waits for,
 * and may be anybody: nobody waits for memory, and the owner of the policy pays.
 */
#define REBIND_GFP	(GFP_NOWAIT | __GFP_NOWARN)

static struct interleave_set *set_of_owner(struct mm_struct *owner,
					   const nodemask_t *nodes,
					   const u8 *own)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(owner);
	struct mem_cgroup *old = set_active_memcg(memcg);
	struct interleave_set *set;

	set = interleave_set_find_or_make(nodes, own,
					  REBIND_GFP | __GFP_ACCOUNT);
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return set;
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

	set = interleave_set_find_or_make(&pol->nodes, bound_of(pol),
					  GFP_KERNEL_ACCOUNT);
	if (IS_ERR(set))
		return PTR_ERR(set);
	rcu_assign_pointer(*interleave_slot(pol), set);
	return 0;
}

/**
 * weighted_interleave_rebuild - give a mapping's policy the set of other nodes
 * @pol: the policy, after a cpuset rebind
 * @mm:  the address space of the mapping
 *
 * Without memory the policy stays without a set, and pages go in run order.
 *
 * Context: may sleep for interleave_lock; mmap_lock of @mm held for writing.
 */
void weighted_interleave_rebuild(struct mempolicy *pol, struct mm_struct *mm)
{
	struct interleave_set *set;

	weighted_interleave_detach(pol);
	if (set_of(pol))
		return;

	set = set_of_owner(mm, &pol->nodes, bound_of(pol));
	if (!IS_ERR(set))
		rcu_assign_pointer(*interleave_slot(pol), set);
}

/**
 * weighted_interleave_reserve - room for the own weights of a copy
 * @pol: the policy to be copied
 *
 * Context: may sleep. @pol cannot go away.
 * Return: the room, NULL when none is needed, or ERR_PTR(-ENOMEM).
 */
void *weighted_interleave_reserve(const struct mempolicy *pol)
{
	struct interleave_own *room;

	if (!has_own(pol))
		return NULL;
	room = own_alloc();
	return room ?: ERR_PTR(-ENOMEM);
}

/**
 * weighted_interleave_get - account for a copy
 * @pol:  a policy that was just copied, byte by byte, not yet visible
 * @room: what weighted_interleave_reserve() gave, kept for the copy's weights;
 *        NULL if it has no own ones, or shares them with the other for good
 *
 * Context: any; the policy it was copied from cannot change.
 */
void weighted_interleave_get(struct mempolicy *pol, void *room)
{
	struct interleave_set *set = set_of(pol);
	struct interleave_own *own = room;

	if (has_own(pol) && !own) {
		refcount_inc(&pol->own->refs);
		return;
	}
	if (set)
		interleave_set_get(set);
	if (!own)
		return;
	RCU_INIT_POINTER(own->set, set);
	memcpy(interleave_given(own), interleave_given(pol->own),
	       2 * nr_node_ids);
	pol->own = own;
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

	if (has_own(pol)) {
		if (!refcount_dec_and_test(&pol->own->refs))
			return;
		kfree(pol->own);
	}
	if (set)
		interleave_set_put(set);
}

/* What weighted_interleave_rebuild_task() reads under task_lock(). */
struct wanted_set {
	nodemask_t nodes;
	bool own;
	u8 weights[];
};

static bool task_lacks_set(struct task_struct *task)
{
	struct mempolicy *pol = task->mempolicy;

	return pol && pol->mode == MPOL_WEIGHTED_INTERLEAVE && !set_of(pol);
}

/**
 * weighted_interleave_rebuild_task - complete a cpuset rebind
 * @task: a task whose nodes have changed
 *
 * Nodes and weights are read under task_lock(), the set is made without it,
 * and is installed if the task still has a policy with these. Another rebind,
 * by whoever, is followed by a call of its own.
 *
 * Context: may sleep.
 */
void weighted_interleave_rebuild_task(struct task_struct *task)
{
	struct interleave_set *set = NULL;
	struct wanted_set *wanted;
	struct mm_struct *mm = NULL;
	struct mempolicy *pol;

	/* A hint only; what counts is read again under task_lock(). */
	if (!READ_ONCE(task->mempolicy))
		return;

	wanted = kmalloc(struct_size(wanted, weights, nr_node_ids), REBIND_GFP);
	if (!wanted)
		return;

	task_lock(task);
	if (!task_lacks_set(task)) {
		task_unlock(task);
		goto free;
	}
	pol = task->mempolicy;
	wanted->nodes = pol->nodes;
	wanted->own = has_own(pol);
	if (wanted->own)
		memcpy(wanted->weights, bound_of(pol), nr_node_ids);
	if (task->mm) {
		mm = task->mm;
		mmgrab(mm);
	}
	task_unlock(task);

	set = set_of_owner(mm, &wanted->nodes,
			   wanted->own ? wanted->weights : NULL);
	if (mm)
		mmdrop(mm);
	if (IS_ERR(set))
		goto free;

	task_lock(task);
	pol = task->mempolicy;
	if (task_lacks_set(task) &&
	    interleave_set_is_of(set, &pol->nodes, bound_of(pol))) {
		rcu_assign_pointer(*interleave_slot(pol), set);
		set = NULL;
	}
	task_unlock(task);
	if (set)
		interleave_set_put(set);
free:
	kfree(wanted);
}

/**
 * weighted_interleave_mount_name - turn mpol_to_str()'s text into a mount option
 * @text: the text, changed in place if it is of this mode
 */
void weighted_interleave_mount_name(char *text)
{
	size_t first_word = strcspn(WEIGHTED_INTERLEAVE_OPTION, "-");

	if (!strncmp(text, WEIGHTED_INTERLEAVE_OPTION, first_word) && text[first_word] == ' ')
		text[first_word] = '-';
}
