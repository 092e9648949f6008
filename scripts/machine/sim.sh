#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Boots the kernel on a machine whose memory has the speeds that its scenario says, and runs a command there, or a shell without one.
# usage: sim.sh [-s SCENARIO] [-f "host[:guest] ..."] [-r COMMAND]
#        sim.sh -p
# SCENARIO is a file of scenarios/sim, socket without it, or a machine of scenarios/list. Memory is fast until sim-run runs a command;
# COMMAND is run by it. -p only prepares QEMU and the plugin. The exit status is vm.sh's; 4, after a line with the reason, where QEMU 10.0
# cannot be had.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

scenario=socket files='' command='' prepare=''
while getopts s:f:r:p option; do
	case $option in
	s) scenario=$OPTARG ;;
	f) files=$OPTARG ;;
	r) command=$OPTARG ;;
	p) prepare=yes ;;
	*) die 'usage: sim.sh [-s SCENARIO] [-f "host[:guest] ..."] [-r COMMAND] | -p' ;;
	esac
done

if [ ! -f "$TOP/scenarios/sim/$scenario.conf" ] && [ ! -f "$TOP/scenarios/$scenario.conf" ]; then
	(cd "$TOP/scenarios/sim" && printf '%s\n' *.conf) | sed 's/\.conf$//' >&2
	scenario_config "$scenario"
fi
need_packages gcc libc6-dev make qemu-system-x86 >&2
status=0
found=$("$TOP/scripts/machine/sim-qemu.sh") || status=$?
if [ "$status" -ne 0 ]; then
	echo "$found"
	exit "$status"
fi
(
	lock numasim
	step "building the model" "$BUILD/log/numasim.log" make -C "$TOP/tools/numasim" OUTPUT="$BUILD/numasim/" all
) >&2 || die "tools/numasim does not build"
[ -z "$prepare" ] || exit 0

[ ! -f "$TOP/scenarios/sim/$scenario.conf" ] || scenario=sim/$scenario
"$TOP/scripts/kernel/kernel.sh" -s "$scenario" >&2
"$TOP/scripts/kernel/tools.sh" -s "$scenario" >&2
set -- -m -s "$scenario"
if [ -n "$command" ]; then
	work=$(mktemp)
	trap 'rm -f "$work"' EXIT
	trap 'exit 130' INT TERM
	printf '%s\n' "$command" > "$work"
	set -- "$@" -f "$files $work:/etc/sim-command" -r "sim-run sh /etc/sim-command"
else
	set -- "$@" -f "$files"
fi
status=0
"$TOP/scripts/machine/vm.sh" "$@" || status=$?
exit "$status"
