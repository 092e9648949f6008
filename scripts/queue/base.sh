#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Unpacks the pinned base kernel, or the tarball BASE_TARBALL names, in
# build/base.

set -e
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

base=$BUILD/base
stamp=$BUILD/base.stamp

# What is unpacked, in a word; commit 0 of build/tree says it too.
describe() {
	sed -n 's/^name //p' "$stamp"
}

file_key() {
	stat -c '%n %s %Y' "$1"
}

# unpack TARBALL KEY NAME
unpack() {
	rm -rf "$base.new"
	mkdir -p "$base.new"
	if ! step "unpacking $3" "$BUILD/log/base.log" \
		tar -xf "$1" -C "$base.new" --strip-components=1 --no-same-owner; then
		rm -rf "$base.new"
		die "$1 does not unpack: truncated, or not a tar archive; fetch it again"
	fi
	if ! grep -q "^VERSION = ${BASE%.*}\$" "$base.new/Makefile" 2>/dev/null ||
		! grep -q "^PATCHLEVEL = ${BASE#*.}\$" "$base.new/Makefile"; then
		rm -rf "$base.new"
		die "$1 holds no Linux $BASE tree; give a linux-$BASE.y tarball"
	fi
	# Objects of the old base may be younger than the files of the new one.
	rm -rf "$base" "$stamp" "$BUILD/obj"
	mv "$base.new" "$base"
	printf 'key %s\nname %s\n' "$2" "$3" >"$stamp.new"
	mv "$stamp.new" "$stamp"
}

checksum() {
	sha256sum <"$1" | cut -d ' ' -f 1
}

# fetch VERSION: leaves the package's tarball in $tarball, if it can
fetch() {
	tarball=$BUILD/download/usr/src/$BASE_PACKAGE.tar.xz
	"$TOP/scripts/queue/fetch-base.sh" "$1"
}

current() {
	[ -d "$base" ] && [ -f "$stamp" ] &&
		[ "$(sed -n 's/^key //p' "$stamp")" = "$1" ]
}

lock base

if [ -n "${BASE_TARBALL:-}" ]; then
	[ -f "$BASE_TARBALL" ] || die "BASE_TARBALL=$BASE_TARBALL: no such file"
	tarball=$(realpath "$BASE_TARBALL")
	key=$(file_key "$tarball")
	current "$key" ||
		unpack "$tarball" "$key" "$(basename "$tarball") (sha256 $(checksum "$tarball"))"
	exit
fi

key="$BASE_PACKAGE $BASE_VERSION $BASE_SHA256"
pinned="$BASE_PACKAGE $BASE_VERSION (sha256 $BASE_SHA256)"
if current "$key"; then
	[ "$(describe)" = "$pinned" ] ||
		say "the archive has no $BASE_PACKAGE $BASE_VERSION; the base is $(describe)"
	exit
fi

tarball=/usr/src/$BASE_PACKAGE.tar.xz
if [ ! -f "$tarball" ] || [ "$(checksum "$tarball")" != "$BASE_SHA256" ]; then
	tarball=
	if ! fetch "$BASE_VERSION"; then
		newest=$(apt-cache madison "$BASE_PACKAGE" 2>/dev/null |
			awk 'NR == 1 { print $3 }')
		[ -n "$newest" ] || die "no $BASE_PACKAGE in reach; $(by_hand "apt-get update"), or give BASE_TARBALL=linux-$BASE.y.tar.xz"
		say "the archive has no $BASE_PACKAGE $BASE_VERSION; taking $newest, its newest"
		fetch "$newest" ||
			die "$BASE_PACKAGE $newest cannot be fetched; see $BUILD/log/base-fetch.log," \
				"or give BASE_TARBALL=linux-$BASE.y.tar.xz"
		pinned="$BASE_PACKAGE $newest (sha256 $(checksum "$tarball"))"
	elif [ "$(checksum "$tarball")" != "$BASE_SHA256" ]; then
		die "$BASE_PACKAGE $BASE_VERSION has not the tarball that base.conf pins; check BASE_SHA256"
	fi
fi
unpack "$tarball" "$key" "$pinned"
rm -rf "$BUILD/download"
