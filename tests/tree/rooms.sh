#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The rooms of scripts/ call one way: a script names scripts of its own room and of those before it. Within a room of C no files use each
# other in a circle. What is named anywhere is there, and each row of a table has what it stands for.
# usage: rooms.sh [DIRECTORY], another checkout; prints TAP.
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
rooms="lib host queue kernel machine bench test package check"

# named FILE...: the files of scripts/ that these name, a line "FILE:NAMED" each; not patterns, nor words in capitals that stand for others
named() {
	pattern="(^|[^[:alnum:]_./-]|\\\$TOP/|\.\./)scripts/($(echo "$rooms" | tr ' ' '|'))"
	(cd "$checkout" && grep -HoE "$pattern(/[[:alnum:]_*-]+)*(\.[a-z]+)?" -- "$@") |
		sed -E 's|^([^:]*):.*scripts/|\1:scripts/|' | grep -v ':.*[*A-Z]' | sort -u
}

before=''
for room in $rooms; do
	before="$before $room"
	find "$checkout/scripts/$room" -type f | sed "s|^$checkout/||" | sort > "$work/files"
	# shellcheck disable=SC2046 # names of ours have no blanks
	named $(cat "$work/files") | grep -vE ":scripts/($(echo "${before# }" | tr ' ' '|'))(/|\$)" > "$work/out" || :
	held=0
	[ -s "$work/files" ] && [ ! -s "$work/out" ] || held=1
	result $held "$room names nothing of the rooms behind it"
done

(cd "$checkout/scripts" && find . -type f) | cut -d / -f 2 | sort -u > "$work/there"
echo "$rooms" | tr ' ' '\n' | sort > "$work/known"
held=0
diff "$work/known" "$work/there" > "$work/out" || held=1
result $held "scripts/ has these rooms, and nothing beside them"

# shellcheck disable=SC2046 # as above
named $(cd "$checkout" && find .ci scripts tests scenarios Makefile README.md CONTRIBUTING.md Documentation MAINTAINERS tools/numasim \
	-type f) |
	while IFS=: read -r file name; do
		[ -e "$checkout/$name" ] || echo "$file names $name"
	done > "$work/out"
held=0
[ ! -s "$work/out" ] || held=1
result $held "every script that is named is there"

# That circles are seen: two files that use each other, and the same without the way back
mkdir "$work/circle"
echo 'int there(void) { return back; }' > "$work/circle/there.c"
echo 'int back = sizeof(there);' > "$work/circle/back.c"
"$TOP/tests/tree/circles.py" "$work/circle" > "$work/out"
held=0
[ "$(sed "s|^$work/||" "$work/out")" = "circle: back.c uses there of there.c, there.c uses back of back.c" ] || held=1
result $held "a circle is seen"
echo 'int back;' > "$work/circle/back.c"
"$TOP/tests/tree/circles.py" "$work/circle" > "$work/out"
held=0
[ ! -s "$work/out" ] || held=1
result $held "one way is none"

for room in mm tools/mm/placement tools/testing/selftests/mm/placement tools/numasim; do
	directories=$checkout/$room
	if [ "$room" = mm ]; then
		# A base's own files are of the room as well.
		mkdir "$work/mm"
		cp -R "$checkout/mm/." "$checkout/bases/6.1/files/mm/." "$work/mm"
		directories=$(find "$work/mm" -mindepth 1 -maxdepth 1 -type d | sort)
	fi
	held=0
	# shellcheck disable=SC2086 # as above
	"$TOP/tests/tree/circles.py" $directories > "$work/out" || held=1
	[ ! -s "$work/out" ] || held=1
	result $held "no files of $room use each other in a circle"
done

# The pieces of a row, without which there is no part
{
	rows "$checkout/scripts/bench/list" | awk -F '\t' 'NF != 5 || $2 == "" || $5 == "" { print "bench/list: not five fields: " $0 }'
	rows "$checkout/scripts/test/list" | awk -F '\t' 'NF != 5 || $4 == "" || $5 == "" { print "test/list: not five fields: " $0 }'
	rows "$checkout/scripts/bench/list" | cut -f 1 | while read -r name; do
		[ -x "$checkout/scripts/bench/$name/run.sh" ] || echo "bench/list: $name: bench/$name/run.sh cannot be run"
	done
	rows "$checkout/scripts/test/list" | cut -f 4 | sed 's/ .*//' | while read -r command; do
		[ "$command" = - ] || [ -x "$checkout/$command" ] || echo "test/list: $command cannot be run"
	done
	find "$checkout/scripts/bench" -mindepth 1 -maxdepth 1 -type d | sed 's|.*/||' | while read -r name; do
		[ -n "$(field "$checkout/scripts/bench/list" "$name" 1)" ] ||
			[ -z "$(find "$checkout/scripts/bench/$name" -name run.sh)" ] ||
			echo "bench/$name has no row in bench/list"
	done
	for list in bench test; do
		rows "$checkout/scripts/$list/list" | cut -f 1 | sort | uniq -d | sed "s|^|$list/list: twice: |"
	done
} > "$work/out"
held=0
[ ! -s "$work/out" ] || held=1
result $held "each row of the lists of tests and benchmarks has what it stands for"

echo "1..$count"
[ "$failed" -eq 0 ]
