// SPDX-License-Identifier: GPL-2.0
/*
 * Touches memory with a known distribution, and says which share of the touches
 * the fast node serves, beside the best that any placement could reach.
 *
 * --fill takes so much of the fast node away; --want fails unless the mean of the
 * second half is that percentage of what the rest of it could serve; --fast and
 * --slow name the nodes.
 *
 * --group DIRECTORY is the cgroup of all but what fills the node, which would count for
 * what the load has.
 *
 * --rate says how many touches there are in a second: what makes a page hot is
 * how often it is touched, not how fast the machine is. Between them the program
 * waits busily, as the scan goes by the CPU time of a task.
 *
 * --threads N has so many of them touch, with as many touches in all.
 *
 * --seed N draws other touches from the same distribution; the default is 1.
 *
 * --deviation N makes the normal distribution an Nth of the memory wide, and --scatter
 * puts its pages, or those of another one, all over the memory.
 *
 * The touches are drawn beforehand into a table that is walked again and again,
 * so the share of each page is known exactly, and what is measured is where
 * pages are, not how long anything takes. With a rate they are looked up a few at
 * a time between touches: while a program stops, all of its memory is cold to the
 * kernel.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
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
/* Pages looked up in one call of move_pages(2), between touches and without any */
#define LOOKUP_BETWEEN	8
#define LOOKUP		1024
/* Of the time between two lines the part in which they may be, percent */
#define LOOKUP_PART	60
/* Touches between two looks at the clock */
#define BATCH		64
/* One touch in 5 writes */
#define WRITE_EVERY	5

enum distribution { NORMAL, ZIPF, UNIFORM, SHIFTING, GROUPS };

static const char * const names[] = {
	"normal", "zipf", "uniform", "shifting", "groups"
};

/* A thread that touches, its place in the table, and how often it did */
struct walker {
	const struct load *load;
	pthread_t thread;
	size_t next;
	unsigned long long step;
	unsigned long long touches;
	unsigned int sum;
};

struct load {
	enum distribution distribution;
	size_t pages;
	size_t fill;
	const char *group;
	int seconds;
	int every;
	int fast;
	int slow;
	bool huge;
	size_t deviation;
	bool scatter;
	char *memory;
	unsigned int *table;
	unsigned int *share;
	/* Touches of the n most touched pages */
	unsigned long long *best;
	/* Touches of the page that is n-th in that order */
	unsigned int *sorted;
	unsigned long long rate;
	/* The first one is the program itself */
	size_t threads;
	struct walker *walker;
	int *node;
	/* Pages that have been looked up for the next line */
	size_t looked;
	unsigned long long random;
	bool counters;
	int want;
	bool summary;
	size_t room;
	double percent;
	double possible;
	double percent_sum;
	double possible_sum;
	int lines;
	/* Seconds after the start: another hot set, and when it was there */
	int later;
	int arrived;
	long long promoted;
	long long demoted;
	/* Of all processors so far, ms */
	long long kernel_ms;
};

static unsigned int draw(struct load *load)
{
	/* xorshift64*, S. Vigna, "An experimental exploration" (2016) */
	load->random ^= load->random >> 12;
	load->random ^= load->random << 25;
	load->random ^= load->random >> 27;
	return (load->random * 0x2545f4914f6cdd1dULL) >> 32;
}

/* In the middle of the memory, with a deviation of so small a part of it */
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
		       (sum >> 16) * (long long)(load->pages / load->deviation) /
			       (1 << 16);
		if (page >= 0 && page < (long long)load->pages)
			return page;
	}
}

/* The pages in an order of their own */
static unsigned int *draw_order(struct load *load)
{
	unsigned int *page = calloc(load->pages, sizeof(*page));
	size_t i;

	if (!page)
		err(EXIT_FAILURE, "memory");
	for (i = 0; i < load->pages; i++) {
		size_t j = draw(load) % (i + 1);

		page[i] = page[j];
		page[j] = i;
	}
	return page;
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
	double *below = calloc(load->pages, sizeof(*below));
	unsigned int *page = draw_order(load);
	double sum = 0;
	size_t i;

	if (!below)
		err(EXIT_FAILURE, "memory");
	for (i = 0; i < load->pages; i++) {
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
 * Five groups of as many pages each, side by side, and how often the pages of one
 * are touched beside those of another
 */
static const unsigned int group_touches[] = { 1000, 100, 20, 5, 1 };

#define GROUP_COUNT	ARRAY_LEN(group_touches)
#define ALL_TOUCHES	1126

static size_t draw_group(struct load *load)
{
	unsigned int touch = draw(load) % ALL_TOUCHES, group = 0;

	while (touch >= group_touches[group])
		touch -= group_touches[group++];
	return draw(load) % (load->pages / GROUP_COUNT) * GROUP_COUNT + group;
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

static int by_share(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void scatter_table(struct load *load)
{
	unsigned int *page = draw_order(load);
	size_t i;

	for (i = 0; i < TABLE_TOUCHES; i++)
		load->table[i] = page[load->table[i]];
	free(page);
}

static void fill_table(struct load *load, bool later)
{
	size_t unit, i;

	if (load->distribution == ZIPF)
		fill_zipf(load);
	else
		for (i = 0; i < TABLE_TOUCHES; i++)
			load->table[i] = draw_page(load, later);
	if (load->scatter)
		scatter_table(load);
	memset(load->share, 0, load->pages * sizeof(*load->share));
	memset(load->sorted, 0, load->pages * sizeof(*load->sorted));
	for (i = 0; i < TABLE_TOUCHES; i++)
		load->share[load->table[i]]++;
	/* What moves as one is worth as much as its pages have on average. */
	unit = load->huge ? HUGE_BYTES / page_bytes() : 1;
	for (i = 0; i < load->pages; i++)
		load->sorted[i / unit * unit] += load->share[i];
	for (i = 0; i < load->pages; i++)
		load->sorted[i] = load->sorted[i / unit * unit];
	qsort(load->sorted, load->pages, sizeof(*load->sorted), by_share);
	for (i = 0; i < load->pages; i++)
		load->sorted[i] /= unit;
	for (i = 0; i < load->pages; i++)
		load->best[i + 1] = load->best[i] + load->sorted[i];
}

static void touch_some(struct walker *walker)
{
	const struct load *load = walker->load;
	/* Another one from half of the time on, where what is hot shifts */
	const unsigned int *table = __atomic_load_n(&load->table, __ATOMIC_RELAXED);
	size_t bytes = page_bytes(), i;
	unsigned int sum = 0;

	for (i = walker->next; i < walker->next + BATCH; i++) {
		char *at = load->memory + table[i] * bytes;

		if (i % WRITE_EVERY)
			sum += *at;
		else
			*at = i;
	}
	/* Nobody wants it, but then the reads are not left out */
	walker->sum = sum;
	walker->next = i % TABLE_TOUCHES;
	walker->touches += BATCH;
}

static unsigned long long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The next pages, up to @count of them */
static void look_up(struct load *load, size_t count)
{
	int ret;

	if (count > load->pages - load->looked)
		count = load->pages - load->looked;
	ret = nodes_of_pages(load->memory + load->looked * page_bytes(), count,
			     page_bytes(), load->node + load->looked);
	if (ret)
		errx(EXIT_FAILURE, "move_pages: %s", strerror(-ret));
	load->looked += count;
}

/* At the wanted rate; what could not be done in time is not made up for */
static void touch_until(struct load *load, unsigned long long end)
{
	struct walker *self = load->walker;
	unsigned long long now = nanoseconds(), next = now;
	unsigned long long look = end - load->every * 1000000000ULL / 100 * LOOKUP_PART;

	while (now < end) {
		if (now >= next) {
			touch_some(self);
			next = now > next + self->step ? now : next + self->step;
		} else if (now >= look && load->looked < load->pages) {
			look_up(load, LOOKUP_BETWEEN);
		}
		now = nanoseconds();
	}
}

/* For as long as the program runs */
static void *walk(void *arg)
{
	struct walker *self = arg;
	unsigned long long now = nanoseconds(), next = now;

	for (;;) {
		if (now >= next) {
			touch_some(self);
			next = now > next + self->step ? now : next + self->step;
		}
		now = nanoseconds();
	}
	return NULL;
}

static void make_walkers(struct load *load)
{
	size_t i;

	load->walker = calloc(load->threads, sizeof(*load->walker));
	if (!load->walker)
		err(EXIT_FAILURE, "memory");
	for (i = 0; i < load->threads; i++) {
		struct walker *walker = &load->walker[i];

		walker->load = load;
		walker->next = TABLE_TOUCHES / load->threads * i / BATCH * BATCH;
		if (load->rate)
			walker->step = BATCH * 1000000000ULL * load->threads / load->rate;
	}
}

static void start_walkers(struct load *load)
{
	size_t i;

	for (i = 1; i < load->threads; i++)
		if (pthread_create(&load->walker[i].thread, NULL, walk, &load->walker[i]))
			errx(EXIT_FAILURE, "there can be no %zu threads", load->threads);
}

static unsigned long long touches(const struct load *load)
{
	unsigned long long sum = 0;
	size_t i;

	for (i = 0; i < load->threads; i++)
		sum += __atomic_load_n(&load->walker[i].touches, __ATOMIC_RELAXED);
	return sum;
}

/* Touches that the @count most touched pages have, percent */
static double best_share(const struct load *load, size_t count)
{
	return 100.0 * load->best[count < load->pages ? count : load->pages] /
	       TABLE_TOUCHES;
}

/* Of the pages on the fast node, those that belong to the hottest @room */
static double hot_percent(const struct load *load)
{
	size_t room = load->room, hot = 0, fast = 0, i;
	unsigned int last = room < load->pages ? load->sorted[room] : 0;

	for (i = 0; i < load->pages; i++) {
		if (load->node[i] != load->fast)
			continue;
		fast++;
		if (load->distribution == GROUPS)
			hot += room > i % GROUP_COUNT * (load->pages / GROUP_COUNT);
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

/* Time that all processors have spent in the kernel, ms */
static long long kernel_ms(void)
{
	long long user, nice, system, idle, wait, hard, soft;
	FILE *file = fopen("/proc/stat", "re");

	if (!file || fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld", &user, &nice,
			    &system, &idle, &wait, &hard, &soft) != 7)
		err(EXIT_FAILURE, "/proc/stat");
	fclose(file);
	return (system + hard + soft) * 1000 / sysconf(_SC_CLK_TCK);
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
	printf("        touches that   best that    pages of %zu\n", load->pages);
	printf("        node %d serves  could fit    on node %d", load->fast,
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
 * Pages that a node could still take: what zones keep between them and their
 * high watermark is for nobody.
 */
static size_t usable_pages(int node)
{
	long free = node_free_pages(node), high;
	bool here = false;
	char line[256];
	FILE *file;
	int nid;

	file = fopen("/proc/zoneinfo", "re");
	if (!file)
		err(EXIT_FAILURE, "zoneinfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d, zone", &nid) == 1)
			here = nid == node;
		else if (here && sscanf(line, " high %ld", &high) == 1)
			free -= high;
	}
	fclose(file);
	return free > 0 ? free : 0;
}

/*
 * A line: the share of the touches that the fast node serves, beside the best
 * that any placement could reach with the pages that are there and those that
 * are free.
 */
static void report(struct load *load, int second)
{
	unsigned long long sum = 0;
	size_t fast = 0, i;

	while (load->looked < load->pages)
		look_up(load, LOOKUP);
	load->looked = 0;
	for (i = 0; i < load->pages; i++) {
		if (load->node[i] != load->fast)
			continue;
		fast++;
		sum += load->share[i];
	}
	load->room = fast + usable_pages(load->fast);
	load->percent = 100.0 * sum / TABLE_TOUCHES;
	load->possible = best_share(load, load->room);
	printf("%4d s  %11.1f %%  %11.1f %%  %10zu  %8lld  %8lld  %6llu ms", second,
	       load->percent, load->possible, fast,
	       counter("pgpromote_success") - load->promoted,
	       counter("pgdemote_kswapd") + counter("pgdemote_direct") - load->demoted,
	       threshold(load));
	if (load->counters)
		print_counters(load);
	putchar('\n');
	fflush(stdout);
	/* Where it got to: the mean of the second half */
	if (2 * second > load->seconds) {
		load->lines++;
		load->percent_sum += load->percent;
		load->possible_sum += load->possible;
	}
	/* How long until the new hot set is there, nine tenths of it */
	if (load->later && !load->arrived && load->percent >= 0.9 * load->possible)
		load->arrived = second;
}

/* One line for programs */
static void summarize(const struct load *load)
{
	printf("summary distribution=%s huge=%d share=%.1f best=%.1f hot=%.1f room=%zu pages=%zu",
	       names[load->distribution], load->huge,
	       load->percent_sum / load->lines, load->possible_sum / load->lines,
	       hot_percent(load), load->room, load->pages);
	printf(" arrived=%d touches=%llu kernel=%lld promoted=%lld demoted=%lld\n",
	       load->arrived ? load->arrived - load->later : 0, touches(load),
	       kernel_ms() - load->kernel_ms,
	       counter("pgpromote_success") - load->promoted,
	       counter("pgdemote_kswapd") + counter("pgdemote_direct") -
	       load->demoted);
}

static void make_tables(struct load *load)
{
	load->table = malloc(TABLE_TOUCHES * sizeof(*load->table));
	load->share = calloc(load->pages, sizeof(*load->share));
	load->sorted = calloc(load->pages, sizeof(*load->sorted));
	load->best = calloc(load->pages + 1, sizeof(*load->best));
	if (!load->table || !load->share || !load->sorted || !load->best)
		err(EXIT_FAILURE, "memory");
}

/* From one hot set to the other: drawn before, as that takes a second */
static void shift(struct load *load, const struct load *other, int second)
{
	__atomic_store_n(&load->table, other->table, __ATOMIC_RELAXED);
	load->share = other->share;
	load->sorted = other->sorted;
	load->best = other->best;
	load->later = second;
}

/* Memory of another process that stays on the fast node and is never touched */
static pid_t fill_fast(const struct load *load)
{
	struct nodeset fast = nodeset_of(load->fast);
	pid_t pid = fork_child();
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

static void enter_group(const struct load *load)
{
	char *path;

	if (!load->group)
		return;
	if (asprintf(&path, "%s/cgroup.procs", load->group) < 0)
		err(EXIT_FAILURE, "memory");
	if (file_write(path, "0", 1))
		errx(EXIT_FAILURE, "%s cannot be entered", load->group);
	free(path);
}

static void place_all(struct load *load)
{
	struct nodeset slow = nodeset_of(load->slow);
	size_t bytes = load->pages * page_bytes();
	size_t align = HUGE_BYTES;
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

/* Single lines scatter with what was demoted just before them. */
static bool is_as_wanted(const struct load *load)
{
	double reached = 100 * load->percent_sum / load->possible_sum;

	printf("%.1f %% of what the room on node %d could serve, mean of the second half",
	       reached, load->fast);
	if (reached < load->want)
		printf(", and not %d %%", load->want);
	putchar('\n');
	return reached >= load->want;
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
	"                    [--deviation N] [--scatter]\n"
	"                    [--mib N] [--fill MIB] [--seconds N] [--every N]\n"
	"                    [--fast NODE] [--slow NODE] [--huge] [--counters]\n"
	"                    [--rate TOUCHES/S] [--want PERCENT] [--summary]\n"
	"                    [--seed N] [--threads N] [--group DIRECTORY]\n";

static void parse(struct load *load, int argc, char **argv)
{
	static const struct option known[] = {
		{ "mib", required_argument, NULL, 'm' },
		{ "distribution", required_argument, NULL, 'd' },
		{ "deviation", required_argument, NULL, 'D' },
		{ "scatter", no_argument, NULL, 'x' },
		{ "fill", required_argument, NULL, 'f' },
		{ "seconds", required_argument, NULL, 's' },
		{ "every", required_argument, NULL, 'e' },
		{ "fast", required_argument, NULL, 'F' },
		{ "slow", required_argument, NULL, 'S' },
		{ "huge", no_argument, NULL, 'h' },
		{ "counters", no_argument, NULL, 'c' },
		{ "rate", required_argument, NULL, 'r' },
		{ "want", required_argument, NULL, 'w' },
		{ "summary", no_argument, NULL, 'u' },
		{ "seed", required_argument, NULL, 'i' },
		{ "threads", required_argument, NULL, 't' },
		{ "group", required_argument, NULL, 'g' },
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
		case 'D':
			load->deviation = to_number(optarg);
			break;
		case 'x':
			load->scatter = true;
			break;
		case 'g':
			load->group = optarg;
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
		case 'r':
			load->rate = to_number(optarg);
			break;
		case 'w':
			load->want = to_number(optarg);
			break;
		case 'u':
			load->summary = true;
			break;
		case 'i':
			/* The product with an odd number is 0 for none of them */
			load->random *= to_number(optarg);
			break;
		case 't':
			load->threads = to_number(optarg);
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
		.slow = 1, .seconds = 60, .every = 5, .pages = 65536, .deviation = 8,
		.threads = 1,
		.random = 0x9e3779b97f4a7c15ULL,
	};
	struct load other;
	const unsigned long long second = 1000000000ULL;
	unsigned long long start;
	pid_t filler = 0;
	int at;

	parse(&load, argc, argv);
	if (load.deviation > load.pages)
		errx(2, "there are no %zu pages", load.deviation);
	if (load.fill) {
		int status;

		filler = fill_fast(&load);
		if (filler < 0 || waitpid(filler, &status, WUNTRACED) != filler ||
		    !WIFSTOPPED(status))
			errx(EXIT_FAILURE, "node %d cannot be filled", load.fast);
	}
	enter_group(&load);
	make_tables(&load);
	load.node = calloc(load.pages, sizeof(*load.node));
	if (!load.node)
		err(EXIT_FAILURE, "memory");
	place_all(&load);
	fill_table(&load, false);
	if (load.distribution == SHIFTING) {
		other = load;
		make_tables(&other);
		fill_table(&other, true);
	}

	load.promoted = counter("pgpromote_success");
	load.demoted = counter("pgdemote_kswapd") + counter("pgdemote_direct");
	print_header(&load);
	report(&load, 0);
	make_walkers(&load);
	start_walkers(&load);
	load.kernel_ms = kernel_ms();
	start = nanoseconds();
	for (at = load.every; at <= load.seconds; at += load.every) {
		if (load.distribution == SHIFTING && !load.later &&
		    at > load.seconds / 2)
			shift(&load, &other, at - load.every);
		touch_until(&load, start + at * second);
		report(&load, at);
	}
	if (load.summary)
		summarize(&load);
	if (filler)
		kill(filler, SIGKILL);
	return load.want && !is_as_wanted(&load);
}
