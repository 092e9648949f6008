// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates memory under a weighted interleave policy, shows where its pages
 * went and compares that with the weights.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "placement.h"

static const char usage[] =
	"Usage: weighted_interleave_split [--mib N] [--pages N] NODES|--inherit\n"
	"       weighted_interleave_split --buffer NAME=MIB... [--policy POLICY]\n"
	"                                 [--big MIB] NODES\n"
	"\n"
	"Sets the memory policy \"weighted interleave\" over NODES (as in 0-1 or\n"
	"0,2), allocates N MiB in one piece (256) and N single pages (65536), and\n"
	"shows how the pages are split between the nodes. The weights are read\n"
	"from " WEIGHT_DIR ".\n"
	"With --inherit, policy and weights are those that the program was\n"
	"started with.\n"
	"\n"
	"With --buffer, the program has these buffers instead, and prints a line\n"
	"for each: NAME NODE=PAGES..., with nothing expected of them. POLICY is\n"
	"weighted (without this), interleave or bind. It is the program's own, or\n"
	"with --big that of the buffers of at least so many MiB alone.\n"
	"\n"
	"The exit status is 0 when each node has its share of the pages: within\n"
	"one page for up to two nodes, below two pages for more.\n";

static void fail(const char *what, int error)
{
	fprintf(stderr, "weighted_interleave_split: %s: %s\n", what,
		strerror(-error));
	exit(2);
}

/* Counts the pages on each node; the rest of the array stays 0 */
static void count_pages(const struct area *area, size_t count, long long *pages)
{
	int *node = calloc(count, sizeof(*node));
	size_t i;
	int ret;

	if (!node)
		fail("no memory for the page list", -ENOMEM);
	ret = nodes_of_pages(area->start, count, page_bytes(), node);
	if (ret)
		fail("move_pages", ret);
	memset(pages, 0, MAX_NODES * sizeof(*pages));
	for (i = 0; i < count; i++) {
		if (node[i] < 0)
			fail("a page is not there", node[i]);
		pages[node[i]]++;
	}
	free(node);
}

/* Prints the table of one mapping; true when every node has its share */
static bool show(const struct area *area, const struct round *round,
		 const unsigned int *weight)
{
	size_t count = area->len / page_bytes();
	static long long pages[MAX_NODES];
	long long on_node[MAX_ROUND_NODES];
	char line[1024];
	long long found = 0;
	double share;
	int i, ret;

	ret = numa_maps_line(area->start, line, sizeof(line));
	if (ret)
		fail("/proc/self/numa_maps", ret);
	printf("  numa_maps: %s\n", line);

	count_pages(area, count, pages);
	printf("  %-6s %6s %10s %12s %11s\n", "node", "weight", "pages",
	       "expected", "difference");
	for (i = 0; i < round->nr; i++) {
		on_node[i] = pages[round->node[i]];
		found += on_node[i];
		share = (double)count * round->weight[i] / round->total;
		printf("  %-6d %6u %10lld %12.2f %+11.2f\n", round->node[i],
		       weight[i], on_node[i], share, on_node[i] - share);
	}
	printf("\n");
	if (found == (long long)count)
		return round_counts(round, on_node);
	note("%lld pages are on other nodes", (long long)count - found);
	return false;
}

static unsigned long parse_count(const char *text)
{
	char *end;
	unsigned long value;

	value = strtoul(text, &end, 10);
	if (*end || end == text || !value || value > 1UL << 24) {
		fprintf(stderr, "weighted_interleave_split: no good number: %s\n",
			text);
		exit(2);
	}
	return value;
}

/* The nodes and weights that the program was started with */
static void inherited(struct nodeset *nodes, unsigned int *weight)
{
	struct own_policy own;
	int i, ret;

	ret = own_get(&own, NULL, 0);
	if (ret)
		fail("get_mempolicy2", ret);
	if (own.param.mode != MPOL_WEIGHTED_INTERLEAVE)
		fail("not started under weighted interleaving", -EINVAL);
	*nodes = own.nodes;
	for (i = 0; i < nodeset_count(nodes) && i < MAX_ROUND_NODES; i++)
		weight[i] = own.weight[nodeset_nth(nodes, i)];
}

static void global(const struct nodeset *nodes, unsigned int *weight)
{
	int i, ret;

	for (i = 0; i < nodeset_count(nodes); i++) {
		ret = weight_read(nodeset_nth(nodes, i));
		if (ret < 0)
			fail("the weight of a node (it needs memory, and the kernel the policy)",
			     ret);
		weight[i] = ret;
	}
}

#define MAX_BUFFERS 16

struct buffer {
	char *name;
	unsigned long mib;
	struct area area;
};

static struct buffer buffers[MAX_BUFFERS];
static int nr_buffers;

/* Takes "NAME=MIB" */
static void add_buffer(char *text)
{
	struct buffer *buffer = &buffers[nr_buffers];
	char *value = strchr(text, '=');

	if (!value || value == text || nr_buffers == MAX_BUFFERS) {
		fprintf(stderr, "weighted_interleave_split: no good buffer, or too many: %s\n",
			text);
		exit(2);
	}
	*value++ = '\0';
	buffer->name = text;
	buffer->mib = parse_count(value);
	nr_buffers++;
}

static int parse_policy(const char *name)
{
	if (!strcmp(name, "weighted"))
		return MPOL_WEIGHTED_INTERLEAVE;
	if (!strcmp(name, "interleave"))
		return MPOL_INTERLEAVE;
	if (!strcmp(name, "bind"))
		return MPOL_BIND;
	fprintf(stderr, "weighted_interleave_split: no such policy: %s\n",
		name);
	exit(2);
}

static void print_buffer(const struct buffer *buffer)
{
	static long long pages[MAX_NODES];
	int node;

	count_pages(&buffer->area, buffer->area.len / page_bytes(), pages);
	printf("%s", buffer->name);
	for (node = 0; node < MAX_NODES; node++) {
		if (pages[node])
			printf(" %d=%lld", node, pages[node]);
	}
	printf("\n");
}

/* Places the buffers; with @big the policy is that of large ones alone */
static void place_buffers(int mode, const struct nodeset *nodes,
			  unsigned long big)
{
	struct buffer *buffer;
	int ret = 0;

	if (!big)
		ret = policy_set(mode, nodes);
	if (ret)
		fail("set_mempolicy", ret);
	for (buffer = buffers; buffer < buffers + nr_buffers; buffer++) {
		struct area *area = &buffer->area;

		ret = area_map(area, (buffer->mib << 20) / page_bytes(), 1);
		if (ret)
			fail("mmap", ret);
		if (big && buffer->mib >= big)
			ret = policy_bind(area->start, area->len, mode, nodes,
					  0);
		if (ret)
			fail("mbind", ret);
		touch(area->start, area->len / page_bytes(), page_bytes());
	}
	for (buffer = buffers; buffer < buffers + nr_buffers; buffer++)
		print_buffer(buffer);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "big", required_argument, NULL, 'B' },
		{ "buffer", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "inherit", no_argument, NULL, 'i' },
		{ "mib", required_argument, NULL, 'm' },
		{ "pages", required_argument, NULL, 'p' },
		{ "policy", required_argument, NULL, 'P' },
		{}
	};
	unsigned long mib = 256, singles = 65536, big = 0;
	unsigned int weight[MAX_ROUND_NODES];
	struct area piece, pages;
	struct nodeset nodes;
	int mode = MPOL_WEIGHTED_INTERLEAVE;
	bool good, inherit = false;
	struct round round;
	int opt, ret = 0;
	size_t i;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'B':
			big = parse_count(optarg);
			break;
		case 'b':
			add_buffer(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'i':
			inherit = true;
			break;
		case 'm':
			mib = parse_count(optarg);
			break;
		case 'p':
			singles = parse_count(optarg);
			break;
		case 'P':
			mode = parse_policy(optarg);
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind + !inherit != argc ||
	    (!inherit && nodeset_parse(argv[optind], &nodes))) {
		fputs(usage, stderr);
		return 2;
	}
	if (inherit)
		inherited(&nodes, weight);
	if (!nodeset_count(&nodes) || nodeset_count(&nodes) > MAX_ROUND_NODES) {
		fputs(usage, stderr);
		return 2;
	}
	if (nr_buffers ? inherit : big || mode != MPOL_WEIGHTED_INTERLEAVE) {
		fputs(usage, stderr);
		return 2;
	}

	/* The shares are counted in single pages: no huge ones */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (nr_buffers) {
		place_buffers(mode, &nodes, big);
		return 0;
	}
	if (!inherit)
		global(&nodes, weight);
	round_init(&round, &nodes, weight);
	ret = area_map(&piece, (mib << 20) / page_bytes(), 1);
	if (!ret)
		ret = area_map(&pages, singles, 1);
	if (ret)
		fail("mmap", ret);
	if (!inherit)
		ret = policy_set(MPOL_WEIGHTED_INTERLEAVE, &nodes);
	if (ret)
		fail("set_mempolicy", ret);

	touch(piece.start, piece.len / page_bytes(), page_bytes());
	for (i = 0; i < singles; i++) {
		char *page = mmap(pages.start + i * page_bytes(), page_bytes(),
				  PROT_READ | PROT_WRITE, MAP_FIXED |
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			fail("mmap of a page", -errno);
		*page = 1;
	}

	printf("%lu MiB in one piece\n", mib);
	good = show(&piece, &round, weight);
	printf("%lu single pages\n", singles);
	good = show(&pages, &round, weight) && good;
	printf("%s\n", good ? "Every node has its share." :
	       "A node has not its share.");
	return !good;
}
