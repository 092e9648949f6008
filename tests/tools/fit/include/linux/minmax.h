/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's header, what mm/interleave/fit.c needs in a program */
#ifndef FIT_LINUX_MINMAX_H
#define FIT_LINUX_MINMAX_H

#define max(a, b) ({				\
	__typeof__(a) max_a = (a);		\
	__typeof__(b) max_b = (b);		\
						\
	max_a > max_b ? max_a : max_b;		\
})
#define max_t(type, a, b)	max((type)(a), (type)(b))

#endif /* FIT_LINUX_MINMAX_H */
