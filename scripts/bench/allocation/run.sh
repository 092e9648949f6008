#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Counts the instructions that the memory policy code takes for a fault, and
# looks where the pages are, with and without the series:
#	bench/allocation/run.sh [--gate [-b] | --twice | --commit | --answers | --bench KERNEL ...]
# Without --bench on machines of 2 and 16 nodes; the tables are printed and left
# in build/count.  With --gate it judges the figures, against limits and
# against the committed ones: TAP on standard output, status 1 when one is too
# high; figures of the base are taken from bases/NAME/answers, if they are there,
# or are compared with what it costs now (-b). --answers writes these.
# --twice shows in the same way that two boots are identical. Both take
# the kernels as they are built, and one processor.  --commit writes the
# committed figures.  --bench takes 1 to 64 nodes and further kernels of
# build/kernel, and leaves its tables in out/bench.

set -e
. "$(dirname "$0")/../../lib/lib.sh"
. "$TOP/scripts/machine/counting/boot.sh"

here=$TOP/scripts/bench/allocation
usage="usage: bench/allocation/run.sh [--gate [-b] | --twice | --commit | --answers | --bench KERNEL ...]"
mode=${1:-}
asked=
[ "$mode:${2:-}:$#" != --gate:-b:2 ] || asked=-b
case $mode in
'' | --gate | --twice | --commit | --answers) [ $# -le 1 ] || [ -n "$asked" ] || die "$usage" ;;
--bench) shift ;;
*) die "$usage" ;;
esac

# Standard output is for the result alone.
exec 3>&1 1>&2

if ! reason=$(counting_works); then
	case $mode in
	--gate | --twice)
		printf 'TAP version 13\n1..0 # SKIP %s\n' "$reason" >&3
		exit
		;;
	esac
	die "$reason"
fi

out=$BUILD/count
kernels="default-base default"
sizes="16 2"
one_machine=
answers=$TOP/bases/$BASE/answers/count.csv
case $mode in
--gate)
	one_machine=yes
	"$TOP/scripts/kernel/answers.sh" >/dev/null || {
		answers=
		asked=-b
	}
	if [ -z "$asked" ]; then
		kernels=default
	else
		"$TOP/scripts/kernel/kernel.sh" -b
	fi
	;;
--answers) kernels=default-base ;;
--twice)
	one_machine=yes
	out=$BUILD/count-twice
	kernels=default
	;;
*)
	"$TOP/scripts/kernel/kernel.sh"
	"$TOP/scripts/kernel/kernel.sh" -b
	;;
esac
if [ "$mode" = --bench ]; then
	out=$BUILD/bench/allocation
	kernels="$kernels $*"
	sizes="64 16 8 4 2 1"
fi
lock "$(basename "$out")"
rm -rf "$out"
mkdir -p "$out"
counting_prepare "$here/guest.c"
for kernel in $kernels; do
	counting_kernel "$kernel"
done

for nodes in $sizes; do
	for kernel in $kernels; do
		echo "$kernel guest $nodes 128 $kernel-$nodes"
	done
done >"$out/plan"
# That two boots are identical is shown on some of them.
case $mode in
--twice | --bench)
	for nodes in 16 2; do
		echo "default guest $nodes 128 default-$nodes-again"
	done >>"$out/plan"
	;;
esac
boots() {
	counting_boots <"$out/plan"
}
step "counting on machines of $sizes nodes" "$BUILD/log/$(basename "$out").log" boots ||
	die "a virtual machine did not end its run; its console is in $out"
set --
case $mode in
--gate | --answers) [ -z "$answers" ] || set -- "$answers" ;;
esac
exec "$here/report.py" ${mode:+"$mode"} "$@" "$out" >&3
