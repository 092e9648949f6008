#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests what bwactl does on any machine: its arithmetic, what it reads of
# machines that are directories here, its answers to bad input. Prints TAP.
# Usage: bwactl.sh [BWACTL]

tests=$(dirname "$0")
source=$tests/../../tools/mm/placement
bwactl=${1:-$source/bwactl}
if [ ! -x "$bwactl" ]; then
	echo "Bail out! no $bwactl: run make -C tools/mm/placement, or name the program"
	exit 1
fi

program=bwactl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
sys=$work/sys
weights=$sys/kernel/mm/mempolicy/weighted_interleave
. "$tests/../../scripts/lib/tap.sh"

# Runs bwactl; leaves $status and the files out and err
run() {
	status=0
	"$bwactl" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# begins TEXT ARGUMENT...: success, no complaints, and this text at first, but
# for blanks at the ends of lines
begins() {
	text=$1
	shift
	run "$@"
	lines=$(printf '%s\n' "$text" | wc -l)
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ] &&
		[ "$(head -n "$lines" "$work/out" | sed 's/ *$//')" = "$text" ]
	result $? "bwactl $* begins as it should"
}

# says TEXT ARGUMENT...: success, no complaints, and a line with this text
says() {
	text=$1
	shift
	run "$@"
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ] && grep -qF -- "$text" "$work/out"
	result $? "bwactl $*: \"$text\""
}

# echoes WEIGHTS ARGUMENT...: just these lines write weights
echoes() {
	text=$1
	shift
	run "$@"
	have=$(sed -n "s,^echo \([0-9]*\) > $weights/node\([0-9]*\)\$,\2=\1,p" "$work/out" |
		tr '\n' ' ')
	[ "$status" -eq 0 ] && [ "$have" = "${text:+$text }" ]
	result $? "bwactl $* echoes ${text:-nothing}"
}

# add_node NODE CPUS PACKAGE DISTANCE...: "-" is no CPUs
add_node() {
	node=$sys/devices/system/node/node$1
	mkdir -p "$node" "$weights"
	cpus=$2
	package=$3
	number=$1
	shift 3
	echo "$*" >"$node/distance"
	echo 1 >"$weights/node$number"
	echo "$node" >>"$work/nodes"
	if [ "$cpus" = - ]; then
		echo >"$node/cpulist"
		return
	fi
	echo "$cpus" >"$node/cpulist"
	cpu=$sys/devices/system/cpu/cpu${cpus%%[-,]*}/topology
	mkdir -p "$cpu"
	echo "$package" >"$cpu/physical_package_id"
}

# tell NODE INITIATORS READ WRITE NS: the firmware's tables
tell() {
	dir=$sys/devices/system/node/node$1/access0/initiators
	mkdir -p "$dir"
	for initiator in $2; do
		: >"$dir/node$initiator"
	done
	echo "$3" >"$dir/read_bandwidth"
	echo "$4" >"$dir/write_bandwidth"
	echo "$5" >"$dir/read_latency"
}

# new_machine ONLINE MEMORY
new_machine() {
	rm -rf "$sys"
	mkdir -p "$sys/devices/system/node"
	echo "$1" >"$sys/devices/system/node/online"
	echo "$2" >"$sys/devices/system/node/has_memory"
}

# A socket with DRAM and a card
one_socket() {
	new_machine 0-1 0-1
	add_node 0 0-7 0 10 20
	add_node 1 - - 20 10
	cat >"$work/matrix" <<-'EOT'
		# from to MB/s ns
		0 0 298800 96
		0 1 113700 248
	EOT
}

# Two of them; node 2 belongs to node 0, 3 to 1
two_sockets() {
	new_machine 0-3 0-3
	add_node 0 0-7,16-23 0 10 21 17 28
	add_node 1 8-15 1 21 10 28 17
	add_node 2 - - 17 28 10 28
	add_node 3 - - 28 17 28 10
	cat >"$work/matrix" <<-'EOT'
		0 0 131000 100
		0 1 60000
		0 2 130200
		0 3 40000
		1 0 60000
		1 1 151200
		1 2 41000
		1 3 126300
	EOT
}

test_arithmetic() {
	if ! command -v "${CC:-gcc}" >/dev/null; then
		skip 'arithmetic' 'there is no compiler'
		return
	fi
	status=0
	"${CC:-gcc}" -O2 -Wall -Wextra -D_GNU_SOURCE -I"$source" -o "$work/unit" \
		"$tests/bwactl-unit.c" "$source/bwactl-fit.c" "$source/bwactl-groups.c" \
		"$source/bwactl-plan.c" "$source/bwactl-search.c" "$source/common.c" -lm >"$work/out" 2>"$work/err" &&
		[ ! -s "$work/err" ]
	result $? 'the unit tests compile'
	"$work/unit" >"$work/units" 2>"$work/unit.err" || status=$?
	: >"$work/err"
	while read -r line; do
		echo "$line" >"$work/out"
		[ "${line%% *}" = ok ]
		result $? "${line#*ok }"
	done <"$work/units"
	grep -q . "$work/units" && [ "$status" -le 1 ]
	result $? 'the unit tests ran to their end'
}

test_general() {
	says 'Usage: bwactl' --help
	says 'nt-1:1' --help
	run --version
	[ "$status" -eq 0 ] && [ "$(cat "$work/out")" = 'bwactl 1.0' ]
	result $? 'bwactl --version'
	says 'Usage: bwactl' -h
	says 'bwactl 1.0' -V
	status=0
	"$bwactl" --help >/dev/full 2>"$work/err" || status=$?
	: >"$work/out"
	[ "$status" -eq 1 ] && grep -q 'cannot write the output' "$work/err"
	result $? 'a full disk is an error'
}

test_bad_options() {
	refused 2 "'x' is too much" x
	refused 2 'tune: no command: name it after the options' tune
	refused 2 'tune: no command' tune --number Triad: --
	refused 2 'tune: --less is for --number: add that' tune --less -- true
	refused 2 "tune: --number: name the text" tune --number '' -- true
	for runs in 2 65 0 -1 x ''; do
		refused 2 "tune: --runs: '$runs' is not a number of runs: use 3 to 64" tune --runs "$runs" -- true
	done
	refused 2 "tune: option '--slow' needs a value: see bwactl tune --help" tune --slow
	refused 2 "tune: option '--more' is unknown" tune --more -- true
	says 'Usage: bwactl tune' tune --help
	says 'Usage: bwactl tune' tune -h
	refused 2 "option '--wet'" --wet
	refused 2 "option '--mix' needs a value" --mix
	refused 2 "option '--json=1'" --json=1
	refused 2 "option '-x'" -x
	refused 2 "option '-x'" -x
	refused 2 "option '--json=1'" --json=1
	for name in topology max-weight mix runtime buffer from sysfs; do
		refused 2 "option '--$name'" "--$name"
	done
	for weight in '' 0 -1 256 1x 01 1.5 99999999999999999999; do
		refused 2 "--max-weight: '$weight' is not a weight" "--max-weight=$weight"
	done
	for mix in '' all 3:1 READ nt; do
		refused 2 "--mix: '$mix' is not a mix" "--mix=$mix"
	done
	for seconds in '' 0 0.001 -1 1e3 1s 3601 nan inf 1..5 .5 0x1; do
		refused 2 "--runtime: '$seconds' is not a time" "--runtime=$seconds"
	done
	for size in '' 0M 1 M 1P 1MB -1M 1.5G 01M 99999999999G; do
		refused 2 "--buffer: '$size' is not a size" "--buffer=$size"
	done
	refused 2 '--from-hmat and --from exclude each other' --from-hmat --from "$work/matrix"
	refused 2 'are for measuring, which --from-hmat does not' --from-hmat --mix read
	refused 2 'are for measuring, which --from does not' --from x --runtime 1
	refused 2 '--sysfs: a copy cannot be measured' --sysfs "$sys"
	refused 2 'a copy cannot be measured: leave out --verify' --sysfs "$sys" --from-hmat --verify
}

test_bad_machines() {
	refused 3 'no nodes in' --sysfs "$work/missing" --from-hmat
	one_socket
	refused 1 'firmware tells no bandwidths' --sysfs "$sys" --from-hmat
	refused 1 "cannot read $work/missing" --sysfs "$sys" --from "$work/missing"
	refused 1 "cannot read $work" --sysfs "$sys" --from "$work"
	for line in '0 0 0:5' '0 0 -1:5' '0 0 1e3:5' '0 0 8000001:5' '0 0 1 1 1:9' '0 2 1:3' '1 0 1:1' '0,0,1:1' \
		'a b c:1' '1024 0 1:1' '99999999999999999999 0 1:1' '0 0 1.:5' '0 0 .5:5' '0 0 1 ns:7'; do
		printf '# good\n0 0 5\n%s\n' "${line%:*}" >"$work/matrix"
		refused 1 "line 3, column ${line##*:}: '" --sysfs "$sys" --from "$work/matrix"
	done
	for line in '0' '0 0'; do
		printf '# good\n0 0 5\n%s\n' "$line" >"$work/matrix"
		refused 1 'line 3 ends too early: a' --sysfs "$sys" --from "$work/matrix"
	done
	echo junk >"$sys/devices/system/node/node1/distance"
	refused 1 'cannot read the distances of node 1' --sysfs "$sys" --from-hmat
	rm "$sys/devices/system/node/has_memory"
	refused 3 'no nodes in' --sysfs "$sys" --from-hmat
}

# What others print, and what bwactl prints itself
test_recorded() {
	one_socket
	set -- --sysfs "$sys" --from "$work/recorded"
	printf '# %0600d 0 1 999999\n0 0 298800.4\r\n0 1\t113700 248.5\r\n' 0 >"$work/recorded"
	echoes '0=8 1=3' "$@"
	for option in '' --json; do
		# shellcheck disable=SC2086 # none or one
		"$bwactl" --sysfs "$sys" --from "$work/matrix" $option >"$work/recorded"
		echoes '0=8 1=3' "$@"
		run "$@"
		grep -q '^node0 *96 *248$' "$work/out"
		result $? "bwactl $*: latencies of what bwactl printed${option:+ with $option}"
	done
	cat >"$work/recorded" <<-'EOT'
		Intel(R) Memory Latency Checker - v3.9
		Measuring idle latencies (in ns)...
				Numa node
		Numa node	     0	     1
		       0	  96.0	 248.0

		Measuring Peak Injection Memory Bandwidths for the system
		Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
		ALL Reads        :	412500.1

		Measuring Memory Bandwidths between nodes within system
		Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
		Using Read-only traffic type
				Numa node
		Numa node	     0	     1
		       0	298800.4	113700.0

		Measuring Loaded Latencies for the system
		 00000	410.50	 300000.1
	EOT
	echoes '0=8 1=3' "$@"
	run "$@"
	grep -q '^node0 *96 *248$' "$work/out"
	result $? "bwactl $*: latencies of the Memory Latency Checker"
	sed -i 's/113700.0/fast/' "$work/recorded"
	refused 1 "line 16, column 19: 'fast' is not a bandwidth" "$@"
	sed -i 's/\tfast//' "$work/recorded"
	refused 1 'line 16 ends too early: a bandwidth is missing' "$@"
	sed -i '/between nodes/,$d' "$work/recorded"
	refused 1 'there are no bandwidths in it' "$@"
	echo '{"source":"file"}' >"$work/recorded"
	refused 1 'line 1 ends too early: "bandwidths"' "$@"
	# As other programs write it down again
	echo '{"bandwidths": [{"from": 0, "to": 0, "mbps": 298800, "spread": 0.94}, {"from": 0, "to": 1, "mbps": 113700}]}' \
		>"$work/recorded"
	echo >>"$work/recorded"
	echoes '0=8 1=3' "$@"
	# How far runs were apart goes along, as long as it is not quiet.
	for option in '' --json; do
		# shellcheck disable=SC2086 # none or one
		"$bwactl" --sysfs "$sys" --from "$work/recorded" $option >"$work/again"
		run --sysfs "$sys" --from "$work/again" --apply
		[ "$status" -eq 1 ] && grep -q 'runs differ by 94%: no weight was written' "$work/err"
		result $? "noise that bwactl has written down${option:+ with $option} is refused"
	done
	"$bwactl" --sysfs "$sys" --from "$work/recorded" >"$work/again"
	sed -i 's/(94.0%)/(nan%)/' "$work/again"
	refused 1 "'nan' is not how far runs are apart" --sysfs "$sys" --from "$work/again"
	sed -i 's/0.94/-1/' "$work/recorded"
	refused 1 "line 1, column 64: '-1' is not how far runs are apart" "$@"
	printf '{\n"bandwidths":[]\n}\n' >"$work/recorded"
	refused 1 'line 1 ends too early: "bandwidths", as bwactl --json has it in one line' "$@"
	echo '{"bandwidths":[{"from":0,"to":7,"mbps":5}]}' >"$work/recorded"
	refused 1 "line 1, column 31: '7' is not a node of this machine with memory" "$@"
}

test_topology() {
	two_sockets
	set -- --sysfs "$sys" --from "$work/matrix" --topology
	refused 2 'is not a list of groups' "$@" '[0,1]'
	refused 2 'is not a list of groups' "$@" ''
	refused 2 'node 0 stands there twice' "$@" '[[0,2],[0,3]]'
	refused 2 'node 7 does not exist: nodes of this machine are 0-3' "$@" '[[0,7]]'
	refused 2 'no node of 2-3 has CPUs' "$@" '[[0,1],[2,3]]'
	echoes '0=1 2=1 1=6 3=5' "$@" '[[0,2],[1,3]]'
	echoes '0=1 2=1' "$@" '[[0,2]]'
	echoes '0=1 1=1' "$@" '[[0], [1]]'
	cat >"$work/matrix" <<-'EOT'
		0 0 240000
		1 1 240000
		1 2 60500
		1 3 89000
	EOT
	echoes '0=1 1=8 2=2 3=3' "$@" '[[0],[1,2,3]]'
}

test_output() {
	one_socket
	begins "Bandwidth ratio for all NUMA nodes
from node0 compute cores:
  node0: 8  (298.8 GB/s)
  node1: 3  (113.7 GB/s)
echo 8 > $weights/node0
echo 3 > $weights/node1

With these weights:
  numactl -N 0 -w 0-1 COMMAND

Bandwidth in GB/s from CPUs (rows) to memory, file
                    node0            node1
node0      298.8            113.7

Latency in ns
                    node0            node1
node0                  96              248

Weights for the CPUs of node 0; ratios are off by up to 1.5%
NODE  WEIGHT   SHARE
   0       8   72.7%  ###############.....
   1       3   27.3%  #####..............." --sysfs "$sys" --from "$work/matrix"
	echoes '0=113 1=43' --sysfs "$sys" --from "$work/matrix" --max-weight 255
	echoes '0=3 1=1' --sysfs "$sys" --from "$work/matrix" --max-weight 4
	echoes '0=1 1=1' --sysfs "$sys" --from "$work/matrix" --max-weight 1
	run --json --sysfs "$sys" --from "$work/matrix"
	json='{"source":"file","bandwidths":[{"from":0,"to":0,"mbps":298800,"spread":null,"latency_ns":96.0},'
	json=$json'{"from":0,"to":1,"mbps":113700,"spread":null,"latency_ns":248.0}],'
	json=$json'"packages":[{"cpus":[0],"memory":[0,1],"weights":[{"node":0,"weight":8},{"node":1,"weight":3}],"error":0.0147}],'
	json=$json'"weights":[{"node":0,"weight":8},{"node":1,"weight":3}],"applied":false}'
	[ "$status" -eq 0 ] && [ "$(cat "$work/out")" = "$json" ]
	result $? '--json prints what it should'

	echo '0 0 298800' >"$work/matrix"
	run --sysfs "$sys" --from "$work/matrix"
	[ "$status" -eq 1 ] && grep -q 'no weights for node 0: the bandwidth of node 1' "$work/out" &&
		! grep -q '^echo' "$work/out"
	result $? 'a bandwidth that is missing: no weights'

	new_machine 0 0
	add_node 0 0-3 0 10
	echo '0 0 20000' >"$work/matrix"
	run --sysfs "$sys" --from "$work/matrix"
	[ "$status" -eq 0 ] && [ "$(cat "$work/err")" = "bwactl: note: only node 0 has memory: there is nothing to interleave over" ] &&
		grep -qx "  node0: 1  (20.0 GB/s)" "$work/out"
	result $? "one node: it says so"

	two_sockets
	begins "Bandwidth ratio for all NUMA nodes
from node0 compute cores:
  node0: 1  (131.0 GB/s)
  node2: 1  (130.2 GB/s)
echo 1 > $weights/node0
echo 1 > $weights/node2
from node1 compute cores:
  node1: 6  (151.2 GB/s)
  node3: 5  (126.3 GB/s)
echo 6 > $weights/node1
echo 5 > $weights/node3" --sysfs "$sys" --from "$work/matrix"
}

# Two clusters, one card; and nodes without memory or CPUs
test_clusters() {
	new_machine 0-2 0-2
	add_node 0 0-3 0 10 12 20
	add_node 1 4-7 0 12 10 22
	add_node 2 - - 20 22 10
	printf '0 0 100000\n0 1 80000\n0 2 25000\n1 0 79000\n1 1 101000\n1 2 24000\n' \
		>"$work/matrix"
	echoes '0=4 1=4 2=1' --sysfs "$sys" --from "$work/matrix"
	grep -q 'from node1 compute cores:' "$work/out" &&
		grep -A 3 'from nodes 0-1 together:' "$work/out" | grep -q '^  node2: 1  (25.0 GB/s)$' &&
		grep -q 'numactl -N 0-1 -w 0-2 COMMAND' "$work/out"
	result $? 'clusters are shown alone and together'

	new_machine 0-3 0,2-3
	add_node 0 0-3 0 10 20 17 17
	add_node 1 4-7 1 20 10 30 30
	add_node 2 - - 17 30 10 20
	add_node 3 - - 17 30 20 10
	printf '0 0 90000\n0 2 30000\n0 3 31000\n1 0 1\n1 2 1\n1 3 1\n' >"$work/matrix"
	echoes '0=3 2=1 3=1' --sysfs "$sys" --from "$work/matrix"
	grep -q 'no memory belongs to node 1' "$work/out"
	result $? 'a package without memory gets no weights'

	new_machine 0,5 0,5
	add_node 0 0-3 0 10 20
	add_node 5 - - 20 10
	printf '0 0 90000\n0 5 30000\n' >"$work/matrix"
	echoes '0=3 5=1' --sysfs "$sys" --from "$work/matrix"
}

# Two packages with two nodes between them
shared_nodes() {
	new_machine 0-3 0-3
	add_node 0 0 0 10 20 20 20
	add_node 1 1 1 20 10 20 20
	add_node 2 - - 20 20 10 20
	add_node 3 - - 20 20 20 10
}

test_shared() {
	shared_nodes
	printf '0 0 %s\n0 2 %s\n0 3 %s\n1 1 %s\n1 2 %s\n1 3 %s\n' \
		180000 120000 120000 120000 120000 120000 >"$work/matrix"
	set -- --sysfs "$sys" --from "$work/matrix"
	echoes '0=3 2=2 3=2 1=2 2=2 3=2' "$@"
	says 'numactl -N 1 -w 1-3 COMMAND' "$@"
	says '{"cpus":[1],"memory":[1,2,3],"weights":[{"node":1,"weight":2},{"node":2,"weight":2},{"node":3,"weight":2}],' \
		"$@" --json
	says '"weights":[{"node":0,"weight":3},{"node":1,"weight":2},{"node":2,"weight":2},{"node":3,"weight":2}],"applied"' \
		"$@" --json
	run "$@" --apply
	[ "$status" -eq 0 ] && [ "$(cat "$weights"/node? | tr '\n' ' ')" = '3 2 2 2 ' ]
	result $? 'packages that share nodes get weights of one scale'
}

test_conflict() {
	shared_nodes
	printf '0 0 %s\n0 2 %s\n0 3 %s\n1 1 %s\n1 2 %s\n1 3 %s\n' \
		200000 22000 22000 60000 22000 44000 >"$work/matrix"
	set -- --sysfs "$sys" --from "$work/matrix"
	echoes '' "$@"
	says 'Packages want different weights for node 3' "$@"
	says 'numactl -N 0 mpolctl run --weights 0=9,2=1,3=1 -- COMMAND' "$@"
	says 'numactl -N 1 mpolctl run --weights 1=8,2=3,3=6 -- COMMAND' "$@"
	says '"conflict":3,"weights":null,"applied":false}' "$@" --json
	run "$@" --apply
	[ "$status" -eq 1 ] && grep -q 'packages want different weights for node 3' "$work/err" &&
		[ "$(cat "$weights"/node? | sort -u)" = 1 ]
	result $? 'weights that contradict each other are not written'
}

# masks NODE MASK...: as in machines that were recorded without lists of CPUs
masks() {
	rm -f "$sys"/devices/system/node/node*/cpulist
	while [ $# -gt 0 ]; do
		echo "$2" >"$sys/devices/system/node/node$1/cpumap"
		shift 2
	done
}

test_masks() {
	two_sockets
	set -- --sysfs "$sys" --from "$work/matrix"
	masks 0 00000000,00ff00ff 1 0000ff00 2 00000000 3 0
	echoes '0=1 2=1 1=6 3=5' "$@"
	mkdir -p "$sys/devices/system/cpu/cpu40/topology"
	echo 1 >"$sys/devices/system/cpu/cpu40/topology/physical_package_id"
	masks 1 100,00000000
	echoes '0=1 2=1 1=6 3=5' "$@"
	echo 0 >"$sys/devices/system/cpu/cpu40/topology/physical_package_id"
	says '"packages":[{"cpus":[0,1],' "$@" --json

	for mask in '' '00000000,00000000' ',ff' 'ff,' '1,,0' 'FFx' '0x1' '000000001'; do
		masks 0 "$mask" 1 "$mask" 2 "$mask" 3 "$mask"
		refused 1 'has CPUs: weights are for CPUs' --sysfs "$sys" --from-hmat
	done
	refused 1 'has CPUs: weights are for CPUs' "$@" --apply
	rm "$sys"/devices/system/node/node*/cpumap
	refused 1 'has CPUs: weights are for CPUs' --sysfs "$sys" --from-hmat --json --apply
	[ "$(cat "$weights"/node? | sort -u)" = 1 ]
	result $? 'without CPUs nothing is written'

	new_machine 0-1 1
	add_node 0 0-3 0 10 20
	add_node 1 - - 20 10
	echo '0 1 20000' >"$work/matrix"
	run "$@" --topology '[[0]]' --apply
	[ "$status" -eq 1 ] && [ "$(cat "$weights/node1")" = 1 ] &&
		! grep -q 'The weights are written' "$work/out" &&
		grep -q 'no memory belongs to these CPUs: no weight was written' "$work/err"
	result $? 'without memory nothing is written, and it says so'
}

test_hmat() {
	two_sockets
	tell 0 0 204800 190000 80
	tell 1 1 204800 204800 80
	tell 2 0 22528 21000 250
	tell 3 1 22528 22528 250
	echoes '0=9 2=1 1=9 3=1' --sysfs "$sys" --from-hmat
	says '{"from":0,"to":2,"mbps":21999,"spread":null,"latency_ns":250.0}' \
		--sysfs "$sys" --from-hmat --json
	run --sysfs "$sys" --from-hmat --topology '[[0,3],[1,2]]'
	[ "$status" -eq 1 ] && grep -q 'the bandwidth of node 3 is not known' "$work/out"
	result $? 'firmware tells nothing about nodes that are far away'

	# The mix of the kernel, which writes to node 0 at half of the speed
	mkdir -p "$weights"
	tell 0 0 200000 100000 80
	tell 2 0 20000 20000 250
	echoes '0=15 2=2 1=9 3=1' --sysfs "$sys" --from-hmat
	echo 0 >"$weights/mix"
	echoes '0=5 2=1 1=9 3=1' --sysfs "$sys" --from-hmat
	echo 100 >"$weights/mix"
	echoes '0=10 2=1 1=9 3=1' --sysfs "$sys" --from-hmat
	rm "$weights/mix"

	one_socket
	tell 0 0 8000000 4000000 80
	tell 1 0 4000000 2000000 250
	echoes '0=2 1=1' --sysfs "$sys" --from-hmat
	tell 0 0 0 4000000 80
	tell 1 0 2000000 0 250
	echoes '0=2 1=1' --sysfs "$sys" --from-hmat
	tell 0 0 16000000 8000001 80
	run --sysfs "$sys" --from-hmat
	[ "$status" -eq 1 ] && grep -q 'the bandwidth of node 0 is not known' "$work/out"
	result $? 'a node is unknown when it is faster than bwactl can count'
}

# weights_are WEIGHTS: of nodes 0 and 1
weights_are() {
	[ "$(cat "$weights/node0" "$weights/node1" | tr '\n' ' ')" = "$1 " ]
}

# A file that holds 1, and takes nothing but 0 and 1
find_switch() {
	for file in /proc/sys/fs/protected_symlinks /proc/sys/fs/protected_hardlinks \
		/proc/sys/kernel/timer_migration /proc/sys/kernel/watchdog; do
		if [ -w "$file" ] && [ "$(cat "$file")" = 1 ]; then
			echo "$file"
			return 0
		fi
	done
	return 1
}

test_apply() {
	one_socket
	echo 5 >"$weights/node0"
	echo 2 >"$weights/node1"
	set -- --sysfs "$sys" --from "$work/matrix" --apply
	run "$@"
	[ "$status" -eq 0 ] && weights_are '8 3' && [ "$(tail -n 3 "$work/out")" = \
		"The weights are written. To go back:
echo 5 > $weights/node0
echo 2 > $weights/node1" ]
	result $? '--apply writes the weights and says how to go back'
	tail -n 2 "$work/out" >"$work/back"
	sh "$work/back" && weights_are '5 2'
	result $? 'the lines that it says go back'

	run "$@" --json
	[ "$status" -eq 0 ] && weights_are '8 3' && grep -qF \
		'"applied":true,"previous":[{"node":0,"weight":5},{"node":1,"weight":2}],"previous_auto":false}' \
		"$work/out" && grep -q 'To go back' "$work/err"
	result $? '--apply --json has the weights from before'

	echo true >"$weights/auto"
	run "$@"
	[ "$status" -eq 0 ] && [ "$(tail -n 1 "$work/out")" = "echo true > $weights/auto" ]
	result $? 'where weights were derived, deriving them is the way back'
	rm "$weights/auto"

	echo 5 >"$weights/node0"
	rm "$weights/node1"
	refused 1 "--apply: cannot write $weights/node1" "$@"
	rm "$weights/node0"
	rmdir "$weights"
	refused 3 'this kernel has no weighted interleaving' "$@"
}

# A file of /proc that cannot be written stands for a kernel that refuses.
test_failing_write() {
	one_socket
	echo 5 >"$weights/node0"
	echo '{"bandwidths":[{"from":0,"to":0,"mbps":9000,"spread":0.9412},{"from":0,"to":1,"mbps":1000,"spread":null}]}' >"$work/noisy"
	run --sysfs "$sys" --from "$work/noisy" --apply
	[ "$status" -eq 1 ] && weights_are '5 1' && grep -qF -- '--apply: runs differ by 94%: no weight was written' "$work/err"
	result $? 'of runs that differ much nothing is written'
	printf 'Bandwidth in GB/s\n node0 node1\nnode0 9.0 (10.1%%) 1.0 (0.2%%)\n' >"$work/noisy"
	run --sysfs "$sys" --from "$work/noisy" --apply
	[ "$status" -eq 1 ] && weights_are '5 1' && grep -qF -- '--apply: runs differ by 10%: no weight was written' "$work/err"
	result $? 'nor of a table that says so'
	run --sysfs "$sys" --from "$work/noisy" --apply --force
	[ "$status" -eq 0 ] && weights_are '9 1'
	result $? 'with --force it is'
	refused 2 '--force is for --apply' --sysfs "$sys" --from "$work/noisy" --force
	one_socket
	echo 5 >"$weights/node0"

	set -- --sysfs "$sys" --from "$work/matrix" --apply
	status=0
	"$bwactl" "$@" >/dev/full 2>"$work/err" || status=$?
	: >"$work/out"
	[ "$status" -eq 1 ] && weights_are '5 1'
	result $? 'what nobody can read is not written'

	status=0
	"$bwactl" "$@" --json >/dev/full 2>"$work/err" || status=$?
	[ "$status" -eq 1 ] && weights_are '5 1' &&
		[ "$(grep -c 'cannot write the output' "$work/err")" -eq 1 ] &&
		grep -qF 'all weights are as they were before' "$work/err"
	result $? 'weights whose JSON nobody can read are taken back'

	{
		# Until the reader has gone
		trap '' PIPE
		while echo 2>/dev/null; do
			sleep 0.1
		done
		trap - PIPE
		ended=0
		"$bwactl" "$@" --json 2>"$work/err" || ended=$?
		echo "$ended" >"$work/ended"
	} | :
	[ "$(cat "$work/ended")" = 1 ] && weights_are '5 1' && grep -qF 'all weights are as they were before' "$work/err"
	result $? 'nor does a reader who has gone leave them'

	if [ "$(id -u)" -ne 0 ] || ! switch=$(find_switch); then
		skip 'when a write fails the weights written before are restored' \
			'needs root and a switch of /proc/sys that is on'
	else
		ln -sf "$switch" "$weights/node1"
		run "$@"
		[ "$status" -eq 1 ] && [ "$(cat "$weights/node0")" = 5 ] &&
			[ "$(cat "$switch")" = 1 ] &&
			grep -qF "cannot write $weights/node1" "$work/err" &&
			grep -qF 'all weights are as they were before' "$work/err"
		result $? 'when a write fails the weights written before are restored'
	fi
}

test_not_root() {
	one_socket
	if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
		skip 'who is not root cannot apply' 'needs root and setpriv'
		return
	fi
	cp "$bwactl" "$work/bwactl"
	status=0
	setpriv --reuid 65534 --clear-groups "$work/bwactl" --sysfs "$sys" \
		--from "$work/matrix" --apply >"$work/out" 2>"$work/err" || status=$?
	[ "$status" -eq 1 ] && grep -q 'only root may' "$work/err" && [ ! -s "$work/out" ]
	result $? 'who is not root is told so before anything is measured'
	status=0
	setpriv --reuid 65534 --clear-groups "$work/bwactl" --sysfs "$sys" \
		--from "$work/matrix" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" -eq 0 ] && grep -q '^echo 8' "$work/out"
	result $? 'who is not root gets weights'
}

# What this machine is does not matter, as long as it has nodes.
test_measuring() {
	if [ ! -e /sys/devices/system/node/has_memory ]; then
		refused 3 'this kernel has no NUMA'
		skip 'measuring' 'this kernel has no nodes'
		return
	fi
	for mix in read write 2:1 1:1; do
		run --runtime 0.05 --buffer 8M --mix "$mix"
		[ "$status" -eq 0 ] &&
			[ "$(head -n 1 "$work/out")" = 'Bandwidth ratio for all NUMA nodes' ] &&
			grep -q "^Bandwidth in GB/s, $mix, " "$work/out" &&
			grep -Eq '^node[0-9]+ to node|^node [0-9]+ to node [0-9]+ \(1 of' "$work/err" &&
			! grep -q "$(printf '\033')" "$work/err"
		result $? "$mix is measured, with progress and without a terminal's colours"
	done
	for size in 1024000G:1048576000 1T:1048576; do
		run --buffer "${size%:*}"
		[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -qF ": ${size#*:} MiB are wanted" "$work/err"
		result $? "bwactl --buffer ${size%:*} is more than there is"
	done
	run --buffer 1K
	[ "$status" -eq 1 ] && grep -q -- '--buffer is too small' "$work/err"
	result $? 'a part for each CPU must fit the buffer'
}

test_arithmetic
test_general
test_bad_options
test_bad_machines
test_recorded
test_topology
test_output
test_clusters
test_shared
test_conflict
test_masks
test_hmat
test_apply
test_failing_write
test_not_root
test_measuring

echo "1..$count"
[ "$failed" -eq 0 ]
