/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_FIT_H
#define _MM_INTERLEAVE_FIT_H

#include <linux/types.h>

u32 interleave_mixed(u32 read, u32 write, unsigned int reads);
void interleave_fit(const u32 *bandwidth, u8 *weights, u8 *work,
		    unsigned int nr, u8 most);

#endif
