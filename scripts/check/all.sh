#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds every step of the series with NUMA on and off, then its end with
# each option off that the code must do without and for other architectures,
# and tests it on one of them.  Takes hours.

set -e
. "$(dirname "$0")/../lib/lib.sh"

tree=$BUILD/tree

build() {
	title=$1
	shift
	check "$title" "$TOP/scripts/kernel/step.sh" "$@"
}

"$TOP/scripts/host/setup.sh"
"$TOP/scripts/queue/tree.sh"

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

check "other architectures" "$TOP/scripts/check/cross.sh"
check "tests on arm64" "$TOP/scripts/test/test.sh" -c arm64

check_summary
