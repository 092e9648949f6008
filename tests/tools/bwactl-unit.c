// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the arithmetic of bwactl: weights from bandwidths, groups from nodes.
 * Prints "ok NAME" or "not ok NAME" for each test.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bwactl-fit.h"
#include "bwactl-groups.h"
#include "bwactl-machine.h"
#include "bwactl-matrix.h"
#include "bwactl-plan.h"
#include "bwactl-search.h"
#include "common.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static const struct fit_rule measured = { .max_weight = 255, .per_mille = 40 };
static const double tiny = 1 / 1e9;
static bool failed;

static void result(bool good, const char *name)
{
	printf("%s %s\n", good ? "ok" : "not ok", name);
	failed |= !good;
}

static double error_of(const unsigned int *mbps, const unsigned char *weights,
		       size_t count)
{
	double load, smallest = INFINITY, largest = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		load = (double)weights[i] / mbps[i];
		smallest = fmin(smallest, load);
		largest = fmax(largest, load);
	}
	return largest / smallest - 1;
}

/* @expected is "8:3"; bandwidths as a recorded matrix has them, in MB/s */
static void test_fit(const char *name, const struct fit_rule *rule,
		     const unsigned int *mbps, size_t count,
		     const char *expected)
{
	unsigned char weights[16];
	char got[64] = "", text[128];
	double error;
	size_t i;

	error = fit_weights(rule, mbps, count, weights);
	for (i = 0; i < count; i++)
		sprintf(got + strlen(got), i ? ":%u" : "%u", weights[i]);
	snprintf(text, sizeof(text), "%s is %s (%s)", name, expected, got);
	result(!strcmp(got, expected) &&
	       fabs(error - error_of(mbps, weights, count)) < tiny, text);
}

#define FIT(name, rule, expected, ...) do {				\
	static const unsigned int mbps[] = { __VA_ARGS__ };		\
									\
	test_fit(name, rule, mbps, ARRAY_SIZE(mbps),	\
		 expected);						\
} while (0)

static void test_fits(void)
{
	static const struct fit_rule exact = { .max_weight = 255 };
	static const struct fit_rule ten = { .max_weight = 10 };
	static const struct fit_rule one = { .max_weight = 1 };

	FIT("one node", &measured, "1", 187654);
	FIT("200:22 GB/s, measured", &measured, "9:1", 200000, 22000);
	FIT("200:22 GB/s, exact", &exact, "100:11", 200000, 22000);
	FIT("200:20 GB/s, exact", &exact, "10:1", 200000, 20000);
	FIT("200:22 GB/s, up to 10", &ten, "9:1", 200000, 22000);
	FIT("298.8:113.7 GB/s, measured", &measured, "8:3", 298800, 113700);
	FIT("298.8:113.7 GB/s, up to 10", &ten, "8:3", 298800, 113700);
	FIT("298.8:113.7 GB/s, exact", &exact, "113:43", 298800, 113700);
	FIT("8 and 4 channels of 38.4 GB/s", &measured, "2:1", 307200, 153600);
	FIT("8 and 4 channels, 2 % off", &measured, "2:1", 301100, 153600);
	FIT("two alike", &measured, "1:1", 130000, 128500);
	FIT("6:5", &measured, "6:5", 151200, 126300);
	FIT("8:2:3", &measured, "8:2:3", 240000, 60500, 89000);
	FIT("too far apart", &exact, "255:1", 8000000, 1);
	FIT("too far apart, measured", &measured, "255:1", 8000000, 1);
	FIT("largest bandwidths", &exact, "254:255", 7968627, 8000000);
	FIT("one weight only", &one, "1:1:1", 100, 200, 300);
	FIT("sixteen alike", &measured, "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1",
	    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9);
}

static unsigned int sum_of(const unsigned char *weights, size_t count)
{
	unsigned int sum = 0;

	while (count--)
		sum += *weights++;
	return sum;
}

/* Steps through all weights, as an odometer does */
static bool next_weights(unsigned char *weights, size_t count,
			 unsigned int max_weight)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (++weights[i] <= max_weight)
			return true;
		weights[i] = 1;
	}
	return false;
}

/* The error and the sum of the best weights there are */
static void search(const struct fit_rule *rule, const unsigned int *mbps,
		   size_t count, double *best_error, unsigned int *best_sum)
{
	const double limit = rule->per_mille / 1000.0;
	unsigned char weights[4] = { 1, 1, 1, 1 };

	*best_error = INFINITY;
	*best_sum = 0;
	do {
		double error = error_of(mbps, weights, count);
		unsigned int sum = sum_of(weights, count);
		bool better;

		if (rule->per_mille && *best_error <= limit + tiny &&
		    sum != *best_sum)
			better = error <= limit + tiny && sum < *best_sum;
		else if (fabs(error - *best_error) > tiny)
			better = error < *best_error;
		else
			better = sum < *best_sum;
		if (better) {
			*best_error = error;
			*best_sum = sum;
		}
	} while (next_weights(weights, count, rule->max_weight));
}

static void test_search(unsigned int per_mille)
{
	unsigned int mbps[4], sum;
	unsigned char weights[4];
	bool good = true;
	double error;
	char name[64];
	int round;
	size_t i;

	srandom(1);
	for (round = 0; round < 3000; round++) {
		size_t count = 1 + random() % 4;
		struct fit_rule rule = {
			.max_weight = 1 + random() % (count < 4 ? 20 : 9),
			.per_mille = per_mille,
		};

		for (i = 0; i < count; i++)
			mbps[i] = 1 + random() % (round % 2 ? 30 : 3000);
		search(&rule, mbps, count, &error, &sum);
		fit_weights(&rule, mbps, count, weights);
		good &= fabs(error_of(mbps, weights, count) - error) < tiny &&
			sum_of(weights, count) == sum;
	}
	snprintf(name, sizeof(name),
		 "no weights are better than those found, %u per mille",
		 per_mille);
	result(good, name);
}

static struct machine machine;
static struct groups groups;
static struct matrix matrix;

/* Nodes whose package is a digit; '-' has no CPUs, '+' no memory but CPUs */
static void make_machine(const char *packages)
{
	int i, j;

	memset(&machine, 0, sizeof(machine));
	for (i = 0; packages[i]; i++) {
		machine.online.in[i] = true;
		machine.memory.in[i] = packages[i] != '+';
		machine.compute.in[i] = packages[i] != '-';
		machine.package[i] = machine.compute.in[i] &&
				     packages[i] != '+' ? packages[i] - '0' :
				     -1;
	}
	for (i = 0; i < MAX_NODES; i++) {
		for (j = 0; j < MAX_NODES; j++)
			machine.distance[i][j] = i == j ? 10 : 20;
	}
}

static void set_distance(int a, int b, int distance)
{
	machine.distance[a][b] = distance;
	machine.distance[b][a] = distance;
}

/* "0,1|0-2 3|3": the CPUs and the memory of each group */
static const char *show_groups(void)
{
	static char text[4096];
	char compute[64], memory[64];
	size_t i;

	text[0] = '\0';
	for (i = 0; i < groups.count; i++) {
		format_set(&groups.group[i].compute, compute, sizeof(compute));
		format_set(&groups.group[i].memory, memory, sizeof(memory));
		sprintf(text + strlen(text), "%s%s|%s", i ? " " : "", compute,
			memory);
	}
	return text;
}

static void grouped(const char *name, const char *expected)
{
	char text[256];

	snprintf(text, sizeof(text), "%s: %s", name, expected);
	group_by_package(&machine, &groups);
	result(!strcmp(show_groups(), expected), text);
}

static void test_groups(void)
{
	make_machine("0");
	grouped("one node", "0|0");
	make_machine("0-");
	grouped("memory without CPUs", "0|0-1");
	make_machine("01");
	grouped("two packages", "0|0 1|1");

	make_machine("01--");
	set_distance(0, 3, 31);
	set_distance(1, 2, 31);
	grouped("two packages, memory behind each", "0|0,2 1|1,3");
	set_distance(0, 3, 20);
	grouped("memory as far from both", "0|0,2-3 1|1,3");
	machine.initiator[3][1] = true;
	grouped("memory as far from both, but firmware knows better",
		"0|0,2 1|1,3");
	machine.initiator[3][0] = true;
	grouped("memory that firmware calls as far from both",
		"0|0,2-3 1|1,3");

	make_machine("0011--");
	set_distance(0, 1, 12);
	set_distance(2, 3, 12);
	set_distance(4, 0, 24);
	set_distance(4, 1, 14);
	set_distance(5, 3, 14);
	grouped("clusters in two packages", "0-1|0-1,4 2-3|2-3,5");

	make_machine("0+-");
	machine.package[1] = 1;
	set_distance(1, 2, 15);
	grouped("a package without memory of its own", "0|0 1|2");
	make_machine("00");
	machine.package[0] = -1;
	machine.package[1] = -1;
	grouped("unknown packages", "0|0 1|1");
}

/* What parse_topology() says to a user goes to stderr */
static void parsed(const char *text, const char *expected)
{
	bool good = parse_topology(text, &machine, &groups);
	char name[256];

	snprintf(name, sizeof(name), "--topology '%s': %s", text,
		 expected ? expected : "refused");
	result(good == !!expected &&
	       (!good || !strcmp(show_groups(), expected)), name);
}

static void test_topology(void)
{
	static const char * const bad[] = {
		"", " ", "[", "[]", "[[]]", "[[0]", "[0]", "[[0,]]", "[[,0]]",
		"[[0],]", "[[0]]]", "[[0]] x", "[[0 1]]", "[[0][1]]", "[[0],[0]]",
		"[[0,0]]", "[[4]]", "[[0],[1],[1024]]", "[[00]]", "[[0x0]]",
		"[[-1]]", "[[a]]", "[[0.0]]", "[[99999999999999999999]]",
		"[[2]]", "[[0],[2,3]]", "{0}",
	};
	size_t i;

	make_machine("01--");
	parsed("[[0,2],[1,3]]", "0|0,2 1|1,3");
	parsed(" [ [ 0 , 2 ] , [ 3, 1 ] ] ", "0|0,2 1|1,3");
	parsed("[[1,2],[0,3]]", "1|1-2 0|0,3");
	parsed("[[0],[1,2,3]]", "0|0 1|1-3");
	parsed("[[1]]", "1|1");
	parsed("[[0,1,2]]", "0|0-2 1|0-2");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		parsed(bad[i], NULL);
	make_machine("00-");
	parsed("[[0,1,2]]", "0-1|0-2");
	parsed("[[0,2],[1]]", "0|0,2 1|1");
}

/* Bandwidths from each compute node, in GB/s and row by row */
static void record(const double *gbps)
{
	int from, to;

	memset(&matrix, 0, sizeof(matrix));
	for (from = next_node(&machine.compute, -1); from >= 0;
	     from = next_node(&machine.compute, from)) {
		for (to = next_node(&machine.memory, -1); to >= 0;
		     to = next_node(&machine.memory, to))
			matrix.cell[from][to].mbps = *gbps++ * 1000;
	}
}

/*
 * The weights of all nodes, "9,1", or the one that two packages fight for. Those
 * of each package are the same, or without global weights its own.
 */
static void planned_by(const struct fit_rule *rule, const char *name,
		       const char *expected)
{
	static struct plan plans[16];
	struct ratio ratio;
	char got[256] = "", text[320];
	bool same = true;
	int conflict, i;
	size_t g;

	for (g = 0; g < groups.count; g++)
		plan_weights(&matrix, rule, &groups.group[g].compute,
			     &groups.group[g].memory, &plans[g]);
	conflict = merge_plans(rule, plans, groups.count, &ratio);
	if (conflict >= 0)
		sprintf(got, "conflict about %d", conflict);
	for (i = 0; conflict < 0 && i < MAX_NODES; i++) {
		if (ratio.weight[i])
			sprintf(got + strlen(got), "%s%u", i ? "," : "",
				ratio.weight[i]);
		for (g = 0; g < groups.count; g++)
			same &= !plans[g].ratio.weight[i] ||
				plans[g].ratio.weight[i] == ratio.weight[i];
	}
	snprintf(text, sizeof(text), "%s: %s (%s)", name, expected, got);
	result(same && !strcmp(got, expected), text);
}

static void planned(const char *name, const char *expected)
{
	planned_by(&measured, name, expected);
}

#define RECORD(...) do {						\
	static const double gbps[] = { __VA_ARGS__ };			\
									\
	record(gbps);							\
} while (0)

static void test_plans(void)
{
	make_machine("0-");
	group_by_package(&machine, &groups);
	RECORD(200, 22);
	planned("200:22", "9,1");
	RECORD(298.8, 113.7);
	planned("298.8:113.7", "8,3");

	make_machine("01--");
	parse_topology("[[0,2],[1,3]]", &machine, &groups);
	RECORD(131, 60, 130.2, 40, 60, 151.2, 41, 126.3);
	planned("two sockets, 1:1 and 6:5", "1,6,1,5");
	RECORD(298.8, 90, 113.7, 40, 91, 297.1, 41, 112.9);
	planned("two sockets, 8:3", "8,8,3,3");
	parse_topology("[[0],[1,2,3]]", &machine, &groups);
	RECORD(240, 90, 30, 30, 91, 240, 60.5, 89);
	planned("[[0],[1,2,3]], 8:2:3", "1,8,2,3");

	parse_topology("[[0,1,2,3]]", &machine, &groups);
	RECORD(200, 80, 22, 16, 80, 200, 16, 22);
	planned("two packages that share all nodes", "conflict about 1");

	make_machine("00-");
	group_by_package(&machine, &groups);
	RECORD(100, 80, 25, 79, 101, 24);
	planned("two clusters", "4,4,1");
	RECORD(100, 0, 25, 0, 101, 0);
	planned("two clusters, of which tables tell their own node", "4,4,1");
}

/* Packages that share nodes, each with weights of its own scale */
static void test_shared(void)
{
	static const struct fit_rule exact = { .max_weight = 255 };
	static const struct fit_rule eight = { .max_weight = 8 };

	make_machine("01-");
	group_by_package(&machine, &groups);
	RECORD(200, 80, 22, 80, 200, 22.1);
	planned("a node between two packages that agree", "9,9,1");
	RECORD(180, 50, 120, 50, 120, 120);
	planned("3:2 and 1:1 for a node between them", "3,2,2");
	RECORD(200, 80, 22, 80, 60, 22);
	planned("9:1 and 8:3 for a node between them", "27,8,3");
	RECORD(298.8, 80, 113.7, 80, 90, 40);
	planned_by(&exact, "113:43 and 9:4, multiplied: larger than 255",
		   "242,207,92");
	planned_by(&eight, "larger than what is asked for", "8,7,3");
	RECORD(2550, 80, 10, 80, 10, 2550);
	planned("255:1 and 1:255 for a node between them", "conflict about 2");

	make_machine("01--");
	group_by_package(&machine, &groups);
	RECORD(200, 80, 22, 22, 80, 60, 22, 22);
	planned("two nodes between two packages", "27,8,3,3");
	RECORD(200, 80, 22, 22, 80, 60, 22, 22.7);
	planned("two nodes between two packages, 3 % off", "27,8,3,3");
	RECORD(200, 80, 22, 22, 80, 60, 22, 44);
	planned("two nodes between two packages, of which one gets more",
		"conflict about 3");
	RECORD(100, 80, 20, 40, 80, 100, 40, 20);
	planned("two nodes in the other order", "conflict about 3");

	/* Node 3 is of packages 0 and 1, node 4 of 1 and 2, node 5 of none else */
	make_machine("012----");
	set_distance(3, 2, 30);
	set_distance(4, 0, 30);
	set_distance(5, 1, 30);
	set_distance(5, 2, 30);
	machine.memory.in[6] = false;
	group_by_package(&machine, &groups);
	RECORD(90, 0, 0, 30, 0, 30, 0, 20, 0, 20, 40, 0, 0, 0, 60, 0, 20, 0);
	planned("three packages in a row", "3,1,6,1,2,1");
	make_machine("0123--");
	set_distance(4, 2, 30);
	set_distance(4, 3, 30);
	set_distance(5, 0, 30);
	set_distance(5, 1, 30);
	group_by_package(&machine, &groups);
	RECORD(30, 0, 0, 0, 20, 0, 0, 20, 0, 0, 20, 0,
	       0, 0, 50, 0, 0, 10, 0, 0, 0, 10, 0, 10);
	planned("two pairs of packages, each of its own scale", "3,2,5,1,2,1");
}

static void test_unknown(void)
{
	struct plan plan;

	make_machine("0--");
	group_by_package(&machine, &groups);
	RECORD(100, 0, 25);
	plan_weights(&matrix, &measured, &groups.group[0].compute,
		     &groups.group[0].memory, &plan);
	result(plan.unknown == 1 && !plan.ratio.weight[0],
	       "a node of unknown bandwidth leaves the group without weights");
}

/* The time of a program that a machine of two sets of nodes takes */
struct program {
	double fast, slow;	/* bandwidths */
	double power;		/* how sharply the slower one decides; 0: it alone */
	double fixed;		/* what memory does not change */
	double latency;		/* what the slow set adds for its share */
};

static double time_of(const struct program *program, double share)
{
	double fast = (1 - share) / program->fast, slow = share / program->slow;
	double both = fmax(fast, slow);

	if (program->power)
		both = pow(pow(fast, program->power) + pow(slow, program->power),
			   1 / program->power);
	return both + program->fixed / program->fast + program->latency * share;
}

/* How far the best of at most eight runs is above the least there is */
static double excess(const struct program *program, double start, double noise)
{
	struct search_point points[8], point;
	double least = INFINITY, share;
	size_t count = 0;

	while (count < ARRAY_SIZE(points) &&
	       next_share(points, count, start, &share)) {
		point.share = share;
		point.cost = time_of(program, share) *
			     (1 + noise * (2. * rand() / RAND_MAX - 1));
		add_point(points, count++, point);
	}
	for (share = 0; share <= 1; share += 0.001)
		least = fmin(least, time_of(program, share));
	point = points[best_point(points, count)];
	return time_of(program, point.share) / least - 1;
}

/*
 * All of these, begun where the bandwidths say, at half of it, at twice and four
 * times, and at least: none is further off than @most
 */
static void test_tuning(const char *name, double noise, double most)
{
	static const double fast[] = { 0.3, 1.2, 2, 3, 4, 9, 20 };
	static const double power[] = { 0, 3, 8 };
	static const double fixed[] = { 0, 0.3, 2 }, latency[] = { 0, 0.3, 3 };
	static const double starts[] = { 0.5, 1, 2, 4, 0 };
	size_t n = ARRAY_SIZE(fast) * 3 * 3 * 3 * 5, i;
	double worst = 0, found;
	size_t above = 0;
	char text[128];

	srand(1);
	for (i = 0; i < n; i++) {
		struct program program = {
			.fast = fast[i / 135], .slow = 1,
			.power = power[i / 45 % 3], .fixed = fixed[i / 15 % 3],
			.latency = latency[i / 5 % 3],
		};
		double start = starts[i % 5] / (1 + program.fast);

		found = excess(&program, fmin(fmax(start, 0.05), 0.9), noise);
		worst = fmax(worst, found);
		above += found > most;
	}
	snprintf(text, sizeof(text), "%s (%zu of %zu not, worst %.2f %%)", name, above, n,
		 100 * worst);
	result(!above, text);
}

int main(void)
{
	test_fits();
	test_search(0);
	test_search(40);
	test_search(200);
	test_groups();
	test_topology();
	test_plans();
	test_shared();
	test_unknown();
	test_tuning("eight runs are off by 1.5 % at most", 0, 0.015);
	test_tuning("eight runs that differ by 1 % are off by 7 % at most", 0.005, 0.07);
	return failed;
}
