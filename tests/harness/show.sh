#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What make run makes of what its machine prints: few lines, and nothing lost that a run would be judged by. Prints TAP.
# shellcheck disable=SC2317 # functions are called through try
set -u
. "$(dirname "$0")/../../scripts/lib/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# run PAIR: what the machine prints of one pair of weights, whose pages are those of the weights
run() {
	printf '%s\n' "--- weights $1: of some pages some go to node 0 and others to node 1" \
		"# echo ${1%:*} > /sys/.../node0" "# weighted_interleave_split 0-1"
	for piece in "256 MiB in one piece" "65536 single pages"; do
		printf '%s\n' "$piece" "  numa_maps: 7fff weighted interleave:0-1 N0=1 N1=1" "" \
			"  node   weight      pages     expected  difference"
		for node in 0 1; do
			weight=${1%:*}
			[ $node = 0 ] || weight=${1#*:}
			printf '  %-6d %6d %10d %12.2f %+11.2f\n' $node "$weight" $((65536 * weight / (${1%:*} + ${1#*:}))) 1.0 0.0
		done
		echo
	done
	echo "${2:-Every node has its share.}"
	echo
}

# whole RUN...: the output of a machine
whole() {
	printf '%s\n' "This machine's memory nodes, as its firmware describes them:" "" \
		"  node   CPUs           memory          bandwidth        latency" \
		"  0      0             996 MiB        204800 MB/s          80 ns" ""
	cat "$@"
	printf '%s\n' "--- hot pages of the slow node come to the fast one" "memory_tier4: node 0" \
		"# sysctl kernel.numa_balancing=2" "kernel.numa_balancing = 2" "" \
		"        touches that   best that    pages of 65536" \
		"        node 0 serves  could fit    on node 0  promoted   demoted  threshold" \
		"   0 s          0.0 %         38.1 %           0         0         0    1000 ms" \
		"   2 s         55.8 %         70.6 %       15707     15707      9072    2000 ms" \
		"89.3 % of what the room on node 0 could serve, mean of the second half" ""
}

# shows COLOURS FILE
shows() {
	awk -v colours="$1" -f "$TOP/scripts/test/show.awk" "$2" > "$work/said"
}

# has LINE...: of what is shown
has() {
	for line; do
		grep -qxF -- "$line" "$work/said" || {
			echo "missing: $line"
			return 1
		}
	done
}

# Its machine writes a part, and goes on when that was read here.
lives() {
	mkfifo "$work/written" "$work/shown"
	live_awk -v colours=0 -f "$TOP/scripts/test/show.awk" < "$work/written" > "$work/shown" &
	exec 3> "$work/written" 4< "$work/shown"
	shown=0
	whole /dev/null | head -n 3 >&3
	timeout 60 grep -qm 1 "memory nodes" <&4 || shown=1
	{ echo "--- the end" && run 5:1; } >&3
	timeout 60 grep -qm 1 "node 1 weight   1  ###" <&4 || shown=1
	whole /dev/null | grep "^   2 s" >&3
	timeout 60 grep -qm 1 "^   2 s" <&4 || shown=1
	exec 3>&- 4<&-
	wait
	return $shown
}

few_lines() {
	wc -l < "$work/said"
	[ "$(wc -l < "$work/said")" -le 60 ]
}

plain() {
	! grep -q "$(printf '\033')" "$work/said"
}

coloured() {
	grep -q "$(printf '\033')\[32m####" "$work/said" && grep -q "$(printf '\033')\[31mFAIL: " "$work/said"
}

. "$TOP/scripts/lib/tap.sh"
for pair in 1:1 5:1 1:5 9:1 100:37; do
	run $pair
done > "$work/good"
{
	whole "$work/good"
	echo "PASS: all of it"
} > "$work/all"
shows 0 "$work/all"
try "each node has a bar for each pair" has \
	"9:1                            node 0 weight   9  ##################    58982 + 58982 pages" \
	"                               node 1 weight   1  ##                     6553 +  6553 pages" \
	"100:37                         node 0 weight 100  ###############       47836 + 47836 pages"
try "hot pages have one for each time" has "   2 s  ###########           55.8 %   70.6 %      15707      2000 ms" \
	"89.3 % of what the room on node 0 could serve, mean of the second half" "PASS: all of it"
try "each part is there when the machine has written it" lives
try "there are at most 60 lines" few_lines
try "a pipe gets no colours" plain

{
	run 1:1
	run 9:1 "A node has not its share."
	echo "mpolctl: cannot do it"
} > "$work/bad"
{
	whole "$work/bad"
	echo "FAIL: not all of it"
} > "$work/all"
shows 0 "$work/all"
try "what goes wrong is shown, and where" has \
	"9:1                            node 0 weight   9  ##################    58982 + 58982 pages" \
	"A node has not its share." "mpolctl: cannot do it" "FAIL: not all of it"
shows 1 "$work/all"
try "a terminal gets colours" coloured
echo "1..$count"
[ "$failed" -eq 0 ]
