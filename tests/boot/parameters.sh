#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Boots with good and bad movablecore= and page_alloc.channels=: each item that is not taken has one line that says why, and the machine
# comes up with all of its memory. What movablecore= and kernelcore= did before is compared with the kernel without the series. Prints TAP.
# What that one makes of them is taken from bases/NAME/answers, if it is there.
# usage: parameters.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR] [-b | -w]
#   -b  the kernel without the series is booted all the same, and what is kept compared with that    -w  what it makes is kept
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

kernel=$BUILD/kernel/default slowdown=1 results=$BUILD/test/parameters asked=''
while getopts k:x:o:bw option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	o) results=$OPTARG ;;
	b | w) asked=-$option ;;
	*) die "usage: parameters.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR] [-b | -w]" ;;
	esac
done
base=$BUILD/kernel/default-base
answers=''
[ -n "$asked" ] || answers=$("$TOP/scripts/kernel/answers.sh") || asked=-b
rm -rf "$results"
mkdir -p "$results"
# What counts is this test's result, so no counts of single machines are left in its directory.
judged=$(mktemp -d)
trap 'rm -rf "$judged"' EXIT
[ -z "$asked" ] || "$TOP/scripts/kernel/kernel.sh" -b >&2

work=$results
status=0
. "$TOP/scripts/lib/tap.sh"

# An initial RAM disk that fills whole blocks, wherever it begins
head -c 16777216 /dev/zero > "$results/filler"
channels_file=/sys/module/page_alloc/parameters/channels

# boot NAME KERNELDIR PARAMETERS: the machine's files are in $results/NAME.out, what the kernel said about the parameters in
# $results/NAME.said
boot() {
	boot=$results/$1
	good=0 status=0
	"$TOP/scripts/machine/vm.sh" -s cxl2 -k "$2" -o "$boot.console" -t $((120 * slowdown)) -a " nokaslr $3" -f "$results/filler" \
		-r "cat /proc/zoneinfo; grep MemTotal /proc/meminfo; [ ! -e $channels_file ] || echo \"channels \$(cat $channels_file)\"" \
		> "$boot.out" 2> "$boot.err" || status=$?
	"$TOP/scripts/test/verdict.sh" "$judged" "$1" --status "$status" --console "$boot.console" --output "$boot.out" \
		> /dev/null || good=1
	tr -d '\r' < "$boot.console" | sed -n 's/^\[[ 0-9.]*\] \(movablecore: .*\|page_alloc\.channels: .*\)/\1/p' > "$boot.said"
	cp "$judged/verdict" "$work/out"
	cp "$boot.err" "$work/err"
	result $good "$1: the machine comes up"
}

# says: the lines of $results/want are what the kernel said, each of them once and nothing else
says() {
	sort "$results/want" > "$boot.want"
	sort "$boot.said" > "$boot.sorted"
	same=0
	diff "$boot.want" "$boot.sorted" > "$work/out" || same=1
	: > "$work/err"
	result $same "${boot##*/}: each item that is not taken has its line, and no other"
}

# holds TITLE COMMAND...: a check that needs no output
holds() {
	title=$1
	shift
	held=0
	"$@" > "$work/out" 2> "$work/err" || held=1
	result $held "${boot##*/}: $title"
}

# pages KEY ZONE...: the sum over all nodes, of all zones that are named, in pages
pages() {
	key=$1
	shift
	awk -v key="$key" -v names=" $* " '
	$1 == "Node" && $3 == "zone" { wanted = index(names, " " $4 " ") }
	$1 == key && wanted { sum += $2 }
	END { print sum + 0 }' "$boot.out"
}

# is VALUE VALUE
is() {
	echo "$1, not $2"
	[ "$1" = "$2" ]
}

# close PAGES MIB: to one block of 4 MiB on each of two nodes
close() {
	echo "$(($1 / 256)) MiB, not $2"
	[ $(($1 - 256 * $2)) -le 2048 ] && [ $((256 * $2 - $1)) -le 2048 ]
}

# zones FILE: of each zone where it is, what it spans and has
zones() {
	awk '
	$1 == "Node" && $3 == "zone" { zone = $2 $4 }
	$1 ~ /^(start_pfn:|spanned|present)$/ { print zone, $1, $2 }' "$1"
}

memory() {
	sed -n 's/^MemTotal: *//p' "$boot.out"
}

# 64 KiB are for tables that are made at boot and not the same each time
all_memory() {
	echo "$(memory), not $total"
	less=$((${total% kB} - $(memory | sed 's/ kB//')))
	[ "$less" -le 64 ] && [ "$less" -ge -64 ]
}

range() {
	printf '[mem 0x%016x-0x%016x]' "$1" $(($1 + $2 * 1048576 - 1))
}

movable() {
	echo "movablecore: $(range "$1" "$2") is movable"
}

# out NAME ITEM REASON
out() {
	echo "$1: $2 is left out: $3"
}

no_item="it is not SIZE@BASE"
empty="it is empty"
large="it is too large"
aligned="its start or its end is not a multiple of 4 MiB"
overlap="it overlaps another one"
eight="there are 8 already"
hole="not all of it is memory"
taken="something is there already, as the kernel or an initial RAM disk"
little="too little memory would be left for the kernel"
mirror="kernelcore=mirror says what is movable"

boot nothing "$kernel" ""
: > "$results/want"
says
holds "nothing is movable" is "$(pages present Movable)" 0
holds "there are no channels" grep -qx 'channels *' "$boot.out"
total=$(memory)
[ -n "$total" ] || { echo "Bail out! the machine does not come up"; exit 1; }
disk=$(tr -d '\r' < "$boot.console" | sed -n 's/.*RAMDISK: \[mem \(0x[0-9a-f]*\)-\(0x[0-9a-f]*\)\].*/\1 \2/p')
[ -n "$disk" ] || { echo "Bail out! the log has no initial RAM disk"; exit 1; }
# A block in the middle of it
middle=$((${disk% *} / 2 + ${disk#* } / 2))
disk=$(printf '0x%x' $((middle / 4194304 * 4194304)))

words=foo@bar,@,4M@,@0x10000000,4M,4M@0x10000000x,-4M@0x10000000,4M@-4M,4M@4M@4M,%%@%%
long=$(printf '%0300d' 0 | tr 0 x)
boot words "$kernel" "movablecore=$words,,$long,64M@0x20000000, movablecore="
{
	for item in $(echo "$words" | tr ',' ' '); do
		out movablecore "$item" "$no_item"
	done
	out movablecore "" "$no_item"
	out movablecore "$(echo "$long" | cut -c 1-48)" "$no_item"
	movable 0x20000000 64
	out movablecore "" "$no_item"
} > "$results/want"
says
holds "the good one is movable" is "$(pages present Movable)" $((64 * 256))
holds "all memory is there" all_memory

small=0@0x10000000,6M@0x10000000,4M@0x10200000,1@0x10000000,4M@1
huge=99999999999999999999@0x10000000,4M@99999999999999999999,16E@0x10000000,0xffffffffffc00000@0x800000
boot numbers "$kernel" "movablecore=$small movablecore=$huge,4M@0xffffffffffc00000,64M@0x20000000"
{
	out movablecore 0@0x10000000 "$empty"
	out movablecore 6M@0x10000000 "$aligned"
	out movablecore 4M@0x10200000 "$aligned"
	out movablecore 1@0x10000000 "$aligned"
	out movablecore 4M@1 "$aligned"
	out movablecore 99999999999999999999@0x10000000 "$large"
	out movablecore 4M@99999999999999999999 "$large"
	out movablecore 16E@0x10000000 "$large"
	out movablecore 0xffffffffffc00000@0x800000 "$large"
	out movablecore 4M@0xffffffffffc00000 "$large"
	movable 0x20000000 64
} > "$results/want"
says
holds "the good one is movable" is "$(pages present Movable)" $((64 * 256))
holds "all memory is there" all_memory

# The last one is half of node 0 and half of node 1.
list=64M@0x20000000,64M@0x22000000,64M@0x20000000,16M@0x1000000,4M@0
boot places "$kernel" "movablecore=$list,4M@$disk,8M@0x7fc00000,64M@0x100000000,128M@0x3c000000"
{
	movable 0x20000000 64
	out movablecore 64M@0x22000000 "$overlap"
	out movablecore 64M@0x20000000 "$overlap"
	out movablecore "16M@0x1000000" "$taken"
	out movablecore "4M@0" "$hole"
	out movablecore "4M@$disk" "$taken"
	out movablecore "8M@0x7fc00000" "$hole"
	out movablecore "64M@0x100000000" "$hole"
	movable 0x3c000000 128
} > "$results/want"
says
holds "the good ones are movable" is "$(pages present Movable)" $((192 * 256))
holds "all memory is there" all_memory

# What cannot be is in nobody's way, wherever it would be and however often.
list=1E@0x10000000,64M@0x20000000,4M@0x100000000,4M@0x110000000,4M@0x120000000,4M@0x130000000
boot others "$kernel" "movablecore=$list,4M@0x140000000,4M@0x150000000,4M@0x160000000,64M@0x50000000"
{
	out movablecore 1E@0x10000000 "$hole"
	movable 0x20000000 64
	for at in 0x100000000 0x110000000 0x120000000 0x130000000 0x140000000 0x150000000 0x160000000; do
		out movablecore "4M@$at" "$hole"
	done
	movable 0x50000000 64
} > "$results/want"
says
holds "the good ones are movable" is "$(pages present Movable)" $((128 * 256))
holds "all memory is there" all_memory

list='' sep=''
for at in 0x20000000 0x21000000 0x22000000 0x23000000 0x24000000 0x25000000 0x26000000 0x27000000; do
	list=$list$sep${sep:+,}4M@$at
	sep=' '
done
list=$(echo "$list" | tr -d ' ')
often=''
for item in 2c 2d 2e 2f 30 31 32 33; do
	often="$often movablecore=4M@0x${item}000000"
done
boot nine "$kernel" "movablecore=$list,4M@0x28000000$often"
{
	for at in 0x20000000 0x21000000 0x22000000 0x23000000 0x24000000 0x25000000 0x26000000 0x27000000; do
		movable $at 4
	done
	out movablecore 4M@0x28000000 "$eight"
	for item in 2c 2d 2e 2f 30 31 32; do
		out movablecore "4M@0x${item}000000" "$eight"
	done
	out movablecore 4M@0x33000000 "it is given too often"
} > "$results/want"
says
holds "eight are movable" is "$(pages present Movable)" $((32 * 256))
holds "all memory is there" all_memory

boot much "$kernel" "movablecore=928M@0x4000000,900M@0x40000000"
{
	movable 0x4000000 928
	out movablecore "900M@0x40000000" "$little"
} > "$results/want"
says
holds "the good one is movable" is "$(pages present Movable)" $((928 * 256))
holds "all memory is there" all_memory

boot mirror "$kernel" "movablecore=64M@0x20000000,64M@0x50000000 kernelcore=mirror"
{
	out movablecore "64M@0x20000000" "$mirror"
	out movablecore "64M@0x50000000" "$mirror"
} > "$results/want"
says
holds "no block is movable" is "$(pages present Movable)" 0

boot movable-node "$kernel" "movable_node movablecore=64M@0x20000000"
movable 0x20000000 64 > "$results/want"
says
holds "the block is movable" is "$(pages present Movable)" $((64 * 256))
holds "all memory is there" all_memory

# As much as without the blocks, which are part of it
boot beside "$kernel" "movablecore=300M movablecore=64M@0x20000000,64M@0x50000000"
{
	movable 0x20000000 64
	movable 0x50000000 64
} > "$results/want"
says
holds "as much is movable as movablecore= says" close "$(pages present Movable)" 300
holds "all memory is there" all_memory

# Less than the blocks have: they are what is movable
boot less "$kernel" "movablecore=64M@0x20000000,64M@0x50000000 movablecore=32M"
{
	movable 0x20000000 64
	movable 0x50000000 64
} > "$results/want"
says
holds "the blocks are movable" is "$(pages present Movable)" $((128 * 256))

boot kernelcore "$kernel" "kernelcore=1G movablecore=64M@0x20000000,64M@0x50000000"
{
	movable 0x20000000 64
	movable 0x50000000 64
} > "$results/want"
says
holds "as much is the kernel's as kernelcore= says" close "$(pages present DMA DMA32 Normal)" 1024
holds "all memory is there" all_memory

if grep -qx CONFIG_KEXEC=y "$kernel/config"; then
	boot crash "$kernel" "crashkernel=64M@0x20000000 movablecore=64M@0x20000000,64M@0x50000000"
	{
		movable 0x20000000 64
		movable 0x50000000 64
	} > "$results/want"
	says
	holds "no crash kernel is where a block is" grep -q 'crashkernel reservation failed' "$boot.console"
	holds "all memory is there" all_memory
else
	skip "a crash kernel where a block is" "needs CONFIG_KEXEC"
fi

first=512M@0x10000000,foo@bar,0@0x30000000,6M@0x30000000,64M@0x20000000,99999999999999999999@0,64M@0x100000000,
second=4M@0x40000000,4M@0x41000000,4M@0x42000000,4M@0x43000000,4M@0x44000000,4M@0x45000000,4M@0x46000000
boot channels "$kernel" "page_alloc.channels=$first page_alloc.channels=$second"
{
	out page_alloc.channels foo@bar "$no_item"
	out page_alloc.channels 0@0x30000000 "$empty"
	out page_alloc.channels 6M@0x30000000 "$aligned"
	out page_alloc.channels 64M@0x20000000 "$overlap"
	out page_alloc.channels 99999999999999999999@0 "$large"
	out page_alloc.channels "" "$no_item"
	echo "page_alloc.channels: $(range 0x100000000 64) has no memory yet"
	out page_alloc.channels 4M@0x46000000 "$eight"
} > "$results/want"
says
want='channels 0x20000000@0x10000000,0x400000@0x40000000,0x400000@0x41000000,0x400000@0x42000000,0x400000@0x43000000'
want=$want,0x400000@0x44000000,0x400000@0x45000000,0x4000000@0x100000000
holds "the good ones are in force" grep -qx "$want" "$boot.out"
holds "all memory is there" all_memory

# Both, and free lists in random order beside
blocks=256M@0x10000000,256M@0x50000000 channels=128M@0x18000000,128M@0x58000000
boot together "$kernel" "movablecore=$blocks page_alloc.channels=$channels page_alloc.shuffle=1"
{
	movable 0x10000000 256
	movable 0x50000000 256
} > "$results/want"
says
holds "the channels are in force" grep -qx 'channels 0x8000000@0x18000000,0x8000000@0x58000000' "$boot.out"
holds "the blocks are movable" is "$(pages present Movable)" $((512 * 256))
holds "all memory is there" all_memory

# What there was before does what it did. The last one was never right. A line that is kept has the parameters before a tab.
before() {
	number=0
	for parameters; do
		number=$((number + 1))
		if [ -n "$asked" ]; then
			boot "before-$number-base" "$base" "$parameters"
			zones "$boot.out" > "$boot.zones"
			sed "s/^/$parameters\t/" "$boot.zones" >> "$results/base.zones"
		else
			awk -F '\t' -v parameters="$parameters" '$1 == parameters { print $2 }' "$answers/zones" \
				> "$results/before-$number-base.zones"
		fi
		boot "before-$number-series" "$kernel" "$parameters"
		zones "$boot.out" > "$boot.zones"
		boot=$results/before-$number
		holds "'$parameters' makes the zones that it made" diff "$boot-base.zones" "$boot-series.zones"
		holds "'$parameters' makes zones" grep -q present "$boot-series.zones"
	done
	[ "$asked" != -w ] || cp "$results/base.zones" "$TOP/bases/$BASE/answers/zones"
	if [ -n "$asked" ] && answers=$("$TOP/scripts/kernel/answers.sh"); then
		holds "what is kept of the kernel without the series is what it makes" diff "$results/base.zones" "$answers/zones"
	fi
}
kinds() {
	sed -n 's/^CONFIG_\(ZONE_[A-Z0-9_]*\)=y$/kinds\t\1/p' "$1/config"
}
if [ -n "$asked" ]; then
	kinds "$base" > "$results/base.zones"
else
	cp "$answers/zones" "$results/base.zones"
fi
if [ "$(grep '^kinds' "$results/base.zones")" = "$(kinds "$kernel")" ]; then
	before "" movablecore=600M movablecore=10% kernelcore=512M kernelcore=40% "kernelcore=1G movablecore=300M" kernelcore=mirror \
		movable_node movablecore=4G movablecore
else
	skip "movablecore= and kernelcore= do what they did" "this configuration has other zones than the base kernel's"
fi

# Channels keep their shares when they are shuffled.
"$TOP/scripts/machine/vm.sh" -s channels -k "$kernel" -o "$results/shuffled.console" -t $((600 * slowdown)) -a ' page_alloc.shuffle=1' \
	-r "export KSELFTEST_SLOWDOWN=$slowdown; cd /usr/lib/kselftests/mm && ./memory_channels && ./movable_blocks" \
	> "$work/out" 2> "$work/err" && status=0 || status=$?
cp "$work/out" "$results/shuffled.out"
result $status "the channels of a shuffled machine have their shares"

echo "1..$count"
[ "$failed" -eq 0 ]
