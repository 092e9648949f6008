#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints Debian's own configuration of the base for amd64, which is in a
# package beside the sources, of the same version; the newest for a base that
# is not Debian's, or that the archive has the sources of alone.

set -e
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

package=$BASE_CONFIG_PACKAGE
version=$(sed -n "s/^name $BASE_PACKAGE \([^ ]*\) .*/\1/p" "$BUILD/base.stamp")
dir=$BUILD/$package${version:+-$version}
config=$dir/usr/src/$package/config.amd64_none_amd64.xz

log=$BUILD/log/$package.log

# fetch [VERSION]: the newest without
fetch() {
	"$TOP/scripts/host/fetch-deb.sh" -l -s "$BASE_SUITE" -d "$dir" "$package${1:+=$1}" &&
		cd "$dir" && dpkg-deb -x "$package"_*.deb .
}

if [ ! -f "$config" ] && ! (fetch "$version") >"$log" 2>&1; then
	# An update takes the place of this package, and leaves older sources.
	if [ -z "$version" ] || ! (fetch) >"$log" 2>&1; then
		die "$package${version:+ $version} cannot be fetched: $(grep '^E:' "$log" | tail -n 1);" \
			"run apt-get update, or give CONFIG=/boot/config-$(uname -r)"
	fi
	newest=$(cd "$dir" && echo "$package"_*.deb)
	newest=${newest#"${package}_"}
	echo "$package $version is not in the archive any more: taken from ${newest%%_*}" >&2
fi
xz -dc "$config"
