/* SPDX-License-Identifier: GPL-2.0 */
/* Results of tests, as TAP */
#ifndef NUMASIM_TAP_H
#define NUMASIM_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int tests;
static bool failed;

static __attribute__((format(printf, 2, 3)))
void result(bool good, const char *format, ...)
{
	va_list arguments;

	printf("%s %u ", good ? "ok" : "not ok", ++tests);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	failed |= !good;
}

#endif
