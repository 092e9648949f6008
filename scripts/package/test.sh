#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Installs the packages of build/deb on a small Debian 12 system, as apt-get
# does it, and boots that system from its disk: the kernel and the initramfs
# are those that the packages and initramfs-tools put into its /boot.  There
# tests/deb/guest runs the tools, numactl and the manual pages' programs.

set -e
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"
. "$TOP/scripts/machine/qemu.sh"

packages=$BUILD/deb
work=$BUILD/deb-test
console=$work/console.log
output=$work/output.log

set -- "$packages"/linux-image-*.deb
[ -f "$1" ] || die "build/deb has no packages: make deb first"
[ $# -eq 1 ] || die "build/deb has several kernels: remove it, then make deb"
release=$(dpkg-deb -f "$1" Package)
release=${release#linux-image-}

"$TOP/scripts/host/setup.sh"
need_packages mmdebstrap genext2fs
# Who is not root is it in a namespace of their own, for mmdebstrap.
[ "$(id -u)" -eq 0 ] || need_packages uidmap
lock deb-test
rm -rf "$work"
mkdir -p "$work/sources"
for page in set_mempolicy2 get_mempolicy2 mbind2 process_mbind2; do
	"$TOP/tests/tools/man-program.sh" "$TOP/tools/mm/placement/man/$page.2" >"$work/sources/$page.c"
done

cp "$TOP/tests/boot/fallback.c" "$work/sources/"
"$TOP/tests/tools/page-program.sh" 3 >"$work/sources/spread.h"

# The pages name the release of the default base.
"$TOP/tests/tree/commands.py" --place debian | sed "s/6\\\\*\.1\\\\*\.[0-9]*-weighted/$release/g" >"$work/typed"

mirror=$(debian_mirror)

# make_disk DIRECTORY: the system's disk, and out of its /boot what QEMU loads.
# Programs are compiled there, with the installed headers.
make_disk() {
	examples=/usr/share/doc/mempolicy2-dev/examples
	compile="for p in *.c $examples/*.c; do"
	# shellcheck disable=SC2016 # expanded on that system
	compile="$compile gcc -Wall -Werror -pthread -o"' \$(basename \$p .c) \$p; done;'
	compile="$compile g++ -Wall -Werror -o allocator $examples/allocator.cc; rustc -o buffer-rust $examples/buffer.rs"
	# shellcheck disable=SC2016 # mmdebstrap's hooks have the root directory in $1
	list_installed='chroot "$1" dpkg-query -W -f "\${db:Status-Abbrev} \${Package}\n" | sed -n "s/^ii *//p" | LC_ALL=C sort'
	# shellcheck disable=SC2016 # the same
	mmdebstrap --variant=apt --format=ext2 \
		--include=initramfs-tools,zstd,numactl,gcc,g++,libc6-dev,pkg-config,python3,rustc \
		--include=linux-image-cloud-amd64,grub-efi-amd64,sudo,procps \
		--customize-hook='mkdir -p "$1/packages" "$1/programs"' \
		--customize-hook="copy-in $(echo "$packages"/*.deb) /packages" \
		--customize-hook="copy-in $(echo "$1"/sources/*) /programs" \
		--customize-hook="upload $1/typed /typed" \
		--customize-hook='echo "APT::Get::Assume-Yes \"true\";" >"$1/etc/apt/apt.conf.d/yes"' \
		--customize-hook="upload $TOP/tests/deb/guest /usr/local/sbin/deb-test" \
		--customize-hook="upload $TOP/debian/tests/tools /usr/local/lib/tools-test" \
		--customize-hook='chmod 755 "$1/usr/local/sbin/deb-test" "$1/usr/local/lib/tools-test"' \
		--customize-hook="$list_installed"' >"$1/installed-before"' \
		--customize-hook='chroot "$1" sh -ec "apt-get -y install /packages/*.deb; rm -r /packages"' \
		--customize-hook='chroot "$1" sh -ec "cd /programs; '"$compile"'"' \
		--customize-hook="copy-out /boot $1" \
		bookworm "$1/disk" \
		"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main"
}
step "installing the packages on a Debian system" "$BUILD/log/deb-test-disk.log" make_disk "$work" ||
	die "the packages cannot be installed"
[ -f "$work/boot/initrd.img-$release" ] || die "initramfs-tools has made no initramfs for $release"

# The machine of scenarios/cxl2.conf with two disks, the second behind AHCI
boot() {
	# shellcheck disable=SC2046 # these are words
	limited 1800 qemu-system-x86_64 \
		$(scenario_value "$(scenario_conf cxl2)" qemu) $(qemu_nothing) $(qemu_time "$("$TOP/scripts/machine/accel.sh")" max) \
		-drive "file=$work/disk,format=raw,if=none,id=system" -device virtio-blk-pci,drive=system \
		-drive "file=$work/boot/initrd.img-$release,format=raw,if=none,snapshot=on,id=other" -device ide-hd,drive=other \
		-serial "file:$console" -serial "file:$output" \
		-kernel "$work/boot/vmlinuz-$release" -initrd "$work/boot/initrd.img-$release" \
		-append "root=/dev/vda rw init=/usr/local/sbin/deb-test console=ttyS0 panic=-1 no_timer_check deb_release=$release"
}
status=0
step "booting that system" "$work/qemu.log" boot || status=$?
verdict=0
"$TOP/scripts/test/verdict.sh" "$work" packages --status "$status" --console "$console" --output "$output" packages \
	>"$work/said" || verdict=$?
grep -E '^(ok|not ok|# )' "$output" | tr -d '\r' || :
cat "$work/said"
if [ "$verdict" -eq 0 ]; then
	say "PASS: $release boots with Debian's initramfs, and everything tried there works"
else
	say "FAIL: not everything works on $release; logs in $work"
	exit 1
fi
