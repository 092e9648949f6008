#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints a table of system calls with the rows of syscall-rows, which lies beside the series:
#	rows.sh FILE <table
# FILE is what the kernel calls it.

set -e
. "$(dirname "$0")/../lib/lib.sh"

# perf takes the rows of this table's own ABI only; the base's last one is not.
case $1 in
*_n64.tbl) abi=n64 ;;
*) abi= ;;
esac

# The entries, of which s390 has two, stand where those of the known call do.
awk -v "abi=$abi" '
FILENAME == ARGV[1] {
	if (!/^#/) {
		number[++calls] = $1
		name[calls] = $2
	}
	next
}
{ print }
$3 == name[1] {
	distance = $1 - number[1]
	if (abi == "")
		abi = $2
	entries = NF - 3
}
END {
	for (i = 2; i <= calls; i++) {
		row = sprintf("%d\t%s\t%s", number[i] + distance, abi, name[i])
		for (entry = 0; entry < entries; entry++)
			row = row (length(name[i]) < 8 ? "\t\t\t\t" : "\t\t\t") "sys_" name[i]
		print row
	}
}' "$TOP/$PATCHES/syscall-rows" -
