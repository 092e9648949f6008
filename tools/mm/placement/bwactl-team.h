/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that use memory together */
#ifndef BWACTL_TEAM_H
#define BWACTL_TEAM_H

#include <stdbool.h>

struct buffer;
struct mix;

/* Threads on CPUs of their own, which begin and end together */
struct team;

enum job { JOB_FILL, JOB_STREAM, JOB_LINK, JOB_CHASE };

/*
 * One thread for each of @cpus, of which there is one at least; each has a part
 * of the buffer. NULL, after complaining, when impossible
 */
struct team *make_team(const bool *cpus, const struct buffer *buffer,
		       const struct mix *mix);

/* After its last run; NULL is no team */
void free_team(struct team *team);

/*
 * JOB_FILL, JOB_STREAM: all do it, the answer is the sum of MB/s.
 * JOB_LINK, JOB_CHASE: one does, after one another; the answer is ns.
 * Complains and returns false when a thread cannot be had on its CPU.
 */
bool run_team(struct team *team, enum job job, double seconds, double *answer);

#endif /* BWACTL_TEAM_H */
