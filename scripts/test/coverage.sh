#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Which lines of our kernel files do the machines of make test execute? All of them boot a kernel that counts, and one more the debug kernel
# that does, for the tests that take faults on request.
# usage: coverage.sh [--commit]
#   --commit   writes tests/coverage/table if all is well
# ONLY="name ..." in the environment runs these of the machines, of which that one is called "checked"; TESTS="name ..." these self tests.
# What so few reach is shown and not judged. build/coverage gets table; unreached, which is tests/coverage/unreached as it would have to be;
# and of each kernel what gcov says, a file for each part.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

commit=''
case ${1:-} in
'') ;;
--commit) commit=yes ;;
*) die "usage: coverage.sh [--commit]" ;;
esac
out=$BUILD/coverage
list=$TOP/tests/coverage
narrow=${ONLY:-}${TESTS:-}
[ -z "$commit" ] || [ -z "$narrow" ] || die "--commit takes all machines and all tests, without ONLY and TESTS"

# The programs of which the kernel without such faults leaves something out
faults=$(awk -F '\t' '$3 ~ /^no fault injection/ { print $1 }' "$TOP/scenarios/configs/coverage.without" | tr '\n' ' ')
checked=yes machines=yes
if [ -n "${ONLY:-}" ]; then
	names=" $(echo "$ONLY" | tr '\n\t' '  ') "
	case $names in
	*' checked '*) ;;
	*) checked='' ;;
	esac
	ONLY=$(echo "$names" | sed 's/ checked / /')
	[ -n "$(echo "$ONLY" | tr -d ' ')" ] || [ -z "$checked" ] || machines=''
fi

# counted CONFIG OUTPUT: what gcov says of a machine of that kernel that has printed this
counted() {
	work=$(mktemp -d)
	if tr -d '\r' < "$2" | sed '1,/^coverage: begin$/d; /^coverage: end$/,$d' | base64 -d | tar -C "$work" -xz; then
		(cd "$work" && find . -name '*.gcda') | while read -r file; do
			ln -s "$BUILD/obj/$1/${file%gcda}gcno" "$work/${file%gcda}gcno"
		done
		find "$work" -name '*.gcda' -exec gcov -t -i -b {} + || :
	fi
	rm -r "$work"
}

# collect CONFIG: that of all machines of each part, in $out/CONFIG/PART; of one that has left nothing that file is empty
collect() {
	mkdir -p "$out/$1"
	while read -r part _; do
		dir=$BUILD/test/$1/$part
		# with TESTS a machine may have nothing to run
		! grep -qx '0 0 0' "$dir/counts" || continue
		find "$dir" -type f -exec grep -l '^coverage: begin' {} + | sort | while read -r output; do
			counted "$1" "$output"
		done > "$out/$1/$part"
	done < "$BUILD/test/$1/parts"
}

# run CONFIG [OPTION...]: the machines of that kernel
run() {
	config=$1
	shift
	rm -f "$BUILD/test/$config/parts"
	"$TOP/scripts/test/test.sh" -m coverage -c "$config" "$@" || status=1
	grep -qsv '^setup ' "$BUILD/test/$config/parts" || exit 1
	mkdir -p "$out"
	collect "$config" > "$out/$config.log" 2>&1
}

rm -rf "$out"
status=0
set --
if [ -n "$machines" ]; then
	run coverage
	set -- "$@" --counts "$out/coverage"
fi
if [ -n "$checked" ]; then
	export ONLY=dual TESTS="${TESTS:-$faults}"
	run coverage-debug -x 10
	set -- "$@" --more "$out/coverage-debug"
fi
[ -n "$narrow" ] || set -- "$@" --list "$list/unreached"
python3 "$TOP/scripts/test/coverage.py" --top "$TOP" --top "$TOP/bases/$BASE/files" --out "$out" "$@" || status=1
[ -z "$commit" ] || [ "$status" -ne 0 ] || cp "$out/table" "$list/table"
exit $status
