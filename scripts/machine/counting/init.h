/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What programs that run as init of a counting machine share.
 */
#ifndef INSN_COUNT_INIT_H
#define INSN_COUNT_INIT_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "marker.h"

#define STR(...)	#__VA_ARGS__
#define MARK(...)	__asm__ volatile(".byte " STR(__VA_ARGS__) : : : "memory")

static void power_off(void)
{
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void fail(const char *what)
{
	printf("failed: %s: %s\n", what, strerror(errno));
	power_off();
}

#endif
