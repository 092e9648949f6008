// SPDX-License-Identifier: GPL-2.0
/* mpolctl show: mappings and processes as a table and as JSON */
#include "mpolctl-print.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "mpolctl-summary.h"
#include "numa-maps.h"

static double share_of(const struct mapping *mapping, int node)
{
	return mapping->total ?
	       (double)mapping->pages[node] / mapping->total : 0;
}

/* What the user says, else what the kernel shows of the policy, else what holds for all */
static const struct ratio *ratio_of(const struct view *view,
				    const struct mapping *mapping)
{
	return mapping->has_own && view->source != FROM_OPTION ? &mapping->own :
								 &view->ratio;
}

/* The share that the policy gives to @node; negative when it is not known */
static double expected_share(const struct view *view,
			     const struct mapping *mapping, int node)
{
	double total = 0, own = 0;
	int i, weight;

	if (mapping->placing == PLACED_OTHERWISE || mapping->cut)
		return -1;
	for (i = 0; i < MAX_NODES; i++) {
		if (!mapping->nodes.in[i])
			continue;
		weight = mapping->placing == PLACED_EVENLY ? 1 :
			 ratio_of(view, mapping)->weight[i];
		if (!weight)
			return -1;
		total += weight;
		if (i == node)
			own = weight;
	}
	return total ? own / total : -1;
}

static bool node_is_shown(const struct mapping *mapping, int node)
{
	return mapping->pages[node] || mapping->nodes.in[node];
}

/* A character that is one on each terminal: none that moves, turns or hides others */
static bool is_shown(unsigned int code)
{
	static const unsigned int hidden[][2] = {
		{ 0x7f, 0x9f },		/* controls */
		{ 0xad, 0xad },		/* soft hyphen */
		{ 0x61c, 0x61c },	/* direction of writing */
		{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0x3164, 0x3164 }, { 0xd800, 0xf8ff }, { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xffff },
		{ 0xe0000, ~0U },	/* tags, private ones, beyond Unicode */
	};
	size_t i;

	for (i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
		if (code >= hidden[i][0] && code <= hidden[i][1])
			return false;
	}
	return code >= ' ';
}

/*
 * How many bytes the first character takes in UTF-8, RFC 3629; 0 when it is not
 * one that is shown
 */
static int measure_character(const char *text)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = *text;
	unsigned int code;
	int len, i;

	len = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 :
	      first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
	if (!len)
		return 0;
	code = len == 1 ? first : first & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	return code >= least[len] && is_shown(code) ? len : 0;
}

/*
 * At least @width columns. A file's name may hold anything: what a terminal
 * would act on is shown in octal.
 */
static void print_text(FILE *out, const char *text, int width)
{
	int len;

	for (; *text; text += len ? len : 1) {
		len = measure_character(text);
		if (len)
			width -= fprintf(out, "%.*s", len, text) / len;
		else
			width -= fprintf(out, "\\%03o", (unsigned char)*text);
	}
	fprintf(out, "%*s", width > 0 ? width : 0, "");
}

static void print_table_head(FILE *out, const struct view *view)
{
	if (view->pid)
		fprintf(out, "Process %lu\n", view->pid);
	fprintf(out, "%-12s  %-24s  %8s  %4s  %10s  %6s  %8s  %-*s  %s\n",
		"ADDRESS", "POLICY", "PAGE", "NODE", "PAGES", "SHARE",
		"EXPECTED", BAR_WIDTH + 1, "", "MAPPING");
}

/* Is there an expected share, known or not? */
static bool expects(const struct mapping *mapping)
{
	return mapping->placing == PLACED_BY_WEIGHT ||
	       (mapping->placing == PLACED_EVENLY && mapping->cut);
}

static void print_page_size(FILE *out, const struct mapping *mapping)
{
	if (mapping->page_kb)
		fprintf(out, "  %7luK", mapping->page_kb);
	else
		fprintf(out, "  %8s", "-");
}

static void print_node(FILE *out, const struct view *view,
		       const struct mapping *mapping, int node, bool named)
{
	double expected = expected_share(view, mapping, node);
	char bar[BAR_WIDTH + 2];

	fprintf(out, "  %4d  %10lu  %5.1f%%", node, mapping->pages[node],
		100 * share_of(mapping, node));
	if (expected >= 0)
		fprintf(out, "  %7.1f%%", 100 * expected);
	else
		fprintf(out, "  %8s",
			expects(mapping) ? "?" : "-");
	format_bar(bar, share_of(mapping, node), expected);
	if (named)
		fprintf(out, "  %-*s  ", BAR_WIDTH + 1, bar);
	else
		fprintf(out, "  %s", bar);
}

static void print_nodes(FILE *out, const struct view *view,
			const struct mapping *mapping)
{
	bool first = true;
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (!node_is_shown(mapping, i))
			continue;
		if (first)
			print_page_size(out, mapping);
		else
			fprintf(out, "%48s", "");
		print_node(out, view, mapping, i, first && *mapping->name);
		if (first)
			print_text(out, mapping->name, 0);
		fputc('\n', out);
		first = false;
	}
}

static void print_table_mapping(FILE *out, const struct view *view,
				const struct mapping *mapping)
{
	fprintf(out, "%-12s  ", mapping->address);
	print_text(out, mapping->policy, 24);
	if (mapping->cut)
		fputs("...", out);
	if (mapping->total) {
		print_nodes(out, view, mapping);
		return;
	}
	fprintf(out, "  %8s  %4s  %10u  %6s  %8s", "-", "-", 0, "-", "-");
	if (*mapping->name) {
		fprintf(out, "  %*s  ", BAR_WIDTH + 1, "");
		print_text(out, mapping->name, 0);
	}
	fputc('\n', out);
}

/* All of it as one mapping, of pages of a KiB */
static void placed_mapping(struct mapping *mapping, const struct placed *placed)
{
	int i;

	memset(mapping, 0, sizeof(*mapping));
	mapping->policy = "";
	mapping->name = placed->unsized ? "but those of unknown size" : "";
	mapping->page_kb = 1;
	for (i = 0; i < MAX_NODES; i++) {
		mapping->pages[i] = placed->kb[i];
		mapping->total += placed->kb[i];
	}
}

static void print_table_sum(FILE *out, const struct view *view)
{
	static struct mapping all;

	placed_mapping(&all, &view->all);
	all.address = "all";
	if (all.total)
		print_table_mapping(out, view, &all);
}

static void print_table_end(FILE *out, const struct view *view)
{
	print_table_sum(out, view);
	if (view->cut)
		fputs("\nA policy that ends in ... has more nodes than the kernel shows.\n", out);
	if (!view->weighted)
		return;
	if (view->source == FROM_OPTION)
		fputs("\nEXPECTED of weighted interleave is from --weights.\n",
		      out);
	else if (view->source == FROM_GLOBAL)
		fputs("\nEXPECTED of weighted interleave is from the weights of the policy,\n"
		      "where it has some of its own, else from the global weights.\n", out);
	else
		fputs("\nEXPECTED of weighted interleave is from the weights of the policy,\n"
		      "where it has some of its own, else unknown (?): give the ratio with\n"
		      "--weights.\n", out);
}

const struct printer table_printer = {
	.begin = print_table_head,
	.mapping = print_table_mapping,
	.end = print_table_end,
};

/* A string in quotes, of characters that JSON allows */
static void print_json_text(FILE *out, const char *text)
{
	int len;

	fputc('"', out);
	for (; *text; text += len ? len : 1) {
		len = measure_character(text);
		if (*text == '\\' || *text == '"')
			fprintf(out, "\\%c", *text);
		else if (len)
			fprintf(out, "%.*s", len, text);
		else
			fprintf(out, "\\\\%03o", (unsigned char)*text);
	}
	fputc('"', out);
}

static void print_json_begin(FILE *out, const struct view *view)
{
	static const char *const sources[] = {
		[FROM_NOWHERE] = "null",
		[FROM_GLOBAL] = "\"global\"",
		[FROM_OPTION] = "\"option\"",
	};

	if (view->pid)
		fprintf(out, "{\"pid\":%lu", view->pid);
	else
		fputs("{\"pid\":null", out);
	fprintf(out, ",\"expected_from\":%s,\"mappings\":[",
		sources[view->source]);
}

static void print_json_node(FILE *out, const struct view *view,
			    const struct mapping *mapping, int node)
{
	double expected = expected_share(view, mapping, node);

	fprintf(out, "{\"node\":%d,\"pages\":%lu,\"share\":%.6f,\"expected\":",
		node, mapping->pages[node], share_of(mapping, node));
	if (expected < 0)
		fputs("null}", out);
	else
		fprintf(out, "%.6f}", expected);
}

static void print_json_mapping(FILE *out, const struct view *view,
			       const struct mapping *mapping)
{
	const char *comma = "";
	int i;

	fputs(view->all.mappings ? "," : "", out);
	fprintf(out, "{\"address\":\"%s\",\"policy\":", mapping->address);
	print_json_text(out, mapping->policy);
	fprintf(out, ",\"policy_cut\":%s,\"mapping\":", mapping->cut ? "true" : "false");
	print_json_text(out, mapping->name);
	if (mapping->page_kb)
		fprintf(out, ",\"page_kB\":%lu", mapping->page_kb);
	else
		fputs(",\"page_kB\":null", out);
	fprintf(out, ",\"pages\":%lu,\"nodes\":[", mapping->total);
	for (i = 0; i < MAX_NODES; i++) {
		if (!node_is_shown(mapping, i))
			continue;
		fputs(comma, out);
		print_json_node(out, view, mapping, i);
		comma = ",";
	}
	fputs("]}", out);
}

static void print_json_placed(FILE *out, const struct placed *placed)
{
	const char *comma = "";
	int i;

	fputs("\"nodes\":[", out);
	for (i = 0; i < MAX_NODES; i++) {
		if (!placed->kb[i])
			continue;
		fprintf(out, "%s{\"node\":%d,\"kB\":%lu}", comma, i, placed->kb[i]);
		comma = ",";
	}
	fputc(']', out);
}

static void print_json_end(FILE *out, const struct view *view)
{
	fputs("],", out);
	print_json_placed(out, &view->all);
	fprintf(out, ",\"whole\":%s}\n", view->all.unsized ? "false" : "true");
}

const struct printer json_printer = {
	.begin = print_json_begin,
	.mapping = print_json_mapping,
	.end = print_json_end,
};

static void print_summary_head(FILE *out, const struct summary *summary)
{
	(void)summary;
	fprintf(out, "%-10s  %4s  %12s  %6s\n", "PROCESS", "NODE", "KIB", "SHARE");
}

static void print_summary_placed(FILE *out, const char *process, const struct placed *placed)
{
	static struct mapping all;
	char bar[BAR_WIDTH + 2];
	int i;

	placed_mapping(&all, placed);
	for (i = 0; i < MAX_NODES; i++) {
		if (!all.pages[i])
			continue;
		format_bar(bar, share_of(&all, i), -1);
		fprintf(out, "%-10s  %4d  %12lu  %5.1f%%  %s\n", process, i, all.pages[i],
			100 * share_of(&all, i), bar);
		process = "";
	}
	if (*process)
		fprintf(out, "%-10s  %4s  %12d  %6s\n", process, "-", 0, "-");
}

static void print_summary_process(FILE *out, const struct summary *summary,
				  const char *process, const struct placed *placed)
{
	(void)summary;
	print_summary_placed(out, process, placed);
}

static void print_summary_end(FILE *out, const struct summary *summary)
{
	print_summary_placed(out, "all", &summary->all);
	if (summary->processes > 1)
		fputs("\nWhat several of them share is counted for each.\n", out);
	if (summary->all.unsized)
		fputs("\nPages of unknown size are not counted.\n", out);
}

const struct summary_printer table_summary = {
	.begin = print_summary_head,
	.process = print_summary_process,
	.end = print_summary_end,
};

static void print_json_summary_begin(FILE *out, const struct summary *summary)
{
	fputs("{\"name\":", out);
	print_json_text(out, summary->name);
	fputs(",\"processes\":[", out);
}

static void print_json_process(FILE *out, const struct summary *summary,
			       const char *process, const struct placed *placed)
{
	fprintf(out, "%s{\"pid\":%s,", summary->processes ? "," : "", process);
	print_json_placed(out, placed);
	fputc('}', out);
}

static void print_json_summary_end(FILE *out, const struct summary *summary)
{
	fputs("],", out);
	print_json_placed(out, &summary->all);
	fprintf(out, ",\"whole\":%s}\n",
		summary->unread || summary->all.unsized ? "false" : "true");
}

const struct summary_printer json_summary = {
	.begin = print_json_summary_begin,
	.process = print_json_process,
	.end = print_json_summary_end,
};
