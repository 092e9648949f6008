#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Does every system call table of build/tree, and of its tools/, have our
# calls?  A table is whatever has set_mempolicy_home_node, so one that nobody
# thought of is found as well.  Its rows are expected at the same distance from
# that call on every architecture.

set -e
. "$(dirname "$0")/../lib/lib.sh"

tree=$BUILD/tree
known=set_mempolicy_home_node
known_number=450
calls="set_mempolicy2:600 get_mempolicy2:601 mbind2:602 process_set_mempolicy2:603 process_get_mempolicy2:604 process_mbind2:605"
first_unused=606
missing=0
tables=0

miss() {
	say "missing: $1: $2"
	missing=$((missing + 1))
}

# check_table FILE: rows "number abi name entry..."
check_table() {
	offset=$(awk -v name="$known" -v nr="$known_number" \
		'$3 == name { print $1 - nr; exit }' "$1")
	abi=$(awk -v name="$known" '$3 == name { print $2; exit }' "$1")
	# perf reads the rows of this table's own ABI only, which the base's last one is not.
	case $1 in *_n64.tbl) abi=n64 ;; esac
	entries=$(awk -v name="$known" '$3 == name { print NF; exit }' "$1")
	for call in $calls; do
		awk -v number=$((${call#*:} + offset)) -v abi="$abi" \
			-v name="${call%:*}" -v entries="$entries" '
			$1 == number && $2 == abi && $3 == name &&
			$4 == "sys_" name && NF == entries { found = 1 }
			END { exit !found }' "$1" ||
			miss "${1#"$tree"/}" "a row $((${call#*:} + offset)) $abi ${call%:*}"
	done
}

# check_header FILE: #define __NR_name number, and __SYSCALL(__NR_name, entry)
check_header() {
	for call in $calls; do
		name=${call%:*}
		if ! grep -q "^#define __NR_$name ${call#*:}\$" "$1" ||
			! grep -q "^__SYSCALL(__NR_$name, sys_$name)\$" "$1"; then
			miss "${1#"$tree"/}" "$name as ${call#*:}"
		fi
	done
}

has_line() {
	grep -Eq "$2" "$tree/$1" || miss "$1" "$2"
}

mkdir -p "$BUILD/log"
list=$BUILD/log/syscall-tables
grep -rlw --include='*.tbl' "$known" "$tree/arch" "$tree/scripts" "$tree/tools" >"$list"
while read -r file; do
	check_table "$file"
	tables=$((tables + 1))
done <"$list"
grep -rl --include='*.h' "^#define __NR_$known " "$tree/arch" "$tree/include" \
	"$tree/tools/include" "$tree/tools/arch" >"$list"
while read -r file; do
	check_header "$file"
	tables=$((tables + 1))
done <"$list"
for file in include/uapi/asm-generic/unistd.h \
	tools/include/uapi/asm-generic/unistd.h; do
	has_line "$file" "^#define __NR_syscalls $first_unused\$"
done
# Where arm64 has a table for 32 bits, the number follows from it.
[ -e "$tree/arch/arm64/tools/syscall_32.tbl" ] ||
	has_line arch/arm64/include/asm/unistd.h \
		"^#define __NR_compat_syscalls[[:space:]]+$first_unused\$"
for call in $calls; do
	has_line kernel/sys_ni.c "^COND_SYSCALL\\(${call%:*}\\);\$"
	has_line include/linux/syscalls.h "^asmlinkage long sys_${call%:*}\\("
done

# Where no call is, the table of an architecture must not hold NULL; one that is generated does not.
grep -rlE --include='*.c' 'sys_call_table\[(__)?NR(_compat)?_syscalls\] *= *\{' "$tree/arch" >"$list"
while read -r file; do
	! grep -q '#include <asm/syscall_table' "$file" || continue
	grep -qE '\[0 \.\.\. (__)?NR(_compat)?_syscalls *- *1\] *= .*sys_ni_syscall' "$file" ||
		miss "${file#"$tree"/}" "sys_ni_syscall for numbers without a call"
	tables=$((tables + 1))
done <"$list"
has_line arch/x86/entry/syscalls/Makefile '_x32\.h\)?: abis := common,x32$'

[ "$tables" -ge 20 ] || die "only $tables tables found in $tree"
if [ "$missing" -ne 0 ]; then
	say "$tables tables, $missing rows or lines missing"
	exit 1
fi
say "$tables tables, all have our calls"
