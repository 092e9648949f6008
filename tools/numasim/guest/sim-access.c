// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses to pages, some of which are hotter than others:
 *	sim-access [-p|-b POLICY] [-m MIB] [-t THREADS] [-s SECONDS] [-i SECONDS]
 *		   [-d normal|zipf|uniform|groups]
 * Touches MIB, 256 without -m, page by page, and then draws pages by a distribution,
 * normal without -d, and a line of the page. Four of five accesses are loads, one is
 * a store; each waits for the one before. For -s SECONDS, 10 without it, prints every
 * -i SECONDS, 1 without it, "SECONDS ACCESSES SHARE": accesses of all threads per
 * second, and how many percent of those at the end of that time were to pages which
 * are on node 0 now, or - where the kernel does not say. The clock stands still while
 * it asks. At last prints "mean ACCESSES".
 *
 * What is drawn comes from a table on node 0, made beforehand: that adds a line read
 * in sequence to every 16 accesses. Each time that the table is used again, the
 * accesses go to another line of each page. Hot pages, at most the 256 that would
 * fill it, have lines in the cache nevertheless, as they would anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "draws.h"
#include "place.h"
#include "team.h"

static const char usage[] =
	"sim-access [-p|-b POLICY] [-m MIB] [-t THREADS] [-s SECONDS] [-i SECONDS]"
	" [-d normal|zipf|uniform|groups]";

#define PAGE		(PAGE_LINES * LINE_SIZE)
#define DRAWS		2097152UL
/* Accesses between two looks at the clock, and those that end with a store */
#define BATCH		320
#define STORE_EVERY	5
/* Accesses whose pages are looked up, so many in one call */
#define LOOK_UP		16384
#define LOOK_UP_AT_ONCE	1024

struct line {
	uint32_t word;
	char rest[LINE_SIZE - sizeof(uint32_t)];
};

/**
 * struct accessor - what a thread has done
 * @accesses: all of them
 * @took: time that they took, ns
 * @rate: accesses per second of the last interval
 */
struct accessor {
	uint64_t accesses;
	uint64_t took;
	double rate;
};

static struct line *memory;
static uint32_t *draws;
static size_t size = 256 * MIB;
static unsigned int threads = 1;
static uint64_t length = 10000000000ULL, every = 1000000000ULL;
static struct accessor accessors[MAX_THREADS];

/* Threads begin at different places of the table. */
static uint64_t first_draw(unsigned int number)
{
	return number * (DRAWS / MAX_THREADS);
}

static void access_some(uint64_t draw)
{
	const uint32_t round = draw / DRAWS % PAGE_LINES, *table = draws;
	uint64_t end = draw + BATCH, store;
	struct line *lines = memory;

	while (draw < end) {
#pragma GCC unroll 1
		for (store = draw + STORE_EVERY - 1; draw < store;) {
			use(lines[table[draw++ % DRAWS] ^ round].word);
			_mm_lfence();
		}
		lines[table[draw++ % DRAWS] ^ round].word = round;
		_mm_mfence();
	}
}

static void access_for(unsigned int number, uint64_t ns)
{
	struct accessor *self = &accessors[number];
	uint64_t start = now_ns(), first = self->accesses, took;
	uint64_t draw = first_draw(number);

	do {
		access_some(draw + self->accesses);
		self->accesses += BATCH;
		took = now_ns() - start;
	} while (took < ns);
	self->took += took;
	self->rate = 1e9 * (self->accesses - first) / took;
}

static void print_share(void)
{
	uint64_t last = accessors[0].accesses, access = last < LOOK_UP ? 0 : last - LOOK_UP;
	unsigned int fast = 0, asked = 0;
	void *pages[LOOK_UP_AT_ONCE];
	int nodes[LOOK_UP_AT_ONCE];
	unsigned int i, count;

	while (access < last) {
		for (count = 0; count < LOOK_UP_AT_ONCE && access < last; count++)
			pages[count] = &memory[draws[access++ % DRAWS]];
		if (syscall(SYS_move_pages, 0, count, pages, NULL, nodes, 0)) {
			puts(" -");
			return;
		}
		for (i = 0; i < count; i++)
			fast += nodes[i] == 0;
		asked += count;
	}
	printf(" %.1f\n", 100.0 * fast / asked);
}

static void print_interval(uint64_t end)
{
	double rate = 0;
	unsigned int i;

	for (i = 0; i < threads; i++)
		rate += accessors[i].rate;
	printf("%g %.0f", end / 1e9, rate);
	print_share();
	fflush(stdout);
}

static void work(unsigned int number)
{
	uint64_t start, end;

	team_prepared(number);
	for (start = 0; start < length; start = end) {
		end = length - start < every ? length : start + every;
		team_meet();
		access_for(number, end - start);
		team_meet();
		if (!number)
			print_interval(end);
	}
}

static uint64_t to_ns(const char *text)
{
	double seconds = atof(text);

	if (text[strspn(text, "0123456789.")] || seconds < 0.001 || seconds > 1e6)
		die("'%s' is not a number of seconds from 0.001 to 1000000", text);
	return seconds * 1e9;
}

int main(int argc, char **argv)
{
	enum distribution distribution = NORMAL;
	double mean = 0;
	unsigned int i;
	int option;

	while ((option = next_option(argc, argv, "m:t:s:i:d:", usage)) != -1) {
		if (option == 'm')
			size = to_number(optarg, MAX_MIB) * MIB;
		else if (option == 't')
			threads = to_number(optarg, MAX_THREADS);
		else if (option == 's')
			length = to_ns(optarg);
		else if (option == 'i')
			every = to_ns(optarg);
		else
			distribution = find_distribution(optarg);
		if (distribution == DISTRIBUTIONS)
			die("'%s' is not normal, zipf, uniform or groups", optarg);
	}
	model_off();
	draws = get_on_node_0(DRAWS * sizeof(*draws));
	memory = get_array(size);
	touch(memory, size);
	draw_lines(distribution, size / PAGE, draws, DRAWS);
	team_run(threads, work);
	for (i = 0; i < threads; i++)
		mean += 1e9 * accessors[i].accesses / accessors[i].took;
	printf("mean %.0f\n", mean);
	return 0;
}
