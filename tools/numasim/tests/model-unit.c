// SPDX-License-Identifier: GPL-2.0
/* Tests windows, caches and channels of memory nodes, and times of CPUs. Prints TAP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../channel.h"
#include "../clock.h"
#include "../model.h"
#include "tap.h"

#define MIB		(1ULL << 20)
#define PAGE		4096

#define QUANTUM_PS	100000

#define FAST_NS		80
#define SLOW_NS		250
#define FAST_MBPS	200000
#define SLOW_MBPS	22000
#define SLOW_START	(1024 * MIB)

/* @share: as a part of 1 */
static void near_to(double value, double wanted, double share, const char *what)
{
	result(fabs(value / wanted - 1) <= share, "%s: %.2f, wanted %.2f +- %.1f %%",
	       what, value, wanted, 100 * share);
}

/* Node 0 is fast, node 1 slow. */
static struct sim_config two_nodes(unsigned int nr_cpus, unsigned int window)
{
	return (struct sim_config){
		.nodes = {
			{ 0, SLOW_START, FAST_MBPS, FAST_MBPS, FAST_NS, FAST_NS },
			{ SLOW_START, 2 * SLOW_START, SLOW_MBPS, SLOW_MBPS,
			  SLOW_NS, SLOW_NS },
		},
		.nr_nodes = 2,
		.nr_cpus = nr_cpus,
		.window = window,
	};
}

static struct sim_model *new_model(const struct sim_config *config)
{
	struct sim_model *model = sim_model_new(config);

	if (!model) {
		printf("Bail out! no model\n");
		exit(1);
	}
	return model;
}

/* One access, with the same virtual as physical address; returns the new time. */
static uint64_t touch(struct sim_model *model, unsigned int cpu, bool store,
		      uint64_t address, uint64_t now)
{
	struct sim_access access = { .virt = address, .store = store };

	if (sim_near(model, cpu, &access, &now))
		return now;
	return sim_far(model, cpu, &access, address, now);
}

/* A load of eight bytes with this value */
static uint64_t load(struct sim_model *model, uint64_t address, uint64_t value,
		     uint64_t now)
{
	struct sim_access access = {
		.virt = address, .pointer = true, .value = value,
	};

	if (sim_near(model, 0, &access, &now))
		return now;
	return sim_far(model, 0, &access, address, now);
}

/* Weights of the nodes; pages go round in the smoothest order for two. */
struct placement {
	unsigned int fast;
	unsigned int slow;
};

static uint64_t place(const struct placement *placement, uint64_t offset)
{
	uint64_t page = offset / PAGE;
	unsigned int sum = placement->fast + placement->slow;
	uint64_t before = page * placement->slow / sum;
	bool slow = (page + 1) * placement->slow / sum != before;

	return slow ? SLOW_START + offset : offset;
}

/*
 * CPUs copy @size bytes in all, each a part, in turns of a quantum; @reads and
 * @writes say how many arrays. Returns GB/s.
 */
static double stream(const struct sim_config *config,
		     const struct placement *placement, uint64_t size,
		     unsigned int reads, unsigned int writes)
{
	struct sim_model *model = new_model(config);
	unsigned int nr = config->nr_cpus, arrays = reads + writes, cpu, i;
	uint64_t done[SIM_MAX_CPUS] = {}, part = size / nr, last = 0, offset;
	unsigned int running = nr;
	struct clock clock = { .quantum = QUANTUM_PS };

	for (cpu = 0; cpu < nr; cpu++)
		clock_wake(&clock, cpu);
	for (cpu = 0; running; cpu = (cpu + 1) % nr) {
		while (clock.running[cpu] &&
		       clock.now[cpu] < clock_limit(&clock, cpu)) {
			offset = cpu * part + done[cpu];
			for (i = 0; i < arrays; i++)
				clock.now[cpu] = touch(model, cpu, i >= reads,
					place(placement, offset + i * size),
					clock.now[cpu]);
			done[cpu] += SIM_LINE_SIZE;
			if (done[cpu] < part)
				continue;
			clock_halt(&clock, cpu);
			running--;
		}
	}
	for (cpu = 0; cpu < nr; cpu++)
		last = clock.now[cpu] > last ? clock.now[cpu] : last;
	sim_model_free(model);
	return (double)size * arrays * 1000 / last;
}

static const struct placement fast = { 1, 0 }, slow = { 0, 1 };

static void test_stream(void)
{
	struct sim_config config = two_nodes(1, 1024);

	near_to(stream(&config, &fast, 32 * MIB, 1, 1), 200, 0.01,
		"copy on the fast node, GB/s");
	near_to(stream(&config, &slow, 32 * MIB, 1, 1), 22, 0.01,
		"copy on the slow node, GB/s");
	config = two_nodes(4, 256);
	near_to(stream(&config, &fast, 32 * MIB, 1, 1), 200, 0.01,
		"copy on the fast node by four CPUs, GB/s");
	near_to(stream(&config, &slow, 32 * MIB, 1, 1), 22, 0.01,
		"copy on the slow node by four CPUs, GB/s");
	config = two_nodes(1, 8);
	near_to(stream(&config, &fast, 8 * MIB, 1, 0), 8 * 64 / 80.0, 0.01,
		"with 8 lines in flight latency is the limit, GB/s");
}

static void test_directions(void)
{
	struct sim_config config = two_nodes(1, 1024);

	config.nodes[0].read_mbps = 224800;
	config.nodes[0].write_mbps = 182600;
	near_to(stream(&config, &fast, 32 * MIB, 1, 0), 224.8, 0.01,
		"reading alone, GB/s");
	near_to(stream(&config, &fast, 32 * MIB, 0, 1), 182.6, 0.01,
		"writing alone, GB/s");
	near_to(stream(&config, &fast, 32 * MIB, 1, 1), 201.5, 0.01,
		"as much reading as writing, GB/s");
	near_to(stream(&config, &fast, 32 * MIB, 2, 1), 208.7, 0.01,
		"twice as much reading as writing, GB/s");
}

static void test_two_nodes(void)
{
	const struct placement even = { 1, 1 }, weighted = { 9, 1 };
	struct sim_config wide = two_nodes(1, 1024), narrow = two_nodes(1, 64);
	double small, large;

	near_to(stream(&wide, &even, 32 * MIB, 1, 1), 44, 0.02,
		"1:1 is twice the slow node, GB/s");
	large = stream(&wide, &weighted, 64 * MIB, 1, 1);
	near_to(large, 220, 0.02, "9:1 is near the sum, GB/s");
	small = stream(&narrow, &weighted, 32 * MIB, 1, 1);
	result(small < large / 4 && small > 22,
	       "9:1 with 64 lines in flight falls short: %.1f GB/s", small);
	small = stream(&narrow, &even, 32 * MIB, 1, 1);
	near_to(small, 2 * 64 * 64.0 / (SLOW_NS + FAST_NS), 0.15,
		"1:1 with 64 lines in flight, a page after the other, GB/s");
}

/* A ring of pointers through 16 MiB, a line each, in an order without streaks */
static double chase(const struct placement *placement, bool pointers)
{
	struct sim_config config = two_nodes(1, 1024);
	struct sim_model *model = new_model(&config);
	uint64_t lines = 16 * MIB / SIM_LINE_SIZE, line = 0, now = 0, i;

	for (i = 0; i < lines; i++) {
		uint64_t next = (line * 5 + 12345) % lines;

		now = load(model, place(placement, line * SIM_LINE_SIZE),
			   pointers ? place(placement, next * SIM_LINE_SIZE) :
				      1ULL << 63, now);
		line = next;
	}
	sim_model_free(model);
	return (double)now / lines / 1000;
}

static void test_chase(void)
{
	const struct placement even = { 1, 1 };

	near_to(chase(&fast, true), FAST_NS, 0.01, "pointers on the fast node, ns");
	near_to(chase(&slow, true), SLOW_NS, 0.01, "pointers on the slow node, ns");
	near_to(chase(&even, true), (FAST_NS + SLOW_NS) / 2.0, 0.01,
		"pointers over both, ns");
	near_to(chase(&fast, false), 64 / 200.0, 0.02,
		"the same loads with other values do not wait, ns");
}

static void test_pointer_reach(void)
{
	static const struct {
		uint64_t offset;
		bool waits;
	} cases[] = { { 0, true }, { 4095, true }, { 4096, false }, { -1, false } };
	struct sim_config config = two_nodes(1, 1024);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_model *model = new_model(&config);
		uint64_t value = 20 * PAGE + 1000, now;

		load(model, 0, value, 0);
		now = touch(model, 0, false, value + cases[i].offset, 0);
		result((now == FAST_NS * 1000) == cases[i].waits,
		       "an access %lld bytes after a value %s",
		       (long long)cases[i].offset,
		       cases[i].waits ? "waits" : "does not wait");
		now = touch(model, 0, false, value + cases[i].offset,
			    FAST_NS * 1000);
		result(now == FAST_NS * 1000, "and not after the value has come");
		sim_model_free(model);
	}
}

static void test_pointer_at_hand(void)
{
	struct sim_config config = two_nodes(1, 1024);
	struct sim_model *model = new_model(&config);
	uint64_t now;

	now = touch(model, 0, false, 0, 0);
	now = load(model, 8, 20 * PAGE, now);
	now = touch(model, 0, false, 20 * PAGE, now);
	result(now == FAST_NS * 1000,
	       "a pointer in a line that is on its way is waited for");
	sim_model_free(model);
}

static void test_fence(void)
{
	struct sim_config config = two_nodes(2, 1024);
	struct sim_model *model = new_model(&config);
	uint64_t store = FAST_NS * 1000, last;

	result(sim_fence(model, 0, true, 7) == 7, "without an access a fence does not wait");
	touch(model, 0, true, 0, 0);
	result(sim_fence(model, 0, false, 7) == 7, "a fence of loads does not wait for a store");
	result(sim_fence(model, 0, true, 7) == store, "one of stores does");
	touch(model, 0, false, SLOW_START, 0);
	last = SLOW_NS * 1000;
	touch(model, 0, false, PAGE, 0);
	result(sim_fence(model, 0, false, 7) == last,
	       "a fence waits for the last load to arrive, not for the last one made");
	result(sim_fence(model, 0, false, last + 1) == last + 1, "and not once it has");
	result(sim_fence(model, 1, true, 7) == 7, "nor for what another CPU does");
	touch(model, 1, false, SLOW_START, 0);
	result(sim_fence(model, 1, false, 7) == last,
	       "but for a line that another CPU has asked for, if it loads that");
	sim_model_free(model);
}

/* A line of 100 after the other, each behind a fence, as a program can time them */
static void test_fenced_loads(void)
{
	struct sim_config config = two_nodes(1, 1024);
	struct sim_model *model = new_model(&config);
	uint64_t now = 0;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		now = touch(model, 0, false, i * PAGE, now);
		now = sim_fence(model, 0, false, now);
	}
	near_to(now / 1000.0 / 100, FAST_NS, 0.01, "a load between two fences, ns");
	sim_model_free(model);
}

/* Reads @size bytes once more after having read them; returns lines read then. */
static uint64_t again(uint64_t size, bool forget)
{
	struct sim_config config = two_nodes(1, 1024);
	struct sim_model *model = new_model(&config);
	uint64_t now = 0, first, address;

	for (address = 0; address < size; address += SIM_LINE_SIZE)
		now = touch(model, 0, false, address, now);
	first = sim_traffic(model, 0)->reads;
	if (forget)
		sim_forget_near(model, 0);
	for (address = 0; address < size; address += SIM_LINE_SIZE)
		now = touch(model, 0, false, address, now);
	first = sim_traffic(model, 0)->reads - first;
	sim_model_free(model);
	return first;
}

static void test_cache(void)
{
	struct sim_config config = two_nodes(2, 1024);
	struct sim_model *model;
	const struct sim_traffic *traffic;

	result(!again(SIM_CACHE_SIZE, true), "1 MiB stays in the cache");
	result(again(2 * SIM_CACHE_SIZE, false) ==
	       2 * SIM_CACHE_SIZE / SIM_LINE_SIZE,
	       "of 2 MiB, read in order, nothing does");

	model = new_model(&config);
	traffic = sim_traffic(model, 0);
	touch(model, 0, false, 0, 0);
	touch(model, 1, false, 0, 0);
	result(traffic->reads == 1, "what one CPU has read the other one finds");
	touch(model, 0, true, 8, 0);
	touch(model, 0, true, 16, 0);
	touch(model, 1, true, 24, 0);
	result(traffic->writes == 1 && traffic->reads == 1,
	       "a line is written once, however many stores it takes");
	touch(model, 0, true, PAGE, 0);
	touch(model, 0, false, PAGE, 0);
	result(traffic->writes == 2 && traffic->reads == 1,
	       "a store does not read the line, nor does a load after it");
	result(touch(model, 0, false, 2 * SLOW_START, 7) == 7,
	       "an address outside all nodes costs nothing");
	sim_model_free(model);
}

static void test_near(void)
{
	struct sim_config config = two_nodes(1, 1024);
	struct sim_model *model = new_model(&config);
	struct sim_access access = { .virt = 5 * PAGE };
	uint64_t now = 0;

	result(!sim_near(model, 0, &access, &now), "at first nothing is at hand");
	sim_far(model, 0, &access, 0, now);
	result(sim_near(model, 0, &access, &now), "a line that was used is");
	access.store = true;
	result(!sim_near(model, 0, &access, &now), "but for a store that dirties it");
	sim_far(model, 0, &access, 0, now);
	result(sim_near(model, 0, &access, &now), "later stores find it");
	sim_forget_near(model, 0);
	result(!sim_near(model, 0, &access, &now), "forgotten, it is not any more");
	sim_model_free(model);
}

/* Two CPUs read from a node all the time, one after the other. */
static void test_sharing(void)
{
	struct sim_config config = two_nodes(2, 512);
	struct sim_model *model = new_model(&config);
	struct clock clock = { .quantum = QUANTUM_PS };
	uint64_t lines[2] = {};
	unsigned int cpu;

	clock_wake(&clock, 0);
	clock_wake(&clock, 1);
	for (cpu = 0; clock_behind(&clock) < 100000000; cpu = !cpu) {
		while (clock.now[cpu] < clock_limit(&clock, cpu)) {
			clock.now[cpu] = touch(model, cpu, false,
				SLOW_START + cpu * 512 * MIB +
				lines[cpu] * SIM_LINE_SIZE, clock.now[cpu]);
			lines[cpu]++;
		}
	}
	near_to((lines[0] + lines[1]) * 64000.0 / clock_behind(&clock), 22, 0.05,
		"two CPUs share a channel, GB/s in all");
	near_to((double)lines[0] / lines[1], 1, 0.05, "in equal parts, one to the other");
	sim_model_free(model);
}

#define REMOTE_NS	170
#define NODE_MBPS	400000
#define LINK_MBPS	200000
#define CXL_MBPS	64000

/*
 * Two sockets with two CPUs each; nodes 0 and 1 belong to socket 0, 2 and 3 to
 * socket 1.
 */
static struct sim_config two_sockets(void)
{
	struct sim_config config = {
		.nr_nodes = 4,
		.nr_cpus = 4,
		.window = SIM_MAX_WINDOW,
		.sockets = { 0, 0, 1, 1 },
	};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		config.nodes[i] = (struct sim_node){
			.start = i * SLOW_START,
			.end = (i + 1) * SLOW_START,
			.read_mbps = NODE_MBPS,
			.write_mbps = NODE_MBPS,
			.read_ns = FAST_NS,
			.write_ns = FAST_NS,
			.socket = i / 2,
		};
		config.remote[i < 2][i] = (struct sim_latency){ REMOTE_NS, REMOTE_NS };
	}
	config.links[0][1] = (struct sim_link){ LINK_MBPS, LINK_MBPS };
	config.links[1][0] = config.links[0][1];
	return config;
}

/*
 * Each CPU reads or writes lines of two nodes in turn; UINT32_MAX stands for a CPU
 * that does nothing. Gets GB/s of each CPU over 50 us, once windows are full.
 */
static void pull(const struct sim_config *config, bool store,
		 const unsigned int nodes[][2], double *gbps)
{
	struct sim_model *model = new_model(config);
	struct clock clock = { .quantum = QUANTUM_PS };
	uint64_t lines[SIM_MAX_CPUS] = {}, counted[SIM_MAX_CPUS] = {};
	uint64_t offset, limit, begin = 20000000, end = 70000000;
	unsigned int nr = config->nr_cpus, cpu;

	for (cpu = 0; cpu < nr; cpu++) {
		if (nodes[cpu][0] != UINT32_MAX)
			clock_wake(&clock, cpu);
	}
	for (cpu = 0; clock_behind(&clock) < end; cpu = (cpu + 1) % nr) {
		limit = clock_limit(&clock, cpu);
		while (clock.running[cpu] && clock.now[cpu] < limit) {
			offset = cpu * 256 * MIB + lines[cpu] * SIM_LINE_SIZE;
			clock.now[cpu] = touch(model, cpu, store,
				nodes[cpu][lines[cpu] % 2] * SLOW_START + offset,
				clock.now[cpu]);
			lines[cpu]++;
			counted[cpu] += clock.now[cpu] >= begin && clock.now[cpu] < end;
		}
	}
	for (cpu = 0; cpu < nr; cpu++)
		gbps[cpu] = counted[cpu] * 64000.0 / (end - begin);
	sim_model_free(model);
}

#define NOTHING		{ UINT32_MAX, UINT32_MAX }

static void test_link(void)
{
	static const unsigned int local[][2] = { { 0, 1 }, NOTHING, NOTHING, NOTHING },
		remote[][2] = { { 2, 3 }, NOTHING, NOTHING, NOTHING },
		two_cpus[][2] = { { 2, 2 }, { 3, 3 }, NOTHING, NOTHING },
		crossed[][2] = { { 2, 2 }, NOTHING, { 0, 0 }, NOTHING },
		both[][2] = { { 2, 2 }, NOTHING, { 2, 2 }, NOTHING },
		slow_node[][2] = { { 3, 3 }, NOTHING, NOTHING, NOTHING };
	struct sim_config config = two_sockets();
	double gbps[SIM_MAX_CPUS];

	pull(&config, false, local, gbps);
	near_to(gbps[0], 800, 0.01, "two nodes of its own socket, GB/s");
	pull(&config, false, remote, gbps);
	near_to(gbps[0], 200, 0.01, "two nodes behind one link share it, GB/s");
	pull(&config, true, remote, gbps);
	near_to(gbps[0], 200, 0.01, "so do writes to them, GB/s");
	pull(&config, false, two_cpus, gbps);
	near_to(gbps[0] + gbps[1], 200, 0.01, "and two CPUs, each at one of them, GB/s");
	pull(&config, false, crossed, gbps);
	near_to(gbps[0], 200, 0.01, "each socket has a direction: the one, GB/s");
	near_to(gbps[2], 200, 0.01, "and the other, GB/s");
	pull(&config, false, both, gbps);
	near_to(gbps[0] + gbps[2], 400, 0.01,
		"a node that both sockets read has what it has alone, GB/s");
	result(gbps[0] <= 1.01 * 200 && gbps[0] > 150,
	       "and the link's part of it at most is read over the link: %.1f GB/s",
	       gbps[0]);
	config.nodes[3].read_mbps = CXL_MBPS;
	pull(&config, false, slow_node, gbps);
	near_to(gbps[0], 64, 0.01, "a node slower than the link is the limit, GB/s");
	config = two_sockets();
	config.links[0][1] = (struct sim_link){};
	pull(&config, false, crossed, gbps);
	near_to(gbps[0], 400, 0.01, "a link without a limit is none, GB/s");
	config.links[1][0] = (struct sim_link){ LINK_MBPS, 50000 };
	pull(&config, true, crossed, gbps);
	near_to(gbps[2], 50, 0.01, "a link has a bandwidth of writes of its own, GB/s");
}

static void test_sockets(void)
{
	static const struct {
		unsigned int cpu;
		unsigned int node;
		bool store;
		unsigned int ns;
	} cases[] = {
		{ 0, 0, false, FAST_NS }, { 1, 1, true, FAST_NS },
		{ 0, 2, false, REMOTE_NS }, { 1, 3, true, 300 },
		{ 2, 0, false, 400 }, { 3, 1, true, REMOTE_NS },
		{ 2, 2, false, FAST_NS }, { 3, 3, true, FAST_NS },
	};
	struct sim_config config = two_sockets();
	size_t i;

	config.remote[0][3].write_ns = 300;
	config.remote[1][0].read_ns = 400;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_model *model = new_model(&config);
		uint64_t now;

		touch(model, cases[i].cpu, cases[i].store,
		      cases[i].node * SLOW_START, 0);
		now = sim_fence(model, cases[i].cpu, true, 0);
		result(now == cases[i].ns * 1000,
		       "CPU %u %s node %u in %u ns: %.1f", cases[i].cpu,
		       cases[i].store ? "writes" : "reads", cases[i].node,
		       cases[i].ns, now / 1000.0);
		sim_model_free(model);
	}
}

static void refused(const struct sim_config *config, const char *what)
{
	struct sim_model *model = sim_model_new(config);

	result(!model, "%s is refused", what);
	sim_model_free(model);
}

static void test_bad_sockets(void)
{
	struct sim_config config = two_sockets();

	config.remote[1][0].write_ns = 0;
	refused(&config, "a node without latency for another socket");
	config = two_sockets();
	config.sockets[3] = SIM_MAX_SOCKETS;
	refused(&config, "a CPU's socket out of bounds");
	config = two_sockets();
	config.nodes[3].socket = SIM_MAX_SOCKETS;
	refused(&config, "a node's socket out of bounds");
	config = two_sockets();
	config.links[1][0].write_mbps = 0;
	refused(&config, "a link that limits reads alone");
	config = two_sockets();
	config.links[1][0].write_mbps = 100;
	refused(&config, "a link too slow for what may wait for it");
}

static void test_clock(void)
{
	struct clock clock = { .quantum = QUANTUM_PS };

	clock_wake(&clock, 0);
	clock.now[0] = 1000000;
	result(clock_limit(&clock, 0) == 1000000 + QUANTUM_PS,
	       "one CPU alone runs for a quantum");
	clock_wake(&clock, 2);
	result(clock.now[2] == 1000000, "a CPU wakes in the time of the others");
	clock.now[2] += 500;
	result(clock_limit(&clock, 2) == 1000000 + QUANTUM_PS &&
	       clock_limit(&clock, 0) == 1000500 + QUANTUM_PS,
	       "each may be a quantum ahead of the other one");
	result(clock_behind(&clock) == 1000000, "all have reached the time of one");
	clock_halt(&clock, 0);
	result(clock_behind(&clock) == 1000500, "a halted one does not count");
	clock_halt(&clock, 2);
	clock_skip(&clock, 7000000);
	clock_skip(&clock, 6000000);
	result(clock_behind(&clock) == 7000000, "when all wait, time is skipped");
	clock_wake(&clock, 0);
	result(clock.now[0] == 7000000, "and who wakes then has skipped it");
	clock.now[0]++;
	clock_wake(&clock, 0);
	result(clock.now[0] == 7000001, "who runs already goes on");
}

/*
 * Lines are asked for at an even pace that takes @load of a channel's bandwidth, as
 * a part of 1; returns the mean latency, ns, of those behind the first half.
 */
static double latency_at(double load, unsigned int mbps, unsigned int idle_ns)
{
	static struct channel channel;
	double period = SIM_LINE_SIZE * 1e6 / mbps / load;
	unsigned int i, count = 50000;
	uint64_t now, sum = 0;

	channel_init(&channel);
	for (i = 0; i < count; i++) {
		now = i * period;
		now = channel_take(&channel, now, SIM_LINE_SIZE * 1000000000ULL / mbps,
				   idle_ns * 1000) - now;
		if (i >= count / 2)
			sum += now;
	}
	return sum / 1000.0 / (count - count / 2);
}

static void test_loaded_latency_of(unsigned int mbps, unsigned int idle_ns)
{
	double knee = latency_at(0.4, mbps, idle_ns);
	double steep = latency_at(0.8, mbps, idle_ns), full;
	unsigned int percent;
	char what[64];

	for (percent = 10; percent < 80; percent += 10) {
		double wanted = knee + (steep - knee) * ((int)percent - 40) / 40;

		snprintf(what, sizeof(what), "latency at %u %% of %u MB/s, ns", percent, mbps);
		near_to(latency_at(percent / 100.0, mbps, idle_ns),
			percent <= 40 ? idle_ns : wanted, percent <= 40 ? 0.01 : 0.03, what);
	}
	near_to(steep, 1.4 * idle_ns, 0.03, "at 80 %");
	full = latency_at(0.9, mbps, idle_ns);
	result(full > 1.05 * steep && full < 2 * idle_ns,
	       "at 90 %%, ns: %.2f, between those", full);
	full = latency_at(0.98, mbps, idle_ns);
	result(full > 2 * idle_ns && full < 4 * idle_ns,
	       "at 98 %% it is two to four times the idle one: %.2f", full);
	full = latency_at(1, mbps, idle_ns);
	result(full > 2 * idle_ns && full < 4 * idle_ns, "and at 100 %%: %.2f", full);
}

static void test_loaded_latency(void)
{
	test_loaded_latency_of(FAST_MBPS, FAST_NS);
	test_loaded_latency_of(SLOW_MBPS, SLOW_NS);
}

static void test_channel(void)
{
	static struct channel channel;
	uint64_t arrives = 0;
	unsigned int i;

	channel_init(&channel);
	/* 2.9 ns do not divide a bucket. */
	for (i = 0; i < 10000; i++)
		arrives = channel_take(&channel, 0, 2909091, 0);
	near_to(arrives / 1000.0, 10000 * 64 / 22.0, 0.001,
		"10000 lines at once take their time, ns");
	arrives = channel_take(&channel, 20 * 1000000, 2909091, 0);
	near_to(arrives / 1000.0, 10001 * 64 / 22.0, 0.001,
		"a later one takes its place behind them, ns");
	arrives = channel_take(&channel, 40 * 1000000, 2909091, 5);
	result(arrives == 40 * 1000000 + 5, "one behind the queue does not wait");
	arrives = channel_take(&channel, 35 * 1000000, 2909091, 5);
	result(arrives == 35 * 1000000 + 5,
	       "nor does one that is asked for later in an earlier time");
}

static void test_config(void)
{
	struct sim_config config = two_nodes(1, SIM_MAX_WINDOW + 1);
	struct sim_model *model;

	result(!sim_model_new(&config), "a window out of bounds is refused");
	config = two_nodes(0, 1);
	result(!sim_model_new(&config), "no CPU is refused");
	config = two_nodes(1, 1);
	config.nodes[1].write_mbps = 0;
	result(!sim_model_new(&config), "a node without bandwidth is refused");
	config = two_nodes(8, SIM_MAX_WINDOW);
	config.nodes[1].read_mbps = 100;
	result(!sim_model_new(&config),
	       "a node too slow for what may wait for it is refused");
	config = two_nodes(1, 1);
	model = sim_model_new(&config);
	result(model, "what is within bounds is not");
	sim_model_free(model);
}

int main(void)
{
	puts("TAP version 13");
	test_stream();
	test_directions();
	test_two_nodes();
	test_chase();
	test_pointer_reach();
	test_pointer_at_hand();
	test_fence();
	test_fenced_loads();
	test_cache();
	test_near();
	test_sharing();
	test_link();
	test_sockets();
	test_bad_sockets();
	test_clock();
	test_loaded_latency();
	test_channel();
	test_config();
	printf("1..%u\n", tests);
	return failed;
}
