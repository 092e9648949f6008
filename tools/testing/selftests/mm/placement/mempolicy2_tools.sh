#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What mpolctl does to a command, to the weights and to other settings, and the
# example program with two threads. Both are of tools/mm/placement and are looked for in the PATH.

weights=/sys/kernel/mm/mempolicy/weighted_interleave
number=0

skip_all() {
	echo "TAP version 13"
	echo "1..0 # SKIP $1"
	exit 4
}

result() {
	status=$?
	number=$((number + 1))
	if [ $status -eq 0 ]; then
		echo "ok $number $1"
	else
		echo "not ok $number $1"
		failed=1
	fi
}

all_weights() {
	cat $weights/node*
}

# refuses TEXT COMMAND...: fails, says TEXT, and leaves the weights alone
refuses() {
	text=$1
	shift
	before=$(all_weights)
	! said=$("$@" 2>&1) || return
	[ "$(all_weights)" = "$before" ] || return
	case $said in
	*"$text"*) ;;
	*)
		echo "# $* said: $said"
		return 1
		;;
	esac
}

command -v mpolctl >/dev/null || skip_all "mpolctl is not in the PATH"
[ -d $weights ] || skip_all "needs weighted interleaving"
{ [ -e $weights/node0 ] && [ -e $weights/node1 ]; } ||
	skip_all "needs two nodes with memory"
# Last, since the others switch it off
saved=$(for file in "$weights"/node* "$weights/auto"; do echo "$file $(cat "$file")"; done)
failed=0

echo "TAP version 13"
echo "1..21"

for file in "$weights"/node*; do echo 1 >"$file"; done
mpolctl weights 0=1 1=1 >/dev/null &&
	mpolctl run --weights 0=5,1=1 -- \
		./weighted_interleave_split --mib 8 --pages 512 --inherit >/tmp/own
result "a command has its own ratio"
grep -q '5 .* 1706\|5 .* 1707' /tmp/own && grep -q '1 .* 341\|1 .* 342' /tmp/own
result "its pages are split five to one"
[ "$(all_weights | sort -u)" = 1 ]
result "the global weights stay"
mpolctl weights 0=7 1=2 >/dev/null && [ "$(cat $weights/node0)" = 7 ] &&
	[ "$(cat $weights/node1)" = 2 ]
result "the global weights are written"
mpolctl weights | grep -q 7
result "and shown"
refuses 999 mpolctl weights 0=9 1=999
result "one bad weight of two: nothing is written"
refuses "'" mpolctl run --weights 0=5,1 -- true
result "a list without a weight is refused"
mpolctl run --weights 0=5,1=1 -- false
[ $? -eq 1 ]
result "the status is that of the command"
# As many positions as nodes, and one more: that is the first node again.
nodes=$(all_weights | wc -l)
mpolctl run --relative --weights "0=1,1=1,$nodes=2" -- \
	grep -q ' weights=0:3,1:1$' /proc/self/numa_maps
result "a position beyond the last node has its weight"
two-threads --mib 32 --pages 4096 >/tmp/threads || {
	sed 's/^/# /' /tmp/threads
	false
}
result "two threads have two ratios"

# A process that waits with 32 MiB of its own, and has them moved
mkfifo /tmp/fifo
dd if=/dev/zero of=/tmp/fifo bs=32M count=1 2>/dev/null &
holder=$!
exec 3</tmp/fifo
head -c 1 <&3 >/dev/null
mpolctl set --weights 0=1,1=1 --move $holder >/tmp/moved
result "a process that waits has its memory moved"
# kib NODE: what the line says that the process has there
kib() {
	sed -n "s/^$holder: .*node $1 \([0-9]*\) KiB.*/\1/p" /tmp/moved
}
sed 's/^/# /' /tmp/moved
[ "$(kib 0)" -ge 14336 ] && [ "$(kib 1)" -ge 14336 ]
result "half of it to each node"
exec 3<&-
wait $holder

# all_have WEIGHTS PID...: each of them has these weights of its own, or none for ""
all_have() {
	want=$1
	shift
	for pid; do
		have=$(sed -n 's/.* weights=//p' "/proc/$pid/numa_maps" | sort -u)
		[ "$have" = "$want" ] || {
			echo "# process $pid has '$have'"
			return 1
		}
	done
}

# Subshells, none of which will execute a program and lose what it is given
mkfifo /tmp/never
rm -f /tmp/child /tmp/grandchild
( ( (: </tmp/never) & echo $! >/tmp/grandchild
	wait) & echo $! >/tmp/child
	wait) &
parent=$!
until [ -s /tmp/child ] && [ -s /tmp/grandchild ]; do sleep 0.1; done
child=$(cat /tmp/child)
grandchild=$(cat /tmp/grandchild)
mpolctl set --weights 0=3,1=2 --tree "$parent" >/tmp/tree &&
	[ "$(cat /tmp/tree)" = "$parent
$child
$grandchild" ] && all_have 0:3,1:2 "$parent" "$child" "$grandchild"
result "a process, its child and that one's have new weights"
mpolctl set --default "$child" >/tmp/tree && [ "$(cat /tmp/tree)" = "$child" ] &&
	all_have "" "$child" && all_have 0:3,1:2 "$parent" "$grandchild"
result "one alone has the default again"
kill "$parent" "$child" "$grandchild"
wait "$parent"
refuses "there is no process $parent" mpolctl set --weights 0=1 "$parent"
result "one that has ended is refused"

rm -f /tmp/brood /tmp/begun
(i=0
	while [ $i -lt 100 ]; do
		(: </tmp/never) &
		echo $! >>/tmp/brood
		i=$((i + 1))
	done
	: >/tmp/begun
	wait) &
parent=$!
until [ -s /tmp/brood ]; do sleep 0.01; done
mpolctl set --weights 0=2,1=3 --move --tree "$parent" >/tmp/tree &&
	grep -q "^$parent: node 0 [0-9]* KiB, node 1 [0-9]* KiB" /tmp/tree
result "a process that begins others is set and moved"
echo "# $(wc -l </tmp/tree) were set, $(wc -l </tmp/brood) had begun"
until [ -e /tmp/begun ]; do sleep 0.1; done
# shellcheck disable=SC2046 # numbers
all_have 0:2,1:3 "$parent" $(cat /tmp/brood)
result "so are those that it begins meanwhile"
# shellcheck disable=SC2046
kill "$parent" $(cat /tmp/brood)
wait "$parent"

balancing=/proc/sys/kernel/numa_balancing
demotion=/sys/kernel/mm/numa/demotion_enabled
distance=/sys/kernel/mm/tiering/node1/abstract_distance
others=$(cat $balancing $demotion)
echo 2 >$balancing
echo 1 >$demotion
mpolctl weights 0=7 1=2
mpolctl save /tmp/settings && grep -qx "kernel.numa_balancing = 2" /tmp/settings &&
	grep -qx "$demotion = true" /tmp/settings && grep -qx "$weights/node1 = 2" /tmp/settings &&
	grep -qx "$weights/auto = false" /tmp/settings
result "what placement is set to is saved"
echo 0 >$balancing
echo 0 >$demotion
echo 5000 >$distance
echo true >"$weights/auto"
mpolctl restore /tmp/settings >/tmp/changes && mpolctl save | cmp - /tmp/settings &&
	[ "$(wc -l </tmp/changes)" -ge 4 ] && [ -z "$(mpolctl restore /tmp/settings)" ]
result "and is set again"
echo true >"$weights/auto"
mpolctl save >/tmp/settings
mpolctl weights 0=7 1=2
mpolctl restore /tmp/settings >/tmp/changes && [ "$(cat "$weights/auto")" = true ] &&
	grep -qx "$weights/auto = true, was false" /tmp/changes
result "so are weights that the kernel derives"
# Each command that is printed mends something
echo 0 >$balancing
echo 1 >$demotion
mpolctl doctor >/tmp/mend
[ $? -eq 4 ] && grep -q "sysctl kernel.numa_balancing=2" /tmp/mend && {
	sed -n 's/^	sysctl/&/p' /tmp/mend | sh
	mpolctl doctor >/tmp/mend
	! grep -q sysctl /tmp/mend
}
result "what can be mended is said, with what mends it"
echo "${others%%[!0-9]*}" >$balancing
echo "${others#*[!0-9]}" >$demotion
echo 0 >$distance

echo "$saved" | while read -r file weight; do
	echo "$weight" >"$file"
done
exit $failed
