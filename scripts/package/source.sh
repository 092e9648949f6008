#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes the source package of the tools: source.sh DIRECTORY leaves mempolicy-tools_*.dsc, the
# tarballs that it names, and the unpacked sources in DIRECTORY. The same files give the same
# tarballs, whoever makes them. An RPM is built from the first one:
#	rpmbuild -ta DIRECTORY/mempolicy-tools_*.orig.tar.xz

set -e
. "$(dirname "$0")/../lib/lib.sh"

out=$1
need_packages build-essential debhelper
field() {
	dpkg-parsechangelog -l "$TOP/debian/changelog" -S "$1"
}
name=$(field Source)
version=$(field Version)
upstream=${version%-*}
tree=$name-$upstream

lock tools-source
umask 022
rm -rf "${out:?}/$tree" "$out/${name}_"*.dsc "$out/${name}_"*.tar.*
mkdir -p "$out"
# A program that was built in place is no source: git ignores it. What 6.1 does not describe itself belongs to the guides.
(
	cd "$TOP"
	git ls-files -co --exclude-standard -- tools/mm/placement 'Documentation/*.md' Documentation/pictures \
		Documentation/admin-guide/mm Documentation/ABI bases/6.1/files/Documentation/ABI \
		Documentation/mm/memory-placement-figures.rst LICENSES scripts/package/mempolicy-tools.spec |
		LC_ALL=C sort | tar -c -T - --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
			--mtime="@$(field Timestamp)" --transform="s|^bases/6.1/files/||" --transform="s|^|$tree/|"
) | xz -6 -T 1 >"$out/${name}_$upstream.orig.tar.xz"
tar -x -C "$out" -f "$out/${name}_$upstream.orig.tar.xz"
cp -R "$TOP/debian" "$out/$tree/debian"

build() {
	cd "$out/$tree" && dpkg-buildpackage -S -us -uc
}
step "making the tools' source package" "$BUILD/log/tools-source.log" build ||
	die "the tools' source package cannot be made"
