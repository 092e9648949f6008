#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs what a plan says on modelled machines, two boots at a time; scripts/machine/sim.sh -p has prepared them.
# usage: sim-plan.sh [-j BOOTS] [-k KERNELDIR] [-t SECONDS] PLAN DIRECTORY [BOOT ...]
# A plan has a line "boot NAME SCENARIO [KERNEL [WINDOW]]" for each boot, and behind it those for scripts/machine/guest/bench-sim. KERNEL is
# a directory of build/kernel, or -k's without it or with "-"; WINDOW is as in vm.sh -w. DIRECTORY gets NAME.plan, NAME.txt and
# NAME.console.log of each boot, and what the model knows of a machine, SCENARIO.nodes. BOOT: only these, the others stay as they are.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

usage="usage: sim-plan.sh [-j BOOTS] [-k KERNELDIR] [-t SECONDS] PLAN DIRECTORY [BOOT ...]"
jobs=2 kernel=$BUILD/kernel/default limit=1800
while getopts j:k:t: option; do
	case $option in
	j) jobs=$OPTARG ;;
	k) kernel=$OPTARG ;;
	t) limit=$OPTARG ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || die "$usage"
plan=$1 out=$2
shift 2

mkdir -p "$out"
rm -f "$out"/*.plan "$out"/*.nodes
awk -v out="$out" '
$1 == "boot" { file = out "/" $2 ".plan" }
file && !/^(#|$)/ { print > file }' "$plan"
sed -n 's/^boot [^ ]* \([^ ]*\).*/\1/p' "$plan" | sort -u | while read -r scenario; do
	conf=$TOP/scenarios/sim/$scenario.conf
	nodes=$("$TOP/scripts/machine/sim-nodes.sh" "$conf")
	window=$(scenario_value "$conf" window)
	echo "$nodes,${window:+window=$window}" > "$out/$scenario.nodes"
done
[ $# -gt 0 ] || {
	# shellcheck disable=SC2046 # names
	set -- $(sed -n 's/^boot \([^ ]*\).*/\1/p' "$plan")
}
printf '%s\n' "$@" | xargs -P "$jobs" -I NAME "$TOP/scripts/machine/sim-boot.sh" -k "$kernel" -t "$limit" "$out" NAME
