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
#include <linux/weighted_interleave.h>

#include "internal.h"

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

static int describe_mapping(unsigned long addr, struct mpol_args *args,
			    const nodemask_t *allowed, u8 *weights,
			    unsigned long flags)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct mempolicy *pol;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	if (!vma) {
		mmap_read_unlock(mm);
		return -EFAULT;
	}
	pol = __get_vma_policy(vma, addr);
	if (pol) {
		describe(pol, args, allowed, weights, flags);
		mpol_cond_put(pol);
	}
	mmap_read_unlock(mm);
	return 0;
}

static void describe_task(struct mpol_args *args, const nodemask_t *allowed,
			  u8 *weights, unsigned long flags)
{
	task_lock(current);
	if (current->mempolicy)
		describe(current->mempolicy, args, allowed, weights, flags);
	task_unlock(current);
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

SYSCALL_DEFINE4(get_mempolicy2, struct mpol_param __user *, uparam,
		size_t, usize, unsigned long, addr, unsigned long, flags)
{
	struct mpol_args args = { .home_node = NUMA_NO_NODE };
	struct mpol_param param;
	nodemask_t allowed;
	u8 *weights = NULL;
	int err;

	if (flags & ~(unsigned long)(MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS))
		return -EINVAL;
	if (addr && !(flags & MPOL_F_ADDR))
		return -EINVAL;
	err = mpol_param_copy(&param, uparam, usize);
	if (err)
		return err;
	if ((param.pol_nodes || param.il_weights) &&
	    param.pol_maxnodes < nr_node_ids)
		return -EINVAL;

	if (param.il_weights) {
		args.nr_weights = min_t(unsigned int, param.pol_maxnodes, MAX_NUMNODES);
		weights = kzalloc(args.nr_weights, GFP_KERNEL);
		if (!weights)
			return -ENOMEM;
	}
	allowed = cpuset_mems_allowed(current);
	nodes_and(allowed, allowed, node_states[N_MEMORY]);
	if (flags & MPOL_F_ADDR)
		err = describe_mapping(untagged_addr(addr), &args, &allowed, weights, flags);
	else
		describe_task(&args, &allowed, weights, flags);
	if (!err)
		err = put_param(uparam, usize, &param, &args, weights);
	kfree(weights);
	return err;
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

SYSCALL_DEFINE5(mbind2, unsigned long, addr, unsigned long, len,
		const struct mpol_param __user *, uparam, size_t, usize,
		unsigned long, flags)
{
	struct mpol_param param;
	struct mpol_args args;
	int err;

	if (flags & ~(unsigned long)MBIND2_FLAGS)
		return -EINVAL;
	if (flags & MPOL_MF_LAZY && !lazy_is_sound(flags))
		return -EINVAL;
	if (flags & MPOL_MF_MOVE_ALL && !capable(CAP_SYS_NICE))
		return -EPERM;
	addr = untagged_addr(addr);
	if (offset_in_page(addr) || addr + len < addr ||
	    (len && !PAGE_ALIGN(len)))
		return -EINVAL;
	err = mpol_param_copy(&param, uparam, usize);
	if (!err)
		err = mpol_param_to_args(&args, &param, flags);
	if (err)
		return err;

	/* MPOL_MF_HOME_NODE means something else below mbind(). */
	flags &= ~(unsigned long)MPOL_MF_HOME_NODE;
	err = mpol_set_range(addr, len, &args, flags);
	/* Where there is nothing to do it looks at the flags alone. */
	if (!err && !len)
		err = mpol_check_args(&args);
	mpol_args_free(&args);
	return err;
}
