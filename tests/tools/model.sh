# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Prepares modelled machines; sourced by parts behind lib.sh. Ends the part with a skip where there is no QEMU for them.

status=0
reason=$("$TOP/scripts/machine/sim.sh" -p) || status=$?
if [ "$status" -eq 4 ]; then
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$reason"
	exit
elif [ "$status" -ne 0 ]; then
	printf 'TAP version 13\nBail out! the model could not be prepared\n'
	exit 1
fi
