#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Says what this machine lacks for building, booting and checking, and how to
# get it.  Ends with 1 when something needed is missing.

set -e
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

lacks=0

good() {
	say "ok       $*"
}

odd() {
	say "note     $*"
}

bad() {
	say "missing  $*"
	lacks=1
}

# packages NEED WHAT PACKAGE...: NEED is bad or odd
packages() {
	need=$1
	what=$2
	shift 2
	missing=$(missing_packages "$@" | tr '\n' ' ')
	if [ -z "$missing" ]; then
		good "packages to $what"
	else
		"$need" "packages to $what; $(install_by_hand "${missing% }")"
	fi
}

if ! command -v dpkg-query >/dev/null; then
	bad "dpkg: a Debian or a derived system is needed; Debian 12 is the tested one"
	exit 1
fi
good "$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release), $(uname -m)"
[ "$(uname -m)" = x86_64 ] || bad "an x86_64 compiler: the kernel is built for x86_64 by the native gcc"

# The lists are those that the scripts themselves ask for.
# shellcheck disable=SC2046 # one word a package
packages bad "build and boot" $("$TOP/scripts/host/setup.sh" -l)
packages odd "check (make check installs them)" shellcheck codespell sparse python3-ply python3-git
packages odd "make packages (make deb installs them)" build-essential debhelper fakeroot openssl
# mmdebstrap takes uidmap where it does not run as root.
# shellcheck disable=SC2046 # a word or none
packages odd "try these packages (make deb-test and make test install them)" mmdebstrap genext2fs lintian cpio pkg-config rpm \
	$([ "$(id -u)" -eq 0 ] || echo uidmap)
packages odd "build faster the second time" ccache

cores=$(nproc)
if [ "$cores" -ge 2 ]; then
	good "$cores processors"
else
	odd "one processor; a kernel takes about ten minutes"
fi
memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
if [ "$memory" -ge 4096 ]; then
	good "$memory MiB of memory available"
else
	bad "memory: $memory MiB available, 4096 are needed for the virtual machines; close other programs"
fi
disk=$(df -Pm "$BUILD" | awk 'NR == 2 { print $4 }')
used=$(du -sm "$BUILD" 2>/dev/null | cut -f 1)
if [ $((disk + used)) -ge 12288 ]; then
	good "$disk MiB of disk free for build/"
else
	bad "disk: $disk MiB free, build/ takes up to 12288; make room or move the clone"
fi

# An open can hang where KVM is there by name only, and so can this shell.
if [ ! -e /dev/kvm ]; then
	odd "no /dev/kvm: QEMU emulates, a boot takes seconds longer"
elif timeout 5 sh -c ': <>/dev/kvm' 2>/dev/null; then
	good "/dev/kvm opens; each boot probes further"
else
	odd "/dev/kvm does not open in time or at all: QEMU emulates; group kvm gives access"
fi

if [ -f "$BUILD/base.stamp" ]; then
	good "base unpacked: $(sed -n 's/^name //p' "$BUILD/base.stamp")"
elif [ -f "/usr/src/$BASE_PACKAGE.tar.xz" ]; then
	good "/usr/src/$BASE_PACKAGE.tar.xz is there; its checksum is compared on use"
elif ! have_lists; then
	bad "package lists, to fetch $BASE_PACKAGE: $(by_hand "apt-get update"), or give BASE_TARBALL=linux-$BASE.y.tar.xz"
elif apt-cache madison "$BASE_PACKAGE" | grep -qF " $BASE_VERSION "; then
	good "the archive offers $BASE_PACKAGE $BASE_VERSION"
else
	odd "$BASE_PACKAGE $BASE_VERSION is not in this machine's lists; it is fetched from $BASE_SUITE and its security updates"
fi

# apt's own client fetches one small file of the first archive it knows.
# shellcheck disable=SC2016 # apt-get fills the fields in
release=$(apt-get indextargets --format '$(REPO_URI)dists/$(CODENAME)/InRelease' 2>/dev/null |
	head -n 1)
if [ -z "$release" ]; then
	odd "no archive is asked, as there are no package lists"
elif timeout 30 /usr/lib/apt/apt-helper -q download-file "$release" \
	"$BUILD/.release" >/dev/null 2>&1; then
	good "the archive answers: $release"
else
	odd "the archive does not answer: $release (needed to install packages or fetch the base)"
fi
rm -f "$BUILD/.release"

[ "$lacks" -ne 0 ] || say "next     make run"
exit "$lacks"
