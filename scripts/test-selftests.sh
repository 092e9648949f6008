#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the kselftests of build/tree into build/selftests/mm, against the headers of a built kernel.
# usage: test-selftests.sh [-k KERNELDIR]
set -eu
. "$(dirname "$0")/lib.sh"

source=$BUILD/tree/tools/testing/selftests/mm
out=$BUILD/selftests/mm
kernel=$BUILD/kernel/default
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) die "usage: test-selftests.sh [-k KERNELDIR]" ;;
	esac
done
headers=$kernel/usr/include
[ -f "$source/Makefile" ] || die "$source has no Makefile: make tree"
[ -d "$headers" ] || die "$headers is missing: make kernel"

lock selftests
build() {
	make -C "$source" OUTPUT="$out" KHDR_INCLUDES="-isystem $headers" -j "$(nproc)" all
}
# The tests that exist are the ones that lib.mk would run; programs that they call come along.
list() {
	make -s -C "$source" OUTPUT="$out" KHDR_INCLUDES="-isystem $headers" emit_tests |
		sed -n 's/^[^:]*://p' > "$out/kselftest-list"
}
mkdir -p "$out"
find "$source" -name '*.sh' -exec cp -p {} "$out" \;
step "building the kselftests" "$BUILD/log/selftests.log" build ||
	die "the kselftests do not build"
list
[ -s "$out/kselftest-list" ] || die "$source/Makefile names no test"
rm -f "$out/settings"
[ ! -f "$source/settings" ] || cp "$source/settings" "$out/settings"
