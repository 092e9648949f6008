/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the plugin uses of QEMU 10.0: of the plugin interface, version 4, for which
 * Debian packages no header, and of QEMU's own functions. The latter are no
 * interface; Debian's binary exports them to its modules. All are resolved
 * against the QEMU binary when it loads the plugin.
 */
#ifndef NUMASIM_QEMU_API_H
#define NUMASIM_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

/* What other QEMUs lack: they load the plugin, and then one of both refuses. */
#define QEMU_NEW __attribute__((weak))

/* The plugin interface */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_scoreboard;

typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

typedef struct {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
} qemu_info_t;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS = 0,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64 = 0,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_RW = 3,
};

enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_GE = 7,
};

typedef struct {
	int type;
	union {
		uint64_t u64;
		struct {
			uint64_t low;
			uint64_t high;
		} u128;
	} data;
} qemu_plugin_mem_value;

extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
		void (*created)(qemu_plugin_id_t id, unsigned int cpu));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
		void (*translated)(qemu_plugin_id_t id,
				   struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
		void (*exiting)(qemu_plugin_id_t id, void *data), void *data);
QEMU_NEW void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
		qemu_plugin_u64 entry, uint64_t imm);
QEMU_NEW void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
		void (*executed)(unsigned int cpu, void *data),
		enum qemu_plugin_cb_flags flags, enum qemu_plugin_cond cond,
		qemu_plugin_u64 entry, uint64_t imm, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
		void (*executed)(unsigned int cpu, void *data),
		enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
		void (*accessed)(unsigned int cpu, qemu_plugin_meminfo_t info,
				 uint64_t address, void *data),
		enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
		void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t idx);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
			     size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
QEMU_NEW qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info,
						  uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hwaddr);

QEMU_NEW struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
QEMU_NEW uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned int cpu);
QEMU_NEW void qemu_plugin_u64_set(qemu_plugin_u64 entry, unsigned int cpu,
				  uint64_t value);

/* QEMU's own: include/hw/core/cpu.h, accel/tcg, include/system/accel-ops.h */

typedef struct CPUState CPUState;

/* Memory accesses are atomic, and code does not depend on the vCPU. */
#define CF_PARALLEL 0x00008000

extern __thread CPUState *current_cpu;
extern bool mttcg_enabled;
extern int use_icount;

CPUState *qemu_get_cpu(int index);
void cpu_exit(CPUState *cpu);
/* @address: in the code of the block that is left, where the call returns to */
_Noreturn void cpu_loop_exit_restore(CPUState *cpu, uintptr_t address);
QEMU_NEW void tcg_cflags_set(CPUState *cpu, uint32_t flags);
void tb_flush(CPUState *cpu);
/* @data is a union of eight bytes. */
void async_run_on_cpu(CPUState *cpu, void (*func)(CPUState *cpu, void *data),
		      void *data);

typedef struct ObjectClass ObjectClass;

ObjectClass *object_class_by_name(const char *name);

typedef struct {
	char parent_class[96];
	void (*ops_init)(void *ops);
	bool (*cpus_are_resettable)(void);
	void (*cpu_reset_hold)(CPUState *cpu);
	void (*create_vcpu_thread)(CPUState *cpu);
	void (*kick_vcpu_thread)(CPUState *cpu);
	bool (*cpu_thread_is_idle)(CPUState *cpu);
	void (*synchronize_post_reset)(CPUState *cpu);
	void (*synchronize_post_init)(CPUState *cpu);
	void (*synchronize_state)(CPUState *cpu);
	void (*synchronize_pre_loadvm)(CPUState *cpu);
	void (*synchronize_pre_resume)(bool step_pending);
	void (*handle_interrupt)(CPUState *cpu, int mask);
	int64_t (*get_virtual_clock)(void);
	void (*set_virtual_clock)(int64_t time);
	int64_t (*get_elapsed_ticks)(void);
} AccelOpsClass;

/* include/qemu/timer.h */

#define QEMU_CLOCK_VIRTUAL	1
#define QEMU_TIMER_ATTR_ALL	0xffffffff

int64_t qemu_clock_deadline_ns_all(int type, int attributes);
bool qemu_clock_run_timers(int type);

/* qapi/control.json */

typedef struct {
	struct {
		int64_t major;
		int64_t minor;
		int64_t micro;
	} *qemu;
	char *package;
} VersionInfo;

VersionInfo *qmp_query_version(void **errp);
void qapi_free_VersionInfo(VersionInfo *info);

#endif
