/* SPDX-License-Identifier: GPL-2.0 */
/* What "mpolctl run --larger-than" and the library that it loads agree on */
#ifndef LARGER_H
#define LARGER_H

/* In the environment: "BYTES:MODE_FLAGS:WEIGHTS", BYTES at least 1 */
#define LARGER_SETTINGS	"MPOLCTL_LARGER"

/* Beside mpolctl as it is built, and in LARGER_DIR beside its directory */
#define LARGER_LIBRARY	"mpolctl-larger.so"
#define LARGER_DIR	"lib/mpolctl"

#endif /* LARGER_H */
