/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions that open and close a measurement: seven-byte no-operations
 * (nopl disp32(%rax)) with displacements that no compiler emits.
 */
#ifndef INSN_COUNT_MARKER_H
#define INSN_COUNT_MARKER_H

#define MARKER_BEGIN 0x0f, 0x1f, 0x80, 0x62, 0x67, 0xc3, 0x5a
#define MARKER_END   0x0f, 0x1f, 0x80, 0x65, 0x6e, 0xc3, 0x5a

#endif
