#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What make kcsan-test makes of a console: a data race with a line of ours in it turns the run red, one of the base alone does not, and
# neither does a run pass that has looked at nothing. Kernel, sources and consoles are made up here. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"

# A base of two files and a helper; then the series, which adds a line to one of them, and a file of its own. Every access is a call of
# watch(), as it is to the compiler where KCSAN looks.
tree=$work/tree
mkdir -p "$tree/mm/ours" "$tree/lib" "$tree/include/linux"
cat > "$tree/include/linux/access.h" <<'END'
void watch(int *place);
void find(int *place);
static inline __attribute__((always_inline)) void base_inline(int *place)
{
	watch(place);
}
END
cat > "$tree/include/linux/bitmap.h" <<'END'
static inline __attribute__((always_inline)) void helper_inline(int *place)
{
	watch(place);
}
END
cat > "$tree/lib/find.c" <<'END'
#include "../include/linux/access.h"
void find(int *place)
{
	watch(place);
	watch(place);
}
END
cat > "$tree/mm/base.c" <<'END'
#include "../include/linux/access.h"
static int place;
void base_reads(void)
{
	watch(&place);
	watch(&place);
}
void base_writes(void)
{
	base_inline(&place);
	find(&place);
}
void hooked(void)
{
	watch(&place);
	watch(&place);
}
END
git -C "$tree" init -q
git -C "$tree" add -A
git -C "$tree" -c user.name=base -c user.email=base@localhost commit -q -m base
git -C "$tree" update-ref refs/series/base HEAD
sed -i '/^void hooked/,$s/^{/&\n\tfind(\&place);/' "$tree/mm/base.c"
cat > "$tree/mm/ours/look.c" <<'END'
#include "../../include/linux/access.h"
#include "../../include/linux/bitmap.h"
static int place;
static inline __attribute__((always_inline)) void our_inline(void)
{
	watch(&place);
}
void ours(void)
{
	watch(&place);
	helper_inline(&place);
	base_inline(&place);
	find(&place);
	watch(&place);
}
void ours_inline(void)
{
	our_inline();
	watch(&place);
}
END
git -C "$tree" add -A
git -C "$tree" -c user.name=series -c user.email=series@localhost commit -q -m series
(
	cd "$work"
	echo 'void watch(int *place) { *(volatile int *)place = 1; } int main(void) { return 0; }' > main.c
	gcc -g -O1 -fno-inline -fno-optimize-sibling-calls -fcf-protection=none -no-pie -o vmlinux \
		main.c "$tree"/mm/base.c "$tree"/mm/ours/look.c "$tree"/lib/find.c
	objdump -d --no-show-raw-insn vmlinux > code
	nm -n vmlinux > symbols
)

# frame FUNCTION NUMBER: behind that call in the function, as the kernel prints it
frame() {
	start=$(awk -v name="$1" '$3 == name { print $1 }' "$work/symbols")
	end=$(awk -v name="$1" 'found && $1 != start { print $1; exit } $3 == name { found = 1; start = $1 }' "$work/symbols")
	call=$(awk -v name="<$1>:" -v number="$2" '
		$2 == name { inside = 1; next }
		!NF { inside = 0 }
		inside && behind { sub(":", "", $1); print $1; exit }
		inside && $2 == "call" && !--number { behind = 1 }' "$work/code")
	printf ' %s+0x%x/0x%x\n' "$1" $((0x$call - 0x$start)) $((0x$end - 0x$start))
}

edge="=================================================================="
# report ACCESS FRAME... -- ACCESS FRAME...: a FRAME is FUNCTION:NUMBER
report() {
	echo "$edge"
	echo "BUG: KCSAN: data-race in one / two"
	for word; do
		case $word in
		--) echo ;;
		*:*) frame "${word%:*}" "${word#*:}" ;;
		*) printf '\n%s to 0xffff888000001000 of 4 bytes by task 7 on cpu 0:\n' "$word" | tr _ ' ' ;;
		esac
	done
	printf '\nvalue changed: 0x00000001 -> 0x00000002\n\nReported by Kernel Concurrency Sanitizer on:\n'
	printf 'CPU: 0 PID: 7 Comm: test Not tainted 6.1.192 #1\nHardware name: QEMU\n%s\n' "$edge"
}

# console [FILE]: that of a good run, with the lines of the file in it
console() {
	sed 's/^/[    0.100000] /' <<-'END'
		Linux version 6.1.192
		kcsan: selftest: 3/3 tests passed
		vm: machine as described: memory on nodes 0-1, CPUs on nodes 0
	END
	[ $# -eq 0 ] || sed 's/^/[   12.345678] /' "$1"
	echo "[   20.000000] vm: exit status 0"
}

# judge CONSOLE [OPTION...]: what the verdict is
judge() {
	console=$1
	shift
	status=0
	python3 "$TOP/scripts/test/verdict.py" --parser "$BUILD/base/tools/testing/kunit" --console "$console" --output "$work/output" \
		--vmlinux "$work/vmlinux" --tree "$tree" --races "$work/races" "$@" race > "$work/out" 2> "$work/err" || status=$?
}

# green TITLE RACES REPORTS
green() {
	held=0
	[ "$status" -eq 0 ] && ! grep -q '^FAIL: ' "$work/out" &&
		grep -q "^BASE: $2 data races of the base alone, in $3 reports: " "$work/out" &&
			[ "$(wc -l < "$work/races")" -eq "$2" ] || held=1
	result $held "$1"
}

# red TITLE PATTERN...: each of which stands in a line that says why, and there are no others
red() {
	title=$1 held=0
	shift
	[ "$status" -eq 1 ] && [ "$(grep -c '^FAIL: ' "$work/out")" -eq $# ] || held=1
	for pattern; do
		grep -q "^FAIL: .*$pattern" "$work/out" || held=1
	done
	result $held "$title"
}

cat > "$work/output" <<'END'
vm: begin race
TAP version 13
1..1
ok 1 race
vm: end race 0
kcsan: enabled: 1
kcsan: setup_watchpoints: 1234
kcsan: data_races: 2
END

console > "$work/console"
judge "$work/console"
green "no race" 0 0

# reported ACCESS FRAME... -- ACCESS FRAME...: a console with that report
reported() {
	report "$@" > "$work/report"
	console "$work/report" > "$work/console"
	judge "$work/console"
}

reported read base_reads:1 -- write base_writes:1
green "one of the base alone" 1 1
held=0
grep -qx "1$(printf '\t')read in base_reads() at mm/base.c:5, write in base_inline() at include/linux/access.h:5" "$work/races" || held=1
result $held "is listed with its places"
reported read hooked:2 -- write hooked:3
green "one of lines of the base in a function with a line of ours" 1 1
reported read ours:3 -- write base_reads:1
green "one of what the base does with its own data, called by us" 1 1
reported read find:1 base_writes:2 -- write base_reads:1
green "one through a helper that the base calls" 1 1

reported read ours:1 -- write ours:5
red "two of our lines" "data race: read in ours() at mm/ours/look.c:10, write in ours() at mm/ours/look.c:14"
held=0
sed 's/^/      /; /===/d' "$work/report" > "$work/text"
sed -n '/^      BUG/,/Hardware/p' "$work/out" | cmp -s - "$work/text" || held=1
result $held "the text of the report is printed"
reported read ours:1 -- write base_reads:1
red "one of our lines, first" "data race: read in ours() at mm/ours/look.c:10, write in base_reads() at mm/base.c:5"
reported write_\(marked\) base_reads:1 -- read ours:1
red "one of our lines, second" "read in ours() at mm/ours/look.c:10, write (marked) in base_reads() at mm/base.c:5"
reported read hooked:1 -- write base_reads:2
red "a line of ours in a file of the base" "data race: read in hooked() at mm/base.c:15"
reported read ours_inline:1 -- write base_reads:1
red "a function of ours that has become part of another one" "data race: read in our_inline() at mm/ours/look.c:6"
reported read ours:2 -- write base_reads:1
red "a helper that has become part of ours" "data race: read in ours() at mm/ours/look.c:11"
reported read find:2 ours:4 -- write base_reads:1
red "a helper that we call" "data race: read in ours() at mm/ours/look.c:13"
reported read_\(reordered\) ours:1 -- write base_reads:1
red "an access that was held back" "data race: read (reordered) in ours() at mm/ours/look.c:10"

{
	report read base_reads:1 -- write base_writes:1
	report read ours:1 -- write base_reads:2
	report write base_writes:1 -- read base_reads:1
	report read base_reads:2 -- write base_writes:1
	report write base_reads:2 -- read ours:1
} > "$work/report"
console "$work/report" > "$work/console"
judge "$work/console"
red "one that comes twice among those of the base" "read in ours() at mm/ours/look.c:10, write in base_reads() at mm/base.c:6 (2 times)"
held=0
grep -qx "BASE: 2 data races of the base alone, in 3 reports: $work/races" "$work/out" || held=1
result $held "each is counted once"

report read base_reads:1 -- write base_writes:1 > "$work/report"
sed -i '5i WARNING: CPU: 1 PID: 9 at mm/base.c:5 base_reads+0x5/0x10' "$work/report"
console "$work/report" > "$work/console"
judge "$work/console"
red "a warning in the middle of a report" "console line .*WARNING: "
report read base_reads:1 -- write base_writes:1 | sed '/^write/,$d' > "$work/report"
console "$work/report" > "$work/console"
judge "$work/console"
red "a report that is cut off" "data race: read in base_reads() at mm/base.c:5"
report read base_reads:1 -- write base_writes:1 | sed 's/ base_writes/ nobody/' > "$work/report"
console "$work/report" > "$work/console"
judge "$work/console"
red "a frame that vmlinux does not have" "data race: read in base_reads() at mm/base.c:5, write in nobody"

report read base_reads:1 -- write base_writes:1 > "$work/report"
console "$work/report" > "$work/console"
status=0
python3 "$TOP/scripts/test/verdict.py" --parser "$BUILD/base/tools/testing/kunit" --console "$work/console" --output "$work/output" race \
	> "$work/out" 2> "$work/err" || status=$?
red "any, on a kernel that is not to have KCSAN" "console line .*KCSAN: data-race"

nothing="KCSAN: no access was looked at, or not until the end of the run"
console > "$work/console"
cp "$work/output" "$work/looked"
for change in /setup_watchpoints/d 's/1234$/0/' '/enabled/d' 's/enabled: 1/enabled: 0/' '/^kcsan/d'; do
	sed "$change" "$work/looked" > "$work/output"
	judge "$work/console"
	red "counters of a run that has looked at nothing: $change" "$nothing"
done
cp "$work/looked" "$work/output"
grep -v selftest "$work/console" > "$work/silent"
judge "$work/silent"
red "a detector that has not tried itself" "KCSAN: its own tests did not pass at boot"
sed 's,3/3,2/3,' "$work/console" > "$work/silent"
judge "$work/silent"
red "one that has failed" "KCSAN: its own tests did not pass at boot"
sed '/begin race/,/end race/d' "$work/looked" > "$work/output"
judge "$work/console"
red "no test" "race: did not run" "kselftests: nothing passed"
cp "$work/looked" "$work/output"
judge "$work/console" --base refs/series/other
held=0
[ "$status" -eq 0 ] || held=1
result $held "what stands below the series is asked for only when there is a race"
report read base_reads:1 -- write base_writes:1 > "$work/report"
console "$work/report" > "$work/console"
judge "$work/console" --base refs/series/other
red "sources without what stands below the series" "data race: "

echo "1..$count"
[ "$failed" -eq 0 ]
