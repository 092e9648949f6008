/* SPDX-License-Identifier: GPL-2.0 */
/* Traffic of reads and writes */
#ifndef NUMASIM_MIX_H
#define NUMASIM_MIX_H

#include <stddef.h>
#include <stdint.h>

#include "place.h"

struct mix_line {
	uint32_t words[LINE_SIZE / sizeof(uint32_t)];
};

/**
 * struct mix - how many lines are read for each that is written
 * @reads: lines read in a row
 * @writes: lines written behind them
 */
struct mix {
	unsigned int reads;
	unsigned int writes;
};

size_t mix_whole(const struct mix *mix, size_t lines);
uint32_t mix_pass(const struct mix *mix, struct mix_line *lines, size_t count,
		  uint32_t value);
uint32_t read_lines(const struct mix_line *lines, size_t count);

#endif
