// SPDX-License-Identifier: GPL-2.0
/*
 * Hangs, and so does a child that is in a process group of its own, as those of
 * the kselftest harness are.
 */
#include <unistd.h>

int main(void)
{
	if (!fork())
		setpgid(0, 0);
	for (;;)
		pause();
}
