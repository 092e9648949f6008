// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the instructions a guest kernel executes, symbol by symbol, and the
 * cache lines of data that its policy code looks at.
 *
 * QEMU arguments: symbols=FILE, lines of "START END GROUP ..." with addresses in
 * hexadecimal, END exclusive, ascending and without overlap; out=FILE, which
 * gets a line "MEASUREMENT SYMBOL COUNT" for every symbol with a count, the
 * symbol being its line in the first file, from 0, and a line "MEASUREMENT lines
 * COUNT" with the number of different lines of 64 bytes that symbols of other
 * groups than "rest" have read or written, stacks and what the kernel keeps of
 * each page apart; with lines=off there is none. Instructions outside every
 * symbol are not counted. A measurement runs from the guest's begin marker to its
 * end marker (marker.h); they are numbered from 0.
 *
 * With open=NAME and close=NAME there is a line "MEASUREMENT longest COUNT" as
 * well: of the stretches from a call of the function OPEN to the next one of CLOSE,
 * none of OPEN between them, in which symbols of other groups than "rest" were
 * executed, the most instructions. Where both are the same function, each call ends a
 * stretch and begins the next, and so do the markers, and changes of tasks
 * (schedule, schedule_idle).
 *
 * The counts are exact: neighbouring instructions of a translation block that
 * lie in one symbol are counted together before the first of them, and a block
 * is left early by faulting instructions alone.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker.h"
#include "qemu-api.h"

#define MSB (1ULL << 63)

/*
 * Where x86_64 has its stacks (CONFIG_VMAP_STACK) and, behind them, struct page;
 * and what an interrupt writes to, when addresses are not random
 */
#define STACKS_START	0xffffc90000000000ULL
#define PAGES_END	0xffffeb0000000000ULL
#define ENTRY_START	0xfffffe0000000000ULL
#define ENTRY_END	0xfffffe8000000000ULL

#define LINE_SIZE	64
#define LINE_SLOTS	65536	/* a power of two */

/* What stands for no symbol */
#define NOWHERE		SIZE_MAX

struct symbol {
	uint64_t start;
	uint64_t end;
	bool policy;
	bool schedules;
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = 1;

static struct symbol *symbols;
static uint64_t *counts;	/* since power-on */
static uint64_t *at_begin;	/* copy taken at the begin marker */
static size_t nr_symbols;
static uint64_t lines[LINE_SLOTS];	/* a hash table; 0 is no line */
static unsigned int nr_lines;
static FILE *out;
static unsigned int measurement;
static bool measuring;
static bool without_lines;

static size_t opens = NOWHERE, closes = NOWHERE;	/* symbols */
static uint64_t all_before, of_policy_before;	/* when the stretch began */
static bool stretching;
static uint64_t longest;

/* QEMU ends too: a count that cannot be trusted is none. */
static void fail(const char *what, const char *why)
{
	fprintf(stderr, "counting plugin: %s: %s\n", what, why);
	exit(1);
}

/* Instructions since power-on; in symbols of other groups than "rest" */
static uint64_t sum(uint64_t *of_policy)
{
	uint64_t all = 0;
	size_t i;

	*of_policy = 0;
	for (i = 0; i < nr_symbols; i++) {
		all += counts[i];
		if (symbols[i].policy)
			*of_policy += counts[i];
	}
	return all;
}

static void end_stretch(void)
{
	uint64_t of_policy, all;

	if (!stretching)
		return;
	stretching = false;
	all = sum(&of_policy);
	if (of_policy != of_policy_before && all - all_before > longest)
		longest = all - all_before;
}

static void begin_stretch(void)
{
	all_before = sum(&of_policy_before);
	stretching = true;
}

static void opened(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (!measuring)
		return;
	if (opens == closes)
		end_stretch();
	begin_stretch();
}

static void closed(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	end_stretch();
}

static void begin_marker(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (measuring)
		fail("begin marker", "the measurement before it has no end");
	measuring = true;
	memcpy(at_begin, counts, nr_symbols * sizeof(*counts));
	memset(lines, 0, sizeof(lines));
	nr_lines = 0;
	longest = 0;
	stretching = false;
	if (opens == closes)
		begin_stretch();
}

static void end_marker(unsigned int cpu, void *data)
{
	size_t i;

	(void)cpu;
	(void)data;
	if (!measuring)
		fail("end marker", "no measurement has begun");
	measuring = false;
	for (i = 0; i < nr_symbols; i++) {
		if (counts[i] != at_begin[i])
			fprintf(out, "%u %zu %llu\n", measurement, i,
				(unsigned long long)(counts[i] - at_begin[i]));
	}
	if (!without_lines)
		fprintf(out, "%u lines %u\n", measurement, nr_lines);
	if (opens != NOWHERE) {
		if (opens == closes)
			end_stretch();
		fprintf(out, "%u longest %llu\n", measurement, (unsigned long long)longest);
	}
	measurement++;
}

static void note_line(unsigned int cpu, qemu_plugin_meminfo_t info,
		      uint64_t address, void *data)
{
	uint64_t line = address / LINE_SIZE;
	unsigned int slot = line % LINE_SLOTS;

	(void)cpu;
	(void)info;
	(void)data;
	if (!measuring || (address >= STACKS_START && address < PAGES_END) ||
	    (address >= ENTRY_START && address < ENTRY_END))
		return;
	while (lines[slot] && lines[slot] != line)
		slot = (slot + 1) % LINE_SLOTS;
	if (lines[slot])
		return;
	if (++nr_lines == LINE_SLOTS)
		fail("lines", "too many for the table");
	lines[slot] = line;
}

/* The symbol that holds @addr, or nr_symbols. */
static size_t find_symbol(uint64_t addr)
{
	size_t low = 0, high = nr_symbols;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr < symbols[mid].start)
			high = mid;
		else if (addr >= symbols[mid].end)
			low = mid + 1;
		else
			return mid;
	}
	return nr_symbols;
}

static void watch_markers(struct qemu_plugin_insn *insn)
{
	static const uint8_t begin[] = { MARKER_BEGIN }, end[] = { MARKER_END };
	const void *bytes;

	if (qemu_plugin_insn_size(insn) != sizeof(begin))
		return;
	bytes = qemu_plugin_insn_data(insn);
	if (!memcmp(bytes, begin, sizeof(begin)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, begin_marker,
						       QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
	else if (!memcmp(bytes, end, sizeof(end)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, end_marker,
						       QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
}

static void watch_data(struct qemu_plugin_insn *insn, size_t symbol)
{
	if (symbols[symbol].policy && !without_lines)
		qemu_plugin_register_vcpu_mem_cb(insn, note_line,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
}

/* Of a run of instructions of one symbol, before the first of them */
static void watch_stretches(struct qemu_plugin_insn *first, uint64_t addr,
			    size_t symbol)
{
	if (opens == NOWHERE)
		return;
	if (addr == symbols[symbol].start && symbol == closes && opens != closes)
		qemu_plugin_register_vcpu_insn_exec_cb(first, closed,
						       QEMU_PLUGIN_CB_NO_REGS, NULL);
	if (addr == symbols[symbol].start &&
	    (symbol == opens || (symbols[symbol].schedules && opens == closes)))
		qemu_plugin_register_vcpu_insn_exec_cb(first, opened,
						       QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i = 0;

	(void)id;
	while (i < n) {
		struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(first);
		uint64_t run = 1;
		size_t symbol;

		if (!(addr & MSB)) {
			watch_markers(first);
			i++;
			continue;
		}
		symbol = find_symbol(addr);
		if (symbol == nr_symbols) {
			i++;
			continue;
		}
		while (i + run < n) {
			struct qemu_plugin_insn *next;

			next = qemu_plugin_tb_get_insn(tb, i + run);
			if (find_symbol(qemu_plugin_insn_vaddr(next)) != symbol)
				break;
			watch_data(next, symbol);
			run++;
		}
		watch_data(first, symbol);
		watch_stretches(first, addr, symbol);
		qemu_plugin_register_vcpu_insn_exec_inline(first,
					QEMU_PLUGIN_INLINE_ADD_U64,
					&counts[symbol], run);
		i += run;
	}
}

static void on_power_off(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	if (fclose(out))
		fail("writing the counts", strerror(errno));
}

static void read_symbols(const char *path, const char *open, const char *close)
{
	unsigned long long start, end;
	char group[16], name[256];
	uint64_t last = 0;
	size_t room = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		fail(path, strerror(errno));
	while (fscanf(f, "%llx %llx %15s %255s", &start, &end, group, name) == 4) {
		if (start < last || end <= start)
			fail(path, "symbols overlap or are not in order");
		last = end;
		if (nr_symbols == room) {
			room = room ? 2 * room : 1024;
			symbols = realloc(symbols, room * sizeof(*symbols));
			if (!symbols)
				fail(path, strerror(errno));
		}
		if (open && !strcmp(name, open))
			opens = nr_symbols;
		if (close && !strcmp(name, close))
			closes = nr_symbols;
		symbols[nr_symbols++] = (struct symbol){
			start, end, strcmp(group, "rest"),
			!strcmp(name, "schedule") || !strcmp(name, "schedule_idle")
		};
	}
	if (!feof(f) || !nr_symbols)
		fail(path, "not a list of symbols");
	if ((open && opens == NOWHERE) || (close && closes == NOWHERE) || !open != !close)
		fail(path, "open= and close= take a function of it each");
	fclose(f);
}

QEMU_PLUGIN_EXPORT
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
			char **argv)
{
	const char *path = NULL, *open = NULL, *close = NULL;
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "symbols=", 8)) {
			path = argv[i] + 8;
		} else if (!strncmp(argv[i], "open=", 5)) {
			open = argv[i] + 5;
		} else if (!strncmp(argv[i], "close=", 6)) {
			close = argv[i] + 6;
		} else if (!strcmp(argv[i], "lines=off")) {
			without_lines = true;
		} else if (!strncmp(argv[i], "out=", 4)) {
			out = fopen(argv[i] + 4, "w");
			if (!out)
				fail(argv[i] + 4, strerror(errno));
		} else {
			fail(argv[i], "unknown argument");
		}
	}
	if (!path || !out)
		fail("arguments", "both symbols= and out= are needed");
	read_symbols(path, open, close);
	counts = calloc(nr_symbols, sizeof(*counts));
	at_begin = calloc(nr_symbols, sizeof(*at_begin));
	if (!counts || !at_begin)
		fail("counters", strerror(errno));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, on_power_off, NULL);
	return 0;
}
