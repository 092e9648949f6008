#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the manual pages: they format without a warning, and their programs
# compile as C and C++ and run. Prints TAP.
# Usage: man-pages.sh [DIRECTORY], which holds mempolicy2.h and man/

tools=${1:-$(dirname "$0")/../../tools/mm/placement}
cc=${CC:-gcc}
cxx=${CXX:-g++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
echo "TAP version 13"
count=0
failed=0

result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $count - $2"
	sed 's/^/# /' "$work/log"
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

test_format() {
	if command -v groff >/dev/null; then
		groff -ww -man -z -Tutf8 "$1" >"$work/log" 2>&1
		[ ! -s "$work/log" ]
		result $? "${1##*/} formats without a warning"
	else
		skip "${1##*/} formats without a warning" 'groff is not installed'
	fi
}

# The program prints numbers, or says that this kernel lacks the call.
test_program() {
	program=$work/$2
	"$(dirname "$0")/man-program.sh" "$1" >"$program.c"
	"$cc" -Wall -Wextra -Werror -I"$tools" -o "$program" "$program.c" >"$work/log" 2>&1
	result $? "$2.c compiles"
	status=0
	"$program" >"$work/log" 2>&1 || status=$?
	if [ "$status" -eq 0 ]; then
		grep -q "$3" "$work/log"
	else
		[ "$status" -eq 1 ] &&
			grep -Eq "$2: (Function not impl|Operation not perm)" "$work/log"
	fi
	result $? "$2.c runs, or says that the call is not there"
}

# test_header LANGUAGE BEFORE AFTER COMPILER...: headers around ours
test_header() {
	language=$1
	before=$2
	after=$3
	shift 3
	printf '%s\n#include "mempolicy2.h"\n%s\n%s\n' "${before:+#include <$before>}" \
		"${after:+#include <$after>}" \
		'int size[sizeof(struct mpol_param) == MPOL_PARAM_SIZE_VER0 ? 1 : -1];
		int mode[MPOL_WEIGHTED_INTERLEAVE == 6 ? 1 : -1];
		int flag[MPOL_F_STATIC_NODES == 1 << 15 && MPOL_F_OWN_WEIGHTS == 8 ? 1 : -1];
		int move[MPOL_MF_MOVE == 2 && MPOL_MF_LAZY == 8 && MPOL_MF_HOME_NODE == 16 ? 1 : -1];' \
		>"$work/header"
	"$@" -x "$language" -Wall -Wextra -Werror -I"$tools" -I"$work" -c -o "$work/header.o" \
		"$work/header" >"$work/log" 2>&1
	result $? "mempolicy2.h after <$before>, before <$after>: $*"
}

for page in "$tools"/man/*.[128]; do
	# Another name of a page is one line, which man resolves.
	other=$(sed -n 's,^\.so man.*/,,p' "$page")
	if [ -n "$other" ]; then
		[ -f "$tools/man/$other" ] 2>"$work/log"
		result $? "${page##*/} is another name of a page that is there"
	else
		test_format "$page"
	fi
done
test_program "$tools/man/set_mempolicy2.2" set_mempolicy2 'weighted interleave'
test_program "$tools/man/get_mempolicy2.2" get_mempolicy2 'home node'
test_program "$tools/man/mbind2.2" mbind2 'weighted interleave'
test_program "$tools/man/process_mbind2.2" process_mbind2 'weighted interleave'

# What libnuma's header has of it, for hosts without: modes and flags as macros
cat >"$work/numaif.h" <<'END'
#ifndef NUMAIF_H
#define NUMAIF_H
#define MPOL_DEFAULT 0
#define MPOL_PREFERRED 1
#define MPOL_BIND 2
#define MPOL_INTERLEAVE 3
#define MPOL_LOCAL 4
#define MPOL_MF_STRICT (1<<0)
#define MPOL_MF_MOVE (1<<1)
#define MPOL_MF_MOVE_ALL (1<<2)
#define MPOL_F_NODE (1<<0)
#define MPOL_F_ADDR (1<<1)
#endif
END
for around in ' ' 'linux/mempolicy.h ' ' linux/mempolicy.h' 'numaif.h ' ' numaif.h'; do
	for standard in c99 c11 gnu17; do
		test_header c "${around% *}" "${around#* }" "$cc" "-std=$standard"
	done
	for standard in c++11 gnu++17; do
		test_header c++ "${around% *}" "${around#* }" "$cxx" "-std=$standard"
	done
done

echo "1..$count"
[ "$failed" -eq 0 ]
