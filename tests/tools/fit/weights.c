// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the weights that the kernel's fit.c, or bwactl's, finds for each line
 * of standard input: the largest weight and the bandwidth of each node. With "mixed",
 * lines are bandwidths of reads and of writes and a percentage of reads, and what is
 * printed is what both make together.
 * Usage: weights kernel|bwactl [mixed]
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bwactl-fit.h"
#include "fit.h"

#define MOST_NODES	64

static void print_weights(bool kernel, unsigned int most, const u32 *bandwidth,
			  unsigned int nr)
{
	const struct fit_rule rule = { .max_weight = most };
	u8 weights[MOST_NODES], work[MOST_NODES];
	unsigned int i;

	if (kernel)
		interleave_fit(bandwidth, weights, work, nr, most);
	else
		fit_weights(&rule, bandwidth, nr, weights);
	for (i = 0; i < nr; i++)
		printf(i ? " %u" : "%u", weights[i]);
	putchar('\n');
}

static int print_mixed(bool kernel)
{
	unsigned int reading, writing, reads;
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%u %u %u", &reading, &writing, &reads) != 3)
			errx(2, "a line that is no mix");
		printf("%u\n", kernel ? interleave_mixed(reading, writing, reads) :
					fit_mix(reading, writing, reads));
	}
	return fflush(stdout) || ferror(stdin);
}

int main(int argc, char **argv)
{
	bool kernel = argc > 1 && !strcmp(argv[1], "kernel");
	u32 bandwidth[MOST_NODES];
	char line[1024], *word;
	unsigned int most, nr;

	if (argc < 2 || argc > 3 || (!kernel && strcmp(argv[1], "bwactl")) ||
	    (argc == 3 && strcmp(argv[2], "mixed")))
		errx(2, "usage: weights kernel|bwactl [mixed]");
	if (argc == 3)
		return print_mixed(kernel);
	while (fgets(line, sizeof(line), stdin)) {
		most = strtoul(line, &word, 10);
		word = strtok(word, "\n ");
		for (nr = 0; word && nr < MOST_NODES; nr++) {
			bandwidth[nr] = strtoul(word, NULL, 10);
			word = strtok(NULL, "\n ");
		}
		if (!most || most > 255 || !nr || word)
			errx(2, "a line that is no set of bandwidths");
		print_weights(kernel, most, bandwidth, nr);
	}
	return fflush(stdout) || ferror(stdin);
}
