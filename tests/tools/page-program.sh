#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints a program of programs.md, as a reader saves it.
# usage: page-program.sh NUMBER
awk -v wanted="$1" '/^```c$/ { file = ++n == wanted; next } /^```/ { file = 0 } file' "$(dirname "$0")/../../Documentation/programs.md"
