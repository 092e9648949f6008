#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Every benchmark: instructions and fidelity of allocation, modelled machines, the system, tiering, automatic migration, memory
# channels, machines whose slow memory is slow; then one page of all. out/bench gets PART.txt, PART.csv and index.html. Parts that
# are not deterministic say so there.
# ONLY="name ..." in the environment runs these of the parts allocation, machines, system, tiering, migration, channels and sim;
# PEERS="version ..." measures Debian's linux-source-VERSION, such as 6.12, beside this kernel and its base. The exit status is 1
# when something promised does not hold.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

[ $# -eq 0 ] || die "usage: bench.sh, with ONLY= and PEERS= in the environment"
parts="allocation machines system tiering migration channels sim"
known ONLY "$parts"
: "${ONLY:=$parts}"
wanted() {
	case " $(echo "$ONLY" | tr '\n' ' ') " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

begin=$(date +%s)
mkdir -p "$TOP/out/bench" "$BUILD/bench"
"$TOP/scripts/host/setup.sh"
"$TOP/scripts/kernel/kernel.sh"
"$TOP/scripts/kernel/kernel.sh" -b
peers=''
for version in ${PEERS:-}; do
	"$TOP/scripts/kernel/kernel.sh" -v "$version"
	peers="$peers peer-$version"
done
command="make bench${PEERS:+ PEERS=\"$PEERS\"}"

failed=''
# part NAME COMMAND...: one part; what ran it, and on what, stands in out/bench/NAME.about
part() {
	name=$1
	shift
	wanted "$name" || return 0
	rm -f "$TOP/out/bench/$name".*
	{
		echo "command: $command ONLY=$name"
		for kernel in default-base default $peers; do
			strings -n 12 "$BUILD/kernel/$kernel/vmlinux" | sed -n "s/^Linux version \([^ ]*\) .*(\(gcc[^,]*\),.*/kernel $kernel: \1, \2/p" |
				head -n 1
		done
		echo "base: $(sed -n 's/^name //p' "$BUILD/base.stamp")"
		for version in ${PEERS:-}; do
			echo "peer: $(cat "$BUILD/peer-$version.stamp")"
		done
		echo "series: commit $(git -C "$TOP" rev-parse --short=12 HEAD)$(git -C "$TOP" diff --quiet HEAD || echo ', with changes')"
		echo "configuration: tinyconfig with scenarios/configs/default.config"
		emulator=qemu-system-x86_64
		[ "$name" != sim ] || ! root=$("$TOP/scripts/machine/sim-qemu.sh") || emulator=$root/usr/bin/$emulator
		echo "emulator: $("$emulator" --version | head -n 1)"
	} > "$TOP/out/bench/$name.about"
	"$@" || failed="$failed $name"
}
# shellcheck disable=SC2086 # words
{
	part allocation "$TOP/scripts/bench/allocation/run.sh" --bench $peers
	part machines "$TOP/scripts/bench/machines/run.sh"
	part system "$TOP/scripts/bench/system/run.sh" default-base default $peers
	part tiering "$TOP/scripts/bench/tiering/run.sh"
	part migration "$TOP/scripts/bench/migration/run.sh"
	part channels "$TOP/scripts/bench/channels/run.sh"
	part sim "$TOP/scripts/bench/sim/run.sh"
}
python3 "$TOP/scripts/bench/page.py" "$TOP/out/bench"
say "all benchmarks took $(($(date +%s) - begin)) s; out/bench/index.html has the figures"
[ -z "$failed" ] || die "parts with something that does not hold, or without figures:$failed"
