#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the tools' packages with Debian's own tools, from their source package:
# tools.sh DIRECTORY leaves mempolicy-tools_*.deb and mempolicy2-dev_*.deb in DIRECTORY.

set -e
. "$(dirname "$0")/../lib/lib.sh"

out=$1
mkdir -p "$out"
lock deb-tools
work=$BUILD/obj/deb-tools
rm -rf "$work"
"$TOP/scripts/package/source.sh" "$work"

build() {
	cd "$work"/mempolicy-tools-*/ && DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -uc
}
step "building the tools' packages" "$BUILD/log/deb-tools.log" build ||
	die "the tools' packages do not build"
rm -f "$out"/mempolicy-tools_*.deb "$out"/mempolicy2-dev_*.deb
mv "$work"/*.deb "$out"
