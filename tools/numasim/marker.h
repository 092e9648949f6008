/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions that switch the model on and off: seven-byte no-operations
 * (nopl disp32(%rax)) with displacements that no compiler emits.
 */
#ifndef NUMASIM_MARKER_H
#define NUMASIM_MARKER_H

#define MARKER_ON  0x0f, 0x1f, 0x80, 0x6f, 0x6e, 0xd1, 0x5a
#define MARKER_OFF 0x0f, 0x1f, 0x80, 0x6f, 0x66, 0xd1, 0x5a

/* In the environment of what runs with the model on */
#define MARKER_VARIABLE "SIM_RUN"

#define MARKER_BYTES_(...) #__VA_ARGS__
#define MARKER_BYTES(...) MARKER_BYTES_(__VA_ARGS__)
#define SWITCH_MODEL(marker)						\
do {									\
	__asm__ volatile(".byte " MARKER_BYTES(marker) : : : "memory");	\
} while (0)

#endif
