#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints the program of a manual page, as a reader sees it.
# Usage: man-program.sh PAGE

sed -n '/^\.\\" SRC BEGIN/,/^\.\\" SRC END/ {
	/^\./d
	s/\\-/-/g
	s/\\(aq/'"'"'/g
	s/\\e/\\/g
	p
}' "$1"
