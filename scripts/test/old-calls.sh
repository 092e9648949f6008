#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Are the answers of the old system calls those of the kernel without the series? Runs the same programs on both, and compares. Prints TAP.
# usage: old-calls.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]
set -eu
. "$(dirname "$0")/../lib/lib.sh"

kernel=$BUILD/kernel/default slowdown=1 results=$BUILD/test/old-calls
while getopts k:x:o: option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	o) results=$OPTARG ;;
	*) die "usage: old-calls.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]" ;;
	esac
done
base=$BUILD/kernel/default-base
limit=$((900 * slowdown))
count=0 failed=0

# result STATUS NAME
result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		failed=1
	fi
}

# What asks the calls, behind a line that nothing else prints
sweep='cd /usr/lib/kselftests/mm; echo "# sweep"; '
# shellcheck disable=SC2016 # expanded in the machine
sweep=$sweep'for bits in "" _32; do echo "# mempolicy_sweep$bits"; ./mempolicy_sweep$bits || exit 1; done'

mkdir -p "$results"
"$TOP/scripts/kernel/kernel.sh" -b >&2

echo "TAP version 13"
# The cases that need the series are left out there, and none is skipped.
status=0
"$TOP/scripts/test/scenario.sh" -u -s /dev/null -k "$base" -x "$slowdown" -o "$results/tests" -c "$sweep" cxl2 \
	mempolicy_get mempolicy_get_32 mempolicy_mbind mempolicy_mbind_32 \
	mempolicy_placement mempolicy_placement_32 mempolicy_set mempolicy_set_32 >&2 || status=$?
result $status "the kernel without the series passes the tests of the old calls"
tr -d '\r' < "$results/tests/output.log" | awk 'asked; /^# sweep$/ { asked = 1 }' > "$results/base"
"$TOP/scripts/machine/vm.sh" -s cxl2 -k "$kernel" -o "$results/series.console" -t "$limit" -r "$sweep" \
	> "$results/series.out" && status=0 || status=$?
tr -d '\r' < "$results/series.out" | awk 'asked; /^# sweep$/ { asked = 1 }' > "$results/series"
result $status "the kernel with the series answers"
for name in base series; do
	[ "$(grep -c . "$results/$name")" -gt 1000 ] && status=0 || status=$?
	result $status "$name: $(grep -c . "$results/$name") answers"
done
diff "$results/base" "$results/series" > "$results/difference" && status=0 || status=$?
result $status "every answer is the same"
head -n 20 "$results/difference" | sed 's/^/# /'
echo "1..$count"
exit $failed
