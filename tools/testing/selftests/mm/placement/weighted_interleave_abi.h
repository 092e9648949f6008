/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the calls begin and end with: two nodes, or the only one,
 * and weights that are all 1.
 */
#ifndef WEIGHTED_INTERLEAVE_ABI_H
#define WEIGHTED_INTERLEAVE_ABI_H

#include "cases.h"
#include "placement.h"

FIXTURE(abi)
{
	struct saved_weights saved;
	struct nodeset memory;
	/* The first two nodes, or the only one */
	struct nodeset nodes;
	int first;
	int second;
	char list[64];
	const char *missing;
};

FIXTURE_SETUP(abi)
{
	ASSERT_EQ(0, weights_enter(&self->saved, 1, &self->missing));
	if (self->missing)
		return;
	self->memory = self->saved.nodes;
	self->nodes = nodeset_head(&self->memory, 2);
	self->first = nodeset_nth(&self->memory, 0);
	self->second = nodeset_nth(&self->memory, 1);
	nodeset_format(&self->nodes, self->list, sizeof(self->list));
}

FIXTURE_TEARDOWN(abi)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (!self->missing)
		EXPECT_EQ(0, weights_restore(&self->saved));
}

#endif /* WEIGHTED_INTERLEAVE_ABI_H */
