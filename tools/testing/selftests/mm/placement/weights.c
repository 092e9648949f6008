// SPDX-License-Identifier: GPL-2.0
/* Weights in sysfs, and the rounds that they make of pages, see placement.h */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "placement.h"

const char *weight_path(int node, char *buf, size_t size)
{
	snprintf(buf, size, WEIGHT_DIR "/node%d", node);
	return buf;
}

int weight_read(int node)
{
	char path[128], buf[64], *end;
	long weight;
	int ret;

	ret = file_read(weight_path(node, path, sizeof(path)), buf,
			sizeof(buf));
	if (ret < 0)
		return ret;
	weight = strtol(buf, &end, 10);
	if (end == buf || strcmp(end, "\n") || weight < 1 ||
	    weight > MAX_WEIGHT) {
		note("node%d reads '%s'", node, buf);
		return -EPROTO;
	}
	return weight;
}

int weight_write(int node, unsigned int weight)
{
	char path[128];

	return file_print(weight_path(node, path, sizeof(path)), "%u\n",
			  weight);
}

long long node_speed(int node, const char *name)
{
	char path[128];
	long long value;

	snprintf(path, sizeof(path),
		 NODE_DIR "/node%d/access1/initiators/%s_bandwidth", node, name);
	value = file_number(path);
	return value > 0 ? value : 0;
}

long long node_bandwidth(int node)
{
	long long read = node_speed(node, "read"), write = node_speed(node, "write");
	long long reads = file_number(WEIGHT_MIX);

	if (!read || !write)
		return read + write;
	return 100 * read * write / (reads * write + (100 - reads) * read);
}

struct fit {
	long long bandwidth[MAX_NODES];
	int weight[MAX_NODES];
	int nr;
};

/* The time of a round on the busiest node to that on the idlest */
static double fit_error(const struct fit *fit)
{
	double most = 0, least = 0, time;
	int i;

	for (i = 0; i < fit->nr; i++) {
		time = (double)fit->weight[i] / fit->bandwidth[i];
		if (time > most)
			most = time;
		if (!least || time < least)
			least = time;
	}
	return most / least;
}

/* Of all weights: each node could be the idlest one, with each weight */
static double least_error(const struct fit *fit)
{
	double least = 1e30, error;
	struct fit other = *fit;
	int i, j, weight;

	for (i = 0; i < fit->nr; i++) {
		for (weight = 1; weight <= MAX_WEIGHT; weight++) {
			for (j = 0; j < fit->nr; j++) {
				long long want = weight * fit->bandwidth[j];

				want = (want + fit->bandwidth[i] - 1) /
				       fit->bandwidth[i];
				other.weight[j] = want < MAX_WEIGHT ? want : MAX_WEIGHT;
			}
			error = fit_error(&other);
			if (error < least)
				least = error;
		}
	}
	return least;
}

static bool weights_fit_now(const struct nodeset *nodes)
{
	static struct fit fit;
	int i, node, weight;

	fit.nr = 0;
	for (i = 0; i < nodeset_count(nodes); i++) {
		node = nodeset_nth(nodes, i);
		weight = weight_read(node);
		if (weight < 1)
			return false;
		fit.bandwidth[fit.nr] = node_bandwidth(node);
		fit.weight[fit.nr] = weight;
		if (fit.bandwidth[fit.nr])
			fit.nr++;
		else if (weight != 1)
			return false;
	}
	return !fit.nr || fit_error(&fit) <= 1.01 ||
	       fit_error(&fit) <= 1.000001 * least_error(&fit);
}

bool weights_fit(const struct nodeset *nodes)
{
	int rounds = 0;

	while (!weights_fit_now(nodes))
		if (!settle(&rounds))
			return false;
	return true;
}

bool weights_automatic(void)
{
	char text[16] = "";

	file_read(WEIGHT_AUTO, text, sizeof(text));
	return !strcmp(text, "true\n");
}

int weights_save(struct saved_weights *saved)
{
	int node, weight;
	int ret;

	ret = nodeset_read("has_memory", &saved->nodes);
	if (ret)
		return ret;
	saved->automatic = weights_automatic();
	saved->mix = file_number(WEIGHT_MIX);
	for (node = 0; node < MAX_NODES; node++) {
		if (!nodeset_has(&saved->nodes, node))
			continue;
		weight = weight_read(node);
		if (weight < 0)
			return weight;
		saved->weight[node] = weight;
	}
	return 0;
}

int weights_restore(const struct saved_weights *saved)
{
	int ret = 0;
	int node;

	if (saved->mix >= 0)
		ret = file_print(WEIGHT_MIX, "%lld", saved->mix);
	for (node = 0; node < MAX_NODES && !ret; node++)
		if (nodeset_has(&saved->nodes, node))
			ret = weight_write(node, saved->weight[node]);
	if (!ret && saved->automatic)
		ret = file_print(WEIGHT_AUTO, "true");
	return ret;
}

int weights_flatten(unsigned int weight)
{
	struct nodeset nodes;
	int node;
	int ret;

	ret = nodeset_read("has_memory", &nodes);
	for (node = 0; node < MAX_NODES && !ret; node++)
		if (nodeset_has(&nodes, node))
			ret = weight_write(node, weight);
	return ret;
}

int weights_enter(struct saved_weights *saved, unsigned int weight,
		  const char **missing)
{
	int ret;

	if (!is_there(WEIGHT_DIR))
		return -ENOENT;
	if (geteuid()) {
		*missing = "needs root";
		return 0;
	}
	ret = weights_save(saved);
	if (!ret && weight)
		ret = weights_flatten(weight);
	return ret;
}

static unsigned int gcd(unsigned int a, unsigned int b)
{
	while (b) {
		unsigned int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void round_init(struct round *round, const struct nodeset *nodes,
		const unsigned int *weight)
{
	unsigned int divisor = 0;
	int i;

	memset(round, 0, sizeof(*round));
	round->nr = nodeset_count(nodes);
	for (i = 0; i < round->nr; i++) {
		round->node[i] = nodeset_nth(nodes, i);
		round->weight[i] = weight[i];
		divisor = gcd(divisor, weight[i]);
	}
	for (i = 0; i < round->nr; i++) {
		round->weight[i] /= divisor;
		round->total += round->weight[i];
	}
}

int round_read(struct round *round, const struct nodeset *nodes)
{
	unsigned int weight[MAX_ROUND_NODES];
	int count = nodeset_count(nodes);
	int i, ret;

	for (i = 0; i < count; i++) {
		ret = weight_read(nodeset_nth(nodes, i));
		if (ret < 0)
			return ret;
		weight[i] = ret;
	}
	round_init(round, nodes, weight);
	return 0;
}

int round_write(struct round *round, const struct nodeset *nodes,
		const unsigned int *weight)
{
	int count = nodeset_count(nodes);
	int i, ret;

	for (i = 0; i < count; i++) {
		ret = weight_write(nodeset_nth(nodes, i), weight[i]);
		if (ret)
			return ret;
	}
	round_init(round, nodes, weight);
	return 0;
}

static int round_position(const struct round *round, int node)
{
	int i;

	for (i = 0; i < round->nr; i++)
		if (round->node[i] == node)
			return i;
	return -1;
}

bool round_exact(const struct round *round, const int *placed, size_t count)
{
	unsigned int pages[MAX_ROUND_NODES];
	size_t start, k;
	int i;

	if (count < round->total) {
		note("%zu pages are no whole round of %u", count, round->total);
		return false;
	}
	for (start = 0; start + round->total <= count; start += round->total) {
		memset(pages, 0, sizeof(pages));
		for (k = start; k < start + round->total; k++) {
			i = round_position(round, placed[k]);
			if (i < 0) {
				note("page %zu is on node %d", k, placed[k]);
				return false;
			}
			pages[i]++;
		}
		for (i = 0; i < round->nr; i++) {
			if (pages[i] == round->weight[i])
				continue;
			note("round at page %zu: %u pages on node %d, not %u",
			     start, pages[i], round->node[i],
			     round->weight[i]);
			return false;
		}
	}
	return true;
}

bool round_smooth(const struct round *round, const int *placed, size_t count)
{
	unsigned int pages[MAX_ROUND_NODES];
	long long apart;
	size_t k, step;
	int i, j;

	for (k = 0; k < count; k++) {
		step = k % round->total;
		if (!step)
			memset(pages, 0, sizeof(pages));
		i = round_position(round, placed[k]);
		if (i < 0) {
			note("page %zu is on node %d", k, placed[k]);
			return false;
		}
		pages[i]++;
		for (j = 0; j < round->nr && round->nr > 1; j++) {
			apart = llabs((long long)(step + 1) * round->weight[j] -
				      (long long)pages[j] * round->total);
			if (apart * (2 * round->nr - 2) <=
			    (2LL * round->nr - 3) * round->total)
				continue;
			note("page %zu: node %d has %u of %zu pages of a round",
			     k, round->node[j], pages[j], step + 1);
			return false;
		}
	}
	return true;
}

bool round_counts(const struct round *round, const long long *pages)
{
	long long count = 0, apart, limit;
	int i;

	for (i = 0; i < round->nr; i++)
		count += pages[i];
	for (i = 0; i < round->nr; i++) {
		apart = llabs(pages[i] * round->total -
			      count * (long long)round->weight[i]);
		limit = round->nr <= 2 ? round->total : 2 * round->total - 1;
		if (apart <= limit)
			continue;
		note("node %d has %lld of %lld pages, weight %u of %u",
		     round->node[i], pages[i], count, round->weight[i],
		     round->total);
		return false;
	}
	return true;
}

bool round_window(const struct round *round, const int *placed, size_t count)
{
	long long pages[MAX_ROUND_NODES] = {};
	size_t k;
	int i;

	for (k = 0; k < count; k++) {
		i = round_position(round, placed[k]);
		if (i < 0) {
			note("page %zu is on node %d", k, placed[k]);
			return false;
		}
		pages[i]++;
	}
	return round_counts(round, pages);
}

int round_sample(const struct round *round, const struct nodeset *nodes,
		 int *order)
{
	struct area area;
	int ret;

	ret = area_map(&area, round->total, round->total);
	if (ret)
		return ret;
	ret = policy_bind(area.start, area.len, MPOL_WEIGHTED_INTERLEAVE,
			  nodes, 0);
	if (!ret)
		ret = place(area.start, round->total, page_bytes(), order);
	area_unmap(&area);
	return ret;
}

bool round_follows(const struct round *round, const int *order,
		   unsigned long shift, const int *placed, size_t count)
{
	int expected;
	size_t i;

	for (i = 0; i < count; i++) {
		expected = order[(i + shift) % round->total];
		if (placed[i] == expected)
			continue;
		note("page %zu is on node %d, not on node %d", i, placed[i],
		     expected);
		return false;
	}
	return true;
}

bool same_nodes(const int *a, const int *b, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (a[i] == b[i])
			continue;
		note("page %zu is on node %d, not on node %d", i, a[i], b[i]);
		return false;
	}
	return true;
}
