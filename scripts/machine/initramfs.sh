#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds the virtual machine's initramfs: busybox, scripts/machine/guest, the built kselftests, a scenario, a command, and a person's files.
# usage: initramfs.sh -o OUT -s SCENARIO.conf [-r COMMAND] [-f "host[:guest] ..."]
# A host directory is taken with all it holds; a dynamically linked program brings its libraries along.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

out='' conf='' command='' files=''
while getopts o:s:r:f: option; do
	case $option in
	o) out=$OPTARG ;;
	s) conf=$OPTARG ;;
	r) command=$OPTARG ;;
	f) files=$OPTARG ;;
	*) die "usage: initramfs.sh -o OUT -s SCENARIO.conf [-r COMMAND] [-f \"host[:guest] ...\"]" ;;
	esac
done
if [ -z "$out" ] || [ -z "$conf" ]; then
	die "initramfs.sh needs -o OUT and -s SCENARIO.conf"
fi

config=$(scenario_value "$conf" config)
target "${config:-default}"
busybox=$("$TOP/scripts/machine/busybox.sh" "${config:-default}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
spec=$work/spec
: > "$spec"

put_link() {
	echo "slink $1 $2 777 0 0" >> "$spec"
}

# A copy, as the archive has the time of each file, and reading it takes the machine another number of instructions.
copies=0
mkdir "$work/copies"
put_file() {
	mode=644
	[ ! -x "$2" ] || mode=755
	copies=$((copies + 1))
	cp "$2" "$work/copies/$copies"
	echo "file $1 $work/copies/$copies $mode 0 0" >> "$spec"
}

# The shared libraries and the loader of a dynamically linked program, at the paths where the host has them.
put_libraries() {
	[ "$(head -c 4 "$1" | tail -c 3)" = ELF ] || return 0
	ldd "$1" > "$work/ldd" 2>/dev/null || return 0
	! grep -q 'not found' "$work/ldd" ||
		die "$1: $(sed -n 's/^[[:space:]]*\(.*\) => not found/\1/p' "$work/ldd" | head -n 1) is not on this machine"
	grep -o '/[^ ]*' "$work/ldd" > "$work/libraries"
	while read -r library; do
		put_file "$library" "$library"
	done < "$work/libraries"
}

# HOST to GUEST, whatever HOST is.
put() {
	case $1$2 in
	*[[:space:]]*) die "FILES: '$1': a path with a blank cannot be carried into the virtual machine" ;;
	esac
	if [ -d "$1" ]; then
		find "$1" -mindepth 1 \( -type f -o -type l \) | sort > "$work/found"
		while read -r path; do
			guest=$2${path#"$1"}
			if [ -L "$path" ]; then
				put_link "$guest" "$(readlink "$path")"
			else
				put_file "$guest" "$path"
			fi
		done < "$work/found"
	elif [ -f "$1" ]; then
		put_file "$2" "$1"
		put_libraries "$1"
	else
		die "FILES: '$1' is not a file or directory on this machine"
	fi
}

# Entries that come first win, so a person's file takes the place of ours.
for entry in $files; do
	host=${entry%%:*}
	guest=${entry#*:}
	[ "$guest" != "$entry" ] || guest=/root/${host##*/}
	case $guest in
	/*) ;;
	*) guest=/root/$guest ;;
	esac
	put "${host%/}" "${guest%/}"
done

for dir in /dev /proc /sys /tmp /root /mnt; do
	echo "dir $dir 755 0 0"
done >> "$spec"
{
	echo "nod /dev/console 600 0 0 c 5 1"
	echo "nod /dev/null 666 0 0 c 1 3"
} >> "$spec"
put_file /bin/busybox "$busybox"
# This machine's busybox is asked: another architecture's has the same applets and does not run here.
for applet in $(busybox --list-full); do
	[ "$applet" = bin/busybox ] || put_link "/$applet" /bin/busybox
done
put_file /init "$TOP/scripts/machine/guest/init"
for script in "$TOP"/scripts/machine/guest/*; do
	[ "${script##*/}" = init ] || put_file "/usr/bin/${script##*/}" "$script"
done
scenario_lines "$conf" > "$work/scenario"
put_file /etc/scenario "$work/scenario"
printf '%s\n' "$command" > "$work/command"
[ -n "$command" ] || : > "$work/command"
put_file /etc/command "$work/command"
for tool in "$programs"/tools/*; do
	[ ! -f "$tool" ] || put_file "/usr/bin/${tool##*/}" "$tool"
done
[ ! -d "$programs/selftests/mm" ] || put "$programs/selftests/mm" /usr/lib/kselftests/mm

# The tool that the kernel itself uses to build an initramfs.
generator=$BUILD/vm/gen_init_cpio
if [ ! -x "$generator" ]; then
	mkdir -p "$BUILD/vm"
	gcc -O1 -o "$generator.$$" "$BUILD/base/usr/gen_init_cpio.c"
	mv "$generator.$$" "$generator"
fi
# Each entry once, after the directories it lies in.
awk '
function parents(path) {
	sub("/[^/]*$", "", path)
	if (path == "" || path in seen)
		return
	parents(path)
	seen[path] = 1
	print "dir", path, 755, 0, 0
}
!($2 in seen) {
	parents($2)
	seen[$2] = 1
	print
}' "$spec" > "$work/entries"
mkdir -p "$(dirname "$out")"
find "$work/copies" -type f -exec touch -d @0 {} +
"$generator" -t 0 "$work/entries" > "$out"
