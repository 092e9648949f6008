/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's header, what mm/interleave/fit.c needs in a program */
#include <string.h>
