/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_MEMPOLICY2_INTERNAL_H
#define _MM_MEMPOLICY2_INTERNAL_H

#include <linux/mempolicy2.h>
#include <linux/types.h>
#include <linux/uaccess.h>

int mpol_param_copy(struct mpol_param *param,
		    const struct mpol_param __user *uparam, size_t usize);
int mpol_param_to_args(struct mpol_args *args, const struct mpol_param *param,
		       unsigned long flags);
void mpol_args_free(struct mpol_args *args);
bool mpol_nodes_fit(const nodemask_t *nodes, unsigned int nr_bits);
int mpol_put_nodes(u64 to, unsigned int nr_bits, const nodemask_t *nodes);
int mpol_put_weights(u64 to, unsigned int nr, const u8 *weights);
int mpol_get_check(struct mpol_param *param, const struct mpol_param __user *uparam,
		   size_t usize, unsigned long addr, unsigned long flags);
int mpol_get_of(struct task_struct *task,
		struct mempolicy *(*policy_of)(struct task_struct *task),
		struct mm_struct *mm, struct mpol_param *param,
		struct mpol_param __user *uparam, size_t usize, unsigned long addr,
		unsigned long flags);
int mpol_set_threads(struct task_struct *task, const struct mpol_args *args);
int mpol_bind_args(struct mpol_args *args, unsigned long addr, unsigned long len,
		   const struct mpol_param __user *uparam, size_t usize,
		   unsigned long *flags);

#endif
