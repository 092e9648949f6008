/* SPDX-License-Identifier: GPL-2.0 */
/* What mm/interleave/fit.c needs of the kernel's header, in a program */
#ifndef FIT_MATH64_H
#define FIT_MATH64_H

#include <linux/types.h>

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	return (unsigned __int128)a * b / divisor;
}

#endif
