#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A machine whose clock counts instructions does the same in each run, however much of the host it gets: a load that promotes and demotes
# pages all the time is run twice, with other priorities, and has to print the same. Prints TAP.
# usage: clock.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

part_options clock "$@"
mkdir -p "$results"

# load NAME PRIORITY: what it prints is in $results/NAME
load() {
	nice -n "$2" "$TOP/scripts/machine/vm.sh" -s steady -i 4 -k "$kernel" -o "$results/$1.console" -t $((900 * slowdown)) -r \
		'show-promotion --seconds 16 --every 2 > /tmp/show; cat /tmp/show /proc/vmstat /proc/uptime' > "$results/$1"
}
load first 0 &
status=0
load second 3 || status=$?
wait $! || status=$?
[ "$(grep -c '^pgpromote_success [1-9]' "$results/first")" -eq 1 ] || status=1

echo "TAP version 13"
echo "1..2"
if [ "$status" -eq 0 ]; then
	echo "ok 1 both runs promote pages"
else
	echo "not ok 1 both runs promote pages"
	sed 's/^/# /' "$results/first"
fi
if diff "$results/first" "$results/second" > "$results/difference"; then
	echo "ok 2 both print the same"
else
	status=1
	echo "not ok 2 both print the same"
	sed 's/^/# /' "$results/difference"
fi
exit $status
