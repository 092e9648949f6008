# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Machines that count instructions; sourced, after lib.sh. The one who sources
# says in $out where everything goes.
# shellcheck disable=SC2154 # it does

counting=$TOP/scripts/machine/counting
. "$TOP/scripts/machine/qemu.sh"

# counting_works: says why not, and fails, when instructions cannot be counted
counting_works() {
	need_packages binutils gcc libc6-dev python3 qemu-system-x86
	qemu-system-x86_64 -help | grep -q '^-plugin' && return
	say "this QEMU is built without plugins, which count the instructions"
	return 1
}

# counting_prepare GUEST.c [CONTENTS]: the plugin, and an initramfs with this
# program as init and CONTENTS, lines for gen_init_cpio
counting_prepare() {
	guest=$(basename "$1" .c)
	gcc -Wall -Wextra -O2 -shared -fPIC -o "$out/plugin.so" "$counting/plugin.c"
	gcc -Wall -Wextra -Wno-missing-field-initializers -Os -static -pthread -I "$counting" -o "$out/$guest" "$1"
	gcc -O1 -o "$out/gen_init_cpio" "$BUILD/base/usr/gen_init_cpio.c"
	{
		echo "dir /dev 755 0 0"
		echo "nod /dev/console 600 0 0 c 5 1"
		echo "file /init $out/$guest 755 0 0"
		[ -z "${2:-}" ] || cat "$2"
	} >"$out/$guest.contents"
	"$out/gen_init_cpio" -t 0 "$out/$guest.contents" >"$out/$guest.initramfs"
}

# counting_kernel NAME: copies of build/kernel/NAME, because another build may
# replace it between two boots, and a list of its functions
counting_kernel() {
	(
		lock "kernel-$1" -s
		"$counting/symbols.py" "$BUILD/obj/$1" \
			"$BUILD/kernel/$1/vmlinux" >"$out/$1.symbols"
		cp "$BUILD/kernel/$1/bzImage" "$out/$1.bzImage"
		cp "$BUILD/kernel/$1/config" "$out/$1.config"
	)
}

# counting_boot KERNEL GUEST NODES MIB RESULT [ARGUMENTS]: one run on a machine of
# so many nodes with so much memory each, its console in RESULT.log and its counts
# in RESULT.counts. Every source of chance is off: time is instructions, and
# neither addresses nor clocks nor random numbers differ between two boots.
# nohugevmalloc: what the kernel allocates in bulk is allocated page by page.
# With ARGUMENTS, words that the guest finds in its environment, each node has a
# processor; then time is the host's, as QEMU 7.2 does not start a second processor
# where it counts instructions. Callers may set $machine, QEMU's machine in place of
# pc, $one_processor, so that with ARGUMENTS too time is instructions; that takes
# three times as long, and $plugin, more arguments of plugin.c, from a comma on.
counting_boot() {
	kernel=$1
	guest=$2
	nodes=$3
	mib=$4
	result=$out/$5
	arguments=$6
	if [ -n "$arguments" ] && [ -z "${one_processor:-}" ]; then
		processors=$nodes
		clock=counted
		set -- -smp "$nodes,sockets=$nodes"
	else
		processors=1
		clock=instructions
		set -- -smp 1
	fi
	node=0
	while [ "$node" -lt "$nodes" ]; do
		set -- "$@" -object "memory-backend-ram,id=m$node,size=${mib}M" \
			-numa "node,nodeid=$node,memdev=m$node"
		[ "$node" -ge "$processors" ] || set -- "$@" -numa "cpu,node-id=$node,socket-id=$node"
		node=$((node + 1))
	done
	# shellcheck disable=SC2046 # these are words
	limited 3600 qemu-system-x86_64 $(qemu_nothing) $(qemu_time "$clock" max 0) \
		-machine "${machine:-pc}" -m "$((nodes * mib))M" "$@" \
		-plugin "$out/plugin.so,symbols=$out/$kernel.symbols,out=$result.counts${plugin:-}" \
		-kernel "$out/$kernel.bzImage" -initrd "$out/$guest.initramfs" \
		-append "console=ttyS0 nokaslr norandmaps tsc=reliable kunit.enable=0 nohugevmalloc panic=-1 $arguments" \
		-serial "file:$result.log" || return
	grep -q '^done' "$result.log" && return
	tail -c 2000 "$result.log"
	return 1
}

# counting_boots: a machine for each line "KERNEL GUEST NODES MIB RESULT
# [ARGUMENTS]" of standard input, two at a time; counting instructions, they do
# not disturb each other. Callers may set $one_machine, for one at a time.
counting_boots() {
	failed=''
	running=''
	while read -r kernel guest nodes mib result arguments; do
		[ -z "${one_machine:-}" ] || [ -z "$running" ] || {
			wait "$running" || failed=yes
			running=
		}
		counting_boot "$kernel" "$guest" "$nodes" "$mib" "$result" "$arguments" </dev/null &
		if [ -n "$running" ]; then
			wait "$running" || failed=yes
		fi
		running=$!
	done
	if [ -n "$running" ]; then
		wait "$running" || failed=yes
	fi
	[ -z "$failed" ]
}
