#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The tests whose verdict goes by time, which tests/timed lists, on the machines that stand there; ROUNDS times.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

exec "$TOP/scripts/test/test.sh" -m timed -n "${ROUNDS:-1}"
