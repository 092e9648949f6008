#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the model of memory nodes and what needs no modelled machine of the rest of tools/numasim. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib.sh"

out=$BUILD/numasim
mkdir -p "$out"
log=$BUILD/log/numasim.log
make -C "$TOP/tools/numasim" OUTPUT="$out/" "$out/model-unit" > "$log" 2>&1 || {
	tail -n 5 "$log" | sed 's/^/# /'
	echo "Bail out! the model does not compile"
	exit 1
}
exec "$out/model-unit"
