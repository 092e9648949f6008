#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the kernel's packages without installing any: built from a small
# configuration, and that Debian's can be had in all its variants. Prints TAP.
# shellcheck disable=SC2317 # functions are called through try
set -u
. "$(dirname "$0")/../../scripts/lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

packages=$BUILD/obj/deb-package
objects=$packages/linux
configured=$packages/configured
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# holds PACKAGE PATH...: files that it must have
holds() {
	dpkg-deb -c "$packages/$1"_*.deb | sed 's/ -> .*//' | awk '{ print $6 }' >"$work/list"
	shift
	for path; do
		grep -qxF "./$path" "$work/list" || {
			echo "missing: $path"
			return 1
		}
	done
}

# field PACKAGE NAME VALUE
field() {
	found=$(dpkg-deb -f "$packages/$1"_*.deb "$2")
	echo "$2 is '$found', not '$3'"
	[ "$found" = "$3" ]
}

# describes PACKAGE: its control fields are those of this build
describes() {
	field "$1" Package "$1" && field "$1" Version "$version" && field "$1" Architecture amd64 &&
		field "$1" Maintainer "$maintainer"
}

# first_entry PACKAGE: the installed changelog is the kernel's
first_entry() {
	dpkg-deb --fsys-tarfile "$packages/$1"_*.deb |
		tar -xO "./usr/share/doc/$1/changelog.Debian.gz" | gzip -dc | diff - "$work/changelog"
}

needs_one_build() {
	dpkg-deb -f "$packages"/linux-weighted_*.deb Depends >"$work/depends"
	cat "$work/depends"
	for package in linux-image linux-headers; do
		grep -qF "$package-$release (= $version)" "$work/depends" || return 1
	done
	grep -q mempolicy-tools "$work/depends"
}

older() {
	echo "$1 is not older than $2"
	dpkg --compare-versions "$1" lt "$2"
}

# A module of a person's own, built with nothing but the headers' package
module_builds() {
	dpkg-deb -x "$packages/linux-headers-$release"_*.deb "$work/headers"
	mkdir "$work/module"
	echo 'obj-m := own.o' >"$work/module/Kbuild"
	printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n' >"$work/module/own.c"
	make -C "$work/headers/usr/src/linux-headers-$release" M="$work/module" modules &&
		modinfo -F vermagic "$work/module/own.ko" | grep "^$release "
}

# newest_stands_in: an update of the base replaces its configuration, and leaves its sources
newest_stands_in() {
	mkdir -p "$work/older/build/log"
	cp -r "$TOP/bases" "$TOP/scripts" "$work/older"
	echo "name $BASE_PACKAGE 6.1.1-1 (sha256 0)" >"$work/older/build/base.stamp"
	"$work/older/scripts/kernel/debian-config.sh" >"$work/older/config" 2>"$work/older/said" || return
	cat "$work/older/said"
	grep -q "^$BASE_CONFIG_PACKAGE 6.1.1-1 is not in the archive any more: taken from ." "$work/older/said" &&
		grep -qx CONFIG_NUMA=y "$work/older/config"
}

# configures LEAST MOST ARGUMENT...: scripts/package/config.sh takes the arguments and leaves so many modules
configures() {
	least=$1
	most=$2
	shift 2
	# The programs that configure stay from one to the next, and from run to run.
	rm -f "$configured/.config" "$configured/.config.old"
	mkdir -p "$configured"
	"$TOP/scripts/package/config.sh" "$@" "$configured" || return 1
	modules=$(grep -c '=m$' "$configured/.config")
	echo "$modules modules, not $least to $most"
	[ "$modules" -ge "$least" ] && [ "$modules" -le "$most" ]
}

refuses() {
	printf "# on top of: Debian's configuration, and an option that it does not have\nCONFIG_NO_SUCH_OPTION=y\n" \
		>"$work/bad.config"
	! "$TOP/scripts/package/config.sh" -c "$work/bad.config" "$configured" >"$work/refusal" 2>&1 &&
		grep -x 'CONFIG_NO_SUCH_OPTION is n, not y' "$work/refusal"
}

# configures_btf: with -b there is BTF, of modules as well
configures_btf() {
	configures 30 60 -b -c "$TOP/scenarios/configs/debian-vm.config" &&
		grep -x 'CONFIG_DEBUG_INFO_BTF=y' "$configured/.config" &&
		grep -x 'CONFIG_DEBUG_INFO_BTF_MODULES=y' "$configured/.config"
}

no_btf() {
	! grep -x 'CONFIG_DEBUG_INFO=y' "$configured/.config"
}

# refuses_btf VALUE PATH SENTENCE: what make deb says before it begins
refuses_btf() {
	! BTF=$1 PATH=$2 "$TOP/scripts/package/deb.sh" >"$work/refusal" 2>&1 && grep -F "$3" "$work/refusal"
}

# A PATH with all programs but pahole
without_pahole() {
	mkdir "$work/bin"
	printf '%s\n' "$PATH" | tr : '\n' | while read -r folder; do
		for file in "$folder"/*; do
			[ "${file##*/}" = pahole ] || ln -s "$file" "$work/bin/" 2>/dev/null
		done
	done
}

. "$TOP/scripts/lib/tap.sh"
if ! (need_packages build-essential debhelper fakeroot) >"$work/log" 2>&1; then
	echo "1..0 # SKIP $(tail -n 1 "$work/log")"
	exit 0
fi
"$TOP/scripts/package/changelog.sh" >"$work/changelog"
version=$(dpkg-parsechangelog -l "$work/changelog" -S Version)
maintainer=$(dpkg-parsechangelog -l "$work/changelog" -S Maintainer)
base=${version%+0weighted*}
upstream=${base%-*}

try "the changelog is that of the pinned base" \
	grep -q "^linux-weighted ($BASE_VERSION+0weighted[0-9]*) " "$TOP/scripts/package/kernel-changelog"
try "$version comes after $base" older "$base" "$version"
for later in "$base+b1" "$base+deb12u1" "$upstream-$((${base##*-} + 1))" \
	"${upstream%.*}.$((${upstream##*.} + 1))-1"; do
	try "$version comes before $later" older "$version" "$later"
done

without_pahole
try "BTF=1 needs pahole" refuses_btf 1 "$work/bin" "apt install dwarves"
try "BTF takes 0 or 1" refuses_btf yes "$PATH" "it is 0 or 1"

mkdir -p "$objects"
try "the small kernel is configured" "$TOP/scripts/kernel/config.sh" "$BUILD/tree" "$objects" package
# the quickest compression; the best one is what make deb takes
export KDEB_COMPRESS=gzip
try "the small kernel's packages build" "$TOP/scripts/package/kernel.sh" "$objects"
release=$(cat "$objects/include/config/kernel.release")
try "the kernel calls itself weighted" test "$release" = "$upstream-weighted"
try "the package of them all is made" "$TOP/scripts/package/meta.sh" "$objects"
for package in "linux-image-$release" "linux-headers-$release" linux-weighted; do
	try "$package describes itself" describes "$package"
	try "$package has the changelog" first_entry "$package"
done
try "linux-image has kernel and modules" holds "linux-image-$release" "boot/vmlinuz-$release" \
	"boot/System.map-$release" "boot/config-$release" "lib/modules/$release/modules.dep" \
	"lib/modules/$release/kernel/lib/crc7.ko"
try "linux-headers has what modules are built with" holds "linux-headers-$release" \
	"lib/modules/$release/build" "usr/src/linux-headers-$release/.config" \
	"usr/src/linux-headers-$release/Module.symvers" "usr/src/linux-headers-$release/scripts/mod/modpost"
try "a module builds with linux-headers" module_builds
try "linux-weighted needs packages of one build" needs_one_build
try "nothing replaces the distribution's headers for programs" test ! -e "$packages/linux-libc-dev_$version"_amd64.deb

if "$TOP/scripts/kernel/debian-config.sh" >/dev/null 2>"$work/log"; then
	try "a version that the archive has no configuration of takes the newest" newest_stands_in
	try "Debian's configuration keeps its modules" configures 3000 9999
	try "a virtual machine's share has few" configures 30 60 -c "$TOP/scenarios/configs/debian-vm.config"
	try "there is no debug information without BTF" no_btf
	if command -v pahole >/dev/null; then
		try "with pahole there is BTF" configures_btf
	else
		skip "with pahole there is BTF" "needs pahole"
	fi
	echo "ahci 1 0" >"$work/lsmod"
	export LSMOD="$work/lsmod"
	try "modules in use are few" configures 10 100 -l
	try "an option that cannot be set is refused" refuses
else
	skip "Debian's configuration" "the archive is not in reach: $(tail -n 1 "$work/log")"
fi

echo "1..$count"
[ "$failed" -eq 0 ]
