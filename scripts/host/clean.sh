#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Removes build/, unless build/tree holds work that exists nowhere else.

set -e
. "$(dirname "$0")/../lib/lib.sh"

tree=$BUILD/tree
if [ -d "$tree/.git" ]; then
	git -C "$tree" update-index -q --refresh >/dev/null || :
	if ! git -C "$tree" diff-index --quiet HEAD -- ||
		[ "$(git -C "$tree" rev-parse HEAD)" != "$(git -C "$tree" rev-parse refs/series/head)" ] ||
		[ -n "$(git -C "$tree" ls-files -o | head -n 1)" ]; then
		die "build/tree has edits; write them back with make refresh, or remove build/ by hand"
	fi
fi
rm -rf "$BUILD"
