/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of memory nodes: what an access costs, in the time of the CPU that
 * makes it. Pure arithmetic; it knows nothing of QEMU.
 *
 * Example: node 0 reads 200 GB/s at 80 ns, node 1 reads 22 GB/s at 250 ns. A CPU
 * with 1024 outstanding misses reads a buffer of node 0. Each miss takes 64 bytes
 * / 200 GB/s = 0.32 ns of the node's channel, and arrives 80 ns later. The CPU
 * goes on at once, until 1024 misses have not arrived: from then on it goes at
 * the channel's pace. A CPU that follows pointers waits 80 ns for each of them.
 *
 * With two sockets and a node of 400 GB/s at each, and a link of 200 GB/s between
 * them, a CPU reads the node of its own socket at 400 GB/s. All that the CPUs of
 * one socket read of the other socket's nodes shares 200 GB/s, and each of these
 * misses arrives after the latency that the node has for their socket.
 */
#ifndef NUMASIM_MODEL_H
#define NUMASIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_MAX_NODES	16
#define SIM_MAX_CPUS	8
#define SIM_MAX_SOCKETS	4
#define SIM_MAX_WINDOW	4096

#define SIM_LINE_SIZE	64
#define SIM_CACHE_SIZE	(1 << 20)
#define SIM_CACHE_WAYS	16

/**
 * struct sim_node - what a node is
 * @start: first byte, a physical address
 * @end: first byte behind it; @start == @end for a node without memory
 * @read_mbps: bandwidth of reads alone, 10^6 bytes per second, not 0
 * @write_mbps: bandwidth of writes alone, 10^6 bytes per second, not 0
 * @read_ns: latency of a read by a CPU of its socket when nothing else goes on, ns
 * @write_ns: latency of such a write, ns
 * @socket: the socket that it belongs to, below SIM_MAX_SOCKETS
 */
struct sim_node {
	uint64_t start;
	uint64_t end;
	uint32_t read_mbps;
	uint32_t write_mbps;
	uint32_t read_ns;
	uint32_t write_ns;
	unsigned int socket;
};

/**
 * struct sim_latency - how far a node is from another socket
 * @read_ns: latency of a read when nothing else goes on, ns, not 0
 * @write_ns: latency of a write when nothing else goes on, ns, not 0
 */
struct sim_latency {
	uint32_t read_ns;
	uint32_t write_ns;
};

/**
 * struct sim_link - what lies between the CPUs of a socket and another one's nodes
 * @read_mbps: bandwidth of reads alone, 10^6 bytes per second
 * @write_mbps: bandwidth of writes alone; both are 0 for a link without a limit
 */
struct sim_link {
	uint32_t read_mbps;
	uint32_t write_mbps;
};

/**
 * struct sim_config - what a machine is
 * @nodes: its nodes, which do not overlap
 * @nr_nodes: how many, 1 to SIM_MAX_NODES
 * @nr_cpus: 1 to SIM_MAX_CPUS
 * @window: misses that one CPU can wait for at a time, 1 to SIM_MAX_WINDOW
 * @sockets: that each CPU belongs to, below SIM_MAX_SOCKETS
 * @remote: by a socket with CPUs, and each node of another socket
 * @links: by the CPUs' socket, and the nodes'
 */
struct sim_config {
	struct sim_node nodes[SIM_MAX_NODES];
	unsigned int nr_nodes;
	unsigned int nr_cpus;
	unsigned int window;
	unsigned int sockets[SIM_MAX_CPUS];
	struct sim_latency remote[SIM_MAX_SOCKETS][SIM_MAX_NODES];
	struct sim_link links[SIM_MAX_SOCKETS][SIM_MAX_SOCKETS];
};

/**
 * struct sim_access - a load or a store
 * @virt: virtual address
 * @store: it is a store
 * @pointer: it is a load of eight bytes, which may be a pointer
 * @value: what such a load has read
 */
struct sim_access {
	uint64_t virt;
	bool store;
	bool pointer;
	uint64_t value;
};

/**
 * struct sim_traffic - what has gone through a node's channel
 * @reads: lines of SIM_LINE_SIZE bytes read
 * @writes: lines written
 * @read_ps: sum of the reads' latencies, ps
 */
struct sim_traffic {
	uint64_t reads;
	uint64_t writes;
	uint64_t read_ps;
};

struct sim_model;

struct sim_model *sim_model_new(const struct sim_config *config);
void sim_model_free(struct sim_model *model);
bool sim_near(struct sim_model *model, unsigned int cpu,
	      const struct sim_access *access, uint64_t *now);
uint64_t sim_far(struct sim_model *model, unsigned int cpu,
		 const struct sim_access *access, uint64_t phys, uint64_t now);
uint64_t sim_fence(const struct sim_model *model, unsigned int cpu, bool stores,
		   uint64_t now);
void sim_forget_near(struct sim_model *model, unsigned int cpu);
const struct sim_traffic *sim_traffic(const struct sim_model *model,
				      unsigned int node);

#endif
