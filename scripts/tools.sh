#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the user's tools of tools/mm into build/tools; what the virtual machines carry is there.
set -eu
. "$(dirname "$0")/lib.sh"

out=$BUILD/tools
lock tools
mkdir -p "$out"
step "building the tools" "$BUILD/log/tools.log" make -C "$TOP/tools/mm" OUTPUT="$out/" all ||
	die "the tools do not build"
