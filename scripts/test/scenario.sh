#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Boots one scenario, runs KUnit at boot and kselftests after it, and judges the run.
# usage: scenario.sh [-k KERNELDIR] [-o RESULTDIR] [-x SLOWDOWN] [-u | -n] [-c COMMAND] [-e SCENARIO:VARIABLE=VALUE] [-f FILES]
#	[-t SECONDS] [-q SECONDS] [-l SECONDS] [-a ARGUMENTS] [-s FILE] [-p] [-r LIST] SCENARIO [TEST...]
#   -u  without KUnit    -n  KUnit alone    -x  every limit that many times longer
#   -c  a command to run after the tests, its status counts
#   -e  for the environment of the tests, if this is that scenario
#   -q, -l, -a  as those of scripts/machine/vm.sh; without them -q is 240, and -l what the settings of the self tests say
#   -p  the programs of make test, not all that the machine can run
#   -s  the list of skips that are expected, in place of scenarios/SCENARIO.skips: see verdict.py
#   -r  of each TEST only the cases that this list has for the scenario, see tests/races
# TESTS="name ..." in the environment runs these of the self tests that the machine can run. What scenarios/list says of .without files is
# left out.
# RESULTDIR gets console.log, output.log, verdict, counts ("PASSED FAILED SKIPPED"), and without: all that was left out. A kernel with KCSAN
# leaves races there, those of the base alone.
# The exit status is 0 when all is well. A machine that has nothing to run is not booted, and counts as "0 0 0".
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

kernel='' results='' slowdown=1 kunit=--kunit alone='' after='' variable='' files='' limit='' patience=240 arguments='' skips='' often=''
only='' program=''
while getopts k:o:x:unc:e:f:t:q:l:a:s:pr: option; do
	case $option in
	k) kernel=$OPTARG ;;
	o) results=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	u) kunit='' ;;
	n) alone=yes ;;
	c) after=$OPTARG ;;
	e) variable=$OPTARG ;;
	f) files=$OPTARG ;;
	t) limit=$OPTARG ;;
	q) patience=$OPTARG ;;
	l) program=$OPTARG ;;
	a) arguments=$OPTARG ;;
	s) skips=$OPTARG ;;
	p) often=often ;;
	r) only=$OPTARG ;;
	*) die "usage: scenario.sh [-k KERNELDIR] [-o RESULTDIR] [-x SLOWDOWN] [-u | -n] [-c COMMAND] [-e SCENARIO:VARIABLE=VALUE]" \
		"[-f FILES] [-t SECONDS] [-q SECONDS] [-l SECONDS] [-a ARGUMENTS] [-s FILE] [-p] [-r LIST] SCENARIO [TEST...]" ;;
	esac
done
shift $((OPTIND - 1))
scenario=${1:?a scenario is needed}
shift
case $variable in
"$scenario":*) variable=${variable#*:} ;;
*) variable='' ;;
esac
results=${results:-$BUILD/test/$scenario}

config=$(scenario_config "$scenario")
conf=$(scenario_conf "$scenario")
target "$config"
kernel=${kernel:-$BUILD/kernel/$config}
known=$(tr '\n' ' ' < "$programs/selftests/mm/kselftest-list")
limit=$((${limit:-$(scenario_value "$conf" timeout)} * slowdown))

rm -rf "$results"
mkdir -p "$results"

# What this machine cannot run, and what its kernel cannot
kind=$(basename "$kernel")
for list in "$TOP/scenarios/$scenario.without" "$TOP/scenarios/configs/$kind.without"; do
	[ ! -f "$list" ] || sed '/^#/d' "$list"
done > "$results/without"
# among NAME LIST
among() {
	case " $2 " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}
if [ $# -eq 0 ] && [ -z "$alone" ]; then
	[ -z "${TESTS:-}" ] || often=''
	tests=$(scenario_tests "$scenario" "$often")
	[ "$tests" != all ] || tests=$known
	for name in ${TESTS:-} $tests; do
		among "$name" "$known" || die "$scenario: no self test is called '$name'; there are: $known"
	done
	for name in ${TESTS:-$tests}; do
		if among "$name" "$tests" && awk -F '\t' -v name="$name" '
			index(" " $1 " ", " " name " ") && $2 == "*" { found = 1 }
			END { exit found }' "$results/without"; then
			set -- "$@" "$name"
		fi
	done
	if [ $# -eq 0 ]; then
		echo "0 0 0" | tee "$results/counts" > "$results/verdict"
		say "$scenario: not booted, none of these runs on it: ${TESTS:-$tests}"
		exit 0
	fi
fi

# others PROGRAM: its cases that the list does not have
others() (
	set -f
	patterns=$(awk -F '\t' -v name="$1" -v scenario="$scenario" \
		'$1 == name && index(" " $3 " ", " " scenario " ") { print $2 }' "$only")
	"$programs/selftests/mm/$1" -l | while read -r name; do
		for pattern in $patterns; do
			# shellcheck disable=SC2254 # a pattern
			case $name in
			$pattern) continue 2 ;;
			esac
		done
		echo "$name"
	done | tr '\n' ' '
)
if [ -n "$only" ]; then
	for test; do
		cases=$(others "$test")
		[ -z "$cases" ] || printf '%s\t%s\tnot in %s\n' "$test" "$cases" "${only#"$TOP/"}"
	done >> "$results/without"
fi

# A host that cannot have the Debian packages which a machine is made with tests the others.
packages=$(scenario_value "$conf" packages)
# shellcheck disable=SC2086 # a list of names
if [ -n "$packages" ] && ! (lock packages && need_packages $packages) > "$results/output.log" 2>&1; then
	echo "SKIP: $(tail -n 1 "$results/output.log")" > "$results/verdict"
	echo "0 0 1" > "$results/counts"
	say "$scenario: not booted, SKIP: $(tail -n 1 "$results/output.log")"
	exit 0
fi

# What is skipped is compared with what is expected. Kernels with checks have less memory left and take longer, so that they skip
# other cases: nobody has committed which.
if [ -z "$skips" ] && [ "$kind" = "$config" ]; then
	skips=$TOP/scenarios/$scenario.skips
	[ -f "$skips" ] || skips=/dev/null
fi

names=$* before=''
if grep -qsx CONFIG_KCSAN=y "$kernel/config"; then
	before="kcsan-closely && " after="${after:+$after; }kcsan-counters"
	set -- "$@" --vmlinux "$kernel/vmlinux" --tree "$BUILD/tree" --races "$results/races"
fi

program=$((${program:-$(sed -n 's/^timeout=//p' "$programs/selftests/mm/settings")} * slowdown))
start=$(date +%s)
status=0
# A machine ends with its first oops: KUnit would wait five minutes for the thread that is gone.
step "$scenario: booting, tests" "$results/output.log" "$TOP/scripts/machine/vm.sh" -s "$scenario" -k "$kernel" -o "$results/console.log" \
	-t "$limit" -q "$patience" -b $((patience * slowdown * 5 / 4)) -l "$program" -a "oops=panic${kunit:+ kunit.enable=1} $arguments" \
	-f "$files $results/without:/etc/without" \
	-r "${before}KSELFTEST_SLOWDOWN=$slowdown ${variable:+$variable }kselftest $names${after:+; $after}" || status=$?

verdict=0
"$TOP/scripts/test/verdict.sh" "$results" "$scenario" $kunit --status "$status" ${skips:+--skips "$skips"} \
	--console "$results/console.log" --output "$results/output.log" "$@" || verdict=$?
if [ "$verdict" -ne 0 ]; then
	# step has shown the output's of a command that failed
	[ "$status" -ne 0 ] || last_lines "$results/output.log"
	# of a kernel that ended itself up to that: what follows is a table of all tasks
	say "$scenario: the end of its console:"
	tr -d '\r' < "$results/console.log" | sed '/Kernel panic/q' > "$results/console.end"
	last_lines "$results/console.end"
	rm "$results/console.end"
fi
read -r passed failed skipped < "$results/counts"
say "$scenario: $passed passed, $failed failed, $skipped skipped ($(($(date +%s) - start)) s, logs in $results)"
exit "$verdict"
