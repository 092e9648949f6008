#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the model of memory nodes, and what it is told of the scenarios. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib.sh"

out=$BUILD/numasim
mkdir -p "$out"
log=$BUILD/log/numasim.log
(
	lock numasim
	make -C "$TOP/tools/numasim" OUTPUT="$out/" all "$out/model-unit"
) > "$log" 2>&1 || {
	tail -n 5 "$log" | sed 's/^/# /'
	echo "Bail out! tools/numasim does not compile"
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# result STATUS TEXT
result() {
	[ "$1" -eq 0 ] || printf 'not '
	echo "ok $2"
}

# nodes SCENARIO WANTED: just this is told
nodes() {
	have=$("$TOP/scripts/sim-nodes.sh" "$1" 2>&1) && [ "$have" = "$2" ]
	result $? "${1##*/} is $2"
}

# refuses SCENARIO REASON: nothing is told, and this is why
refuses() {
	status=0
	have=$("$TOP/scripts/sim-nodes.sh" "$1" 2> "$work/reason") || status=$?
	[ "$status" -ne 0 ] && [ -z "$have" ] && grep -qF -- "$2" "$work/reason"
	result $? "${1##*/} is refused: $2"
}

all() {
	"$out/model-unit" > "$work/model"
	status=$?
	sed '/^TAP/d; /^1\.\./d' "$work/model"
	grep -q '^1\.\.' "$work/model" && [ "$status" -le 1 ]
	result $? "the tests of the model come to their end"
	scenarios=$TOP/scenarios
	nodes "$scenarios/cxl2.conf" "node=0:40000000:204800:204800:80:80,node=40000000:80000000:22528:22528:250:250"
	nodes "$scenarios/sim/socket.conf" "node=0:40000000:224800:182600:80:80,node=40000000:80000000:30500:17500:250:250"
	# 4 GiB: what does not fit below the hole comes behind it.
	sed 's/-m 2G/-m 4G/; s/size=1G/size=2G/' "$scenarios/cxl2.conf" > "$work/large.conf"
	nodes "$work/large.conf" "node=0:80000000:204800:204800:80:80,node=100000000:180000000:22528:22528:250:250"
	sed 's/-m 2G/-m 6G/; s/size=1G/size=3G/' "$scenarios/cxl2.conf" > "$work/split.conf"
	refuses "$work/split.conf" "hole below 4 GiB"
	refuses "$scenarios/uma.conf" "lack a bandwidth or a latency of node 0"
	refuses "$scenarios/dual.conf" "only one initiator"
	refuses "$scenarios/hotplug.conf" "memory that is a device"
	refuses "$scenarios/arm64.conf" "only q35 machines"
}

echo "TAP version 13"
set +e
all | awk '{ sub(/ok( [0-9]+)?/, "ok " NR); print; failed += /^not/ } END { print "1.." NR; exit failed > 0 }'
