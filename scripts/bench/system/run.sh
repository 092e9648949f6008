#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What a kernel costs where none of its features is used, beside others:
# bench/system/run.sh KERNEL ... of build/kernel. Boot, memory of an idle system, size,
# the sizes of structures, static keys, and the compilation of some of the kernel's
# files. out/bench gets system.txt and system.csv.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"
. "$TOP/scripts/machine/counting/boot.sh"

[ $# -ge 1 ] || die "usage: bench/system/run.sh KERNEL ..."
kernels=$*
out=$BUILD/bench/system
lock bench-system
rm -rf "$out"
mkdir -p "$out" "$TOP/out/bench"
reason=$(counting_works) || die "$reason"

# objects NAME, source NAME: where a kernel was built, and from what
objects() {
	echo "$BUILD/obj/$1"
}
source_of() {
	case $1 in
	*-base) echo "$BUILD/base" ;;
	peer-*) echo "$BUILD/$1" ;;
	*) echo "$BUILD/tree" ;;
	esac
}

# compile_as NAME OBJECT SOURCE OUTPUT OPTION...: SOURCE as kernel NAME's makefiles compile OBJECT
compile_as() {
	dir=$(dirname "$2")
	command=$(sed -n 's/^\(saved\)\{0,1\}cmd_[^ ]* := //p' "$(objects "$1")/$dir/.$(basename "$2").cmd" |
		sed 's/ -Wp,-MMD,[^ ]*//; s/ -c -o .*//; s/ *;.*//')
	from=$3
	to=$4
	shift 4
	# The command is the kernel's own, with the shell's quotes in it.
	(cd "$objects" && eval "$command $* -o '$to' '$from'")
}

# The sources are the base's for every kernel: what differs is who runs the compiler.
mkdir "$out/src"
objects=$(objects default-base)
for file in lib/string fs/pipe mm/list_lru; do
	compile_as default-base "$file.o" "$(source_of default-base)/$file.c" "$out/src/$(basename "$file").i" -E -P
done

cc1=$(gcc -print-prog-name=cc1)
as=$(command -v "$(gcc -print-prog-name=as)")
{
	for dir in /bin /src /lib /lib64 /lib/x86_64-linux-gnu /usr /usr/lib /usr/lib/x86_64-linux-gnu; do
		echo "dir $dir 755 0 0"
	done
	echo "file /bin/cc1 $(readlink -f "$cc1") 755 0 0"
	echo "file /bin/as $(readlink -f "$as") 755 0 0"
	for file in "$out"/src/*.i; do
		echo "file /src/$(basename "$file") $file 644 0 0"
	done
	{
		ldd "$cc1"
		ldd "$as"
	} | grep -o '/[^ ]*' | sort -u | while read -r library; do
		echo "file $library $(readlink -f "$library") 755 0 0"
	done
} > "$out/compiler"

counting_prepare "$TOP/scripts/bench/system/system.c"
mv "$out/system.initramfs" "$out/idle.initramfs"
counting_prepare "$TOP/scripts/bench/system/system.c" "$out/compiler"
mv "$out/system.initramfs" "$out/compile.initramfs"

for kernel in $kernels; do
	counting_kernel "$kernel"
	objects=$(objects "$kernel")
	compile_as "$kernel" mm/mempolicy.o "$TOP/scripts/bench/system/layout.c" "$out/$kernel.layout.s" -S
	sed -n 's/^.*->\([a-z_]*\) \$\([0-9]*\) .*/\1 \2/p' "$out/$kernel.layout.s" > "$out/$kernel.layout"
	size -A "$BUILD/kernel/$kernel/vmlinux" > "$out/$kernel.sections"
	# Sections of code are padded to 2 MiB; functions with two names count once.
	nm -S --defined-only "$BUILD/kernel/$kernel/vmlinux" |
		awk 'NF == 4 && $3 ~ /[tTwW]/ && !seen[$1]++ { print $2 }' > "$out/$kernel.functions"
	# What only the series has. Unit tests are part of the kernels that are tested, and of no other.
	rm -f "$out/$kernel.code" "$out/$kernel.tests"
	for dir in interleave mempolicy2 tiering automigrate movable_blocks; do
		find "$objects/mm/$dir" -maxdepth 1 -name '*.o' ! -name built-in.o 2> /dev/null >> "$out/$kernel.code" || :
		find "$objects/mm/$dir/tests" -name '*.o' 2> /dev/null >> "$out/$kernel.tests" || :
	done
	for list in code tests; do
		sort "$out/$kernel.$list" | xargs -r size | awk 'NR > 1 { sum += $4 } END { print sum + 0 }' > "$out/$kernel.$list.size"
	done
done
# The kernels that are tested have tests in place of no-operations; objects are enough to see where these would be.
static_keys() {
	for kernel in base series; do
		commit=refs/series/base
		[ $kernel = base ] || commit=refs/series/head
		commit=$(git -C "$BUILD/tree" rev-parse "$commit")
		"$TOP/scripts/kernel/step.sh" "$commit" "keys-$kernel" "mm/ kernel/sched/ kernel/cgroup/ fs/proc/" JUMP_LABEL=y
		"$TOP/scripts/bench/system/static_keys.py" "$BUILD/obj/step-keys-$kernel" > "$out/$kernel.keys"
	done
}
step "looking for static keys" "$BUILD/log/bench-static-keys.log" static_keys || die "no static keys"
for guest in compile idle; do
	for kernel in $kernels; do
		echo "$kernel $guest 2 512 $kernel-$guest"
	done
done > "$out/plan"
boots() {
	counting_boots < "$out/plan"
}
step "booting and compiling" "$BUILD/log/bench-system.log" boots ||
	die "a virtual machine did not end its run; its console is in $out"
"$TOP/scripts/bench/system/judge.py" "$out" "$TOP/out/bench" "$kernels"
