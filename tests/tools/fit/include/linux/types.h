/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's header, what mm/interleave/fit.[ch] need in a program */
#ifndef FIT_LINUX_TYPES_H
#define FIT_LINUX_TYPES_H

#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define U32_MAX	UINT32_MAX

#endif /* FIT_LINUX_TYPES_H */
