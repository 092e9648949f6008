#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes DIRECTORY a git repository with one commit: of the kernel in TARBALL
# the files that the series changes or would bring.
# usage: excerpt.sh TARBALL DIRECTORY

set -e
. "$(dirname "$0")/../lib/lib.sh"

tarball=$1
dir=$2
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

rm -rf "$dir"
mkdir -p "$dir"
"$TOP/scripts/queue/plan.sh" >"$dir/.plan"
sed -n "s,^patch ,$TOP/$PATCHES/,p" "$dir/.plan" | xargs sed -n 's,^+++ b/,,p' | sort -u >"$dir/.changed"
sed -n 's/^file //p' "$dir/.plan" >"$dir/.brought"

# The directory that the tarball has everything in
top=$(tar -tf "$tarball" 2>/dev/null | sed -n '1{ s,/.*,,; p; q; }') || top=
[ -n "$top" ] || die "$tarball is no tar archive; fetch it again"
sed "s,^,$top/," "$dir/.changed" "$dir/.brought" >"$dir/.wanted"
# Which of them has system calls is seen when they are there.
! grep -qx rows "$dir/.plan" || printf '%s\n' "$top/arch/*.tbl" "$top/scripts/*.tbl" "$top/tools/*.tbl" >>"$dir/.wanted"
# tar fails, as the files that the series brings are not there.
tar -xf "$tarball" -C "$dir" --strip-components=1 --no-same-owner --wildcards -T "$dir/.wanted" 2>"$dir/.log" || :
while read -r file; do
	[ -e "$dir/$file" ] || die "$tarball has no $file, which the series changes"
done <"$dir/.changed"
while read -r file; do
	[ ! -e "$dir/$file" ] || die "$tarball has a $file already, which the series brings"
done <"$dir/.brought"

cd "$dir"
rm .plan .changed .brought .wanted .log
git init -q -b base
git config user.name base
git config user.email base@localhost
git config core.autocrlf false
git add -A -f
git commit -q -m "$(basename "$tarball")"
