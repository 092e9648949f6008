#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Configures a kernel:
#	config.sh [-p] [-o] SOURCE OBJECTS NAME [OPTION=VALUE ...]
# writes OBJECTS/.config from tinyconfig, or Debian's own configuration, from
# scenarios/configs/NAME.config and what that stands on, and the given options
# (without CONFIG_) on top.  bases/BASE/config, where there is one, has options that
# the base alone has or needs, and behind "gone:" those that it does not have.  -p:
# options marked "series:" are left out where SOURCE does not have them.  -o:
# SOURCE is of another version, which does not have all of the options;
# OBJECTS/unset says which could not be set.
# Fails when an option is not really set as requested; with options on top,
# when those are not.

set -e
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

partial=
other=
while getopts po option; do
	case $option in
	p) partial=y ;;
	o) other=y ;;
	*) die "usage: config.sh [-p] [-o] SOURCE OBJECTS NAME [OPTION=VALUE ...]" ;;
	esac
done
shift $((OPTIND - 1))
source=$1
objects=$2
name=$3
shift 3
target "$name"

work=$objects/config.d
rm -rf "$work"
mkdir -p "$work"

own=$TOP/bases/$BASE/config
[ -f "$own" ] || own=/dev/null

# plain FILE: its options alone, one a line; "series:" ones behind a mark
plain() {
	awk -v "gone=$(sed -n 's/^# gone: //p' "$own" | tr '\n' ' ')" '
	match($0, /^(# )?CONFIG_[A-Za-z0-9_]+/) {
		option = $0
		sub(/^# /, "", option)
		sub(/[= ].*/, "", option)
		if (index(" " gone, " " option " "))
			next
	}
	/^# CONFIG_[A-Za-z0-9_]+ is not set$/ || /^CONFIG_[A-Za-z0-9_]+=/ {
		print mark $0
		next
	}
	/^#/ { mark = /^# series:/ ? "series " : ""; next }
	/^$/ { mark = ""; next }
	{ printf "%s:%d: no option and no comment\n", FILENAME, FNR >"/dev/stderr"; exit 1 }
	' "$1"
}

symbol='s/^\(# \)\{0,1\}\(CONFIG_[A-Za-z0-9_]*\).*/\2/'

# The layers, the lowest first: tinyconfig or Debian's, then NAME and what it stands on.
layers=
from_debian=
while [ -n "$name" ]; do
	file=$TOP/scenarios/configs/$name.config
	[ -f "$file" ] || die "scenarios/configs/$name.config does not exist; see scenarios/configs for the names"
	layers="$name $layers"
	plain "$file" >"$work/$name.plain"
	name=$(sed -n 's/^# on top of: //p' "$file")
	case $name in
	"Debian's configuration"*) name='' from_debian=y ;;
	esac
done
# takes LAYER FILE: options of others, which need not all be set
takes() {
	plain "$2" >"$work/$1.plain"
	below="${below:-}$1 "
}
if [ -n "$from_debian" ]; then
	"$TOP/scripts/kernel/debian-config.sh" >"$work/from-debian"
	sed 's/^\(CONFIG_[A-Za-z0-9_]*\)=m$/# \1 is not set/' "$work/from-debian" >"$work/built-in"
	takes debian-own.config "$work/built-in"
else
	tiny="kernel/configs/tiny-base.config kernel/configs/tiny.config"
	case $arch in
	x86_64 | i386) tiny="$tiny arch/x86/configs/tiny.config" ;;
	esac
	for file in $tiny; do
		takes "$(echo "$file" | tr / -)" "$source/$file"
	done
fi
takes base "$own"
layers="$below$layers"
for option; do
	case $option in
	*=n) printf '# CONFIG_%s is not set\n' "${option%=n}" ;;
	*) printf 'CONFIG_%s\n' "$option" ;;
	esac
done >"$work/given.plain"
layers="$layers given"

# Unpatched sources do not have the options of the series.
for layer in $layers; do
	while read -r line; do
		case $line in
		series\ *)
			line=${line#series }
			option=$(printf '%s\n' "$line" | sed "$symbol; s/^CONFIG_//")
			if [ -n "$partial" ] &&
				! grep -rqsE "^[[:space:]]*(menu)?config $option\$" \
					--include='Kconfig*' "$source/mm" "$source/kernel"; then
				continue
			fi
			;;
		esac
		printf '%s\n' "$line"
	done <"$work/$layer.plain" >"$work/$layer.layer"
	twice=$(sed "$symbol" "$work/$layer.layer" | sort | uniq -d | head -n 1)
	[ -z "$twice" ] || die "$layer sets $twice twice; leave one"
done

# An upper layer takes an option away from those below, so that merge_config
# in strict mode sees every option once.
fragments=
: >"$work/above"
downwards=
for layer in $layers; do
	downwards="$layer $downwards"
done
for layer in $downwards; do
	awk 'FILENAME == ARGV[1] { taken[$0] = 1; next }
	{ match($0, /CONFIG_[A-Za-z0-9_]+/) }
	!(substr($0, RSTART, RLENGTH) in taken)' \
		"$work/above" "$work/$layer.layer" >"$work/$layer.fragment"
	sed "$symbol" "$work/$layer.fragment" >>"$work/above"
	[ ! -s "$work/$layer.fragment" ] || fragments="$work/$layer.fragment $fragments"
done
(
	cd "$work"
	: >start
	# shellcheck disable=SC2086 # one word a fragment
	"$source/scripts/kconfig/merge_config.sh" -m -s -O "$work" start $fragments >merge.log 2>&1
) || die "the fragments contradict each other; see $work/merge.log"

make -s -C "$source" O="$objects" ARCH="$arch" CROSS_COMPILE="$compiler" KCONFIG_ALLCONFIG="$work/.config" \
	KCONFIG_CONFIG="$work/result" allnoconfig >"$work/make.log" 2>&1 || {
	cat "$work/make.log" >&2
	die "the kernel's configuration failed in $source"
}

# With options given, those that depend on them may change too; without, all
# of the project's own layers hold.  tinyconfig's are for other machines too.
for layer in $layers; do
	case $layer in
	given) checked=y ;;
	*-*.config) checked= ;;
	*) [ -s "$work/given.plain" ] && checked= || checked=y ;;
	esac
	[ -z "$checked" ] || cat "$work/$layer.fragment"
done >"$work/requested"
bash "$source/tools/testing/selftests/rcutorture/bin/configcheck.sh" \
	"$work/result" "$work/requested" >"$work/unset"
if [ -n "$other" ]; then
	cp "$work/unset" "$objects/unset"
elif [ -s "$work/unset" ]; then
	cat "$work/unset" >&2
	die "these options are not set as requested; their dependencies are in the Kconfig files"
fi
cmp -s "$work/result" "$objects/.config" || cp "$work/result" "$objects/.config"
