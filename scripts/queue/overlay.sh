#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Lists the kernel's new files, at their kernel paths: the overlay, and those in files/ of the base. Documentation/*.md is about
# this repository, and stays here with its pictures.

set -e
. "$(dirname "$0")/../lib/lib.sh"

cd "$TOP"
git ls-files -co --exclude-standard -- mm kernel include Documentation \
	tools/mm/placement tools/testing/selftests/mm/placement ':!Documentation/*.md' ':!Documentation/pictures' |
	while read -r name; do
		# A tracked file may have been removed since.
		[ ! -f "$name" ] || printf '%s\n' "$name"
	done
own=bases/$BASE/files
git ls-files -co --exclude-standard -- "$own" | while read -r name; do
	[ ! -f "$name" ] || printf '%s\n' "${name#"$own/"}"
done
