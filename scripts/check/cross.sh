#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the end of the series for every other architecture that
# scenarios/configs has a configuration for, with Debian's cross compilers.
# ONLY="name ..." in the environment builds these.

set -e
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

others=$(cd "$TOP/scenarios/configs" && grep -l '^# architecture: ' -- *.config | sed 's/\.config$//')
known ONLY "$others"
: "${ONLY:=$others}"

"$TOP/scripts/host/setup.sh"
"$TOP/scripts/queue/tree.sh"
head=$(git -C "$BUILD/tree" rev-parse refs/series/head)
for name in $ONLY; do
	target "$name"
	# shellcheck disable=SC2086 # one word a package
	need_packages $compiler_packages
	check "$name" "$TOP/scripts/kernel/step.sh" -c "$name" "$head" "$name" vmlinux
done
check_summary
