# SPDX-License-Identifier: GPL-2.0
# What make run prints, on fewer lines: a bar for each node in place of tables, and no commands that are the same each time. Lines that are
# none of the show's own, as errors are, stay. Give -v colours=1 for a terminal.

function paint(colour, text) {
	return colours ? "\033[" colour "m" text "\033[0m" : text
}

# SHARE of 20 signs, in the colour of a node: the fast one is green
function bar(share, node,    signs, full) {
	full = int(share * 20 + 0.5)
	signs = sprintf("%" full "s", "")
	gsub(/ /, "#", signs)
	return paint(node ? 34 : 32, signs) sprintf("%" (20 - full) "s", "")
}

# Both tables of a run, a line for each node
function print_run(    node, first) {
	for (node = 0; node < nodes; node++) {
		first = node ? "" : title
		printf "%-30s node %d weight %3d  %s %6d + %5d pages\n", first, node, weight[node],
			bar((pages[0, node] + pages[1, node]) / (sum[0] + sum[1]), node), pages[0, node], pages[1, node]
	}
	fflush()
	forget()
}

function forget() {
	nodes = sum[0] = sum[1] = 0
	table = -1
}

BEGIN { forget() }

# What ends a run otherwise, or is said in it, comes behind what was seen.
nodes && /^(---|A node |# mpolctl run|FAIL|PASS)/ { print_run() }

/^This machine's memory nodes/ { print; fflush(); machine = 1; next }
machine && /^$/ { next }
machine && /^---/ { machine = 0 }

# Weights
/^--- weights / {
	if (!headed++)
		print "\nA program's pages under weights W0:W1, of 256 MiB in one piece + 65536 single ones:"
	title = $3
	sub(/:$/, "", title)
	shown = 1
	next
}
/^--- one command with weights of its own/ { title = "mpolctl run --weights 0=5,1=1"; shown = 1; next }
/^--- beside it/ { title = "beside it, globally 1:1"; shown = 1; next }
shown && /^# (echo|weighted_interleave_split|mpolctl) / { next }
shown && /^NODE  WEIGHT/ { weights_told = 1; next }
shown && /^ +[01] +[0-9]+ +[0-9.]+%/ { next }
shown && /^auto: / { next }
shown && /^(256 MiB in one piece|65536 single pages)$/ { table++; next }
shown && /^  (numa_maps: |node   weight)/ { next }
shown && table >= 0 && /^  [0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ +[-+][0-9.]+$/ {
	weight[$1] = $2
	pages[table, $1] = $3
	sum[table] += $3
	if ($1 >= nodes)
		nodes = $1 + 1
	next
}
shown && /^Every node has its share\.$/ { print_run(); next }

# Promotion
/^--- hot pages / {
	print "\nHot pages of the slow node come to the fast one, with"
	shown = 0
	promotes = 1
	next
}
promotes && /^(memory_tier|kernel\.numa_balancing|# \/usr\/lib)/ { next }
promotes && /^ +touches that/ { next }
promotes && /^ +node 0 serves/ {
	print "  time  touches that node 0 serves    could   promoted  threshold"
	next
}
promotes && /^ *[0-9]+ s +[0-9.]+ % +[0-9.]+ %/ {
	printf "%4d s  %s %5.1f %%  %5.1f %%  %9d %9d ms\n", $1, bar($3 / 100, 0), $3, $5, $8, $10
	fflush()
	next
}
/^PASS: / { print paint(32, $0); next }
/^FAIL: / { print paint(31, $0); next }
/^$/ && (machine || shown) { next }
{ print; fflush() }
