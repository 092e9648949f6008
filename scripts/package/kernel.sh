#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the kernel's packages from OBJECTS/.config: kernel.sh OBJECTS
# leaves linux-image and linux-headers in the directory above OBJECTS, as the
# kernel's own bindeb-pkg does.  What was built is kept.

set -e
. "$(dirname "$0")/../lib/lib.sh"

objects=$1
tree=$BUILD/tree
"$TOP/scripts/package/changelog.sh" >"$objects/changelog"
field() {
	dpkg-parsechangelog -l "$objects/changelog" -S "$1"
}
version=$(field Version)

# The same sources give the same packages, but for the key that signs modules.
SOURCE_DATE_EPOCH=$(field Timestamp)
export SOURCE_DATE_EPOCH
KBUILD_BUILD_TIMESTAMP=$(field Date)
DEBEMAIL=$(field Maintainer)
export DEBEMAIL KBUILD_BUILD_TIMESTAMP KBUILD_BUILD_USER=build KBUILD_BUILD_HOST=localhost
CC=gcc
if command -v ccache >/dev/null; then
	CC='ccache gcc'
	export CCACHE_BASEDIR="$TOP" CCACHE_NOHASHDIR=1
fi

rm -f "$objects"/../linux-*.deb
# bindeb-pkg writes a changelog of its own; the hook puts ours in its place.
step "building the kernel and its packages" "$BUILD/log/deb-kernel.log" \
	make -C "$tree" O="$objects" ARCH=x86_64 LOCALVERSION=-weighted "CC=$CC" \
	KBUILD_BUILD_VERSION="${version##*-}" KDEB_PKGVERSION="$version" \
	KDEB_SOURCENAME="$(field Source)" KDEB_CHANGELOG_DIST="$(field Distribution)" \
	DPKG_FLAGS="--hook-build='cp changelog debian/changelog'" \
	-j"$(nproc)" bindeb-pkg ||
	die "the packages do not build; run it again when the reason is gone, it goes on from there"
# Programs are built with mempolicy2.h, and the distribution's headers stay as they are.
rm -f "$objects"/../linux-libc-dev_*.deb
