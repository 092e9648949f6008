#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# bwactl tune on modelled machines: what it finds of three programs, in eight runs, against a sweep over weights. Prints TAP.
# usage: tune.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

part_options tune "$@"
rm -rf "$results"
mkdir -p "$results"
work=$results

. "$TOP/tests/tools/model.sh"
. "$TOP/scripts/lib/tap.sh"

# against MACHINE SLOW PROGRAM: SLOW is how many nodes behind node 0 there are. PROGRAM prints "rate: NUMBER".
against() {
	cat > "$work/$1.guest" <<- END
		cat > /program << 'PROGRAM'
		$3
		PROGRAM
		bwactl tune --number rate: sh /program
		slow=\$(seq 1 $2 | sed 's/.*/,&=1/' | tr -d '\n')
		for weight in 1 2 3 4 5 6 7 8 9 10 11 12 14 16 18 20 24 28 32 40 50 64 100; do
			echo "sweep \$weight \$(mpolctl run --weights "0=\$weight\$slow" -- sh /program)"
		done
		echo "sweep all \$(mpolctl run --weights 0=1 -- sh /program)"
	END
	status=0
	"$TOP/scripts/machine/vm.sh" -m -s "sim/$1" -k "$kernel" -o "$work/$1.console" -t $((900 * slowdown)) \
		-f "$work/$1.guest:/guest" -r "sim-run sh /guest" > "$work/out" 2> "$work/err" || status=$?
	tr -d '\r' < "$work/out" > "$work/$1.out"
	result "$status" "$1: runs"
	awk '
		$1 == "sweep" && NF == 4 { sweeps++; if ($4 > most) most = $4 }
		$1 + 0 > 0 && $3 == "%" { runs++; if ($4 > best) best = $4 }
		/^best: / { said++ }
		END {
			printf "# best of %d runs %s, of a sweep of %d %s\n", runs, best, sweeps, most
			exit !(said == 1 && sweeps == 24 && runs >= 3 && runs <= 8 && best >= 0.98 * most)
		}' "$work/$1.out" > "$work/said" || status=1
	cat "$work/said"
	result "$status" "$1: eight runs find what a sweep does, within 2 %"
}

against socket 1 'sim-stream -n 2 -t 4 | sed -n "s/^triad/rate:/p"'
against expanders 8 'sim-mix -t 4 -n 8 -m 32 -r 2:1 | sed "s/^/rate: /"'
against lookups 1 'sim-lookup -t 4 -n 60000 | sed "s/^/rate: /"'

echo "1..$count"
[ "$failed" -eq 0 ]
