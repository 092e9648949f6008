#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The main job: boots a machine with fast and slow memory, sets weights, runs a program, shows and checks where its pages went.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

[ -z "${SCENARIO:-}" ] || {
	config=$(scenario_config "$SCENARIO")
	die "make run has a machine of its own; make vm SCENARIO=$SCENARIO boots that one, with the $config kernel"
}
verbose=${VERBOSE:-0}
case $verbose in
0 | 1) ;;
*) die "VERBOSE is '$verbose': it is 1, or not given" ;;
esac
"$TOP/scripts/host/setup.sh"
"$TOP/scripts/kernel/kernel.sh"
"$TOP/scripts/kernel/selftests.sh"
"$TOP/scripts/kernel/tools.sh"
say "booting the scenario steady: node 0 is fast memory beside the CPU, node 1 slower memory as behind a CXL link;" \
	"its clock counts instructions"
say
colours=0
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	colours=1
fi

# In few lines, or with VERBOSE=1 all that the machine prints
shown() {
	if [ "$verbose" -eq 1 ]; then
		cat
	else
		live_awk -v colours="$colours" -f "$TOP/scripts/test/show.awk"
	fi
}

# The pipe has the reader's status.
result=$BUILD/vm/run.status
mkdir -p "$BUILD/vm"
rm -f "$result"
{
	status=0
	"$TOP/scripts/machine/vm.sh" -s steady -o "$BUILD/vm/run.console.log" \
		-r 'show-interleave && echo && show-promotion' 2>&1 || status=$?
	say
	if [ "$status" -eq 0 ]; then
		say "PASS: every node got its share of the pages, for all five pairs of weights, and a command its own ratio;" \
			"hot pages came to fast memory"
	else
		say "FAIL: a split or a placement is not the expected one, or the machine failed (status $status);" \
			"console: $BUILD/vm/run.console.log; make run VERBOSE=1 shows it as it comes"
	fi
	echo "$status" > "$result"
} | shown
[ "$(cat "$result" 2>/dev/null)" = 0 ]
