#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The tests of make test on the debug kernel (KASAN, lockdep, ...), with longer limits and a search for memory leaks.
set -eu
. "$(dirname "$0")/lib.sh"

exec "$TOP/scripts/test.sh" -c debug -x 6 -l
