#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints the changelog of the kernel's packages: kernel-changelog beside this, and
# above it an entry for the base when that is another one than the changelog's.
# Versions are those of the base with "+0weighted" and a number: above the
# base's own, below what the distribution makes of it next (+b1, +deb12u1, -3).

set -e
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

changelog=$TOP/scripts/package/kernel-changelog
field() {
	dpkg-parsechangelog -l "$changelog" -S "$1"
}

# A tarball from elsewhere has no revision of Debian's.
base=$(sed -n "s/^name $BASE_PACKAGE \([^ ]*\) .*/\1/p" "$BUILD/base.stamp")
[ -n "$base" ] || base=$(make -s -C "$BUILD/base" kernelversion)-0
last=$(field Version)
if [ "${last%+0weighted*}" != "$base" ]; then
	cat <<-EOF
		$(field Source) ($base+0weighted1) $(field Distribution); urgency=medium

		  * Another base: $(sed -n 's/^name //; s/ (sha256 .*//p' "$BUILD/base.stamp").

		 -- $(field Maintainer)  $(field Date)

	EOF
fi
cat "$changelog"
