/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of this directory share: options, placement and time */
#ifndef NUMASIM_PLACE_H
#define NUMASIM_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_SIZE	64
#define MIB		1048576UL
#define MAX_MIB		65536

/* Has the compiler believe that somebody wants @value, and all that it is made of. */
static inline void use(uint32_t value)
{
	__asm__ volatile("" : : "r"(value));
}

int next_option(int argc, char **argv, const char *letters, const char *usage);
bool take_number(const char **text, unsigned int max, unsigned int *value);
unsigned int to_number(const char *text, unsigned int max);
void *get_array(size_t size);
void *get_memory(size_t size);
void *get_on_node_0(size_t size);
void put_memory(void *memory, size_t size);
void touch(void *memory, size_t size);
void model_off(void);
void model_on(void);
uint64_t now_ns(void);
_Noreturn __attribute__((format(printf, 1, 2))) void die(const char *format, ...);

#endif
