/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_AUTOMIGRATE_H
#define _LINUX_AUTOMIGRATE_H

/* Automatic migration: a task's memory follows it; mm/automigrate. */

#include <linux/jump_label.h>
#include <linux/mm_types.h>
#include <linux/numa.h>
#include <linux/sched.h>

#ifdef CONFIG_AUTO_MIGRATION

DECLARE_STATIC_KEY_FALSE(automigrate_on);

void __automigrate_task_moves(struct task_struct *p, int cpu);
void __automigrate_tick(struct task_struct *p);
void __automigrate_resume(void);
bool __automigrate_holds(struct task_struct *p, int from_cpu, int to_cpu);
int automigrate_max_sharers(void);

/**
 * automigrate_task_moves - a task is about to be on another CPU
 * @p:   the task, which does not run
 * @cpu: the CPU
 *
 * If that is on another node, its memory is asked to follow when @p returns to
 * user space.
 *
 * Context: p->pi_lock or the lock of its runqueue, interrupts disabled.
 */
static inline void automigrate_task_moves(struct task_struct *p, int cpu)
{
	if (static_branch_unlikely(&automigrate_on))
		__automigrate_task_moves(p, cpu);
}

/**
 * automigrate_tick - let a task go on with the memory that is left behind
 * @p: the running task
 *
 * Context: the scheduler's tick.
 */
static inline void automigrate_tick(struct task_struct *p)
{
	if (static_branch_unlikely(&automigrate_on) &&
	    READ_ONCE(p->automigrate_pending))
		__automigrate_tick(p);
}

/**
 * automigrate_resume - move a piece of the memory that is left behind
 *
 * Context: a task that returns to user space; no locks, may sleep.
 */
static inline void automigrate_resume(void)
{
	if (static_branch_unlikely(&automigrate_on) &&
	    READ_ONCE(current->automigrate_pending))
		__automigrate_resume();
}

/**
 * automigrate_holds - should the load balancer leave a task where it is?
 * @p:        the task
 * @from_cpu: where it is
 * @to_cpu:   where it would go
 *
 * Context: the lock of @p's runqueue.
 * Return: whether its memory has just followed it to @from_cpu's node, and
 * @to_cpu is on another one.
 */
static inline bool automigrate_holds(struct task_struct *p, int from_cpu,
				     int to_cpu)
{
	return static_branch_unlikely(&automigrate_on) &&
	       __automigrate_holds(p, from_cpu, to_cpu);
}

/* A child's memory is where its parent's is; it has not moved. */
static inline void automigrate_fork(struct task_struct *p)
{
	p->automigrate_pending = 0;
}

static inline void automigrate_mm_init(struct mm_struct *mm)
{
	mm->automigrate = (struct mm_automigrate) { .node = NUMA_NO_NODE };
}

#else

static inline void automigrate_task_moves(struct task_struct *p, int cpu) {}
static inline void automigrate_tick(struct task_struct *p) {}
static inline void automigrate_resume(void) {}
static inline void automigrate_fork(struct task_struct *p) {}
static inline void automigrate_mm_init(struct mm_struct *mm) {}

static inline bool automigrate_holds(struct task_struct *p, int from_cpu,
				     int to_cpu)
{
	return false;
}

static inline int automigrate_max_sharers(void)
{
	return 1;
}

#endif /* CONFIG_AUTO_MIGRATION */

#endif /* _LINUX_AUTOMIGRATE_H */
