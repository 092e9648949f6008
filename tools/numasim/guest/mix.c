// SPDX-License-Identifier: GPL-2.0
/*
 * Traffic of reads and writes. Memory moves in whole lines: a load of one word
 * reads all of its line, and a line of which every word is stored is written.
 */
#include "mix.h"

/**
 * mix_whole - as many lines as have the mix to the last line
 * @mix: the mix
 * @lines: how many there are
 *
 * Return: the largest such number up to @lines.
 */
size_t mix_whole(const struct mix *mix, size_t lines)
{
	return lines - lines % (mix->reads + mix->writes);
}

/**
 * read_lines - reads lines
 * @lines: the first one
 * @count: how many
 *
 * Return: the sum of their first words.
 */
uint32_t read_lines(const struct mix_line *lines, size_t count)
{
	const struct mix_line *end = lines + count;
	uint32_t sum = 0;

	for (; lines < end; lines++)
		sum += lines->words[0];
	return sum;
}

/**
 * mix_pass - goes through memory once
 * @mix: the mix
 * @lines: the memory
 * @count: how many lines, of mix_whole()
 * @value: what every word of the lines that are written gets
 *
 * Return: the sum of the first words of the lines that are read.
 */
uint32_t mix_pass(const struct mix *mix, struct mix_line *lines, size_t count,
		  uint32_t value)
{
	struct mix_line *end = lines + count;
	unsigned int i, word;
	uint32_t sum = 0;

	while (lines < end) {
		sum += read_lines(lines, mix->reads);
		lines += mix->reads;
		for (i = 0; i < mix->writes; i++, lines++) {
			for (word = 0; word < LINE_SIZE / sizeof(value); word++)
				lines->words[word] = value;
		}
	}
	return sum;
}
