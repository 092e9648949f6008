// SPDX-License-Identifier: GPL-2.0
/*
 * process_get_mempolicy2() and process_mbind2(): the policies of another process.
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
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/syscalls.h>

#include "internal.h"

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
	struct mm_struct *mm = ERR_PTR(-EACCES);

	if (changes)
		mm = mm_access(task, PTRACE_MODE_ATTACH_REALCREDS);
	if (mm == ERR_PTR(-EACCES) && (!changes || capable(CAP_SYS_NICE)))
		mm = mm_access(task, PTRACE_MODE_READ_REALCREDS);
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
	} while (ends);
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

SYSCALL_DEFINE5(process_get_mempolicy2, int, pidfd, struct mpol_param __user *, uparam,
		size_t, usize, unsigned long, addr, unsigned long, flags)
{
	struct mpol_param param;
	struct target target;
	int err;

	err = mpol_get_check(&param, uparam, usize, addr, flags);
	if (err)
		return err;
	err = target_get(&target, pidfd, false);
	if (err)
		return err;
	err = mpol_get_of(target.task, target.mm, &param, uparam, usize, addr, flags);
	target_put(&target);
	return err;
}

SYSCALL_DEFINE6(process_mbind2, int, pidfd, unsigned long, addr, unsigned long, len,
		const struct mpol_param __user *, uparam, size_t, usize,
		unsigned long, flags)
{
	struct mem_cgroup *memcg, *before;
	struct target target;
	struct mpol_args args;
	int err;

	err = mpol_bind_args(&args, &addr, len, uparam, usize, &flags);
	if (err)
		return err;
	err = target_get(&target, pidfd, true);
	if (err)
		goto out;
	/* What a process has of policies and mappings, its group pays. */
	memcg = get_mem_cgroup_from_mm(target.mm);
	before = set_active_memcg(memcg);
	err = mpol_set_range_of(target.task, target.mm, addr, len, &args, flags);
	if (!err && !len)
		err = mpol_check_args(&args);
	set_active_memcg(before);
	mem_cgroup_put(memcg);
	target_put(&target);
out:
	mpol_args_free(&args);
	return err;
}
