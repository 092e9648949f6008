/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_INTERLEAVE_REMAP_H
#define _MM_INTERLEAVE_REMAP_H

#include <linux/nodemask.h>
#include <linux/types.h>

void interleave_weights_restrict(u8 *bound, unsigned int nr, const u8 *given,
				 const nodemask_t *nodes);
void interleave_weights_fold(u8 *bound, u32 *sums, unsigned int nr,
			     const u8 *given, const nodemask_t *positions,
			     const nodemask_t *onto);
void interleave_weights_remap(u8 *weights, u32 *sums, unsigned int nr,
			      const nodemask_t *nodes, const nodemask_t *from,
			      const nodemask_t *to);

#endif
