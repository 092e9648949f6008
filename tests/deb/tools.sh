#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests the tools' packages without installing any: source, Debian and RPM packages, what they
# hold, and the packages' own tests with what they hold: tools.sh KERNEL. Prints TAP.
# shellcheck disable=SC2317 # functions are called through try
set -u
. "$(dirname "$0")/../../scripts/lib/lib.sh"

kernel=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
root=$work/root

files_of() {
	dpkg-deb -c "$work/first/$1"_*.deb | awk '$6 !~ /\/$/ { print $6 }' | sort
}

# Nothing but these; a new tool or page is added here on purpose.
tools_files() {
	doc=./usr/share/doc/mempolicy-tools
	{
		cat <<-END
			./lib/systemd/system/mpolctl.service
			./lib/systemd/system/mpolctl.timer
			./lib/udev/rules.d/60-mpolctl.rules
			./usr/bin/bwactl
			./usr/bin/mpolctl
			./usr/lib/mpolctl/mpolctl-larger.so
			./usr/share/bash-completion/completions/bwactl
			./usr/share/bash-completion/completions/mpolctl
			./usr/share/fish/vendor_completions.d/bwactl.fish
			./usr/share/fish/vendor_completions.d/mpolctl.fish
			./usr/share/man/man1/mpolctl.1.gz
			./usr/share/man/man8/bwactl.8.gz
			./usr/share/zsh/vendor-completions/_bwactl
			./usr/share/zsh/vendor-completions/_mpolctl
			$doc/changelog.Debian.gz
			$doc/copyright
		END
		(
			cd "$TOP/Documentation" || exit
			find ./*.md pictures admin-guide ABI mm/memory-placement-figures.rst -type f | sed "s|^\./||; s|^|$doc/guides/|"
		)
		echo "$doc/guides/ABI/testing/sysfs-kernel-mm-mempolicy"
		echo "$doc/guides/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave"
	} | sort >"$work/wanted"
	files_of mempolicy-tools | diff "$work/wanted" -
}

header_files() {
	doc=./usr/share/doc/mempolicy2-dev
	sort >"$work/wanted" <<-END
		./usr/include/mempolicy2.h
		./usr/share/man/man2/get_mempolicy2.2.gz
		./usr/share/man/man2/mbind2.2.gz
		./usr/share/man/man2/process_get_mempolicy2.2.gz
		./usr/share/man/man2/process_mbind2.2.gz
		./usr/share/man/man2/process_set_mempolicy2.2.gz
		./usr/share/man/man2/set_mempolicy2.2.gz
		./usr/share/pkgconfig/mempolicy2.pc
		$doc/changelog.Debian.gz
		$doc/copyright
		$doc/examples/allocator.cc
		$doc/examples/buffer.c
		$doc/examples/buffer.rs
		$doc/examples/two-threads.c
		$doc/examples/weights.py
	END
	files_of mempolicy2-dev | diff "$work/wanted" -
}

# What a guide links to, or names by its path in the kernel's tree, is beside it; but for the kernel's own.
guides_lead_on() (
	cd "$root/usr/share/doc/mempolicy-tools/guides" || exit
	{
		grep -ohE '\]\([^)#]+' ./*.md | sed 's/^](//; /^http/d'
		grep -ohE 'Documentation/[a-zA-Z][a-zA-Z0-9_/-]*(\.rst)?' admin-guide/mm/*.rst | sed 's|^Documentation/||'
	} | sort -u >"$work/named"
	[ -s "$work/named" ] || exit
	grep -vx 'admin-guide/mm/numa_memory_policy.rst' "$work/named" | while read -r name; do
		[ -e "$name" ] || echo "$name"
	done >"$work/nowhere"
	cat "$work/nowhere"
	[ ! -s "$work/nowhere" ]
)

same_version() {
	said=$("$1" --version | sed 's/.* //')
	echo "$1 says $said, the package $upstream"
	[ "$said" = "$upstream" ]
}

# Twice, with another clock, umask and language
same_again() {
	(
		umask 077
		LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$TOP/scripts/package/tools.sh" "$work/second"
	) || return 1
	cp "$sources"/*.dsc "$sources"/*.tar.xz "$work/second"
	diff -r "$work/first" "$work/second"
}

unpacks_and_is_whole() {
	dpkg-source --no-check -x "$sources"/*.dsc "$work/unpacked" && diff -r "$TOP/debian" "$work/unpacked/debian"
}

lint() {
	lintian --allow-root --fail-on error,warning "$work"/first/*.deb "$sources"/*_source.changes
}

own_tests() {
	PATH=$root/usr/bin:$PATH ROOT=$root PKG_CONFIG_PATH=$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
		"$TOP/debian/tests/tools"
}

# Static, so that they need nothing where they run
examples_build() {
	set -- "$work/root/usr/share/doc/mempolicy2-dev/examples"
	flags="-Wall -Wextra -Werror -static -I$root/usr/include"
	mkdir "$work/programs"
	# shellcheck disable=SC2086 # these are words
	gcc $flags -o "$work/programs/buffer-c" "$1/buffer.c" &&
		g++ $flags -o "$work/programs/allocator" "$1/allocator.cc" || return 1
	wc -l "$1"/buffer.* "$1"/allocator.* "$1"/weights.* | awk '$2 != "total" && $1 > 40 { print; bad = 1 } END { exit bad }'
}

rust_builds() {
	rustc -C target-feature=+crt-static -o "$work/programs/buffer-rust" "$root/usr/share/doc/mempolicy2-dev/examples/buffer.rs"
}

# They go on without the calls, and say what they have in their place.
python_runs() {
	python3 "$root/usr/share/doc/mempolicy2-dev/examples/weights.py" |
		grep -E ' MiB have (weights of their own|the global|even|the default)'
}

cpp_runs() {
	"$work/programs/allocator" | grep -E ' has (weights of its own|global|even|the default)'
}

rust_runs() {
	"$work/programs/buffer-rust" | grep -E ' has (weights of its own|global|even|the default)'
}

# What was there before stays.
leaves_nothing() {
	make -s -C "$TOP/tools/mm/placement" OUTPUT="$work/built/" all || return 1
	mkdir -p "$work/there/usr/local/bin"
	: >"$work/there/usr/local/bin/other"
	for target in install uninstall; do
		make -s -C "$TOP/tools/mm/placement" OUTPUT="$work/built/" DESTDIR="$work/there" "$target" || return 1
		find "$work/there" ! -type d >"$work/$target"
	done
	cat "$work/uninstall"
	[ "$(wc -l <"$work/install")" -gt 10 ] && [ "$(cat "$work/uninstall")" = "$work/there/usr/local/bin/other" ]
}

# shellcheck disable=SC2030 # a shell of its own
fish_completes() (
	tool=$1
	PATH=$root/usr/bin:$PATH
	propose() {
		fish -N -c "source '$root/usr/share/fish/vendor_completions.d/$tool.fish'; complete -C '$tool $*'" | cut -f 1
	}
	. "$TOP/tests/deb/completions.sh"
	proposes_all
	exit "$failed"
)

# shellcheck disable=SC2031 # that shell is another one
own_machine() {
	PROGRAMS=$(echo "$work"/programs/*) PATH=$root/usr/bin:$PATH BUSYBOX=$("$TOP/scripts/machine/busybox.sh") KERNEL=$kernel \
		"$TOP/debian/tests/machine" >"$work/said" 2>&1
	machine=$?
	cat "$work/said"
	[ "$machine" -eq 0 ] && ! grep -E ' has (global|even|the default)' "$work/said"
}

rpms() {
	rpmbuild -tb --nodeps --define "_topdir $work/rpm" "$sources"/*.orig.tar.xz || return 1
	for package in mempolicy-tools mempolicy2-devel; do
		rpm -qp --dbpath "$work/rpmdb" -l "$work"/rpm/RPMS/*/"$package"-*.rpm
	done >"$work/list"
	cat "$work/list"
	for path in bin/mpolctl bin/bwactl lib/mpolctl/mpolctl-larger.so lib/systemd/system/mpolctl.service \
		lib/udev/rules.d/60-mpolctl.rules include/mempolicy2.h share/pkgconfig/mempolicy2.pc; do
		grep -qx "/usr/$path" "$work/list" || return 1
	done
	[ "$(grep -c '/GPL-2\.0$' "$work/list")" -eq 2 ] && grep -q '/Linux-syscall-note$' "$work/list"
}

. "$TOP/scripts/lib/tap.sh"
if ! (need_packages build-essential debhelper lintian pkg-config cpio) >"$work/log" 2>&1; then
	echo "1..0 # SKIP $(tail -n 1 "$work/log")"
	exit 0
fi
sources=$BUILD/obj/deb-tools
upstream=$(dpkg-parsechangelog -l "$TOP/debian/changelog" -S Version)
upstream=${upstream%-*}

try "the packages build from their source package" "$TOP/scripts/package/tools.sh" "$work/first"
cp "$sources"/*.dsc "$sources"/*.tar.xz "$work/first"
try "two builds have the same bytes" same_again
try "the source package is whole" unpacks_and_is_whole
try "lintian accepts source and packages" lint
try "mempolicy-tools has the files, and no others" tools_files
try "mempolicy2-dev has the files, and no others" header_files
for package in mempolicy-tools mempolicy2-dev; do
	dpkg-deb -x "$work/first/$package"_*.deb "$root"
done
try "what the guides name is installed" guides_lead_on
for tool in mpolctl bwactl; do
	try "$tool has the package's version" same_version "$root/usr/bin/$tool"
	try "completions of $tool" bash "$TOP/tests/deb/completions.bash" "$root/usr" "$tool"
done
mkdir "$work/built"
try "make uninstall takes away what make install has put there" leaves_nothing
if (need_packages zsh fish) >"$work/log" 2>&1; then
	for tool in mpolctl bwactl; do
		try "completions of $tool in zsh" zsh -f "$TOP/tests/deb/completions.zsh" "$root/usr" $tool
		try "completions of $tool in fish" fish_completes $tool
	done
else
	skip "completions in zsh and fish" "$(tail -n 1 "$work/log")"
fi
try "the packages' test of the tools, on this kernel" own_tests
try "the examples in C and C++ compile, and are short" examples_build
if command -v rustc >/dev/null; then
	try "the example in Rust compiles" rust_builds
	try "the example in Rust runs" rust_runs
else
	skip "the example in Rust compiles" "no rustc here"
fi
try "the example in Python runs" python_runs
try "the example in C++ runs" cpp_runs
try "the packages' test with a machine, and the examples in it" own_machine
if (need_packages rpm) >"$work/log" 2>&1; then
	try "RPM packages build from the same source" rpms
else
	skip "RPM packages build from the same source" "$(tail -n 1 "$work/log")"
fi

echo "1..$count"
[ "$failed" -eq 0 ]
