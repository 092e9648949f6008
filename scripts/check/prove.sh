#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Goes through all interleavings of the models in tests/proofs with spin. Each RUN that a model's opening comment lists has to hold, and
# each FAULT has to be found in the RUN that is named with it; both are given to the model as macros.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

# As much memory as a search may take, bytes
MOST=6000000000

work=$BUILD/prove
lock prove
rm -rf "$work"
mkdir -p "$work"

# search MODEL RUN FAULT: all interleavings; what is said of them is left in $work/said
search() {
	: > "$work/said"
	(
		cd "$work" || exit 0
		rm -f pan pan.c
		limited 60 prlimit --as=$MOST spin -a -DRUN="$2" -DFAULT="$3" "$1" > said 2>&1 || exit 0
		cc -O2 -DCOLLAPSE -DSAFETY -o pan pan.c > said 2>&1 || exit 0
		limited 600 prlimit --as=$MOST ./pan -m1000000 > said 2>&1 || echo "ended with status $?" >> said
	) < /dev/null
}

# The mistake that ended the search, if it is one. A model that is too small says nothing of what it is of.
violated() {
	grep -E '^pan:1: (assertion violated|invalid end state) ' "$work/said" | grep -vE '\((fresh|made)<|invalid array index'
}

holds() {
	grep -q 'errors: 0$' "$work/said" && ! grep -qE 'not completed|too small|out of memory|^ended with status|^pan:1: ' "$work/said"
}

states() {
	sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$work/said"
}

# listed MODEL WORD: the numbers and texts of the lines " * WORD number...: text"
listed() {
	sed -n "s/^ \* $2 \([0-9][^:]*\): /\1	/p" "$1"
}

# prove MODEL
prove() {
	name=${1##*/}
	bad=0
	listed "$1" RUN > "$work/runs"
	listed "$1" FAULT > "$work/faults"
	if [ ! -s "$work/runs" ] || [ ! -s "$work/faults" ]; then
		die "$name lists no RUN, or no FAULT"
	fi
	while IFS='	' read -r run text; do
		search "$1" "$run" 0
		if holds; then
			say "$name: holds in $(states) states: $text"
			continue
		elif violated >/dev/null; then
			verdict="does NOT hold"
		else
			verdict="was NOT gone through to the end"
		fi
		cat "$work/said" >&2
		say "$name: $verdict: $text"
		bad=1
	done < "$work/runs"
	while IFS='	' read -r where text; do
		search "$1" "${where##* }" "${where%% *}"
		if reason=$(violated); then
			say "$name: found, $(echo "$reason" | sed 's/^pan:1: assertion violated *//; s/ (at depth.*//'): $text"
		else
			cat "$work/said" >&2
			say "$name: NOT found: $text"
			bad=1
		fi
	done < "$work/faults"
	return $bad
}

need_packages spin gcc libc6-dev
failed=0
for model in "$TOP"/tests/proofs/*.pml; do
	prove "$model" || failed=1
done
exit $failed
