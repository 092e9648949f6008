#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What took longest: a table of the ten dearest builds, parts and self tests, in seconds of the host.
# usage: dearest.sh RESULTDIR...
# Builds are what $STEP_TIMES has (see step in lib.sh). A RESULTDIR has a directory for each part, as scripts/test/test.sh leaves it. Of a
# machine's seconds a self test has the share that it has of the machine's clock, which need not be the host's.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# dearest NAME: lines "SECONDS<tab>WHAT" of standard input, the ten longest of them, into a file
dearest() {
	LC_ALL=C sort -t "$(printf '\t')" -k 1,1nr -k 2 | head -n 10 > "$work/$1"
}

steps=${STEP_TIMES:-/dev/null}
[ -e "$steps" ] || steps=/dev/null
dearest builds < "$steps"
for results; do
	[ "${results##*/}" = default ] && kind='' || kind=" (${results##*/})"
	for part in "$results"/*/time; do
		[ -f "$part" ] || continue
		dir=${part%/time}
		read -r seconds _ < "$part"
		printf '%s\t%s\n' "$seconds" "${dir##*/}$kind" >> "$work/all-parts"
		[ -f "$dir/console.log" ] || continue
		tr -d '\r' < "$dir/console.log" | awk -v seconds="$seconds" -v machine="${dir##*/}$kind" '
			{ now = substr($0, 2) + 0 }
			/^\[ *[0-9.]+\].* vm: begin / { begin[$NF] = now }
			/^\[ *[0-9.]+\].* vm: end / { took[$(NF - 1)] = now - begin[$(NF - 1)] }
			/^\[ *[0-9.]+\].* vm: exit status / { whole = now }
			END {
				for (name in took)
					if (whole > 0)
						printf "%.0f\t%s on %s\n", took[name] / whole * seconds, name, machine
			}'
	done
done | dearest tests
touch "$work/all-parts"
dearest parts < "$work/all-parts"

awk -F '\t' '
{ row[FILENAME, FNR] = sprintf("%5s %s", $1, substr($2, 1, 42)); rows = FNR > rows ? FNR : rows }
BEGIN { printf "%-50s%-30s%s\n", "  sec builds", "  sec parts", "  sec self tests" }
END {
	for (i = 1; i <= rows; i++) {
		line = sprintf("%-50s%-30s%s", row[ARGV[1], i], row[ARGV[2], i], row[ARGV[3], i])
		sub(/ *$/, "", line)
		print line
	}
}' "$work/builds" "$work/parts" "$work/tests"
