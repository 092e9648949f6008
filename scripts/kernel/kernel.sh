#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds a kernel: kernel.sh [-c CONFIG | -s SCENARIO] [-b | -v VERSION].
# CONFIG is a name in scenarios/configs, default when not given; SCENARIO
# stands for the one it boots; -b builds the unpatched base, -v Debian's
# linux-source-VERSION with what it has of the options.  Of one on top of
# Debian's configuration it says where it differs, each time.
# The result lies in build/kernel/CONFIG, build/kernel/CONFIG-base or
# build/kernel/peer-VERSION.

set -e
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

config=default
patched=y
version=
while getopts c:s:bv: option; do
	case $option in
	c) config=$OPTARG ;;
	s) config=$(scenario_config "$OPTARG") ;;
	b) patched= ;;
	v) version=$OPTARG patched= ;;
	*) die "usage: kernel.sh [-c CONFIG | -s SCENARIO] [-b | -v VERSION]" ;;
	esac
done

target "$config"
"$TOP/scripts/host/setup.sh"
# shellcheck disable=SC2086 # one word a package
need_packages $compiler_packages
if [ -n "$patched" ]; then
	name=$config
	"$TOP/scripts/queue/tree.sh"
	source=$BUILD/tree
	stamp=$BUILD/base.stamp
elif [ -n "$version" ]; then
	name=peer-$version
	"$TOP/scripts/kernel/peer.sh" "$version"
	source=$BUILD/$name
	stamp=$source.stamp
else
	name=$config-base
	"$TOP/scripts/queue/base.sh"
	source=$BUILD/base
	stamp=$BUILD/base.stamp
fi
objects=$BUILD/obj/$name
result=$BUILD/kernel/$name
mkdir -p "$objects" "$result"
lock "kernel-$name"

# Base sources and an empty series lack the options of the series.
partial=
if [ -z "$patched" ] || ! "$TOP/scripts/queue/plan.sh" | grep -q '^patch '; then
	partial=-p
fi
[ -z "$version" ] || partial='-p -o'

kernel_make() {
	make -C "$source" O="$objects" ARCH="$arch" CROSS_COMPILE="$compiler" \
		LOCALVERSION= "CC=$CC" "$@"
}

# The same sources give the same bytes, whoever builds them and wherever.
export KBUILD_BUILD_TIMESTAMP='2026-01-01 00:00:00 UTC'
export KBUILD_BUILD_USER=build KBUILD_BUILD_HOST=localhost
export KBUILD_BUILD_VERSION=1
CC=${compiler}gcc
if command -v ccache >/dev/null; then
	CC="ccache $CC"
	export CCACHE_BASEDIR="$TOP" CCACHE_NOHASHDIR=1
fi

# Configuration and headers are as old as what they are made from.
state=$({
	cat "$stamp" "$TOP"/scenarios/configs/*.config "$TOP/scripts/kernel/config.sh"
	"${compiler}gcc" --version
	if [ -n "$patched" ]; then
		git -C "$source" rev-parse HEAD
		git -C "$source" diff HEAD
	fi
} | sha256sum)
if [ "$(cat "$objects/state" 2>/dev/null)" != "$state" ] ||
	[ ! -d "$result/usr/include" ]; then
	# shellcheck disable=SC2086 # options or none
	step "configuring the $name kernel" "$BUILD/log/config-$name.log" \
		"$TOP/scripts/kernel/config.sh" $partial "$source" "$objects" "$config" ||
		die "the $name kernel cannot be configured as requested"
	step "installing the $name kernel's headers" "$BUILD/log/headers-$name.log" \
		kernel_make INSTALL_HDR_PATH="$result/usr" headers_install ||
		die "the $name kernel's headers do not install"
	printf '%s\n' "$state" >"$objects/state"
fi
if [ -f "$objects/config.d/from-debian" ] && [ -z "$version" ]; then
	say "$name differs from the distribution's configuration, in mm, kernel, lib and arch:"
	"$TOP/scripts/kernel/differences.sh" "$source" "$objects" "$config" ||
		die "each of these needs a comment above it in scenarios/configs/$config.config"
fi
STEP_LINES=$(sed -n 's/^# lines of a build: //p' "$TOP/scenarios/configs/$config.config")
step "building the $name kernel" "$BUILD/log/kernel-$name.log" \
	kernel_make -j"$(nproc)" "${image##*/}" ||
	die "the $name kernel does not build; run it again when the reason is gone, it goes on from there"

# put FILE NAME [DIRECTORY]: copies what changed
put() {
	cmp -s "$objects/$1" "${3:-$result}/$2" || cp "$objects/$1" "${3:-$result}/$2"
}

put "$image" "${image##*/}"
put System.map System.map
put .config config
put vmlinux vmlinux
if [ "$name" = default ]; then
	put arch/x86/boot/bzImage bzImage "$BUILD"
	put System.map System.map "$BUILD"
	put .config config "$BUILD"
	mkdir -p "$BUILD/usr"
	rsync -a --delete "$result/usr/include/" "$BUILD/usr/include/"
fi
say "build/kernel/$name/${image##*/} is ready"
