#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Counts the instructions that the memory policy code takes for a fault, with
# and without the series, on machines of 2 and 16 nodes: insn-count.sh [--gate].
# Prints a table, also left in build/insn-count as text and CSV.  With --gate
# it judges the figures: TAP on standard output, status 1 when one is too high.

set -e
. "$(dirname "$0")/lib.sh"

gate=
case $* in
'') ;;
--gate) gate=--gate ;;
*) die "usage: insn-count.sh [--gate]" ;;
esac

# Standard output is for the result alone.
exec 3>&1 1>&2

need_packages binutils gcc libc6-dev python3 qemu-system-x86
if ! qemu-system-x86_64 -help | grep -q '^-plugin'; then
	[ -n "$gate" ] ||
		die "this QEMU is built without plugins, which count the instructions"
	printf 'TAP version 13\n1..0 # SKIP this QEMU is built without plugins\n' >&3
	exit
fi

"$TOP/scripts/kernel.sh"
"$TOP/scripts/kernel.sh" -b

parts=$TOP/scripts/insn-count
out=$BUILD/insn-count
lock insn-count
rm -rf "$out"
mkdir -p "$out"

gcc -Wall -Wextra -O2 -shared -fPIC -o "$out/plugin.so" "$parts/plugin.c"
gcc -Wall -Wextra -Os -static -o "$out/init" "$parts/guest.c"
gcc -O1 -o "$out/gen_init_cpio" "$BUILD/base/usr/gen_init_cpio.c"
cat >"$out/contents" <<END
dir /dev 755 0 0
nod /dev/console 600 0 0 c 5 1
file /init $out/init 755 0 0
END
"$out/gen_init_cpio" -t 0 "$out/contents" >"$out/initramfs"
# Copies, because another build may replace a kernel between two boots.
for kernel in default default-base; do
	(
		lock "kernel-$kernel" -s
		"$parts/symbols.py" "$BUILD/obj/$kernel" \
			"$BUILD/kernel/$kernel/vmlinux" >"$out/$kernel.symbols"
		cp "$BUILD/kernel/$kernel/bzImage" "$out/$kernel.bzImage"
		cp "$BUILD/kernel/$kernel/config" "$out/$kernel.config"
	)
done

# boot KERNEL NODES RESULT: one run, its console in RESULT.log and its counts
# in RESULT.counts.  Every source of chance is off: time is instructions, and
# neither addresses nor clocks nor random numbers differ between two boots.
boot() {
	kernel=$1
	nodes=$2
	result=$out/$3
	set --
	node=0
	while [ "$node" -lt "$nodes" ]; do
		set -- "$@" -object "memory-backend-ram,id=m$node,size=128M" \
			-numa "node,nodeid=$node,memdev=m$node"
		node=$((node + 1))
	done
	timeout --foreground -k 5 300 qemu-system-x86_64 \
		-nodefaults -no-user-config -display none -no-reboot \
		-machine pc -smp 1 -m "$((nodes * 128))M" "$@" -numa cpu,node-id=0,socket-id=0 \
		-accel tcg,thread=single -icount shift=0,sleep=off \
		-rtc base=2026-01-01,clock=vm -seed 1 \
		-cpu max,-rdrand,-rdseed,-erms \
		-plugin "$out/plugin.so,symbols=$out/$kernel.symbols,out=$result.counts" \
		-kernel "$out/$kernel.bzImage" -initrd "$out/initramfs" \
		-append "console=ttyS0 nokaslr norandmaps tsc=reliable kunit.enable=0 panic=-1" \
		-serial "file:$result.log" || return
	grep -q '^done' "$result.log" && return
	tail -n 20 "$result.log"
	return 1
}

# Two boots at a time; counting instructions, they do not disturb each other.
# boot_two KERNEL NODES RESULT KERNEL NODES RESULT
boot_two() {
	boot "$1" "$2" "$3" &
	first=$!
	shift 3
	second_status=0
	boot "$@" || second_status=$?
	wait "$first" && return "$second_status"
}

for size in 16 2; do
	step "counting with $size nodes" "$BUILD/log/insn-count-$size.log" \
		boot_two default "$size" "default-$size" \
		default-base "$size" "default-base-$size" ||
		die "the virtual machine with $size nodes did not end its run"
done
if [ -n "$gate" ]; then
	step "counting again" "$BUILD/log/insn-count-again.log" \
		boot_two default 16 default-16-again default 2 default-2-again ||
		die "the virtual machine did not end its second run"
fi
exec "$parts/report.py" ${gate:+"$gate"} "$out" >&3
