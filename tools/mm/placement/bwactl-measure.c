// SPDX-License-Identifier: GPL-2.0
/* Bandwidths and latencies between nodes */
#include "bwactl-measure.h"

#include <err.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bwactl-buffer.h"
#include "bwactl-fit.h"
#include "bwactl-groups.h"
#include "bwactl-machine.h"
#include "bwactl-matrix.h"
#include "bwactl-plan.h"
#include "bwactl-team.h"
#include "common.h"

#define MIB		(1024 * 1024ULL)
#define RUNS		5
#define SLICES		8	/* of the time for a pair of nodes */
#define WORD_BITS	(8 * sizeof(unsigned long))
#define REACHED		90	/* per cent of the sum of bandwidths */

struct progress {
	time_t begin;
	int done;
	int all;
	float spread;		/* the largest */
};

/* The CPUs of a node that this process may use; returns how many */
static int allowed_cpus(const struct machine *machine, int node, bool *cpus)
{
	unsigned long mask[MAX_CPUS / WORD_BITS] = {};
	int count = 0;
	int i;

	if (!read_node_cpus(machine, node, cpus) ||
	    sched_getaffinity(0, sizeof(mask), (cpu_set_t *)mask)) {
		memset(cpus, 0, MAX_CPUS * sizeof(*cpus));
		return 0;
	}
	for (i = 0; i < MAX_CPUS; i++) {
		cpus[i] &= mask[i / WORD_BITS] >> i % WORD_BITS & 1;
		count += cpus[i];
	}
	return count;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool run_often(struct team *team, enum job job, double seconds,
		      double *median, float *spread)
{
	double answers[RUNS];
	int i;

	for (i = 0; i < RUNS; i++) {
		if (!run_team(team, job, seconds, &answers[i]))
			return false;
	}
	qsort(answers, RUNS, sizeof(answers[0]), compare);
	*median = answers[RUNS / 2];
	*spread = (answers[RUNS - 1] - answers[0]) / *median;
	return true;
}

/* After one run that does not count */
static bool measure_bandwidth(struct team *team, double seconds,
			      struct cell *cell)
{
	double mbps;

	if (!run_team(team, JOB_FILL, 0, &mbps) ||
	    !run_team(team, JOB_STREAM, seconds, &mbps) ||
	    !run_often(team, JOB_STREAM, seconds, &mbps, &cell->spread))
		return false;
	if (mbps > FIT_MAX_MBPS)
		mbps = FIT_MAX_MBPS;
	cell->mbps = mbps < 1 ? 1 : mbps + 0.5;
	return true;
}

static bool measure_latency(struct team *team, double seconds,
			    struct cell *cell)
{
	float spread;
	double ns;

	if (!run_team(team, JOB_LINK, 0, &ns) ||
	    !run_often(team, JOB_CHASE, seconds, &ns, &spread))
		return false;
	cell->ns = ns;
	return true;
}

static bool measure_cell(const struct machine *machine,
			 const struct request *request,
			 const struct buffer *buffer, int from,
			 struct cell *cell)
{
	double slice = request->seconds / SLICES;
	bool cpus[MAX_CPUS];
	struct team *team;
	bool good;

	if (!allowed_cpus(machine, from, cpus)) {
		warnx("node %d has no CPUs any more", from);
		return false;
	}
	team = make_team(cpus, buffer, request->mix);
	if (!team)
		return false;
	good = measure_bandwidth(team, slice, cell) &&
	       measure_latency(team, 2 * slice / RUNS, cell);
	free_team(team);
	return good;
}

/* On a terminal a line that is written over; else a line for each result */
static void show_begin(const struct progress *progress, int from, int to)
{
	long left = 0;

	if (!isatty(STDERR_FILENO))
		return;
	if (progress->done)
		left = (time(NULL) - progress->begin) *
		       (progress->all - progress->done) / progress->done;
	fprintf(stderr, "\033[Knode %d to node %d (%d of %d", from, to,
		progress->done + 1, progress->all);
	if (left)
		fprintf(stderr, ", about %ld s to go", left);
	fputs(")\r", stderr);
}

static void show_end(struct progress *progress, int from, int to,
		     const struct cell *cell)
{
	progress->done++;
	if (isatty(STDERR_FILENO))
		fputs("\033[K", stderr);
	else
		fprintf(stderr, "node %d to node %d (%d of %d): %.1f GB/s, %.0f ns\n",
			from, to, progress->done, progress->all,
			cell->mbps / 1e3, cell->ns);
}

/* The buffer is on node @to; the CPUs of all nodes use it in turn */
static bool measure_node(const struct machine *machine,
			 const struct request *request,
			 const struct buffer *buffer, const struct nodes *from,
			 int to, struct matrix *matrix,
			 struct progress *progress)
{
	int i;

	for (i = next_node(from, -1); i >= 0; i = next_node(from, i)) {
		show_begin(progress, i, to);
		if (!measure_cell(machine, request, buffer, i,
				  &matrix->cell[i][to]) ||
		    !check_placement(buffer, to))
			return false;
		show_end(progress, i, to, &matrix->cell[i][to]);
		if (matrix->cell[i][to].spread > progress->spread)
			progress->spread = matrix->cell[i][to].spread;
	}
	return true;
}

/* Those of the node with the most */
static unsigned long long largest_caches(const struct machine *machine,
					 const struct nodes *from)
{
	unsigned long long largest = 0, caches;
	bool cpus[MAX_CPUS];
	int i;

	for (i = next_node(from, -1); i >= 0; i = next_node(from, i)) {
		allowed_cpus(machine, i, cpus);
		caches = count_caches(machine, cpus);
		if (caches > largest)
			largest = caches;
	}
	return largest;
}

static void note_small(const struct request *request,
		       unsigned long long caches)
{
	if (request->buffer && request->buffer < 2 * caches)
		warnx("note: caches of %llu MiB hold much of such a --buffer",
		      caches / MIB);
}

bool measure_all(const struct machine *machine, const struct request *request,
		 const struct nodes *from, const struct nodes *to,
		 struct matrix *matrix)
{
	unsigned long long caches = largest_caches(machine, from);
	struct progress progress = {
		.begin = time(NULL),
		.all = count_nodes(from) * count_nodes(to),
	};
	struct buffer buffer;
	bool good = true;
	char what[32];
	int i;

	note_quota(machine);
	note_small(request, caches);
	for (i = next_node(to, -1); good && i >= 0; i = next_node(to, i)) {
		snprintf(what, sizeof(what), "node %d", i);
		if (!get_buffer(machine, request->buffer, caches,
				node_room(machine, i), what, &buffer))
			return false;
		good = prefer_node(&buffer, i) &&
		       measure_node(machine, request, &buffer, from, i, matrix,
				    &progress);
		put_buffer(&buffer);
	}
	matrix->spread = progress.spread;
	if (good && 100 * progress.spread > NOISY)
		warnx("note: runs differ by %.0f%%: stop other programs, or use more --runtime",
		      100 * progress.spread);
	return good;
}

/* Takes out what this process may not use, and says so */
void restrict_nodes(const struct machine *machine, struct nodes *from,
		    struct nodes *to)
{
	struct nodes allowed;
	bool all[MAX_CPUS], cpus[MAX_CPUS];
	char line[MAX_NODES * 5];
	int i, have;

	for (i = next_node(from, -1); i >= 0; i = next_node(from, i)) {
		have = allowed_cpus(machine, i, cpus);
		from->in[i] = have;
		if (!have)
			warnx("note: no CPU of node %d may be used here", i);
		else if (read_node_cpus(machine, i, all) &&
			 memcmp(all, cpus, sizeof(all)))
			warnx("note: just %d CPUs of node %d may be used: bandwidths may be low",
			      have, i);
	}
	if (!read_allowed_nodes("self", line, sizeof(line)) ||
	    !parse_nodes(line, &allowed))
		return;
	for (i = next_node(to, -1); i >= 0; i = next_node(to, i)) {
		to->in[i] = allowed.in[i];
		if (!allowed.in[i])
			warnx("note: no memory of node %d may be used here", i);
	}
}

/* How much the nodes hold together in this ratio */
static unsigned long long weighted_room(const struct machine *machine,
					const struct ratio *ratio)
{
	unsigned long long least = -1ULL, room;
	unsigned int sum = 0;
	int i;

	for (i = 0; i < MAX_NODES; i++)
		sum += ratio->weight[i];
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i])
			continue;
		room = node_room(machine, i) / ratio->weight[i] * sum;
		if (room < least)
			least = room;
	}
	return least;
}

/* The CPUs of all nodes; returns false when there are none */
static bool unite_cpus(const struct machine *machine,
		       const struct nodes *compute, bool *cpus)
{
	bool some[MAX_CPUS];
	int i, cpu, count = 0;

	memset(cpus, 0, MAX_CPUS * sizeof(*cpus));
	for (i = next_node(compute, -1); i >= 0; i = next_node(compute, i)) {
		count += allowed_cpus(machine, i, some);
		for (cpu = 0; cpu < MAX_CPUS; cpu++)
			cpus[cpu] |= some[cpu];
	}
	return count;
}

bool verify_group(const struct machine *machine, const struct request *request,
		  const struct group *group, const struct plan *plan,
		  struct verdict *verdict)
{
	struct buffer buffer;
	bool cpus[MAX_CPUS];
	struct cell cell = {};
	struct team *team;
	bool good = false;
	int i;

	if (!unite_cpus(machine, &group->compute, cpus)) {
		warnx("--verify: no CPU of the nodes may be used here");
		return false;
	}
	if (!get_buffer(machine, request->buffer, count_caches(machine, cpus),
			weighted_room(machine, &plan->ratio),
			"a weighted buffer", &buffer))
		return false;
	team = make_team(cpus, &buffer, request->mix);
	if (team && spread_buffer(machine, &buffer, &plan->ratio))
		good = measure_bandwidth(team, request->seconds / SLICES,
					 &cell);
	free_team(team);
	put_buffer(&buffer);
	if (good && 100 * cell.spread > NOISY)
		warnx("note: --verify: runs differ by %.0f%%: use more --runtime",
		      100 * cell.spread);
	verdict->mbps = cell.mbps;
	verdict->sum = 0;
	for (i = 0; i < MAX_NODES; i++)
		verdict->sum += plan->mbps[i];
	verdict->reached = 100ULL * cell.mbps >= 1ULL * REACHED * verdict->sum;
	return good;
}
