/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of this directory share */
#ifndef NUMASIM_PLACE_H
#define NUMASIM_PLACE_H

#include <stddef.h>
#include <stdint.h>

void place(const char *text);
void *get_memory(size_t size);
uint64_t now_ns(void);
unsigned int to_number(const char *text, unsigned int max);
_Noreturn void die(const char *format, ...);

#endif
