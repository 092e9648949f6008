#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs Debian's numactl in the virtual machine: 12's must keep working, 13's must be able to use the new policy.
# The packages come with apt's own tools, out of lists of their own, and are unpacked into the machine's image only. Prints TAP.
# usage: numactl.sh [-k KERNELDIR] [-x SLOWDOWN]
set -eu
. "$(dirname "$0")/../lib/lib.sh"

kernel=$BUILD/kernel/default slowdown=1
while getopts k:x: option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	*) die "usage: numactl.sh [-k KERNELDIR] [-x SLOWDOWN]" ;;
	esac
done
top=$BUILD/numactl
mkdir -p "$top"

# The packages of SUITE, reduced to the program, its libraries and the loader in one directory.
unpack() {
	dir=$top/$1
	rm -rf "$dir/root"
	mkdir -p "$dir/root"
	for package in "$dir"/packages/*.deb; do
		dpkg-deb -x "$package" "$dir/unpacked"
	done
	for path in /bin/numactl /libnuma.so.1 /libc.so.6 /x86_64-linux-gnu/ld-linux-x86-64.so.2; do
		found=$(find "$dir/unpacked" -path "*$path" | head -n 1)
		[ -n "$found" ] || die "the packages of $1 in $dir/packages have no $path"
		cp -L "$found" "$dir/root/"
	done
	dpkg-deb -f "$dir"/packages/numactl_*.deb Version > "$dir/root/version"
	rm -rf "$dir/unpacked"
	touch "$dir/complete"
}

# What the documentation says to type
"$TOP/tests/tree/commands.py" --place numactl > "$top/typed"
files="$top/typed:/etc/typed"
for suite in bookworm trixie; do
	if [ ! -f "$top/$suite/complete" ]; then
		echo "# fetching numactl of $suite, log $top/$suite.log"
		"$TOP/scripts/host/fetch-deb.sh" -s "$suite" -d "$top/$suite/packages" numactl libnuma1 libc6 > "$top/$suite.log" 2>&1 || {
			echo "# $suite: $(grep -E '^([EW]|error):' "$top/$suite.log" | tail -n 1)"
			continue
		}
		unpack "$suite"
	fi
	files="$files $top/$suite/root:/opt/$suite"
done

status=0
"$TOP/scripts/machine/vm.sh" -s cxl2 -k "$kernel" -o "$BUILD/vm/numactl.console.log" \
	-t $((600 * slowdown)) -f "$files" -r numactl-test || status=$?
"$TOP/scripts/test/verdict.sh" "$top/judged" numactl --console "$BUILD/vm/numactl.console.log" > /dev/null || :
sed -n 's/^FAIL: /Bail out! /p' "$top/judged/verdict"
exit $status
