// SPDX-License-Identifier: GPL-2.0
/*
 * The live sets of nodes and the order in force for each.
 *
 * Policies over the same nodes share one set, those with the same weights of
 * their own another one, so ten thousand mappings cost one
 * order and a new weight is brought to all of them by replacing a few pointers.
 *
 * Locking:
 * - interleave_lock (mutex) is held while weights change and while a set joins
 *   the list, so that every set has an order of the weights in force. A set is
 *   made without it, because that may wait for the memory cgroup of the caller,
 *   and made anew if the weights have changed meanwhile;
 * - sets_lock (raw spinlock, interrupts off) protects changes of the hash and
 *   the list, and the last reference goes away under it. It nests inside
 *   everything: that may be in a cpuset rebind, with interrupts off;
 * - a set is found and set->order is read under rcu_read_lock(); set->order is
 *   written under interleave_lock.
 *
 * A set is freed by whoever drops the last reference, after a grace period.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/once.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "internal.h"
#include "order.h"

/* Fill the order in stretches, so that a long one delays nobody. */
#define STEPS_BEFORE_RESCHED	1024

/* Hold so many sets before interrupts are let in. */
#define SETS_PER_LOCK		64

/* What it protects is said where it is declared. */
DEFINE_MUTEX(interleave_lock);
unsigned long interleave_generation;

/* Protects changes of the hash and the list. */
static DEFINE_RAW_SPINLOCK(sets_lock);
static DEFINE_HASHTABLE(sets_hash, 10);
static LIST_HEAD(sets_list);

/* With a seed, or weights could be chosen that all go to one bucket. */
static u32 key_hash(const nodemask_t *nodes, const u8 *own)
{
	static u32 seed __read_mostly;
	u32 hash;

	get_random_once(&seed, sizeof(seed));
	hash = jhash(nodes_addr(*nodes),
		     BITS_TO_LONGS(nr_node_ids) * sizeof(unsigned long), seed);
	return own ? jhash(own, nr_node_ids, hash) : hash;
}

static struct interleave_order *order_make(const nodemask_t *nodes,
					   const u8 *own, const u8 *weights,
					   gfp_t gfp)
{
	unsigned int nr = 0, nr_nodes = nodes_weight(*nodes);
	struct interleave_share *shares;
	struct interleave_order *order;
	u32 step, round;
	int node;

	if (!nr_nodes)
		return ERR_PTR(-EINVAL);

	shares = kvmalloc_array(nr_nodes, sizeof(*shares), gfp);
	if (!shares)
		return ERR_PTR(-ENOMEM);

	for_each_node_mask(node, *nodes) {
		shares[nr].node = node;
		shares[nr++].weight = interleave_weight_of(own, weights, node);
	}

	round = interleave_reduce(shares, nr);
	order = kvmalloc(struct_size(order, node, round), gfp);
	if (!order) {
		kvfree(shares);
		return ERR_PTR(-ENOMEM);
	}

	order->round = round;
	order->even = round == nr;
	for (step = 1; step <= round; step++) {
		order->node[step - 1] = interleave_next(shares, nr, round, step);
		if (step % STEPS_BEFORE_RESCHED == 0)
			cond_resched();
	}
	kvfree(shares);
	return order;
}

/**
 * interleave_set_is_of - is this the set of these nodes and weights?
 * @set:   the set
 * @nodes: nodes
 * @own:   own weight by node id, 0 outside of @nodes; or NULL
 *
 * Return: true when it is.
 */
bool interleave_set_is_of(const struct interleave_set *set,
			  const nodemask_t *nodes, const u8 *own)
{
	if (!nodes_equal(set->nodes, *nodes))
		return false;
	if (own && !memchr_inv(own, 0, nr_node_ids))
		own = NULL;
	if (!own || !set->own)
		return !own && !set->own;
	return !memcmp(set->own, own, nr_node_ids);
}

static struct interleave_set *set_find(const nodemask_t *nodes, const u8 *own)
{
	struct interleave_set *set, *found = NULL;

	rcu_read_lock();
	hash_for_each_possible_rcu(sets_hash, set, hash, key_hash(nodes, own)) {
		if (interleave_set_is_of(set, nodes, own) &&
		    refcount_inc_not_zero(&set->refs)) {
			found = set;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static struct interleave_set *set_make(const nodemask_t *nodes, const u8 *own,
				       gfp_t gfp)
{
	struct interleave_order *order;
	struct interleave_set *set;

	set = kzalloc(struct_size(set, own_weights, own ? nr_node_ids : 0), gfp);
	if (!set)
		return ERR_PTR(-ENOMEM);

	set->nodes = *nodes;
	if (own)
		set->own = memcpy(set->own_weights, own, nr_node_ids);
	refcount_set(&set->refs, 1);
	order = order_make(&set->nodes, set->own, interleave_weights, gfp);
	if (IS_ERR(order)) {
		kfree(set);
		return ERR_CAST(order);
	}
	RCU_INIT_POINTER(set->order, order);
	return set;
}

/* For a set that nobody else has seen. */
static void set_free(struct interleave_set *set)
{
	kvfree(rcu_dereference_protected(set->order, true));
	kfree(set);
}

static void set_join(struct interleave_set *set)
{
	u32 hash = key_hash(&set->nodes, set->own);

	raw_spin_lock_irq(&sets_lock);
	hash_add_rcu(sets_hash, &set->hash, hash);
	list_add(&set->list, &sets_list);
	raw_spin_unlock_irq(&sets_lock);
}

/**
 * interleave_set_find_or_make - the set of a mask, with a reference
 * @nodes: the nodes, not empty; stable during the call
 * @own:   own weight by node id, 0 for nodes that follow the global weight and
 *         outside of @nodes, stable during the call; NULL when all follow
 * @gfp:   how a new set and its first order are allocated, and whether they are
 *         charged
 *
 * Context: may sleep, takes interleave_lock.
 * Return: the set, or ERR_PTR(-ENOMEM), or ERR_PTR(-EINVAL) for an empty mask.
 */
struct interleave_set *interleave_set_find_or_make(const nodemask_t *nodes,
						   const u8 *own, gfp_t gfp)
{
	struct interleave_set *set, *found;
	unsigned long generation;

	if (own && !memchr_inv(own, 0, nr_node_ids))
		own = NULL;

	for (;;) {
		found = set_find(nodes, own);
		if (found)
			return found;

		/* Read before the weights, as it is written after them. */
		generation = smp_load_acquire(&interleave_generation);
		set = set_make(nodes, own, gfp);
		if (IS_ERR(set))
			return set;

		mutex_lock(&interleave_lock);
		found = set_find(nodes, own);
		if (!found && generation == interleave_generation) {
			set_join(set);
			found = set;
		}
		mutex_unlock(&interleave_lock);
		if (found != set)
			set_free(set);
		if (found)
			return found;
	}
}

/**
 * interleave_set_get - take one more reference
 * @set: a set the caller has, or keeps from going away
 *
 * Context: any.
 */
void interleave_set_get(struct interleave_set *set)
{
	refcount_inc(&set->refs);
}

/**
 * interleave_set_put - drop a reference
 * @set: the set; the caller no longer points to it
 *
 * Neither sleeps nor allocates: the caller may be in a cpuset rebind, with
 * interrupts off and in the middle of a write of mems_allowed_seq.
 *
 * Context: any but NMI.
 */
void interleave_set_put(struct interleave_set *set)
{
	struct interleave_order *order;
	unsigned long flags;
	bool last;

	if (refcount_dec_not_one(&set->refs))
		return;

	/* Under the lock, so that what is in the list has references. */
	raw_spin_lock_irqsave(&sets_lock, flags);
	last = refcount_dec_and_test(&set->refs);
	if (last) {
		hash_del_rcu(&set->hash);
		list_del(&set->list);
	}
	raw_spin_unlock_irqrestore(&sets_lock, flags);
	if (!last)
		return;

	order = rcu_dereference_protected(set->order, true);
	kvfree_rcu(order, rcu);
	kfree_rcu(set, rcu);
}

/*
 * Hold all sets. None joins meanwhile, and one that is held stays in the list,
 * so the walk can go on from there when the lock was dropped.
 */
static void sets_hold(void)
{
	struct interleave_set *set;
	unsigned int nr = 0;

	raw_spin_lock_irq(&sets_lock);
	list_for_each_entry(set, &sets_list, list) {
		refcount_inc(&set->refs);
		if (++nr % SETS_PER_LOCK == 0) {
			raw_spin_unlock_irq(&sets_lock);
			cond_resched();
			raw_spin_lock_irq(&sets_lock);
		}
	}
	raw_spin_unlock_irq(&sets_lock);
}

static bool set_is_touched(const struct interleave_set *set, const u8 *weights)
{
	int node;

	for_each_node_mask(node, set->nodes)
		if (weights[node] != interleave_weights[node] &&
		    !(set->own && set->own[node]))
			return true;
	return false;
}

/**
 * interleave_sets_stage - prepare all live sets for other weights
 * @weights: weight by node id, nr_node_ids of them, each 1..255
 *
 * Nothing changes for allocations yet. On success interleave_sets_publish()
 * must follow; on failure nothing is left behind.
 *
 * There may be very many sets, so the caller can be killed meanwhile. Nobody
 * else is, for want of memory: then the old weights are the better ones.
 *
 * Context: may sleep, interleave_lock held.
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int interleave_sets_stage(const u8 *weights)
{
	struct interleave_set *set, *next;
	int err = 0;

	lockdep_assert_held(&interleave_lock);

	sets_hold();
	list_for_each_entry(set, &sets_list, list) {
		struct interleave_order *order;

		cond_resched();
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
		if (!set_is_touched(set, weights))
			continue;
		order = order_make(&set->nodes, set->own, weights, STAGE_GFP);
		if (IS_ERR(order)) {
			err = PTR_ERR(order);
			break;
		}
		set->staged = order;
	}
	if (!err)
		return 0;

	list_for_each_entry_safe(set, next, &sets_list, list) {
		kvfree(set->staged);
		set->staged = NULL;
		interleave_set_put(set);
		cond_resched();
	}
	return err;
}

/**
 * interleave_sets_publish - put the staged orders in force
 *
 * The next page of every policy is placed by them.
 *
 * Context: process context, interleave_lock held since the successful
 * interleave_sets_stage().
 */
void interleave_sets_publish(void)
{
	struct interleave_set *set, *next;

	lockdep_assert_held(&interleave_lock);

	list_for_each_entry_safe(set, next, &sets_list, list) {
		struct interleave_order *old;

		if (set->staged) {
			old = rcu_replace_pointer(set->order, set->staged, true);
			set->staged = NULL;
			kvfree_rcu(old, rcu);
		}
		interleave_set_put(set);
		cond_resched();
	}
}
