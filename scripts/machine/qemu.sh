# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The arguments of QEMU that do not depend on what a machine is for; sourced, after lib.sh. Each function prints words.

# qemu_nothing: nothing but what is asked for, and an end when the guest says so
qemu_nothing() {
	echo "-nodefaults -no-user-config -display none -no-reboot"
}

# qemu_time CLOCK CPU [SHIFT]: the processor CPU, and whose time passes for the guest
#   kvm, tcg       the host's
#   tcg-single     the host's, with one thread for all processors: for kernels that patch their code, of which QEMU 7.2 executes
#                  instructions that are gone when another processor translates them meanwhile
#   instructions   what has been executed, 2^SHIFT ns an instruction. Every source of chance is off: two runs of one image are the same to
#                  the last digit, whatever else the host does. Only the emulator has such a clock, and only with one thread. QEMU 7.2 gives
#                  all of the time to the first processor while that one is busy and sets no timer, as it is while it waits for the second
#                  one to start: such a machine has one.
#   counted        the host's, for several processors whose instructions are counted, with as little chance as that leaves
#   model          that of the plugin tools/numasim
qemu_time() {
	# Fast strings are emulated byte by byte, so that x86's processors come without them. Without erms there must be no fsrm, which
	# the max of QEMU 10 has, and that of 7.2 has not: memmove() of 6.1 takes the latter for a promise of the former, and with fsrm
	# alone has neither "rep movsb" nor its check for less than 32 bytes, which then go through a loop that counts down past zero and
	# overwrites all memory (arch/x86/lib/memmove_64.S).
	slow=,-erms,-fsrm strings=''
	[ "$2" != max ] || strings=$slow
	case $1 in
	kvm) echo "-accel kvm -cpu host" ;;
	tcg) echo "-accel tcg,thread=multi -cpu $2$strings" ;;
	tcg-single) echo "-accel tcg,thread=single -cpu $2$strings" ;;
	instructions)
		echo "-accel tcg,thread=single -icount shift=$3,sleep=off -cpu $2,-rdrand,-rdseed$slow -seed 1" \
			"-rtc base=2026-01-01,clock=vm"
		;;
	counted) echo "-accel tcg,thread=single -cpu $2,-rdrand,-rdseed$slow -seed 1" ;;
	model) echo "-accel tcg,thread=single -cpu $2,-rdrand,-rdseed$slow -seed 1 -rtc base=2026-01-01,clock=vm" ;;
	esac
}
