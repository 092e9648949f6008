#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Unpacks another kernel of Debian's archive, to measure beside this one:
# peer.sh VERSION, such as 6.12, leaves linux-source-VERSION in
# build/peer-VERSION. The newest of that version in the archive is taken, and
# kept until make clean.

set -e
. "$(dirname "$0")/../lib/lib.sh"

version=${1:-}
case $version in
[0-9]*.[0-9]*) ;;
*) die "usage: peer.sh VERSION, such as 6.12" ;;
esac
package=linux-source-$version
peer=$BUILD/peer-$version

lock "peer-$version"
[ ! -f "$peer.stamp" ] || exit 0
newest() {
	apt-cache madison "$package" 2>/dev/null | awk 'NR == 1 { print $3 }'
}
found=$(newest)
if [ -z "$found" ] && as_root true 2>/dev/null; then
	update_lists
	found=$(newest)
fi
[ -n "$found" ] || die "the archive has no $package; PEERS= takes versions of linux-source packages, such as 6.12"
rm -rf "$peer" "$peer.package"
mkdir -p "$peer.package"
fetch() {
	cd "$peer.package"
	apt-get download "$package=$found"
	dpkg-deb -x "$package"_*.deb .
	mkdir "$peer.new"
	tar -xf "usr/src/$package.tar.xz" -C "$peer.new" --strip-components=1 --no-same-owner
}
rm -rf "$peer.new"
step "fetching $package $found" "$BUILD/log/peer-$version.log" fetch || die "$package cannot be fetched and unpacked"
mv "$peer.new" "$peer"
rm -rf "$peer.package"
echo "$package $found" >"$peer.stamp"
