#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Compiles the objects that the series touches with W=1 and sparse, the
# base's own ones also without the series, and fails on warnings that the
# base does not have.  One of them is a stack frame above 1 KiB, where there
# may be 1024 nodes: scenarios/configs/users.config.

set -e
. "$(dirname "$0")/../lib/lib.sh"

tree=$BUILD/tree
work=$BUILD/analyse

rm -rf "$work"
mkdir -p "$work"

# unit FILE: the file that is compiled: the scheduler's are parts of others, which include them
unit() {
	includes=$(cd "$tree/${1%/*}" && grep -lx "# *include \"${1##*/}\"" -- *.c | head -n 1)
	printf '%s\n' "${1%/*}/${includes:-${1##*/}}"
}

# C files of this architecture; other ones need their own compiler.
git -C "$tree" diff --no-renames --name-only --diff-filter=AM \
	refs/series/base refs/series/head -- '*.c' |
	grep -E '^(mm|kernel|fs|lib|init|ipc|block|drivers|security|arch/x86)/' |
	while read -r file; do
		unit "$file"
	done | sort -u | sed 's/\.c$/.o/' >"$work/tree.objects" || :
while read -r object; do
	[ ! -f "$BUILD/base/${object%.o}.c" ] || printf '%s\n' "$object"
done <"$work/tree.objects" >"$work/base.objects"

# analyse NAME: leaves the warnings of build/NAME in $work/NAME.warnings, free
# of line numbers and of where the sources lie
analyse() {
	source=$BUILD/$1
	objects=$BUILD/obj/analyse-$1
	log=$work/$1.log
	: >"$work/$1.warnings"
	[ -s "$work/$1.objects" ] || return 0
	mkdir -p "$objects"
	# All files that the series touches, beside what distributions switch on
	# What is given is looked at: whether it holds in the end
	"$TOP/scripts/kernel/config.sh" -p "$source" "$objects" users WERROR=n \
		MAXSMP=y NODES_SHIFT=10 FRAME_WARN=1024
	make -s -C "$source" O="$objects" ARCH=x86_64 -j"$(nproc)" prepare
	(cd "$objects" && xargs rm -f) <"$work/$1.objects"
	xargs make -s -k -C "$source" O="$objects" ARCH=x86_64 -j"$(nproc)" \
		W=1 C=2 <"$work/$1.objects" >"$log" 2>&1 || {
		cat "$log"
		die "objects of build/$1 do not compile"
	}
	grep -E '(warning|error):' "$log" |
		sed "s,^$source/,,; s,^\(\.\./\)*$1/,,; s/^\([^:]*\):[0-9]*:\([0-9]*:\)*/\1:/" |
		sort -u >"$work/$1.warnings" || :
}

analyse base
analyse tree
comm -13 "$work/base.warnings" "$work/tree.warnings" >"$work/new"
if [ -s "$work/new" ]; then
	cat "$work/new"
	die "the series adds warnings; the lines are in $work/tree.log"
fi
say "$(wc -l <"$work/tree.objects") objects, no warning that the base does not have"
