#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests that the same bandwidths give the same weights wherever they are made:
# mm/interleave/fit.c of the kernel, which is compiled into a program here,
# tools/mm/placement/bwactl-fit.c, and judge.py, the model of published machines. Prints TAP.
set -u

tests=$(dirname "$0")
top=$tests/../..
judge=$top/scripts/bench/machines/judge.py
unit=$top/mm/interleave/tests/fit_test.c
# shellcheck disable=SC2034 # for tap.sh
program=weights
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# shellcheck disable=SC2034 # for tap.sh
status=0
: >"$work/err"
. "$top/scripts/lib/tap.sh"

# The machines of the kernel's unit test: LARGEST BANDWIDTH...:WEIGHT...
unit_machines() {
	sed -n '/^static const struct machine machines/,/^};/p' "$unit" |
		awk -F '[{}]' '
		function product(text, factor, count, i, value) {
			value = 1
			count = split(text, factor, "*")
			for (i = 1; i <= count; i++)
				value *= factor[i]
			return value
		}
		NF == 7 {
			gsub("U32_MAX", "4294967295")
			count = split($3, bandwidth, ",")
			split($5, weight, ",")
			left = "255"
			right = ""
			for (i = 1; i <= count; i++) {
				left = left sprintf(" %.0f", product(bandwidth[i]))
				right = right (i > 1 ? " " : "") weight[i] + 0
			}
			print left ":" right
		}'
}

# What else it tries: all ratios from 1:1 to 1:25, and many nodes
unit_ratios() {
	awk 'BEGIN {
		for (ratio = 4000; ratio <= 100000; ratio += 37)
			print 255, 100000, ratio
		printf "255"
		for (i = 0; i < 16; i++)
			printf " %d", 1000 * (1 + i * 15)
		print ""
	}'
}

# random_sets SPEEDS: 400 sets of one to nine nodes, the same each time. Each node
# has one of so many bandwidths, which are up to what bwactl allows; a third of
# the sets have a smaller largest weight.
random_sets() {
	awk -v speeds="$1" -v limit="$limit" '
	function random(below) {
		seed = seed * 16807 % 2147483647
		return int(seed / 2147483647 * below)
	}
	BEGIN {
		seed = 71
		split("30 3000 400000 " limit, largest, " ")
		for (round = 0; round < 400; round++) {
			for (i = 0; i < speeds; i++)
				speed[i] = 1 + random(largest[1 + round % 4])
			printf "%d", round % 3 ? 255 : 1 + random(255)
			for (i = random(9); i >= 0; i--)
				printf " %d", speed[random(speeds)]
			print ""
		}
	}'
}

# same NAME SETS FILE OTHER: both hold the same weights for the sets, a line each,
# of which there are some
same() {
	paste -d : "$2" "$3" "$4" | awk -F : '
	$2 == "" || $2 != $3 { print; differ = 1 }
	END { exit differ || !NR }' >"$work/out"
	result $? "$1"
}

"${CC:-gcc}" -O2 -Wall -Wextra -Werror -I"$tests/fit/include" -I"$top/mm/interleave" \
	-I"$top/tools/mm/placement" -o "$work/weights" "$tests/fit/weights.c" "$top/mm/interleave/fit.c" \
	"$top/tools/mm/placement/bwactl-fit.c" >"$work/out" 2>&1
result $? 'fit.c of the kernel and that of bwactl compile'

limit=$(sed -n 's/^#define FIT_MAX_MBPS[[:space:]]*//p' "$top/tools/mm/placement/bwactl-fit.h")
unit_machines >"$work/unit"
python3 "$tests/fit/model.py" "$judge" machines >"$work/published"
for name in unit published; do
	cut -d : -f 1 "$work/$name" >"$work/$name.sets"
	cut -d : -f 2 "$work/$name" >"$work/$name.weights"
	"$work/weights" kernel <"$work/$name.sets" >"$work/$name.kernel"
done
[ "$(wc -l <"$work/unit")" -eq "$(grep -c '^	{ [0-9]*, {' "$unit")" ]
result $? "the machines of the kernel's unit test are found"
same "the kernel: what its unit test expects" "$work/unit.sets" "$work/unit.weights" "$work/unit.kernel"
same "the model: what the kernel gives the published machines" "$work/published.sets" \
	"$work/published.weights" "$work/published.kernel"

# Larger bandwidths are for the kernel alone: bwactl refuses them, and the kernel
# divides them, as one unit in eight millions does not matter.
{
	awk -v limit="$limit" '{
		for (i = 2; i <= NF; i++)
			if ($i > limit)
				next
		print
	}' "$work/unit.sets"
	unit_ratios
	cat "$work/published.sets"
	random_sets 2
	random_sets 9
} >"$work/sets"
"$work/weights" kernel <"$work/sets" >"$work/kernel"
"$work/weights" bwactl <"$work/sets" >"$work/bwactl"
same 'bwactl: what the kernel gives' "$work/sets" "$work/kernel" "$work/bwactl"

python3 "$tests/fit/model.py" "$judge" sets <"$work/sets" >"$work/model"
same 'the model: what the kernel gives' "$work/sets" "$work/kernel" "$work/model"

# All percentages, and bandwidths up to what bwactl takes, some of them unknown
awk 'BEGIN {
	seed = 5
	for (i = 0; i < 3030; i++) {
		for (j = 0; j < 2; j++) {
			seed = seed * 16807 % 2147483647
			speed[j] = i % 7 == j ? 0 : 1 + int(seed % (i % 3 ? 400000 : 268435456))
		}
		print speed[0], speed[1], i % 101
	}
}' >"$work/mixes"
for who in kernel bwactl; do
	"$work/weights" $who mixed <"$work/mixes" >"$work/$who"
done
awk '{
	read = $1 ? $1 : $2
	write = $2 ? $2 : $1
	exact = read && write ? 100 / ($3 / read + (100 - $3) / write) : 0
	print int(exact + 1e-6)
}' "$work/mixes" >"$work/exact"
same 'reads and writes together: bwactl has what the kernel has' "$work/mixes" "$work/kernel" "$work/bwactl"
same 'reads and writes together: each byte takes its time' "$work/mixes" "$work/exact" "$work/kernel"

echo "1..$count"
[ "$failed" -eq 0 ]
