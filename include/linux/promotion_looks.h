/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_PROMOTION_LOOKS_H
#define _LINUX_PROMOTION_LOOKS_H

#include <linux/types.h>

/* How far below the threshold a latency may be: below it, a quarter and a 16th of it */
#define LOOK_LEVELS	3

/**
 * struct promotion_looks - what the latencies of a task's pages on slow nodes say together
 * @below:   of the last ones, how many were below each level, 0 .. 127, each of them no
 *           more than the one before. A huge page has one at its hint fault, as a small
 *           one has
 * @pass:    of the scan, in which the last one was; it wraps around
 * @at:      when that was counted, ms; it wraps around, so that once in 65 s the next one
 *           may be left out
 * @passes:  passes in a row with many short ones, this one included; no more than fit
 * @counted: this pass is one of @passes
 * @many:    the first level below which many were, 0 for none
 * @last:    in how many of @below the hint fault before this one was counted
 *
 * Part of task_struct. Only the task itself looks at it and changes it, in its own hint
 * faults, so that there is no lock. Each thread has its own, of what it touches itself. A
 * task that fork() or clone() has made begins with all zero. exec() leaves what there is:
 * the scan of the new address space begins anew, and what was counted goes with passes.
 */
struct promotion_looks {
	u8 below[LOOK_LEVELS];
	u8 pass;
	u16 at;
	u8 passes : 3;
	u8 counted : 1;
	u8 many : 2;
	u8 last : 2;
};

#endif /* _LINUX_PROMOTION_LOOKS_H */
