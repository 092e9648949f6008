#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Every test: set-up, kernel, each scenario (KUnit at boot, then kselftests), the proof of the harness, the tools, numactl,
# the model of memory nodes and the machine that has it, the old calls compared with the base kernel's, boot parameters, the packages, instruction counts.
# usage: test.sh [-c CONFIG] [-x SLOWDOWN] [-l] [-e SCENARIO:VARIABLE=VALUE]
#   -l  looks for memory leaks after the tests    -e  for the environment of the kselftests of one scenario
# ONLY="name ..." in the environment runs these of the scenarios and of harness, numactl, mpolctl, bwactl, manpages, numasim, simprograms, sim, model, figures, promises, following, turns, speeds, oldcalls, parameters, deb, count; TESTS="name ..." these kselftests.
# The last line is "N passed, N failed, N skipped"; the exit status is 0 when something passed and nothing failed.
set -eu
. "$(dirname "$0")/lib.sh"

config=default slowdown=1 leaks='' variable=''
while getopts c:x:le: option; do
	case $option in
	c) config=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	l) leaks=kmemleak-scan ;;
	e) variable=$OPTARG ;;
	*) die "usage: test.sh [-c CONFIG] [-x SLOWDOWN] [-l] [-e SCENARIO:VARIABLE=VALUE]" ;;
	esac
done
kernel=$BUILD/kernel/$config
results=$BUILD/test/$config
started=$(date +%s)

# Machines of the kernel's architecture; what else there is to test is for this one.
target "$config"
tested=$arch
scenarios=$(sed '/^#/d; s/[[:space:]].*//' "$TOP/scenarios/list" | while read -r name; do
	target "$(scenario_config "$name")"
	[ "$arch" != "$tested" ] || echo "$name"
done)
parts=$scenarios
[ -n "$compiler" ] || parts="$scenarios harness numactl mpolctl bwactl manpages numasim simprograms sim model figures promises following turns speeds oldcalls parameters deb count"
for name in ${ONLY:=$parts}; do
	case " $(echo "$parts" | tr '\n' ' ')" in
	*" $name "*) ;;
	*) die "ONLY: '$name' is none of: $(echo "$parts" | tr '\n' ' ')" ;;
	esac
done
wanted() {
	case " $(echo "$ONLY" | tr '\n' ' ') " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

# Everything that failed once more, and the counts
summary() {
	find "$results" -name verdict | sort | while read -r verdict; do
		sed -n "s|^FAIL: |FAIL: $(basename "$(dirname "$verdict")"): |p" "$verdict"
	done
	find "$results" -name counts -exec cat {} + |
		awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f || !p }'
}
# A run that cannot go on is a failure like any other.
cannot() {
	mkdir -p "$results/setup"
	echo "0 1 0" > "$results/setup/counts"
	say "FAIL: $1"
	summary
	exit 1
}

rm -rf "$results"
mkdir -p "$results"
"$TOP/scripts/setup.sh" || cannot "set-up"
"$TOP/scripts/kernel.sh" -c "$config" || cannot "the $config kernel does not build"
"$TOP/scripts/test-selftests.sh" -c "$config" || cannot "the kselftests do not build"
"$TOP/scripts/tools.sh" -c "$config" || cannot "the tools do not build"

# Two machines at a time.
for name in $scenarios; do
	! wanted "$name" || echo "$name"
done | xargs -r -P 2 -I NAME "$TOP/scripts/test-scenario.sh" -k "$kernel" -x "$slowdown" -o "$results/NAME" ${leaks:+-c "$leaks"} \
	${variable:+-e "$variable"} NAME || true
for name in $scenarios; do
	! wanted "$name" || [ -s "$results/$name/counts" ] || {
		mkdir -p "$results/$name"
		echo "0 1 0" > "$results/$name/counts"
		say "FAIL: $name has no verdict"
	}
done

# host_test NAME COMMAND...: a test that prints TAP on the host
host_test() {
	name=$1
	shift
	wanted "$name" || return 0
	mkdir -p "$results/$name"
	status=0
	step "$name" "$results/$name/output.log" "$@" || status=$?
	python3 "$TOP/scripts/verdict.py" --parser "$BUILD/base/tools/testing/kunit" --tap "$name" --status "$status" \
		--output "$results/$name/output.log" > "$results/$name/verdict" || true
	tail -n 1 "$results/$name/verdict" > "$results/$name/counts"
	sed '$d' "$results/$name/verdict" | sed "s/^/  $name: /"
}
host_test harness "$TOP/tests/harness/run.sh" -k "$kernel" -x "$slowdown"
host_test mpolctl "$TOP/tests/tools/mpolctl.sh" "$BUILD/tools/mpolctl"
host_test bwactl "$TOP/tests/tools/bwactl.sh" "$BUILD/tools/bwactl"
host_test manpages "$TOP/tests/tools/man-pages.sh" "$TOP/tools/mm"
host_test numasim "$TOP/tests/tools/numasim.sh"
host_test simprograms "$TOP/tests/tools/sim-programs.sh"
host_test model "$TOP/tests/tools/bench-model.py"
host_test figures "$TOP/tests/tools/counts.py"
host_test promises "$TOP/tests/tools/bench-tiering.py"
host_test following "$TOP/tests/tools/bench-migration.py"
host_test turns "$TOP/tests/tools/bench-channels.py"
host_test speeds "$TOP/tests/tools/bench-sim.py"
host_test oldcalls "$TOP/scripts/old-calls.sh" -k "$kernel" -x "$slowdown" -o "$results/old-calls"
host_test parameters "$TOP/tests/boot/parameters.sh" -k "$kernel" -x "$slowdown" -o "$results/boot-parameters"
host_test numactl "$TOP/scripts/numactl.sh" -k "$kernel" -x "$slowdown"

# The packages are the same whatever kernel is tested.
[ "$config" != default ] || host_test deb "$TOP/tests/deb/packages.sh"

# What a kernel with checks does to its own memory would be measured as well.
[ "$config" != default ] || host_test sim "$TOP/tests/tools/sim.sh" -k "$kernel" -x "$slowdown"

# Instructions are counted on the kernel that they are promised for.
if [ "$config" = default ] && [ -x "$TOP/scripts/insn-count.sh" ]; then
	host_test count "$TOP/scripts/insn-count.sh" --gate
fi

say "all tests took $(($(date +%s) - started)) s; logs in $results"
summary
