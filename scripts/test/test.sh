#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Every test: set-up, kernel, then in one pool each scenario (KUnit at boot, then kselftests) and what there is to test on the host, which
# scripts/test/list has.
# usage: test.sh [-c CONFIG] [-x SLOWDOWN] [-l] [-e SCENARIO:VARIABLE=VALUE] [-m MODE] [-n ROUNDS]
#   -l  looks for memory leaks after the tests    -e  for the environment of the kselftests of one scenario
#   -m  soak: all machines, and what shows that two runs are the same; timed, races: the programs of tests/timed or of tests/races, on the
#       machines that stand there
#       coverage: all machines, and what else boots a kernel to reach lines of ours
#   -n  each part that many times, but for those that repeat themselves
# ONLY="name ..." in the environment runs these of the scenarios and of the parts on the host; TESTS="name ..." these kselftests.
# The last line is "N passed, N failed, N skipped"; the exit status is 0 when something passed and nothing failed.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

config=default slowdown=1 leaks='' variable='' mode='' rounds=1
usage="usage: test.sh [-c CONFIG] [-x SLOWDOWN] [-l] [-e SCENARIO:VARIABLE=VALUE] [-m MODE] [-n ROUNDS]"
while getopts c:x:le:m:n: option; do
	case $option in
	c) config=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	l) leaks=-l ;;
	e) variable=$OPTARG ;;
	m) mode=$OPTARG ;;
	n) rounds=$OPTARG ;;
	*) die "$usage" ;;
	esac
done
results=$BUILD/test/${mode:-$config}
# of two kernels
[ "$mode" != coverage ] || results=$BUILD/test/$config
started=$(date +%s)
case $rounds in
'' | *[!0-9]* | 0*) die "ROUNDS is '$rounds': it is a number, from 1" ;;
esac

# Machines of the kernel's architecture; what else there is to test is for this one. A machine that has a kernel of its own is one for the
# default kernel's run only: with another one it would be a second machine of its kind, unless that has the layer which makes this one.
target "$config"
tested=$arch
scenarios=$(sed '/^#/d; s/[[:space:]].*//' "$TOP/scenarios/list" | while read -r name; do
	own=$(scenario_config "$name")
	target "$own"
	[ "$arch" = "$tested" ] || continue
	case $own in
	default | "$config") ;;
	*) [ "$config" = default ] || config_has "$config" "$(scenario_value "$TOP/scenarios/$name.conf" layer)" || continue ;;
	esac
	echo "$name"
done)
listed="machines -"
case $mode in
timed | races) chosen=tests/$mode ;;
*) chosen='' ;;
esac
if [ -z "$compiler$chosen" ]; then
	listed=$("$TOP/scripts/test/part.sh" -n -c "$config" ${mode:+-m "$mode"})
fi

# Asked before anything is built: what is not there would not be missed otherwise.
known TESTS "$(selftest_names)"
[ -z "${SCENARIO:-}" ] || {
	known SCENARIO "$scenarios"
	die "SCENARIO is for make vm and make sim; machines to test are named as ONLY=\"$SCENARIO\""
}
case $mode in
'' | soak | coverage | timed | races) ;;
*) die "$usage" ;;
esac
if [ -n "$chosen" ]; then
	[ -z "${TESTS:-}" ] || die "TESTS: which programs run stands in $chosen"
	# PROGRAM<tab>CASES<tab>MACHINES<tab>WHY
	programs_of=$(awk -F '\t' '!/^#/ && NF {
		n = split($3, names, /[ ,]+/)
		for (i = 1; i <= n; i++)
			print names[i], $1
	}' "$TOP/$chosen" | sort -u)
	scenarios=$(echo "$programs_of" | cut -d ' ' -f 1 | sort -u)
fi
names=$(echo "$listed" | while read -r name _; do
	[ "$name" = machines ] && echo "$scenarios" || echo "$name"
done)
known ONLY "$names"

# wanted PART
wanted() {
	[ -n "${ONLY:-}" ] || return 0
	case " $(echo "$ONLY" | tr '\n\t' '  ') " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

# parts: what is to run, a line "RESULTDIR PART [TEST...]" each, in this order.
parts() {
	round=0
	while [ "$round" -lt "$rounds" ]; do
		round=$((round + 1))
		for name in $names; do
			wanted "$name" || continue
			[ "$round" -eq 1 ] || ! echo "$listed" | grep -q "^$name .* once$" || continue
			dir=$name
			[ "$rounds" -eq 1 ] || dir=$name.$round
			echo "$dir $name $(echo "${programs_of:-}" | sed -n "s/^$name //p" | tr '\n' ' ')"
		done
	done | sed 's/ *$//'
}

# whole DIRECTORY: there are counts, something was counted, and there is a verdict that says the same. With TESTS a machine may have nothing
# to run.
whole() {
	[ "$(grep -cxE '[0-9]+ [0-9]+ [0-9]+' "$1/counts" 2>/dev/null)" = 1 ] && [ "$(wc -l < "$1/counts")" -eq 1 ] &&
		[ -f "$1/verdict" ] || return 1
	[ -n "${TESTS:-}" ] || ! grep -qx '0 0 0' "$1/counts" || return 1
	# the second of three numbers
	case $(cut -d ' ' -f 2 "$1/counts"):$(grep -c '^FAIL: ' "$1/verdict") in
	0:0 | [!0]*:[!0]*) ;;
	*) return 1 ;;
	esac
}

# Everything that failed once more, and the counts. A part that has left none has failed.
summary() {
	while read -r dir name _; do
		whole "$results/$dir" || {
			mkdir -p "$results/$dir"
			echo "FAIL: no verdict: it did not end, or not as it should" > "$results/$dir/verdict"
			echo "0 1 0" > "$results/$dir/counts"
		}
		# with what it says of each, if that is little
		awk -v dir="$dir" '/^FAIL: / { sub(/^FAIL: /, "FAIL: " dir ": "); print; rest = 4; next }
			/^      / && rest-- > 0 { print; next } { rest = 0 }' "$results/$dir/verdict"
	done < "$results/parts"
	while read -r dir name _; do
		cat "$results/$dir/counts"
	done < "$results/parts" |
		awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f || !p }'
}

# A run that cannot go on is a failure like any other.
cannot() {
	mkdir -p "$results/setup"
	echo "FAIL: $1" > "$results/setup/verdict"
	echo "0 1 0" > "$results/setup/counts"
	echo "setup setup" > "$results/parts"
	summary
	exit 1
}

rm -rf "$results"
mkdir -p "$results"
export STEP_TIMES="${STEP_TIMES:-$results/steps}"
"$TOP/scripts/host/setup.sh" || cannot "set-up"
"$TOP/scripts/kernel/kernel.sh" -c "$config" || cannot "the $config kernel does not build"
parts > "$results/parts"
if [ "$config" = default ]; then
	# shellcheck disable=SC2013 # words
	for own in $(for name in $(cut -d ' ' -f 2 "$results/parts"); do
		! echo "$scenarios" | grep -qx "$name" || scenario_config "$name"
	done | sort -u); do
		[ "$own" = default ] || "$TOP/scripts/kernel/kernel.sh" -c "$own" || cannot "the $own kernel does not build"
	done
fi
"$TOP/scripts/kernel/selftests.sh" -c "$config" || cannot "the kselftests do not build"
"$TOP/scripts/kernel/tools.sh" -c "$config" || cannot "the tools do not build"
for name in $(echo "$listed" | awk '$2 == "base" { print $1 }'); do
	# What several parts need is built before, with all processors.
	ask=''
	[ "$mode" != soak ] || ask=-b
	! "$TOP/scripts/kernel/answers.sh" $ask > /dev/null || break
	if grep -q " $name$" "$results/parts"; then
		"$TOP/scripts/kernel/kernel.sh" -b || cannot "the base kernel does not build"
		break
	fi
done

# Half as many again at a time as there are processors, as some of them sleep, if there are 2 GiB of memory for each. A part that is killed
# takes no other with it: make goes on, even if it is the shell of its recipe.
workers=$((($(nproc) * 3 + 1) / 2))
memory=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo)
[ "$memory" -gt 2 ] || memory=2
[ "$workers" -le "$memory" ] || workers=$memory
say "$(wc -l < "$results/parts") parts, $workers at a time"
export POOL_RESULTS="$results"
export POOL_PART="$TOP/scripts/test/part.sh -c $config -x $slowdown $leaks ${mode:+-m $mode} ${variable:+-e $variable}"
awk '{
	all = all " " $1
	recipes = recipes $1 ":\n\t@$$POOL_PART -o \"$$POOL_RESULTS\"/" $0 " < /dev/null || :\n"
}
END {
	print ".PHONY: all" all "\nall:" all "\n" recipes
}' "$results/parts" | make -s -k -j "$workers" -f - || true

times > "$results/times"
"$TOP/scripts/test/dearest.sh" "$results" || true
say "all tests took $(($(date +%s) - started)) s, $(processor_time "$results/times") s of processor time; logs in $results"
summary
