#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the kselftests of build/tree into build/selftests/mm, for the machines of a configuration, against the headers of its kernel.
# usage: selftests.sh [-c CONFIG]
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

source=$BUILD/tree/tools/testing/selftests/mm/placement
config=default
while getopts c: option; do
	case $option in
	c) config=$OPTARG ;;
	*) die "usage: selftests.sh [-c CONFIG]" ;;
	esac
done
target "$config"
out=$programs/selftests/mm
headers=$BUILD/kernel/$config/usr/include
case $arch in
arm64) compat=arm-linux-gnueabihf- ;;
*) compat= ;;
esac
[ -f "$source/Makefile" ] || die "$source has no Makefile: make tree"
[ -d "$headers" ] || die "$headers is missing: make kernel"

lock selftests
selftests_make() {
	make -C "$source" OUTPUT="$out" KHDR_INCLUDES="-isystem $headers" MACHINE="$arch" CROSS_COMPILE="$compiler" \
		CROSS_COMPILE_COMPAT="$compat" "$@"
}
# The tests that exist are the ones that lib.mk would run; programs that they call come along.
list() {
	selftests_make -s emit_tests |
		sed -n 's/^[^:]*://p' > "$out/kselftest-list"
}
mkdir -p "$out"
find "$source" -name '*.sh' -exec cp -p {} "$out" \;
step "building the kselftests" "$BUILD/log/selftests.log" selftests_make -j "$(nproc)" all ||
	die "the kselftests do not build; run it again when the reason is gone"
list
[ -s "$out/kselftest-list" ] || die "$source/Makefile names no test"
rm -f "$out/settings"
[ ! -f "$source/settings" ] || cp "$source/settings" "$out/settings"
