// SPDX-License-Identifier: GPL-2.0
/*
 * What is scanned of a task that has pages on slow nodes, and how fast.
 *
 * What a task has counted is changed by itself only. What an address space is known for
 * is changed by the task that scans it: seldom by two at once, and then a pass more or
 * less counts. Faults read how many passes that is. It lives as long as the address space.
 */
#include <linux/jiffies.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/time64.h>

#include "promote.h"
#include "score.h"

/* Of the pages that are touched in a pass, so many parts in forty */
#define PARTS			40
#define MANY_PROMOTED		5
#define FEW_PROMOTED		2
#define MANY_MORE_WARM		8
#define FEW_MORE_WARM		4

static void start_pass(struct task_struct *p, int pass)
{
	p->numa_promotion_pass = pass;
	p->numa_slow_faults = 0;
	p->numa_slow_warm = 0;
	p->numa_promoted = 0;
}

/**
 * promotion_init_task - start a task with nothing promoted
 * @p: a new task
 *
 * Context: fork; nobody else sees the task.
 */
void promotion_init_task(struct task_struct *p)
{
	p->numa_promotion_pages = 0;
	p->numa_promotion_charged = 0;
	p->numa_promotion_bin = LATENCY_BINS;
	p->numa_warm_usual = 0;
	start_pass(p, 0);
}

/**
 * pace_step - how fast to scan after a pass
 * @usual: how much of what was touched in the passes before was warm, 0 to 1 in
 *         fractions of PACE_SHIFT bits; is changed
 * @pass:  what became of pages of slow nodes in this one
 *
 * While many come up, or more than before are about to, each pass tells more. When scores
 * have come to rest, another pass tells little: what is on slow nodes belongs there. How
 * many are warm then depends on how alike pages are.
 *
 * Return: -1 for twice as fast, 1 for half as fast, 0 for the same.
 */
int pace_step(unsigned int *usual, const struct pace_pass *pass)
{
	u64 touched = pass->touched, promoted = (u64)pass->promoted * PARTS;
	unsigned int warm, before = *usual * PARTS;

	if (!touched)
		return 0;
	warm = div64_u64((u64)min(pass->warm, pass->touched) << PACE_SHIFT, touched);
	*usual = (*usual + warm) / 2;
	warm *= PARTS;
	if (promoted >= touched * MANY_PROMOTED ||
	    warm >= before + (MANY_MORE_WARM << PACE_SHIFT))
		return -1;
	return promoted < touched * FEW_PROMOTED &&
	       warm < before + (FEW_MORE_WARM << PACE_SHIFT);
}

/**
 * promotion_init_mm - start an address space that is new
 * @mm: that of a task that begins, or of a program
 *
 * Context: fork and exec; nobody else sees it.
 */
void promotion_init_mm(struct mm_struct *mm)
{
	mm->numa_known_pages = 0;
	mm->numa_known_passes = 0;
	mm->numa_known_pass = mm->numa_scan_seq;
	mm->numa_known_at = jiffies;
}

/*
 * The base begins to count anew in a process that forks, which is taken for another pass.
 * While a process has little, passes are over before anything is touched: only those count
 * that end as long after another one as the scan waits for what is new.
 */
static void count_pass(struct mm_struct *mm, int pass)
{
	unsigned int now = jiffies, since = now - READ_ONCE(mm->numa_known_at);
	bool apart = since >= msecs_to_jiffies(READ_ONCE(sysctl_numa_balancing_scan_delay));
	unsigned long before = READ_ONCE(mm->numa_known_pages), pages = before;
	unsigned int passes = READ_ONCE(mm->numa_known_passes);

	if (pass == READ_ONCE(mm->numa_known_pass))
		return;
	WRITE_ONCE(mm->numa_known_pass, pass);
	passes = score_passes(passes, apart, get_mm_rss(mm), &pages);
	WRITE_ONCE(mm->numa_known_passes, passes);
	if (!apart && pages == before)
		return;
	WRITE_ONCE(mm->numa_known_pages, pages);
	WRITE_ONCE(mm->numa_known_at, now);
}

/**
 * promotion_scan_begins - memory of a task is about to be scanned
 * @p:        the task, current
 * @shortest: the shortest period that it may have, ms
 * @longest:  the longest one, ms
 *
 * New pages, and those whose migration has failed, wait in a batch of the CPU for
 * their LRU list until others follow. The scan passes over them, as the batch is
 * one more user of them: the last pages that a task takes would never come up.
 *
 * When the scan has begun anew since, the period is set by what the pass has told.
 * In mode 3 it goes by the fast nodes as well, as the base has it, which slows it down.
 * Its limits are those of the memory that there is now: a task that has grown would
 * take its whole pass at the pace of a small one.
 *
 * Context: the task itself, at most once a scan period; no locks.
 */
void promotion_scan_begins(struct task_struct *p, unsigned int shortest,
			   unsigned int longest)
{
	int pass = READ_ONCE(p->mm->numa_scan_seq);
	struct pace_pass was = {
		.touched = p->numa_slow_faults,
		.warm = p->numa_slow_warm,
		.promoted = p->numa_promoted,
	};
	unsigned int period = p->numa_scan_period;
	int step;

	if (!promotion_is_on())
		return;
	lru_add_drain();
	count_pass(p->mm, pass);
	if (pass != p->numa_promotion_pass) {
		start_pass(p, pass);
		step = pace_step(&p->numa_warm_usual, &was);
		if (step < 0)
			period >>= 1;
		else if (step && sysctl_numa_balancing_mode == NUMA_BALANCING_MEMORY_TIERING)
			period <<= 1;
	}
	p->numa_scan_period = clamp(period, shortest, longest);
}

/* Ticks that a call of the scan is apart from the next one, at least */
#define PORTION_TICKS	4
/* Pages that one looks at, at least: two huge ones */
#define PORTION_PAGES	1024

/**
 * scan_portions - in how many calls memory is scanned
 * @period: how long that takes, ms
 * @size:   how much it is, MB
 *
 * Return: at least 1.
 */
unsigned int scan_portions(unsigned int period, unsigned int size)
{
	unsigned long pages = (unsigned long)size << (20 - PAGE_SHIFT);
	unsigned long most = msecs_to_jiffies(period) / PORTION_TICKS;

	return max(min(most, pages / PORTION_PAGES), 1UL);
}

static unsigned int portions_of(const struct task_struct *p, unsigned int size)
{
	return promotion_is_on() ? scan_portions(p->numa_scan_period, size) : 1;
}

/**
 * promotion_scan_interval - how long a call of the scan is apart from the next one
 * @p:    the task
 * @size: how much the base scans in one go, MB
 *
 * For the milliseconds that 256 MB take the task does nothing else, and when it goes on
 * the hint faults of all that come at once. In as many portions as there are ticks for
 * a call takes little, and what faults tell comes evenly.
 *
 * Context: any.
 * Return: ms.
 */
unsigned int promotion_scan_interval(const struct task_struct *p, unsigned int size)
{
	return p->numa_scan_period / portions_of(p, size);
}

/**
 * promotion_scan_runtime - how long a task runs between two calls of the scan
 * @p:    the task
 * @size: how much the base scans in one go, MB
 *
 * Who has scanned waits two ticks longer, so that another thread may be the next.
 *
 * Context: any.
 * Return: ns.
 */
u64 promotion_scan_runtime(const struct task_struct *p, unsigned int size)
{
	u64 runtime = (u64)promotion_scan_interval(p, size) * NSEC_PER_MSEC;

	return portions_of(p, size) > 1 ? runtime - 2 * TICK_NSEC : runtime;
}

/**
 * promotion_scan_portion - how much one call of the scan looks at
 * @p:    the task, current
 * @size: how much the base scans in one go, MB
 *
 * Context: the task itself.
 * Return: pages.
 */
long promotion_scan_portion(const struct task_struct *p, unsigned int size)
{
	return DIV_ROUND_UP((long)size << (20 - PAGE_SHIFT), portions_of(p, size));
}

/**
 * promotion_scans_shared - does the scan look at shared memory without a policy?
 *
 * The base's does not, so that what is hot of it would stay on slow nodes.
 *
 * Context: any.
 */
bool promotion_scans_shared(void)
{
	return promotion_is_on();
}

/**
 * promotion_scan_period - how fast to scan a task that only had promotions
 * @p: the task, current
 *
 * The base doubles the period of a task without faults on fast nodes. That would be
 * those whose hot pages are all on slow ones.
 *
 * Return: ms.
 */
unsigned int promotion_scan_period(struct task_struct *p)
{
	return promotion_is_on() ? p->numa_scan_period : p->numa_scan_period << 1;
}
