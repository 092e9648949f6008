// SPDX-License-Identifier: GPL-2.0
/* The report for programs */
#include "bwactl-json.h"

#include <stdio.h>

#include "bwactl-groups.h"
#include "bwactl-matrix.h"
#include "bwactl-measure.h"
#include "bwactl-plan.h"
#include "bwactl-report.h"
#include "common.h"

static void print_nodes(const char *name, const struct nodes *nodes)
{
	const char *comma = "";
	int i;

	printf("\"%s\":[", name);
	for (i = next_node(nodes, -1); i >= 0; i = next_node(nodes, i)) {
		printf("%s%d", comma, i);
		comma = ",";
	}
	putchar(']');
}

static void print_ratio(const char *name, const struct ratio *ratio)
{
	const char *comma = "";
	int i;

	printf("\"%s\":[", name);
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i])
			continue;
		printf("%s{\"node\":%d,\"weight\":%u}", comma, i,
		       ratio->weight[i]);
		comma = ",";
	}
	putchar(']');
}

static void print_cell(const struct report *report, int from, int to)
{
	const struct cell *cell = &report->matrix->cell[from][to];

	printf("{\"from\":%d,\"to\":%d,\"mbps\":%u,", from, to, cell->mbps);
	if (report->mix || cell->spread > 0)
		printf("\"spread\":%.4f,", cell->spread);
	else
		fputs("\"spread\":null,", stdout);
	if (cell->ns > 0)
		printf("\"latency_ns\":%.1f}", cell->ns);
	else
		fputs("\"latency_ns\":null}", stdout);
}

static void print_cells(const struct report *report)
{
	const char *comma = "";
	int i, j;

	fputs("\"bandwidths\":[", stdout);
	for (i = next_node(&report->from, -1); i >= 0;
	     i = next_node(&report->from, i)) {
		for (j = next_node(&report->to, -1); j >= 0;
		     j = next_node(&report->to, j)) {
			if (!report->matrix->cell[i][j].mbps)
				continue;
			fputs(comma, stdout);
			print_cell(report, i, j);
			comma = ",";
		}
	}
	putchar(']');
}

static void print_verdict(const struct report *report, size_t index)
{
	const struct verdict *verdict = &report->verdicts[index];

	printf(",\"verified\":{\"mbps\":%u,\"sum_mbps\":%u,\"reached\":%s}",
	       verdict->mbps, verdict->sum,
	       verdict->reached ? "true" : "false");
}

static void print_groups(const struct report *report)
{
	size_t g;

	fputs("\"packages\":[", stdout);
	for (g = 0; g < report->groups->count; g++) {
		const struct group *group = &report->groups->group[g];

		fputs(g ? ",{" : "{", stdout);
		print_nodes("cpus", &group->compute);
		putchar(',');
		print_nodes("memory", &group->memory);
		putchar(',');
		print_ratio("weights", &report->plans[g].ratio);
		printf(",\"error\":%.4f", report->plans[g].error);
		if (report->verdicts && report->verdicts[g].sum)
			print_verdict(report, g);
		putchar('}');
	}
	putchar(']');
}

void print_report_json(const struct report *report)
{
	printf("{\"source\":\"%s\",", report->source);
	if (report->mix)
		printf("\"mix\":\"%s\",", report->mix);
	print_cells(report);
	putchar(',');
	print_groups(report);
	if (report->conflict >= 0) {
		printf(",\"conflict\":%d,\"weights\":null", report->conflict);
	} else {
		putchar(',');
		print_ratio("weights", &report->ratio);
	}
	printf(",\"applied\":%s", report->applied ? "true" : "false");
	if (report->applied) {
		putchar(',');
		print_ratio("previous", &report->saved.weights);
		printf(",\"previous_auto\":%s",
		       report->saved.automatic ? "true" : "false");
	}
	puts("}");
}
