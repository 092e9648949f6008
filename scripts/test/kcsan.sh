#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The tests in which tasks race with each other, ROUNDS times on a kernel that looks for data races (KCSAN): tests/races has which, and on
# which machines. A data race with a line of ours in it is a failure, those of the base alone are counted.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

exec "$TOP/scripts/test/test.sh" -c kcsan -m races -x 10 -n "${ROUNDS:-1}" -e hotplug:MEMPOLICY2_CALLS=5000
