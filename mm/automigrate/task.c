// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that follows a task to another node.
 *
 * The scheduler only notes that a task goes to another node: it holds locks,
 * and the task does not run. The task itself moves the memory, a piece each
 * time that it returns to user space and a tick has passed since the last one.
 *
 * task->automigrate_pending is set while the task does not run, or by itself or
 * its tick; only it clears it, before it looks where it is. So a move that
 * comes in between is seen the next time.
 *
 * The state of the memory is in mm->automigrate. Whoever gets AUTOMIGRATE_BUSY
 * there owns it; the others do not wait but come again. The memory's owner is
 * current->mm, so it lives. Nothing is kept that anybody would have to free.
 */
#include <linux/cpuset.h>
#include <linux/jiffies.h>
#include <linux/memory-tiers.h>
#include <linux/memory_serving.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/sched/rt.h>
#include <linux/sched/signal.h>
#include <linux/sched/sysctl.h>
#include <linux/topology.h>
#include <linux/vmstat.h>

#include "decide.h"
#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/mm_automigrate.h>

#include "../newer.h"

/* Threads that are asked where they are; more do not change the answer much */
#define THREADS_ASKED	256

/* Where the memory of a task on @cpu should be */
static int home_of(int cpu)
{
	return serving_node(cpu_to_node(cpu));
}

static bool is_held(struct mm_struct *mm)
{
	const struct mm_automigrate *memory = &mm->automigrate;

	return READ_ONCE(memory->node) != NUMA_NO_NODE &&
	       automigrate_held(jiffies - READ_ONCE(memory->since),
				READ_ONCE(automigrate_interval) * HZ,
				READ_ONCE(memory->moved), get_mm_rss(mm));
}

static void pend(struct task_struct *p)
{
	WRITE_ONCE(p->automigrate_pending, 1);
}

/*
 * exec() balances as well, but leaves the memory behind for good; workers
 * of io_uring and the like never return to user space; real-time tasks must not be delayed.
 */
void __automigrate_task_moves(struct task_struct *p, int cpu)
{
	int from = home_of(task_cpu(p)), to = home_of(cpu);

	if (from == to || !p->mm || p->in_execve || rt_or_dl_task_policy(p) ||
	    p->flags & (PF_KTHREAD | PF_EXITING | PF_USER_WORKER))
		return;

	count_vm_event(AUTO_MIGRATE_TASK_MOVES);
	trace_automigrate_task_moves(p, from, to);
	pend(p);
	set_tsk_thread_flag(p, TIF_NOTIFY_RESUME);
}

/* A task that waits for the end of the interval is not bothered before. */
void __automigrate_tick(struct task_struct *p)
{
	struct mm_struct *mm = p->mm;

	if (mm && (READ_ONCE(mm->automigrate.node) == home_of(task_cpu(p)) ||
		   !is_held(mm)))
		set_tsk_thread_flag(p, TIF_NOTIFY_RESUME);
}

bool __automigrate_holds(struct task_struct *p, int from_cpu, int to_cpu)
{
	/* The task may be on its way out: its mm is gone first */
	struct mm_struct *mm = READ_ONCE(p->mm);

	return mm && home_of(from_cpu) != home_of(to_cpu) &&
	       READ_ONCE(mm->automigrate.node) == home_of(from_cpu) &&
	       is_held(mm);
}

/* Where the threads are that want to run, and whether one has a policy */
static void ask_threads(struct automigrate_facts *facts)
{
	unsigned int asked = 0;
	struct task_struct *t;

	rcu_read_lock();
	for_each_thread(current, t) {
		if (READ_ONCE(t->mempolicy))
			facts->own_policy = true;
		if (t == current || task_is_running(t)) {
			facts->threads++;
			if (t == current || home_of(task_cpu(t)) == facts->node)
				facts->here++;
		}
		if (++asked == THREADS_ASKED)
			break;
	}
	rcu_read_unlock();
}

/* NUMA balancing brings the task back, or its memory: let it. */
static bool is_balanced(const struct task_struct *p)
{
#ifdef CONFIG_NUMA_BALANCING
	return READ_ONCE(sysctl_numa_balancing_mode) & NUMA_BALANCING_NORMAL &&
	       p->numa_preferred_nid != NUMA_NO_NODE;
#else
	return false;
#endif
}

static enum automigrate_verdict look(struct mm_struct *mm, int node)
{
	struct automigrate_facts facts = {
		.node = node,
		.follows = mm->automigrate.node,
		.arrived = mm->automigrate.address == ULONG_MAX,
		.held = is_held(mm),
		.own_policy = current->mempolicy,
		.allowed = node_isset(node, cpuset_current_mems_allowed),
		.fast = node_state(node, N_MEMORY) && node_is_toptier(node),
		.balanced = is_balanced(current),
	};

	if (facts.follows != node || facts.arrived)
		ask_threads(&facts);
	return automigrate_decide(&facts);
}

static void count_skipped(enum automigrate_verdict verdict)
{
	switch (verdict) {
	case AUTOMIGRATE_POLICY:
		count_vm_event(AUTO_MIGRATE_SKIP_POLICY);
		break;
	case AUTOMIGRATE_CPUSET:
	case AUTOMIGRATE_NO_MEMORY:
		count_vm_event(AUTO_MIGRATE_SKIP_CPUSET);
		break;
	case AUTOMIGRATE_PREFERRED:
		count_vm_event(AUTO_MIGRATE_SKIP_PREFERRED);
		break;
	case AUTOMIGRATE_INTERVAL:
		count_vm_event(AUTO_MIGRATE_SKIP_INTERVAL);
		break;
	case AUTOMIGRATE_THREADS:
		count_vm_event(AUTO_MIGRATE_SKIP_THREADS);
		break;
	default:
		break;
	}
}

/* Within an interval the pages of all that is begun add up. */
static void start(struct mm_automigrate *memory, int node)
{
	if (memory->node == NUMA_NO_NODE ||
	    jiffies - memory->since >= READ_ONCE(automigrate_interval) * HZ) {
		WRITE_ONCE(memory->moved, 0);
		WRITE_ONCE(memory->since, jiffies);
	}
	memory->address = 0;
	WRITE_ONCE(memory->node, node);
}

/* A piece; says whether to come again. */
static bool follow(struct mm_struct *mm, struct mm_automigrate *memory)
{
	struct automigrate_piece piece = {
		.node = memory->node,
		.address = memory->address,
		.pages = automigrate_pages_a_return(HZ),
	};
	int err;

	if (READ_ONCE(automigrate_lazy))
		err = automigrate_mark(mm, &piece);
	else
		err = automigrate_move(mm, &piece);
	/* No room: what is left stays */
	if (err == -ENOMEM)
		piece.address = ULONG_MAX;
	memory->address = piece.address;
	WRITE_ONCE(memory->moved, memory->moved + piece.moved + piece.marked);

	count_vm_events(AUTO_MIGRATE_UNMAPPED, piece.marked);
	count_vm_events(AUTO_MIGRATE_MISPLACED, piece.misplaced);
	count_vm_events(AUTO_MIGRATE_SUCCESS, piece.moved);
	count_vm_events(AUTO_MIGRATE_FAILED, piece.misplaced - piece.moved);
	trace_automigrate_follow(current, piece.node, piece.marked,
				 piece.misplaced, piece.moved);
	return piece.address != ULONG_MAX;
}

void __automigrate_resume(void)
{
	struct mm_struct *mm = current->mm;
	struct mm_automigrate *memory;
	enum automigrate_verdict verdict;
	bool again = false;
	int node;

	WRITE_ONCE(current->automigrate_pending, 0);
	/* If the task moves from here on, this is asked for once more */
	barrier();
	node = home_of(raw_smp_processor_id());
	/* vfork() lends memory, and its owner waits. */
	if (!mm || current->vfork_done)
		return;
	/* A signal first: perhaps it ends the task. */
	if (signal_pending(current) || rt_or_dl_task_policy(current)) {
		pend(current);
		return;
	}
	memory = &mm->automigrate;
	if (test_and_set_bit_lock(AUTOMIGRATE_BUSY, &memory->flags)) {
		pend(current);
		return;
	}

	verdict = look(mm, node);
	trace_automigrate_verdict(current, node, verdict);
	switch (verdict) {
	case AUTOMIGRATE_START:
		start(memory, node);
		fallthrough;
	case AUTOMIGRATE_GO_ON:
		again = follow(mm, memory);
		break;
	case AUTOMIGRATE_INTERVAL:
		again = true;
		fallthrough;
	default:
		count_skipped(verdict);
	}
	clear_bit_unlock(AUTOMIGRATE_BUSY, &memory->flags);
	if (again)
		pend(current);
}
