// SPDX-License-Identifier: GPL-2.0
/* The loops that read and write memory */
#include "bwactl-mixes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* What all processors of a kind can load at once */
#define VECTOR		unsigned long long __attribute__((vector_size(16)))
#define VECTORS		(LINE / sizeof(VECTOR))
#define CHUNK_LINES	(CHUNK / LINE)

static VECTOR read_line_at(const VECTOR *line)
{
	return (line[0] ^ line[1]) ^ (line[2] ^ line[3]);
}

static void write_line_at(VECTOR *line, VECTOR value)
{
	line[0] = value;
	line[1] = value;
	line[2] = value;
	line[3] = value;
}

static void change_line_at(VECTOR *line)
{
	line[0]++;
	line[1]++;
	line[2]++;
	line[3]++;
}

/* Has the compiler believe that a result is used, and memory as well */
static void use(VECTOR value)
{
	asm volatile("" : : "r" (value[0] ^ value[1]) : "memory");
}

static void run_read(char *chunk)
{
	const VECTOR *at = (const VECTOR *)chunk;
	VECTOR sum = {};
	int i;

	for (i = 0; i < CHUNK_LINES; i++, at += VECTORS)
		sum ^= read_line_at(at);
	use(sum);
}

/* Values that differ, or the compiler calls memset(), which may do otherwise */
static void run_write(char *chunk)
{
	VECTOR *at = (VECTOR *)chunk;
	VECTOR value = {};
	int i;

	for (i = 0; i < CHUNK_LINES; i++, at += VECTORS)
		write_line_at(at, value++);
	use(value);
}

static void run_two_to_one(char *chunk)
{
	VECTOR *at = (VECTOR *)chunk;
	VECTOR sum = {};
	int i;

	for (i = 0; i < CHUNK_LINES; i += 2, at += 2 * VECTORS) {
		sum ^= read_line_at(at);
		change_line_at(at + VECTORS);
	}
	use(sum);
}

static void run_one_to_one(char *chunk)
{
	VECTOR *at = (VECTOR *)chunk;
	int i;

	for (i = 0; i < CHUNK_LINES; i++, at += VECTORS)
		change_line_at(at);
	use(*(VECTOR *)chunk);
}

#ifdef __SSE2__
static void stream_line(VECTOR *line, VECTOR value)
{
	_mm_stream_si128((__m128i *)line + 0, (__m128i)value);
	_mm_stream_si128((__m128i *)line + 1, (__m128i)value);
	_mm_stream_si128((__m128i *)line + 2, (__m128i)value);
	_mm_stream_si128((__m128i *)line + 3, (__m128i)value);
}

static void run_nt_write(char *chunk)
{
	VECTOR *at = (VECTOR *)chunk;
	VECTOR value = {};
	int i;

	for (i = 0; i < CHUNK_LINES; i++, at += VECTORS)
		stream_line(at, value++);
	_mm_sfence();
}

static void run_nt_two_to_one(char *chunk)
{
	const VECTOR *at = (const VECTOR *)chunk;
	VECTOR *to = (VECTOR *)(chunk + CHUNK / 3 * 2);
	int i;

	for (i = 0; i < CHUNK_LINES / 3; i++) {
		stream_line(to, read_line_at(at) ^ read_line_at(at + VECTORS));
		at += 2 * VECTORS;
		to += VECTORS;
	}
	_mm_sfence();
}

static void run_nt_one_to_one(char *chunk)
{
	const VECTOR *at = (const VECTOR *)chunk;
	VECTOR *to = (VECTOR *)(chunk + CHUNK / 2);
	int i;

	for (i = 0; i < CHUNK_LINES / 2; i++) {
		stream_line(to, read_line_at(at));
		at += VECTORS;
		to += VECTORS;
	}
	_mm_sfence();
}
#endif

/* Changed lines are read and written back; memory carries them twice */
const struct mix mixes[] = {
	{ "read", "only read", CHUNK, run_read },
	{ "write", "only written", CHUNK, run_write },
	{ "2:1", "of two lines that are read one is changed",
	  CHUNK / 2 * 3, run_two_to_one },
	{ "1:1", "each line that is read is changed",
	  CHUNK * 2, run_one_to_one },
#ifdef __SSE2__
	{ "nt-write", "written past the caches", CHUNK, run_nt_write },
	{ "nt-2:1", "two lines are read for one written past the caches",
	  CHUNK, run_nt_two_to_one },
	{ "nt-1:1", "copied past the caches", CHUNK, run_nt_one_to_one },
#endif
	{}
};
