// SPDX-License-Identifier: GPL-2.0
/*
 * Ends, and leaves a child that does not, in a process group of its own as those
 * of the kselftest harness are.
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	if (!fork()) {
		setpgid(0, 0);
		for (;;)
			pause();
	}
	puts("TAP version 13\n1..1\nok 1 leaves a child");
	return 0;
}
