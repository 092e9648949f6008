#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What make coverage makes of counts: each kind of a bad list, of a room that is reached too little, and of counts that are not there turns
# it red, for its own reason. The sources and their counts are made up here. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"

# Two rooms of ten lines each
for room in fast slow; do
	mkdir -p "$work/top/mm/$room/tests"
	printf 'int look(void)\n' > "$work/top/mm/$room/look.c"
	for number in 2 3 4 5; do
		printf '\tfind(%s);\n' $number
	done >> "$work/top/mm/$room/look.c"
	printf 'int give_up(void)\n\tlog();\n\tif (again)\n\t\treturn  -ENOMEM;\n\t\treturn -ENOMEM;\n' >> "$work/top/mm/$room/look.c"
	cp "$work/top/mm/$room/look.c" "$work/top/mm/$room/tests/look_test.c"
done

# counts FILE ROOM COUNT...: gcov's document of the lines from 1 on
counts() {
	printf '{"files": [{"file": "../tree/mm/%s", "lines": [' "$1"
	shift
	line=0
	for times; do
		line=$((line + 1))
		[ $line -le 5 ] && function=look || function=give_up
		[ $line -eq 1 ] || printf ', '
		printf '{"line_number": %s, "function_name": "%s", "count": %s, ' $line "$function" "$times"
		printf '"branches": [{"count": %s}, {"count": 0}]}' "$times"
	done
	printf ']}]}\n'
}

# machine DIRECTORY/NAME COUNT...: all of the slow room runs there, and of the fast one what is counted
machine() {
	path=$work/$1
	shift
	mkdir -p "${path%/*}"
	{
		counts fast/look.c "$@"
		counts slow/look.c 1 1 1 1 1 1 1 1 1 1
		counts fast/tests/look_test.c 0 0 0
	} > "$path"
}

# listed [LINE...]: the list, with @ for its tabs
listed() {
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/@/\t/g' > "$work/list"
	[ $# -gt 0 ] || : > "$work/list"
}

# run OPTION...: what it says of these counts, with that list
run() {
	mkdir -p "$work/out.d"
	status=0
	python3 "$TOP/scripts/test/coverage.py" --top "$work/top" --out "$work/out.d" --list "$work/list" "$@" \
		> "$work/out" 2> "$work/err" || status=$?
}

# green TITLE: nothing to complain about
green() {
	held=0
	[ "$status" -eq 0 ] && ! grep -q '^FAIL: ' "$work/out" && tail -n 1 "$work/out" | grep -q ' 0 failed$' || held=1
	result $held "$1"
}

# red TITLE LINE...: these are all the lines that say why
red() {
	title=$1
	shift
	printf 'FAIL: %s\n' "$@" > "$work/want"
	grep '^FAIL: ' "$work/out" > "$work/said" || :
	held=0
	[ "$status" -eq 1 ] && cmp -s "$work/want" "$work/said" && tail -n 1 "$work/out" | grep -q " $# failed\$" || held=1
	result $held "$title"
}

why="no memory"
ninth="mm/fast/look.c@give_up@return -ENOMEM;@$why"
machine all/one 1 2 3 4 5 0 0 0 0 0
machine all/two 0 0 0 0 0 1 1 1 1 0
machine half/one 1 1 1 1 1 0 0 0 0 0
machine most/one 1 1 1 1 1 1 1 1 0 0
machine tenth/one 0 0 0 0 0 0 0 0 0 1
machine every/one 1 1 1 1 1 1 1 1 1 1

listed "$ninth"
run --counts "$work/all"
green "a line that is not reached is in the list"
held=0
grep -qx 'mm/fast  *10  *9  *90.0  *20  *9  *45.0' "$work/out" && grep -qx '  look.c  *10  *9  *90.0  *20  *9  *45.0' "$work/out" &&
	grep -qx 'all  *20  *19  *95.0  *40  *19  *47.5' "$work/out" && ! grep -q other "$work/out" || held=1
result $held "the machines of a kernel count together, by file, by room and in all"
held=0
printf 'mm/fast/look.c\tgive_up\treturn -ENOMEM;\t%s\n' "$why" | cmp -s - "$work/out.d/unreached" || held=1
result $held "the list is written as it has to be"

listed
run --counts "$work/all"
red "it is not in the list" "mm/fast/look.c:10: give_up() is not reached here, which nothing says: return -ENOMEM;"
listed
run --counts "$work/every"
green "everything is reached"
mkdir -p "$work/base/mm"
mv "$work/top/mm/slow" "$work/base/mm"
listed
run --counts "$work/every" --top "$work/base"
green "a file that is the base's alone counts"
mv "$work/base/mm/slow" "$work/top/mm"
listed "$ninth"
run --counts "$work/every"
red "a line of the list is reached" "list:1: give_up() of mm/fast/look.c is reached here after all: return -ENOMEM;"
listed "?$ninth"
run --counts "$work/every"
green "it is reached in some runs only"
listed "?$ninth"
run --counts "$work/all"
green "it is not in others"
listed "$ninth" "$ninth"
run --counts "$work/all"
red "one of two that say the same is reached" "list:2: give_up() of mm/fast/look.c is reached here after all: return -ENOMEM;"
listed "$ninth" "?$ninth"
run --counts "$work/all"
green "it may be"
listed "?$ninth" "$ninth"
run --counts "$work/all"
green "it may be, in whatever order they stand"
listed "$ninth"
run --counts "$work/most" --more "$work/tenth"
green "a kernel with checks reaches what the other one does not"
held=0
grep -qx 'mm/fast  *10  *9  *90.0  *20  *8  *40.0' "$work/out" || held=1
result $held "its branches are not those of the other one"

listed "mm/fast/look.c@give_up@*@$why"
run --counts "$work/half"
red "a function of the list is not reached, and the room too little" "mm/fast: 50.0 % of the lines are reached, less than 90"
listed "?mm/fast/look.c@give_up@*@$why"
run --counts "$work/all"
green "some lines of a function are reached that may be"
listed "mm/fast/look.c@give_up@*@$why"
run --counts "$work/all"
red "some that may not be" "list:1: give_up() of mm/fast/look.c is reached here after all: *"
listed "$ninth" "$ninth"
run --counts "$work/most"
red "a room below 90 %, all of which is in the list" "mm/fast: 80.0 % of the lines are reached, less than 90"

listed "mm/slow/find.c@give_up@*@$why"
run --counts "$work/every"
red "the list names a file that is not there" "list:1: there is no mm/slow/find.c"
listed "mm/other/look.c@give_up@*@$why"
run --counts "$work/every"
red "one in a room that is not there" "list:1: there is no mm/other/look.c"
listed "mm/fast/look.c@give@*@$why"
run --counts "$work/every"
red "a function that is not there" "list:1: mm/fast/look.c has no function give()"
listed "mm/fast/look.c@look@return -ENOMEM;@$why"
run --counts "$work/every"
red "a line that is in another function" "list:1: look() of mm/fast/look.c has no such line of code: return -ENOMEM;"
listed "mm/fast/look.c@give_up@return -ENOMEM;@"
run --counts "$work/every"
red "no reason" "list:1: not FILE<tab>FUNCTION<tab>TEXT<tab>REASON: $(sed 1q "$work/list")"
listed
run --counts "$work/every" --list "$work/no-list"
held=0
[ "$status" -eq 1 ] && grep -q '^FAIL: .*no-list: cannot be read' "$work/out" || held=1
result $held "no list"

none="no counts, or none above 0"
mkdir -p "$work/nobody"
listed
run --counts "$work/nobody"
held=0
[ "$status" -eq 1 ] && grep -qx 'FAIL: nobody: no machine has left counts' "$work/out" &&
	grep -qx 'FAIL: mm/fast/look.c: it has no counts' "$work/out" || held=1
result $held "no machine"
machine idle/one 1 1 1 1 1 1 1 1 1 1
: > "$work/idle/two"
listed
run --counts "$work/idle"
red "a machine that has left nothing" "idle/two: $none"
echo '{"files": []}' > "$work/idle/two"
listed
run --counts "$work/idle"
red "one whose data is of nothing" "idle/two: $none"
counts fast/look.c 0 0 0 0 > "$work/idle/two"
listed
run --counts "$work/idle"
red "one whose counts are all 0, as of another build" "idle/two: $none"
counts fast/look.c 1 | cut -c -40 > "$work/idle/two"
listed
run --counts "$work/idle"
held=0
[ "$status" -eq 1 ] && grep -q '^FAIL: idle/two: the counts cannot be read: ' "$work/out" || held=1
result $held "one whose counts are cut off"
rm "$work/idle/two"
listed
run --counts "$work/every" --more "$work/nobody"
red "no machine of the kernel with checks" "nobody: no machine has left counts"
sed -i '/slow/d' "$work/idle/one"
listed
run --counts "$work/idle"
red "a file that the kernel does not have" "mm/slow/look.c: it has no counts"
mkdir "$work/top/mm/other"
cp "$work/top/mm/fast/look.c" "$work/top/mm/other"
listed
run --counts "$work/every"
red "a room that does not ask for counts" "mm/other/look.c: it has no counts"

echo "1..$count"
[ "$failed" -eq 0 ]
