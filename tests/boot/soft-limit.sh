#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A group of cgroup version 1 that is above its soft limit, when its node is short: kswapd begins with what it has, and demotes that as it
# does all else. Nothing is dropped that may go to slow memory. It has a machine of its own, since the memory controller is that of one
# version at a time. Prints TAP.
# usage: soft-limit.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

part_options soft-limit "$@"
rm -rf "$results"
mkdir -p "$results"
work=$results
. "$TOP/scripts/lib/tap.sh"

cat > "$work/guest" << 'END'
set -e
mkdir groups files
mount -t cgroup -o memory groups groups
mkdir groups/soft
echo 1M > groups/soft/memory.soft_limit_in_bytes
echo 1 > /sys/kernel/mm/numa/demotion_enabled
say() {
	echo "$1 charge $(($(cat groups/soft/memory.usage_in_bytes) / 4096))" \
		"demoted $(awk '/^pgdemote/ { sum += $2 } END { print sum }' /proc/vmstat)"
}
# Page cache of a RAM disk, which is there as long as somebody has the disk open
exec 3< /dev/ram0
taskset 1 sh -c 'echo $$ > groups/soft/cgroup.procs; cat /dev/ram0 > /dev/null'
say before
mount -t tmpfs -o size=100%,mpol=bind:0 files files
free=$(awk '/MemFree/ { print int($4 / 1024) }' /sys/devices/system/node/node0/meminfo)
dd if=/dev/zero of=files/most bs=1M count=$((free - 60)) 2> /dev/null
# More than there is, and time for kswapd
for part in $(seq 16); do
	dd if=/dev/zero of=files/$part bs=1M count=4 2> /dev/null
	usleep 200000
done
say after
END
status=0
"$TOP/scripts/machine/vm.sh" -s cxl2 -k "$kernel" -o "$work/console" -t $((300 * slowdown)) -f "$work/guest:/guest" -r "sh /guest" \
	> "$work/out" 2> "$work/err" || status=$?
result "$status" "a machine that runs out of fast memory"
# value WHEN WHAT: of that line, in pages
value() {
	tr -d '\r' < "$work/out" | sed -n "s/^$1 .*$2 \([0-9]*\).*/\1/p"
}
held=0
[ "$(($(value after demoted) - $(value before demoted)))" -ge 4096 ] || held=1
result $held "memory is demoted"
held=0
[ "$(value before charge)" -ge 16384 ] && [ "$(value after charge)" -ge "$(($(value before charge) - 256))" ] || held=1
result $held "what is above a soft limit is not dropped for that"

echo "1..$count"
[ "$failed" -eq 0 ]
