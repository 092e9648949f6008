#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What programs measure on modelled machines (scripts/bench/sim/plan), beside what was published: bench/sim/run.sh [-j BOOTS] [BOOT ...].
# So many boots at a time, 2 without -j; with BOOT only these are run, and the others are what they were. out/bench gets sim.txt and
# sim.csv. The exit status is 1 when something promised does not hold, or where QEMU 10.0 cannot be had.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"

jobs=2
while getopts j: option; do
	case $option in
	j) jobs=$OPTARG ;;
	*) die "usage: bench/sim/run.sh [-j BOOTS] [BOOT ...]" ;;
	esac
done
shift $((OPTIND - 1))
out=$BUILD/bench/sim

reason=$("$TOP/scripts/machine/sim.sh" -p) || die "${reason:-the model could not be prepared}"
"$TOP/scripts/kernel/kernel.sh"
"$TOP/scripts/kernel/tools.sh"
"$TOP/scripts/kernel/placed.sh"
lock bench-sim
[ $# -gt 0 ] || rm -rf "$out"
mkdir -p "$out" "$TOP/out/bench"
step "running programs on modelled machines" "$BUILD/log/bench-sim.log" \
	"$TOP/scripts/machine/sim-plan.sh" -j "$jobs" "$TOP/scripts/bench/sim/plan" "$out" "$@" || die "a boot did not end its run"
"$TOP/scripts/bench/sim/judge.py" "$out" "$TOP/out/bench"
