// SPDX-License-Identifier: GPL-2.0
/*
 * process_set_mempolicy2(), process_get_mempolicy2() and process_mbind2(): the
 * policies of another process.
 *
 * mm_access() asks for the rights under exec_update_lock, and gives a reference to
 * the memory that they are for: what comes after an exec is never touched. The thread
 * has a reference as well. Its policy is looked at under task_lock(), mappings and
 * theirs are protected by mmap_lock as for mbind2(). Nothing here waits for the
 * process: it may be stopped or blocked.
 */
#include <linux/capability.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy2.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "../newer.h"

/**
 * struct target - a process that somebody else looks at or changes
 * @task: a thread of it that has not ended
 * @mm:   its memory
 */
struct target {
	struct task_struct *task;
	struct mm_struct *mm;
};

/* The first thread may have ended before the others. */
static struct task_struct *live_thread(struct task_struct *leader)
{
	struct task_struct *thread, *found = NULL;

	rcu_read_lock();
	for_each_thread(leader, thread)
		if (!(READ_ONCE(thread->flags) & PF_EXITING)) {
			found = get_task_struct(thread);
			break;
		}
	rcu_read_unlock();
	return found;
}

/* -ESRCH without memory of its own, -EPERM */
static struct mm_struct *memory_of(struct task_struct *task, bool changes)
{
	unsigned int mode = PTRACE_MODE_READ_REALCREDS;
	struct mm_struct *mm;

	/* Asked in this order, no refusal is recorded where there is none. */
	if (changes && !(has_capability_noaudit(current, CAP_SYS_NICE) &&
			 capable(CAP_SYS_NICE)))
		mode = PTRACE_MODE_ATTACH_REALCREDS;
	mm = mm_access(task, mode);
	return mm == ERR_PTR(-EACCES) ? ERR_PTR(-EPERM) : mm;
}

static void target_put(struct target *target)
{
	mmput(target->mm);
	put_task_struct(target->task);
}

static int thread_get(struct target *target, struct task_struct *leader, bool changes)
{
	struct task_struct *task;
	struct mm_struct *mm;
	bool ends;

	do {
		task = live_thread(leader);
		if (!task)
			return -ESRCH;
		mm = memory_of(task, changes);
		if (!IS_ERR(mm)) {
			*target = (struct target) { .task = task, .mm = mm };
			return 0;
		}
		/* Others go on, and one that has begun to end is not found again. */
		ends = PTR_ERR(mm) == -ESRCH && READ_ONCE(task->flags) & PF_EXITING;
		put_task_struct(task);
	} while (ends && !fatal_signal_pending(current));
	return PTR_ERR(mm);
}

/* 0 and to be put, or -EBADF, -ESRCH, -EPERM, -EINTR */
static int target_get(struct target *target, int pidfd, bool changes)
{
	struct task_struct *leader;
	unsigned int flags;
	int err;

	leader = pidfd_get_task(pidfd, &flags);
	if (IS_ERR(leader))
		return PTR_ERR(leader);
	err = thread_get(target, leader, changes);
	put_task_struct(leader);
	if (err || !changes)
		return err;
	err = security_task_movememory(target->task);
	if (err)
		target_put(target);
	return err;
}

/*
 * With exec_update_lock: no thread of it becomes another program until
 * target_release(). Where one has since its rights were checked, they are again.
 */
static int target_hold(struct target *target, int pidfd)
{
	int err;

	for (;;) {
		err = target_get(target, pidfd, true);
		if (err)
			return err;
		err = down_read_killable(&target->task->signal->exec_update_lock);
		if (err) {
			target_put(target);
			return err;
		}
		if (READ_ONCE(target->task->mm) == target->mm)
			return 0;
		up_read(&target->task->signal->exec_update_lock);
		target_put(target);
	}
}

/* What a process has of policies and mappings, its group pays. */
static struct mem_cgroup *pays_begin(const struct target *target, struct mem_cgroup **memcg)
{
	*memcg = get_mem_cgroup_from_mm(target->mm);
	return set_active_memcg(*memcg);
}

static void pays_end(struct mem_cgroup *before, struct mem_cgroup *memcg)
{
	set_active_memcg(before);
	mem_cgroup_put(memcg);
}

/* The policy by which pages move is made before any thread has it. */
static int set_policies(struct target *target, const struct mpol_args *args,
			struct mempolicy **moves)
{
	struct mem_cgroup *memcg, *before = pays_begin(target, &memcg);
	int err = 0;

	if (moves) {
		*moves = mpol_make(args, target->task);
		err = PTR_ERR_OR_ZERO(*moves);
	}
	if (!err) {
		err = mpol_set_threads(target->task, args);
		if (err && moves)
			mpol_put(*moves);
	}
	pays_end(before, memcg);
	return err;
}

SYSCALL_DEFINE4(process_set_mempolicy2, int, pidfd, const struct mpol_param __user *, uparam,
		size_t, usize, unsigned long, flags)
{
	struct mempolicy *moves = NULL;
	struct mpol_param param;
	struct target target;
	struct mpol_args args;
	int err;

	if (flags & ~(unsigned long)(MPOL_MF_HOME_NODE | MPOL_MF_MOVE))
		return -EINVAL;
	err = mpol_param_copy(&param, uparam, usize);
	if (!err)
		err = mpol_param_to_args(&args, &param, flags);
	if (err)
		return err;
	err = target_hold(&target, pidfd);
	if (err)
		goto out;
	err = set_policies(&target, &args, flags & MPOL_MF_MOVE ? &moves : NULL);
	up_read(&target.task->signal->exec_update_lock);
	if (!err && moves) {
		err = mpol_move_unbound(target.task, target.mm, moves);
		/* All threads have had the policy: who ends now has nothing left to move. */
		if (err == -ESRCH)
			err = 0;
		mpol_put(moves);
	}
	target_put(&target);
out:
	mpol_args_free(&args);
	return err;
}

SYSCALL_DEFINE5(process_get_mempolicy2, int, pidfd, struct mpol_param __user *, uparam,
		size_t, usize, unsigned long, addr, unsigned long, flags)
{
	struct mpol_param param;
	struct target target;
	int err;

	err = mpol_get_check(&param, uparam, usize, addr, flags);
	if (err)
		return err;
	do {
		err = target_get(&target, pidfd, false);
		if (err)
			return err;
		err = mpol_get_of(target.task, mpol_of_thread, target.mm, &param, uparam,
				  usize, addr, flags);
		target_put(&target);
	} while (err == -EAGAIN && !fatal_signal_pending(current));
	return err == -EAGAIN ? -EINTR : err;
}

/* Which bits of an address are a tag, a process decides for itself. */
static int untag(struct mm_struct *mm, unsigned long *addr)
{
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	*addr = untagged_addr_remote(mm, *addr);
	mmap_read_unlock(mm);
	return 0;
}

SYSCALL_DEFINE6(process_mbind2, int, pidfd, unsigned long, addr, unsigned long, len,
		const struct mpol_param __user *, uparam, size_t, usize,
		unsigned long, flags)
{
	struct mem_cgroup *memcg, *before;
	struct target target;
	struct mpol_args args;
	int err;

	err = mpol_bind_args(&args, addr, len, uparam, usize, &flags);
	if (err)
		return err;
	err = target_get(&target, pidfd, true);
	if (err)
		goto out;
	before = pays_begin(&target, &memcg);
	err = untag(target.mm, &addr);
	if (!err)
		err = mpol_set_range_of(target.task, target.mm, addr, len, &args, flags);
	if (!err && !len)
		err = mpol_check_args(&args);
	pays_end(before, memcg);
	target_put(&target);
out:
	mpol_args_free(&args);
	return err;
}
