// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that work together, one on each CPU. They meet without sleeping: how
 * long a thread takes to wake up is not part of what is measured.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "team.h"

static unsigned int members, arrived, meetings;
static unsigned int cpus[MAX_THREADS];
static uint64_t began[MAX_THREADS], ended[MAX_THREADS];
static void (*work_of_all)(unsigned int number);

/**
 * team_rest - a short rest of a thread that waits
 *
 * In the model 40 ns.
 */
void team_rest(void)
{
	__builtin_ia32_pause();
}

/**
 * team_meet - waits until all threads are here
 */
void team_meet(void)
{
	unsigned int meeting = __atomic_load_n(&meetings, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == members) {
		__atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&meetings, meeting + 1, __ATOMIC_RELEASE);
		return;
	}
	while (__atomic_load_n(&meetings, __ATOMIC_ACQUIRE) == meeting)
		team_rest();
}

/**
 * team_prepared - waits until all threads are here, and switches the model on
 * @number: of the calling thread
 *
 * model_off() before team_run() has switched it off.
 */
void team_prepared(unsigned int number)
{
	team_meet();
	if (!number)
		model_on();
	team_meet();
}

/**
 * team_begin - waits until all threads are here, for work that is measured
 * @number: of the calling thread
 *
 * team_took() ends it.
 */
void team_begin(unsigned int number)
{
	team_meet();
	began[number] = now_ns();
}

/**
 * team_took - waits until all threads have done what is measured
 * @number: of the calling thread
 *
 * A thread that an interrupt keeps from leaving team_begin() starts late: that is
 * why no thread's own time is the one of all.
 *
 * Return: from when the first thread began to when the last one ended, in
 * nanoseconds.
 */
uint64_t team_took(unsigned int number)
{
	uint64_t first, last;
	unsigned int i;

	ended[number] = now_ns();
	team_meet();
	first = began[0];
	last = ended[0];
	for (i = 1; i < members; i++) {
		if (began[i] < first)
			first = began[i];
		if (ended[i] > last)
			last = ended[i];
	}
	return last - first;
}

static void *run_member(void *data)
{
	unsigned int number = (uintptr_t)data;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpus[number], &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("CPU %u went away", cpus[number]);
	work_of_all(number);
	return NULL;
}

/**
 * team_run - does work in threads
 * @threads: how many; the caller is the first one of them
 * @work: what each does, with its number: the first one is on the first CPU that the
 *	caller may use, and so on
 */
void team_run(unsigned int threads, void (*work)(unsigned int number))
{
	pthread_t ids[MAX_THREADS];
	unsigned int i, cpu = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("the CPUs are not known");
	if ((unsigned int)CPU_COUNT(&set) < threads)
		die("%u threads need as many CPUs, and there are %d", threads,
		    CPU_COUNT(&set));
	for (i = 0; i < threads; i++, cpu++) {
		while (!CPU_ISSET(cpu, &set))
			cpu++;
		cpus[i] = cpu;
	}
	members = threads;
	work_of_all = work;
	for (i = 1; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, run_member, (void *)(uintptr_t)i))
			die("no thread");
	}
	run_member(NULL);
	for (i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
}
