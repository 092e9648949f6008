// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads with weights of their own over nodes 0 and 1: the main thread
 * 5:1, the other one 1:5. Each allocates memory in one piece and in single
 * pages, and checks what numa_maps says about them.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mempolicy2.h"

#define NODES		2
#define MAX_COUNT	1000000

enum {
	STATUS_OK,
	STATUS_OFF,
	STATUS_FAILED,
	STATUS_UNAVAILABLE = 4,	/* what the kernel's self tests call a skip */
};

static const char usage[] =
	"Usage: two-threads [--mib N] [--pages N]\n"
	"\n"
	"The main thread sets a memory policy with the weights 5:1 over the nodes 0 and\n"
	"1, another thread one with 1:5. Each allocates N MiB in one piece (256) and N\n"
	"single pages (65536) and shows where they are.\n"
	"\n"
	"Exit status: 0 each node has its share to within a page; 1 it has not; 2 failed;\n"
	"4 not available here: this kernel has no set_mempolicy2, a filter of system\n"
	"calls forbids it, or node 0 or 1 has no memory.\n";

struct area {
	const char *what;
	bool single;		/* mapped page by page */
	unsigned long count;	/* pages */
	char *start;
	char line[1024];	/* of numa_maps */
	unsigned long on_node[NODES];
};

struct worker {
	const char *name;
	__u8 weight[NODES];
	struct area area[2];
	const char *failed;	/* what did not work, with its errno */
	int error;
};

static struct worker workers[2] = {
	{ .name = "main thread 5:1", .weight = { 5, 1 } },
	{ .name = "other thread 1:5", .weight = { 1, 5 } },
};

static unsigned long page_size;

/* Between two pages without access, so that no neighbour is merged with it */
static bool reserve(struct area *area)
{
	char *start = mmap(NULL, (area->count + 2) * page_size, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (start == MAP_FAILED)
		return false;
	area->start = start + page_size;
	return true;
}

static bool map_and_touch(const struct area *area)
{
	unsigned long pages = area->single ? 1 : area->count;
	unsigned long i, j;

	for (i = 0; i < area->count; i += pages) {
		char *start = mmap(area->start + i * page_size,
				   pages * page_size, PROT_READ | PROT_WRITE,
				   MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

		if (start == MAP_FAILED)
			return false;
		for (j = 0; j < pages; j++)
			start[j * page_size] = 1;
	}
	return true;
}

static bool find_line(struct area *area)
{
	FILE *maps = fopen("/proc/thread-self/numa_maps", "re");
	bool found = false;

	if (!maps)
		return false;
	while (!found && fgets(area->line, sizeof(area->line), maps))
		found = strtoul(area->line, NULL, 16) ==
			(unsigned long)area->start;
	fclose(maps);
	errno = ENOENT;
	return found;
}

static void count_pages(struct area *area)
{
	char key[16];
	const char *at;
	int node;

	for (node = 0; node < NODES; node++) {
		snprintf(key, sizeof(key), " N%d=", node);
		at = strstr(area->line, key);
		area->on_node[node] =
			at ? strtoul(at + strlen(key), NULL, 10) : 0;
	}
}

/* Sets the thread's policy and fills its areas; returns what failed, or NULL */
static const char *place(struct worker *worker)
{
	unsigned long nodes = (1UL << NODES) - 1;
	struct mpol_param param = {
		.mode = MPOL_WEIGHTED_INTERLEAVE,
		.pol_maxnodes = NODES,
		.pol_nodes = mpol_address(&nodes),
		.il_weights = mpol_address(worker->weight),
	};
	struct area *area;

	if (set_mempolicy2(&param, sizeof(param), 0))
		return "set_mempolicy2";
	for (area = worker->area; area < worker->area + 2; area++) {
		if (!reserve(area) || !map_and_touch(area))
			return "mmap";
		if (!find_line(area))
			return "/proc/thread-self/numa_maps";
		count_pages(area);
	}
	return NULL;
}

static void *work(void *data)
{
	struct worker *worker = data;

	worker->failed = place(worker);
	worker->error = errno;
	return NULL;
}

/* Prints one mapping; true when each node is within a page of its share */
static bool show(const struct worker *worker, const struct area *area)
{
	unsigned int total = worker->weight[0] + worker->weight[1];
	bool good = true;
	int node;

	printf("%s, %s: %s", worker->name, area->what, area->line);
	printf("  node  weight      pages     expected  difference\n");
	for (node = 0; node < NODES; node++) {
		double expected =
			(double)area->count * worker->weight[node] / total;
		/* exact, in units of a page divided by all weights */
		long long off = (long long)area->on_node[node] * total -
				(long long)area->count * worker->weight[node];

		printf("  %4d  %6u  %9lu  %11.2f  %+10.2f\n", node,
		       worker->weight[node], area->on_node[node], expected,
		       (double)off / total);
		good = good && llabs(off) <= total;
	}
	if (area->on_node[0] + area->on_node[1] != area->count) {
		printf("  of %lu pages some are missing or on other nodes\n",
		       area->count);
		good = false;
	}
	return good;
}

static int run(void)
{
	bool good = true;
	pthread_t other;
	int i, error;

	error = pthread_create(&other, NULL, work, &workers[1]);
	if (error) {
		warnx("no thread: %s", strerror(error));
		return STATUS_FAILED;
	}
	work(&workers[0]);
	pthread_join(other, NULL);

	for (i = 0; i < 2; i++) {
		if (!workers[i].failed)
			continue;
		warnx("%s: %s: %s", workers[i].name, workers[i].failed,
		      strerror(workers[i].error));
		return STATUS_FAILED;
	}
	for (i = 0; i < 4; i++)
		good = show(&workers[i / 2], &workers[i / 2].area[i % 2]) &&
		       good;
	printf("%s\n", good ? "Each node has its share." :
	       "A node has not its share.");
	return good ? STATUS_OK : STATUS_OFF;
}

static bool parse_count(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (!errno && !*end && strspn(text, "0123456789") && *count &&
	    *count <= MAX_COUNT)
		return true;
	warnx("'%s' is not a count: use 1 to %d", text, MAX_COUNT);
	return false;
}

static bool parse_options(int argc, char **argv, unsigned long *mib,
			  unsigned long *pages, bool *help)
{
	static const struct option options[] = {
		{ "help",	no_argument,		NULL, 'h' },
		{ "mib",	required_argument,	NULL, 'm' },
		{ "pages",	required_argument,	NULL, 'p' },
		{}
	};
	bool good = true;
	int option;

	opterr = 0;
	while (good &&
	       (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'h')
			*help = true;
		else if (option == 'm')
			good = parse_count(optarg, mib);
		else
			good = option == 'p' && parse_count(optarg, pages);
	}
	if (good && optind == argc)
		return true;
	warnx("wrong arguments: see two-threads --help");
	return false;
}

static bool nodes_have_memory(void)
{
	char path[64], line[128];
	unsigned long kilobytes;
	int node;

	for (node = 0; node < NODES; node++) {
		FILE *file;

		snprintf(path, sizeof(path),
			 "/sys/devices/system/node/node%d/meminfo", node);
		file = fopen(path, "re");
		if (!file)
			return false;
		if (!fgets(line, sizeof(line), file) ||
		    sscanf(line, "Node %*d MemTotal: %lu", &kilobytes) != 1)
			kilobytes = 0;
		fclose(file);
		if (!kilobytes)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned long mib = 256, pages = 65536;
	bool help = false;
	int i;

	if (!parse_options(argc, argv, &mib, &pages, &help))
		return STATUS_FAILED;
	if (help) {
		fputs(usage, stdout);
		return STATUS_OK;
	}
	if (!mempolicy2_available()) {
		warn("set_mempolicy2 is not available here");
		return STATUS_UNAVAILABLE;
	}
	if (!nodes_have_memory()) {
		warnx("not available here: nodes 0 and 1 must have memory");
		return STATUS_UNAVAILABLE;
	}
	page_size = sysconf(_SC_PAGESIZE);
	for (i = 0; i < 2; i++) {
		workers[i].area[0] = (struct area){
			.what = "one piece", .count = (mib << 20) / page_size,
		};
		workers[i].area[1] = (struct area){
			.what = "single pages", .single = true, .count = pages,
		};
	}
	/* Shares are counted in pages of one size */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	return run();
}
