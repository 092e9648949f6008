#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One part of make test, a machine or one of those on the host: scripts/test/test.sh runs them all, several at a time.
# usage: part.sh [-c CONFIG] [-m MODE] [-x SLOWDOWN] [-l] [-e SCENARIO:VARIABLE=VALUE] -o RESULTDIR PART [TEST...]
#        part.sh -n [-c CONFIG] [-m MODE]    the names of the parts in scripts/test/list, what each needs, and "once";
#                                            "machines" stands for those
# A part on the host that hangs is ended, see scripts/lib/watch.py: PART_QUIET in the environment is its seconds, 300 without it.
# RESULTDIR gets verdict and counts ("PASSED FAILED SKIPPED"), and in time the seconds that it took and those of processor time.
# TEST: of a machine, these kselftests in place of the scenario's. What the parts need is built: kernels, kselftests, tools.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

config=default slowdown=1 leaks='' variable='' results='' names='' mode='' races=''
while getopts c:x:le:o:nm: option; do
	case $option in
	c) config=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	l) leaks=kmemleak-scan ;;
	e) variable=$OPTARG ;;
	o) results=$OPTARG ;;
	n) names=yes ;;
	m) mode=$OPTARG ;;
	*) die "usage: part.sh [-c CONFIG] [-m MODE] [-x SLOWDOWN] [-l] [-e SCENARIO:VARIABLE=VALUE] -o RESULTDIR PART [TEST...]" ;;
	esac
done
shift $((OPTIND - 1))

list=$TOP/scripts/test/list bench=$TOP/scripts/bench
# Packages are the same whatever kernel is tested; instructions are counted on the kernel that they are promised for, and what a kernel with
# checks does to its own memory would be measured by the models as well.
runs=${mode:-test}
[ "$config$mode" = default ] || [ -n "$mode" ] || runs=debug
if [ -n "$names" ]; then
	rows "$list" | awk -F '\t' -v runs=" $runs " '$1 == "machines" || index(" " $2 " ", runs) {
		print $1, $3 ($2 ~ / once$/ ? " once" : "")
	}'
	case $runs in
	test | debug)
		rows "$bench/list" | cut -f 1 | while read -r name; do
			[ ! -f "$bench/$name/test.py" ] || echo "bench-$name -"
		done
		;;
	esac
	exit
fi
part=${1:?a part is needed}
shift
[ -n "$results" ] || die "part.sh needs -o RESULTDIR"
rm -rf "$results"
mkdir -p "$results"
# shellcheck disable=SC2034 # for the commands of the table
[ "$runs" = soak ] && ask=-b || ask=''
# shellcheck disable=SC2034 # as above
kernel=$BUILD/kernel/$config machines=$results/machines

# judged COMMAND...: a part on the host, which prints TAP
judged() {
	judged_status=0
	judged_log=$results/output.log
	step "$part" "$judged_log" "$TOP/scripts/lib/watch.py" --quiet "${PART_QUIET:-300}" --log "$judged_log" "$@" || judged_status=$?
	set -- --status "$judged_status" --output "$judged_log" --skips "$TOP/tests/skips"
	[ ! -f "$TOP/tests/skips.$config" ] || set -- "$@" --skips "$TOP/tests/skips.$config"
	"$TOP/scripts/test/verdict.sh" "$results" "$part" --tap "$part" "$@" && return
	# step has shown them of a command that failed
	[ "$judged_status" -ne 0 ] || last_lines "$judged_log"
	return 1
}

run() {
	case $part in
	bench-*)
		judged "$bench/${part#bench-}/test.py"
		return
		;;
	esac
	command=$(field "$list" "$part" 4)
	if [ -n "$command" ]; then
		# Words of the table, in which the shell's variables stand
		eval "judged \"\$TOP/\"$command"
	else
		# What repeats takes other random calls each time; their seed is printed.
		[ "$mode" != soak ] || variable=${variable:-$part:MEMPOLICY2_SEED=$(date +%s)}
		often=''
		[ "$runs" != test ] || often=yes
		[ "$mode" != races ] || races=$TOP/tests/races
		[ "$config" != default ] || kernel=$BUILD/kernel/$(scenario_config "$part")
		"$TOP/scripts/test/scenario.sh" -k "$kernel" -x "$slowdown" -o "$results" ${leaks:+-c "$leaks"} \
			${variable:+-e "$variable"} ${often:+-p} ${races:+-r "$races"} "$part" "$@"
	fi
}

# What is said beside other parts says which one it is of.
export STEP_PREFIX="  $part: "
# What a part builds belongs to the part.
unset STEP_TIMES
start=$(date +%s) status=0
run "$@" || status=$?
times > "$results/times"
echo "$(($(date +%s) - start)) $(processor_time "$results/times")" > "$results/time"
rm "$results/times"
exit $status
