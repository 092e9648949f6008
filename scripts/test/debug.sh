#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The tests of make test on the debug kernel (KASAN, lockdep, ...), with longer limits and a search for memory leaks.
# A million random calls are made on one machine, which has memory that comes and goes.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

exec "$TOP/scripts/test/test.sh" -c debug -x 10 -l -e hotplug:MEMPOLICY2_CALLS=1000000
