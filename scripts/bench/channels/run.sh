#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# On which memory channel the buffers of a copying program lie, with movable blocks
# and ordered free lists and without: bench/channels/run.sh. out/bench gets channels.txt
# and channels.csv.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"
. "$TOP/scripts/machine/counting/boot.sh"

[ $# -eq 0 ] || die "usage: bench/channels/run.sh"
out=$BUILD/bench/channels
lock bench-channels
rm -rf "$out"
mkdir -p "$out" "$TOP/out/bench"
reason=$(counting_works) || die "$reason"

counting_prepare "$TOP/scripts/bench/channels/channels.c"
for kernel in default-base default; do
	counting_kernel "$kernel"
done

# layout NAME: a row of machines; it has no blank but in its title
layout() {
	row=$(awk -F '\t' -v "name=$1" '$1 == name { print $2, $3, $4, $5, $6 }' "$TOP/scripts/bench/channels/machines")
	read -r machine mib channels one blocks <<-EOF
		$row
	EOF
	nodes=$(printf '%s\n' "$channels" | tr '/' '\n' | wc -l)
	ranges=$(printf '%s\n' "$channels" | tr '/' ',')
}

# boot KERNEL LIST WORK [RUN]: a line for counting_boots. LIST is what the command
# line asks for; the RUN is a word on it, which the random numbers depend on.
boot() {
	words="ranges=$ranges nodes=$nodes run=${4:-1}"
	case $2 in
	general) words="$words movablecore=600M" ;;
	one) words="$words movablecore=$one blocks=$one" ;;
	*blocks*) words="$words movablecore=$blocks blocks=$blocks" ;;
	esac
	case $2 in
	*channels*) words="$words page_alloc.channels=$ranges" ;;
	esac
	case $2 in
	*shuffle*) words="$words page_alloc.shuffle=1" ;;
	esac
	case $3 in
	together) words="$words work=copy touch=together" ;;
	*) words="$words work=$3" ;;
	esac
	guest_kernel=default
	[ "$1" != base ] || guest_kernel=default-base
	echo "$guest_kernel channels $nodes $mib $name-$1-$2-$3-${4:-1} $words"
}

# runs KERNEL LIST WORK COUNT
runs() {
	run=1
	while [ "$run" -le "$4" ]; do
		boot "$1" "$2" "$3" "$run"
		run=$((run + 1))
	done
}

# The longest come first.
plan() {
	case $name in
	published)
		for list in blocks channels+blocks; do
			boot series "$list" churn
		done
		for list in general one blocks blocks+shuffle channels+blocks; do
			boot series "$list" fill
		done
		runs series blocks+shuffle copy 10
		;;
	two)
		for list in plain shuffle channels; do
			boot series "$list" churn
		done
		runs base shuffle copy 3
		;;
	esac
	runs series shuffle copy 10
	[ "$name" = published ] || runs series blocks+shuffle copy 3
	for list in plain general one; do
		boot base "$list" copy
	done
	for list in plain general one blocks channels channels+blocks channels+shuffle; do
		boot series "$list" copy
	done
	for list in plain channels channels+blocks; do
		boot series "$list" together
	done
}

plan_compaction() {
	for list in plain general; do
		boot base "$list" compact
	done
	for list in plain general one blocks channels+blocks; do
		boot series "$list" compact
	done
}

# shellcheck disable=SC2034 # for counting_boots
boots() {
	names=$(sed '/^#/d; s/[[:space:]].*//' "$TOP/scripts/bench/channels/machines")
	for name in $names; do
		layout "$name"
		plan > "$out/plan"
		counting_boots < "$out/plan" || return
	done
	name=published
	layout "$name"
	one_processor=yes
	plan_compaction > "$out/plan"
	counting_boots < "$out/plan"
}
step "looking where memory lies" "$BUILD/log/bench-channels.log" boots ||
	die "a virtual machine did not end its run; its console is in $out"
"$TOP/scripts/bench/channels/judge.py" "$out" "$TOP/out/bench"
