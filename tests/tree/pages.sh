#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The pages that strangers begin with: what they link to and name is there, each target of make that they have exists and make help
# has it, the README is short, pictures are those of the data, programs compile, the tools' version is one. Prints TAP.
# usage: pages.sh [DIRECTORY], another checkout
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"
checkout=${1:-$TOP}
status=0
: > "$work/err"
cd "$checkout"
pages="README.md CONTRIBUTING.md $(find Documentation -name '*.md' | sort | tr '\n' ' ')"

# told NAME: nothing was found wrong, or what was is shown
told() {
	held=0
	[ ! -s "$work/out" ] || held=1
	result $held "$1"
}

for page in $pages; do
	grep -oE '\]\([^)]*\)' "$page" | sed 's/^](//; s/)$//' | while read -r link; do
		case $link in
		http*) ;;
		'#'*) sed -n 's/^##* //p' "$page" | tr 'A-Z ' 'a-z-' | grep -qx -- "${link#?}" || echo "$page: $link" ;;
		*) [ -e "$(dirname "$page")/${link%#*}" ] || echo "$page: $link" ;;
		esac
	done
done > "$work/out"
told "what the pages link to is there"

# Names with capitals or * in them stand for others, so do those of what a reader makes.
ours='bases|scenarios|scripts|tests|tools|Documentation|mm/(interleave|tiering|mempolicy2|automigrate|movable_blocks)'
for page in $pages; do
	grep -oE "(^|[ \`(])($ours)/[^] \`,;:()<\"]*" "$page" | sed -E 's/^[ `(]//; s/\.$//' |
		grep -vE '/.*[A-Z*]|mine|/(mpolctl|bwactl)$|/new\.c$|^bases/6\.12|^Documentation/process' | while read -r name; do
		[ -e "$name" ] || echo "$page: $name"
	done
done > "$work/out"
told "files that the pages name are there"

sed -n 's/^\([a-z0-9-]*\):.*/\1/p' Makefile | sort -u > "$work/targets"
for page in $pages; do
	{
		grep -oE '`make [a-z][a-z0-9-]*' "$page" | sed 's/^`//'
		grep -oE '^(ONLY=("[^"]*"|[^ ]*) |TESTS=[^ ]* )*make [a-z][a-z0-9-]*' "$page" | sed 's/.*make /make /'
	} | sed 's/^make //' | sort -u | comm -23 - "$work/targets" | sed "s,^,$page: make ,"
done > "$work/out"
told "targets of make that the pages name are there"

sed -n "s/^	@echo 'make \([a-z0-9-]*\) .*/\1/p" Makefile | sort -u > "$work/help"
comm -23 "$work/targets" "$work/help" | grep -vx help > "$work/out" || :
told "make help has every target"

{ [ "$(wc -l < README.md)" -le 180 ] || wc -l README.md; } > "$work/out"
told "the README has at most 180 lines"

scripts/bench/pictures.py "$work/pictures"
diff -r "$work/pictures" Documentation/pictures > "$work/out" || :
told "pictures are what make pictures draws"

for page in $pages; do
	grep -nE '!\[.{0,19}\]\(' "$page" | sed "s,^,$page:," || :
done > "$work/out"
told "each picture has its text"

# numaif.h of libnuma, as far as it is used here, for hosts without
echo 'long set_mempolicy(int mode, const unsigned long *nodes, unsigned long bits);' > "$work/numaif.h"
awk -v work="$work" '/^```c$/ { file = work "/" ++n ".c"; next } /^```/ { file = ""; next } file { print > file }' Documentation/programs.md
for file in "$work"/*.c; do
	gcc -Wall -Wextra -Werror -I "$work" -I tools/mm/placement -c -o "$work/o" "$file" >> "$work/out" 2>&1 ||
		echo "$file" >> "$work/out"
done
[ -e "$work/2.c" ] || echo "fewer than two" >> "$work/out"
told "programs of programs.md compile"

# STREAM's arrays are larger than what the compiler's usual addresses reach.
echo 'static volatile double a[STREAM_ARRAY_SIZE], b[STREAM_ARRAY_SIZE], c[STREAM_ARRAY_SIZE];
	int main(int n, char **v) { c[n] = a[n] + b[n]; return c[n] > **v; }' > "$work/stream.c"
sed -n 's/^	\$ \(gcc .*stream.*\)/\1/p' Documentation/admin-guide/mm/interleave-weights.rst > "$work/command"
[ -s "$work/command" ] || echo "no command" > "$work/command"
(cd "$work" && sh ./command) > "$work/out" 2>&1 && [ -x "$work/stream" ] && : > "$work/out"
told "the command of interleave-weights.rst links STREAM"

# Those of the RPM packages, of what the tools print, and of the commands that name a file with it
version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)
{
	sed -n 's/^#define VERSION[[:space:]]*"\(.*\)".*/\1/p' tools/mm/placement/common.h
	sed -n 's/^Version: *//p; /^%changelog/,$s/^\* .* - \(.*\)-.*/\1/p' scripts/package/mempolicy-tools.spec
	grep -ohE 'mempolicy-tools[-_][0-9]+(\.[0-9]+)*' scripts/package/mempolicy-tools.spec Documentation/*.md | sed 's/.*[-_]//'
} > "$work/versions"
{ [ "$(wc -l < "$work/versions")" -ge 6 ] || wc -l "$work/versions"; grep -vxF -- "$version" "$work/versions"; } > "$work/out" || :
told "the tools have one version"

echo "1..$count"
[ "$failed" -eq 0 ]
