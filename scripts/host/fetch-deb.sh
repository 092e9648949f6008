#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Downloads Debian packages of another release or architecture, or source packages, with apt's own tools, out of lists of their own:
# neither apt's nor dpkg's settings on this machine change, and it takes no root. Security updates of a release come along.
# usage: fetch-deb.sh -s SUITE [-a ARCHITECTURE | -S | -l] -d DIRECTORY PACKAGE[=VERSION]...
# DIRECTORY, which is made anew, gets the packages; with -S what source packages consist of. With -l a package that this machine's own
# lists have, in that version, is taken from there.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

suite='' architecture=amd64 dir='' kind=deb own=''
while getopts s:a:Sld: option; do
	case $option in
	s) suite=$OPTARG ;;
	a) architecture=$OPTARG ;;
	S) kind=deb-src ;;
	l) own=yes ;;
	d) dir=$OPTARG ;;
	*) die "usage: fetch-deb.sh -s SUITE [-a ARCHITECTURE | -S | -l] -d DIRECTORY PACKAGE[=VERSION]..." ;;
	esac
done
shift $((OPTIND - 1))
if [ -z "$suite" ] || [ -z "$dir" ] || [ $# -eq 0 ]; then
	die "fetch-deb.sh needs -s SUITE, -d DIRECTORY and a package"
fi

# offered PACKAGE[=VERSION]...: do this machine's lists have all of them?
offered() {
	for wanted; do
		name=${wanted%%=*}
		apt-cache madison "$name" 2>/dev/null |
			awk -v version="${wanted#"$name"}" '
			/Packages$/ && (version == "" || version == "=" $3) { found = 1 }
			END { exit !found }' || return 1
	done
}

# mirror LABEL: where this machine's apt gets it from
mirror() {
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(LABEL) $(REPO_URI)' |
		sed -n "s/^Packages Debian $1 //p" | head -n 1
}

# source_line MIRROR SUITE
source_line() {
	[ -z "$1" ] || echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $1 $2 main"
}

rm -rf "$dir"
mkdir -p "$dir"
dir=$(realpath "$dir")
if [ -n "$own" ] && offered "$@"; then
	cd "$dir"
	exec apt-get -q download "$@"
fi
apt=$dir/.apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
trap 'rm -rf "$apt"' EXIT
: > "$apt/status"
source_line "$(mirror Debian)" "$suite" > "$apt/sources.list"
# A machine may have a mirror of these, or none.
case $suite in
*-*) ;;
*)
	security=$(mirror Debian-Security)
	[ ! -s "$apt/sources.list" ] ||
		source_line "${security:-http://security.debian.org/debian-security}" "$suite-security" >> "$apt/sources.list"
	;;
esac
[ -s "$apt/sources.list" ] || die "apt has no lists of Debian's own archive; run apt-get update"
cat > "$apt/apt.conf" <<-END
	APT::Architecture "$architecture";
	APT::Architectures { "$architecture"; };
	APT::Sandbox::User "";
	Acquire::Languages "none";
	Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
	Acquire::Retries "2";
	Acquire::http::Timeout "20";
	Dir::State "$apt";
	Dir::State::status "$apt/status";
	Dir::State::Lists "$apt/lists";
	Dir::Cache "$apt/cache";
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "$apt/parts";
END
export APT_CONFIG="$apt/apt.conf"
cd "$dir"
apt-get -q update -o APT::Update::Error-Mode=any
case $kind in
deb) apt-get -q download "$@" ;;
*) apt-get -q source --download-only "$@" ;;
esac
