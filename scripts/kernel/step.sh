#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds one commit of build/tree:
#	step.sh [-c CONFIG] COMMIT VARIANT TARGETS [OPTION=VALUE ...]
# TARGETS is one list of words for the kernel's make; the options stand on top
# of CONFIG, default when not given.  Sources and the objects of a VARIANT are
# kept, so that the next step builds only what it changes.

set -e
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

config=default
while getopts c: option; do
	case $option in
	c) config=$OPTARG ;;
	*) die "usage: step.sh [-c CONFIG] COMMIT VARIANT TARGETS [OPTION=VALUE ...]" ;;
	esac
done
shift $((OPTIND - 1))
commit=$1
variant=$2
targets=$3
shift 3

tree=$BUILD/tree
steps=$BUILD/step
objects=$BUILD/obj/step-$variant
mkdir -p "$objects"

if ! git -C "$steps" cat-file -e "$commit" 2>/dev/null; then
	rm -rf "$steps"
	git clone -q -s -n "$tree" "$steps"
fi
git -C "$steps" checkout -q --detach --force "$commit"

target "$config"
CC=${compiler}gcc
if command -v ccache >/dev/null; then
	CC="ccache $CC"
	export CCACHE_BASEDIR="$TOP" CCACHE_NOHASHDIR=1
fi
"$TOP/scripts/kernel/config.sh" -p "$steps" "$objects" "$config" "$@"
# shellcheck disable=SC2086 # a list of words
make -s -C "$steps" O="$objects" ARCH="$arch" CROSS_COMPILE="$compiler" \
	LOCALVERSION= CC="$CC" \
	-j"$(nproc)" $targets
