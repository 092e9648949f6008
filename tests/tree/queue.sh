#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# build/tree is made from hooks, files of the overlay and lists, one commit a patch, and make refresh writes edits of it back to them. It is
# shown on a small checkout with two bases. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"

one=$work/one
row='common	set_mempolicy_home_node	sys_set_mempolicy_home_node'

# base VERSION: a tarball of it
base() {
	mkdir -p "$work/$1/mm" "$work/$1/arch/alpha" "$work/$1/arch/s390" "$work/$1/tools/perf"
	printf 'VERSION = %s\nPATCHLEVEL = %s\n' "${1%.*}" "${1#*.}" > "$work/$1/Makefile"
	printf 'one\ntwo\nthree\n' > "$work/$1/mm/old.c"
	printf '560\t%s\n' "$row" > "$work/$1/arch/alpha/syscall.tbl"
	printf '450\t%s\tsys_set_mempolicy_home_node\n' "$row" > "$work/$1/arch/s390/syscall.tbl"
	printf '450\t%s\n' "$row" > "$work/$1/tools/perf/syscall_n64.tbl"
	tar -c -f "$work/$1.tar" -C "$work" "$1"
}

# run SCRIPT VERSION: of the queue of the small checkout; leaves $status and the files out and err
run() {
	status=0
	BASE=$2 BASE_TARBALL=$work/$2.tar "$one/scripts/queue/$1.sh" > "$work/out" 2> "$work/err" || status=$?
}

# holds TITLE COMMAND...
holds() {
	title=$1
	shift
	held=0
	"$@" || held=1
	result $held "$title"
}

# file COMMIT PATH: as that commit of build/tree has it
file() {
	git -C "$one/build/tree" show "$1:$2"
}

same() {
	[ "$1" = "$2" ] || {
		printf '%s\n' "$1" | sed 's/^/# is:     /'
		printf '%s\n' "$2" | sed 's/^/# wanted: /'
		false
	}
}

sums() {
	(cd "$one" && find bases mm -type f -exec sha256sum {} + | sort)
}

base 6.1
base 7.2
mkdir -p "$one/bases/6.1/patches" "$one/bases/7.2/patches" "$one/mm/room/tests"
cp -R "$TOP/scripts" "$one"
printf 'BASE_PACKAGE=none\nBASE_VERSION=0\nBASE_SHA256=0\n' | tee "$one/bases/6.1/base.conf" > "$one/bases/7.2/base.conf"
git init -q "$one"
printf '/build/\n' > "$one/.gitignore"
# shellcheck disable=SC2016 # make expands it
printf '# the first line\n\nobj-y += a.o b.o\nobj-$(CONFIG_TEST) += tests/b_test.o\n' > "$one/mm/room/Makefile"
for source in a b tests/b_test; do
	echo "$source" > "$one/mm/room/$source.c"
done
cd "$one/bases/6.1/patches"
cat > 0001-mm-two.patch <<-END
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
printf 'From: Nobody <nobody@localhost>\nSubject: mm: b\n' > 0002-mm-b.patch
cat > series <<-END
	0001-mm-two.patch
	#   mm/room/Makefile
	#   mm/room/a.c
	0002-mm-b.patch
	#   mm/room/b.c
	#   mm/room/tests/b_test.c
	#   syscall-rows
END
printf '450 set_mempolicy_home_node\n600 set_mempolicy2\n601 mbind2\n' > syscall-rows
cp ./* ../../7.2/patches
sed -i 's/^+2/+II/' ../../7.2/patches/0001-mm-two.patch
cd "$work"

run tree 6.1
holds "the tree is made" [ $status -eq 0 ]
holds "a hook is applied" same "$(file HEAD mm/old.c | sed -n 2p)" 2
holds "a Makefile has the objects whose sources are there" same "$(file HEAD~1 mm/room/Makefile)" '# the first line

obj-y += a.o'
holds "the last commit has the Makefile as it is" same "$(file HEAD mm/room/Makefile)" "$(cat "$one/mm/room/Makefile")"
holds "no table has rows before their patch" same "$(file HEAD~1 arch/alpha/syscall.tbl)" "560	$row"
holds "a table has the calls at its own distance" same "$(file HEAD arch/alpha/syscall.tbl | sed 1d | tr -s '\t' ' ')" \
	'710 common set_mempolicy2 sys_set_mempolicy2
711 common mbind2 sys_mbind2'
holds "a table with two entries has both" same "$(file HEAD arch/s390/syscall.tbl | sed -n 3p | tr -s '\t' ' ')" \
	'601 common mbind2 sys_mbind2 sys_mbind2'
holds "rows for n64 say so" same "$(file HEAD tools/perf/syscall_n64.tbl | sed -n 2p | tr -s '\t' ' ')" \
	'600 n64 set_mempolicy2 sys_set_mempolicy2'

before=$(sums)
run refresh 6.1
holds "refresh without edits succeeds" [ $status -eq 0 ]
holds "and changes nothing" same "$(sums)" "$before"

(
	cd "$one/build/tree"
	echo 'obj-y += c.o' >> mm/room/Makefile
	echo c > mm/room/c.c
	sed -i 's/three/drei/' mm/old.c
	git add -f mm/room/c.c
	git -c user.name=Nobody -c user.email=nobody@localhost commit -q -a --amend --no-edit
)
run refresh 6.1
holds "an edited commit is written back" [ $status -eq 0 ]
holds "its hook is in the patch" grep -qx +drei "$one/bases/6.1/patches/0002-mm-b.patch"
holds "the rows of tables are not" [ -z "$(grep syscall "$one/bases/6.1/patches/0002-mm-b.patch")" ]
holds "its line of the Makefile is in the overlay" grep -qx 'obj-y += c.o' "$one/mm/room/Makefile"
holds "its new file is listed" grep -qx '#   mm/room/c.c' "$one/bases/6.1/patches/series"

sed -i '/room.c.c/d' "$one/bases/6.1/patches/series"
run tree 6.1
holds "a file that no patch brings is refused" grep -q 'mm/room/c.c belongs to no patch' "$work/err"

rm "$one/mm/room/c.c"
sed -i '/c\.o/d' "$one/mm/room/Makefile"
mkdir -p "$one/bases/7.2/files/mm/room"
echo 'of 7.2' > "$one/bases/7.2/files/mm/room/own.h"
sed -i '/room.b\.c/i\#   mm/room/own.h' "$one/bases/7.2/patches/series"
# Of the other base, in a Makefile that both have
mkdir -p "$one/bases/6.1/files/mm/room"
echo 'of 6.1' > "$one/bases/6.1/files/mm/room/only.c"
sed -i '/room.b\.c/i\#   mm/room/only.c' "$one/bases/6.1/patches/series"
echo 'obj-y += only.o' >> "$one/mm/room/Makefile"
run tree 7.2
holds "another base is another directory" [ $status -eq 0 ]
holds "with hooks of its own" same "$(git -C "$one/build/7.2/tree" show HEAD:mm/old.c | sed -n 2p)" II
holds "and files of its own" same "$(git -C "$one/build/7.2/tree" show HEAD:mm/room/own.h)" 'of 7.2'
(
	cd "$one/build/7.2/tree"
	echo refreshed > mm/room/own.h
	git -c user.name=Nobody -c user.email=nobody@localhost commit -q -a --amend --no-edit
)
run refresh 7.2
holds "an edit of these is written back to the base" same "$(cat "$one/bases/7.2/files/mm/room/own.h")" refreshed
holds "and to no other" [ ! -e "$one/mm/room/own.h" ]
holds "a Makefile keeps what another base has the source of" grep -qx 'obj-y += only.o' "$one/mm/room/Makefile"
echo own > "$one/mm/room/own.h"
run tree 7.2
holds "a file of all bases and of one is refused" grep -q 'mm/room/own.h is in the overlay and in bases/7.2/files' "$work/err"
rm "$one/mm/room/own.h"
run tree 6.1
holds "another base does not see them" [ $status -eq 0 ]
holds "and has its own" same "$(file HEAD mm/room/Makefile | tail -n 1)" 'obj-y += only.o'
run tree 8.0
holds "a base that does not exist is refused with those that do" grep -q 'no bases/8.0; there are: 6.1' "$work/err"

echo "1..$count"
[ "$failed" -eq 0 ]
