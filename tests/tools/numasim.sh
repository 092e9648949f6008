#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the model of memory nodes, and what it is told of the scenarios. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

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
	have=$("$TOP/scripts/machine/sim-nodes.sh" "$1" 2>&1) && [ "$have" = "$2" ]
	result $? "${1##*/} is $2"
}

# refuses SCENARIO REASON: nothing is told, and this is why
refuses() {
	status=0
	have=$("$TOP/scripts/machine/sim-nodes.sh" "$1" 2> "$work/reason") || status=$?
	[ "$status" -ne 0 ] && [ -z "$have" ] && grep -qF -- "$2" "$work/reason"
	result $? "${1##*/} is refused: $2"
}

# gives SCENARIO PUBLISHED: what follows from the bandwidths that are told, with R:W of reads to writes. Each line of PUBLISHED is
# "alone NODE R:W VALUE", "even R:W VALUE" over all nodes, or "gain R:W VALUE" of all bandwidths together over node 0.
gives() {
	"$TOP/scripts/machine/sim-nodes.sh" "$scenarios/sim/$1.conf" | tr ',' '\n' | awk -F '[: ]' -v name="$1" '
	function mixed(node, reads, writes) {
		return (reads + writes) / (reads / read[node] + writes / write[node]) / 1000
	}
	FILENAME == "-" {
		if ($1 ~ /^node=/) {
			read[nodes + 0] = $3
			write[nodes++] = $4
		}
		next
	}
	$1 == "alone" { have = mixed($2, $3, $4) }
	$1 != "alone" {
		slow = 1e9
		sum = 0
		for (i = 0; i < nodes; i++) {
			one = mixed(i, $2, $3)
			sum += one
			slow = one < slow ? one : slow
		}
		have = $1 == "even" ? nodes * slow : sum / mixed(0, $2, $3)
	}
	{
		near = have / $NF < 1.002 && have / $NF > 0.998
		printf "%s - %s: %s, have %.3f\n", near ? "ok" : "not ok", name, $0, have
		lines++
	}
	END { printf "%s - %s was compared\n", lines ? "ok" : "not ok", name }' - "$2"
}

# told KEY: what was published
told() {
	field "$TOP/scripts/bench/published.tsv" "$1" 2
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
	for scenario in "$scenarios"/sim/*.conf; do
		"$TOP/scripts/machine/sim-nodes.sh" "$scenario" > "$work/nodes" && grep -q '^node=' "$work/nodes"
		result $? "${scenario##*/} can be modelled"
	done
	# What was published, or is said to have been fitted
	echo "alone 0 1:1 201.5
alone 0 2:1 208.7
alone 1 1:1 22.25
alone 1 2:1 24.4" > "$work/published"
	gives socket "$work/published"
	echo "alone 0 2:1 $(told mix/2:1/dram)
alone 0 1:1 $(told mix/1:1/dram)
even 2:1 $(told mix/2:1/default)
even 1:1 $(told mix/1:1/default)
gain 2:1 1.336
gain 1:1 1.381" > "$work/published"
	gives expanders "$work/published"
	echo "alone 1 1:0 60
alone 0 1:0 182.94
even 1:0 120
gain 1:0 1.328" > "$work/published"
	gives lookups "$work/published"
	echo "alone 0 2:1 300
alone 0 1:1 255
gain 2:1 $(told channels/2:1/weighted/over-dram)
gain 1:1 $(told channels/1:1/weighted/over-dram)" > "$work/published"
	gives ddr5-cxl "$work/published"
	# 4 GiB: what does not fit below the hole comes behind it.
	sed 's/-m 2G/-m 4G/; s/size=1G/size=2G/' "$scenarios/cxl2.conf" > "$work/large.conf"
	nodes "$work/large.conf" "node=0:80000000:204800:204800:80:80,node=100000000:180000000:22528:22528:250:250"
	sed 's/-m 2G/-m 6G/; s/size=1G/size=3G/' "$scenarios/cxl2.conf" > "$work/split.conf"
	refuses "$work/split.conf" "hole below 4 GiB"
	refuses "$scenarios/uma.conf" "lack a bandwidth or a latency of node 0"
	# Two sockets: what is slower from the other one is the link, if one link explains it.
	refuses "$scenarios/dual.conf" "node 3 has 22528 MB/s, and for the CPUs of node 0 16384, which their link of 81920 does not explain"
	sed 's/bandwidth=16G/bandwidth=22G/' "$scenarios/dual.conf" > "$work/sockets.conf"
	first="node=0:30000000:204800:204800:80:80:0,node=30000000:60000000:204800:204800:80:80:1"
	second="node=60000000:80000000:22528:22528:250:250:0,node=80000000:a0000000:22528:22528:250:250:1"
	nodes "$work/sockets.conf" "$first,$second,cpus=0-0:0,remote=0:1:140:140,remote=0:3:350:350,link=0:1:81920:81920,\
cpus=1-1:1,remote=1:0:140:140,remote=1:2:350:350,link=1:0:81920:81920"
	sed 's/bandwidth=80G/bandwidth=200G/' "$work/sockets.conf" > "$work/unlimited.conf"
	nodes "$work/unlimited.conf" "$first,$second,cpus=0-0:0,remote=0:1:140:140,remote=0:3:350:350,\
cpus=1-1:1,remote=1:0:140:140,remote=1:2:350:350"
	sed '/initiator=1,target=2.*latency/d' "$work/sockets.conf" > "$work/unknown.conf"
	refuses "$work/unknown.conf" "lack a bandwidth or a latency of node 2 for the CPUs of node 1"
	sed '/initiator=1,target=0.*bandwidth/ { s/access/read/; p; s/read-/write-/; s/80G/200G/; }' \
		"$work/sockets.conf" > "$work/reads.conf"
	refuses "$work/reads.conf" "the link from node 1 to node 0 slows reads or writes alone"
	sed 's/cpus=1,/cpus=1,cpus=2,/; s/-smp 2/-smp 3/' "$work/sockets.conf" > "$work/ranges.conf"
	refuses "$work/ranges.conf" "which CPUs belong to which node"
	sed 's/m2,initiator=0/m2/' "$work/sockets.conf" > "$work/stray.conf"
	refuses "$work/stray.conf" "node 2 has no initiator with CPUs"
	# QEMU's tables of bandwidths: 65534 units at most
	sed '/target=0.*bandwidth/ s/200G/65534M/; s/22G/22527M/' "$scenarios/cxl2.conf" > "$work/largest.conf"
	nodes "$work/largest.conf" "node=0:40000000:65534:65534:80:80,node=40000000:80000000:22527:22527:250:250"
	sed 's/65534M/65535M/' "$work/largest.conf" > "$work/wide.conf"
	refuses "$work/wide.conf" "the table of memory access-bandwidths cannot hold 65535M in units of 1M"
	sed 's/22527M/22.5M/' "$work/largest.conf" > "$work/parts.conf"
	refuses "$work/parts.conf" "a bandwidth of 22.5M is no whole number of M"
	refuses "$scenarios/hotplug.conf" "memory that is a device"
	refuses "$scenarios/arm64.conf" "only q35 machines"
}

echo "TAP version 13"
set +e
all | awk '{ sub(/ok( [0-9]+)?/, "ok " NR); print; failed += /^not/ } END { print "1.." NR; exit failed > 0 }'
