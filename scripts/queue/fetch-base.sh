#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fetches a version of the base's package and leaves its tarball in
# build/download, where it is found again.
# usage: fetch-base.sh VERSION

set -e
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

download=$BUILD/download
fetched=$download/version
[ "$(cat "$fetched" 2>/dev/null)" != "$1" ] || exit 0
rm -rf "$download"
# A machine of another release, or one without security updates, has lists in which it is not.
step "fetching $BASE_PACKAGE $1" "$BUILD/log/base-fetch.log" \
	"$TOP/scripts/host/fetch-deb.sh" -l -s "$BASE_SUITE" -d "$download" "$BASE_PACKAGE=$1"
cd "$download"
step "opening $BASE_PACKAGE $1" "$BUILD/log/base-open.log" \
	dpkg-deb -x "$BASE_PACKAGE"_*.deb .
rm "$BASE_PACKAGE"_*.deb
[ -f "usr/src/$BASE_PACKAGE.tar.xz" ]
printf '%s\n' "$1" >"$fetched"
