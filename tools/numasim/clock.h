/* SPDX-License-Identifier: GPL-2.0 */
/* Times of CPUs that are emulated one after another */
#ifndef NUMASIM_CLOCK_H
#define NUMASIM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

/**
 * struct clock - times of CPUs
 * @quantum: how far one may run ahead of the one that is furthest behind, ps
 * @now: time of each CPU, ps; it never goes back
 * @running: it is not halted
 * @idle: time up to which all CPUs have been halted once, ps
 */
struct clock {
	uint64_t quantum;
	uint64_t now[SIM_MAX_CPUS];
	bool running[SIM_MAX_CPUS];
	uint64_t idle;
};

uint64_t clock_behind(const struct clock *clock);
uint64_t clock_limit(const struct clock *clock, unsigned int cpu);
void clock_wake(struct clock *clock, unsigned int cpu);
void clock_halt(struct clock *clock, unsigned int cpu);
void clock_skip(struct clock *clock, uint64_t time);

#endif
