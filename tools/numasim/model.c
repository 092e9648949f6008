// SPDX-License-Identifier: GPL-2.0
/*
 * Caches and windows in front of the channels.
 *
 * Each CPU has a few lines at hand, by their virtual addresses (near): a line
 * that is there costs nothing, and its physical address is not needed. All CPUs
 * share one cache of physical lines (far). A line that is not in it is a miss,
 * which takes a place in the CPU's window until it has arrived. A line is charged
 * a write when a store makes it dirty, and not when it leaves the cache: it is the
 * same traffic, and known to be the storing CPU's. A store does not read the line
 * that it misses, as what fills whole lines does not on real machines.
 *
 * A CPU waits when its window is full, when the address of an access lies within
 * POINTER_REACH bytes after a value of eight bytes that it has loaded from a line
 * that has not arrived (it follows a pointer), and at a fence.
 */
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "model.h"

#define CACHE_SETS	(SIM_CACHE_SIZE / SIM_LINE_SIZE / SIM_CACHE_WAYS)
#define NEAR_LINES	64
#define POINTERS	256
#define POINTER_REACH	4096
#define NO_LINE		UINT64_MAX

/* @ready: when it has arrived, ps; @last: when it was used, in uses of the cache */
struct line {
	uint64_t number;
	uint64_t ready;
	uint64_t last;
	bool dirty;
};

struct pointer {
	uint64_t value;
	uint64_t ready;
};

/*
 * @socket: that it belongs to
 * @near: lines at hand, each at its only place
 * @pointers: values that may be pointers, by the bits of their POINTER_REACH
 * @window: a heap of the times when misses arrive, the earliest first
 * @loaded: when all that it has loaded has arrived, ps
 * @stored: when all that it has stored has, ps
 */
struct cpu {
	unsigned int socket;
	struct line near[NEAR_LINES];
	struct pointer pointers[POINTERS];
	uint64_t window[SIM_MAX_WINDOW];
	unsigned int waiting;
	uint64_t loaded;
	uint64_t stored;
};

struct sim_model {
	struct sim_config config;
	struct channel channels[SIM_MAX_NODES];
	struct channel links[SIM_MAX_SOCKETS][SIM_MAX_SOCKETS];
	struct sim_traffic traffic[SIM_MAX_NODES];
	struct cpu cpus[SIM_MAX_CPUS];
	struct line cache[CACHE_SETS][SIM_CACHE_WAYS];
	uint64_t uses;
};

static void window_push(struct cpu *cpu, uint64_t ready)
{
	unsigned int i = cpu->waiting++;

	while (i && cpu->window[(i - 1) / 2] > ready) {
		cpu->window[i] = cpu->window[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	cpu->window[i] = ready;
}

static void window_pop(struct cpu *cpu)
{
	uint64_t ready = cpu->window[--cpu->waiting];
	unsigned int i = 0, child;

	while ((child = 2 * i + 1) < cpu->waiting) {
		if (child + 1 < cpu->waiting &&
		    cpu->window[child + 1] < cpu->window[child])
			child++;
		if (cpu->window[child] >= ready)
			break;
		cpu->window[i] = cpu->window[child];
		i = child;
	}
	cpu->window[i] = ready;
}

/* Waits for a place in the window; returns when there is one. */
static uint64_t window_wait(struct sim_model *model, struct cpu *cpu,
			    uint64_t now)
{
	while (cpu->waiting && cpu->window[0] <= now)
		window_pop(cpu);
	if (cpu->waiting == model->config.window) {
		now = cpu->window[0];
		window_pop(cpu);
	}
	return now;
}

static struct pointer *pointer_slot(struct cpu *cpu, uint64_t value)
{
	return &cpu->pointers[value / POINTER_REACH % POINTERS];
}

/* When the pointer that led to @address had arrived, or @now */
static uint64_t follow(struct cpu *cpu, uint64_t address, uint64_t now)
{
	const struct pointer *same = pointer_slot(cpu, address);
	const struct pointer *before = pointer_slot(cpu, address - POINTER_REACH);

	if (same->ready > now && address - same->value < POINTER_REACH)
		now = same->ready;
	if (before->ready > now && address - before->value < POINTER_REACH)
		now = before->ready;
	return now;
}

static void note_pointer(struct cpu *cpu, const struct sim_access *access,
			 uint64_t ready, uint64_t now)
{
	if (access->pointer && ready > now)
		*pointer_slot(cpu, access->value) = (struct pointer){
			.value = access->value,
			.ready = ready,
		};
}

static void extend(uint64_t *time, uint64_t ready)
{
	if (*time < ready)
		*time = ready;
}

/* Time of a channel that a line takes, fs */
static uint64_t line_fs(uint32_t mbps)
{
	return SIM_LINE_SIZE * 1000000000ULL / mbps;
}

/* When nothing else goes on, ps */
static uint64_t idle_latency(const struct sim_config *config, unsigned int socket,
			     unsigned int number, bool write)
{
	const struct sim_node *node = &config->nodes[number];
	const struct sim_latency *remote = &config->remote[socket][number];

	if (node->socket == socket)
		return (write ? node->write_ns : node->read_ns) * 1000ULL;
	return (write ? remote->write_ns : remote->read_ns) * 1000ULL;
}

/* What goes over a link takes the same time of both channels, not one after the other. */
static uint64_t take_link(struct sim_model *model, unsigned int from,
			  unsigned int to, bool write, uint64_t now,
			  uint64_t latency)
{
	const struct sim_link *link = &model->config.links[from][to];
	uint32_t mbps = write ? link->write_mbps : link->read_mbps;

	if (from == to || !mbps)
		return now;
	return channel_take(&model->links[from][to], now, line_fs(mbps), latency);
}

static uint64_t transfer(struct sim_model *model, struct cpu *cpu,
			 unsigned int node, bool write, uint64_t *now)
{
	const struct sim_node *config = &model->config.nodes[node];
	struct sim_traffic *traffic = &model->traffic[node];
	uint32_t mbps = write ? config->write_mbps : config->read_mbps;
	uint64_t latency, ready;

	*now = window_wait(model, cpu, *now);
	latency = idle_latency(&model->config, cpu->socket, node, write);
	ready = channel_take(&model->channels[node], *now, line_fs(mbps), latency);
	extend(&ready, take_link(model, cpu->socket, config->socket, write, *now,
				 latency));
	window_push(cpu, ready);
	if (write) {
		traffic->writes++;
	} else {
		traffic->reads++;
		traffic->read_ps += ready - *now;
	}
	return ready;
}

/* The line's place in the cache, or that of the line which it is to replace */
static struct line *find_line(struct sim_model *model, uint64_t number)
{
	struct line *set = model->cache[number % CACHE_SETS], *oldest = set;
	unsigned int i;

	for (i = 0; i < SIM_CACHE_WAYS; i++) {
		if (set[i].number == number)
			return &set[i];
		if (set[i].last < oldest->last)
			oldest = &set[i];
	}
	return oldest;
}

static int find_node(const struct sim_model *model, uint64_t phys)
{
	unsigned int i;

	for (i = 0; i < model->config.nr_nodes; i++) {
		if (phys >= model->config.nodes[i].start &&
		    phys < model->config.nodes[i].end)
			return i;
	}
	return -1;
}

/**
 * sim_near - an access to a line that the CPU may have at hand
 * @model: the machine
 * @cpu: number of the CPU
 * @access: the access
 * @now: time of the CPU, ps; it goes on when the access has to wait
 *
 * Return: false when the line is not at hand; then sim_far() has to look.
 */
bool sim_near(struct sim_model *model, unsigned int cpu,
	      const struct sim_access *access, uint64_t *now)
{
	struct cpu *self = &model->cpus[cpu];
	uint64_t number = access->virt / SIM_LINE_SIZE;
	const struct line *line = &self->near[number % NEAR_LINES];

	*now = follow(self, access->virt, *now);
	if (line->number != number || (access->store && !line->dirty))
		return false;
	note_pointer(self, access, line->ready, *now);
	return true;
}

/**
 * sim_far - an access to a line that the CPU does not have at hand
 * @model: the machine
 * @cpu: number of the CPU
 * @access: the access, for which sim_near() has returned false
 * @phys: its physical address; one outside all nodes costs nothing
 * @now: time of the CPU, ps
 *
 * Return: time of the CPU when it goes on, ps.
 */
uint64_t sim_far(struct sim_model *model, unsigned int cpu,
		 const struct sim_access *access, uint64_t phys, uint64_t now)
{
	struct cpu *self = &model->cpus[cpu];
	uint64_t number = phys / SIM_LINE_SIZE;
	struct line *line = find_line(model, number), *near;
	int node = find_node(model, phys);

	if (node < 0)
		return now;
	if (line->number != number) {
		line->number = number;
		line->ready = 0;
		line->dirty = false;
		if (!access->store)
			line->ready = transfer(model, self, node, false, &now);
	}
	if (access->store && !line->dirty) {
		line->dirty = true;
		extend(&self->stored, transfer(model, self, node, true, &now));
	}
	if (!access->store)
		extend(&self->loaded, line->ready);
	line->last = ++model->uses;
	note_pointer(self, access, line->ready, now);

	number = access->virt / SIM_LINE_SIZE;
	near = &self->near[number % NEAR_LINES];
	*near = *line;
	near->number = number;
	return now;
}

/**
 * sim_fence - a CPU waits for what it has loaded, and perhaps stored
 * @model: the machine
 * @cpu: number of the CPU
 * @stores: it waits for its stores as well
 * @now: time of the CPU, ps
 *
 * Return: time of the CPU when it goes on, ps.
 */
uint64_t sim_fence(const struct sim_model *model, unsigned int cpu, bool stores,
		   uint64_t now)
{
	const struct cpu *self = &model->cpus[cpu];

	extend(&now, self->loaded);
	if (stores)
		extend(&now, self->stored);
	return now;
}

/**
 * sim_forget_near - what a CPU has at hand may not be valid any more
 * @model: the machine
 * @cpu: number of the CPU
 *
 * Page tables change, and others take lines from the cache: the caller bounds how
 * long that goes unseen.
 */
void sim_forget_near(struct sim_model *model, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < NEAR_LINES; i++)
		model->cpus[cpu].near[i].number = NO_LINE;
}

/**
 * sim_traffic - what has gone through a node's channel
 * @model: the machine
 * @node: number of the node
 *
 * Return: counters since sim_model_new().
 */
const struct sim_traffic *sim_traffic(const struct sim_model *model,
				      unsigned int node)
{
	return &model->traffic[node];
}

/* All that can wait for a channel has to fit into its accounts. */
static bool has_room(const struct sim_config *config, uint32_t read_mbps,
		     uint32_t write_mbps)
{
	const uint64_t room = (CHANNEL_BUCKETS / 2) * CHANNEL_BUCKET_PS * 1000;
	uint32_t mbps = read_mbps < write_mbps ? read_mbps : write_mbps;

	return mbps && config->nr_cpus * config->window <= room / line_fs(mbps);
}

/* Of nodes that are good */
static bool good_sockets(const struct sim_config *config)
{
	unsigned int i, j;

	for (i = 0; i < config->nr_cpus; i++) {
		unsigned int socket = config->sockets[i];

		if (socket >= SIM_MAX_SOCKETS)
			return false;
		for (j = 0; j < config->nr_nodes; j++) {
			const struct sim_latency *remote = &config->remote[socket][j];
			unsigned int to = config->nodes[j].socket;
			const struct sim_link *link = &config->links[socket][to];

			if (to == socket)
				continue;
			if (!remote->read_ns || !remote->write_ns)
				return false;
			if ((link->read_mbps || link->write_mbps) &&
			    !has_room(config, link->read_mbps, link->write_mbps))
				return false;
		}
	}
	return true;
}

static bool good_config(const struct sim_config *config)
{
	unsigned int i;

	if (!config->nr_nodes || config->nr_nodes > SIM_MAX_NODES ||
	    !config->nr_cpus || config->nr_cpus > SIM_MAX_CPUS ||
	    !config->window || config->window > SIM_MAX_WINDOW)
		return false;
	for (i = 0; i < config->nr_nodes; i++) {
		const struct sim_node *node = &config->nodes[i];

		if (node->start > node->end || node->socket >= SIM_MAX_SOCKETS ||
		    !has_room(config, node->read_mbps, node->write_mbps))
			return false;
	}
	return good_sockets(config);
}

/**
 * sim_model_new - a machine on which nothing has happened
 * @config: what it is; copied
 *
 * Return: the machine, or NULL if @config is out of bounds or memory is short.
 */
struct sim_model *sim_model_new(const struct sim_config *config)
{
	struct sim_model *model;
	unsigned int i, j;

	if (!good_config(config))
		return NULL;
	model = calloc(1, sizeof(*model));
	if (!model)
		return NULL;
	model->config = *config;
	for (i = 0; i < config->nr_nodes; i++)
		channel_init(&model->channels[i]);
	for (i = 0; i < SIM_MAX_SOCKETS; i++) {
		for (j = 0; j < SIM_MAX_SOCKETS; j++)
			channel_init(&model->links[i][j]);
	}
	for (i = 0; i < config->nr_cpus; i++) {
		model->cpus[i].socket = config->sockets[i];
		sim_forget_near(model, i);
	}
	for (i = 0; i < CACHE_SETS; i++) {
		for (j = 0; j < SIM_CACHE_WAYS; j++)
			model->cache[i][j].number = NO_LINE;
	}
	return model;
}

/**
 * sim_model_free - the end of a machine
 * @model: the machine
 */
void sim_model_free(struct sim_model *model)
{
	free(model);
}
