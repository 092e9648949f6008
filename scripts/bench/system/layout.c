// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled as an object of a kernel, in place of mm/mempolicy.c, to an assembly
 * file that names the size of what a fault looks at, in bytes.
 */
#include <linux/kbuild.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched.h>

int main(void)
{
	DEFINE(task_struct, sizeof(struct task_struct));
	DEFINE(mm_struct, sizeof(struct mm_struct));
	DEFINE(vm_area_struct, sizeof(struct vm_area_struct));
	DEFINE(mempolicy, sizeof(struct mempolicy));
	DEFINE(page, sizeof(struct page));
	DEFINE(zone, sizeof(struct zone));
	DEFINE(pglist_data, sizeof(struct pglist_data));
	return 0;
}
