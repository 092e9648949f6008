#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints the accelerator to use: $ACCEL, or kvm where a guest really runs under it, or tcg.
# A /dev/kvm that can be opened may still hang, so the probe runs a boot sector that ends QEMU at once, and is not waited for long.
# The answer is kept until the next boot of the host, for as long as /dev/kvm is there or is not.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

case ${ACCEL:-} in
tcg)
	echo tcg
	exit
	;;
kvm | '') ;;
*) die "ACCEL is '$ACCEL': it is tcg or kvm" ;;
esac

answer=$BUILD/vm/accel-$(cat /proc/sys/kernel/random/boot_id)
[ ! -w /dev/kvm ] || answer=$answer-kvm
if [ ! -s "$answer" ]; then
	mkdir -p "$BUILD/vm"
	probe=$(mktemp -d)
	# mov $0x10,%al; out %al,$0xf4: the exit device makes that QEMU's status 0x21.
	{
		printf '\260\020\346\364\364'
		head -c 505 /dev/zero
		printf '\125\252'
	} > "$probe/disk"
	found=tcg
	if [ -w /dev/kvm ]; then
		{
			status=0
			timeout -s KILL 5 qemu-system-x86_64 -accel kvm -nodefaults -display none -no-reboot \
				-device isa-debug-exit -drive "file=$probe/disk,format=raw" || status=$?
			echo "$status" > "$probe/status.new"
			mv "$probe/status.new" "$probe/status"
		} < /dev/null > /dev/null 2>&1 &
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
			[ ! -s "$probe/status" ] || break
			sleep 0.5
		done
		[ "$(cat "$probe/status" 2>/dev/null)" != 33 ] || found=kvm
	fi
	rm -rf "$probe"
	echo "$found" > "$answer.$$"
	mv "$answer.$$" "$answer"
fi
found=$(cat "$answer")
[ "${ACCEL:-}" != kvm ] || [ "$found" = kvm ] || die "ACCEL=kvm: no guest runs under KVM here; leave ACCEL unset"
echo "$found"
