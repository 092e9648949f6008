/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's header, what mm/interleave/fit.c needs in a program */
#ifndef FIT_LINUX_BITOPS_H
#define FIT_LINUX_BITOPS_H

/* The number of the highest bit that is set, from 1; 0 when there is none */
static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

#endif /* FIT_LINUX_BITOPS_H */
