#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds every step of the series with NUMA on and off, then its end with
# each option off that the code must do without, for 32 bits and for another
# architecture.  Takes hours.

set -e
. "$(dirname "$0")/lib.sh"

tree=$BUILD/tree

build() {
	title=$1
	shift
	check "$title" "$TOP/scripts/step.sh" "$@"
}

"$TOP/scripts/setup.sh"
"$TOP/scripts/tree.sh"

number=0
for commit in $(git -C "$tree" rev-list --reverse refs/series/base..refs/series/head); do
	number=$((number + 1))
	build "step $number with NUMA" "$commit" numa bzImage
	build "step $number without NUMA" "$commit" uma bzImage NUMA=n
done

head=$(git -C "$tree" rev-parse refs/series/head)
# What selects or needs an option goes with it.
build "without MIGRATION" "$head" variant bzImage MIGRATION=n COMPACTION=n \
	TRANSPARENT_HUGEPAGE=n NUMA_BALANCING=n MEMORY_HOTREMOVE=n
for option in NUMA_BALANCING ACPI_HMAT SYSFS MEMCG CPUSETS TMPFS HUGETLBFS \
	MEMORY_HOTPLUG; do
	build "without $option" "$head" variant bzImage "$option=n"
done

build "32 bits" -a i386 -c i386 "$head" i386 vmlinux
if [ -n "$(missing_packages gcc-aarch64-linux-gnu)" ]; then
	say "arm64: skipped, gcc-aarch64-linux-gnu is not installed"
else
	build "arm64" -a arm64 -c arm64 "$head" arm64 vmlinux
fi

check_summary
