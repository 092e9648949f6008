// SPDX-License-Identifier: GPL-2.0
/*
 * set_mempolicy2(), get_mempolicy2() and mbind2().
 */
#include <linux/capability.h>
#include <linux/cpuset.h>
#include <linux/mempolicy_ops.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/weighted_interleave.h>

#include "internal.h"
#include "../newer.h"

/*
 * How a policy looks to its owner. Nothing of it changes while it is taken:
 * the policy of the task is protected by task_lock(), that of a mapping by
 * mmap_lock, and that of a shared object does not change at all.
 *
 * Weights go to @weights, zeroed and with room for @args->nr_weights of them, if
 * it is not NULL.
 */
static void describe(const struct mempolicy *pol, struct mpol_args *args,
		     const nodemask_t *allowed, u8 *weights, unsigned long flags)
{
	args->mode = pol->mode;
	args->mode_flags = pol->flags & MPOL_MODE_FLAGS;
	args->home_node = mpol_home_node(pol);
	if (args->mode_flags)
		args->nodes = pol->w.user_nodemask;
	else if (pol->mode != MPOL_LOCAL)
		args->nodes = pol->nodes;
	if (weights && pol->mode == MPOL_WEIGHTED_INTERLEAVE)
		weighted_interleave_get_weights(pol,
						flags & MPOL_F_OWN_WEIGHTS,
						allowed, weights, args->nr_weights);
}

static int describe_mapping(struct mm_struct *mm, unsigned long addr,
			    struct mpol_args *args, const nodemask_t *allowed,
			    u8 *weights, unsigned long flags)
{
	struct vm_area_struct *vma;
	struct mempolicy *pol;
	pgoff_t unused;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	addr = untagged_addr_remote(mm, addr);
	vma = vma_lookup(mm, addr);
	if (!vma) {
		mmap_read_unlock(mm);
		return -EFAULT;
	}
	pol = __get_vma_policy(vma, addr, &unused);
	if (pol) {
		describe(pol, args, allowed, weights, flags);
		mpol_cond_put(pol);
	}
	mmap_read_unlock(mm);
	return 0;
}

static struct mempolicy *policy_now(struct task_struct *task)
{
	return task->mempolicy;
}

/* -EAGAIN when the thread has ended, or executed another program */
static int describe_task(struct task_struct *task, struct mm_struct *mm,
			 struct mempolicy *(*policy_of)(struct task_struct *task),
			 struct mpol_args *args, const nodemask_t *allowed,
			 u8 *weights, unsigned long flags)
{
	const struct mempolicy *pol;
	int err = 0;

	task_lock(task);
	if (task->mm == mm) {
		pol = policy_of(task);
		if (pol)
			describe(pol, args, allowed, weights, flags);
	} else {
		err = -EAGAIN;
	}
	task_unlock(task);
	return err;
}

static int put_param(struct mpol_param __user *uparam, size_t usize,
		     struct mpol_param *param, const struct mpol_args *args,
		     const u8 *weights)
{
	int err = 0;

	param->mode = args->mode;
	param->mode_flags = args->mode_flags;
	param->home_node = args->home_node;
	/* A relative mask may have more than there are nodes. */
	if (param->pol_nodes && !mpol_nodes_fit(&args->nodes, param->pol_maxnodes))
		return -EINVAL;
	if (param->pol_nodes)
		err = mpol_put_nodes(param->pol_nodes, param->pol_maxnodes,
				     &args->nodes);
	if (!err && weights && args->mode == MPOL_WEIGHTED_INTERLEAVE)
		err = mpol_put_weights(param->il_weights, param->pol_maxnodes,
				       weights);
	if (err)
		return err;
	if (copy_to_user(uparam, param, sizeof(*param)) ||
	    clear_user((char __user *)uparam + sizeof(*param),
		       usize - sizeof(*param)))
		return -EFAULT;
	return 0;
}

SYSCALL_DEFINE3(set_mempolicy2, const struct mpol_param __user *, uparam,
		size_t, usize, unsigned long, flags)
{
	struct mpol_param param;
	struct mpol_args args;
	int err;

	if (flags & ~(unsigned long)MPOL_MF_HOME_NODE)
		return -EINVAL;
	err = mpol_param_copy(&param, uparam, usize);
	if (!err)
		err = mpol_param_to_args(&args, &param, flags);
	if (err)
		return err;

	err = mpol_set_task(&args);
	mpol_args_free(&args);
	return err;
}

/**
 * mpol_get_check - may a policy be asked for like that?
 * @param:  gets a copy of the caller's struct
 * @uparam: the caller's
 * @usize:  its size, in bytes
 * @addr:   what MPOL_F_ADDR is for
 * @flags:  MPOL_F_ADDR, MPOL_F_OWN_WEIGHTS
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int mpol_get_check(struct mpol_param *param, const struct mpol_param __user *uparam,
		   size_t usize, unsigned long addr, unsigned long flags)
{
	int err;

	if (flags & ~(unsigned long)(MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS))
		return -EINVAL;
	if (addr && !(flags & MPOL_F_ADDR))
		return -EINVAL;
	err = mpol_param_copy(param, uparam, usize);
	if (err)
		return err;
	if ((param->pol_nodes || param->il_weights) && param->pol_maxnodes < nr_node_ids)
		return -EINVAL;
	return 0;
}

/**
 * mpol_get_of - tell the caller a policy of a process
 * @task:   the thread, if its own policy is asked for; weights are of nodes that it
 *          may use
 * @policy_of: which of its policies that is, under task_lock(); NULL for the one in
 *          force
 * @mm:     its memory, which has a user
 * @param:  as mpol_get_check() has filled it in
 * @uparam: the caller's struct
 * @usize:  its size, in bytes
 * @addr:   with MPOL_F_ADDR, an address of the mapping
 * @flags:  as mpol_get_check() has taken them
 *
 * Context: may sleep, takes mmap_lock.
 * Return: 0, -EINVAL, -EFAULT, -ENOMEM, -EINTR when the caller is being killed, or
 * -EAGAIN when @task does not have @mm any more.
 */
int mpol_get_of(struct task_struct *task,
		struct mempolicy *(*policy_of)(struct task_struct *task),
		struct mm_struct *mm, struct mpol_param *param,
		struct mpol_param __user *uparam, size_t usize, unsigned long addr,
		unsigned long flags)
{
	struct mpol_args args = { .home_node = NUMA_NO_NODE };
	nodemask_t allowed;
	u8 *weights = NULL;
	int err = 0;

	if (param->il_weights) {
		args.nr_weights = min_t(unsigned int, param->pol_maxnodes, MAX_NUMNODES);
		weights = kzalloc(args.nr_weights, GFP_KERNEL);
		if (!weights)
			return -ENOMEM;
	}
	allowed = cpuset_mems_allowed(task);
	nodes_and(allowed, allowed, node_states[N_MEMORY]);
	if (flags & MPOL_F_ADDR)
		err = describe_mapping(mm, addr, &args, &allowed, weights, flags);
	else
		err = describe_task(task, mm, policy_of ?: policy_now, &args, &allowed,
				    weights, flags);
	if (!err)
		err = put_param(uparam, usize, param, &args, weights);
	kfree(weights);
	return err;
}

SYSCALL_DEFINE4(get_mempolicy2, struct mpol_param __user *, uparam,
		size_t, usize, unsigned long, addr, unsigned long, flags)
{
	struct mpol_param param;
	int err;

	err = mpol_get_check(&param, uparam, usize, addr, flags);
	if (err)
		return err;
	return mpol_get_of(current, NULL, current->mm, &param, uparam, usize, addr, flags);
}

#define MBIND2_FLAGS	(MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL | \
			 MPOL_MF_LAZY | MPOL_MF_HOME_NODE)

/*
 * Nothing moves yet, so MPOL_MF_STRICT could not be answered; and what others
 * map may be moved by who is allowed to at once, but not by a fault.
 */
static bool lazy_is_sound(unsigned long flags)
{
	return (flags & (MPOL_MF_MOVE | MPOL_MF_MOVE_ALL | MPOL_MF_STRICT)) ==
	       MPOL_MF_MOVE;
}

/**
 * mpol_bind_args - check what a range is to be bound by, and fetch it
 * @args:   filled in; on success to be given to mpol_args_free()
 * @addr:   start of the range; a tag does not matter
 * @len:    bytes
 * @uparam: the caller's struct
 * @usize:  its size, in bytes
 * @flags:  MPOL_MF_*, as for mbind2(); becomes what mpol_set_range() takes
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -EPERM, -E2BIG, -EFAULT or -ENOMEM.
 */
int mpol_bind_args(struct mpol_args *args, unsigned long addr, unsigned long len,
		   const struct mpol_param __user *uparam, size_t usize,
		   unsigned long *flags)
{
	struct mpol_param param;
	int err;

	if (*flags & ~(unsigned long)MBIND2_FLAGS)
		return -EINVAL;
	if (*flags & MPOL_MF_LAZY && !lazy_is_sound(*flags))
		return -EINVAL;
	if (*flags & MPOL_MF_MOVE_ALL && !capable(CAP_SYS_NICE))
		return -EPERM;
	if (offset_in_page(addr) || addr + len < addr || (len && !PAGE_ALIGN(len)))
		return -EINVAL;
	err = mpol_param_copy(&param, uparam, usize);
	if (!err)
		err = mpol_param_to_args(args, &param, *flags);
	/* It means something else below mbind(). */
	*flags &= ~(unsigned long)MPOL_MF_HOME_NODE;
	return err;
}

SYSCALL_DEFINE5(mbind2, unsigned long, addr, unsigned long, len,
		const struct mpol_param __user *, uparam, size_t, usize,
		unsigned long, flags)
{
	struct mpol_args args;
	int err;

	addr = untagged_addr(addr);
	err = mpol_bind_args(&args, addr, len, uparam, usize, &flags);
	if (err)
		return err;
	err = mpol_set_range(addr, len, &args, flags);
	/* Where there is nothing to do it looks at the flags alone. */
	if (!err && !len)
		err = mpol_check_args(&args);
	mpol_args_free(&args);
	return err;
}
