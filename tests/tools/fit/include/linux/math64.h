/* SPDX-License-Identifier: GPL-2.0 */
/* mm/interleave/fit.c needs nothing of the kernel's header in a program */
