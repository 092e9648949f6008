/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of QEMU's plugin interface that plugin.c uses, in its version 1,
 * which QEMU 7.2 has. Debian packages no header for it; the symbols are
 * resolved against the QEMU binary when it loads the plugin.
 */
#ifndef INSN_COUNT_QEMU_API_H
#define INSN_COUNT_QEMU_API_H

#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS = 0,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64 = 0,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_RW = 3,
};

typedef uint32_t qemu_plugin_meminfo_t;

extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
			char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
		void (*translated)(qemu_plugin_id_t id,
				   struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
		void (*exiting)(qemu_plugin_id_t id, void *data), void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
		void (*executed)(unsigned int cpu, void *data),
		enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
		enum qemu_plugin_op op, void *ptr, uint64_t imm);

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
		void (*accessed)(unsigned int cpu, qemu_plugin_meminfo_t info,
				 uint64_t address, void *data),
		enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
		void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t idx);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

#endif
