#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints where a kernel's configuration is not the distribution's in mm, kernel, lib and arch, with the reason of each:
#	differences.sh SOURCE OBJECTS NAME
# OBJECTS/.config is what scripts/kernel/config.sh has made of NAME, which is on top of Debian's configuration. A reason is the
# comment above the option in scenarios/configs/NAME.config; what no person can set follows from what one can, and modules are
# not built. Ends with 1 where there is no reason.

set -e
. "$(dirname "$0")/../lib/lib.sh"

[ $# -eq 3 ] || die "usage: differences.sh SOURCE OBJECTS NAME"
source=$1
objects=$2
named=$TOP/scenarios/configs/$3.config

# Those that a person can set are marked.
find "$source/mm" "$source/kernel" "$source/lib" "$source/arch/x86" "$source/arch/Kconfig" -name 'Kconfig*' -exec awk '
	FNR == 1 { option = "" }
	$1 == "config" || $1 == "menuconfig" { option = $2; print option; next }
	/^[a-z]/ { option = "" }
	option == "" { next }
	$1 ~ /^(bool|tristate|int|hex|string)$/ && $2 ~ /^["'\'']/ || $1 == "prompt" { print option, "settable" }
' {} + >"$objects/config.d/options"

awk -v name="$3" '
function value(line) { return line ~ /^#/ ? "n" : substr(line, index(line, "=") + 1) }
{ match($0, /CONFIG_[A-Za-z0-9_]+/); option = substr($0, RSTART + 7, RLENGTH - 7) }
FILENAME == ARGV[1] {
	if (!($1 in settable))
		order[++count] = $1
	settable[$1] = settable[$1] || $2 != ""
	next
}
FILENAME == ARGV[2] {
	if (/^(# )?CONFIG_[A-Za-z0-9_]+(=| is not set$)/)
		reason[option] = comment == "" ? "-" : comment
	else
		comment = sub(/^# (series: )?/, "") && !/^---/ ? $0 : ""
	next
}
!/^(# )?CONFIG_[A-Za-z0-9_]+(=| is not set$)/ { next }
FILENAME == ARGV[3] { theirs[option] = value($0); next }
{ ours[option] = value($0) }
END {
	for (i = 1; i <= count; i++) {
		option = order[i]
		was = option in theirs ? theirs[option] : "n"
		is = option in ours ? ours[option] : "n"
		if (is == was)
			continue
		if (option in reason && reason[option] != "-")
			listed = listed sprintf("  %s is %s, not %s: %s\n", option, is, was, reason[option])
		else if (was == "m" && is == "n")
			modules = modules " " option
		else if (settable[option]) {
			printf "%s is %s, not %s, and scenarios/configs/%s.config has no reason\n", option, is, was, name
			bad = 1
		} else
			follows = follows " " option
	}
	printf "%s", listed
	if (modules != "")
		print "  modules, which are not built:" modules
	if (follows != "")
		print "  follow from what differs, here or in drivers:" follows
	exit bad
}' "$objects/config.d/options" "$named" "$objects/config.d/from-debian" "$objects/.config"
