// SPDX-License-Identifier: GPL-2.0
/* Chance that is always the same, and rings of pointers drawn by it */
#include "ring.h"

/**
 * chance - the next number of a fixed sequence that looks like chance
 * @below: bound, not 0
 *
 * Return: a number below @below.
 */
uint64_t chance(uint64_t below)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/**
 * make_ring - has links point to each other, so that they are one ring
 * @links: the links
 * @count: how many
 *
 * Swapping where a link points to with a link of another ring joins both rings.
 */
void make_ring(struct link *links, size_t count)
{
	struct link *next;
	size_t i, j;

	for (i = 0; i < count; i++)
		links[i].next = &links[i];
	for (i = count - 1; i; i--) {
		j = chance(i);
		next = links[i].next;
		links[i].next = links[j].next;
		links[j].next = next;
	}
}

/**
 * follow_ring - follows the pointers of a ring
 * @link: where to begin
 * @steps: how far
 *
 * Return: where that leads to.
 */
struct link *follow_ring(struct link *link, size_t steps)
{
	while (steps--)
		link = link->next;
	return link;
}
