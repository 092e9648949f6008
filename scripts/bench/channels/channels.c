// SPDX-License-Identifier: GPL-2.0
/*
 * Run as init of a virtual machine with memory channels: says on which of them
 * memory lies. What to do comes from the kernel's command line, through the
 * environment:
 *   ranges=SIZE@BASE,...	the channels; other memory is one more
 *   blocks=SIZE@BASE,...	blocks of movable memory, if there are any
 *   nodes=N			memory nodes, 1 when not given
 *   work=
 *     copy	four threads copy from a buffer of 64 MiB each to another, 30
 *		times, a cache line of each page; touch=together: the threads
 *		touch their buffers side by side, otherwise one after the other
 *     fill	10, 50, then 100 percent of the movable zone are used
 *     churn	an hour of programs that come and go, a step a second
 *     compact	memory is fragmented, then compacted between the markers
 * Prints, with numbers of pages on each channel separated by commas, the last
 * number being memory that is on none, and the longest run of pages on one
 * channel,
 *   movable pages=N			the size of the movable zones
 *   buffer THREAD NAME pages=... run=N
 *   lockstep busiest=N of=N		accesses to the busiest channel at each
 *					moment, all threads being at the same
 *					page, and all accesses
 *   apart busiest=N of=N		the same, each at a page of its own
 *   kernel slab=... tables=... other=... inside=N
 *					inside: pages of these in the blocks
 *   fill percent=N pages=... run=N
 *   churn minute=N allocated=N pages=... run=N
 *   compact moved=N scanned=N
 * and powers the machine off.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

#define PAGE_SIZE	4096UL
#define LINE_SIZE	64UL
#define TOP_ORDER	10	/* blocks of 4 MiB */

#define THREADS		4
#define BUFFERS		(2 * THREADS)
#define BUFFER_PAGES	16384UL
#define COPIES		30
#define YIELD_PAGES	16	/* touched before another thread's turn */
#define PIPES		128

#define MAX_RANGES	8

#define CHURN_SECONDS	3600
#define CHURN_SLOTS	512
#define CHURN_SIZES	11	/* up to 2^11 pages, log-uniform */
#define CHILD_PAGES	64

#define COMPACT_PAGES	(125UL << 10)	/* 500 MiB */
#define COMPACT_KEPT	4		/* one page of so many stays */

struct range {
	uint64_t start, end;	/* page frames */
};

static struct range channels[MAX_RANGES], blocks[MAX_RANGES];
static unsigned int nr_channels, nr_blocks, nr_nodes;
static int pagemap;

/* Where some memory lies */
struct placement {
	unsigned long pages[MAX_RANGES + 1];
	unsigned long run;		/* the longest on one channel */
	unsigned long run_now;
	unsigned int run_channel;
};

static unsigned int read_ranges(const char *text, struct range *ranges)
{
	unsigned int n = 0;

	while (text && *text) {
		unsigned long long size, base;
		char unit, *end;

		if (n == MAX_RANGES)
			fail("ranges");
		size = strtoull(text, &end, 0);
		unit = *end++;
		if ((unit != 'M' && unit != 'G') || *end++ != '@')
			fail("ranges");
		base = strtoull(end, &end, 0);
		size <<= unit == 'M' ? 20 : 30;
		ranges[n].start = base / PAGE_SIZE;
		ranges[n++].end = (base + size) / PAGE_SIZE;
		text = *end == ',' ? end + 1 : end;
		if (end == text && *end)
			fail("ranges");
	}
	return n;
}

/* The range that holds a page frame, or @n */
static unsigned int find_range(const struct range *ranges, unsigned int n,
			       uint64_t frame)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (frame >= ranges[i].start && frame < ranges[i].end)
			break;
	}
	return i;
}

static unsigned int channel_of(uint64_t frame)
{
	return find_range(channels, nr_channels, frame);
}

static void print_pages(const char *name, const unsigned long *pages)
{
	unsigned int i;

	printf(" %s=", name);
	for (i = 0; i <= nr_channels; i++)
		printf("%s%lu", i ? "," : "", pages[i]);
}

static void add_page(struct placement *placement, unsigned int channel)
{
	placement->pages[channel]++;
	if (channel != placement->run_channel)
		placement->run_now = 0;
	placement->run_channel = channel;
	if (++placement->run_now > placement->run)
		placement->run = placement->run_now;
}

static void print_placement(const struct placement *placement)
{
	print_pages("pages", placement->pages);
	printf(" run=%lu\n", placement->run);
}

/* Looks where @count pages are; @kept gets each one's channel. */
static void look(const char *memory, unsigned long count,
		 struct placement *placement, unsigned char *kept)
{
	uint64_t entries[512];
	unsigned long done, i;

	for (done = 0; done < count; done += i) {
		size_t size = sizeof(entries);

		if ((count - done) * sizeof(*entries) < size)
			size = (count - done) * sizeof(*entries);
		if (pread(pagemap, entries, size,
			  ((uintptr_t)memory / PAGE_SIZE + done) *
			  sizeof(*entries)) != (ssize_t)size)
			fail("pagemap");
		for (i = 0; i < size / sizeof(*entries); i++) {
			uint64_t frame = entries[i] & ((1ULL << 55) - 1);
			unsigned int channel = channel_of(frame);

			errno = 0;
			if (!(entries[i] >> 63) || !frame)
				fail("a page is not there");
			add_page(placement, channel);
			if (kept)
				kept[done + i] = channel;
		}
	}
}

static char *new_memory(unsigned long pages)
{
	char *memory = mmap(NULL, pages * PAGE_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("mmap");
	return memory;
}

static void touch(char *memory, unsigned long pages)
{
	unsigned long i;

	for (i = 0; i < pages; i++)
		memory[i * PAGE_SIZE] = 1;
}

/* The calling thread's memory comes from this node while it has any. */
static void prefer(unsigned int node)
{
	unsigned long mask = 1UL << node;

	if (nr_nodes > 1 &&
	    syscall(SYS_set_mempolicy, MPOL_PREFERRED, &mask, 64UL))
		fail("set_mempolicy");
}

static void drain_node(unsigned int node, unsigned long pages)
{
	if (!pages)
		return;
	prefer(node);
	touch(new_memory(pages), pages);
}

/*
 * Uses up what is free in blocks below the top order, in the zone of each node
 * that user memory comes from first: the last that buddyinfo has.
 */
static void drain(void)
{
	FILE *f = fopen("/proc/buddyinfo", "r");
	unsigned long wanted[MAX_RANGES] = { 0 };
	unsigned int node;
	char zone[16];

	if (!f)
		fail("/proc/buddyinfo");
	while (fscanf(f, "Node %u, zone %15s", &node, zone) == 2) {
		unsigned long blocks_free, pages = 0, all = 0;
		unsigned int order;

		for (order = 0; order <= TOP_ORDER; order++) {
			if (fscanf(f, "%lu ", &blocks_free) != 1)
				fail("/proc/buddyinfo");
			if (order < TOP_ORDER)
				pages += blocks_free << order;
			all += blocks_free;
		}
		if (all)
			wanted[node] = pages;
	}
	fclose(f);
	for (node = 0; node < nr_nodes; node++)
		drain_node(node, wanted[node]);
	prefer(0);
}

static unsigned long movable_pages(void)
{
	FILE *f = fopen("/proc/zoneinfo", "r");
	unsigned long sum = 0, pages;
	bool movable = false;
	char line[256], name[16];

	if (!f)
		fail("/proc/zoneinfo");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Node %*u, zone %15s", name) == 1)
			movable = !strcmp(name, "Movable");
		else if (movable && sscanf(line, " present %lu", &pages) == 1)
			sum += pages;
	}
	fclose(f);
	return sum;
}

/* --- copy --- */

static char *buffers[BUFFERS];	/* 2n: from, 2n + 1: to */
static unsigned char on_channel[BUFFERS][BUFFER_PAGES];
static bool together;
static pthread_barrier_t all;
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_change = PTHREAD_COND_INITIALIZER;
static unsigned long turn;

static void touch_buffers(unsigned long thread)
{
	unsigned long buffer, page;

	if (!together) {
		pthread_mutex_lock(&turn_lock);
		while (turn != thread)
			pthread_cond_wait(&turn_change, &turn_lock);
		pthread_mutex_unlock(&turn_lock);
	}
	for (buffer = 2 * thread; buffer < 2 * thread + 2; buffer++) {
		for (page = 0; page < BUFFER_PAGES; page++) {
			buffers[buffer][page * PAGE_SIZE] = buffer;
			if (together && page % YIELD_PAGES == YIELD_PAGES - 1)
				sched_yield();
		}
	}
	if (!together) {
		pthread_mutex_lock(&turn_lock);
		turn++;
		pthread_cond_broadcast(&turn_change);
		pthread_mutex_unlock(&turn_lock);
	}
}

static void *copy_thread(void *number)
{
	unsigned long thread = (uintptr_t)number, copy, page;
	const char *from = buffers[2 * thread];
	char *to = buffers[2 * thread + 1];

	prefer(thread * nr_nodes / THREADS);
	touch_buffers(thread);
	pthread_barrier_wait(&all);
	for (copy = 0; copy < COPIES; copy++) {
		for (page = 0; page < BUFFER_PAGES; page++) {
			size_t at = page * PAGE_SIZE + copy * LINE_SIZE;

			memcpy(to + at, from + at, LINE_SIZE);
		}
	}
	return NULL;
}

static unsigned long draw(unsigned long below)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % below;
}

/* So many moments of a run, in each of which threads copy a page */
static void print_busiest(const char *name, bool apart)
{
	unsigned long moment, busiest = 0;
	unsigned int i;

	for (moment = 0; moment < BUFFER_PAGES; moment++) {
		unsigned int count[MAX_RANGES + 1] = { 0 }, most = 0;
		unsigned long page = moment;

		for (i = 0; i < BUFFERS; i++) {
			if (apart && i % 2 == 0)
				page = draw(BUFFER_PAGES);
			if (++count[on_channel[i][page]] > most)
				most++;
		}
		busiest += most;
	}
	printf("%s busiest=%lu of=%lu\n", name, busiest,
	       BUFFERS * BUFFER_PAGES);
}

/* Memory that the kernel uses for what a program asks of it */
static void fill_pipes(void)
{
	static const char page[PAGE_SIZE];
	int ends[2];
	unsigned int i;

	for (i = 0; i < PIPES; i++) {
		if (pipe2(ends, O_NONBLOCK))
			fail("pipe");
		while (write(ends[1], page, PAGE_SIZE) == (ssize_t)PAGE_SIZE)
			;
	}
}

static void print_kernel(void)
{
	static unsigned long slab[MAX_RANGES + 1], tables[MAX_RANGES + 1],
			     other[MAX_RANGES + 1];
	unsigned long inside = 0;
	uint64_t flags[512], frame = 0;
	int fd = open("/proc/kpageflags", O_RDONLY);
	ssize_t got;

	if (fd < 0)
		fail("/proc/kpageflags");
	while ((got = read(fd, flags, sizeof(flags))) > 0) {
		unsigned int i;

		for (i = 0; i < got / sizeof(*flags); i++, frame++) {
			bool is_slab = flags[i] >> KPF_SLAB & 1;
			bool is_table = flags[i] >> KPF_PGTABLE & 1;

			if (flags[i] && !is_slab && !is_table)
				continue;
			(is_slab ? slab : is_table ? tables : other)
				[channel_of(frame)]++;
			if ((is_slab || is_table) &&
			    find_range(blocks, nr_blocks, frame) < nr_blocks)
				inside++;
		}
	}
	if (got < 0 || !frame)
		fail("/proc/kpageflags");
	close(fd);
	printf("kernel");
	print_pages("slab", slab);
	print_pages("tables", tables);
	print_pages("other", other);
	printf(" inside=%lu\n", inside);
}

static void copy_buffers(void)
{
	pthread_t threads[THREADS];
	unsigned long i;

	drain();
	for (i = 0; i < BUFFERS; i++)
		buffers[i] = new_memory(BUFFER_PAGES);
	pthread_barrier_init(&all, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, copy_thread, (void *)i))
			fail("pthread_create");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < BUFFERS; i++) {
		struct placement placement = { 0 };

		look(buffers[i], BUFFER_PAGES, &placement, on_channel[i]);
		printf("buffer %lu %s", i / 2, i % 2 ? "to" : "from");
		print_placement(&placement);
	}
	print_busiest("lockstep", false);
	print_busiest("apart", true);
	fill_pipes();
	print_kernel();
}

/* --- fill --- */

static void fill_zone(void)
{
	static const unsigned int percents[] = { 10, 50, 100 };
	unsigned long all_pages = movable_pages(), done = 0;
	struct placement placement = { 0 };
	char *memory = new_memory(all_pages);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		unsigned long pages = all_pages * percents[i] / 100 - done;

		touch(memory + done * PAGE_SIZE, pages);
		look(memory + done * PAGE_SIZE, pages, &placement, NULL);
		done += pages;
		printf("fill percent=%u", percents[i]);
		print_placement(&placement);
	}
}

/* --- churn --- */

static struct {
	char *memory;
	unsigned long pages;
	int file;
} slots[CHURN_SLOTS];
static unsigned long allocated;

static void renew_slot(unsigned int slot)
{
	unsigned long pages = 1UL << draw(CHURN_SIZES);

	pages += draw(pages);
	if (slots[slot].memory)
		munmap(slots[slot].memory, slots[slot].pages * PAGE_SIZE);
	if (slots[slot].file)
		close(slots[slot].file);
	slots[slot].memory = NULL;
	slots[slot].file = 0;
	slots[slot].pages = pages;
	allocated += pages;
	if (draw(4)) {
		slots[slot].memory = new_memory(pages);
		/* A child of a big program would only copy page tables. */
		madvise(slots[slot].memory, pages * PAGE_SIZE, MADV_DONTFORK);
		touch(slots[slot].memory, pages);
		return;
	}
	slots[slot].file = memfd_create("file", 0);
	if (slots[slot].file < 0 ||
	    fallocate(slots[slot].file, 0, 0, pages * PAGE_SIZE))
		fail("a file");
}

static void run_child(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		fail("fork");
	if (!pid) {
		touch(new_memory(CHILD_PAGES), CHILD_PAGES);
		_exit(0);
	}
	errno = 0;
	if (wait(&status) < 0 || status)
		fail("a program");
	allocated += CHILD_PAGES;
}

static void print_churn(unsigned int minute)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		buffers[i] = new_memory(BUFFER_PAGES);
	for (i = 0; i < 2; i++) {
		struct placement placement = { 0 };

		touch(buffers[i], BUFFER_PAGES);
		look(buffers[i], BUFFER_PAGES, &placement, NULL);
		printf("churn minute=%u allocated=%lu", minute, allocated);
		print_placement(&placement);
	}
	for (i = 0; i < 2; i++)
		munmap(buffers[i], BUFFER_PAGES * PAGE_SIZE);
}

static void churn(void)
{
	unsigned int second, slot;

	drain();
	for (slot = 0; slot < CHURN_SLOTS; slot++)
		renew_slot(slot);
	allocated = 0;
	print_churn(0);
	for (second = 1; second <= CHURN_SECONDS; second++) {
		renew_slot(draw(CHURN_SLOTS));
		run_child();
		if (second % (CHURN_SECONDS / 4) == 0)
			print_churn(second / 60);
	}
}

/* --- compact --- */

static unsigned long counted(const char *prefix)
{
	FILE *f = fopen("/proc/vmstat", "r");
	unsigned long value, sum = 0;
	char name[64];

	if (!f)
		fail("/proc/vmstat");
	while (fscanf(f, "%63s %lu", name, &value) == 2) {
		if (!strncmp(name, prefix, strlen(prefix)))
			sum += value;
	}
	fclose(f);
	return sum;
}

static void compact_all(void)
{
	char *memory = new_memory(COMPACT_PAGES);
	unsigned long page, moved, scanned;
	int fd = open("/proc/sys/vm/compact_memory", O_WRONLY);

	if (fd < 0)
		fail("compact_memory");
	touch(memory, COMPACT_PAGES);
	for (page = 0; page < COMPACT_PAGES; page += COMPACT_KEPT) {
		if (madvise(memory + page * PAGE_SIZE,
			    (COMPACT_KEPT - 1) * PAGE_SIZE, MADV_DONTNEED))
			fail("madvise");
	}
	moved = counted("pgmigrate_success");
	scanned = counted("compact_migrate_scanned") +
		  counted("compact_free_scanned");
	MARK(MARKER_BEGIN);
	if (write(fd, "1", 1) != 1)
		fail("compact_memory");
	MARK(MARKER_END);
	printf("compact moved=%lu scanned=%lu\n",
	       counted("pgmigrate_success") - moved,
	       counted("compact_migrate_scanned") +
	       counted("compact_free_scanned") - scanned);
}

int main(void)
{
	const char *work = getenv("work"), *nodes = getenv("nodes");
	const char *side_by_side = getenv("touch");

	mkdir("/proc", 0755);
	if (mount("proc", "/proc", "proc", 0, NULL))
		fail("mount");
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap < 0)
		fail("pagemap");
	nr_channels = read_ranges(getenv("ranges"), channels);
	nr_blocks = read_ranges(getenv("blocks"), blocks);
	nr_nodes = nodes ? atoi(nodes) : 1;
	together = side_by_side && !strcmp(side_by_side, "together");
	errno = 0;
	if (!work || !nr_channels || !nr_nodes || nr_nodes > THREADS)
		fail("work, ranges or nodes are not said");
	printf("\nmovable pages=%lu\n", movable_pages());
	if (!strcmp(work, "copy"))
		copy_buffers();
	else if (!strcmp(work, "fill"))
		fill_zone();
	else if (!strcmp(work, "churn"))
		churn();
	else if (!strcmp(work, "compact"))
		compact_all();
	else
		fail("work is none of copy, fill, churn and compact");
	printf("done\n");
	power_off();
}
