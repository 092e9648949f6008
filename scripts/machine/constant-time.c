// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into QEMU where its clock counts instructions.
 *
 * QEMU shrinks the table that stands for a processor's TLB when it was little
 * used for a tenth of a second of the host's time. What falls out of the TLB is
 * looked up again, and then the processor sets the accessed bits of the page
 * tables: so the host's load would decide which pages the guest takes for used.
 * With a time that stands still the table only grows, by what the guest does.
 * Nothing else that a guest can see goes by this clock when its RTC does not.
 */
#include <stddef.h>
#include <sys/time.h>

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	/* The day on which the RTC starts as well */
	*now = (struct timeval){ .tv_sec = 1767225600 };
	return 0;
}
