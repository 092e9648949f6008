#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What repeats: every machine with all of its tests, and whether two runs that have to be the same are, ROUNDS times.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

exec "$TOP/scripts/test/test.sh" -m soak -n "${ROUNDS:-10}"
