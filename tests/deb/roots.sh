#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A Debian that has nothing but make and git, no package lists and no security updates, of this release and of the next: what make doctor
# says there is all that a person has to type until everything is there that the first command builds from. Prints TAP.
# shellcheck disable=SC2317 # functions are called through try
set -u
. "$(dirname "$0")/../../scripts/lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

mkdir -p "$BUILD"
work=$(mktemp -d "$BUILD/roots.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP needs root"
	exit 0
fi
if ! (need_packages mmdebstrap) > "$work/log" 2>&1; then
	echo "1..0 # SKIP $(tail -n 1 "$work/log")"
	exit 0
fi

mirror=$(debian_mirror)

# make_root RELEASE [PACKAGE]: with that package; the checkout is there twice, of root and of a person. No sudo comes by itself.
make_root() {
	root=$work/$1
	mmdebstrap --variant=apt --include="make,git,passwd${2:+,$2}" --skip=cleanup/reproducible "$1" "$root" "$mirror" || return
	chroot "$root" useradd -m person || return
	for home in root home/person; do
		mkdir "$root/$home/clone"
		git -C "$TOP" ls-files -co --exclude-standard -z | tar -C "$TOP" --null -T - -c | tar -C "$root/$home/clone" -x || return
	done
	chroot "$root" chown -R person: /home/person/clone
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
}

# inside USER COMMAND: in the checkout of that user
inside() {
	# shellcheck disable=SC2016 # expanded there
	timeout 900 unshare -m -p -f --kill-child --mount-proc sh -ec '
		mount --bind /dev "$1/dev"
		mount -t proc proc "$1/proc"
		exec chroot "$1" su - "$2" -s /bin/sh -c "cd clone && $3"' inside "$root" "$1" "$2"
}

# refuses TARGET PATTERN: the person's make TARGET fails, with a line like that
refuses() {
	if inside person "make -s $1" > "$work/$1" 2>&1; then
		echo "make $1 succeeds"
		return 1
	fi
	cat "$work/$1"
	grep -q "$2" "$work/$1"
}

# lacks PATTERN: what the person's make doctor says is missing, and it says so with its status
lacks() {
	refuses doctor "^missing .*$1"
}

# lacks_nothing: of what can be installed
lacks_nothing() {
	inside person 'make -s doctor' > "$work/doctor" 2>&1 || :
	cat "$work/doctor"
	grep -q '^ok .* packages to build and boot' "$work/doctor" && ! grep '^missing  pack' "$work/doctor"
}

# typed: root types what the person's make doctor names first, as it stands there, but for su
typed() {
	line=$(sed -n "s/^missing .*packages to build and boot; su - -c '\(.*\)'\$/\1/p" "$work/doctor")
	[ -n "$line" ] && inside root "export DEBIAN_FRONTEND=noninteractive; yes | { $line; }"
}

# stops NAME: the first command ends at once with one line that says what to type
stops() {
	refuses run "^error: packages are missing; install them with: $1"
}

# may MAY: what sudo lets the person do
may() {
	echo "person ALL=(ALL) $1" >"$root/etc/sudoers.d/person" && chmod 440 "$root/etc/sudoers.d/person"
}

# installs: what the first command does before it builds
installs() {
	inside person scripts/host/setup.sh
}

fetches() {
	inside person scripts/queue/base.sh || return
	cat "$root/home/person/clone/build/base.stamp"
	grep -qx "name $BASE_PACKAGE $BASE_VERSION (sha256 $BASE_SHA256)" "$root/home/person/clone/build/base.stamp"
}

. "$TOP/scripts/lib/tap.sh"
for release in bookworm trixie; do
	try "$release: a system with make and git" make_root "$release"
	[ "$status" -eq 0 ] || continue
	try "$release: make run asks for the lists and packages" stops "su - -c 'apt-get update && apt-get install"
	try "$release: make doctor asks for the lists" lacks "su - -c 'apt-get update'"
	inside root 'apt-get -q update' > "$work/log" 2>&1 || cat "$work/log"
	try "$release: make doctor names packages" lacks "packages to build and boot; su - -c 'apt-get install"
	try "$release: they install as they are named" typed
	try "$release: no package is missing then" lacks_nothing
	try "$release: the pinned base is fetched, whatever the lists have" fetches
	rm -rf "${root:?}"
done
# The first command of a person with sudo
try "trixie: a system with sudo" make_root trixie sudo
if [ "$status" -eq 0 ]; then
	may ALL
	try "sudo that asks for a password: make run names the lines" stops "sudo apt-get update && sudo apt-get install"
	may 'NOPASSWD: ALL'
	try "sudo that does not: lists and packages come by themselves" installs
	try "sudo: no package is missing then" lacks_nothing
fi
echo "1..$count"
[ "$failed" -eq 0 ]
