#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Promotion of hot pages under known distributions, on this kernel and on the base with nothing but the placement of the slow node
# in a tier of its own (without which the base promotes nothing): bench/tiering/run.sh [-s SECONDS] [-p PEERS] [RUN ...].
# PEERS are further kernels in build/kernel, such as peer-6.12, in one word; RUN is as in scripts/machine/guest/bench-tiering.
# out/bench gets tiering.txt, tiering.csv and tiering-time.csv.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"

seconds=180
peers=''
while getopts s:p: option; do
	case $option in
	s) seconds=$OPTARG ;;
	p) peers=$OPTARG ;;
	*) die "usage: bench/tiering/run.sh [-s SECONDS] [-p PEERS] [RUN ...]" ;;
	esac
done
shift $((OPTIND - 1))
limits=''
if [ $# -eq 0 ]; then
	# The distributions; then what was added to promotion one by one: everything that is touched, with scans of fast memory and
	# without them, the latency, the limit. (That the threshold finds itself, is this kernel beside the base.) Then the periods that
	# users have, with 0.3 touches a second for each page and one, where pages differ by little and by more.
	set -- normal:8 zipf:8 groups:8 uniform:8 shifting:8 normal:8:huge \
		normal:65536:mode=3:threshold=1000000 normal:65536:threshold=1000000 normal:65536 normal:16 \
		normal:65536:users:scatter:deviation=6:rate=40000 normal:65536:users:scatter:deviation=6:rate=130000 \
		normal:65536:users:scatter:deviation=10:rate=40000 normal:65536:users:scatter:deviation=10:rate=130000
	limits=yes
fi

"$TOP/scripts/kernel/kernel.sh"
"$TOP/scripts/kernel/selftests.sh"
"$TOP/scripts/kernel/placed.sh"
mkdir -p "$BUILD/bench" "$TOP/out/bench"

# One processor each, so the kernels run side by side.
vm() {
	"$TOP/scripts/machine/vm.sh" -s steady "$@"
}
measure() {
	kernel=$1
	shift
	vm -k "$BUILD/kernel/$kernel" -o "$BUILD/bench/tiering-$kernel.console" -t $((900 + $# * seconds * 4)) \
		-r "bench-tiering $seconds $*" > "$BUILD/bench/tiering-$kernel.txt"
}
all() {
	waited=''
	for kernel in placed $peers default; do
		measure "$kernel" "$@" &
		waited="$waited $!"
	done
	status=0
	for pid in $waited; do
		wait "$pid" || status=$?
	done
	return "$status"
}
step "tiering on all kernels" "$BUILD/log/bench-tiering.log" all "$@" || die "no figures"
measured="base=$BUILD/bench/tiering-placed.txt"
for kernel in $peers; do
	measured="$measured ${kernel#peer-}=$BUILD/bench/tiering-$kernel.txt"
done
status=0
# shellcheck disable=SC2086 # a word for each kernel
"$TOP/scripts/bench/tiering/judge.py" "$TOP/out/bench" $measured "series=$BUILD/bench/tiering-default.txt" \
	> "$TOP/out/bench/tiering.txt" || status=$?
cat "$TOP/out/bench/tiering.txt"
[ -n "$limits" ] || exit "$status"

# Limits up to 64 MB/s need a processor that moves as much.
limit_holds() {
	vm -i 2 -o "$BUILD/bench/limits.console" -t 1800 -q 240 -l 600 -r "kselftest memory_promotion_rate" > "$BUILD/bench/limits.txt"
}
step "limits of 8, 16 and 64 MB/s" "$BUILD/log/bench-limits.log" limit_holds || die "a limit does not hold: build/bench/limits.txt"
{
	echo
	echo "Limits, with the fast node full: any 10 s have at most 1.05 times the limit, any second 1.25 times, and 80 % is used:"
	grep '^ok .*\|^not ok\|^# threshold' "$BUILD/bench/limits.txt"
} | tee -a "$TOP/out/bench/tiering.txt"
[ "$status" -eq 0 ]
