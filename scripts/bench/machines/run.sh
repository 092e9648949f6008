#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How fast published machines would be with the placement of pages as this kernel makes it: bench/machines/run.sh.
# Buffers are placed in a virtual machine; scripts/bench/machines/judge.py has the model and the machines.
# out/bench gets machines.txt and machines.csv.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"

[ $# -eq 0 ] || die "usage: bench/machines/run.sh"
"$TOP/scripts/kernel/kernel.sh"
"$TOP/scripts/kernel/selftests.sh"
mkdir -p "$BUILD/bench" "$TOP/out/bench"

# Sixteen nodes are enough for every machine. Addresses that do not change give the same pages each time.
place() {
	"$TOP/scripts/machine/vm.sh" -s wide -o "$BUILD/bench/model.console" -a ' norandmaps' \
		-r "bench-model $("$TOP/scripts/bench/machines/judge.py" plan | tr '\n' ' ')" > "$BUILD/bench/model-placement.txt"
}
step "placing buffers" "$BUILD/log/bench-model.log" place || die "no placement"
"$TOP/scripts/bench/machines/judge.py" report "$BUILD/bench/model-placement.txt" "$TOP/out/bench/machines.csv" \
	> "$TOP/out/bench/machines.txt" || die "no figures"
cat "$TOP/out/bench/machines.txt"
