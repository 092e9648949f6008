#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Builds packages to install into build/deb, or with -o DIRECTORY into that: linux-image,
# linux-headers, linux-weighted, mempolicy-tools and mempolicy2-dev.  CONFIG=path in the
# environment takes another configuration than Debian's, LOCALMODCONFIG=1 only the modules that
# are in use (scripts/package/config.sh).  Run again, it goes on where it ended.  It begins only
# where build/ may become DEB_MB large, 20000 without it, and 5000 where there are few modules.

set -e
. "$(dirname "$0")/../lib/lib.sh"

packages=$BUILD/deb
while getopts o: option; do
	case $option in
	o) packages=$OPTARG ;;
	*) die "usage: deb.sh [-o DIRECTORY]" ;;
	esac
done

name=debian
most=20000
set --
if [ -n "${CONFIG:-}" ]; then
	[ -f "$CONFIG" ] || die "CONFIG=$CONFIG: no such file"
	name=$(basename "$CONFIG" .config)
	! grep -q "^# on top of: Debian's configuration" "$CONFIG" || most=5000
	set -- -c "$CONFIG"
fi
case ${LOCALMODCONFIG:-0} in
0) ;;
1)
	name=$name-local
	most=5000
	set -- "$@" -l
	;;
*) die "LOCALMODCONFIG is '$LOCALMODCONFIG': it is 1, or not given" ;;
esac
case ${BTF:-} in
0) ;;
1 | '')
	if command -v pahole >/dev/null; then
		say "with BTF, as pahole is there; BTF=0 takes less time and disk"
		set -- "$@" -b
	elif [ -n "${BTF:-}" ]; then
		die "BTF=1: there is no pahole; apt install dwarves"
	fi
	;;
*) die "BTF is '$BTF': it is 0 or 1, or not given" ;;
esac
objects=$BUILD/obj/deb-$name/linux

# Where the disk fills up, something else fails, hours later. What is there already needs no room any more.
most=${DEB_MB:-$most}
case $most in
*[!0-9]*) die "DEB_MB is '$most': it is a number, of MB" ;;
esac
room=$(($(df -Pm "$BUILD" | awk 'NR == 2 { print $4 }') + $(du -sm "$BUILD/base" "$BUILD/tree" "${objects%/linux}" 2>/dev/null |
	awk '{ sum += $1 } END { print sum + 0 }')))
[ "$room" -ge "$most" ] || die "make deb takes up to $most MB of build/, and there is room for $room; DEB_MB=number sets another limit"

"$TOP/scripts/host/setup.sh"
# openssl makes the key that modules are signed with
need_packages build-essential debhelper fakeroot openssl
"$TOP/scripts/queue/tree.sh"
lock deb
mkdir -p "$objects" "$packages"
"$TOP/scripts/package/tools.sh" "$objects/.."
step "configuring the packages' kernel" "$BUILD/log/deb-config.log" \
	"$TOP/scripts/package/config.sh" "$@" "$objects" ||
	die "the packages' kernel cannot be configured as requested"
"$TOP/scripts/package/kernel.sh" "$objects"
"$TOP/scripts/package/meta.sh" "$objects"

# apt-get install ./build/deb/*.deb is not to install gigabytes of debug information.
rm -rf "$packages"/*.deb "$packages/debug"
mkdir "$packages/debug"
for package in "$objects"/../*.deb; do
	case $package in
	*-dbg_*) cp "$package" "$packages/debug" ;;
	*) cp "$package" "$packages" ;;
	esac
done
rmdir "$packages/debug" 2>/dev/null || :
say "${packages#"$TOP/"}:"
for package in "$packages"/*.deb; do
	say "  ${package##*/} ($(($(stat -c %s "$package") / 1024)) KiB)"
done
