#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A Debian with its own kernel, systemd and the tools' package, on a machine with a memory module that is offline at boot:
# what "mpolctl save" has saved is set at boot and when that memory comes online. Ten boots; BOOTS=1 for one. Prints TAP.
# shellcheck disable=SC2317 # functions are called through try
set -u
. "$(dirname "$0")/../../scripts/lib/lib.sh"
. "$TOP/scripts/machine/qemu.sh"

mkdir -p "$BUILD"
work=$(mktemp -d "$BUILD/boots.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP needs root"
	exit 0
fi
if ! (need_packages mmdebstrap e2fsprogs) >"$work/log" 2>&1; then
	echo "1..0 # SKIP $(tail -n 1 "$work/log")"
	exit 0
fi

mirror=$(debian_mirror)

make_disk() {
	root=$work/root
	"$TOP/scripts/package/tools.sh" "$work/packages" || return
	# shellcheck disable=SC2016 # mmdebstrap's hooks have the root directory in $1
	mmdebstrap --variant=apt --include=systemd-sysv,udev,initramfs-tools,linux-image-cloud-amd64,zstd \
		--customize-hook="copy-in $(echo "$work"/packages/mempolicy-tools_*.deb) /root" \
		--customize-hook="upload $TOP/tests/deb/boots-guest /usr/local/sbin/boots" \
		--customize-hook='chroot "$1" sh -ec "chmod 755 /usr/local/sbin/boots; apt-get -y install /root/*.deb"' \
		bookworm "$root" "$mirror" || return
	echo '/sys/kernel/mm/numa/demotion_enabled = true' >"$root/etc/mpolctl.conf"
	cat >"$root/etc/systemd/system/boots.service" <<-END
		[Unit]
		After=mpolctl.service

		[Service]
		ExecStart=/usr/local/sbin/boots
	END
	ln -s ../boots.service "$root/etc/systemd/system/multi-user.target.wants/boots.service"
	mke2fs -q -t ext4 -d "$root" "$work/disk" 2G
	cp "$root"/boot/vmlinuz-* "$work/vmlinuz"
	cp "$root"/boot/initrd.img-* "$work/initrd.img"
}

boot() {
	rm -f "$work/said"
	# shellcheck disable=SC2046 # these are words
	limited 600 qemu-system-x86_64 $(qemu_nothing) $(qemu_time "$("$TOP/scripts/machine/accel.sh")" max) \
		-machine q35 -smp 2 -m 1G,slots=1,maxmem=2G \
		-object memory-backend-ram,id=m0,size=1G -numa node,nodeid=0,memdev=m0,cpus=0-1 -numa node,nodeid=1 \
		-object memory-backend-ram,id=m1,size=256M -device pc-dimm,id=dimm1,memdev=m1,node=1 \
		-drive "file=$work/disk,format=raw,if=none,snapshot=on,id=system" -device virtio-blk-pci,drive=system \
		-serial "file:$work/console" -serial "file:$work/said" -kernel "$work/vmlinuz" -initrd "$work/initrd.img" \
		-append "root=/dev/vda rw console=ttyS0 panic=-1 no_timer_check" || return
	tr -d '\r' <"$work/said"
	tr -d '\r' <"$work/said" | grep -qx end && ! grep -q '^fault:' "$work/said"
}

. "$TOP/scripts/lib/tap.sh"
try "a Debian has the tools' package" make_disk
if [ "$failed" -eq 0 ]; then
	for round in $(seq "${BOOTS:-10}"); do
		try "boot $round: what is saved is set, and again when memory comes online" boot
	done
	try "it has booted" test "$count" -gt 1
fi
echo "1..$count"
[ "$failed" -eq 0 ]
