#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints where the busybox for the machines of a configuration is: busybox.sh CONFIG
# For another architecture it is Debian's package of that one, unpacked below build/.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

target "$1"
if [ -z "$compiler" ]; then
	command -v busybox || die "busybox is missing: apt-get install busybox-static"
	exit
fi

dir=$programs/busybox
if [ ! -x "$dir/bin/busybox" ]; then
	# Debian calls its architectures as the kernel does, where we boot one.
	step "fetching busybox for $arch" "$BUILD/log/busybox-$arch.log" "$TOP/scripts/host/fetch-deb.sh" \
		-s "$(. /etc/os-release && echo "$VERSION_CODENAME")" -a "$arch" -d "$dir" busybox-static >&2 ||
		die "busybox for $arch cannot be fetched; see $BUILD/log/busybox-$arch.log"
	dpkg-deb -x "$dir"/busybox-static_*.deb "$dir"
fi
echo "$dir/bin/busybox"
