// SPDX-License-Identifier: GPL-2.0
/*
 * Touches memory with a known distribution, and says which share of the touches
 * the fast node serves, beside the best that any placement could reach.
 *
 * --fill takes so much of the fast node away; --want fails unless at last that
 * percentage of what the rest of it could serve is reached; --fast and --slow
 * name the nodes.
 *
 * The touches are drawn beforehand into a table that is walked again and again,
 * so the share of each page is known exactly, and what is measured is where
 * pages are, not how long anything takes.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "placement.h"

#define TABLE_TOUCHES	2097152U
/* Pages looked up in one call of move_pages(2) */
#define LOOKUP		1024
/* Pages of all groups, side by side */
#define GROUP_COUNT	5
#define ALL_GROUPS	62
/* One touch in 5 writes */
#define WRITE_EVERY	5

enum distribution { NORMAL, ZIPF, UNIFORM, SHIFTING, GROUPS };

static const char * const names[] = {
	"normal", "zipf", "uniform", "shifting", "groups"
};

struct load {
	enum distribution distribution;
	size_t pages;
	size_t fill;
	int seconds;
	int every;
	int fast;
	int slow;
	bool huge;
	char *memory;
	unsigned int *table;
	unsigned int *share;
	int *node;
	unsigned long long random;
	unsigned int sum;
	bool counters;
	int want;
	bool summary;
	double percent;
	long long promoted;
	long long demoted;
};

static unsigned int draw(struct load *load)
{
	/* xorshift64*, S. Vigna, "An experimental exploration" (2016) */
	load->random ^= load->random >> 12;
	load->random ^= load->random << 25;
	load->random ^= load->random >> 27;
	return (load->random * 0x2545f4914f6cdd1dULL) >> 32;
}

/* In the middle of the memory, with a deviation of an eighth of it */
static size_t draw_normal(struct load *load)
{
	long long sum = 0;
	int i;

	for (;;) {
		long long page;

		/* Twelve uniform ones make a normal one with a variance of 1 */
		for (sum = 0, i = 0; i < 12; i++)
			sum += draw(load);
		sum -= 6LL << 32;
		page = (long long)load->pages / 2 +
		       (sum >> 16) * (long long)load->pages / 8 / (1 << 16);
		if (page >= 0 && page < (long long)load->pages)
			return page;
	}
}

static size_t find(const double *below, size_t pages, double value)
{
	size_t low = 0, high = pages - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (below[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The page of rank r has 1/r of the touches; ranks are all over the memory */
static void fill_zipf(struct load *load)
{
	unsigned int *page = calloc(load->pages, sizeof(*page));
	double *below = calloc(load->pages, sizeof(*below));
	double sum = 0;
	size_t i;

	if (!page || !below)
		err(EXIT_FAILURE, "memory");
	for (i = 0; i < load->pages; i++) {
		size_t j = draw(load) % (i + 1);

		page[i] = page[j];
		page[j] = i;
		sum += 1.0 / (i + 1);
		below[i] = sum;
	}
	for (i = 0; i < TABLE_TOUCHES; i++)
		load->table[i] = page[find(below, load->pages,
					   sum * draw(load) / 4294967296.0)];
	free(page);
	free(below);
}

/* One page in 8 has nine touches in ten; which ones, changes half-way */
static size_t draw_shifting(struct load *load, bool later)
{
	size_t hot = load->pages / 8;

	if (draw(load) % 10 == 0)
		return draw(load) % load->pages;
	return (later ? load->pages / 2 : 0) + draw(load) % hot;
}

/*
 * Five groups of which each has a fifth of the touches: 2 of 62 pages, 4, 8, 16
 * and 32. Neighbours are of different groups, as 27 is prime to 62.
 */
static size_t draw_group(struct load *load)
{
	unsigned int group = draw(load) % GROUP_COUNT;
	unsigned int place = (2U << group) - 2 + draw(load) % (2U << group);

	return draw(load) % (load->pages / ALL_GROUPS) * ALL_GROUPS +
	       place * 27 % ALL_GROUPS;
}

static unsigned int group_of(size_t page)
{
	unsigned int place = page % ALL_GROUPS * 23 % ALL_GROUPS, group = 0;

	while (place >= (4U << group) - 2)
		group++;
	return group;
}

static size_t draw_page(struct load *load, bool later)
{
	switch (load->distribution) {
	case NORMAL:
		return draw_normal(load);
	case SHIFTING:
		return draw_shifting(load, later);
	case GROUPS:
		return draw_group(load);
	default:
		return draw(load) % load->pages;
	}
}

static void fill_table(struct load *load, bool later)
{
	size_t i;

	if (load->distribution == ZIPF)
		fill_zipf(load);
	else
		for (i = 0; i < TABLE_TOUCHES; i++)
			load->table[i] = draw_page(load, later);
	memset(load->share, 0, load->pages * sizeof(*load->share));
	for (i = 0; i < TABLE_TOUCHES; i++)
		load->share[load->table[i]]++;
}

static void touch_all(struct load *load)
{
	size_t bytes = page_bytes(), i;
	unsigned int sum = 0;

	for (i = 0; i < TABLE_TOUCHES; i++) {
		char *at = load->memory + load->table[i] * bytes;

		if (i % WRITE_EVERY)
			sum += *at;
		else
			*at = i;
	}
	/* Nobody wants it, but then the reads are not left out */
	load->sum = sum;
}

static void look_up(struct load *load)
{
	size_t i, count;
	int ret;

	for (i = 0; i < load->pages; i += count) {
		count = load->pages - i < LOOKUP ? load->pages - i : LOOKUP;
		ret = nodes_of_pages(load->memory + i * page_bytes(), count,
				     page_bytes(), load->node + i);
		if (ret)
			errx(EXIT_FAILURE, "move_pages: %s", strerror(-ret));
	}
}

static int by_share(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Touches that the @count most touched pages have */
static double best_share(const struct load *load, size_t count)
{
	unsigned int *sorted = malloc(load->pages * sizeof(*sorted));
	unsigned long long sum = 0;
	size_t i;

	if (!sorted)
		err(EXIT_FAILURE, "memory");
	memcpy(sorted, load->share, load->pages * sizeof(*sorted));
	qsort(sorted, load->pages, sizeof(*sorted), by_share);
	for (i = 0; i < count && i < load->pages; i++)
		sum += sorted[i];
	free(sorted);
	return 100.0 * sum / TABLE_TOUCHES;
}

/* Of the pages on the fast node, those that belong to the hottest @room */
static double hot_percent(const struct load *load, size_t room)
{
	unsigned int *sorted = malloc(load->pages * sizeof(*sorted)), last;
	size_t hot = 0, fast = 0, i;

	if (!sorted)
		err(EXIT_FAILURE, "memory");
	memcpy(sorted, load->share, load->pages * sizeof(*sorted));
	qsort(sorted, load->pages, sizeof(*sorted), by_share);
	last = room < load->pages ? sorted[room] : 0;
	free(sorted);
	for (i = 0; i < load->pages; i++) {
		if (load->node[i] != load->fast)
			continue;
		fast++;
		if (load->distribution == GROUPS)
			hot += room * ALL_GROUPS > load->pages *
						   ((2U << group_of(i)) - 2);
		else
			hot += load->share[i] >= last;
	}
	return fast ? 100.0 * hot / fast : 0;
}

static long long counter(const char *name)
{
	file_print("/proc/sys/vm/stat_refresh", "1");
	return file_value("/proc/vmstat", name);
}

static unsigned long long threshold(const struct load *load)
{
	char path[64], text[32] = "";

	snprintf(path, sizeof(path), "/sys/kernel/mm/tiering/node%d/threshold_ms",
		 load->fast);
	return file_read(path, text, sizeof(text)) < 0 ? 0 : strtoull(text, NULL, 10);
}

static void print_header(const struct load *load)
{
	printf("        touches that    best with    pages of %zu\n", load->pages);
	printf("        node %d serves  as many pages   on node %d", load->fast,
	       load->fast);
	printf("  promoted   demoted  threshold");
	if (load->counters)
		printf("  candidates  free-space  refused  failed  back  free");
	putchar('\n');
}

static void print_counters(const struct load *load)
{
	printf("  %10lld  %10lld  %7lld  %6lld  %4lld  %4ld",
	       counter("pgpromote_candidate"), counter("pgpromote_free_space"),
	       counter("pgpromote_rate_limited"), counter("pgpromote_failed"),
	       counter("pgpromote_demoted_back"), node_free_pages(load->fast));
}

/*
 * A line: the share of the touches that the fast node serves, beside the best
 * that as many pages as are there could do. Returns the former divided by what
 * @best_pages pages could do, in percent.
 */
static double report(struct load *load, int second, size_t best_pages)
{
	size_t fast = 0, i;
	unsigned long long sum = 0;
	double share;

	look_up(load);
	for (i = 0; i < load->pages; i++) {
		if (load->node[i] != load->fast)
			continue;
		fast++;
		sum += load->share[i];
	}
	share = 100.0 * sum / TABLE_TOUCHES;
	printf("%4d s  %11.1f %%  %11.1f %%  %10zu  %8lld  %8lld  %6llu ms", second,
	       share, best_share(load, fast), fast,
	       counter("pgpromote_success") - load->promoted,
	       counter("pgdemote_kswapd") + counter("pgdemote_direct") - load->demoted,
	       threshold(load));
	if (load->counters)
		print_counters(load);
	putchar('\n');
	fflush(stdout);
	load->percent = share;
	return 100 * share / best_share(load, best_pages);
}

/* One line for programs */
static void summarize(const struct load *load, size_t room)
{
	printf("summary distribution=%s huge=%d share=%.1f best=%.1f hot=%.1f room=%zu pages=%zu",
	       names[load->distribution], load->huge, load->percent,
	       best_share(load, room), hot_percent(load, room), room,
	       load->pages);
	printf(" promoted=%lld demoted=%lld\n",
	       counter("pgpromote_success") - load->promoted,
	       counter("pgdemote_kswapd") + counter("pgdemote_direct") -
	       load->demoted);
}

/* Memory of another process that stays on the fast node and is never touched */
static pid_t fill_fast(const struct load *load)
{
	struct nodeset fast = nodeset_of(load->fast);
	pid_t pid = fork();
	char *memory;

	if (pid)
		return pid;
	memory = mmap(NULL, load->fill * page_bytes(), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED ||
	    policy_bind(memory, load->fill * page_bytes(), MPOL_BIND, &fast, 0))
		_exit(1);
	touch(memory, load->fill, page_bytes());
	if (mlock(memory, load->fill * page_bytes()))
		_exit(1);
	kill(getpid(), SIGSTOP);
	_exit(0);
}

static void place_all(struct load *load)
{
	struct nodeset slow = nodeset_of(load->slow);
	size_t bytes = load->pages * page_bytes();
	size_t align = 2UL << 20;
	char *raw;

	raw = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (raw == MAP_FAILED)
		err(EXIT_FAILURE, "mmap");
	load->memory = (char *)(((unsigned long)raw + align - 1) & ~(align - 1));
	if (madvise(load->memory, bytes,
		    load->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		err(EXIT_FAILURE, "madvise");
	if (policy_bind(load->memory, bytes, MPOL_BIND, &slow, 0))
		errx(EXIT_FAILURE, "node %d cannot be bound to", load->slow);
	touch(load->memory, load->pages, page_bytes());
	if (policy_bind(load->memory, bytes, MPOL_DEFAULT, NULL, 0))
		errx(EXIT_FAILURE, "mbind");
}

static unsigned long to_number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || !value)
		errx(2, "'%s' is no positive value", text);
	return value;
}

static const char usage[] =
	"usage: tiering_load [--distribution normal|zipf|uniform|shifting|groups]\n"
	"                    [--mib N] [--fill MIB] [--seconds N] [--every N]\n"
	"                    [--fast NODE] [--slow NODE] [--huge] [--counters]\n"
	"                    [--want PERCENT] [--summary]\n";

static void parse(struct load *load, int argc, char **argv)
{
	static const struct option known[] = {
		{ "mib", required_argument, NULL, 'm' },
		{ "distribution", required_argument, NULL, 'd' },
		{ "fill", required_argument, NULL, 'f' },
		{ "seconds", required_argument, NULL, 's' },
		{ "every", required_argument, NULL, 'e' },
		{ "fast", required_argument, NULL, 'F' },
		{ "slow", required_argument, NULL, 'S' },
		{ "huge", no_argument, NULL, 'h' },
		{ "counters", no_argument, NULL, 'c' },
		{ "want", required_argument, NULL, 'w' },
		{ "summary", no_argument, NULL, 'u' },
		{}
	};
	size_t mib = (1 << 20) / page_bytes(), i;
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'm':
			load->pages = to_number(optarg) * mib;
			break;
		case 'd':
			for (i = 0; i < ARRAY_LEN(names); i++)
				if (!strcmp(optarg, names[i]))
					break;
			if (i == ARRAY_LEN(names))
				errx(2, "no distribution is called '%s'", optarg);
			load->distribution = i;
			break;
		case 'f':
			load->fill = to_number(optarg) * mib;
			break;
		case 's':
			load->seconds = to_number(optarg);
			break;
		case 'e':
			load->every = to_number(optarg);
			break;
		case 'F':
			load->fast = atoi(optarg);
			break;
		case 'S':
			load->slow = atoi(optarg);
			break;
		case 'h':
			load->huge = true;
			break;
		case 'c':
			load->counters = true;
			break;
		case 'w':
			load->want = to_number(optarg);
			break;
		case 'u':
			load->summary = true;
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct load load = {
		.slow = 1, .seconds = 60, .every = 5, .pages = 65536,
		.random = 0x9e3779b97f4a7c15ULL,
	};
	time_t start, now, next;
	bool later = false;
	double percent = 0;
	size_t room;
	pid_t filler = 0;

	parse(&load, argc, argv);
	load.table = malloc(TABLE_TOUCHES * sizeof(*load.table));
	load.share = calloc(load.pages, sizeof(*load.share));
	load.node = calloc(load.pages, sizeof(*load.node));
	if (!load.table || !load.share || !load.node)
		err(EXIT_FAILURE, "memory");
	if (load.fill) {
		int status;

		filler = fill_fast(&load);
		if (filler < 0 || waitpid(filler, &status, WUNTRACED) != filler ||
		    !WIFSTOPPED(status))
			errx(EXIT_FAILURE, "node %d cannot be filled", load.fast);
	}
	place_all(&load);
	fill_table(&load, false);

	/* What fits beside the rest, had everything else been demoted */
	room = node_free_pages(load.fast);
	load.promoted = counter("pgpromote_success");
	load.demoted = counter("pgdemote_kswapd") + counter("pgdemote_direct");
	print_header(&load);
	start = time(NULL);
	next = start;
	for (;;) {
		now = time(NULL);
		if (now >= next) {
			percent = report(&load, now - start, room);
			next = now + load.every;
		}
		if (now >= start + load.seconds)
			break;
		if (load.distribution == SHIFTING && !later &&
		    now >= start + load.seconds / 2) {
			later = true;
			fill_table(&load, true);
		}
		touch_all(&load);
	}
	if (load.summary)
		summarize(&load, room);
	if (filler)
		kill(filler, SIGKILL);
	if (percent < load.want) {
		printf("%.1f %% of what the room on node %d could serve, and not %d %%\n",
		       percent, load.fast, load.want);
		return 1;
	}
	return 0;
}
