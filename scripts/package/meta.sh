#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes the package linux-weighted, which is empty and needs those of one build of the
# kernel, and the tools: meta.sh OBJECTS leaves it in the directory above OBJECTS. Where it
# is installed, the next build of another version is taken with it.

set -e
. "$(dirname "$0")/../lib/lib.sh"

objects=$1
release=$(cat "$objects/include/config/kernel.release")
changelog=$objects/changelog
field() {
	dpkg-parsechangelog -l "$changelog" -S "$1"
}
version=$(field Version)
SOURCE_DATE_EPOCH=$(field Timestamp)
export SOURCE_DATE_EPOCH

work=$objects/meta
doc=$work/usr/share/doc/linux-weighted
rm -rf "$work"
mkdir -p "$work/DEBIAN" "$doc"
cat >"$work/DEBIAN/control" <<END
Package: linux-weighted
Version: $version
Architecture: amd64
Maintainer: $(field Maintainer)
Section: metapackages
Priority: optional
Depends: linux-image-$release (= $version), linux-headers-$release (= $version), mempolicy-tools
Description: kernel with weighted interleaving and memory tiering, and its tools
 This package has no files of its own. It depends on the newest kernel with the
 memory policy MPOL_WEIGHTED_INTERLEAVE, weights of programs' own and promotion
 of hot pages, on its headers for modules, and on mpolctl and bwactl.
END
gzip -9nc "$changelog" >"$doc/changelog.Debian.gz"
cp "$TOP/debian/copyright" "$doc/copyright"
chmod -R u=rwX,go=rX "$work"
dpkg-deb --root-owner-group -b "$work" "$objects/../linux-weighted_${version}_amd64.deb" >/dev/null
