#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A checkout that was copied or moved goes on where it was, and keeps what a person has edited in build/tree. It is shown on a small
# checkout, whose base has two files. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"

# tree CHECKOUT: makes its build/tree; leaves $status and the files out and err
tree() {
	status=0
	BASE_TARBALL=$work/base.tar "$1/scripts/queue/tree.sh" > "$work/out" 2> "$work/err" || status=$?
}

# has CHECKOUT TEXT TITLE: its tree was made, and the file of the overlay in it is TEXT
has() {
	tree "$1"
	held=0
	[ $status -eq 0 ] && [ "$(cat "$1/${BUILD#"$TOP"/}/tree/mm/new.c")" = "$2" ] || held=1
	result $held "$3"
}

# The base, and a checkout with a hook and a file of the overlay
mkdir -p "$work/base/mm" "$work/one/$PATCHES" "$work/one/mm"
printf 'VERSION = %s\nPATCHLEVEL = %s\n' "${BASE%.*}" "${BASE#*.}" > "$work/base/Makefile"
printf 'one\ntwo\nthree\n' > "$work/base/mm/old.c"
tar -c -f "$work/base.tar" -C "$work" base
cp -R "$TOP/scripts" "$work/one"
cp "$TOP/bases/$BASE/base.conf" "$work/one/bases/$BASE"
git init -q "$work/one"
printf '/build/\n' > "$work/one/.gitignore"
cat > "$work/one/$PATCHES/0001-mm-two.patch" <<-END
	From: Nobody <nobody@localhost>
	Subject: mm: two

	--- a/mm/old.c
	+++ b/mm/old.c
	@@ -1,3 +1,3 @@
	 one
	-two
	+2
	 three
END
printf '0001-mm-two.patch\n#   mm/new.c\n' > "$work/one/$PATCHES/series"
echo first > "$work/one/mm/new.c"
has "$work/one" first "a checkout makes its tree"

cp -R "$work/one" "$work/copy"
echo second > "$work/copy/mm/new.c"
has "$work/copy" second "a copy makes its tree when the overlay has changed"

cp -R "$work/copy" "$work/touched"
find "$work/touched" -exec touch {} +
sed -i 's/^+2/+zwei/' "$work/touched/$PATCHES/0001-mm-two.patch"
has "$work/touched" second "a copy with other times makes its tree when a hook has changed"
held=0
grep -qx zwei "$work/touched/${BUILD#"$TOP"/}/tree/mm/old.c" || held=1
result $held "the tree has the hook"

mv "$work/one" "$work/moved"
echo third > "$work/moved/mm/new.c"
has "$work/moved" third "a checkout that was moved makes its tree"

# What a person has edited there is nowhere else.
cp -R "$work/moved" "$work/edited"
echo mine > "$work/edited/${BUILD#"$TOP"/}/tree/mm/new.c"
echo fourth > "$work/edited/mm/new.c"
tree "$work/edited"
held=0
[ $status -ne 0 ] && grep -q 'build/tree has uncommitted changes' "$work/err" &&
	[ "$(cat "$work/edited/${BUILD#"$TOP"/}/tree/mm/new.c")" = mine ] || held=1
result $held "an edit in the tree of a copy is refused, and stays"

if [ "$(id -u)" -eq 0 ]; then
	cp -R "$work/moved" "$work/given"
	chown -R nobody "$work/given"
	echo fifth > "$work/given/mm/new.c"
	has "$work/given" fifth "a copy that belongs to somebody else makes its tree"
else
	skip "a copy that belongs to somebody else makes its tree" "needs root"
fi

echo "1..$count"
[ "$failed" -eq 0 ]
