#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Gets the QEMU that tools/numasim is made for, from bookworm-backports, into build/sim-qemu; the system's own one stays as it is.
# Prints the directory that it is unpacked in. The exit status is 4, after one line with the reason, where it cannot be had.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

version='1:10.0.2+ds-2+deb13u1~bpo12+1'
dir=$BUILD/sim-qemu
log=$BUILD/log/sim-qemu.log
program=$dir/root/usr/bin/qemu-system-x86_64

# cannot REASON
cannot() {
	echo "no QEMU 10.0 for the modelled machine: $1"
	exit 4
}

fetch() {
	"$TOP/scripts/host/fetch-deb.sh" -s bookworm-backports -d "$dir/packages" "$@" > "$log" 2>&1
}

# The archive answers, and has moved on to another version.
moved_on() {
	grep -q "^E: Version .* was not found" "$log"
}

fetch_any() {
	fetch "qemu-system-x86=$version" "qemu-system-data=$version" seabios ||
		{ moved_on && fetch qemu-system-x86 qemu-system-data seabios; }
}

lock sim-qemu >&2
if [ ! -f "$dir/complete" ]; then
	command -v apt-get > /dev/null || cannot "this system has no apt-get"
	mkdir -p "$dir" "$(dirname "$log")"
	fetch_any || cannot "$(grep -E '^(E|error):' "$log" | tail -n 1) (log: $log)"
	rm -rf "$dir/root"
	for package in "$dir"/packages/*.deb; do
		dpkg-deb -x "$package" "$dir/root"
	done
	rm -rf "$dir/packages"
	missing=$(ldd "$program" | sed -n 's/^[[:space:]]*\(.*\) => not found/\1/p' | head -n 1)
	[ -z "$missing" ] || cannot "this system lacks $missing"
	found=$("$program" --version | sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p')
	case $found in
	10.0.*) ;;
	*) cannot "bookworm-backports has ${found:-one that does not start}" ;;
	esac
	touch "$dir/complete"
fi
echo "$dir/root"
