// SPDX-License-Identifier: GPL-2.0
/*
 * Lets a guest see memory nodes with bandwidth and latency of their own, in the
 * guest's time: the model (model.c) inside QEMU. README.md describes the options.
 *
 * The plugin takes over the guest's time. Each vCPU has a time of its own, which
 * goes on by what its instructions and the waits of its accesses take. It sees
 * that time wherever it looks: in the time stamp counter and in devices. All vCPUs
 * and the timers are run by the same host thread: a timer runs when every vCPU
 * has reached its time, and when all are halted time goes on to the next timer at
 * once. So nothing depends on the host's time. The main loop sees the time up to
 * which timers have been run, and never finds one that it could run itself.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "marker.h"
#include "model.h"
#include "qemu-api.h"

/* Guest time while the model is off: the fewer turns, the faster a boot */
#define OFF_INSN_PS	1000
#define OFF_PAUSE_PS	1000000
#define OFF_QUANTUM_PS	50000000

/* And while it is on */
#define ON_PAUSE_PS	40000
#define ON_QUANTUM_PS	100000

#define TICKS_PER_NS	2
#define PS_PER_TICK	(1000 / TICKS_PER_NS)

/* A count of instructions at which turn() is due, whatever was counted before */
#define DUE		(1ULL << 62)

QEMU_PLUGIN_EXPORT int qemu_plugin_version = 4;

static struct sim_config config = { .window = 256 };
static struct sim_model *model;
static struct clock clock_;
static uint64_t limits[SIM_MAX_CPUS];
static CPUState *cpus[SIM_MAX_CPUS];
static unsigned int on_insn_ps = 10, insn_ps = OFF_INSN_PS;
static bool on;
static qemu_plugin_u64 counts;	/* instructions since the last fold() */
static FILE *report;

static pthread_t vcpu_thread;
static bool vcpu_thread_known;
static int64_t timers_ns;	/* up to this time timers have been run */
static bool timers_due;
static int64_t pinned_ns = -1;	/* on the vCPU thread: the time, if not a vCPU's */

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "numasim: %s: %s\n", what, why);
	exit(1);
}

/* Brings the time of a vCPU up to date, and sees whether a turn() is due. */
static void fold(unsigned int cpu)
{
	uint64_t count = qemu_plugin_u64_get(counts, cpu);
	uint64_t due = count & DUE;

	clock_.now[cpu] += (count - due) * insn_ps;
	if (clock_.now[cpu] >= limits[cpu])
		due = DUE;
	qemu_plugin_u64_set(counts, cpu, due);
}

static int64_t behind_ns(void)
{
	return clock_behind(&clock_) / 1000;
}

/* How long until the next timer, seen from @now; -1 if there is none */
static int64_t next_timer(int64_t now)
{
	int64_t wait;

	pinned_ns = now;
	wait = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
					  (int)QEMU_TIMER_ATTR_ALL);
	pinned_ns = -1;
	return wait;
}

static void run_timers(int64_t now)
{
	__atomic_store_n(&timers_ns, now, __ATOMIC_RELAXED);
	pinned_ns = now;
	qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL);
	pinned_ns = -1;
}

static void run_due_timers(CPUState *cpu, void *data)
{
	(void)cpu;
	(void)data;
	timers_due = false;
	run_timers(behind_ns());
}

/*
 * A vCPU goes on, or lets others run; timers are looked after. At its limit it lets
 * them run even if it is the only one, as it may just have woken one.
 */
static void turn(unsigned int cpu, void *data)
{
	bool yield;

	(void)data;
	fold(cpu);
	qemu_plugin_u64_set(counts, cpu, 0);
	clock_wake(&clock_, cpu);
	sim_forget_near(model, cpu);
	yield = config.nr_cpus > 1 && clock_.now[cpu] >= limits[cpu];
	limits[cpu] = clock_limit(&clock_, cpu);
	if (yield || clock_.now[cpu] >= limits[cpu]) {
		/* Once it has its next turn, it looks at the limit first. */
		qemu_plugin_u64_set(counts, cpu, DUE);
		cpu_exit(current_cpu);
	}
	if (!timers_due && !next_timer(behind_ns())) {
		timers_due = true;
		async_run_on_cpu(current_cpu, run_due_timers, NULL);
	}
}

/*
 * At the start of a block: one that is at its limit does not even execute this
 * one. What it executed in each of its turns would add up, if others take short
 * rests in theirs.
 */
static void turn_first(unsigned int cpu, void *data)
{
	turn(cpu, data);
	if (clock_.now[cpu] >= limits[cpu])
		cpu_loop_exit_restore(current_cpu,
				      (uintptr_t)__builtin_return_address(0));
}

static void access_memory(unsigned int cpu, qemu_plugin_meminfo_t info,
			  uint64_t address, void *data)
{
	struct sim_access access = {
		.virt = address,
		.store = qemu_plugin_mem_is_store(info),
	};
	struct qemu_plugin_hwaddr *hwaddr;

	(void)data;
	if (!on)
		return;
	fold(cpu);
	if (!access.store && qemu_plugin_mem_size_shift(info) == 3) {
		access.pointer = true;
		access.value = qemu_plugin_mem_get_value(info).data.u64;
	}
	if (!sim_near(model, cpu, &access, &clock_.now[cpu])) {
		hwaddr = qemu_plugin_get_hwaddr(info, address);
		if (hwaddr && !qemu_plugin_hwaddr_is_io(hwaddr))
			clock_.now[cpu] = sim_far(model, cpu, &access,
					qemu_plugin_hwaddr_phys_addr(hwaddr),
					clock_.now[cpu]);
	}
	if (clock_.now[cpu] >= limits[cpu])
		turn(cpu, NULL);
}

static void halt(unsigned int cpu, void *data)
{
	(void)data;
	fold(cpu);
	clock_halt(&clock_, cpu);
	qemu_plugin_u64_set(counts, cpu, DUE);
}

static void pause_(unsigned int cpu, void *data)
{
	(void)data;
	fold(cpu);
	clock_.now[cpu] += on ? ON_PAUSE_PS : OFF_PAUSE_PS;
}

static void fence(unsigned int cpu, void *stores)
{
	if (!on)
		return;
	fold(cpu);
	clock_.now[cpu] = sim_fence(model, cpu, stores != NULL, clock_.now[cpu]);
	if (clock_.now[cpu] >= limits[cpu])
		turn(cpu, NULL);
}

/* Code is translated anew: with the model off accesses are not even looked at. */
static void switch_model(unsigned int cpu, void *data)
{
	bool wanted = data != NULL;

	if (on == wanted)
		return;
	fold(cpu);
	on = wanted;
	insn_ps = on ? on_insn_ps : OFF_INSN_PS;
	clock_.quantum = on ? ON_QUANTUM_PS : OFF_QUANTUM_PS;
	tb_flush(current_cpu);
}

static void watch_insn(struct qemu_plugin_insn *insn)
{
	static const struct {
		uint8_t bytes[7];
		size_t size;
		void (*executed)(unsigned int cpu, void *data);
		void *data;
	} watched[] = {
		{ { MARKER_ON }, 7, switch_model, &on },
		{ { MARKER_OFF }, 7, switch_model, NULL },
		{ { 0xf4 }, 1, halt, NULL },		/* hlt */
		{ { 0xf3, 0x90 }, 2, pause_, NULL },	/* pause */
		{ { 0x0f, 0xae, 0xe8 }, 3, fence, NULL },	/* lfence */
		{ { 0x0f, 0xae, 0xf0 }, 3, fence, &on },	/* mfence */
		{ { 0x0f, 0x01, 0xf9 }, 3, fence, NULL },	/* rdtscp */
	};
	uint8_t bytes[7];
	size_t i, size = qemu_plugin_insn_size(insn);

	if (on)
		qemu_plugin_register_vcpu_mem_cb(insn, access_memory,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	if (size > sizeof(bytes) ||
	    qemu_plugin_insn_data(insn, bytes, size) != size)
		return;
	for (i = 0; i < sizeof(watched) / sizeof(watched[0]); i++) {
		if (size == watched[i].size &&
		    !memcmp(bytes, watched[i].bytes, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn,
						watched[i].executed,
						QEMU_PLUGIN_CB_NO_REGS,
						watched[i].data);
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	/* Counted is what is executed: a block that is left at once is not. */
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, turn_first,
					QEMU_PLUGIN_CB_NO_REGS,
					QEMU_PLUGIN_COND_GE, counts,
					clock_.quantum / insn_ps, NULL);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb,
					QEMU_PLUGIN_INLINE_ADD_U64, counts, n);
	for (i = 0; i < n; i++)
		watch_insn(qemu_plugin_tb_get_insn(tb, i));
}

static bool on_vcpu_thread(void)
{
	return vcpu_thread_known && pthread_equal(pthread_self(), vcpu_thread);
}

/* Time of whoever asks, ps */
static uint64_t time_ps(void)
{
	unsigned int i;

	if (!on_vcpu_thread())
		return __atomic_load_n(&timers_ns, __ATOMIC_RELAXED) * 1000;
	if (pinned_ns >= 0)
		return pinned_ns * 1000;
	for (i = 0; i < config.nr_cpus; i++) {
		if (cpus[i] == current_cpu && clock_.running[i]) {
			fold(i);
			return clock_.now[i];
		}
	}
	return clock_behind(&clock_);
}

static int64_t virtual_clock(void)
{
	return time_ps() / 1000;
}

static int64_t elapsed_ticks(void)
{
	return time_ps() / PS_PER_TICK;
}

/*
 * QEMU asks for each halted vCPU in turn, until one is not idle. Once it asks for
 * the last one, all are. It holds the lock that timers need.
 */
static bool thread_is_idle(CPUState *cpu)
{
	int64_t now, wait;
	unsigned int i;

	if (cpu != cpus[config.nr_cpus - 1] || !on_vcpu_thread())
		return true;
	for (i = 0; i < config.nr_cpus; i++)
		clock_halt(&clock_, i);
	now = behind_ns();
	wait = next_timer(now);
	if (wait < 0)
		return true;
	clock_skip(&clock_, (now + wait) * 1000);
	run_timers(now + wait);
	return false;
}

static void created(qemu_plugin_id_t id, unsigned int cpu)
{
	(void)id;
	if (mttcg_enabled)
		fail("accelerator", "it has to be -accel tcg,thread=single");
	if (use_icount)
		fail("accelerator", "the plugin has a clock of its own: leave out -icount");
	vcpu_thread = pthread_self();
	vcpu_thread_known = true;
	cpus[cpu] = qemu_get_cpu(cpu);
	qemu_plugin_u64_set(counts, cpu, DUE);
	/* Without it, code counts for the vCPU that it was first translated for. */
	if (config.nr_cpus > 1)
		tcg_cflags_set(cpus[cpu], CF_PARALLEL);
}

static void exiting(qemu_plugin_id_t id, void *data)
{
	unsigned int i;

	(void)id;
	(void)data;
	for (i = 0; i < config.nr_nodes; i++) {
		const struct sim_traffic *traffic = sim_traffic(model, i);

		fprintf(report,
			"node %u: %llu lines read, %llu written, mean latency of reads %.1f ns\n",
			i, (unsigned long long)traffic->reads,
			(unsigned long long)traffic->writes,
			traffic->reads ? traffic->read_ps / 1000.0 / traffic->reads : 0);
	}
	if (fclose(report))
		fail("report", strerror(errno));
}

static void take_over_time(void)
{
	AccelOpsClass *ops = (AccelOpsClass *)object_class_by_name("tcg-accel-ops");

	if (!ops)
		fail("accelerator", "this QEMU has no TCG");
	ops->get_virtual_clock = virtual_clock;
	ops->get_elapsed_ticks = elapsed_ticks;
	ops->cpu_thread_is_idle = thread_is_idle;
}

/* The plugin uses what is no interface, so only the version that it was made for. */
static void check_version(void)
{
	VersionInfo *version = qmp_query_version(NULL);
	char found[64];

	snprintf(found, sizeof(found), "version %lld.%lld.%lld",
		 (long long)version->qemu->major,
		 (long long)version->qemu->minor,
		 (long long)version->qemu->micro);
	if (version->qemu->major != 10 || version->qemu->minor != 0)
		fail("QEMU", strcat(found, "; the plugin is for 10.0"));
	qapi_free_VersionInfo(version);
}

static unsigned int number(const char *option, const char *text,
			   unsigned int min, unsigned int max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value < min || value > max)
		fail(option, "not a number, or out of bounds");
	return value;
}

static void add_node(const char *option, const char *text)
{
	struct sim_node *node = &config.nodes[config.nr_nodes];
	unsigned long long start, end;
	int length = 0;

	if (config.nr_nodes == SIM_MAX_NODES)
		fail(option, "too many nodes");
	if (sscanf(text, "%llx:%llx:%u:%u:%u:%u%n:%u%n", &start, &end,
		   &node->read_mbps, &node->write_mbps, &node->read_ns,
		   &node->write_ns, &length, &node->socket, &length) < 6 ||
	    text[length])
		fail(option, "not START:END:READ_MBPS:WRITE_MBPS:READ_NS:WRITE_NS[:SOCKET]");
	node->start = start;
	node->end = end;
	config.nr_nodes++;
}

static void set_cpus(const char *option, const char *text)
{
	unsigned int first, last, socket, cpu;
	int length = 0;

	if (sscanf(text, "%u-%u:%u%n", &first, &last, &socket, &length) != 3 ||
	    text[length] || first > last || last >= SIM_MAX_CPUS)
		fail(option, "not FIRST-LAST:SOCKET, or out of bounds");
	for (cpu = first; cpu <= last; cpu++)
		config.sockets[cpu] = socket;
}

static void set_remote(const char *option, const char *text)
{
	unsigned int socket, node;
	struct sim_latency remote;
	int length = 0;

	if (sscanf(text, "%u:%u:%u:%u%n", &socket, &node, &remote.read_ns,
		   &remote.write_ns, &length) != 4 || text[length] ||
	    socket >= SIM_MAX_SOCKETS || node >= SIM_MAX_NODES)
		fail(option, "not SOCKET:NODE:READ_NS:WRITE_NS, or out of bounds");
	config.remote[socket][node] = remote;
}

static void set_link(const char *option, const char *text)
{
	unsigned int from, to;
	struct sim_link link;
	int length = 0;

	if (sscanf(text, "%u:%u:%u:%u%n", &from, &to, &link.read_mbps,
		   &link.write_mbps, &length) != 4 || text[length] ||
	    from >= SIM_MAX_SOCKETS || to >= SIM_MAX_SOCKETS || from == to)
		fail(option, "not FROM:TO:READ_MBPS:WRITE_MBPS, or out of bounds");
	config.links[from][to] = link;
}

static void read_option(const char *option)
{
	if (!strncmp(option, "node=", 5)) {
		add_node(option, option + 5);
	} else if (!strncmp(option, "cpus=", 5)) {
		set_cpus(option, option + 5);
	} else if (!strncmp(option, "remote=", 7)) {
		set_remote(option, option + 7);
	} else if (!strncmp(option, "link=", 5)) {
		set_link(option, option + 5);
	} else if (!strncmp(option, "window=", 7)) {
		config.window = number(option, option + 7, 1, SIM_MAX_WINDOW);
	} else if (!strncmp(option, "insn=", 5)) {
		on_insn_ps = number(option, option + 5, 1, OFF_INSN_PS);
	} else if (!strncmp(option, "report=", 7)) {
		report = fopen(option + 7, "w");
		if (!report)
			fail(option, strerror(errno));
	} else {
		fail(option, "unknown option");
	}
}

QEMU_PLUGIN_EXPORT
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	int i;

	check_version();
	if (!info->system_emulation || strcmp(info->target_name, "x86_64"))
		fail("machine", "it has to be x86_64");
	for (i = 0; i < argc; i++)
		read_option(argv[i]);
	if (info->system.max_vcpus > SIM_MAX_CPUS)
		fail("machine", "too many CPUs");
	config.nr_cpus = info->system.max_vcpus;
	model = sim_model_new(&config);
	if (!model)
		fail("model",
		     "no nodes, one too slow for the window, or one without latency for a CPU");
	clock_.quantum = OFF_QUANTUM_PS;
	counts.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	take_over_time();
	qemu_plugin_register_vcpu_init_cb(id, created);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	if (report)
		qemu_plugin_register_atexit_cb(id, exiting, NULL);
	return 0;
}
