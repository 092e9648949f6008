#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What programs measure on modelled machines, the short form of scripts/bench/sim/run.sh: what is known, at one CPU and at four, and some of
# what was published. Takes one processor. Prints TAP.
# usage: sim.sh [-k KERNELDIR] [-x SLOWDOWN] [-2]
#   -2  whether a second boot measures what the first one did, in place of all that
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

kernel=$BUILD/kernel/default slowdown=1 out=$BUILD/test-sim boots="four mixes lookups one"
while getopts k:x:2 option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	2) out=$BUILD/test-sim-twice boots="one again" ;;
	*) die "usage: sim.sh [-k KERNELDIR] [-x SLOWDOWN] [-2]" ;;
	esac
done
rm -rf "$out"
mkdir -p "$out"

. "$TOP/tests/tools/model.sh"
awk -v boots=" $boots " '$1 == "boot" { wanted = index(boots, " " $2 " ") } wanted' "$TOP/tests/tools/sim.plan" > "$out/asked"
"$TOP/scripts/machine/sim-plan.sh" -j 1 -k "$kernel" -t $((900 * slowdown)) "$out/asked" "$out" > "$out/boots" 2>&1 || {
	echo "TAP version 13"
	sed 's/^/# /' "$out/boots"
	echo "Bail out! a machine did not end its run"
	exit 1
}
"$TOP/scripts/bench/sim/judge.py" --tap "$out"
