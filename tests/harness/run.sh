#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Proves that the harness sees what it must see: every kind of broken run has to turn red, for its own reason, and a good one green.
# usage: run.sh [-k KERNELDIR] [-x SLOWDOWN]; prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib.sh"

kernel=$BUILD/kernel/default slowdown=1
while getopts k:x: option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	*) die "usage: run.sh [-k KERNELDIR] [-x SLOWDOWN]" ;;
	esac
done
results=$BUILD/test/harness
rm -rf "$results"
mkdir -p "$results"

count=0 failed=0

# result STATUS NAME: one line of TAP
result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		failed=$((failed + 1))
	fi
}

# is WANT GOT NAME
is() {
	if [ "$1" = "$2" ]; then
		result 0 "$3"
	else
		result 1 "$3: '$2', not '$1'"
	fi
}

# boot NAME SECONDS TEST...: the result lies in $results/NAME
boot() {
	booted=$1 limit=$2
	shift 2
	"$TOP/scripts/test-scenario.sh" -u -k "$kernel" -x "$slowdown" -t "$limit" -o "$results/$booted" \
		-f "$TOP/tests/harness/guest:/usr/lib/kselftests/mm $results/strays.bin:/usr/lib/kselftests/mm/strays" uma "$@" > "$results/$booted.log" 2>&1
}

# judge NAME CONSOLE OUTPUT OPTION...: a verdict on logs as they lie there
judge() {
	judged=$1 judged_console=$2 judged_output=$3
	shift 3
	python3 "$TOP/scripts/verdict.py" --parser "$BUILD/base/tools/testing/kunit" \
		--console "$judged_console" --output "$judged_output" "$@" > "$results/$judged.log" 2>&1
}

# red PATTERN NAME COMMAND...: COMMAND, which is about NAME, must fail, and the verdict must say PATTERN
red() {
	pattern=$1 what=$2
	shift 2
	status=0
	"$@" || status=$?
	if [ $status -eq 1 ] && grep -q "FAIL: .*$pattern" "$results/$what.log"; then
		result 0 "$what turns the run red"
	else
		sed 's/^/# /' "$results/$what.log"
		result 1 "$what turns the run red: status $status, expected '$pattern'"
	fi
}

# green NAME COMMAND...
green() {
	what=$1
	shift
	status=0
	"$@" || status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$results/$what.log"
	result $status "$what stays green"
}

# lines FILE: those of a table, without the comments
lines() {
	sed '/^#/d; /^$/d' "$TOP/tests/harness/$1"
}

gcc -static -o "$results/strays.bin" "$TOP/tests/harness/strays.c"

echo "TAP version 13"

green passes boot passes 60 passes
console=$results/passes/console.log output=$results/passes/output.log
red '124.*time limit' freezes boot freezes 12 freezes
red 'hangs after its' hangs boot hangs 60 hangs
red 'strays after its' strays boot strays 60 strays alone
status=0
grep -q '^ok 1 alone' "$results/strays/output.log" || status=$?
result $status "what a test that hangs has started ends with it"
red 'WARNING: ' warns boot warns 60 warns
red 'Kernel panic' panics boot panics 60 panics
red 'no results on the console' no-kunit judge no-kunit "$console" "$output" --kunit passes

# One boot for the tests that are wrong by themselves; each is judged alone.
boot tap 60 fails dies lies mumbles skips shrugs || true
tap_console=$results/tap/console.log tap_output=$results/tap/output.log
for case in 'fails:fails.second: failure' 'dies:2 tests planned, 1 reported' 'lies:exit status 1 although' \
	'mumbles:no test plan' 'skips:nothing passed' 'shrugs:skipped without a reason' 'absent:did not run'; do
	test=${case%%:*}
	red "${case#*:}" "$test" judge "$test" "$tap_console" "$tap_output" "$test"
done

# What the kernel says of itself, line by line, in the middle of a good log; then lines that only look like it, all at once
injected() {
	sed '/Run \/init/q' "$console"
	sed 's/^/[    1.000000] /'
	sed '1,/Run \/init/d' "$console"
}
number=0
lines splats > "$results/splats"
while read -r line; do
	number=$((number + 1))
	echo "$line" | injected > "$results/splat-$number.console"
	red "console line [0-9]*: $(echo "$line" | sed 's/[][\.*^$]/\\&/g')$" "splat-$number" \
		judge "splat-$number" "$results/splat-$number.console" "$output" passes
done < "$results/splats"
lines harmless | injected > "$results/harmless.console"
green harmless judge harmless "$results/harmless.console" "$output" passes
sed 's/^/\x1b[0m\x1b[?7l/; s/\r*$/\r\r/' "$console" > "$results/escapes.console"
green escapes judge escapes "$results/escapes.console" "$output" passes
grep -v 'vm: exit status' "$console" > "$results/no-marker.console"
echo "[    9.000000] sh: vm: exit status 0" >> "$results/no-marker.console"
red 'the log stops before the end' no-marker judge no-marker "$results/no-marker.console" "$output" passes

# A verdict that dies, or says nothing that is one, is a failure, and the run is counted.
# verdict_of NAME PROGRAM
verdict_of() {
	echo "$2" > "$results/$1.py"
	"$TOP/scripts/verdict.sh" -p "$results/$1.py" "$results/$1" "$1" \
		--console "$console" --output "$output" passes > "$results/$1.log"
}
while read -r case program; do
	red "$case: the verdict program died" "$case" verdict_of "$case" "$program"
	is "0 1 0" "$(cat "$results/$case/counts")" "$case counts as one failure"
done << 'END'
verdict-raises print("7 0 0"); raise ValueError("going past EOF")
verdict-prints-nothing pass
verdict-fails-silently raise SystemExit(1)
verdict-is-garbled print("7 passed")
verdict-stops-early print("SKIP: no reason to run: first")
verdict-is-empty print("0 0 0")
verdict-hides-a-failure print("7 1 0")
verdict-hides-its-end print("7 0 0"); raise SystemExit(1)
verdict-is-killed import os; print("7 0 0", flush=True); os.kill(os.getpid(), 9)
END
green verdict verdict_of verdict 'print("7 0 1")'

# Logs that lost something on the way.
: > "$results/empty"
red 'the log is empty' empty-console judge empty-console "$results/empty" "$output" passes
red 'did not run' empty-output judge empty-output "$console" "$results/empty" passes
grep -v 'vm: exit status' "$console" | head -n 40 > "$results/truncated"
red 'the log stops before the end' truncated-console judge truncated-console "$results/truncated" "$output" passes
sed '/^ok 2/,$d' "$output" > "$results/truncated-output.txt"
red 'did not end' truncated-output judge truncated-output "$console" "$results/truncated-output.txt" passes

# KUnit's results as the kernel prints them, then with a part missing, failing, or skipped throughout.
kunit_log() {
	sed '/Run \/init/,$d' "$console"
	sed 's/^/[    0.500000] /' "$TOP/tests/harness/kunit.tap"
	sed -n '/Run \/init/,$p' "$console"
}
kunit_log > "$results/kunit"
green kunit judge kunit "$results/kunit" "$output" --kunit passes
sed 's/ok 2 - two/not ok 2 - two/' "$results/kunit" > "$results/kunit-fails"
red 'KUnit.shapes.two: failure' kunit-fails judge kunit-fails "$results/kunit-fails" "$output" --kunit passes
sed '/ok 2 - two/d' "$results/kunit" > "$results/kunit-short"
red 'KUnit' kunit-short judge kunit-short "$results/kunit-short" "$output" --kunit passes
sed '/\] ok 1 - shapes/d' "$results/kunit" > "$results/kunit-truncated"
red '0 suites reported, planned 1' kunit-truncated judge kunit-truncated "$results/kunit-truncated" "$output" --kunit passes
sed 's/\(    ok [0-9] - [a-z]*\)/\1 # SKIP no reason to run/' "$results/kunit" > "$results/kunit-skips"
red 'no test case passed' kunit-skips judge kunit-skips "$results/kunit-skips" "$output" --kunit passes

echo "1..$count"
[ "$failed" -eq 0 ]
