// SPDX-License-Identifier: GPL-2.0
/*
 * What the programs of this directory share: options, placement and time.
 *
 * All of them know two options. -p POLICY places whatever the process touches from
 * then on, -b POLICY its arrays alone. POLICY is one of
 *	default			no policy
 *	bind:NODE,...
 *	interleave:NODE,...
 *	weighted:NODE,...	weighted interleaving by the weights in sysfs
 *	weights:NODE*WEIGHT,...	and by weights of its own
 *	runs:NODE*WEIGHT,...	-b alone: the same pages of each node, but those that
 *				it has of a round one behind the other
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../mm/placement/mempolicy2.h"
#include "../marker.h"
#include "place.h"

#define PAGE		4096
#define MAX_NODES	(8 * sizeof(unsigned long))

struct policy {
	int mode;	/* MPOL_* */
	bool weighted;	/* with weights of its own */
	bool runs;	/* what a node has of a round is in one piece */
	unsigned long nodes;
	uint8_t weights[MAX_NODES];
};

static const struct {
	const char *name;
	int mode;
	bool nodes;
	bool weighted;
	bool runs;
} policies[] = {
	{ "default", MPOL_DEFAULT, false, false, false },
	{ "bind:", MPOL_BIND, true, false, false },
	{ "interleave:", MPOL_INTERLEAVE, true, false, false },
	{ "weighted:", MPOL_WEIGHTED_INTERLEAVE, true, false, false },
	{ "weights:", MPOL_WEIGHTED_INTERLEAVE, true, true, false },
	{ "runs:", MPOL_BIND, true, true, true },
};

/* Of the arrays; all zero is none */
static struct policy of_arrays;

/**
 * die - ends the program with a line that says why
 * @format: of printf(3), without the end of the line
 */
void die(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

/**
 * take_number - reads a number of decimal digits
 * @text: what begins with it; moved behind it
 * @max: the greatest one that is good
 * @value: the number
 *
 * Return: whether there is a good one.
 */
bool take_number(const char **text, unsigned int max, unsigned int *value)
{
	unsigned long long number = 0;
	const char *at = *text;

	while (*at >= '0' && *at <= '9' && number <= max)
		number = 10 * number + (*at++ - '0');
	if (at == *text || number > max)
		return false;
	*text = at;
	*value = number;
	return true;
}

/**
 * to_number - an option's number
 * @text: the option's argument
 * @max: the greatest one that is good
 *
 * Return: a number from 1 to @max; ends the program when it is none.
 */
unsigned int to_number(const char *text, unsigned int max)
{
	const char *at = text;
	unsigned int value;

	if (!take_number(&at, max, &value) || *at || !value)
		die("'%s' is not a number from 1 to %u", text, max);
	return value;
}

/* Where sysfs does not say which nodes have memory, the kernel has to judge. */
static bool memory_on(unsigned int node)
{
	char line[256], *at = line;
	unsigned long first, last;
	FILE *file;

	file = fopen("/sys/devices/system/node/has_memory", "re");
	if (!file)
		return true;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	while (*at >= '0' && *at <= '9') {
		first = strtoul(at, &at, 10);
		last = *at == '-' ? strtoul(at + 1, &at, 10) : first;
		if (node >= first && node <= last)
			return true;
		at += *at == ',';
	}
	return false;
}

static void read_nodes(const char *text, const char *at, struct policy *policy)
{
	unsigned int node, weight;

	do {
		if (!take_number(&at, MAX_NODES - 1, &node))
			die("'%s': a node is a number from 0 to %zu", text, MAX_NODES - 1);
		if (!memory_on(node))
			die("'%s': node %u has no memory, or does not exist", text, node);
		policy->nodes |= 1UL << node;
		if (!policy->weighted)
			continue;
		if (*at++ != '*' || !take_number(&at, UINT8_MAX, &weight) || !weight)
			die("'%s': a node has to have a weight, NODE*WEIGHT, of 1 to %u",
			    text, UINT8_MAX);
		policy->weights[node] = weight;
	} while (*at++ == ',');
	if (at[-1])
		die("'%s': nodes are separated by commas", text);
}

static struct policy read_policy(const char *text)
{
	struct policy policy = {};
	size_t i, length;

	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		length = strlen(policies[i].name);
		if (strncmp(text, policies[i].name, length))
			continue;
		policy.mode = policies[i].mode;
		policy.weighted = policies[i].weighted;
		policy.runs = policies[i].runs;
		if (policies[i].nodes)
			read_nodes(text, text + length, &policy);
		else if (text[length])
			break;
		return policy;
	}
	die("'%s' is no policy: %s", text,
	    "default, bind:, interleave: or weighted: and nodes, weights: or runs: and NODE*WEIGHT,...");
}

static struct mpol_param with_weights(const struct policy *policy)
{
	return (struct mpol_param){
		.mode = policy->mode,
		.pol_maxnodes = MAX_NODES,
		.pol_nodes = mpol_address(&policy->nodes),
		.il_weights = mpol_address(policy->weights),
	};
}

/* The older calls take one bit less than they are told. */
static void place_process(const char *text)
{
	struct policy policy = read_policy(text);
	struct mpol_param param = with_weights(&policy);
	long failed;

	if (policy.runs)
		die("'%s' is for arrays: -b", text);
	if (policy.weighted)
		failed = set_mempolicy2(&param, sizeof(param), 0);
	else
		failed = syscall(SYS_set_mempolicy, policy.mode, &policy.nodes,
				 MAX_NODES + 1);
	if (failed)
		die("'%s': set_mempolicy%s: %s", text, policy.weighted ? "2" : "",
		    strerror(errno));
}

static long try_to_place(void *memory, size_t size, const struct policy *policy);

/* Of each node as many pages as its weight, and from the first one again */
static long try_runs(char *memory, size_t size, const struct policy *policy)
{
	struct policy run = { .mode = MPOL_BIND };
	unsigned int node = 0;
	size_t part;

	for (; size; node = (node + 1) % MAX_NODES) {
		part = policy->weights[node] * PAGE;
		if (part > size)
			part = size;
		run.nodes = 1UL << node;
		if (part && try_to_place(memory, part, &run))
			return -1;
		memory += part;
		size -= part;
	}
	return 0;
}

static long try_to_place(void *memory, size_t size, const struct policy *policy)
{
	struct mpol_param param = with_weights(policy);

	if (policy->runs)
		return try_runs(memory, size, policy);
	if (policy->weighted)
		return mbind2((unsigned long)memory, size, &param, sizeof(param), 0);
	return syscall(SYS_mbind, memory, size, policy->mode, &policy->nodes,
		       MAX_NODES + 1, 0);
}

/**
 * next_option - the next option that is the program's own
 * @argc: of main()
 * @argv: of main()
 * @letters: the program's own options, as getopt(3) wants them
 * @usage: the program's name and options, for one line
 *
 * Return: its letter, with its argument in optarg; -1 behind the last one. Ends the
 * program after -h, or when there is anything else.
 */
int next_option(int argc, char **argv, const char *letters, const char *usage)
{
	char all[32];
	int option;

	snprintf(all, sizeof(all), "hp:b:%s", letters);
	opterr = 0;
	for (;;) {
		option = getopt(argc, argv, all);
		if (option == 'p') {
			place_process(optarg);
		} else if (option == 'b') {
			of_arrays = read_policy(optarg);
		} else if (option == 'h') {
			printf("usage: %s\n", usage);
			exit(0);
		} else if (option == '?' || (option == -1 && optind < argc)) {
			fprintf(stderr, "usage: %s\n", usage);
			exit(1);
		} else {
			return option;
		}
	}
}

/**
 * get_memory - memory of its own mapping, which the first touch places page by page
 * @size: in bytes
 *
 * Return: its address; ends the program when there is not enough.
 */
void *get_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("no memory: %s", strerror(errno));
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

/**
 * get_array - memory for what the program measures, for which -b holds
 * @size: in bytes
 *
 * Return: its address; ends the program when there is not enough.
 */
void *get_array(size_t size)
{
	void *memory = get_memory(size);

	if (of_arrays.mode != MPOL_DEFAULT && try_to_place(memory, size, &of_arrays))
		die("%s: %s", of_arrays.weighted ? "mbind2" : "mbind", strerror(errno));
	return memory;
}

/**
 * get_on_node_0 - memory that is fast and stays where it is
 * @size: in bytes
 *
 * For what is not to be measured: as far as the kernel lets it is on node 0, is not
 * looked at by NUMA balancing, and is not demoted.
 *
 * Return: its address; ends the program when there is not enough.
 */
void *get_on_node_0(size_t size)
{
	static const struct policy node_0 = { .mode = MPOL_BIND, .nodes = 1 };
	void *memory = get_memory(size);

	if (!try_to_place(memory, size, &node_0))
		mlock(memory, size);
	return memory;
}

/**
 * put_memory - gives memory back
 * @memory: of get_memory() or the like
 * @size: what was got
 */
void put_memory(void *memory, size_t size)
{
	munmap(memory, size);
}

/**
 * touch - has pages allocated
 * @memory: the first one
 * @size: in bytes
 */
void touch(void *memory, size_t size)
{
	size_t at;

	for (at = 0; at < size; at += PAGE)
		((char *)memory)[at] = 1;
}

/**
 * model_off - switches the model off that sim-run has switched on
 *
 * What prepares a measurement takes as long as it takes, but the emulator much less
 * time without the model.
 */
void model_off(void)
{
	if (getenv(MARKER_VARIABLE))
		SWITCH_MODEL(MARKER_OFF);
}

/**
 * model_on - switches the model on again after model_off()
 */
void model_on(void)
{
	if (getenv(MARKER_VARIABLE))
		SWITCH_MODEL(MARKER_ON);
}

/**
 * now_ns - the time, in nanoseconds since some moment
 */
uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}
