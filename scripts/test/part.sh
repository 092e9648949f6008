#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One part of make test, a machine or one of those on the host: scripts/test/test.sh runs them all, several at a time.
# usage: part.sh [-c CONFIG] [-m MODE] [-x SLOWDOWN] [-l] [-e SCENARIO:VARIABLE=VALUE] -o RESULTDIR PART [TEST...]
#        part.sh -n [-c CONFIG] [-m soak]    the names of the parts on the host: a line of those that take long, and one of the others
# RESULTDIR gets verdict and counts ("PASSED FAILED SKIPPED"), and in time the seconds that it took and those of processor time.
# TEST: of a machine, these kselftests in place of the scenario's. What the parts need is built: kernels, kselftests, tools.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

config=default slowdown=1 leaks='' variable='' results='' names='' mode=''
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

# Those that take longest first. Packages are the same whatever kernel is tested; instructions are counted on the kernel that they are promised
# for, and what a kernel with checks does to its own memory would be measured by the models as well.
if [ -n "$names" ]; then
	only=
	case $config$mode in
	default) only="count deb sim " ;;
	defaultsoak) only="counttwice simtwice " ;;
	esac
	echo "${only}oldcalls parameters clock"
	[ -n "$mode" ] || echo "harness numactl simprograms numasim mpolctl bwactl manpages limits names pool copied rooms cases model figures promises following turns speeds"
	exit
fi
part=${1:?a part is needed}
shift
[ -n "$results" ] || die "part.sh needs -o RESULTDIR"
rm -rf "$results"
mkdir -p "$results"
kernel=$BUILD/kernel/$config machines=$results/machines

# judged COMMAND...: a part on the host, which prints TAP
judged() {
	judged_status=0
	step "$part" "$results/output.log" "$@" || judged_status=$?
	set -- --skips "$TOP/tests/skips"
	[ ! -f "$TOP/tests/skips.$config" ] || set -- "$@" --skips "$TOP/tests/skips.$config"
	"$TOP/scripts/test/verdict.sh" "$results" "$part" --tap "$part" --status "$judged_status" "$@" --output "$results/output.log"
}

run() {
	case $part in
	count) judged "$TOP/scripts/bench/allocation/run.sh" --gate ;;
	counttwice) judged "$TOP/scripts/bench/allocation/run.sh" --twice ;;
	deb) judged "$TOP/tests/deb/packages.sh" ;;
	sim) judged "$TOP/tests/tools/sim.sh" -k "$kernel" -x "$slowdown" ;;
	simtwice) judged "$TOP/tests/tools/sim.sh" -k "$kernel" -x "$slowdown" -2 ;;
	oldcalls) judged "$TOP/scripts/test/old-calls.sh" -k "$kernel" -x "$slowdown" -o "$machines" ;;
	parameters) judged "$TOP/tests/boot/parameters.sh" -k "$kernel" -x "$slowdown" -o "$machines" ;;
	clock) judged "$TOP/tests/harness/clock.sh" -k "$kernel" -x "$slowdown" -o "$machines" ;;
	harness) judged "$TOP/tests/harness/run.sh" -k "$kernel" -x "$slowdown" ;;
	numactl) judged "$TOP/scripts/test/numactl.sh" -k "$kernel" -x "$slowdown" ;;
	simprograms) judged "$TOP/tests/tools/sim-programs.sh" ;;
	numasim) judged "$TOP/tests/tools/numasim.sh" ;;
	mpolctl) judged "$TOP/tests/tools/mpolctl.sh" "$BUILD/tools/mpolctl" ;;
	bwactl) judged "$TOP/tests/tools/bwactl.sh" "$BUILD/tools/bwactl" ;;
	manpages) judged "$TOP/tests/tools/man-pages.sh" "$TOP/tools/mm" ;;
	limits) judged "$TOP/tests/harness/limits.sh" ;;
	names) judged "$TOP/tests/harness/names.sh" ;;
	pool) judged "$TOP/tests/harness/pool.sh" ;;
	cases) judged "$TOP/tests/harness/cases.py" ;;
	rooms) judged "$TOP/tests/tree/rooms.sh" ;;
	copied) judged "$TOP/tests/tree/copied.sh" ;;
	model) judged "$TOP/scripts/bench/machines/test.py" ;;
	figures) judged "$TOP/scripts/bench/allocation/test.py" ;;
	promises) judged "$TOP/scripts/bench/tiering/test.py" ;;
	following) judged "$TOP/scripts/bench/migration/test.py" ;;
	turns) judged "$TOP/scripts/bench/channels/test.py" ;;
	speeds) judged "$TOP/scripts/bench/sim/test.py" ;;
	*)
		# What repeats takes other random calls each time; their seed is printed.
		[ "$mode" != soak ] || variable=${variable:-$part:MEMPOLICY2_SEED=$(date +%s)}
		"$TOP/scripts/test/scenario.sh" -k "$kernel" -x "$slowdown" -o "$results" ${leaks:+-c "$leaks"} ${variable:+-e "$variable"} \
			"$part" "$@"
		;;
	esac
}

# What is said beside other parts says which one it is of.
export STEP_PREFIX="  $part: "
start=$(date +%s) status=0
run "$@" || status=$?
times > "$results/times"
echo "$(($(date +%s) - start)) $(processor_time "$results/times")" > "$results/time"
rm "$results/times"
exit $status
