#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Every benchmark of scripts/bench/list, then one page of all. out/bench gets the tables as text and CSV, and index.html. Parts that are not
# deterministic say so there.
# ONLY="name ..." in the environment runs these of them; PEERS="version ..." measures Debian's linux-source-VERSION, such as 6.12, beside
# this kernel and its base. The exit status is 1 when something promised does not hold.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

[ $# -eq 0 ] || die "usage: bench.sh, with ONLY= and PEERS= in the environment"
here=$TOP/scripts/bench
parts=$(rows "$here/list" | cut -f 1 | tr '\n' ' ')
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
# about NAME: what runs a part, and on what
about() {
	echo "command: $command ONLY=$1"
	for kernel in default-base default $peers; do
		strings -n 12 "$BUILD/kernel/$kernel/vmlinux" |
			sed -n "s/^Linux version \([^ ]*\) .*(\(gcc[^,]*\),.*/kernel $kernel: \1, \2/p" | head -n 1
	done
	echo "base: $(sed -n 's/^name //p' "$BUILD/base.stamp")"
	for version in ${PEERS:-}; do
		echo "peer: $(cat "$BUILD/peer-$version.stamp")"
	done
	echo "series: commit $(git -C "$TOP" rev-parse --short=12 HEAD)$(git -C "$TOP" diff --quiet HEAD || echo ', with changes')"
	echo "configuration: tinyconfig with scenarios/configs/default.config"
	emulator=qemu-system-x86_64
	[ ! -x "$here/$1/emulator" ] || emulator=$("$here/$1/emulator") || emulator=qemu-system-x86_64
	echo "emulator: $("$emulator" --version | head -n 1)"
}

for name in $parts; do
	wanted "$name" || continue
	rm -f "$TOP/out/bench/$name".*
	about "$name" > "$TOP/out/bench/$name.about"
	arguments=$(field "$here/list" "$name" 4)
	[ "$arguments" != - ] || arguments=''
	# Words of the table, in which the shell's variables stand
	eval "\"\$here/\$name/run.sh\" $arguments" || failed="$failed $name"
done
python3 "$here/page.py" "$TOP/out/bench"
say "all benchmarks took $(($(date +%s) - begin)) s; out/bench/index.html has the figures"
[ -z "$failed" ] || die "parts with something that does not hold, or without figures:$failed"
