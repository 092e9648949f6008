#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Reads the base's patches/series and prints one line a patch ("patch NAME"), each
# followed by the overlay files it brings ("file PATH"), and by "rows" if it
# has the rows of system call tables.  "grown PATH" is a Makefile whose objects
# and tests come with the patches that bring their sources.  Refuses a series
# that does not account for every patch and every overlay file.
#
# In the series a comment of one word behind "#" and two or more spaces names
# an overlay file of the patch above it, or syscall-rows, which lies beside it;
# other comments are prose.

set -e
. "$(dirname "$0")/../lib/lib.sh"

series=$TOP/$PATCHES/series
plan=$(mktemp "$BUILD/.plan.XXXXXX")
trap 'rm -f "$plan" "$plan".*' EXIT
trap 'exit 1' INT TERM

[ -f "$series" ] || series=/dev/null

# An editor's last line may lack its newline; awk does not mind.
awk -v "name=$PATCHES/series" '
function bad(what) {
	printf "%s:%d: %s\n", name, NR, what
	failed = 1
}
/^[ \t]*$/ { next }
/^#(  |\t)/ {
	if (NF != 2)
		bad("\"#\" and two spaces name one overlay file; prose takes one space")
	else if (patch == "")
		bad("overlay file before the first patch: " $2)
	else if ($2 == "syscall-rows")
		print "rows"
	else {
		print "file " $2
		if ($2 ~ /^(mm\/[^\/]*|tools\/testing\/selftests\/mm\/[^\/]*)\/Makefile$/)
			print "grown " $2
	}
	next
}
/^#/ { next }
{
	sub(/[ \t]#.*/, "")
	if (NF > 2 || (NF == 2 && $2 != "-p1"))
		bad("a patch name was expected, with nothing but -p1 behind it")
	patch = $1
	if (patch in seen)
		bad(patch " is listed twice")
	seen[patch] = 1
	print "patch " patch
}
END { exit failed }
' "$series" >"$plan" || die "$(grep -F "$PATCHES/series" "$plan")"

sed -n 's/^patch //p' "$plan" | sort >"$plan.patches"
sed -n 's/^file //p' "$plan" | sort >"$plan.files"

# Every patch of the series has a file, and every patch file is in the series.
(
	cd "$TOP/$PATCHES" 2>/dev/null || exit 0
	find . -name '*.patch' -type f | sed 's,^\./,,' | sort
) >"$plan.found"
name=$(comm -23 "$plan.patches" "$plan.found" | head -n 1)
[ -z "$name" ] || die "$PATCHES/series names $name, which does not exist in $PATCHES/"
name=$(comm -13 "$plan.patches" "$plan.found" | head -n 1)
[ -z "$name" ] || die "$PATCHES/$name is not in $PATCHES/series; list it or remove it"

# Every overlay file has one owner.
name=$(uniq -d "$plan.files" | head -n 1)
[ -z "$name" ] || die "$name belongs to two patches in $PATCHES/series; leave one"
"$TOP/scripts/queue/overlay.sh" | sort >"$plan.overlay"
name=$(uniq -d "$plan.overlay" | head -n 1)
[ -z "$name" ] || die "$name is in the overlay and in bases/$BASE/files; leave one"
name=$(comm -23 "$plan.files" "$plan.overlay" | head -n 1)
[ -z "$name" ] || die "$PATCHES/series lists $name, which does not exist in the overlay"
name=$(comm -13 "$plan.files" "$plan.overlay" | head -n 1)
[ -z "$name" ] || die "$name belongs to no patch; list it in $PATCHES/series below its patch as \"#   $name\""
while read -r name; do
	[ ! -e "$BUILD/base/$name" ] ||
		die "$name would overwrite a file of the base; change that file with a hook patch instead"
done <"$plan.files"

cat "$plan"
