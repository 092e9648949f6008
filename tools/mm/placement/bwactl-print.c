// SPDX-License-Identifier: GPL-2.0
/* The report for people */
#include "bwactl-print.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bwactl-groups.h"
#include "bwactl-machine.h"
#include "bwactl-matrix.h"
#include "bwactl-measure.h"
#include "bwactl-plan.h"
#include "bwactl-report.h"
#include "common.h"

/* "node 0" or "nodes 0-1" */
static const char *name_set(const struct nodes *nodes)
{
	static char text[256];
	int len = sprintf(text, count_nodes(nodes) == 1 ? "node " : "nodes ");

	format_set(nodes, text + len, sizeof(text) - len);
	return text;
}

static const char *name_gbps(unsigned int mbps)
{
	static char text[32];

	snprintf(text, sizeof(text), mbps < 1000 ? "%.3f" : "%.1f", mbps / 1e3);
	return text;
}

static void print_echo(const struct report *report, int node, int weight,
		       FILE *out)
{
	char dir[PATH_MAX];

	weight_directory(report->machine, dir, sizeof(dir));
	fprintf(out, "echo %d > %s/node%d\n", weight, dir, node);
}

static void print_echoes(const struct report *report, const struct plan *plan)
{
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (plan->ratio.weight[i])
			print_echo(report, i, plan->ratio.weight[i], stdout);
	}
}

static void print_plan(const struct group *group, const struct plan *plan)
{
	int i;

	for (i = next_node(&group->memory, -1); i >= 0;
	     i = next_node(&group->memory, i)) {
		if (plan->ratio.weight[i])
			printf("  node%d: %u", i, plan->ratio.weight[i]);
		else
			printf("  node%d: ?", i);
		if (plan->mbps[i])
			printf("  (%s GB/s)", name_gbps(plan->mbps[i]));
		putchar('\n');
	}
}

/* What the CPUs of one node see, alone */
static void print_node(const struct report *report, const struct group *group,
		       int node)
{
	struct nodes compute = {};
	struct plan plan;

	compute.in[node] = true;
	plan_weights(report->matrix, &report->rule, &compute, &group->memory,
		     &plan);
	printf("from node%d compute cores:\n", node);
	print_plan(group, &plan);
}

static void print_group(const struct report *report, size_t index)
{
	const struct group *group = &report->groups->group[index];
	const struct plan *plan = &report->plans[index];
	const char *name = name_set(&group->compute);
	int i;

	for (i = next_node(&group->compute, -1); i >= 0;
	     i = next_node(&group->compute, i))
		print_node(report, group, i);
	if (!count_nodes(&group->memory)) {
		printf("no memory belongs to %s\n", name);
	} else if (plan->unknown >= 0) {
		printf("no weights for %s: the bandwidth of node %d is not known\n",
		       name, plan->unknown);
	} else if (count_nodes(&group->compute) > 1) {
		printf("from %s together:\n", name);
		print_plan(group, plan);
	}
	if (report->conflict < 0)
		print_echoes(report, plan);
}

static void print_run(const struct group *group, const struct plan *plan,
		      bool own_weights)
{
	char list[256];
	const char *comma = "";
	int i;

	if (plan->unknown >= 0 || count_nodes(&group->memory) < 2)
		return;
	format_set(&group->compute, list, sizeof(list));
	if (!own_weights) {
		printf("  numactl -N %s", list);
		format_set(&group->memory, list, sizeof(list));
		printf(" -w %s COMMAND\n", list);
		return;
	}
	printf("  numactl -N %s mpolctl run --weights ", list);
	for (i = 0; i < MAX_NODES; i++) {
		if (!plan->ratio.weight[i])
			continue;
		printf("%s%d=%u", comma, i, plan->ratio.weight[i]);
		comma = ",";
	}
	puts(" -- COMMAND");
}

static void print_runs(const struct report *report)
{
	bool many = report->groups->count > 1;
	bool any = false;
	size_t g;

	for (g = 0; g < report->groups->count; g++)
		any |= report->plans[g].unknown < 0 &&
		       count_nodes(&report->groups->group[g].memory) > 1;
	if (!any)
		return;
	putchar('\n');
	if (report->conflict >= 0)
		printf("Packages want different weights for node %d, but a global weight is the\n"
		       "same for all: no global weights suit both. Give programs weights of\n"
		       "their own, which needs no root:\n", report->conflict);
	else if (many)
		puts("With these weights, for programs within a package (those of several\n"
		     "packages do not go together):");
	else
		puts("With these weights:");
	for (g = 0; g < report->groups->count; g++)
		print_run(&report->groups->group[g], &report->plans[g],
			  report->conflict >= 0);
}

static void print_head(const struct nodes *to, const char *title)
{
	char name[16];
	int i;

	printf("\n%s\n%-8s", title, "");
	for (i = next_node(to, -1); i >= 0; i = next_node(to, i)) {
		snprintf(name, sizeof(name), "node%d", i);
		printf("  %15s", name);
	}
	putchar('\n');
}

static void print_bandwidth(const struct cell *cell)
{
	char spread[16];

	if (!cell->mbps) {
		printf("  %6s %8s", "-", "");
		return;
	}
	snprintf(spread, sizeof(spread), "(%.1f%%)", 100 * cell->spread);
	printf("  %6s %8s", name_gbps(cell->mbps),
	       cell->spread > 0 ? spread : "");
}

static void print_latency(const struct cell *cell)
{
	if (cell->ns > 0)
		printf("  %15.0f", cell->ns);
	else
		printf("  %15s", "-");
}

static void print_matrix(const struct report *report, const char *title,
			 void (*print)(const struct cell *cell))
{
	char name[16];
	int i, j;

	print_head(&report->to, title);
	for (i = next_node(&report->from, -1); i >= 0;
	     i = next_node(&report->from, i)) {
		snprintf(name, sizeof(name), "node%d", i);
		printf("%-8s", name);
		for (j = next_node(&report->to, -1); j >= 0;
		     j = next_node(&report->to, j))
			print(&report->matrix->cell[i][j]);
		putchar('\n');
	}
}

static void print_weights(const struct report *report, size_t index)
{
	const struct group *group = &report->groups->group[index];
	const struct plan *plan = &report->plans[index];
	char bar[BAR_WIDTH + 2];
	double sum = 0, share;
	int i;

	for (i = 0; i < MAX_NODES; i++)
		sum += plan->ratio.weight[i];
	if (!sum)
		return;
	printf("\nWeights for the CPUs of %s; ratios are off by up to %.1f%%\n"
	       "NODE  WEIGHT   SHARE\n", name_set(&group->compute),
	       100 * plan->error);
	for (i = 0; i < MAX_NODES; i++) {
		if (!plan->ratio.weight[i])
			continue;
		share = plan->ratio.weight[i] / sum;
		format_bar(bar, share, -1);
		printf("%4d  %6u  %5.1f%%  %s\n", i, plan->ratio.weight[i],
		       100 * share, bar);
	}
}

void print_report(const struct report *report)
{
	char title[128];
	size_t g;

	puts("Bandwidth ratio for all NUMA nodes");
	for (g = 0; g < report->groups->count; g++)
		print_group(report, g);
	print_runs(report);
	if (report->mix)
		snprintf(title, sizeof(title),
			 "Bandwidth in GB/s, %s, from CPUs (rows) to memory (spread of the runs)",
			 report->mix);
	else
		snprintf(title, sizeof(title),
			 "Bandwidth in GB/s from CPUs (rows) to memory, %s",
			 report->source);
	print_matrix(report, title, print_bandwidth);
	print_matrix(report, "Latency in ns", print_latency);
	for (g = 0; g < report->groups->count; g++)
		print_weights(report, g);
}

void print_way_back(const struct report *report, FILE *out)
{
	char dir[PATH_MAX];
	int i;

	fputs("\nThe weights are written. To go back:\n", out);
	if (report->saved.automatic) {
		weight_directory(report->machine, dir, sizeof(dir));
		fprintf(out, "echo true > %s/auto\n", dir);
		return;
	}
	for (i = 0; i < MAX_NODES; i++) {
		if (report->ratio.weight[i])
			print_echo(report, i, report->saved.weights.weight[i],
				   out);
	}
}

void print_verdicts(const struct report *report)
{
	const struct verdict *verdict = report->verdicts;
	size_t g;

	putchar('\n');
	for (g = 0; g < report->groups->count; g++, verdict++) {
		if (!verdict->sum)
			continue;
		printf("Weighted, CPUs of %s get %s GB/s",
		       name_set(&report->groups->group[g].compute),
		       name_gbps(verdict->mbps));
		printf(", %.0f%% of the sum of %s GB/s: %s\n",
		       100.0 * verdict->mbps / verdict->sum,
		       name_gbps(verdict->sum),
		       verdict->reached ? "reached" : "not reached");
	}
}
