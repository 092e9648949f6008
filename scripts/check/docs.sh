#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the parts of the kernel's documentation that the series changes, with
# and without it, and fails on warnings that the base does not have.

set -e
. "$(dirname "$0")/../lib/lib.sh"

need_packages python3-sphinx python3-sphinx-rtd-theme
work=$BUILD/docs
rm -rf "$work"
mkdir -p "$work"

# Of one folder, Sphinx knows documents of others by no name: warnings without those that are about one which exists.
really_new() {
	while IFS= read -r line; do
		document=$(echo "$line" | sed -n "s,.* unknown document: '/\(.*\)'\$,\1,p")
		[ -n "$document" ] && [ -f "$BUILD/tree/Documentation/$document.rst" ] || echo "$line"
	done
}

for dir in $(git -C "$BUILD/tree" diff --name-only refs/series/base refs/series/head -- 'Documentation/*.rst' |
	sed 's,^Documentation/,,; s,/[^/]*$,,' | sort -u); do
	name=$(echo "$dir" | tr / -)
	for source in base tree; do
		# Debian's python3 has the modules, whichever else comes first.
		PATH=/usr/bin:$PATH make -s -C "$BUILD/$source" O="$work/$source" \
			"SPHINXDIRS=$dir" htmldocs >"$work/$name.$source.log" 2>&1 || {
			tail -n 20 "$work/$name.$source.log"
			die "the documentation in $dir of build/$source does not build"
		}
		sed -n "s,^$BUILD/$source/\([^:]*\):[0-9]*:,\1:,p" "$work/$name.$source.log" |
			sort >"$work/$name.$source.warnings"
	done
	comm -13 "$work/$name.base.warnings" "$work/$name.tree.warnings" | really_new
done >"$work/new"
if [ -s "$work/new" ]; then
	cat "$work/new"
	die "the documentation has new warnings"
fi
