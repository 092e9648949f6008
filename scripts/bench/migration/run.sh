#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What automatic migration does for three kinds of programs, and what it costs,
# beside the base and NUMA balancing: bench/migration/run.sh. out/bench gets
# migration.txt and migration.csv.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"
. "$TOP/scripts/machine/counting/boot.sh"

[ $# -eq 0 ] || die "usage: bench/migration/run.sh"
out=$BUILD/bench/migration
lock bench-migration
rm -rf "$out"
mkdir -p "$out" "$TOP/out/bench"
reason=$(counting_works) || die "$reason"

counting_prepare "$TOP/scripts/bench/migration/follow.c"
for kernel in default-base default; do
	counting_kernel "$kernel"
done
for work in stream compile pool; do
	for run in 1 2 3; do
		echo "default-base follow 2 512 base-$work-$run work=$work mode=off"
		echo "default-base follow 2 512 balancing-$work-$run work=$work mode=balancing"
		for mode in off direct lazy; do
			echo "default follow 2 512 $mode-$work-$run work=$work mode=$mode"
		done
	done
done > "$out/plan"
boots() {
	counting_boots < "$out/plan"
}
step "running programs whose memory follows them" "$BUILD/log/bench-migration.log" boots ||
	die "a virtual machine did not end its run; its console is in $out"
"$TOP/scripts/bench/migration/judge.py" "$out" "$TOP/out/bench"
