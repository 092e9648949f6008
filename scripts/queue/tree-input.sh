#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One checksum over everything that build/tree is made from; takes the plan
# of scripts/queue/plan.sh on standard input.

set -e
. "$(dirname "$0")/../lib/lib.sh"

cd "$TOP"
{
	cat "$BUILD/base.stamp"
	while read -r kind name; do
		printf '%s\n' "$kind"
		case $kind in
		patch) sha256sum "$PATCHES/$name" ;;
		rows) sha256sum "$PATCHES/syscall-rows" scripts/queue/rows.sh ;;
		file)
			name=$(source_of "$name")
			[ ! -x "$name" ] || printf 'executable '
			sha256sum "$name"
			;;
		esac
	done
	sha256sum scripts/queue/tree.sh
} | sha256sum | cut -d ' ' -f 1
