#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Are the answers of the old system calls those of the kernel without the series? Runs the same programs on both, and compares; what that
# one answers is taken from bases/NAME/answers, if it is there. Prints TAP.
# usage: old-calls.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR] [-b | -w]
#   -b  the kernel without the series is asked all the same, and what is kept compared with that    -w  what it answers is kept
set -eu
. "$(dirname "$0")/../lib/lib.sh"

kernel=$BUILD/kernel/default slowdown=1 results=$BUILD/test/old-calls asked=''
while getopts k:x:o:bw option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	o) results=$OPTARG ;;
	b | w) asked=-$option ;;
	*) die "usage: old-calls.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR] [-b | -w]" ;;
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
answers=''
[ -n "$asked" ] || answers=$("$TOP/scripts/kernel/answers.sh") || asked=-b

# sum: of answers, as they are kept: 53,000 lines are too many
sum() {
	sha256sum < "$1" | cut -d ' ' -f 1
}

# ask_base: its answers, behind the tests of the old calls, to $results/base. The cases that need the series are left out there, and none is
# skipped.
ask_base() {
	"$TOP/scripts/kernel/kernel.sh" -b >&2
	status=0
	"$TOP/scripts/test/scenario.sh" -u -s /dev/null -k "$base" -x "$slowdown" -o "$results/tests" -c "$sweep" cxl2 \
		mempolicy_get mempolicy_get_32 mempolicy_mbind mempolicy_mbind_32 \
		mempolicy_placement mempolicy_placement_32 mempolicy_set mempolicy_set_32 >&2 || status=$?
	result "$status" "the kernel without the series passes the tests of the old calls"
	tr -d '\r' < "$results/tests/output.log" | awk 'asked; /^# sweep$/ { asked = 1 }' > "$results/base"
	[ "$(grep -c . "$results/base")" -gt 1000 ] && status=0 || status=$?
	result "$status" "it gives $(grep -c . "$results/base") answers"
	kept=$TOP/bases/$BASE/answers/old-calls
	[ "$asked" != -w ] || sum "$results/base" > "$kept"
	"$TOP/scripts/kernel/answers.sh" > /dev/null || return 0
	[ "$(sum "$results/base")" = "$(cat "$kept")" ] && status=0 || status=$?
	result "$status" "what is kept of its answers is what it answers"
}

echo "TAP version 13"
"$TOP/scripts/machine/vm.sh" -s cxl2 -k "$kernel" -o "$results/series.console" -t "$limit" -r "$sweep" \
	> "$results/series.out" && status=0 || status=$?
tr -d '\r' < "$results/series.out" | awk 'asked; /^# sweep$/ { asked = 1 }' > "$results/series"
result "$status" "the kernel with the series answers"
[ "$(grep -c . "$results/series")" -gt 1000 ] && status=0 || status=$?
result "$status" "it gives $(grep -c . "$results/series") answers"
# Which one is another one only the kernel itself can tell.
[ -n "$asked" ] || [ "$(sum "$results/series")" = "$(cat "$answers/old-calls")" ] || asked=-b
status=0
if [ -n "$asked" ]; then
	ask_base
	diff "$results/base" "$results/series" > "$results/difference" && status=0 || status=$?
	head -n 20 "$results/difference" | sed 's/^/# /'
fi
result "$status" "every answer is the same"
echo "1..$count"
exit $failed
