#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Boots a kernel on a scenario's machine and runs a command there, or a shell on this terminal without one.
# usage: vm.sh [-s SCENARIO] [-k KERNELDIR] [-f "host[:guest] ..."] [-r COMMAND] [-o CONSOLELOG] [-t SECONDS] [-a KERNEL-ARGUMENTS]
#	[-i NS] [-m] [-w WINDOW] [-q SECONDS [-b SECONDS] [-l SECONDS]]
# Standard output is the command's, and so is the exit status, except for
#   120 the kernel panicked    121 the machine stopped before the command ended    122 the machine is not as its scenario says
#   123 QEMU did not start
#   124 it hung, see scripts/lib/watch.py, or the time limit was reached: -t, or the scenario's, in seconds of processor time that all CPUs
#       take together
#   -q  the kernel ends, with the stacks of all tasks, when one is blocked for so many seconds of its clock, or a CPU does not come to what
#       others wait for: 240 without it. With it the machine is ended as well when it gives no sign of life for a quarter more, as none that
#       runs tests is silent for so long; what a person runs may be.
#   -b  with -q: and when it works for so many seconds of processor time without a line; a quarter more than -q without it
#   -l  with -q: and when one of its self tests takes so many seconds of the time that the host has for the machine
#   -m  memory has the speed that the scenario says, while sim-run runs a command: see tools/numasim, and scripts/machine/sim.sh, which
#       prepares it
#   -w  with -m: how many cache misses all CPUs together wait for at a time, in place of the scenario's
#   -i  how long an instruction takes where the clock counts them: 1, 2, 4 or 8 ns, the latter without this
# ACCEL=tcg or ACCEL=kvm chooses the accelerator; otherwise KVM is used where it proves to work.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"
. "$TOP/scripts/machine/qemu.sh"

scenario=cxl2 kernel='' files='' command='' log='' limit='' arguments='' instruction=8 modelled='' window='' preload=''
patience=240 watched='' busy='' program=0
while getopts s:k:f:r:o:t:a:i:mw:q:b:l: option; do
	case $option in
	s) scenario=$OPTARG ;;
	k) kernel=$OPTARG ;;
	f) files=$OPTARG ;;
	r) command=$OPTARG ;;
	o) log=$OPTARG ;;
	t) limit=$OPTARG ;;
	a) arguments=$OPTARG ;;
	i) instruction=$OPTARG ;;
	m) modelled=yes ;;
	w) window=$OPTARG ;;
	q) patience=$OPTARG watched=yes ;;
	b) busy=$OPTARG ;;
	l) program=$OPTARG ;;
	*) die "usage: vm.sh [-s SCENARIO] [-k KERNELDIR] [-f FILES] [-r COMMAND] [-o CONSOLELOG] [-t SECONDS] [-a ARGUMENTS]" \
		"[-i NS] [-m] [-w WINDOW] [-q SECONDS [-b SECONDS] [-l SECONDS]]" ;;
	esac
done

config=$(scenario_config "$scenario")
conf=$(scenario_conf "$scenario")
target "$config"
kernel=${kernel:-$BUILD/kernel/$config}
image=$kernel/${image##*/}
[ -f "$image" ] || die "$image is missing: make kernel, or make vm"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
log=${log:-$BUILD/vm/$scenario.console.log}
mkdir -p "$(dirname "$log")"
: > "$log"

[ -n "$command" ] || [ -t 0 ] || die "there is no terminal for a shell: say what to run with RUN=\"command\" (-r)"
packages=$(scenario_value "$conf" packages)
if [ -n "$packages" ]; then
	# shellcheck disable=SC2086 # a list of names
	(lock packages && need_packages $packages) >&2
fi
# A processor without pointer authentication, which takes the emulator much time
case $arch in
arm64) system=aarch64 cpu=cortex-a72 console=ttyAMA0 output=ttyS0 ;;
*) system=x86_64 cpu=max console=ttyS0 output=ttyS1 ;;
esac
qemu=qemu-system-$system
command -v "$qemu" > /dev/null || die "$qemu is missing: make doctor says what to install"
shift=0
case $(scenario_value "$conf" clock) in
instructions)
	accel=instructions
	case $instruction in
	1) shift=0 ;;
	2) shift=1 ;;
	4) shift=2 ;;
	8) shift=3 ;;
	*) die "an instruction takes 1, 2, 4 or 8 ns, not '$instruction'" ;;
	esac
	arguments="$arguments tsc=reliable nokaslr norandmaps steady_clock=$instruction"
	preload=$BUILD/vm/constant-time.so
	if [ ! -f "$preload" ] || [ -n "$(find "$TOP/scripts/machine/constant-time.c" -newer "$preload")" ]; then
		mkdir -p "$BUILD/vm"
		gcc -Wall -O2 -shared -fPIC -o "$preload.$$" "$TOP/scripts/machine/constant-time.c"
		mv "$preload.$$" "$preload"
	fi
	;;
*)
	accel=tcg
	[ "$arch" != x86_64 ] || accel=$("$TOP/scripts/machine/accel.sh")
	[ "$accel" != tcg ] || ! grep -qsx CONFIG_JUMP_LABEL=y "$kernel/config" || accel=tcg-single
	;;
esac
if [ -n "$modelled" ]; then
	accel=model
	root=$("$TOP/scripts/machine/sim-qemu.sh") || die "$root"
	qemu=$root/usr/bin/$qemu
	nodes=$("$TOP/scripts/machine/sim-nodes.sh" "$conf")
	window=${window:-$(scenario_value "$conf" window)}
	cpus=$(scenario_value "$conf" qemu | sed 's/.*-smp \([0-9]*\).*/\1/')
	plugin=$BUILD/numasim/numasim.so,$nodes,window=$((${window:-1024} / cpus)),report=${log%.console.log}.report
	mkdir -p "$BUILD/vm/$(dirname "$scenario")"
	files="$files $BUILD/numasim/guest:/usr/bin"
	arguments="$arguments tsc=reliable tsc_early_khz=2000000 nokaslr norandmaps"
fi
"$TOP/scripts/machine/initramfs.sh" -o "$work/initramfs" -s "$conf" -r "$command" -f "$(scenario_value "$conf" files) $files"

table=''
if [ -n "$(scenario_value "$conf" hmat)" ]; then
	scenario_lines "$conf" | sed -n 's/^hmat=//p' | tr '\n' '\0' | xargs -0 "$TOP/scripts/machine/hmat.py" > "$work/hmat"
	table="-acpitable sig=HMAT,rev=2,data=$work/hmat"
fi

# Without a command the console is this terminal and there is no limit but the one asked for.
if [ -n "$command" ]; then
	limit=${limit:-$(scenario_value "$conf" timeout)}
	set -- -chardev "file,id=console,path=$log" -chardev stdio,id=output -monitor "unix:$work/monitor,server=on,wait=off"
	# A busy host can keep a processor from its work for longer than the kernel's own limits of 20 s and 21 s. What a person does at a
	# terminal has none. How long a task may be blocked before there are files to say it is in the configuration.
	arguments="$arguments softlockup_panic=1 watchdog_thresh=$(((patience + 1) / 2)) rcupdate.rcu_cpu_stall_timeout=$patience"
	arguments="$arguments sysctl.kernel.panic_on_rcu_stall=1 sysctl.kernel.hung_task_timeout_secs=$patience"
	arguments="$arguments sysctl.kernel.hung_task_check_interval_secs=$(((patience + 7) / 8)) panic_print=1"
	[ "$arch" != x86_64 ] || arguments="$arguments unknown_nmi_panic"
else
	limit=${limit:-0}
	set -- -chardev "stdio,id=console,mux=on,signal=off,logfile=$log" -chardev null,id=output
fi
[ "$accel" != model ] || set -- "$@" -plugin "$plugin" -L "$root/usr/share/seabios" -L "$root/usr/share/qemu"

# Sparse, and of no use to anybody afterwards
letter=a
for size in $(scenario_value "$conf" disks); do
	truncate -s "$size" "$work/vd$letter"
	set -- "$@" -drive "if=none,id=vd$letter,format=raw,cache=unsafe,file=$work/vd$letter" -device "virtio-blk-pci,drive=vd$letter"
	letter=$(echo "$letter" | tr a-y b-z)
done

# virt has one serial port for us, so the other one is a PCI card.
case $arch in
arm64) set -- "$@" -serial chardev:console -device pci-serial,chardev=output ;;
*) set -- "$@" -serial chardev:console -serial chardev:output ;;
esac

# initramfs_async=0: unpacking says when it is done, and must not say so between two lines of a KUnit test.
common="console=$console output=$output panic=-1 printk.devkmsg=on no_timer_check initramfs_async=0"
# shellcheck disable=SC2046,SC2086 # these are words
set -- $(scenario_value "$conf" qemu) $table $(qemu_nothing) $(qemu_time "$accel" "$cpu" "$shift") \
	"$@" -kernel "$image" -initrd "$work/initramfs" \
	-append "$common $(scenario_value "$conf" append) $arguments"

start() {
	status=0
	limited "$limit" "$@" 2> "$work/qemu" || status=$?
	echo "$status" > "$work/status"
}
set -- env LD_PRELOAD="$preload" "$qemu" "$@"
if [ -n "$watched" ] && [ -n "$command" ]; then
	quiet=$((patience * 5 / 4))
	set -- "$TOP/scripts/lib/watch.py" --quiet "$quiet" --busy "${busy:-$quiet}" --program "$program" \
		--console "$log" --log "$log" --log "$work/output" --monitor "$work/monitor" "$@"
fi
if [ -n "$command" ]; then
	# Through a pipe, because QEMU makes its standard output non-blocking for everyone who shares it. A file tells that it grows.
	start "$@" < /dev/null | tee "$work/output"
else
	start "$@"
fi

marker() {
	tr -d '\r' < "$log" | sed -n "s/^.*vm: $1//p" | tail -n 1
}

fail() {
	echo "vm: $scenario: $2 (console: $log)" >&2
	exit "$1"
}

status=$(cat "$work/status")
case $status in
0) ;;
124) fail 124 "$(tail -n 1 "$work/qemu")" ;;
*) fail 123 "QEMU stopped with status $status: $(tail -n 1 "$work/qemu")" ;;
esac
result=$(marker 'exit status ')
if [ -z "$result" ]; then
	! grep -q 'Kernel panic' "$log" ||
		fail 120 "$(grep -o 'Kernel panic.*' "$log" | tr -d '\r' | head -n 1)"
	fail 121 "the machine stopped before the command ended"
fi
mismatch=$(marker 'mismatch: ')
[ -z "$mismatch" ] || fail 122 "not the machine that the scenario describes: $mismatch"
exit "$result"
