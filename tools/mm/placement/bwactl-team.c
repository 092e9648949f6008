// SPDX-License-Identifier: GPL-2.0
/* Threads that fill memory, stream through it, or chase pointers in it */
#include "bwactl-team.h"

#include <err.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bwactl-buffer.h"
#include "bwactl-machine.h"
#include "bwactl-mixes.h"

#define WINDOW_LINES	32768	/* 2 MiB: within reach of most TLBs */
#define WORD_BITS	(8 * sizeof(unsigned long))

struct worker {
	struct team *team;
	pthread_t thread;
	int cpu;
	int error;		/* why it is not on its CPU */
	char *part;
	size_t size;
	double answer;
};

struct team {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int ready;
	enum { WAIT, GO, CANCEL } state;
	atomic_bool stop;
	enum job job;
	const struct mix *mix;
	const struct buffer *buffer;
	void *at;		/* where the chase goes on */
	int count;
	struct worker worker[];
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void pause_for(double seconds)
{
	struct timespec time = {
		.tv_sec = seconds,
		.tv_nsec = (seconds - floor(seconds)) * 1e9,
	};

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static int pin(int cpu)
{
	unsigned long mask[MAX_CPUS / WORD_BITS] = {};

	mask[cpu / WORD_BITS] = 1UL << cpu % WORD_BITS;
	if (sched_setaffinity(0, sizeof(mask), (cpu_set_t *)mask))
		return errno;
	return 0;
}

static double fill(struct worker *worker)
{
	memset(worker->part, 1, worker->size);
	return 0;
}

static double stream(struct worker *worker)
{
	const struct mix *mix = worker->team->mix;
	double begin = now(), chunks = 0;
	size_t at = 0;

	do {
		mix->run(worker->part + at);
		chunks++;
		at += CHUNK;
		if (at + CHUNK > worker->size)
			at = 0;
	} while (!worker->team->stop);
	return chunks * mix->bytes / (now() - begin) / 1e6;
}

static void shuffle(unsigned short *order, size_t count)
{
	unsigned long long random = 88172645463325252;
	size_t i, other;
	unsigned short line;

	for (i = 0; i < count; i++)
		order[i] = i;
	for (i = count - 1; i > 0; i--) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		other = random % (i + 1);
		line = order[i];
		order[i] = order[other];
		order[other] = line;
	}
}

/*
 * Makes one ring of all lines. It goes through windows in their order, and
 * through the lines of each in an order that no prefetcher guesses. No line is
 * met again before all others.
 */
static double link_lines(struct team *team)
{
	static unsigned short order[WINDOW_LINES];
	size_t lines = team->buffer->size / LINE, window = WINDOW_LINES;
	char *memory = team->buffer->memory;
	void **last = NULL, **at;
	size_t base, i;

	if (window > lines)
		window = lines;
	shuffle(order, window);
	for (base = 0; base + window <= lines; base += window) {
		for (i = 0; i < window; i++) {
			at = (void **)(memory + (base + order[i]) * LINE);
			if (last)
				*last = at;
			last = at;
		}
	}
	team->at = memory + order[0] * LINE;
	*last = team->at;
	return 0;
}

static double chase(struct team *team)
{
	void **at = team->at;
	double begin = now(), steps = 0;
	int i;

	do {
		for (i = 0; i < 1000; i++)
			at = *at;
		asm volatile("" : : "r" (at));
		steps += 1000;
	} while (!team->stop);
	team->at = at;
	return (now() - begin) / steps * 1e9;
}

static double do_job(struct worker *worker)
{
	switch (worker->team->job) {
	case JOB_FILL:
		return fill(worker);
	case JOB_STREAM:
		return stream(worker);
	case JOB_LINK:
		return link_lines(worker->team);
	default:
		return chase(worker->team);
	}
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct team *team = worker->team;
	int state;

	worker->error = pin(worker->cpu);
	pthread_mutex_lock(&team->lock);
	team->ready++;
	pthread_cond_broadcast(&team->changed);
	while (team->state == WAIT)
		pthread_cond_wait(&team->changed, &team->lock);
	state = team->state;
	pthread_mutex_unlock(&team->lock);
	if (state == GO)
		worker->answer = do_job(worker);
	return NULL;
}

/* Starts threads; returns how many of @count */
static int start_threads(struct team *team, int count)
{
	int i, error;

	team->ready = 0;
	team->state = WAIT;
	team->stop = false;
	for (i = 0; i < count; i++) {
		error = pthread_create(&team->worker[i].thread, NULL, work,
				       &team->worker[i]);
		if (!error)
			continue;
		warnx("cannot start %d threads: %s", count, strerror(error));
		break;
	}
	return i;
}

static bool all_pinned(const struct team *team, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!team->worker[i].error)
			continue;
		warnx("cannot use CPU %d: %s", team->worker[i].cpu,
		      strerror(team->worker[i].error));
		return false;
	}
	return true;
}

/* When all are on their CPUs they go; else they end */
static bool release(struct team *team, int started, int count)
{
	bool good;

	pthread_mutex_lock(&team->lock);
	while (team->ready < started)
		pthread_cond_wait(&team->changed, &team->lock);
	good = started == count && all_pinned(team, count);
	team->state = good ? GO : CANCEL;
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->lock);
	return good;
}

bool run_team(struct team *team, enum job job, double seconds, double *answer)
{
	int count = job == JOB_LINK || job == JOB_CHASE ? 1 : team->count;
	int started, i;
	bool good;

	team->job = job;
	started = start_threads(team, count);
	good = release(team, started, count);
	if (good)
		pause_for(seconds);
	team->stop = true;
	*answer = 0;
	for (i = 0; i < started; i++) {
		pthread_join(team->worker[i].thread, NULL);
		*answer += team->worker[i].answer;
	}
	return good;
}

/* Parts of whole chunks; what is left over at the end nobody uses */
static void divide(struct team *team, const bool *cpus, size_t part)
{
	struct worker *worker = team->worker;
	int i;

	for (i = 0; i < MAX_CPUS; i++) {
		if (!cpus[i])
			continue;
		worker->team = team;
		worker->cpu = i;
		worker->part = team->buffer->memory +
			       part * (worker - team->worker);
		worker->size = part;
		worker++;
	}
}

struct team *make_team(const bool *cpus, const struct buffer *buffer,
		       const struct mix *mix)
{
	int count = 0, i;
	struct team *team;
	size_t part;

	for (i = 0; i < MAX_CPUS; i++)
		count += cpus[i];
	part = buffer->size / count / CHUNK * CHUNK;
	if (!part) {
		warnx("--buffer is too small: %d CPUs need %d KiB", count,
		      count * (CHUNK / 1024));
		return NULL;
	}
	team = calloc(1, sizeof(*team) + count * sizeof(team->worker[0]));
	if (!team) {
		warn("cannot measure");
		return NULL;
	}
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->changed, NULL);
	team->mix = mix;
	team->buffer = buffer;
	team->count = count;
	divide(team, cpus, part);
	return team;
}

void free_team(struct team *team)
{
	free(team);
}
