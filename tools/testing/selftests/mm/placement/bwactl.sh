#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What bwactl measures, writes and says on a machine with nodes. It is of
# tools/mm/placement and is looked for in the PATH. Emulated nodes are all equally fast,
# whatever the firmware says: where steady_clock=NS is in the environment, as the
# kernel was given it, time is what was executed, and the weights must come out
# 1:1. Elsewhere the host decides how fast a node was when its turn came. Only
# the memory of an emulated CXL device is slow, by orders of magnitude.

weights=/sys/kernel/mm/mempolicy/weighted_interleave
nodes=/sys/devices/system/node
group=/sys/fs/cgroup/bwactl
work=$(mktemp -d) || exit 1
number=0
failed=0

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
		return
	fi
	echo "not ok $number $1"
	sed 's/^/# /' "$work/out" "$work/err"
	failed=1
}

skip() {
	number=$((number + 1))
	echo "ok $number $1 # SKIP $2"
}

# Small and short, for the memory of some machines is slow beyond measure
run() {
	bwactl --runtime 0.2 --buffer 1M "$@" >"$work/out" 2>"$work/err"
}

# The same of bandwidths that were recorded
run_from() {
	bwactl --from "$work/matrix" --json "$@" >"$work/out" 2>"$work/err"
}

all_weights() {
	cat $weights/node*
}

reset_weights() {
	for node in $(list $nodes/has_memory); do
		echo 7 >$weights/node"$node"
	done
}

# "0-1,3" as words
list() {
	tr ',' '\n' <"$1" | while IFS=- read -r first last; do
		[ -z "$first" ] || seq "$first" "${last:-$first}"
	done
}

# Weights of which none is a tenth more than another
near_one() {
	run && sed -n 's/^echo \([0-9]*\) > .*/\1/p' "$work/out" | awk '
		NR == 1 || $1 < least { least = $1 }
		$1 > most { most = $1 }
		END { exit !(NR && 10 * most <= 11 * least) }'
}

# Each node with CPUs has its lines, each node with memory its weight
all_there() {
	[ "$(head -n 1 "$work/out")" = "Bandwidth ratio for all NUMA nodes" ] || return
	for node in $(list $nodes/has_cpu); do
		grep -qx "from node$node compute cores:" "$work/out" || return
	done
	for node in $(list $nodes/has_memory); do
		grep -q "^echo [0-9]* > $weights/node$node\$" "$work/out" || return
	done
}

# The weights are those of the last lines with echo before them
written() {
	sed -n "/^The weights are written/q; s,^echo \([0-9]*\) > \(.*\),\2 \1,p" "$work/out" |
		while read -r file weight; do
			[ "$(cat "$file")" = "$weight" ] || exit 1
		done
}

# A copy of what bwactl reads of the nodes, with masks of their CPUs in place of lists
record() {
	mkdir -p "$work$nodes"
	cp $nodes/online $nodes/has_memory "$work$nodes"
	for node in $(list $nodes/online); do
		mkdir "$work$nodes/node$node" &&
			cp "$nodes/node$node/cpumap" "$nodes/node$node/distance" \
				"$work$nodes/node$node" || return
		for cpu in $(list $nodes/node"$node"/cpulist); do
			mkdir -p "$work/sys/devices/system/cpu/cpu$cpu/topology"
			cp "/sys/devices/system/cpu/cpu$cpu/topology/physical_package_id" \
				"$work/sys/devices/system/cpu/cpu$cpu/topology" || return
		done
		for near in "$nodes/node$node"/access[01]/initiators/node*; do
			[ -e "$near" ] || continue
			mkdir -p "$work${near%/*}" && : >"$work$near" || return
		done
	done
	for node in $(list $nodes/has_cpu); do
		for to in $(list $nodes/has_memory); do
			echo "$node $to $((1000 * (1 + to)))"
		done
	done >"$work/matrix"
}

# limited FILE VALUE ARGUMENT...: in a cgroup with this limit
limited() {
	echo "$2" >"$group/$1" || return
	shift 2
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" bwactl --runtime 0.2 "$@" \
		>"$work/out" 2>"$work/err"
}

# A program on a machine whose node $1 gives a sixth of what the others give together,
# by the weights that it runs with: 7 is the most, with a share of a seventh there.
cat >"$work/model" <<'EOT'
awk -v slow="$1" '
	match($0, /weights=[0-9:,]+/) {
		count = split(substr($0, RSTART + 8, RLENGTH - 8), pair, ",")
		for (i = 1; i <= count; i++) {
			split(pair[i], part, ":")
			all += part[2]
			if (part[1] == slow)
				share = part[2]
		}
		share /= all
		fast = (1 - share) / 6
		slowest = fast > share ? fast : share
		print "took " slowest " s, rate: " 1 / slowest
		found = 1
		exit
	}
	END { exit !found }' /proc/self/numa_maps
EOT

# Whether the table of bwactl tune has a best run of at least 98 % of 7, in eight at most
tuned() {
	awk '
		$1 + 0 > 0 { runs++; rate = $4 < 1 ? 1 / $4 : $4; weights[rate] = $5 }
		rate > most { most = rate }
		/^best: --weights / { best = $3 }
		END {
			exit !(runs <= 8 && most >= 7 * 0.98 && most < 7.001 &&
			       best == weights[most] ",")
		}' "$work/out"
}

tune() {
	bwactl tune "$@" >"$work/out" 2>"$work/err"
}

command -v bwactl >/dev/null || skip_all "bwactl is not in the PATH"
[ -d $weights ] || skip_all "needs weighted interleaving"
# Last, since the others switch it off
saved=$(for file in "$weights"/node* "$weights/auto"; do
	[ ! -e "$file" ] || echo "$file $(cat "$file")"
done)
memory=$(list $nodes/has_memory | wc -l)

echo "TAP version 13"
if [ -e /sys/bus/cxl/devices/mem0 ]; then
	run && grep -q "^echo 1 > $weights/node1\$" "$work/out" &&
		! grep -q "^echo 1 > $weights/node0\$" "$work/out"
	result "a window that is emulated access by access has a small weight"
elif [ -n "$steady_clock" ]; then
	near_one
	result "the weights of nodes that are equally fast are near 1:1"
fi
run && all_there
result "all nodes are measured and have a weight"
run --json && grep -q '^{"source":"measured","mix":"read","bandwidths":\[{.*"applied":false}$' \
	"$work/out"
result "JSON"

reset_weights
run --apply --force && all_there && written && all_weights >"$work/new"
result "the weights are written"
sed '1,/^The weights are written/d' "$work/out" >"$work/back"
sh "$work/back" && [ "$(all_weights | sort -u)" = 7 ]
result "the lines that bwactl says go back"

reset_weights
status=0
run --apply || status=$?
if grep -q 'note: runs differ' "$work/err"; then
	[ $status -eq 1 ] && [ "$(all_weights | sort -u)" = 7 ]
else
	[ $status -eq 0 ] && all_there && written
fi
result "the weights are written where runs agree"

reset_weights
run --json && cp "$work/out" "$work/matrix" &&
	! run_from --apply --force --verify --buffer 1000000G &&
	grep -q 'MiB are wanted' "$work/err" && grep -q '"applied":false}$' "$work/out" &&
	[ "$(all_weights | sort -u)" = 7 ]
result "what cannot be verified is not left in force"

! run --apply --topology '[[0,0]]' && grep -q 'stands there twice' "$work/err" &&
	! run --apply --topology '[[0],[99]]' && grep -q 'does not exist' "$work/err" &&
	[ "$(all_weights | sort -u)" = 7 ]
result "a bad topology changes nothing"
bwactl --apply --runtime 60 --buffer 1M >"$work/out" 2>"$work/err" &
sleep 1
kill -TERM $! && ! wait $! 2>/dev/null && [ ! -s "$work/out" ] && [ "$(all_weights | sort -u)" = 7 ]
result "an end in the middle changes nothing"
! bwactl --buffer 1000000G >"$work/out" 2>"$work/err" && grep -q 'MiB are wanted' "$work/err"
result "a buffer that does not fit is not tried"

run --verify && grep -q '^Weighted, CPUs of .* reached$' "$work/out"
result "a weighted buffer is measured"

bwactl --from-hmat >"$work/out" 2>"$work/err" || grep -q 'is not known' "$work/out" ||
	grep -q 'measure them' "$work/err"
result "weights from firmware, if it tells anything"

record && run_from && cp "$work/out" "$work/lists" && run_from --sysfs "$work/sys" &&
	cmp -s "$work/out" "$work/lists" && grep -q '"weights":\[{"node":' "$work/out"
result "masks of CPUs say what lists say"
rm "$work$nodes"/node*/cpumap
! run_from --sysfs "$work/sys" && grep -q 'has CPUs' "$work/err" && [ ! -s "$work/out" ]
result "no weights without CPUs"

if mkdir $group 2>/dev/null && [ -e $group/memory.max ]; then
	! limited memory.max 10485760 && grep -q 'MiB are wanted' "$work/err"
	result "a limit of a cgroup is seen before it is reached"
	echo max >$group/memory.max
else
	skip "a limit of a cgroup is seen before it is reached" "needs memory cgroups"
fi
if [ -e $group/cpuset.mems ] && [ "$memory" -gt 1 ]; then
	! limited cpuset.mems 0 --buffer 1M &&
		grep -q 'no memory of node [0-9]* may be used here' "$work/err" &&
		grep -q 'is not known' "$work/out"
	result "nodes that the cpuset does not allow are left out"
	: >$group/cpuset.mems
else
	skip "nodes that the cpuset does not allow are left out" \
		"needs cpusets and two nodes with memory"
fi
[ ! -d $group ] || rmdir $group

last=$(list $nodes/has_memory | tail -n 1)
if [ "$memory" -gt 1 ]; then
	tune --slow "$last" --number rate: sh "$work/model" "$last" && tuned
	result "tune finds the weights where a number is largest"
	best=$(sed -n 's/^use it: mpolctl run --weights \([^ ]*\) -- COMMAND$/\1/p' "$work/out")
	mpolctl run --weights "$best" -- sh "$work/model" "$last" >"$work/again" 2>>"$work/err" &&
		awk '/rate: / { if ($5 >= 7 * 0.98) found = 1 } END { exit !found }' "$work/again"
	result "a program is as fast with the weights that tune says"
	tune --slow "$last" --less --number took -- sh "$work/model" "$last" && tuned
	result "tune finds the weights where a number is least"
	tune --slow "$last" --runs 3 true && [ "$(grep -c '^  *[0-9]' "$work/out")" -le 3 ] &&
		grep -q '^best: ' "$work/out"
	result "tune goes by the run time"
	echo 255 >$weights/node"$(list $nodes/has_memory | head -n 1)"
	echo 1 >$weights/node"$last"
	tune --slow "$last" --number rate: sh "$work/model" "$last" && tuned
	result "tune finds them from weights that are nearly none"
	! tune --slow "$last" sh -c 'exit 3' && grep -q 'ended with status 3' "$work/err" &&
		! grep -q '^best' "$work/out"
	result "a command that fails ends tune"
	# What was read before it began, such as lines of a script, is not read again.
	printf '0\n5\n' >"$work/lines"
	# shellcheck disable=SC2016 # for the command's shell
	{
		read -r _
		tune --slow "$last" --runs 3 --number lines: sh -c 'echo "lines: $(wc -l)"'
	} <"$work/lines" && [ "$(awk '$3 == "%" && $4 == 1' "$work/out" | wc -l)" -ge 2 ] &&
		! awk '$3 == "%" && $4 != 1' "$work/out" | grep .
	result "each run of tune reads its file from where that stood"
	tune --slow "$last" --runs 3 --less --number took: echo 'it took: .83 s' &&
		[ "$(awk '$3 == "%" && $4 == 0.83' "$work/out" | wc -l)" -ge 2 ]
	result "a number without a digit before its point"
	! tune --slow "$last" --number rate: echo rate: -5 &&
		grep -q "no number above 0" "$work/err"
	result "a number below 0 ends tune"
	tune --slow "$last" --runs 3 --less --number took: echo 'it took:.....12.5 s' &&
		[ "$(awk '$3 == "%" && $4 == 12.5' "$work/out" | wc -l)" -ge 2 ]
	result "a number behind dots"
	! tune --slow "$last" --number rate: echo rate: none &&
		grep -q "no number above 0" "$work/err"
	result "a number that is not there ends tune"
	! tune --slow 1023 true && grep -q 'node 1023 has no memory' "$work/err"
	result "a node that is not there has no share"
	! tune --slow "$(cat $nodes/has_memory)" true && grep -q 'not all' "$work/err"
	result "all nodes have no share"
else
	! tune true && grep -q 'only node [0-9]* has memory' "$work/err"
	result "tune has nothing to do with one node"
fi

online=/sys/devices/system/cpu/cpu1/online
if [ -e $online ] && echo 0 >$online; then
	run && [ "$(grep -c '^from node[0-9]' "$work/out")" -eq "$(list $nodes/has_cpu | wc -l)" ]
	result "a CPU that is offline is left out"
	echo 1 >$online
else
	skip "a CPU that is offline is left out" "needs a second CPU"
fi
run --topology '[[0]]' && grep -q "^echo 1 > $weights/node0\$" "$work/out" &&
	[ "$(grep -c '^echo' "$work/out")" -eq 1 ]
result "one memory node has the weight 1"

echo "1..$number"
echo "$saved" | while read -r file weight; do
	echo "$weight" >"$file"
done
rm -rf "$work"
exit $failed
