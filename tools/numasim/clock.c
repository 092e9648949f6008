// SPDX-License-Identifier: GPL-2.0
/*
 * Times of CPUs that are emulated one after another, each with its own time. A
 * CPU runs until it is a quantum ahead of the running CPU that is furthest behind.
 * So the last one of a round comes first in the next interval, and each is as
 * often as any other the first to use what is free in an interval.
 */
#include "clock.h"

/* The earliest time of the running CPUs but @but, or UINT64_MAX */
static uint64_t earliest(const struct clock *clock, unsigned int but)
{
	uint64_t time = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < SIM_MAX_CPUS; i++) {
		if (i != but && clock->running[i] && clock->now[i] < time)
			time = clock->now[i];
	}
	return time;
}

/**
 * clock_behind - the time that every CPU has reached
 * @clock: the times
 *
 * Return: the earliest time of the running CPUs, or when there is none, the time
 * up to which nothing happens, ps.
 */
uint64_t clock_behind(const struct clock *clock)
{
	uint64_t time = earliest(clock, SIM_MAX_CPUS);

	return time == UINT64_MAX || time < clock->idle ? clock->idle : time;
}

/**
 * clock_limit - how far a CPU may run
 * @clock: the times
 * @cpu: number of the CPU
 *
 * One that is alone has a limit too, as it may wake others.
 *
 * Return: time at which it has to let others run, ps.
 */
uint64_t clock_limit(const struct clock *clock, unsigned int cpu)
{
	uint64_t time = earliest(clock, cpu);

	return (time == UINT64_MAX ? clock->now[cpu] : time) + clock->quantum;
}

/**
 * clock_wake - a CPU runs that was halted, or runs already
 * @clock: the times
 * @cpu: number of the CPU
 *
 * Whatever has woken it has reached the time of all others.
 */
void clock_wake(struct clock *clock, unsigned int cpu)
{
	uint64_t time;

	if (clock->running[cpu])
		return;
	time = clock_behind(clock);
	if (clock->now[cpu] < time)
		clock->now[cpu] = time;
	clock->running[cpu] = true;
}

/**
 * clock_halt - a CPU waits for an interrupt
 * @clock: the times
 * @cpu: number of the CPU
 */
void clock_halt(struct clock *clock, unsigned int cpu)
{
	clock->running[cpu] = false;
	if (earliest(clock, cpu) == UINT64_MAX && clock->idle < clock->now[cpu])
		clock->idle = clock->now[cpu];
}

/**
 * clock_skip - all CPUs wait, and nothing happens before a time
 * @clock: the times
 * @time: that time, ps
 */
void clock_skip(struct clock *clock, uint64_t time)
{
	if (clock->idle < time)
		clock->idle = time;
}
