#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Installs the packages that building and booting the kernel takes; -l lists
# them instead. ccache comes along where it can be had: what has been built once,
# in this clone or another one, takes seconds then. Nothing depends on it.

set -e
. "$(dirname "$0")/../lib/lib.sh"

mode=${1:-}

# The kernel's own build tools (Documentation/process/changes.rst)
set -- gcc libc6-dev make flex bison bc libelf-dev libssl-dev cpio xz-utils \
	kmod rsync perl python3
# Unpacking the base and keeping the patches
set -- "$@" git patch dpkg-dev util-linux
# The 32-bit selftests, with the libraries of the compiler that is here or comes; gcc-multilib would conflict with cross compilers
[ "$mode" = -l ] || command -v gcc >/dev/null || have_lists || ! as_root true 2>/dev/null || update_lists
compiler=$(gcc -dumpversion 2>/dev/null || apt-cache depends gcc 2>/dev/null | sed -n 's/^ *Depends: gcc-\([0-9]*\)$/\1/p')
compiler=${compiler%%.*}
set -- "$@" libc6-dev-i386 "lib32gcc-${compiler:-12}-dev"
# The tests of the manual pages and of the header for C++
set -- "$@" g++ groff-base
# The virtual machines
set -- "$@" qemu-system-x86 busybox-static

if [ "$mode" = -l ]; then
	printf '%s\n' "$@"
else
	need_packages "$@"
	# asked for once: a machine without it may be one without an archive
	if [ ! -e "$BUILD/.ccache-asked" ]; then
		: >"$BUILD/.ccache-asked"
		(need_packages ccache 2>/dev/null) || say "without ccache: each clone compiles everything anew"
	fi
fi
