/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BWACTL_MEASURE_H
#define BWACTL_MEASURE_H

#include "bwactl.h"

#define LINE		64
#define CHUNK		(48 * 1024)	/* a multiple of three lines */

/* What the CPUs do to the memory, one chunk at a time */
struct mix {
	const char *name;
	const char *meaning;
	size_t bytes;			/* read and written for a chunk */
	void (*run)(char *chunk);
};

struct request {
	const struct mix *mix;
	double seconds;			/* for each pair of nodes */
	unsigned long long buffer;	/* bytes; 0: find out */
};

struct buffer {
	char *memory;
	size_t size;
};

/* What --verify found for a group */
struct verdict {
	unsigned int mbps;
	unsigned int sum;		/* of the bandwidths of its nodes */
	bool reached;
};

/* bwactl-mixes.c: ends with one without a name */
extern const struct mix mixes[];

/* bwactl-buffer.c */

/* All caches from the second level on that hold data of these CPUs, in bytes */
unsigned long long count_caches(const struct machine *machine,
				const bool *cpus);

/* How much memory of a node is free */
unsigned long long node_room(const struct machine *machine, int node);

/* Says so if a cgroup limits the time of CPUs */
void note_quota(const struct machine *machine);

/* The others complain and return false */

/*
 * Gets memory that is large against @caches, unless @request has a size. There
 * are @room bytes where it is to come from, which @what names.
 */
bool get_buffer(const struct machine *machine, const struct request *request,
		unsigned long long caches, unsigned long long room,
		const char *what, struct buffer *buffer);
void put_buffer(struct buffer *buffer);

bool prefer_node(const struct buffer *buffer, int node);
bool check_placement(const struct buffer *buffer, int node);

/* With weights of its own, else with the global ones if they are the same */
bool spread_buffer(const struct machine *machine, const struct buffer *buffer,
		   const struct ratio *ratio);

/* bwactl-team.c */

/* Threads on CPUs of their own, which begin and end together */
struct team;

enum job { JOB_FILL, JOB_STREAM, JOB_LINK, JOB_CHASE };

/* Each CPU has a part of the buffer; NULL, after complaining, when impossible */
struct team *make_team(const bool *cpus, const struct buffer *buffer,
		       const struct mix *mix);
void free_team(struct team *team);

/*
 * JOB_FILL, JOB_STREAM: all do it, the answer is the sum of MB/s.
 * JOB_LINK, JOB_CHASE: one does, after one another; the answer is ns.
 */
bool run_team(struct team *team, enum job job, double seconds, double *answer);

/* bwactl-measure.c */

/* Takes out the nodes that this process may not use, and says so */
void restrict_nodes(const struct machine *machine, struct nodes *from,
		    struct nodes *to);

/* These complain and return false */
bool measure_all(const struct machine *machine, const struct request *request,
		 const struct nodes *from, const struct nodes *to,
		 struct matrix *matrix);
bool verify_group(const struct machine *machine, const struct request *request,
		  const struct group *group, const struct wish *wish,
		  struct verdict *verdict);

#endif /* BWACTL_MEASURE_H */
