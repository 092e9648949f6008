#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# mpolctl run --larger-than on a modelled machine: a STREAM, and a program that waits for a small table and streams a large array. Both are
# linked with the C library of this machine. Prints TAP.
# usage: larger-sim.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

part_options larger-sim "$@"
rm -rf "$results"
mkdir -p "$results"
work=$results

. "$TOP/tests/tools/model.sh"
. "$TOP/scripts/lib/tap.sh"

guest=$TOP/tools/numasim/guest
for program in sim-both sim-stream; do
	gcc -O3 -Wall -Wextra -fno-tree-loop-distribute-patterns -pthread -o "$work/$program" \
		"$guest/$program.c" "$guest/place.c" "$guest/team.c" "$guest/ring.c" -lm
done
cat > "$work/guest" << 'END'
with() {
	how=$1
	shift
	echo "$how stream $(mpolctl run "$@" -- /dynamic/sim-stream -t 4 -n 2 -m 32 | sed -n 's/^triad //p')"
	echo "$how both $(mpolctl run "$@" -- /dynamic/sim-both -t 4)"
}
with fast --weights 0=1
with everything --weights 0=9,1=1
with large --larger-than 32M --weights 0=9,1=1
END
status=0
"$TOP/scripts/machine/vm.sh" -m -s sim/socket -k "$kernel" -o "$work/console" -t $((900 * slowdown)) \
	-f "$work/guest:/guest $work/sim-both:/dynamic/sim-both $work/sim-stream:/dynamic/sim-stream" -r "sim-run sh /guest" \
	> "$work/raw" 2> "$work/err" || status=$?
tr -d '\r' < "$work/raw" > "$work/out"
result "$status" "a modelled machine with both programs"
sed 's/^/# /' "$work/out"

# gains PROGRAM HOW THAN LEAST: HOW gives at least LEAST times what THAN does
gains() {
	status=0
	awk -v program="$1" -v how="$2" -v than="$3" -v least="$4" '
		$2 == program && NF == 3 { value[$1] = $3 }
		END { exit !(value[than] > 0 && value[how] >= least * value[than]) }' "$work/out" || status=1
	result "$status" "$1: $2 gives at least $4 of what $3 does"
}
gains stream large fast 1.1
gains stream large everything 0.99
# 3 % more than either
gains both large fast 1.03
gains both large everything 1.03

echo "1..$count"
[ "$failed" -eq 0 ]
