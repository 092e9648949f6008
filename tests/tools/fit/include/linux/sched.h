/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's header, what mm/interleave/fit.c needs in a program */
#ifndef FIT_LINUX_SCHED_H
#define FIT_LINUX_SCHED_H

#define cond_resched()	((void)0)

#endif /* FIT_LINUX_SCHED_H */
