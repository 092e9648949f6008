/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that work together, one on each CPU */
#ifndef NUMASIM_TEAM_H
#define NUMASIM_TEAM_H

#include <stdint.h>

#define MAX_THREADS	8

void team_run(unsigned int threads, void (*work)(unsigned int number));
void team_meet(void);
void team_prepared(unsigned int number);
void team_begin(unsigned int number);
uint64_t team_took(unsigned int number);
void team_rest(void);

#endif
