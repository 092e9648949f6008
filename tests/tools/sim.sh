#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What programs measure on modelled machines, the short form of scripts/bench-sim.sh: what is known, at one CPU and at four, and some of what
# was published. Prints TAP.
# usage: sim.sh [-k KERNELDIR] [-x SLOWDOWN]
set -eu
. "$(dirname "$0")/../../scripts/lib.sh"

kernel=$BUILD/kernel/default slowdown=1
while getopts k:x: option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	*) die "usage: sim.sh [-k KERNELDIR] [-x SLOWDOWN]" ;;
	esac
done
out=$BUILD/test-sim
rm -rf "$out"
mkdir -p "$out"

status=0
reason=$("$TOP/scripts/sim.sh" -p) || status=$?
if [ "$status" -eq 4 ]; then
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$reason"
	exit
elif [ "$status" -ne 0 ]; then
	printf 'TAP version 13\nBail out! the model could not be prepared\n'
	exit 1
fi
"$TOP/scripts/sim-plan.sh" -k "$kernel" -t $((300 * slowdown)) "$TOP/tests/tools/sim.plan" "$out" > "$out/boots" 2>&1 || {
	echo "TAP version 13"
	sed 's/^/# /' "$out/boots"
	echo "Bail out! a machine did not end its run"
	exit 1
}
"$TOP/scripts/bench-sim.py" --tap "$out"
