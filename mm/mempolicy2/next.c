// SPDX-License-Identifier: GPL-2.0
/*
 * process_set_mempolicy2(): a policy that all threads of another process are to have.
 *
 * A thread allocates by its policy without a lock, so nobody else can replace that.
 * Each gets a copy of the new one, and takes it over on its way to user space, in
 * task work; what it allocates until then goes by the old one. All copies are made
 * before the first thread gets one.
 *
 * - task->mpol_next is set, and what it holds is replaced, under read_lock() of
 *   tasklist_lock and task_lock(); the task itself takes it under task_lock(). Whoever
 *   has taken it, or could not hand it over, frees it.
 * - A thread that is being created has got a copy of the old policy. copy_process()
 *   makes it known under write_lock() of tasklist_lock: either its creator has a next
 *   policy by then, and gives it the second copy that is kept for this, or the new
 *   thread is seen like any other. A thread is in one copy_process() at a time, and
 *   takes its policy over when it comes out, so that there is need for one. The same
 *   goes for a process that is being created, which is as if begun after the call.
 * - exec: what is on its way is for the program that was looked at. The caller has
 *   exec_update_lock; a thread that has executed another program since counts that in
 *   self_exec_id, and drops it.
 * - exit: task work runs a last time, and drops it.
 * - A cpuset that has changed: what is taken over is rebound then.
 */
#include <linux/cpuset.h>
#include <linux/mempolicy2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/weighted_interleave.h>

#include "internal.h"
#include "../newer.h"

/**
 * struct mpol_next - a policy on its way to a thread
 * @work:    takes it over
 * @list:    of the caller, until a thread has it
 * @pol:     the policy; NULL for the default
 * @child:   a copy for a thread that the thread is creating; then what that one had
 * @given:   that it was
 * @exec_id: of the program that it is for
 */
struct mpol_next {
	struct callback_head work;
	struct list_head list;
	struct mempolicy *pol;
	struct mempolicy *child;
	bool given;
	u64 exec_id;
};

static void next_free(struct mpol_next *next)
{
	mpol_put(next->pol);
	mpol_put(next->child);
	kfree(next);
}

static bool is_for(const struct mpol_next *next, const struct task_struct *task)
{
	return next->exec_id == READ_ONCE(task->self_exec_id);
}

/* What is left in @next is to be freed. */
static void take_over(struct callback_head *work)
{
	struct mpol_next *next = container_of(work, struct mpol_next, work);

	task_lock(current);
	current->mpol_next = NULL;
	if (!(current->flags & PF_EXITING) && is_for(next, current)) {
		next->pol = mpol_replace(current, next->pol);
		mpol_rebind_task(current, &cpuset_current_mems_allowed);
	}
	task_unlock(current);
	weighted_interleave_complete_task(current);
	next_free(next);
}

/**
 * mpol_next_fork - give a new task the policy that its creator is about to take over
 * @child: a thread or the first one of a process, which nobody else knows yet
 *
 * Context: tasklist_lock held for writing, interrupts off.
 */
void mpol_next_fork(struct task_struct *child)
{
	struct mpol_next *next = current->mpol_next;

	if (!next || next->given || !is_for(next, current) || child->flags & PF_USER_WORKER)
		return;
	next->given = true;
	next->child = mpol_replace(child, next->child);
	mpol_rebind_task(child, &cpuset_current_mems_allowed);
}

/**
 * mpol_of_thread - the policy that a thread has, or will have in user space
 * @task: the thread
 *
 * Context: task_lock() of @task.
 * Return: the policy, NULL for the default.
 */
struct mempolicy *mpol_of_thread(struct task_struct *task)
{
	if (task->mpol_next && is_for(task->mpol_next, task))
		return task->mpol_next->pol;
	return task->mempolicy;
}

static struct mpol_next *next_make(const struct mpol_args *args, struct task_struct *task)
{
	struct mpol_next *next = kzalloc(sizeof(*next), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!next)
		return ERR_PTR(-ENOMEM);
	init_task_work(&next->work, take_over);
	next->pol = mpol_make(args, task);
	if (!IS_ERR(next->pol))
		next->child = mpol_make(args, task);
	if (IS_ERR(next->pol)) {
		err = PTR_ERR(next->pol);
		next->pol = NULL;
	} else if (IS_ERR(next->child)) {
		err = PTR_ERR(next->child);
		next->child = NULL;
	}
	if (err) {
		next_free(next);
		return ERR_PTR(err);
	}
	return next;
}

static void list_free(struct list_head *list)
{
	struct mpol_next *next, *after;

	list_for_each_entry_safe(next, after, list, list)
		next_free(next);
}

/* Threads that will come back to user space */
static bool takes_part(const struct task_struct *thread)
{
	return !(READ_ONCE(thread->flags) & (PF_EXITING | PF_USER_WORKER));
}

static unsigned int count_threads(struct task_struct *task)
{
	struct task_struct *thread;
	unsigned int count = 0;

	lockdep_assert_held(&tasklist_lock);
	for_each_thread(task, thread)
		count += takes_part(thread);
	return count;
}

/* Hands one over; what is left in @list is to be freed. */
static void hand_over(struct task_struct *thread, struct list_head *list)
{
	struct mpol_next *next = list_first_entry(list, struct mpol_next, list);
	struct mpol_next *queued;

	next->exec_id = thread->self_exec_id;
	task_lock(thread);
	queued = thread->mpol_next;
	if (queued) {
		/* That is on its way already, and brings the newer policy. */
		swap(queued->pol, next->pol);
		swap(queued->child, next->child);
		queued->given = false;
		queued->exec_id = next->exec_id;
	} else if (!task_work_add(thread, &next->work, TWA_RESUME)) {
		thread->mpol_next = next;
		list_del(&next->list);
	}
	task_unlock(thread);
	if (queued)
		list_move_tail(&next->list, list);
}

/**
 * mpol_set_threads - set the policy of all threads of a process
 * @task: one of them
 * @args: the policy
 *
 * Those that are created meanwhile have it, too. Threads that io_uring has for the
 * process keep what they have.
 *
 * Context: may sleep; exec_update_lock of @task held.
 * Return: 0 when all have the policy or will have it when they run on in user space,
 * -EINVAL, -ENOMEM, or -EINTR when the caller is being killed: none has it then.
 */
int mpol_set_threads(struct task_struct *task, const struct mpol_args *args)
{
	unsigned int have = 0, need;
	struct task_struct *thread;
	struct mpol_next *next;
	LIST_HEAD(list);
	int err = 0;

	for (;;) {
		read_lock(&tasklist_lock);
		need = count_threads(task);
		if (need <= have)
			break;
		read_unlock(&tasklist_lock);
		while (have < need) {
			next = next_make(args, task);
			err = PTR_ERR_OR_ZERO(next);
			if (!err && fatal_signal_pending(current)) {
				next_free(next);
				err = -EINTR;
			}
			if (err)
				goto out;
			list_add(&next->list, &list);
			have++;
			cond_resched();
		}
	}
	for_each_thread(task, thread)
		if (takes_part(thread))
			hand_over(thread, &list);
	read_unlock(&tasklist_lock);
out:
	list_free(&list);
	return err;
}
