#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds build/kernel/placed: the base with nothing but the placement of the slow node in a tier of its own, without which the base
# promotes nothing. scripts/kernel/kernel.sh has run.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

# The last patch of the series that does not touch what is promoted
placed=$(git -C "$BUILD/tree" log -n 1 --format=%H --grep '^mm/tiering: place nodes by what firmware tells' refs/series/head)
[ -n "$placed" ] || die "no patch of the series places nodes"
step "building the base with nodes in their tiers" "$BUILD/log/kernel-placed.log" \
	"$TOP/scripts/kernel/step.sh" "$placed" placed bzImage || die "the base with nodes in their tiers does not build"
mkdir -p "$BUILD/kernel/placed"
cp "$BUILD/obj/step-placed/arch/x86/boot/bzImage" "$BUILD/kernel/placed/bzImage"
