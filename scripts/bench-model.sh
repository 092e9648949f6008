#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How fast published machines would be with the placement of pages as this kernel makes it: bench-model.sh [-k KERNELDIR].
# Buffers are placed in a virtual machine; scripts/bench-model.py has the model and the machines. Without -k the kernel is built.
# out/bench gets machines.txt and machines.csv.
set -eu
. "$(dirname "$0")/lib.sh"

kernel=''
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) die "usage: bench-model.sh [-k KERNELDIR]" ;;
	esac
done
if [ -z "$kernel" ]; then
	"$TOP/scripts/kernel.sh"
	kernel=$BUILD/kernel/default
fi
"$TOP/scripts/test-selftests.sh" -k "$kernel"
mkdir -p "$BUILD/bench" "$TOP/out/bench"

# Sixteen nodes are enough for every machine. Addresses that do not change give the same pages each time.
place() {
	"$TOP/scripts/vm.sh" -s wide -k "$kernel" -o "$BUILD/bench/model.console" -a ' norandmaps' \
		-r "bench-model $("$TOP/scripts/bench-model.py" plan | tr '\n' ' ')" > "$BUILD/bench/model-placement.txt"
}
step "placing buffers" "$BUILD/log/bench-model.log" place || die "no placement"
"$TOP/scripts/bench-model.py" report "$BUILD/bench/model-placement.txt" "$TOP/out/bench/machines.csv" > "$TOP/out/bench/machines.txt" ||
	die "no figures"
cat "$TOP/out/bench/machines.txt"
