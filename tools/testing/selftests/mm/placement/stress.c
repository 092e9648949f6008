// SPDX-License-Identifier: GPL-2.0
/* Threads that work beside each other, see stress.h */
#include "stress.h"

void round_done(struct worker *worker)
{
	__atomic_add_fetch(&worker->rounds, 1, __ATOMIC_RELAXED);
}

bool stopped(struct worker *worker)
{
	round_done(worker);
	return __atomic_load_n(&worker->stress->stop, __ATOMIC_RELAXED);
}

bool all_worked(const struct worker *worker, size_t count, int rounds)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (__atomic_load_n(&worker[i].rounds, __ATOMIC_RELAXED) < rounds)
			return false;
	return true;
}
