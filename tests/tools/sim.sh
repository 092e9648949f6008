#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Compares what programs measure on the modelled machine with what its scenario says, at one CPU and at four. Prints TAP.
# usage: sim.sh [-k KERNELDIR] [-x SLOWDOWN]
set -eu
. "$(dirname "$0")/../../scripts/lib.sh"

kernel=$BUILD/kernel/default slowdown=1
while getopts k:x: option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	*) die "usage: sim.sh [-k KERNELDIR] [-x SLOWDOWN]" ;;
	esac
done
out=$BUILD/test-sim
rm -rf "$out"
mkdir -p "$out"

echo "TAP version 13"
status=0
reason=$("$TOP/scripts/sim.sh" -p) || status=$?
if [ "$status" -eq 4 ]; then
	echo "1..0 # SKIP $reason"
	exit
elif [ "$status" -ne 0 ]; then
	echo "Bail out! the model could not be prepared"
	exit 1
fi

# boot SCENARIO CPUS RESULT
boot() {
	"$TOP/scripts/vm.sh" -m -s "sim/$1" -k "$kernel" -o "$out/$3.console.log" -t $((150 * slowdown)) \
		-f "$TOP/tests/tools/sim-guest.sh:/usr/bin/sim-guest" -r "sim-guest $2" > "$out/$3" 2> "$out/$3.err" || {
		sed 's/^/# /' "$out/$3" "$out/$3.err"
		echo "Bail out! sim/$1 did not end its run"
		exit 1
	}
}
boot socket-1 1 one
boot socket-1 1 again
boot socket 4 four

# What is wanted, from what the model is told: "node=START:END:READ_MBPS:WRITE_MBPS:READ_NS:WRITE_NS,..."
"$TOP/scripts/sim-nodes.sh" "$TOP/scenarios/sim/socket.conf" | tr ',' '\n' | awk -F : '
BEGIN { slow = 1e9 }
{
	copy = 2 / (1 / $3 + 1 / $4) / 1000
	add = 3 / (2 / $3 + 1 / $4) / 1000
	slow = copy < slow ? copy : slow
	place = "bind:" NR - 1
	print "copy", place, copy, 2 "\nscale", place, copy, 2 "\nadd", place, add, 2 "\ntriad", place, add, 2
	print "chase", place, $5, 3
}
END { print "copy interleave:0,1", 2 * slow, 5 "\nscale interleave:0,1", 2 * slow, 5 }' > "$out/wanted"

# compare WANTED MEASURED NAME: of each line of WANTED, the same line of MEASURED is within its last word, percent
compare() {
	awk -v name="$3" '
	FILENAME == ARGV[1] { measured[$1 " " $2] = $3; next }
	{
		have = measured[$1 " " $2]
		off = have ? 100 * (have / $3 - 1) : 100
		printf "%s - %s %s, %s: %s, wanted %.2f +- %d %%\n", (off <= $4 && off >= -$4 ? "ok" : "not ok"), $1, $2, name,
			(have ? have : "nothing"), $3, $4
	}' "$2" "$1"
}
sed 's/$/ 1/' "$out/one" > "$out/one.wanted"
{
	compare "$out/wanted" "$out/one" "one CPU"
	compare "$out/wanted" "$out/four" "four CPUs"
	compare "$out/one.wanted" "$out/again" "once more"
} | awk '{ sub(/ok/, "ok " NR); print; failed += /^not/ } END { print "1.." NR; exit failed > 0 }'
