#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The commands of the documentation, as tests/commands has them: on this machine, and on those that it names. Prints TAP.
# usage: typed.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

part_options typed "$@"
rm -rf "$results"
mkdir -p "$results/here"
work=$results
. "$TOP/scripts/lib/tap.sh"

# A reader has saved the second program of the page under the name that its command has.
ln -s "$TOP/tools" "$work/here"
ln -s "$BUILD" "$work/here/build"
"$TOP/tests/tools/page-program.sh" 2 > "$work/here/two.c"
"$TOP/tests/tools/page-program.sh" 3 > "$work/here/spread.h"
"$TOP/tests/tree/commands.py" --place host > "$work/host"
while read -r command; do
	try "$command" env -C "$work/here" sh -c "$command"
done < "$work/host"
# One that brings its libraries along
try "the program for all kernels is built" gcc -Wall -Wextra -Werror -I "$TOP/tools/mm/placement" -I "$work/here" \
	"$TOP/tests/boot/fallback.c" -o "$work/here/myprogram"

sed -n 's/^machine \([^\t]*\).*/\1/p' "$TOP/tests/commands" | sort -u > "$work/machines"
while read -r machine; do
	"$TOP/tests/tree/commands.py" --place "machine $machine" > "$work/$machine"
	status=0
	"$TOP/scripts/machine/vm.sh" -s "$machine" -k "$kernel" -o "$work/$machine.console" -t $((600 * slowdown)) \
		-f "$work/$machine:/etc/typed $work/here/two:/usr/bin/two $work/here/myprogram:/usr/bin/myprogram" \
		-r "typed-commands /etc/typed; two && myprogram own && echo works" \
		< /dev/null > "$work/out" 2> "$work/err" || status=$?
	held=0
	{ [ $status -eq 0 ] && tr -d '\r' < "$work/out" | grep -qx works; } || held=1
	result $held "two programs of programs.md on $machine"
	tr -d '\r' < "$work/out" > "$work/$machine.out"
	# Each as a result of its own
	while read -r line; do
		case $line in
		'ok '*) result 0 "$machine: ${line#*- }" ;;
		'not ok '*) result 1 "$machine: ${line#*- }" ;;
		esac
	done < "$work/$machine.out"
done < "$work/machines"

echo "1..$count"
[ "$failed" -eq 0 ]
