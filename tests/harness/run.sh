#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Proves that the harness sees what it must see: every kind of broken run has to turn red, for its own reason, and a good one green.
# usage: run.sh [-k KERNELDIR] [-x SLOWDOWN]; prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

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

# boot NAME SECONDS TEST...: the result lies in $results/NAME; a test may take $allowed seconds
allowed=600
boot() {
	booted=$1 limit=$2
	shift 2
	"$TOP/scripts/test/scenario.sh" -u -k "$kernel" -x "$slowdown" -t "$limit" -l "$allowed" -s "$TOP/tests/harness/skips" \
		-o "$results/$booted" \
		-f "$TOP/tests/harness/guest:/usr/lib/kselftests/mm $results/strays.bin:/usr/lib/kselftests/mm/strays" uma "$@" \
		> "$results/$booted.log" 2>&1
}

# judge NAME CONSOLE OUTPUT OPTION...: a verdict on logs as they lie there
judge() {
	judged=$1 judged_console=$2 judged_output=$3
	shift 3
	timeout 60 python3 "$TOP/scripts/test/verdict.py" --parser "$BUILD/base/tools/testing/kunit" \
		--console "$judged_console" --output "$judged_output" "$@" > "$results/$judged.log" 2>&1
}

# stream NAME STATUS LINE...: what the output has of a test
stream() {
	streamed=$1 streamed_status=$2
	shift 2
	echo "vm: begin $streamed"
	printf '%s\n' "$@" "vm: end $streamed $streamed_status"
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

# red_tap PATTERN NAME STATUS LINE...: a test that says this beside one that is good
red_tap() {
	red_pattern=$1 red_name=$2
	shift 2
	{
		cat "$output"
		stream "$red_name" "$@"
	} > "$results/$red_name.output"
	red "$red_name.*$red_pattern" "$red_name" judge "$red_name" "$console" "$results/$red_name.output" "$red_name" passes
}

# red_host PATTERN NAME STATUS LINE...: a test on the host that says this
red_host() {
	red_pattern=$1 red_name=$2 red_status=$3
	shift 3
	printf '%s\n' "$@" > "$results/$red_name.output"
	red "$red_pattern" "$red_name" judge "$red_name" "$results/empty" "$results/$red_name.output" --tap host --status "$red_status"
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
allowed=5
red 'the self test hangs has taken its' hangs boot hangs 60 hangs
allowed=600
green strays boot strays 60 strays alone
status=0
grep -q '^ok 1 alone' "$results/strays/output.log" || status=$?
result $status "what a test has started ends with it"
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

# TAP that is malformed, or that comes twice: the last of these makes the parser give up.
version="TAP version 13"
: > "$results/empty"
red_tap '2 tests planned, 1 reported' plan-too-long 0 "$version" 1..2 "ok 1 first"
red_tap '2 test plans' plan-twice 0 "$version" 1..1 "ok 1 first" 1..1
red_tap '2 TAP version lines' version-twice 0 "$version" 1..2 "ok 1 first" "$version" "ok 2 second"
red_tap 'Expected test number 1 but found 2' disorder 0 "$version" 1..2 "ok 2 first" "ok 1 second"
red_tap 'not a result that can be read: not ok: second' no-number 0 "$version" 1..1 "ok 1 first" "not ok: second"
red_tap 'not a result that can be read: not ok 2 page #4' no-name 0 "$version" "ok 1 first" "not ok 2 page #4" 1..2
red_tap 'not a result that can be read: ok 2 second # skip' small-letters 0 "$version" 1..2 "ok 1 first" "ok 2 second # skip no reason"
red_tap '2 results, of which 1 were read' results-first 0 "ok 1 first" "$version" "ok 1 second" 1..2
red_tap 'second: not ok, although it says that it is skipped' skip-fails 0 \
	"$version" 1..2 "ok 1 first" "not ok 2 second # SKIP no reason to run"
red_tap 'unnamed: not ok, although it says that it is skipped' skip-fails-unnamed 0 \
	"$version" 1..2 "ok 1 first" "not ok 2 # SKIP no reason to run"
red_tap 'the results cannot be read' head-twice 0 "$version" 1..1 "$version" 1..1 "ok 1 first"
is "2 3 1" "$(tail -n 1 "$results/head-twice.log")" "what runs beside it is judged and all of it is counted"
red_host 'the results cannot be read' head-twice-on-host 0 "$version" 1..1 "$version" 1..1 "ok 1 first"
red_host 'no test plan' nothing-on-host 0

# A test that comes twice, and passes once; a marker that lost its status
{
	stream twice 1 "$version" 1..1 "not ok 1 first"
	stream twice 0 "$version" 1..1 "ok 1 first"
} > "$results/twice.output"
red 'twice: ran 2 times' twice judge twice "$console" "$results/twice.output" twice
stream garbled "" "$version" 1..1 "ok 1 first" > "$results/garbled.output"
red 'garbled: did not end' garbled judge garbled "$console" "$results/garbled.output" garbled

# Skipped as a whole, beside one that is good and alone
red_tap 'skipped as a whole: no reason to run' skipped-whole 0 "$version" "1..0 # SKIP no reason to run"
red_tap 'every case was skipped' skipped-throughout 0 \
	"$version" 1..2 "ok 1 first # SKIP no reason to run" "ok 2 second # SKIP no reason to run"
red_host 'skipped as a whole: no reason to run' skipped-whole-on-host 0 "$version" "1..0 # SKIP no reason to run"
red_host 'every case was skipped' skipped-throughout-on-host 0 "$version" 1..1 "ok 1 first # SKIP no reason to run"

# Skips and what is expected of them
{
	stream some 0 "$version" 1..3 "ok 1 first" "ok 2 second # SKIP it is Monday" "ok 3 third # SKIP no file: 404"
	stream all 4 "$version" 1..2 "ok 1 first # SKIP it is Monday" "ok 2 second # SKIP it is Monday"
	stream whole 4 "$version" "1..0 # SKIP it is Monday"
	stream other 0 "$version" 1..1 "ok 1 first"
} > "$results/skips.output"
# expect NAME TESTS LINE...: TESTS, judged with a list of these lines, in which a blank stands for the tab and _ for a blank
expect() {
	expected=$1 tests=$2
	shift 2
	for line; do
		echo "$line"
	done | tr ' _' '\t ' > "$results/$expected.skips"
	# shellcheck disable=SC2086 # a list of names
	judge "$expected" "$console" "$results/skips.output" --skips "$results/$expected.skips" $tests
}
second="some.second it_is_Monday" third="some.third no_file:_404"
green listed expect listed some "# a comment" "" "$second" "$third"
green listed-for-others expect listed-for-others other "$second" "$third" "KUnit.shapes.one it_is_Monday"
green may-be-skipped expect may-be-skipped some \
	"$second" "?some.third no_file:*" "?some.third no_room" "?some.first no_room" "?some.fourth no_room"
green whole-listed expect whole-listed "all whole other" "all it_is_Monday" "whole it_is_Monday"
green every-case-listed expect every-case-listed "all" "all.first it_is_Monday" "all.second it_is_Monday"
red 'some.third: skipped, which is not expected here: no file: 404' not-listed expect not-listed some "$second"
red 'some.second: skipped, which is not expected here: it is Monday' nothing-listed expect nothing-listed some
red 'some.second: skipped, which is not expected here: it is Monday' other-reason expect other-reason some \
	"$third" "some.second it_is_Tuesday"
red 'some.third: skipped, which is not expected here: no file' other-start expect other-start some "$second" "?some.third no_room*"
red 'some.third: skipped, which is not expected here: no file' no-start expect no-start some "$second" "some.third no_file:*"
red 'some.first: is expected to be skipped here (it is Monday) and was not: it passed' listed-passes expect listed-passes some \
	"$second" "$third" "some.first it_is_Monday"
red 'some.fourth: is expected to be skipped here (it is Monday) and was not: it is not there' listed-absent expect listed-absent some \
	"$second" "$third" "some.fourth it_is_Monday"
red 'some: is expected to be skipped here (it is Monday) and was not: some passed' whole-listed-passes expect whole-listed-passes some \
	"$third" "some it_is_Monday"
red 'all.second: skipped, which is not expected here: it is Monday' half-listed expect half-listed all "all.first it_is_Monday"
red 'whole: skipped, which is not expected here: it is Monday' whole-not-listed expect whole-not-listed "whole other"
red 'bad-list.skips:2: not NAME<tab>REASON: some.third' bad-list expect bad-list other "$second" "some.third"
red 'list-twice.skips:3: some.second is in the list already' list-twice expect list-twice other "$second" "$third" "$second"
red 'no-list.*cannot be read' no-list judge no-list "$console" "$results/skips.output" --skips "$results/no-list" other
sed 's/ok 2 second.*/not ok 2 second/' "$results/skips.output" > "$results/failing.output"
printf 'some.second\tit is Monday\nsome.third\tno file: 404\n' > "$results/listed-fails.skips"
red 'some.second: is expected to be skipped here (it is Monday) and was not: it failed' listed-fails \
	judge listed-fails "$console" "$results/failing.output" --skips "$results/listed-fails.skips" some

# Cases that are expected to fail: that they do is no failure, and that one passes is
# mark NAME LINE...: the run with a second case that fails, judged with marks of these lines
mark() {
	marked=$1
	shift
	printf '%s\n' "$@" | tr ' _' '\t ' > "$results/$marked.marks"
	judge "$marked" "$console" "$results/failing.output" --marks "$results/$marked.marks" some
}
{
	stream some 1 "$version" 1..2 "ok 1 first" "not ok 2 second"
	stream alone 1 "$version" 1..1 "not ok 1 first"
} > "$results/failing.output"
green marked mark marked "some.second it_is_Monday" "other.second it_is_Monday"
is "2 0 1" "$(tail -n 1 "$results/marked.log")" "a case that is marked and fails is counted as one that is skipped"
is "SKIP: expected to fail: it is Monday: some.second" "$(sed -n 1p "$results/marked.log")" "and is named"
red 'some.second: failure' not-marked mark not-marked "some.third it_is_Monday"
red 'some.first: passed, and is marked as one that fails: it is Monday' marked-passes mark marked-passes \
	"some.first it_is_Monday" "some.second it_is_Monday"
red 'bad-mark.marks:1: not NAME<tab>REASON, or a second one: some.second' bad-mark mark bad-mark "some.second"
red 'mark-twice.marks:2: not NAME<tab>REASON, or a second one' mark-twice mark mark-twice \
	"some.second it_is_Monday" "some.second it_is_Sunday"
red 'no-marks.*cannot be read' no-marks judge no-marks "$console" "$output" --marks "$results/no-marks" passes
printf 'alone.first\tit is Monday\n' > "$results/alone.marks"
green marked-alone judge marked-alone "$console" "$results/failing.output" --marks "$results/alone.marks" alone
sed 's/not ok 2 second/# nothing of the second/' "$results/failing.output" > "$results/silent.output"
printf 'some.second\tit is Monday\n' > "$results/marked-dies.marks"
red 'some: 2 tests planned, 1 reported' marked-dies \
	judge marked-dies "$console" "$results/silent.output" --marks "$results/marked-dies.marks" some
printf '%s\n' "$version" 1..1 "ok 1 - numactl of trixie # SKIP no network: 404" > "$results/host.output"
printf '?host.numactl of trixie\tno network*\n' > "$results/host.skips"
green host-listed judge host-listed "$results/empty" "$results/host.output" --tap host --skips "$results/host.skips"
: > "$results/no.skips"
red 'host.numactl of trixie: skipped, which is not expected here: no network: 404' host-not-listed \
	judge host-not-listed "$results/empty" "$results/host.output" --tap host --skips "$results/no.skips"

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
{
	cat "$output"
	stream late-plan 0 "TAP version 13" "ok 1 first" "ok 2 second" "1..2"
} > "$results/late-plan.output"
green late-plan judge late-plan "$console" "$results/late-plan.output" late-plan passes
grep -v 'vm: exit status' "$console" > "$results/no-marker.console"
echo "[    9.000000] sh: vm: exit status 0" >> "$results/no-marker.console"
red 'the log stops before the end' no-marker judge no-marker "$results/no-marker.console" "$output" passes

# A verdict that dies, or says nothing that is one, is a failure, and the run is counted.
# verdict_of NAME PROGRAM
verdict_of() {
	echo "$2" > "$results/$1.py"
	"$TOP/scripts/test/verdict.sh" -p "$results/$1.py" "$results/$1" "$1" \
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
printf 'KUnit.shapes.two\tit is Monday\n' > "$results/kunit.marks"
green kunit-marked judge kunit-marked "$results/kunit-fails" "$output" --marks "$results/kunit.marks" --kunit passes
red 'KUnit.shapes.two: passed, and is marked' kunit-marked-passes \
	judge kunit-marked-passes "$results/kunit" "$output" --marks "$results/kunit.marks" --kunit passes
red 'KUnit.shapes.two: failure' kunit-fails judge kunit-fails "$results/kunit-fails" "$output" --kunit passes
sed '/ok 2 - two/d' "$results/kunit" > "$results/kunit-short"
red 'KUnit' kunit-short judge kunit-short "$results/kunit-short" "$output" --kunit passes
sed '/\] ok 1 - shapes/d' "$results/kunit" > "$results/kunit-truncated"
red '0 suites reported, planned 1' kunit-truncated judge kunit-truncated "$results/kunit-truncated" "$output" --kunit passes
sed 's/\(    ok [0-9] - [a-z]*\)/\1 # SKIP no reason to run/' "$results/kunit" > "$results/kunit-skips"
red 'no test case passed' kunit-skips judge kunit-skips "$results/kunit-skips" "$output" --kunit passes

sed 's/\(    \)ok 2 - two/\1not ok 2 - two # SKIP no reason to run/' "$results/kunit" > "$results/kunit-skip-fails"
red 'KUnit.shapes.two: not ok, although' kunit-skip-fails judge kunit-skip-fails "$results/kunit-skip-fails" "$output" --kunit passes
sed 's/ok 2 - two/& # SKIP it is Monday/' "$results/kunit" > "$results/kunit-skip"
{
	cat "$TOP/tests/harness/skips"
	printf 'KUnit.shapes.two\tit is Monday\n'
} > "$results/kunit-skip.skips"
green kunit-listed judge kunit-listed "$results/kunit-skip" "$output" --kunit --skips "$results/kunit-skip.skips" passes
red 'KUnit.shapes.two: skipped, which is not expected' kunit-not-listed \
	judge kunit-not-listed "$results/kunit-skip" "$output" --kunit --skips "$TOP/tests/harness/skips" passes
red 'KUnit.shapes.two: is expected to be skipped' kunit-listed-passes \
	judge kunit-listed-passes "$results/kunit" "$output" --kunit --skips "$results/kunit-skip.skips" passes
sed 's/ok 2 - two/not &/; s/not ok 2 - two/not ok two/' "$results/kunit" > "$results/kunit-no-number"
red 'KUnit: not a result that can be read: not ok two' kunit-no-number \
	judge kunit-no-number "$results/kunit-no-number" "$output" --kunit passes

echo "1..$count"
[ "$failed" -eq 0 ]
