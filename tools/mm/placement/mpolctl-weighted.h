/* SPDX-License-Identifier: GPL-2.0 */
/* What mpolctl run and mpolctl set share */
#ifndef MPOLCTL_WEIGHTED_H
#define MPOLCTL_WEIGHTED_H

#include <stdbool.h>

#include "common.h"

/*
 * Whether pages can go to all nodes of @ratio: the kernel leaves others out without a
 * word, and the ratio with them. Complains as @command does, "run" or "set".
 * @process is "self" or a PID, whose cpuset counts.
 */
bool check_nodes(const char *command, const struct ratio *ratio, unsigned int mode_flags,
		 const char *process);

/* Complains that @call is missing, and says why, by errno */
void complain_missing(const char *command, const char *call);

#endif /* MPOLCTL_WEIGHTED_H */
