#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Promotion of hot pages under known distributions, on this kernel and on the base with nothing but the placement of the slow node
# in a tier of its own (without which the base promotes nothing), as it comes and with the threshold that suits it best:
# bench/tiering/run.sh [-s SECONDS] [-n SEEDS] [-j BOOTS] [-p PEERS] [RUN ...].
# PEERS are further kernels in build/kernel, such as peer-6.12, in one word; RUN is as in scripts/machine/guest/bench-tiering, which is
# measured once for each of SEEDS, 1 without -n. So many boots at a time, 2 without -j; what has been measured is not measured again.
# out/bench gets tiering.txt, tiering.csv and tiering-time.csv.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"

seconds=180 seeds='' jobs=2 peers=''
while getopts s:n:j:p: option; do
	case $option in
	s) seconds=$OPTARG ;;
	n) seeds=$OPTARG ;;
	j) jobs=$OPTARG ;;
	p) peers=$OPTARG ;;
	*) die "usage: bench/tiering/run.sh [-s SECONDS] [-n SEEDS] [-j BOOTS] [-p PEERS] [RUN ...]" ;;
	esac
done
shift $((OPTIND - 1))
judged=$* fair='' once='' thresholds='' limits=''
if [ $# -eq 0 ]; then
	# The distributions, each with several seeds.
	judged="normal:8 zipf:8 groups:8 uniform:8 shifting:8 normal:8:huge"
	# Two programs, of which this kernel has to be fair by itself.
	fair="normal:8:rival=1 normal:8:rival=10"
	# Then once what was added to promotion one by one: everything that is touched, with scans of fast memory and without them, the
	# latency, the limit. (That the threshold finds itself, is this kernel beside the base.) Then four threads, and the periods that
	# users have, with 0.3 touches a second for each page and one, where pages differ by little and by more.
	once="normal:65536:mode=3:threshold=1000000 normal:65536:threshold=1000000 normal:65536 normal:16 normal:8:threads=4 \
		normal:65536:users:scatter:deviation=6:rate=40000 normal:65536:users:scatter:deviation=6:rate=130000 \
		normal:65536:users:scatter:deviation=10:rate=40000 normal:65536:users:scatter:deviation=10:rate=130000"
	# hot_threshold_ms of the base, 1000 as it comes; the one that is best for the first distribution
	thresholds="100 300 1000 3000"
	limits=yes
	: "${seeds:=5}"
fi
: "${seeds:=1}"

"$TOP/scripts/kernel/kernel.sh"
"$TOP/scripts/kernel/selftests.sh"
"$TOP/scripts/kernel/placed.sh"
mkdir -p "$BUILD/bench" "$TOP/out/bench"
cells=$BUILD/bench/tiering
lock bench-tiering

# runs SEEDS OPTIONS: those that are judged, each so often
runs() {
	for run in $judged; do
		seq "$1" | sed "s/^/$run$2:seed=/"
	done
}
# runs_more KERNEL: with one seed, but for what only this kernel is judged by
runs_more() {
	for run in $once; do
		echo "$run:seed=1"
	done
	fairly=1
	[ "$1" != default ] || fairly=$seeds
	for run in $fair; do
		seq "$fairly" | sed "s/^/$run:seed=/"
	done
}
# measure TITLE: what the list says, KERNEL RUN in each line. One processor each, so that some run side by side
measure() {
	step "$1" "$BUILD/log/bench-tiering.log" xargs -a "$cells.list" -P "$jobs" -L 1 "$TOP/scripts/bench/tiering/cell.sh" "$seconds" ||
		die "no figures: what is missing is measured by the same command"
}
# swept THRESHOLD: the run that says how good it is
swept() {
	case $1 in
	1000) echo "normal:8:seed=1" ;;
	*) echo "normal:8:threshold=$1:seed=1" ;;
	esac
}
# shares: THRESHOLD PERCENT, of what any placement could serve
shares() {
	for threshold in $thresholds; do
		sed -n 's/^summary .* share=\([0-9.]*\) best=\([0-9.]*\) .*/\1 \2/p' "$cells/placed/$(swept "$threshold").txt" |
			awk -v threshold="$threshold" '{ printf "%d %.1f\n", threshold, 100 * $1 / $2 }'
	done
}
# collect KERNEL SEEDS OPTIONS: what was measured, under names without these
collect() {
	{
		runs "$2" "$3"
		[ -n "$3" ] || runs_more "$1"
	} | while read -r run; do
		sed "/^run /s/$3:seed=/:seed=/" "$cells/$1/$run.txt"
	done
}

# Where the base is measured at its best, one seed shows it as it comes.
placed_seeds=$seeds
[ -z "$thresholds" ] || placed_seeds=1
for kernel in placed $peers default; do
	often=$seeds
	[ "$kernel" != placed ] || often=$placed_seeds
	{
		runs "$often" ''
		runs_more "$kernel"
	} | sed "s/^/$kernel /"
done > "$cells.list"
for threshold in $thresholds; do
	echo "placed $(swept "$threshold")"
done >> "$cells.list"
# The same cell twice at a time would be measured twice.
sort -u -o "$cells.list" "$cells.list"
measure "tiering on all kernels"
tuned=''
if [ -n "$thresholds" ]; then
	best=$(shares | sort -k 2,2nr | sed -n '1s/ .*//p')
	options=:threshold=$best
	[ "$best" != 1000 ] || options=''
	runs "$seeds" "$options" | sed 's/^/placed /' > "$cells.list"
	measure "tiering on the base, with a threshold of $best ms"
	collect placed "$seeds" "$options" > "$cells-tuned.txt"
	tuned="tuned=$cells-tuned.txt"
fi
collect placed "$placed_seeds" '' > "$cells-placed.txt"
measured="base=$cells-placed.txt $tuned"
for kernel in $peers; do
	collect "$kernel" "$seeds" '' > "$cells-$kernel.txt"
	measured="$measured ${kernel#peer-}=$cells-$kernel.txt"
done
collect default "$seeds" '' > "$cells-default.txt"
status=0
# shellcheck disable=SC2086 # a word for each kernel
"$TOP/scripts/bench/tiering/judge.py" "$TOP/out/bench" $measured "series=$cells-default.txt" > "$TOP/out/bench/tiering.txt" || status=$?
[ -z "$tuned" ] || {
	echo
	echo "Thresholds of the base, ms, and what it reaches with them of normal:8's best, percent; tuned has $best:"
	shares
} >> "$TOP/out/bench/tiering.txt"
cat "$TOP/out/bench/tiering.txt"
[ -n "$limits" ] || exit "$status"

# Limits up to 64 MB/s need a processor that moves as much.
limit_holds() {
	"$TOP/scripts/machine/vm.sh" -s steady -i 2 -o "$BUILD/bench/limits.console" -t 1800 -q 240 -l 600 \
		-r "kselftest memory_promotion_rate" > "$BUILD/bench/limits.txt"
}
step "limits of 8, 16 and 64 MB/s" "$BUILD/log/bench-limits.log" limit_holds || die "a limit does not hold: build/bench/limits.txt"
{
	echo
	echo "Limits, with the fast node full: any 10 s have at most 1.05 times the limit, any second 1.25 times, and 80 % is used:"
	grep '^ok .*\|^not ok\|^# threshold' "$BUILD/bench/limits.txt"
} | tee -a "$TOP/out/bench/tiering.txt"
[ "$status" -eq 0 ]
