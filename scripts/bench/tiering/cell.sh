#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One run of bench-tiering on one kernel, on a machine that is booted for it: bench/tiering/cell.sh SECONDS KERNEL RUN. RUN is as in
# scripts/machine/guest/bench-tiering. What it prints is left in build/bench/tiering/KERNEL/RUN.txt and stays as long as kernel,
# machine, program and time are the same: a bench that was stopped goes on from there.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"

[ $# -eq 3 ] || die "usage: bench/tiering/cell.sh SECONDS KERNEL RUN"
seconds=$1 kernel=$BUILD/kernel/$2 run=$3
out=$BUILD/bench/tiering/$2/$run
mkdir -p "${out%/*}"
key="$seconds $(hash_files "$kernel/bzImage" "$BUILD/selftests/mm/tiering_load" "$TOP/scripts/machine/guest/bench-tiering" \
	"$TOP/scenarios/steady.conf")"
[ "$(cat "$out.key" 2> /dev/null)" != "$key" ] || exit 0
rm -f "$out.key" "$out.txt"
status=0
"$TOP/scripts/machine/vm.sh" -s steady -k "$kernel" -o "$out.console" -t $((900 + seconds * 4)) -r "bench-tiering $seconds $run" \
	< /dev/null > "$out.new" || status=$?
[ "$status" -eq 0 ] || die "$2: $run ended with status $status: ${out#"$TOP"/}.console"
mv "$out.new" "$out.txt"
echo "$key" > "$out.key"
say "$2: $run: $(grep -o 'share=[0-9.]* best=[0-9.]*' "$out.txt")"
