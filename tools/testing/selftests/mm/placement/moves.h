/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process does whose memory may follow it, and what has become of the
 * memory in the ticks in which it would have.
 */
#ifndef MOVES_H
#define MOVES_H

#include "migration.h"

/* Pages that follow in a hundredth of a second's ticks: 1 GiB in all of them */
#define PIECE_PAGES	2621

/*
 * Ticks that have met the CPU of stay_on(@node) in user space, in hundredths of a
 * second: after each a piece of the memory follows. Those that meet it in the kernel
 * are many where a machine is slow, and are not counted.
 */
static inline long long ticks_of(int node)
{
	char key[16];
	int cpu = served_cpu(node);

	if (cpu < 0)
		return cpu;
	snprintf(key, sizeof(key), "cpu%d", cpu);
	return file_value("/proc/stat", key);
}

/*
 * Runs in user space until @done() says so; false after twice the ticks in which
 * the interval ends and the memory follows, and some for what else the process has
 */
static inline bool runs_until(struct move *move, bool (*done)(const struct move *move))
{
	long long end = ticks_of(move->to) + 2 * 100 * move->held +
			2 * (move->pages / PIECE_PAGES) + 20;
	time_t begin = guard_begin();

	while (!done(move)) {
		if (ticks_of(move->to) >= end || guard_over(begin))
			return false;
		spin();
	}
	return true;
}

static inline bool most_are_there(const struct move *move)
{
	return count_on(&move->area, move->to) >= MOST_OF((int)move->pages);
}

static inline bool never(const struct move *move)
{
	return false;
}

/* The pages on @to, when the task has been there for long enough */
static inline int pages_that_followed(struct move *move)
{
	runs_until(move, most_are_there);
	return count_on(&move->area, move->to);
}

static inline int pages_that_strayed(struct move *move)
{
	runs_until(move, never);
	return count_on(&move->area, move->to);
}

/* Fills memory on @from, from there, and goes to @to; -errno */
static inline int go(struct move *move)
{
	int err;

	err = stay_on(move->from);
	if (!err && move->map)
		err = move->map(move);
	else if (!err)
		err = map_on(&move->area, move->from, move->pages, move->huge);
	if (!err && move->before)
		err = move->before(move);
	if (!err && count_on(&move->area, move->from) != (int)move->pages)
		err = -EAGAIN;
	return err ?: stay_on(move->to);
}

enum { FOLLOWED, STAYED, SOME_DID, NOT_GONE };

static inline int result(const struct move *move, int pages)
{
	if (pages >= MOST_OF((int)move->pages))
		return FOLLOWED;
	if (pages)
		note("%d pages of %zu on node %d", pages, move->pages, move->to);
	return pages ? SOME_DID : STAYED;
}

static inline int follow(void *arg)
{
	struct move *move = arg;

	return go(move) ? NOT_GONE : result(move, pages_that_followed(move));
}

static inline int stay(void *arg)
{
	struct move *move = arg;

	return go(move) ? NOT_GONE : result(move, pages_that_strayed(move));
}

static inline bool most_are_marked(const struct move *move)
{
	return counter("auto_migrate_unmapped") - move->marked >=
	       MOST_OF((long long)move->pages);
}

/* A page that is marked stays where it is until it is touched, which is a fault. */
static inline int marked_then_touched(void *arg)
{
	struct move *move = arg;
	long long faults;

	move->marked = counter("auto_migrate_unmapped");
	if (go(move))
		return NOT_GONE;
	if (!runs_until(move, most_are_marked))
		return STAYED;
	if (count_on(&move->area, move->to) > (int)move->pages / 100)
		return SOME_DID;
	faults = counter("auto_migrate_faults");
	touch_once(&move->area);
	if (counter("auto_migrate_faults") - faults < MOST_OF((long long)move->pages))
		return SOME_DID;
	return result(move, count_on(&move->area, move->to));
}

#endif /* MOVES_H */
