#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Configures the kernel of the packages:
#	config.sh [-b] [-c CONFIG] [-l] OBJECTS
# writes OBJECTS/.config from Debian's own configuration, or from CONFIG: a
# whole .config, or a file with the line "# on top of: Debian's configuration",
# which names the modules that stay and what else differs.  -l leaves out the
# modules that are not in use; LSMOD=FILE in the environment is the lsmod of
# another machine.  -b is for BTF, which needs pahole; without it there is no
# debug information.  scenarios/configs/debian.config holds in any case.

set -e
. "$(dirname "$0")/../lib/lib.sh"

config=
local=
information=plain
while getopts bc:l option; do
	case $option in
	b) information=btf ;;
	c) config=$OPTARG ;;
	l) local=y ;;
	*) die "usage: config.sh [-b] [-c CONFIG] [-l] OBJECTS" ;;
	esac
done
shift $((OPTIND - 1))
objects=$(realpath "$1")
tree=$BUILD/tree
work=$objects/config.d
ours=$work/ours

kconfig() {
	make -s -C "$tree" O="$objects" ARCH=x86_64 "$@"
}

# merge FRAGMENT...: of an option that may be a module or built in, the latter wins
merge() {
	(
		cd "$work"
		"$tree/scripts/kconfig/merge_config.sh" -m -y -O "$work" start "$@" >>merge.log 2>&1
	) || die "the fragments cannot be merged; see $work/merge.log"
	cp "$work/.config" "$objects/.config"
	kconfig olddefconfig
}

# only_modules FRAGMENT CONFIG: CONFIG less the modules that FRAGMENT does not name
only_modules() {
	awk '
	FILENAME == ARGV[1] { if (sub(/=m$/, "")) stays[$0] = 1; next }
	/=m$/ { option = substr($0, 1, length - 2); if (!(option in stays)) $0 = "# " option " is not set" }
	{ print }' "$1" "$2"
}

rm -rf "$work"
mkdir -p "$work"
cat "$TOP/scenarios/configs/debian.config" "$TOP/scenarios/configs/debian-$information.config" >"$ours"
on_top=
if [ -z "$config" ]; then
	"$TOP/scripts/kernel/debian-config.sh" >"$work/start"
elif [ ! -f "$config" ]; then
	die "CONFIG=$config: no such file"
elif ! grep -q "^# on top of: Debian's configuration" "$config"; then
	cp "$config" "$work/start"
else
	on_top=$(realpath "$config")
	"$TOP/scripts/kernel/debian-config.sh" >"$work/debian"
	only_modules "$on_top" "$work/debian" >"$work/start"
	merge "$on_top"
	cp "$objects/.config" "$work/start"
fi
if [ -n "$local" ]; then
	merge
	LSMOD=${LSMOD:+$(realpath "$LSMOD")}
	[ -n "$LSMOD" ] || [ -r /proc/modules ] ||
		die "LOCALMODCONFIG: this kernel has no modules; give LSMOD=FILE with the lsmod of the machine that the packages are for"
	export LSMOD
	# whatever its cuts bring into view takes its default
	yes '' | kconfig localmodconfig
	cp "$objects/.config" "$work/start"
fi
merge "$ours"

awk '
function value(line) { return line ~ /^#/ ? "n" : substr(line, index(line, "=") + 1) }
{ match($0, /CONFIG_[A-Za-z0-9_]+/); option = substr($0, RSTART, RLENGTH) }
!RLENGTH || !/^(# )?CONFIG_[A-Za-z0-9_]+(=| is not set$)/ { next }
FILENAME == ARGV[1] { have[option] = value($0); next }
{ wanted[option] = value($0) }
END {
	for (option in wanted) {
		is = option in have ? have[option] : "n"
		if (is != wanted[option] && !(is == "y" && wanted[option] == "m")) {
			print option " is " is ", not " wanted[option]
			bad = 1
		}
	}
	exit bad
}' "$objects/.config" ${on_top:+"$on_top"} "$ours" >&2 ||
	die "these options are not set as requested; their dependencies are in the Kconfig files"
