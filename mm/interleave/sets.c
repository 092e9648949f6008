// SPDX-License-Identifier: GPL-2.0
/*
 * The live sets of nodes and the order in force for each.
 *
 * Policies of one memory cgroup over the same nodes share a set, those with the
 * same weights of their own another one, so ten thousand mappings cost one
 * order. Each cgroup has sets of its own and pays for all that they hold, also
 * when somebody else writes a weight: what has no room there is not had.
 *
 * Locking:
 * - the lock of a bucket (raw spinlock, interrupts off) protects its tree, and
 *   set->order of its sets against other writers; the last reference goes away
 *   under it. It nests inside everything: that may be in a cpuset rebind;
 * - set->order is read under rcu_read_lock();
 * - nothing is computed or allocated under a lock that others wait for. Who has
 *   computed an order publishes it if no weight was written meanwhile, or begins
 *   anew; who writes weights brings them to all sets that he finds afterwards.
 *
 * A set is freed by whoever drops the last reference, after a grace period.
 */
#include <linux/bitmap.h>
#include <linux/init.h>
#include <linux/jhash.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/once.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "internal.h"
#include "order.h"

/*
 * Each page of a round takes a look at each node: an order is filled in stretches
 * of so many looks, so that a long one delays nobody.
 */
#define LOOKS_BEFORE_RESCHED	512

/* Old orders that a writer of weights keeps until their readers have gone */
#define BYTES_PER_GRACE_PERIOD	SZ_256K

/* A new weight is not worth the out-of-memory killer, in nobody's cgroup. */
#define RENEW_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/*
 * Nor is one that the kernel derives worth reclaim in a cgroup that is over its
 * memory.high: the one worker would sleep there, set by set, before all others.
 */
#define DERIVED_GFP	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/* Four of them on a cache line, which is as good as fewer with one each. */
#define BUCKET_BITS	10

struct bucket {
	raw_spinlock_t lock;
	struct rb_root sets;
};

static struct bucket buckets[1 << BUCKET_BITS];

/* What orders are made from; weights.c writes both. */
u8 interleave_weights[MAX_NUMNODES] = {
	[0 ... MAX_NUMNODES - 1] = INTERLEAVE_DEFAULT_WEIGHT,
};

unsigned long interleave_generation;

/* What a set is found by */
struct set_key {
	const unsigned long *nodes;
	const u8 *own;
	struct mem_cgroup *memcg;
	unsigned int nr_ids;
	u32 hash;
};

/* Of a mask with nodes */
static unsigned int ids_of(const nodemask_t *nodes)
{
	return find_last_bit(nodes_addr(*nodes), MAX_NUMNODES) + 1;
}

static size_t mask_bytes(unsigned int nr_ids)
{
	return BITS_TO_LONGS(nr_ids) * sizeof(unsigned long);
}

/* With a seed, or weights could be chosen that all go to one bucket. */
static u32 key_hash(const struct set_key *key)
{
	static u32 seed __read_mostly;
	u32 hash;

	get_random_once(&seed, sizeof(seed));
	hash = jhash(key->nodes, mask_bytes(key->nr_ids), seed);
	hash = jhash(&key->memcg, sizeof(key->memcg), hash);
	return key->own ? jhash(key->own, key->nr_ids, hash) : hash;
}

static struct bucket *bucket_of(u32 hash)
{
	return &buckets[hash >> (32 - BUCKET_BITS)];
}

/* Of a key and a set with the same hash */
static noinline int compare_rest(const struct set_key *key, const struct interleave_set *set)
{
	int differ;

	if (key->memcg != set->memcg)
		return key->memcg < set->memcg ? -1 : 1;
	if (key->nr_ids != set->nr_ids)
		return key->nr_ids < set->nr_ids ? -1 : 1;
	differ = memcmp(key->nodes, set->nodes, mask_bytes(key->nr_ids));
	if (differ || (!key->own && !set->own))
		return differ;
	if (!key->own || !set->own)
		return key->own ? 1 : -1;
	return memcmp(key->own, set->own, key->nr_ids);
}

/*
 * Inlined into the way down a tree, at most of whose sets the hash decides: what
 * others have made is to cost next to nothing.
 */
static __always_inline int compare(const void *a, const struct rb_node *node)
{
	const struct interleave_set *set = rb_entry(node, struct interleave_set, tree);
	const struct set_key *key = a;

	if (key->hash != set->hash)
		return key->hash < set->hash ? -1 : 1;
	return compare_rest(key, set);
}

static __always_inline int compare_sets(struct rb_node *node, const struct rb_node *other)
{
	const struct interleave_set *set = rb_entry(node, struct interleave_set, tree);
	struct set_key key = {
		.nodes = set->nodes,
		.own = set->own,
		.memcg = set->memcg,
		.nr_ids = set->nr_ids,
		.hash = set->hash,
	};

	return compare(&key, other);
}

/* NULL when there is no memory. */
static struct interleave_order *order_make(const struct interleave_set *set, gfp_t gfp)
{
	unsigned int nr = 0, nr_nodes = bitmap_weight(set->nodes, set->nr_ids);
	struct interleave_order *order = NULL;
	struct interleave_share *shares;
	u32 step, round, looks = 0;
	unsigned int node;
	u16 stride;

	shares = kvmalloc_array(nr_nodes, sizeof(*shares), gfp);
	if (!shares)
		return NULL;

	for_each_set_bit(node, set->nodes, set->nr_ids) {
		shares[nr].node = node;
		shares[nr++].weight = interleave_weight_of(set->own, interleave_weights, node);
	}

	round = interleave_reduce(shares, nr);
	stride = interleave_stride(shares, nr, round);
	order = kvmalloc(interleave_order_size(round, stride), gfp);
	if (!order)
		goto free;

	order->round = round;
	order->stride = stride;
	order->even = round == nr;
	for (step = 1; step <= round; step++) {
		interleave_step(order, shares, nr, step);
		looks += nr;
		if (looks >= LOOKS_BEFORE_RESCHED) {
			looks = 0;
			cond_resched();
		}
	}
free:
	kvfree(shares);
	return order;
}

/* The order of a set, at the expense of its cgroup */
static struct interleave_order *order_of_set(const struct interleave_set *set,
					     gfp_t gfp)
{
	struct mem_cgroup *old = set_active_memcg(set->memcg);
	struct interleave_order *order = order_make(set, gfp);

	set_active_memcg(old);
	return order;
}

/**
 * interleave_set_is_of - is this the set of these nodes and weights?
 * @set:   the set
 * @nodes: nodes
 * @own:   own weight by node id, 0 outside of @nodes; or NULL
 *
 * Return: true when it is, whichever cgroup it belongs to.
 */
bool interleave_set_is_of(const struct interleave_set *set,
			  const nodemask_t *nodes, const u8 *own)
{
	if (ids_of(nodes) != set->nr_ids ||
	    !bitmap_equal(set->nodes, nodes_addr(*nodes), set->nr_ids))
		return false;
	if (own && !memchr_inv(own, 0, set->nr_ids))
		own = NULL;
	if (!own || !set->own)
		return !own && !set->own;
	return !memcmp(set->own, own, set->nr_ids);
}

static struct interleave_set *set_find(const struct set_key *key)
{
	struct bucket *bucket = bucket_of(key->hash);
	struct interleave_set *set = NULL;
	struct rb_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	node = rb_find(key, &bucket->sets, compare);
	if (node) {
		set = rb_entry(node, struct interleave_set, tree);
		refcount_inc(&set->refs);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return set;
}

/* One more reference to a cgroup of which the caller has one */
static void memcg_get(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	if (memcg)
		css_get(&memcg->css);
#endif
}

/* A set without an order that nobody else has seen, or NULL */
static struct interleave_set *set_make(const struct set_key *key, gfp_t gfp)
{
	struct mem_cgroup *old = set_active_memcg(key->memcg);
	size_t own_at = BITS_TO_LONGS(key->nr_ids);
	struct interleave_set *set;
	size_t size = offsetof(struct interleave_set, nodes) + mask_bytes(key->nr_ids) +
		      (key->own ? key->nr_ids : 0);

	/* No smaller than its type: a neighbour's order would be on the line of its refs. */
	set = kzalloc(max(size, sizeof(*set)), gfp);
	set_active_memcg(old);
	if (!set)
		return NULL;

	set->nr_ids = key->nr_ids;
	memcpy(set->nodes, key->nodes, mask_bytes(key->nr_ids));
	if (key->own)
		set->own = memcpy(set->nodes + own_at, key->own, key->nr_ids);
	refcount_set(&set->refs, 1);
	set->hash = key->hash;
	set->memcg = key->memcg;
	memcg_get(set->memcg);
	return set;
}

/* For a set that is in no tree. Readers may still look. */
static void set_free(struct interleave_set *set)
{
	struct interleave_order *order = rcu_dereference_protected(set->order,
								   !refcount_read(&set->refs));

	if (order)
		kvfree_rcu(order, rcu);
	mem_cgroup_put(set->memcg);
	kfree_rcu(set, rcu);
}

/*
 * Let others find the set, if it has the weights in force. Returns the one that
 * others find, with a reference, or NULL.
 */
static struct interleave_set *set_join(struct interleave_set *set,
				       unsigned long generation)
{
	struct bucket *bucket = bucket_of(set->hash);
	struct interleave_set *found = NULL;
	struct rb_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	if (generation == READ_ONCE(interleave_generation)) {
		node = rb_find_add(&set->tree, &bucket->sets, compare_sets);
		found = node ? rb_entry(node, struct interleave_set, tree) : set;
		if (node)
			refcount_inc(&found->refs);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return found;
}

static struct interleave_set *find_or_make(const struct set_key *key, gfp_t gfp)
{
	struct interleave_set *set, *found;
	struct interleave_order *order;
	unsigned long generation;

	for (;;) {
		found = set_find(key);
		if (found)
			return found;

		set = set_make(key, gfp);
		if (!set)
			return ERR_PTR(-ENOMEM);
		/* Read before the weights, as it is written after them. */
		generation = smp_load_acquire(&interleave_generation);
		order = order_of_set(set, gfp);
		RCU_INIT_POINTER(set->order, order);
		if (order)
			found = set_join(set, generation);
		if (found == set)
			return set;
		refcount_set(&set->refs, 0);
		set_free(set);
		if (found)
			return found;
		if (!order)
			return ERR_PTR(-ENOMEM);
	}
}

/**
 * interleave_set_find_or_make - the set of a mask, with a reference
 * @nodes: the nodes; stable during the call
 * @own:   own weight by node id, 0 for nodes that follow the global weight and
 *         outside of @nodes, stable during the call; NULL when all follow
 * @gfp:   how a new set and its first order are allocated, __GFP_ACCOUNT and all
 *
 * The set is that of current's memory cgroup, or of the one for which it allocates:
 * that pays for it.
 *
 * Context: may sleep. No lock is taken that is held for long.
 * Return: the set, or ERR_PTR(-ENOMEM), or ERR_PTR(-EINVAL) for an empty mask.
 */
struct interleave_set *interleave_set_find_or_make(const nodemask_t *nodes,
						   const u8 *own, gfp_t gfp)
{
	struct set_key key = { .nodes = nodes_addr(*nodes) };
	struct interleave_set *set;

	if (nodes_empty(*nodes))
		return ERR_PTR(-EINVAL);
	key.nr_ids = ids_of(nodes);
	if (own && memchr_inv(own, 0, key.nr_ids))
		key.own = own;
	key.memcg = get_mem_cgroup_from_mm(NULL);
	key.hash = key_hash(&key);
	set = find_or_make(&key, gfp);
	mem_cgroup_put(key.memcg);
	return set;
}

/* Returns the order that was there before. */
static struct interleave_order *order_replace(struct interleave_set *set,
					      struct interleave_order *order)
{
	struct bucket *bucket = bucket_of(set->hash);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	order = rcu_replace_pointer(set->order, order,
				    lockdep_is_held(&bucket->lock));
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return order;
}

/* Unless a weight was written since @generation. Returns what is left to free. */
static struct interleave_order *order_publish(struct interleave_set *set,
					      struct interleave_order *order,
					      unsigned long generation)
{
	struct bucket *bucket = bucket_of(set->hash);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	if (generation == READ_ONCE(interleave_generation) &&
	    !rcu_access_pointer(set->order)) {
		rcu_assign_pointer(set->order, order);
		order = NULL;
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return order;
}

/**
 * interleave_set_complete - give a set the order that it has lost
 * @set: a set that the caller has
 * @gfp: how the order is allocated; the cgroup of @set pays
 *
 * Context: may sleep.
 * Return: 0 when it has one now, or -ENOMEM.
 */
int interleave_set_complete(struct interleave_set *set, gfp_t gfp)
{
	while (!rcu_access_pointer(set->order)) {
		struct interleave_order *order;
		unsigned long generation;

		/* Read before the weights, as it is written after them. */
		generation = smp_load_acquire(&interleave_generation);
		order = order_of_set(set, gfp);
		if (!order)
			return -ENOMEM;
		kvfree(order_publish(set, order, generation));
	}
	return 0;
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
	struct bucket *bucket = bucket_of(set->hash);
	unsigned long flags;
	bool last;

	if (refcount_dec_not_one(&set->refs))
		return;

	/* Under the lock, so that what is in the tree has references. */
	raw_spin_lock_irqsave(&bucket->lock, flags);
	last = refcount_dec_and_test(&set->refs);
	if (last)
		rb_erase(&set->tree, &bucket->sets);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	if (last)
		set_free(set);
}

/*
 * The set behind @set, or the first one, with a reference; that of @set goes.
 * One that is held stays in the tree, whatever joins or goes meanwhile.
 */
static struct interleave_set *set_next(struct bucket *bucket,
				       struct interleave_set *set)
{
	struct interleave_set *next = NULL;
	struct rb_node *node;

	raw_spin_lock_irq(&bucket->lock);
	node = set ? rb_next(&set->tree) : rb_first(&bucket->sets);
	if (node) {
		next = rb_entry(node, struct interleave_set, tree);
		refcount_inc(&next->refs);
	}
	raw_spin_unlock_irq(&bucket->lock);
	if (set)
		interleave_set_put(set);
	return next;
}

/* Do global weights of these nodes matter to the set? */
static bool set_follows(const struct interleave_set *set,
			const nodemask_t *changed)
{
	unsigned int node;

	for_each_set_bit(node, set->nodes, set->nr_ids)
		if (node_isset(node, *changed) && !(set->own && set->own[node]))
			return true;
	return false;
}

/* Orders that have been replaced, for which readers may still be waited for */
struct stale {
	struct interleave_order *first;
	size_t bytes;
};

/* Who is being killed makes no new orders, and does not wait for the old ones. */
static void free_stale(struct stale *stale)
{
	bool wait = !fatal_signal_pending(current);
	struct interleave_order *order, *next;

	if (stale->first && wait)
		synchronize_rcu();
	for (order = stale->first; order; order = next) {
		next = order->stale;
		if (wait)
			kvfree(order);
		else
			kvfree_rcu(order, rcu);
		cond_resched();
	}
	*stale = (struct stale) {};
}

static void add_stale(struct stale *stale, struct interleave_order *order)
{
	stale->bytes += interleave_order_size(order->round, order->stride);
	order->stale = stale->first;
	stale->first = order;
	if (stale->bytes >= BYTES_PER_GRACE_PERIOD)
		free_stale(stale);
}

static void set_renew(struct interleave_set *set, struct stale *stale)
{
	struct interleave_order *order = NULL;

	/* Who is being killed leaves the work to those whose sets they are. */
	if (!fatal_signal_pending(current))
		order = order_of_set(set, current->flags & PF_KTHREAD ?
				     DERIVED_GFP : RENEW_GFP);
	order = order_replace(set, order);
	if (order)
		add_stale(stale, order);
}

/**
 * interleave_sets_renew - bring new weights to all live sets
 * @changed: nodes whose weights in interleave_weights have changed
 *
 * One set after the other, so that never more than a few have two orders. A set
 * for which its cgroup has no memory loses its order: its pages go in run order
 * by the new weights, until a task that uses it has room again.
 *
 * Context: may sleep; one at a time. interleave_generation has been counted up
 * after the weights changed.
 */
void interleave_sets_renew(const nodemask_t *changed)
{
	struct interleave_set *set;
	struct stale stale = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buckets); i++) {
		set = NULL;
		while ((set = set_next(&buckets[i], set))) {
			if (set_follows(set, changed))
				set_renew(set, &stale);
			cond_resched();
		}
		/* Most buckets may be empty. */
		cond_resched();
	}
	free_stale(&stale);
}

static int __init sets_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buckets); i++)
		raw_spin_lock_init(&buckets[i].lock);
	return 0;
}
core_initcall(sets_init);
