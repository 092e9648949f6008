/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The life of an order, as in mm/interleave: what sets.c, policy.c, weights.c and place.c do
 * with sets and orders. Each statement is a step after which any other process may come, but
 * for those in d_step or atomic, which nobody sees in between, or which are RCU's own. Each
 * allocation may fail. Checked over all interleavings of the processes of a RUN:
 *
 * - no set or order is freed to which somebody can still come, and none is left;
 * - a reader has an answer, by weights no older than those in force when it began;
 * - in the end a set that others find has the newest weights, or no order;
 * - who completes or copies a policy, and the end, find it with the set of its nodes, or none.
 *
 * Steps are seen by all at once, in their order: what barriers are for is not checked. All
 * sets are in one bucket, and one weight stands for all. Left out: weights of a policy's own,
 * sets that do not follow the weight, several weights that change together, a rebind to the
 * same nodes, who is killed while he writes a weight, memory cgroups, and how a task comes to
 * complete a policy. Who uses one has a reference, as task_lock() or mmap_lock is as good as
 * that.
 *
 * What runs beside the one who makes the first policy, completes it up to twice and drops it;
 * somebody else may keep it to the end:
 * RUN 1: who makes another one of the same nodes, and who writes a weight
 * RUN 2: a reader, and who writes two weights
 * RUN 3: a reader, and who rebinds it, perhaps there and back
 * RUN 4: who writes two weights, and who rebinds it
 * RUN 5: who makes another one of the same nodes, and who rebinds the first
 * RUN 6: who copies it, and who writes two weights
 * RUN 7: who completes it as well, and who rebinds it
 * RUN 8: who completes it as well, and who writes two weights
 * RUN 9: who copies it, and who rebinds it
 * RUN 10: a reader, and who writes a weight while somebody has a policy of other nodes
 * In RUNs 2, 3, 6, 8 and 10 it may lack its set from the beginning, as after a rebind before
 * the others came.
 *
 * Mistakes, each of which has to be found:
 * FAULT 1 in RUN 2: the last reference goes outside of the bucket's lock
 * FAULT 2 in RUN 2: a new set is found whatever was written since its weights were read
 * FAULT 3 in RUN 8: so is an order of a set that had none
 * FAULT 4 in RUN 2: the generation is counted up before the weight is there
 * FAULT 5 in RUN 2: an order that was replaced is freed while readers look at it
 * FAULT 6 in RUN 3: a set is freed while readers look at it
 * FAULT 7 in RUN 7: a rebind drops its set before the policy has lost it
 * FAULT 8 in RUN 4: who writes weights goes from set to set without references
 * FAULT 9 in RUN 8: who makes an order reads the generation after the weights
 * FAULT 10 in RUN 7: a policy that has a set by now gets another one
 * FAULT 11 in RUN 5: a policy that has other nodes by now gets the set of the old ones
 * FAULT 12 in RUN 9: who copies a policy does not hold what keeps its nodes
 * FAULT 13 in RUN 10: one of two orders that wait together goes without a wait
 */
#ifndef FAULT
#define FAULT	0
#endif
#ifndef RUN
#define RUN	1
#endif

#define NONE	15
#define SETS	5
#define ORDERS	6
#define WRITES	(2 - (RUN == 1 || RUN == 10))

/* nodes_lock: the task_lock() or mmap_lock without which the nodes of a policy do not change */
bool bucket_lock, policy_lock, nodes_lock;

/* Sets; tree has those that are found, by their nodes, of which there are two kinds */
bool set_used[SETS];
byte refs[SETS], order[SETS], key[SETS], set_waits[SETS], tree[2];

/* Orders, and the weight that each was made from */
bool order_used[ORDERS];
byte made_from[ORDERS], order_waits[ORDERS];

/* The weight only grows: what is older is less */
byte weight, generation, in_force;

/* Two policies; who has a reference may use one that is visible */
bool visible[2];
byte slot[2], nodes[2], policy_refs[2];

/* A bit for each reader under rcu_read_lock(), and what it looks at */
byte inside, waited_for, held_set[2], held_order[2];

byte running, i;
bool kept;

inline lock(which)
{
	atomic { !which -> which = true }
}

inline unlock(which)
{
	which = false
}

inline free_order(dead_order)
{
	assert(order_used[dead_order] && held_order[0] != dead_order && held_order[1] != dead_order);
	for (i : 0 .. SETS - 1) {
		assert(!set_used[i] || set_waits[i] || order[i] != dead_order)
	}
	order_used[dead_order] = false;
	made_from[dead_order] = NONE;
	order_waits[dead_order] = 0;
	i = 0
}

inline free_set(dead_set)
{
	assert(set_used[dead_set] && held_set[0] != dead_set && held_set[1] != dead_set);
	assert(slot[0] != dead_set && slot[1] != dead_set && tree[0] != dead_set && tree[1] != dead_set);
	set_used[dead_set] = false;
	order[dead_set] = NONE;
	key[dead_set] = 0;
	set_waits[dead_set] = 0
}

/* set_free(): both go when the readers have gone that are there now */
inline set_free(leaving_set)
{
	d_step {
		assert(set_used[leaving_set] && !refs[leaving_set] && !set_waits[leaving_set]);
		assert(slot[0] != leaving_set && slot[1] != leaving_set);
		assert(tree[0] != leaving_set && tree[1] != leaving_set);
		scratch = order[leaving_set];
		if
		:: scratch != NONE && inside -> order_waits[scratch] = inside
		:: scratch != NONE && !inside -> order[leaving_set] = NONE; free_order(scratch)
		:: else -> skip
		fi;
#if FAULT == 6
		free_set(leaving_set);
#else
		if
		:: inside -> set_waits[leaving_set] = inside
		:: else -> free_set(leaving_set)
		fi;
#endif
		scratch = 0
	}
}

/* Of the one who writes weights, with synchronize_rcu() and what it waits with */
inline free_stale()
{
#if FAULT == 13
	d_step {
		for (i : 0 .. ORDERS - 1) {
			if
			:: stale & (1 << i) && stale != (1 << i) -> dead = i
			:: else -> skip
			fi
		}
		i = 0
	}
	if
	:: dead != NONE -> d_step { stale = stale & ~(1 << dead); free_order(dead); i = 0; dead = NONE }
	:: else -> skip
	fi;
#endif
#if FAULT != 5
	waited_for = inside;
	!waited_for;
#endif
	d_step {
		for (dead : 0 .. ORDERS - 1) {
			if
			:: stale & (1 << dead) -> free_order(dead)
			:: else -> skip
			fi
		}
		stale = 0;
		i = 0;
		dead = NONE
	}
}

inline read_unlock(who)
{
	d_step {
		held_set[who] = NONE;
		held_order[who] = NONE;
		inside = inside & ~(1 << who);
		waited_for = waited_for & ~(1 << who);
		for (j : 0 .. ORDERS - 1) {
			if
			:: order_waits[j] & (1 << who) ->
				order_waits[j] = order_waits[j] & ~(1 << who);
				if
				:: !order_waits[j] -> free_order(j)
				:: else -> skip
				fi
			:: else -> skip
			fi
		}
		for (j : 0 .. SETS - 1) {
			if
			:: set_waits[j] & (1 << who) ->
				set_waits[j] = set_waits[j] & ~(1 << who);
				if
				:: !set_waits[j] -> free_set(j)
				:: else -> skip
				fi
			:: else -> skip
			fi
		}
		i = 0;
		j = 0
	}
}

/* refcount_inc() */
inline get(got)
{
	d_step { assert(set_used[got] && refs[got]); refs[got]++ }
}

/* interleave_set_put() */
inline put(dropped_set)
{
	last = false;
	if
#if FAULT == 1
	:: d_step { assert(refs[dropped_set]); refs[dropped_set]--; last = !refs[dropped_set] };
		if
		:: last ->
			lock(bucket_lock);
			d_step { assert(tree[key[dropped_set]] == dropped_set); tree[key[dropped_set]] = NONE };
			unlock(bucket_lock)
		:: else -> skip
		fi
#else
	:: d_step { refs[dropped_set] > 1 -> assert(set_used[dropped_set]); refs[dropped_set]-- }
	:: d_step { refs[dropped_set] <= 1 -> skip };
		lock(bucket_lock);
		d_step {
			assert(set_used[dropped_set] && refs[dropped_set]);
			refs[dropped_set]--;
			last = !refs[dropped_set]
		};
		if
		:: last -> d_step { assert(tree[key[dropped_set]] == dropped_set); tree[key[dropped_set]] = NONE }
		:: else -> skip
		fi;
		unlock(bucket_lock)
#endif
	fi;
	if
	:: last -> set_free(dropped_set)
	:: else -> skip
	fi;
	last = false
}

/* order_make(), with the generation that was there first */
inline order_of_set(new_order)
{
#if FAULT == 9
	now = weight;
	seen = generation;
#else
	seen = generation;
	now = weight;
#endif
	if
	:: new_order = NONE
	:: atomic {
		new_order = 0;
		do
		:: new_order < ORDERS && order_used[new_order] -> new_order++
		:: else -> break
		od;
		assert(new_order < ORDERS);
		order_used[new_order] = true;
		made_from[new_order] = now
	   }
	fi;
	now = 0
}

/* find_or_make() */
inline find_or_make(nodes_wanted)
{
	do
	:: lock(bucket_lock);
		set = tree[nodes_wanted];
		if
		:: set != NONE -> get(set)
		:: else -> skip
		fi;
		unlock(bucket_lock);
		if
		:: set != NONE -> break
		:: set == NONE -> break		/* no memory */
		:: set == NONE -> skip
		fi;
		atomic {
			fresh = 0;
			do
			:: fresh < SETS && set_used[fresh] -> fresh++
			:: else -> break
			od;
			assert(fresh < SETS);
			set_used[fresh] = true;
			refs[fresh] = 1;
			key[fresh] = nodes_wanted
		}
		order_of_set(made);
		order[fresh] = made;
		if
		:: made != NONE ->
			lock(bucket_lock);
			if
			:: (seen == generation || FAULT == 2) && tree[nodes_wanted] == NONE ->
				tree[nodes_wanted] = fresh;
				set = fresh
			:: (seen == generation || FAULT == 2) && tree[nodes_wanted] != NONE ->
				set = tree[nodes_wanted];
				get(set)
			:: else -> skip
			fi;
			unlock(bucket_lock)
		:: else -> skip
		fi;
		if
		:: set == fresh -> break
		:: else -> skip
		fi;
		refs[fresh] = 0;
		set_free(fresh);
		if
		:: set != NONE || made == NONE -> break
		:: else -> skip
		fi
	od;
	skip;
	d_step { fresh = NONE; made = NONE; seen = 0 }
}

/* interleave_set_complete() */
inline complete_set(lacking)
{
	do
	:: order[lacking] != NONE -> break
	:: else -> assert(set_used[lacking] && refs[lacking]);
		order_of_set(made);
		if
		:: made == NONE -> break
		:: else -> skip
		fi;
		lock(bucket_lock);
		if
		:: (seen == generation || FAULT == 3) && order[lacking] == NONE ->
			order[lacking] = made;
			made = NONE
		:: else -> skip
		fi;
		unlock(bucket_lock);
		if
		:: made != NONE -> d_step { free_order(made); i = 0; made = NONE }
		:: else -> skip
		fi
	od;
	skip;
	d_step { made = NONE; seen = 0 }
}

/* weighted_interleave_complete() */
inline complete(policy)
{
	lock(policy_lock);
	set = slot[policy];
	if
	:: set != NONE -> get(set)
	:: else -> skip
	fi;
	wanted = nodes[policy];
	unlock(policy_lock);
	if
	:: set != NONE ->
		complete_set(set)
	:: else ->
		find_or_make(wanted);
		if
		:: set != NONE ->
			lock(policy_lock);
			if
			:: (slot[policy] == NONE || FAULT == 10) &&
			   (key[set] == nodes[policy] || FAULT == 11) ->
				slot[policy] = set;
				set = NONE
			:: else -> skip
			fi;
			assert(slot[policy] == NONE || key[slot[policy]] == nodes[policy]);
			unlock(policy_lock)
		:: else -> skip
		fi
	fi;
	if
	:: set != NONE -> put(set)
	:: else -> skip
	fi;
	d_step { set = NONE; wanted = 0 }
}

/* mpol_put(), with weighted_interleave_put() */
inline policy_put(dropped)
{
	d_step { assert(policy_refs[dropped]); policy_refs[dropped]--; last = !policy_refs[dropped] };
	if
	:: last ->
		visible[dropped] = false;
		set = slot[dropped];
		slot[dropped] = NONE;
		if
		:: set != NONE -> put(set)
		:: else -> skip
		fi;
		set = NONE
	:: else -> skip
	fi;
	last = false
}

/* Makes a policy, perhaps completes it, and drops it */
proctype owner(byte p)
{
	byte set = NONE, fresh = NONE, made = NONE, seen, now, wanted, scratch, times;
	bool last;

	find_or_make(nodes[p]);
	if
	:: set != NONE ->
		if
		:: slot[p] = set
#if RUN == 2 || RUN == 3 || RUN == 6 || RUN == 8 || RUN == 10
		:: put(set)
#endif
		fi;
		set = NONE;
		d_step { visible[p] = true; policy_refs[p] = policy_refs[p] + 1 };
		for (times : 1 .. 2) {
			if
			:: complete(p)
			:: skip
			fi
		}
		policy_put(p)
	:: else -> skip
	fi;
	running--
}

/* Another task that uses the policy and finds it incomplete */
proctype completer(byte p)
{
	byte set = NONE, fresh = NONE, made = NONE, seen, now, wanted, scratch;
	bool last;

	if
	:: d_step { visible[p] && policy_refs[p] -> policy_refs[p]++ };
		complete(p);
		policy_put(p)
	:: skip
	fi;
	running--
}

/* mpol_dup(), with weighted_interleave_get() */
proctype copier(byte p)
{
	byte set = NONE, scratch;
	bool last;

	if
	:: d_step { visible[p] && policy_refs[p] -> policy_refs[p]++ };
#if FAULT != 12
		lock(nodes_lock);
#endif
		nodes[1 - p] = nodes[p];
		lock(policy_lock);
		set = slot[p];
		if
		:: set != NONE -> get(set)
		:: else -> skip
		fi;
		unlock(policy_lock);
#if FAULT != 12
		unlock(nodes_lock);
#endif
		d_step {
			slot[1 - p] = set;
			policy_refs[1 - p] = 1;
			visible[1 - p] = true
		};
		assert(set == NONE || key[set] == nodes[1 - p]);
		set = NONE;
		policy_put(p);
		policy_put(1 - p)
	:: skip
	fi;
	running--
}

/* weighted_interleave_rebind(), there and perhaps back */
proctype rebinder(byte p)
{
	byte set = NONE, scratch, times;
	bool last;

	if
	:: d_step { visible[p] && policy_refs[p] -> policy_refs[p]++ };
		for (times : 1 .. 2) {
			lock(nodes_lock);
			lock(policy_lock);
			nodes[p] = 1 - nodes[p];
			set = slot[p];
#if FAULT != 7
			slot[p] = NONE;
#endif
			unlock(policy_lock);
			if
			:: set != NONE -> put(set)
			:: else -> skip
			fi;
#if FAULT == 7
			slot[p] = NONE;
#endif
			unlock(nodes_lock);
			set = NONE;
			if
			:: break
			:: skip
			fi
		}
		policy_put(p)
	:: skip
	fi;
	running--
}

/* weighted_interleave_nid() */
proctype reader(byte p; byte r)
{
	byte set = NONE, answer, begun, scratch, j;
	bool last;

	if
	:: d_step { visible[p] && policy_refs[p] -> policy_refs[p]++ };
		begun = in_force;
		inside = inside | (1 << r);
		held_set[r] = slot[p];
		answer = NONE;
		if
		:: held_set[r] != NONE ->
			d_step { assert(set_used[held_set[r]]); held_order[r] = order[held_set[r]] };
			if
			:: held_order[r] != NONE ->
				d_step { assert(order_used[held_order[r]]); answer = made_from[held_order[r]] }
			:: else -> answer = weight
			fi
		:: else -> answer = weight
		fi;
		assert(answer != NONE && answer >= begun);
		read_unlock(r);
		policy_put(p)
	:: skip
	fi;
	running--
}

/* set_next(); the sets of a bucket are in the order of their nodes */
inline next_set()
{
	lock(bucket_lock);
	d_step { assert(set == NONE || (set_used[set] && tree[key[set]] == set)); next = NONE };
	if
	:: set == NONE && tree[0] != NONE -> next = tree[0]
	:: set == NONE && tree[0] == NONE -> next = tree[1]
	:: set != NONE && key[set] == 0 -> next = tree[1]
	:: else -> skip
	fi;
#if FAULT != 8
	if
	:: next != NONE -> get(next)
	:: else -> skip
	fi;
#endif
	unlock(bucket_lock);
#if FAULT != 8
	if
	:: set != NONE -> put(set)
	:: else -> skip
	fi;
#endif
	set = next;
	next = NONE
}

/* interleave_weight_store(), one at a time */
proctype writer()
{
	byte set = NONE, next = NONE, made = NONE, dead = NONE, stale, seen, now, scratch, writes;
	bool last;

	do
	:: writes < WRITES ->
		writes++;
#if FAULT == 4
		generation++;
		weight = writes;
#else
		weight = writes;
		generation++;
#endif
		next_set();
		do
		:: set == NONE -> break
		:: else -> skip;
			order_of_set(made);
			lock(bucket_lock);
			d_step {
				assert(set_used[set]);
				if
				:: order[set] != NONE -> stale = stale | (1 << order[set])
				:: else -> skip
				fi;
				order[set] = made
			};
			unlock(bucket_lock);
			d_step { made = NONE; seen = 0 };
			if
			:: stale -> free_stale()	/* so many that they are not kept */
			:: skip
			fi;
			next_set()
		od;
		if
		:: stale -> free_stale()
		:: else -> skip
		fi;
		in_force = writes
	:: else -> break
	od;
	running--
}

init
{
	byte set = NONE, scratch, s;
	bool last;

	d_step {
		for (s : 0 .. SETS - 1) {
			order[s] = NONE
		}
		for (s : 0 .. ORDERS - 1) {
			made_from[s] = NONE
		}
		for (s : 0 .. 1) {
			tree[s] = NONE;
			slot[s] = NONE;
			held_set[s] = NONE;
			held_order[s] = NONE
		}
	}
	atomic {
		/* Somebody else may have the first policy until all have ended. */
		if
		:: policy_refs[0] = 1; kept = true
		:: skip
		fi;
		running = 3;
		run owner(0);
#if RUN == 1
		run owner(1); run writer()
#elif RUN == 2
		run reader(0, 0); run writer()
#elif RUN == 3
		run reader(0, 0); run rebinder(0)
#elif RUN == 4
		run rebinder(0); run writer()
#elif RUN == 5
		run owner(1); run rebinder(0)
#elif RUN == 6
		run copier(0); run writer()
#elif RUN == 7
		run completer(0); run rebinder(0)
#elif RUN == 8
		run completer(0); run writer()
#elif RUN == 9
		run copier(0); run rebinder(0)
#elif RUN == 10
		set_used[0] = true;
		refs[0] = 1;
		key[0] = 1;
		tree[1] = 0;
		order_used[0] = true;
		order[0] = 0;
		made_from[0] = 0;
		nodes[1] = 1;
		slot[1] = 0;
		policy_refs[1] = 1;
		visible[1] = true;
		run reader(0, 0); run writer()
#else
#error there is no such RUN
#endif
	}
	!running;
	d_step {
		for (s : 0 .. 1) {
			assert(tree[s] == NONE || order[tree[s]] == NONE ||
			       made_from[order[tree[s]]] == weight);
			assert(slot[s] == NONE || (key[slot[s]] == nodes[s] && tree[key[slot[s]]] == slot[s]))
		}
	}
	if
	:: kept && visible[0] -> policy_put(0)
	:: else -> skip
	fi;
#if RUN == 10
	policy_put(1);
#endif
	d_step {
		for (s : 0 .. SETS - 1) {
			assert(!set_used[s])
		}
		for (s : 0 .. ORDERS - 1) {
			assert(!order_used[s])
		}
	}
}
