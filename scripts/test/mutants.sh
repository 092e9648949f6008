#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Plants faults into the kernel and says whether the tests notice; mutants.py explains it.
# usage: mutants.sh [-l]
#   -l  prints the names of the faults, and plants none
set -eu
. "$(dirname "$0")/../lib/lib.sh"

exec python3 "$TOP/scripts/test/mutants.py" "$@"
