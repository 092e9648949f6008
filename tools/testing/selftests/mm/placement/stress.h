/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that work beside each other, until each of them has done so many
 * rounds: seconds would be fewer rounds where the machine is slow.
 */
#ifndef STRESS_H
#define STRESS_H

#include <pthread.h>

#include "placement.h"

struct stress {
	struct nodeset nodes;
	bool stop;
	/* The first thing that went wrong */
	const char *wrong;
};

struct worker {
	struct stress *stress;
	void *(*work)(void *worker);
	int rounds;
	pthread_t thread;
};

void round_done(struct worker *worker);
/* Called once a round, which it counts */
bool stopped(struct worker *worker);
/* Has each done as many as @rounds? */
bool all_worked(const struct worker *worker, size_t count, int rounds);

#endif /* STRESS_H */
