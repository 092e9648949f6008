/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_TIERING_SCORE_H
#define _MM_TIERING_SCORE_H

#include <linux/types.h>

/* What a page of a slow node keeps of its latencies, beside the time */
#define SCORE_BITS	3
#define SCORE_LOWEST	0
#define SCORE_NEW	2
/* It may turn out to be hot */
#define SCORE_WARM	3
#define SCORE_HIGHEST	6
/* kswapd has demoted the page, and it was not touched since */
#define SCORE_DEMOTED	7

unsigned int score_passes(unsigned int passes, bool apart, unsigned long pages,
			  unsigned long *before);
bool score_of_new(unsigned int latency, unsigned int finest, unsigned int threshold,
		  unsigned int passes);
bool score_step(unsigned int *score, unsigned int latency, unsigned int finest,
		unsigned int threshold, u8 random);

#endif /* _MM_TIERING_SCORE_H */
