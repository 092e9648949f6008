#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A Debian with systemd and the tools' package, on machines with memory that is not the kernel's at boot: what is saved is set at boot,
# and again when that memory comes online by what mpolctl doctor says. "debian" has Debian's own kernel and a memory module that is offline;
# the machines of scenarios/ have this kernel's package. Prints TAP. In the environment:
#   MACHINES  some of debian kmem hotplug cxl-type3; all of them without it
#   BOOTS     of each machine: the rounds of make soak, or ten
#   PACKAGES  a directory with the packages of make deb, in place of new ones
# shellcheck disable=SC2317 # functions are called through try
set -u
. "$(dirname "$0")/../../scripts/lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"
. "$TOP/scripts/machine/qemu.sh"

all="debian kmem hotplug cxl-type3"
known MACHINES "$all" || exit
machines=${MACHINES:-$all}
boots=${BOOTS:-${ROUNDS:-10}}
case $boots in
*[!0-9]* | 0*) die "BOOTS is '$boots': it is a number, from 1" ;;
esac

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
packages=$work/packages
accel=$("$TOP/scripts/machine/accel.sh") || exit
# Both kernels patch their code.
[ "$accel" != tcg ] || accel=tcg-single

# Debian's own kernel needs no more than the tools.
get_packages() {
	if [ -n "${PACKAGES:-}" ]; then
		ln -s "$(realpath "$PACKAGES")" "$packages"
	elif [ "$machines" = debian ]; then
		"$TOP/scripts/package/tools.sh" "$packages"
	else
		CONFIG=$TOP/scenarios/configs/debian-vm.config BTF=0 LOCALMODCONFIG=0 "$TOP/scripts/package/deb.sh" -o "$packages"
	fi
}

# package PATTERN: the path of the only one with such a name
package() {
	# shellcheck disable=SC2086 # a pattern
	set -- "$packages"/$1_*.deb
	if [ ! -f "$1" ] || [ $# -ne 1 ]; then
		echo "not one package: $*" >&2
		return 1
	fi
	echo "$1"
}

# kernel_of MACHINE: which of the two disks it boots
kernel_of() {
	case $1 in
	debian) echo debian ;;
	*) echo weighted ;;
	esac
}

# saved KERNEL: what is not so by itself
saved() {
	weights=/sys/kernel/mm/mempolicy/weighted_interleave
	cat <<-END
		/sys/kernel/mm/numa/demotion_enabled = true
		kernel.numa_balancing = 2
	END
	[ "$1" = debian ] || cat <<-END
		$weights/mix = 40
		$weights/node0 = 31
		$weights/node1 = 23
		$weights/node2 = 29
		$weights/auto = false
	END
}

# make_disk KERNEL: a disk, and out of its /boot what QEMU loads
make_disk() {
	root=$work/$1.root
	files=$(package mempolicy-tools) || return
	case $1 in
	debian) programs=linux-image-cloud-amd64 ;;
	*)
		programs=ndctl,daxctl
		files="$files $(package 'linux-image-*-weighted')" || return
		;;
	esac
	# shellcheck disable=SC2016 # mmdebstrap's hooks have the root directory in $1
	mmdebstrap --variant=apt --include=systemd-sysv,udev,initramfs-tools,zstd,"$programs" \
		--customize-hook="copy-in $files /root" \
		--customize-hook="upload $TOP/tests/deb/boots-guest /usr/local/sbin/boots" \
		--customize-hook='chroot "$1" sh -ec "chmod 755 /usr/local/sbin/boots; apt-get -y install /root/*.deb"' \
		bookworm "$root" "$mirror" || return
	saved "$1" >"$root/etc/mpolctl.conf"
	cat >"$root/etc/systemd/system/boots.service" <<-END
		[Unit]
		After=mpolctl.service

		[Service]
		ExecStart=/usr/local/sbin/boots
	END
	# The unit of the guide
	awk '/slow-memory.service``::$/ { unit = 1; next } unit && /^[^\t]/ { exit } unit { sub(/^\t/, ""); print }' \
		"$TOP/Documentation/admin-guide/mm/slow-memory.rst" >"$root/etc/systemd/system/slow-memory.service"
	ln -s ../boots.service "$root/etc/systemd/system/multi-user.target.wants/boots.service"
	mke2fs -q -t ext4 -d "$root" "$work/$1.disk" 2G &&
		cp "$root"/boot/vmlinuz-* "$work/$1.vmlinuz" && cp "$root"/boot/initrd.img-* "$work/$1.initrd" && rm -rf "$root"
}

# hardware MACHINE: what it has, as words for QEMU. What the self tests append for the kernel is not there: Debian's leaves memory offline.
hardware() {
	case $1 in
	debian)
		echo "-machine q35 -smp 2 -m 1G,slots=1,maxmem=2G" \
			"-object memory-backend-ram,id=m0,size=1G -numa node,nodeid=0,memdev=m0,cpus=0-1 -numa node,nodeid=1" \
			"-object memory-backend-ram,id=m1,size=256M -device pc-dimm,id=dimm1,memdev=m1,node=1"
		;;
	*) scenario_value "$(scenario_conf "$1")" qemu ;;
	esac
}

# boot MACHINE: nothing that it writes to its disk stays, which is on the first bus, as a card's takes none
boot() {
	kernel=$work/$(kernel_of "$1")
	status=0
	rm -f "$work/console" "$work/said"
	# shellcheck disable=SC2046 # these are words
	limited 900 qemu-system-x86_64 $(hardware "$1") $(qemu_nothing) $(qemu_time "$accel" max) \
		-drive "file=$kernel.disk,format=raw,if=none,snapshot=on,id=system" -device virtio-blk-pci,bus=pcie.0,drive=system \
		-serial "file:$work/console" -serial "file:$work/said" -kernel "$kernel.vmlinuz" -initrd "$kernel.initrd" \
		-append "root=/dev/vda rw console=ttyS0 panic=-1 no_timer_check boots.machine=$1" || status=$?
	sed -i 's/\r//g' "$work/said" "$work/console"
	cat "$work/said"
	if [ "$status" -ne 0 ] || ! grep -qx end "$work/said"; then
		tail -n 5 "$work/console"
		return 1
	fi
	! grep -q '^fault:' "$work/said" && ! grep -aE 'Kernel panic|Call Trace:' "$work/console"
}

. "$TOP/scripts/lib/tap.sh"
try "there are packages" get_packages
for kernel in $(for machine in $machines; do kernel_of "$machine"; done | sort -u); do
	try "a Debian with the kernel $kernel has the tools' package" make_disk "$kernel"
done
for machine in $machines; do
	[ -f "$work/$(kernel_of "$machine").initrd" ] || continue
	for round in $(seq "$boots"); do
		try "$machine, boot $round: what is saved is set, and again when memory comes online" boot "$machine"
		sed -n 's/^set after/#   &/p' "$work/out"
	done
done
echo "1..$count"
[ "$failed" -eq 0 ]
