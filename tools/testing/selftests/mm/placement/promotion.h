/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of memory tiering share: the knobs, the counters, and memory
 * on slow nodes.
 *
 * Functions that can fail return 0 or a value on success, -errno otherwise.
 */
#ifndef PROMOTION_H
#define PROMOTION_H

#include "placement.h"

#define SYSCTL_DIR	"/proc/sys/kernel"
#define TIERING_DIR	"/sys/kernel/mm/tiering"
#define PACE_DIR	"/sys/kernel/debug/sched/numa_balancing"
#define DEMOTION	"/sys/kernel/mm/numa/demotion_enabled"
/* Pages of most tests, and the most whose nodes are counted */
#define SOME_PAGES	4096
#define MOST_PAGES	(8 * SOME_PAGES)
/* Those that wait for the kernel, see GUARD_SECONDS */
#define PATIENT_TIMEOUT	TIMEOUT_SECONDS
/*
 * Passes of the scan until hot pages are on a fast node that has room: one finds
 * them. One more finds those that it passed over since they were in a CPU's batch,
 * and one is for those that were in the batch of another CPU.
 */
#define FEW_PASSES	3

struct setting {
	const char *path;
	const char *value;
	char old[32];
};

/*
 * The machine with memory tiering switched on and a fast scan; why not is in
 * @missing. The caller runs on the node @cpus, whose memory is @fast.
 */
struct context {
	struct setting setting[8];
	int cpus;
	int fast;
	int slow;
	const char *missing;
};

/* False when a setting cannot be made, or put back */
bool context_enter(struct context *ctx);
bool context_leave(struct context *ctx);

/* In /proc/sys/kernel */
int sysctl_write(const char *name, const char *text);
long sysctl_read(const char *name);
/* Of a node that is promoted to, ms */
long threshold(int node);
/* As nodeN/abstract_distance takes it: "0" gives a node its own one back */
int distance_write(int node, const char *text);
/* With what each CPU has counted for itself so far */
long long counter(const char *name);
/* Of one node, in its own file */
long long node_counter(int node, const char *name);
long long direct_reclaims(void);

/*
 * Counters that belong together, of one moment: /proc/vmstat as one read(2) gives
 * it. What several CPUs count is still not of one moment, and a page that is on
 * its way may be in one of two: let it come to rest first.
 */
struct counters {
	char text[4097];
};

bool counters_read(struct counters *counters);
/* Ends the test if there is none of that name */
long long counters_value(const struct counters *counters, const char *name);
/* Scans @part_mb at a time, all of a process in @pass_ms */
int set_pace(int part_mb, int pass_ms);
/* Moves the calling thread to a CPU that the memory of @node serves */
int stay_on(int node);

/* Memory on @node that may move: its policy is the default one */
int map_on(struct area *area, int node, size_t pages, bool huge);
/* What /proc/zoneinfo has as @name, "high" or "pages free", of all zones of @node */
long zone_pages(int node, const char *name);
/* kswapd has given the node up: it found nothing there so many times in a row */
bool is_given_up(int node);
/* A node has @pages and as many as a machine needs beside them */
bool has_room(int node, size_t pages);
/*
 * So much that each of @pages is promoted as it comes: beyond an eighth of a small
 * node and the zone's marks. Debug kernels may leave less.
 */
bool has_free_space(int node, size_t pages);
/* Pages on @node of the mappings of a process that begin in @area */
int count_of(pid_t pid, const struct area *area, int node);
/* Pages of @area on @node; also those that wait for a hint fault, as of all of these */
int count_on(const struct area *area, int node);
void touch_once(const struct area *area);
void read_once(const struct area *area);
/* How often the scan has been through all memory of the process, -errno */
long scan_passes(void);
/*
 * Uses @area as @use does until the scan has been through it @passes times more,
 * and then once more; with a scan that takes all of a process at a time. Time
 * does not matter: false is a hang.
 */
bool passes_go_by(const struct area *area, int passes,
		  void (*use)(const struct area *area));
/* Touches until @count pages are on @node, for FEW_PASSES, or for @passes */
bool comes_to(const struct area *area, int node, int count);
bool comes_within(const struct area *area, int node, int count, int passes);
/*
 * Touches until as many pages were made inaccessible as @area has in @passes
 * passes; false if it takes more of them
 */
bool is_scanned(const struct area *area, int passes);
/*
 * A child with memory that nobody touches and that keeps @node so full that
 * promotion has to choose: @pages are left. If @locked, it cannot be demoted.
 * -ENOMEM when fewer are left already.
 */
pid_t fill(int node, size_t pages, bool locked);
void unfill(pid_t pid);

#endif /* PROMOTION_H */
