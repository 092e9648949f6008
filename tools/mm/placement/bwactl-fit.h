/* SPDX-License-Identifier: GPL-2.0 */
/* Weights in the ratio of bandwidths */
#ifndef BWACTL_FIT_H
#define BWACTL_FIT_H

#include <stddef.h>

/* So that the products of two bandwidths and two weights fit 64 bits */
#define FIT_MAX_MBPS	8000000

/* How far off a ratio may be: what measurements are good for */
#define FIT_PER_MILLE	40

/* So that the product of two and a percentage fits 64 bits */
#define FIT_MAX_TOLD	0x10000000U

/* 67 % of reads where the kernel has no file for it: two reads a write */
#define FIT_MIX		67

/**
 * fit_mix - what a node gives of reads and writes together
 * @reading: its bandwidth of reads alone, up to FIT_MAX_TOLD, 0 if nobody tells
 * @writing: so too of writes alone
 * @reads: percent of the bytes that are read, 0 to 100
 *
 * Each byte takes its time, as the kernel has it; of what is not told the other is
 * taken.
 *
 * Return: between both, or 0 if nobody tells either.
 */
unsigned int fit_mix(unsigned int reading, unsigned int writing,
		     unsigned int reads);

/**
 * struct fit_rule - what weights are wanted
 * @max_weight: the largest that is allowed, 1 to 255
 * @per_mille: take the smallest weights whose ratios are off by no more than
 *	this; 0, and where there are none: those with the smallest error, which
 *	are those that the kernel derives
 */
struct fit_rule {
	unsigned int max_weight;
	unsigned int per_mille;
};

/**
 * fit_weights - small integers in the ratio of bandwidths
 * @rule: which of all
 * @mbps: bandwidths, each 1 to FIT_MAX_MBPS
 * @count: how many, at least one
 * @weights: where as many weights go, each 1 to the largest allowed
 *
 * The error of weights is that of the pair of nodes whose ratio is furthest
 * off. Of equally good weights those with the smallest sum are taken, which
 * therefore have no common divisor.
 *
 * Return: the error, 0 when all ratios are exact.
 */
double fit_weights(const struct fit_rule *rule, const unsigned int *mbps,
		   size_t count, unsigned char *weights);

#endif /* BWACTL_FIT_H */
