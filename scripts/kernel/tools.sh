#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the user's tools of tools/mm/placement into build/tools, for the machines of a configuration: what the virtual machines carry.
# usage: tools.sh [-c CONFIG | -s SCENARIO]; SCENARIO stands for the configuration that it boots
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

config=default
while getopts c:s: option; do
	case $option in
	c) config=$OPTARG ;;
	s) config=$(scenario_config "$OPTARG") ;;
	*) die "usage: tools.sh [-c CONFIG | -s SCENARIO]" ;;
	esac
done
target "$config"
out=$programs/tools
lock tools
mkdir -p "$out"
step "building the tools" "$BUILD/log/tools.log" make -C "$TOP/tools/mm/placement" CROSS_COMPILE="$compiler" OUTPUT="$out/" all ||
	die "the tools do not build; run it again when the reason is gone"
