#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the tools' package with Debian's own tools: tools.sh DIRECTORY
# leaves mempolicy-tools_*.deb in DIRECTORY.

set -e
. "$(dirname "$0")/../lib/lib.sh"

out=$1
need_packages build-essential debhelper
mkdir -p "$out"
lock deb-tools
work=$BUILD/obj/deb-tools
rm -rf "$work"
mkdir -p "$work/source"
# A program that was built in place is no source.
(
	cd "$TOP"
	git ls-files -co --exclude-standard -- debian tools/mm/placement | tar -c -T -
) | tar -x -C "$work/source"
"$TOP/scripts/package/changelog.sh" >"$work/source/debian/changelog"

build() {
	cd "$work/source" && DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -uc
}
step "building the tools' package" "$BUILD/log/deb-tools.log" build ||
	die "the tools' package does not build"
rm -f "$out"/mempolicy-tools_*.deb
mv "$work"/mempolicy-tools_*.deb "$out"
