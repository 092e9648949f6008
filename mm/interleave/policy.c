// SPDX-License-Identifier: GPL-2.0
/*
 * The life of an MPOL_WEIGHTED_INTERLEAVE policy.
 *
 * The policy points to the set of its nodes, and of its weights where it has
 * some of its own, and holds a reference. Who may change nodes and own weights:
 * - policy of a task: who has task_lock() of the task;
 * - policy of a mapping: who has mmap_lock for writing;
 * - policy of a shared object: nobody once it is in the tree;
 * - policy not yet visible: its maker.
 * Once a policy is visible these changes are made under policy_lock as well, and
 * so are those of the pointer. Readers look under rcu_read_lock() only; see
 * place.c.
 *
 *	   init, bind,              rebind
 *	   create, build         (other nodes)
 *	new -----------> complete -----------> without a set
 *	                    ^  |                     |
 *	                    |  | no room for new     | first page, then
 *	                    |  v weights             | complete
 *	                    |  without an order      |
 *	                    +------+-----------------+
 *
 * A cpuset rebind of a task runs with interrupts off, and one of its mappings
 * with locks that each fork waits for: it changes the own weights in place,
 * parts from the set and neither allocates nor waits. Pages go in run order then,
 * until the task that asks for the first one gives the policy its new set on its
 * way to user space, at its own expense.
 */
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mempolicy2.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/weighted_interleave.h>

#include "order.h"
#include "policy.h"
#include "remap.h"

/* Nests inside everything; what is done under it takes microseconds. */
static DEFINE_RAW_SPINLOCK(policy_lock);

/* Room for a rebind, which cannot allocate; under policy_lock */
static u32 sums[MAX_NUMNODES];

static bool has_own(const struct mempolicy *pol)
{
	return pol->flags & MPOL_F_HAS_WEIGHTS;
}

static const u8 *bound_of(const struct mempolicy *pol)
{
	return has_own(pol) ? interleave_bound(pol->own) : NULL;
}

/* Under policy_lock, or of a policy that nobody else has */
static struct interleave_set *set_of(const struct mempolicy *pol)
{
	return rcu_dereference_protected(*interleave_slot(pol),
					 lockdep_is_held(&policy_lock) ||
					 atomic_read(&pol->refcnt) <= 1);
}

static bool has_right_set(const struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	return set && interleave_set_is_of(set, &pol->nodes, bound_of(pol));
}

/* @nr_given: at most MAX_NUMNODES */
static struct interleave_own *own_alloc(unsigned int nr_given)
{
	struct interleave_own *own;

	own = kzalloc(struct_size(own, weights, nr_node_ids + nr_given),
		      GFP_KERNEL_ACCOUNT);
	if (own) {
		refcount_set(&own->refs, 1);
		own->nr_given = nr_given;
	}
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
	if (!weights || !memchr_inv(weights, 0, args->nr_weights))
		return 0;

	own = own_alloc(args->nr_weights);
	if (!own)
		return -ENOMEM;
	memcpy(interleave_given(own), weights, args->nr_weights);
	pol->own = own;
	pol->flags |= MPOL_F_HAS_WEIGHTS;
	return 0;
}

/**
 * weighted_interleave_get_weights - tell the weights of a policy
 * @pol:      an MPOL_WEIGHTED_INTERLEAVE policy that cannot change meanwhile
 * @own_only: 0 instead of the weight in force for nodes that follow the global one
 * @allowed:  nodes that the task may use, which positions of a relative mask
 *            stand for
 * @weights:  filled in, indexed as the user's were; 0 from mpol_nr_weights() on
 * @nr:       room for how many; what is beyond is not told
 */
void weighted_interleave_get_weights(const struct mempolicy *pol, bool own_only,
				     const nodemask_t *allowed, u8 *weights,
				     unsigned int nr)
{
	bool relative = pol->flags & MPOL_F_RELATIVE_NODES;
	unsigned int nr_allowed = nodes_weight(*allowed);
	unsigned int known, i;

	known = min(nr, mpol_nr_weights(pol->flags, &pol->w.user_nodemask));
	memset(weights, 0, nr);
	if (has_own(pol))
		memcpy(weights, interleave_given(pol->own), known);
	if (own_only)
		return;
	for (i = 0; i < known; i++) {
		unsigned int node = i;

		if (weights[i])
			continue;
		if (relative && nr_allowed)
			node = interleave_node_at(i, allowed, nr_allowed);
		weights[i] = interleave_weight_of(bound_of(pol), interleave_weights, node);
	}
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
	if (!has_own(a))
		return true;
	/* What it came to, then what was given. */
	return a->own->nr_given == b->own->nr_given &&
	       !memcmp(interleave_bound(a->own), interleave_bound(b->own),
		       nr_node_ids + a->own->nr_given);
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
		interleave_weights_fold(interleave_bound(own), nr_node_ids,
					interleave_given(own), own->nr_given,
					nodes, allowed);
		return;
	}
	interleave_weights_restrict(interleave_bound(own), nr_node_ids,
				    interleave_given(own), nodes);
	for (node = 0; node < nr_node_ids; node++)
		if (!node_isset(node, *allowed))
			interleave_bound(own)[node] = 0;
}

/*
 * For a plain mask: what the user gave travels, too. The mask comes with the
 * weights, so that it need not be found a second time.
 */
static void remap_own(struct mempolicy *pol, const nodemask_t *allowed)
{
	struct interleave_own *own = pol->own;

	lockdep_assert_held(&policy_lock);

	interleave_weights_remap(interleave_bound(own), sums, nr_node_ids,
				 &pol->nodes, &pol->w.cpuset_mems_allowed,
				 allowed);
	memcpy(interleave_given(own), interleave_bound(own), nr_node_ids);
	pol->w.cpuset_mems_allowed = *allowed;
}

static void fold_own(struct mempolicy *pol, const nodemask_t *allowed)
{
	struct interleave_own *own = pol->own;

	interleave_weights_fold(interleave_bound(own), nr_node_ids,
				interleave_given(own), own->nr_given,
				&pol->w.user_nodemask, allowed);
}

/* After the nodes may have changed. Returns the set that is not the right one. */
static struct interleave_set *detach(struct mempolicy *pol)
{
	struct interleave_set *set = set_of(pol);

	if (has_own(pol) && pol->flags & MPOL_F_STATIC_NODES)
		interleave_weights_restrict(interleave_bound(pol->own),
					    nr_node_ids,
					    interleave_given(pol->own),
					    &pol->nodes);
	if (!set || has_right_set(pol))
		return NULL;
	RCU_INIT_POINTER(*interleave_slot(pol), NULL);
	return set;
}

/**
 * weighted_interleave_rebind - take a policy to other nodes
 * @pol:          the policy
 * @allowed:      nodes that the task may use from now on
 * @rebind_nodes: does the same with a mask alone; neither sleeps nor takes a lock
 *
 * Takes no longer whatever the weights are.
 *
 * Context: any but NMI; whatever protects @pol against changes is held.
 */
void weighted_interleave_rebind(struct mempolicy *pol, const nodemask_t *allowed,
				void (*rebind_nodes)(struct mempolicy *pol,
						     const nodemask_t *allowed))
{
	struct interleave_set *set;
	unsigned long flags;

	raw_spin_lock_irqsave(&policy_lock, flags);
	if (has_own(pol) && !(pol->flags & (MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES))) {
		remap_own(pol, allowed);
	} else {
		if (has_own(pol) && pol->flags & MPOL_F_RELATIVE_NODES)
			fold_own(pol, allowed);
		rebind_nodes(pol, allowed);
	}
	set = detach(pol);
	raw_spin_unlock_irqrestore(&policy_lock, flags);
	if (set)
		interleave_set_put(set);
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
 * weighted_interleave_build - give a policy the set of its nodes
 * @pol: the policy, not yet visible
 *
 * Context: may sleep.
 * Return: 0, also when nothing was to be done, or -ENOMEM.
 */
int weighted_interleave_build(struct mempolicy *pol)
{
	struct interleave_set *set = detach(pol);

	if (set)
		interleave_set_put(set);
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
	room = own_alloc(pol->own->nr_given);
	return room ?: ERR_PTR(-ENOMEM);
}

/**
 * weighted_interleave_get - account for a copy
 * @pol:  a policy that was just copied, byte by byte, not yet visible
 * @old:  the policy it was copied from, whose nodes and weights cannot change
 * @room: what weighted_interleave_reserve() gave, kept for the copy's weights;
 *        NULL if it has no own ones, or shares them with the other for good
 *
 * Context: any but NMI.
 */
void weighted_interleave_get(struct mempolicy *pol, const struct mempolicy *old,
			     void *room)
{
	struct interleave_own *own = room;
	struct interleave_set *set;
	unsigned long flags;

	if (has_own(old) && !own) {
		refcount_inc(&old->own->refs);
		return;
	}
	/* Somebody may be about to complete the other one. */
	raw_spin_lock_irqsave(&policy_lock, flags);
	set = set_of(old);
	if (set)
		interleave_set_get(set);
	raw_spin_unlock_irqrestore(&policy_lock, flags);
	if (own) {
		memcpy(interleave_bound(own), interleave_bound(old->own),
		       nr_node_ids + own->nr_given);
		pol->own = own;
	}
	RCU_INIT_POINTER(*interleave_slot(pol), set);
}

/**
 * weighted_interleave_put - end the life of a policy
 * @pol: a policy nobody refers to
 *
 * Context: any but NMI.
 */
void weighted_interleave_put(struct mempolicy *pol)
{
	struct interleave_set *set;

	if (has_own(pol) && !refcount_dec_and_test(&pol->own->refs))
		return;
	set = set_of(pol);
	if (has_own(pol))
		kfree(pol->own);
	if (set)
		interleave_set_put(set);
}

/*
 * Not worth the out-of-memory killer in the cgroup of a task that has asked for
 * nothing; see RETRY_AFTER.
 */
#define COMPLETE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* Jiffies after which a task without room tries again */
#define RETRY_AFTER	HZ

/* What a set is found by, read together */
struct wanted_set {
	nodemask_t nodes;
	bool own;
	u8 weights[];
};

/* Returns the set that is there, with a reference, or NULL and what is wanted. */
static struct interleave_set *read_wanted(const struct mempolicy *pol,
					  struct wanted_set *wanted)
{
	struct interleave_set *set;
	unsigned long flags;

	raw_spin_lock_irqsave(&policy_lock, flags);
	set = set_of(pol);
	if (set)
		interleave_set_get(set);
	wanted->nodes = pol->nodes;
	wanted->own = has_own(pol);
	if (wanted->own)
		memcpy(wanted->weights, bound_of(pol), nr_node_ids);
	raw_spin_unlock_irqrestore(&policy_lock, flags);
	return set;
}

/* Unless another task was first, or the policy has other nodes by now */
static void install_set(struct mempolicy *pol, struct interleave_set *set)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&policy_lock, flags);
	if (!set_of(pol) &&
	    interleave_set_is_of(set, &pol->nodes, bound_of(pol))) {
		rcu_assign_pointer(*interleave_slot(pol), set);
		set = NULL;
	}
	raw_spin_unlock_irqrestore(&policy_lock, flags);
	if (set)
		interleave_set_put(set);
}

/**
 * weighted_interleave_complete - give a policy the set or the order that it lacks
 * @pol: a policy that others may see; the caller has a reference
 *
 * Context: may sleep; no lock is needed.
 * Return: 0, also when it has gone to other nodes meanwhile, -ENOMEM, or -EINVAL when
 * it has no nodes.
 */
int weighted_interleave_complete(struct mempolicy *pol)
{
	struct wanted_set *wanted;
	struct interleave_set *set;
	int err = 0;

	wanted = kmalloc(struct_size(wanted, weights, nr_node_ids), COMPLETE_GFP);
	if (!wanted)
		return -ENOMEM;

	set = read_wanted(pol, wanted);
	if (set) {
		err = interleave_set_complete(set, COMPLETE_GFP);
		interleave_set_put(set);
		goto free;
	}
	set = interleave_set_find_or_make(&wanted->nodes,
					  wanted->own ? wanted->weights : NULL,
					  COMPLETE_GFP);
	if (IS_ERR(set))
		err = PTR_ERR(set);
	else
		install_set(pol, set);
free:
	kfree(wanted);
	return err;
}

static void complete_work(struct callback_head *work)
{
	struct mempolicy *pol = READ_ONCE(current->il_incomplete);

	/* Who is about to end is to end soon. */
	if (!(current->flags & PF_EXITING) && !fatal_signal_pending(current)) {
		/* Nothing has to be waited for: a time would be ahead again one day. */
		current->il_retry = 0;
		if (weighted_interleave_complete(pol))
			current->il_retry = (jiffies + RETRY_AFTER) | 1;
	}
	/* From here on there may be another one. */
	smp_store_release(&current->il_incomplete, NULL);
	mpol_put(pol);
}

/*
 * Who puts a policy into task->il_incomplete, which is NULL while there is
 * nothing to be done, has task->il_complete as well. That comes first: what
 * follows may allocate on a debug kernel, and come here.
 */
static void complete_later(struct task_struct *task, struct mempolicy *pol)
{
	if (cmpxchg(&task->il_incomplete, NULL, pol))
		return;
	mpol_get(pol);
	init_task_work(&task->il_complete, complete_work);
	/* It fails for a task that ends. */
	if (task_work_add(task, &task->il_complete, TWA_RESUME)) {
		/* The next one finds il_complete as it is left here. */
		smp_store_release(&task->il_incomplete, NULL);
		mpol_put(pol);
	}
}

/**
 * interleave_complete_later - have current complete a policy
 * @pol: a policy without a set or an order; it stays during the call
 *
 * It does so on its way to user space, one policy each time, and not again
 * within a second when its cgroup had no room.
 *
 * Context: any task, interrupts may be off. Does nothing in a kernel thread.
 */
void interleave_complete_later(const struct mempolicy *pol)
{
	if (current->flags & PF_KTHREAD || READ_ONCE(current->il_incomplete))
		return;
	if (current->il_retry && time_before(jiffies, current->il_retry))
		return;
	complete_later(current, (struct mempolicy *)pol);
}

/**
 * weighted_interleave_complete_task - have a task complete its own policy
 * @task: a task whose nodes have changed, perhaps another one
 *
 * It does so before it runs on in user space; who moves it neither waits nor pays.
 *
 * Context: may sleep, takes task_lock().
 */
void weighted_interleave_complete_task(struct task_struct *task)
{
	struct mempolicy *pol;

	if (task->flags & PF_KTHREAD || !READ_ONCE(task->mempolicy))
		return;
	task_lock(task);
	pol = task->mempolicy;
	if (pol && pol->mode == MPOL_WEIGHTED_INTERLEAVE &&
	    !rcu_access_pointer(*interleave_slot(pol)))
		complete_later(task, pol);
	task_unlock(task);
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
