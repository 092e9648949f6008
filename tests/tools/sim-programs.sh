#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the programs of tools/numasim that run in the modelled machine, on this one: here they measure this machine, so it is what they
# refuse, the form of what they print and what they do to memory that is tested. Prints TAP.
set -u
tests=$(dirname "$0")
. "$tests/../../scripts/lib/lib.sh"
set +e

out=$BUILD/numasim
log=$BUILD/log/numasim.log
mkdir -p "$BUILD/log"
(
	lock numasim
	make -C "$TOP/tools/numasim" OUTPUT="$out/" all "$out/guest-unit"
) > "$log" 2>&1 || {
	tail -n 5 "$log" | sed 's/^/# /'
	echo "Bail out! tools/numasim does not compile"
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
program=
. "$tests/../../scripts/lib/tap.sh"

# Runs $program; leaves $status and the files out and err
run() {
	status=0
	"$out/guest/$program" "$@" > "$work/out" 2> "$work/err" < /dev/null || status=$?
}

# prints AWK ARGUMENT...: success, and AWK, a condition for the end, holds of the lines; number(TEXT, N) of a number with N digits, 0 or 2,
# behind the point
prints() {
	condition=$1
	shift
	run "$@"
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ] && awk '
	function number(text, digits) {
		return text > 0 && text ~ (digits == 2 ? "^[0-9]+[.][0-9][0-9]$" : "^[0-9]+$")
	}
	{ line[NR] = $0; fields[NR] = NF; for (i = 1; i <= NF; i++) word[NR, i] = $i }
	END { exit !('"$condition"') }' "$work/out"
	result $? "$program $*: prints what it should"
}

# The nodes of this machine that have memory are 0 and maybe others, never this one.
missing=63

test_common() {
	run -h
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ] && [ "$(wc -l < "$work/out")" -eq 1 ] &&
		grep -q "^usage: $program \[-p|-b POLICY\]" "$work/out"
	result $? "$program -h: prints its options"
	refused 1 "usage: $program [" -x
	refused 1 "usage: $program [" -m
	refused 1 "usage: $program [" -m 1 more
	for option in -p -b; do
		refused 1 "'local' is no policy" $option local
		refused 1 "'defaults' is no policy" $option defaults
		refused 1 "'' is no policy" $option ''
		refused 1 "'bind:': a node is a number" $option bind:
		refused 1 "'bind:0,': a node is a number" $option bind:0,
		refused 1 "'interleave:0;1': nodes are separated by commas" $option 'interleave:0;1'
		refused 1 "'weighted:64': a node is a number from 0 to 63" $option weighted:64
		refused 1 "'bind:0,$missing': node $missing has no memory" $option bind:0,$missing
		refused 1 "'weights:0': a node has to have a weight" $option weights:0
		refused 1 "'weights:0*0': a node has to have a weight" $option 'weights:0*0'
		refused 1 "'weights:0*256': a node has to have a weight" $option 'weights:0*256'
		refused 1 "'weights:0*1 ': nodes are separated by commas" $option 'weights:0*1 '
	done
	refused 1 "'runs:0': a node has to have a weight" -b runs:0
	refused 1 "'runs:0*1' is for arrays: -b" -p 'runs:0*1'
	for number in 0 -1 1k '' 4294967297 65537; do
		refused 1 "'$number' is not a number from 1 to 65536" -m "$number"
	done
}

test_threads() {
	refused 1 "'0' is not a number from 1 to 8" -t 0
	refused 1 "'9' is not a number from 1 to 8" -t 9
	if [ "$(nproc)" -lt 8 ]; then
		refused 1 "need as many CPUs, and there are $(nproc)" -m 1 -t 8
	else
		skip "$program with more threads than CPUs" "there are CPUs for all"
	fi
}

test_stream() {
	program=sim-stream
	form='NR == 4 && line[1] ~ /^copy / && line[2] ~ /^scale / && line[3] ~ /^add / && line[4] ~ /^triad / &&
		number(word[1, 2], 2) && number(word[2, 2], 2) && number(word[3, 2], 2) && number(word[4, 2], 2)'
	test_common
	test_threads
	refused 1 "'0' is not a number from 1 to 1000" -n 0
	prints "$form" -m 1 -n 1
	prints "$form" -m 3 -n 1 -t 2 -b default
}

test_chase() {
	program=sim-chase
	test_common
	refused 1 "'0' is not a number from 1 to 1000" -n 0
	prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 2)' -m 1
	prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 2)' -m 1 -n 3 -b default
}

test_both() {
	program=sim-both
	test_common
	test_threads
	refused 1 "'0' is not a number from 1 to 1000" -n 0
	refused 1 "'0' is not a number from 1 to 65536" -c 0
	prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 2)' -c 1 -m 1 -n 1
	prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 2)' -c 1 -m 3 -n 2 -t 2 -b default
}

test_mix() {
	program=sim-mix
	test_common
	test_threads
	for mix in 0:0 2 2: :1 2:1: 2/1 101:1 -1:1; do
		refused 1 "'$mix' is not READS:WRITES" -r "$mix"
	done
	for mix in 2:1 1:0 0:1 100:100; do
		prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 2)' -m 1 -n 1 -t 2 -r $mix
	done
	prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 2)' -b default
}

test_loaded() {
	program=sim-loaded
	test_common
	test_threads
	refused 1 "it takes 2 threads" -t 1
	for rates in '' ',' '1,' ',1' '1,,2' -1 k 1000001; do
		refused 1 "'$rates': a rate is a number from 0 to 1000000" -d "$rates"
	done
	refused 1 "'1;2': rates are separated by commas" -d '1;2'
	refused 1 "more than 64 rates" -d "$(seq -s , 65)"
	prints 'NR == 3 && fields[1] == 3 && fields[2] == 3 && fields[3] == 3 &&
		word[1, 1] == "500" && word[2, 1] == "0" && word[3, 1] == "20" &&
		number(word[1, 2], 2) && number(word[2, 2], 2) && number(word[3, 3], 2)' -m 4 -d 500,0,20 -b default
	prints 'NR == 10 && word[1, 1] == 1000 && word[10, 1] == 0' -m 4
}

test_lookup() {
	program=sim-lookup
	test_common
	test_threads
	refused 1 "'0' is not a number from 1 to 1024" -c 0
	refused 1 "'1025' is not a number from 1 to 1024" -c 1025
	refused 1 "'0' is not a number from 1 to 1000000000" -n 0
	for nuclides in 1 3 68 1024; do
		prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 0)' -m 2 -n 1000 -t 2 -c $nuclides
	done
	prints 'NR == 1 && fields[1] == 1 && number(word[1, 1], 0)' -n 1 -b default
}

test_access() {
	program=sim-access
	# A share is a percentage, or not known.
	form='word[NR, 1] == "mean" && fields[NR] == 2 && number(word[NR, 2], 0)'
	share='(word[2, 3] == "-" || word[2, 3] ~ /^[0-9]+[.][0-9]$/ && word[2, 3] <= 100)'
	test_common
	test_threads
	for seconds in 0 0.0001 -1 1s '' 0x10 1e9 1000001 .; do
		refused 1 "'$seconds' is not a number of seconds" -s "$seconds"
		refused 1 "'$seconds' is not a number of seconds" -i "$seconds"
	done
	refused 1 "'gauss' is not normal, zipf, uniform or groups" -d gauss
	refused 1 "'' is not normal, zipf, uniform or groups" -d ''
	for distribution in normal zipf uniform groups; do
		prints "NR == 4 && $form && $share &&"' fields[2] == 3 && word[1, 1] == 0.04 && word[2, 1] == 0.08 && word[3, 1] == 0.1 &&
			number(word[1, 2], 0) && word[NR, 2] > 0.1 * word[1, 2] && word[NR, 2] < 10 * word[1, 2]' \
			-m 16 -s 0.1 -i 0.04 -d $distribution -t 2
	done
	prints "NR == 2 && $form && word[1, 1] == 0.05" -s 0.05 -b default
}

test_run() {
	program=sim-run
	refused 1 "usage: sim-run COMMAND"
	refused 1 "$work/missing: No such file or directory" "$work/missing"
	run sh -c 'echo here; exit 3'
	[ "$status" -eq 3 ] && [ "$(cat "$work/out")" = here ]
	result $? "sim-run ends as the command did"
	# shellcheck disable=SC2016 # it is the other shell's process
	run sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
	result $? "sim-run says by which signal the command ended"
}

# The tests of what the programs are made of, as results of this test
test_parts() {
	"$out/guest-unit" > "$work/unit"
	status=$?
	: > "$work/out"
	: > "$work/err"
	while IFS= read -r line; do
		case $line in
		"ok "*) result 0 "${line#ok * }" ;;
		"not ok "*) result 1 "${line#not ok * }" ;;
		esac
	done < "$work/unit"
	grep -q '^1\.\.' "$work/unit" && [ "$status" -le 1 ]
	result $? "the tests of the programs' parts come to their end"
}

test_parts
test_run
test_chase
if [ "$(taskset -cp $$ 2> /dev/null | sed 's/.*: //; s/[-,].*//')" = 0 ] && [ "$(nproc)" -ge 2 ]; then
	test_stream
	test_both
	test_mix
	test_loaded
	test_lookup
	test_access
else
	skip "programs with two threads" "CPUs 0 and 1 are not both there"
fi
echo "1..$count"
[ "$failed" -eq 0 ]
