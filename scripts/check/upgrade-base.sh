#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Moves the series to another version of the base: VERSION in the environment,
# or the newest that the archive has.  Reports which hooks apply there, and at
# which offsets.  When all do, base.conf gets the version, the hooks get its
# line numbers, and every test runs.
#	-n	reports only
#	-f	base.conf gets the version even if hooks have to be adapted

set -e
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

report_only=
force=
while getopts nf option; do
	case $option in
	n) report_only=y ;;
	f) force=y ;;
	*) die "usage: upgrade-base.sh [-n] [-f]" ;;
	esac
done
[ -z "${BASE_TARBALL:-}" ] || die "BASE_TARBALL is set: that base is not the one that base.conf pins"
"$TOP/scripts/host/setup.sh"

offered() {
	apt-cache madison "$BASE_PACKAGE" | awk '{ print $3 }'
}

# The lists of packages may be older than the newest version.
! as_root true 2>/dev/null || update_lists || say "the archive does not answer; going by the lists that are there"
version=${VERSION:-$(offered | head -n 1)}
unset VERSION
offered | grep -qxF -e "$version" ||
	die "the archive has no $BASE_PACKAGE ${version:-at all}; VERSION may be: $(offered | tr '\n' ' ')"
say "the base is $BASE_PACKAGE $BASE_VERSION, to become $version"
if [ "$version" = "$BASE_VERSION" ]; then
	say "nothing to do"
	exit
fi

lock base
"$TOP/scripts/queue/fetch-base.sh" "$version" ||
	die "$BASE_PACKAGE $version cannot be fetched; see $BUILD/log/base-fetch.log"
tarball=$BUILD/download/usr/src/$BASE_PACKAGE.tar.xz
work=$BUILD/upgrade
step "unpacking what the series changes" "$BUILD/log/upgrade.log" \
	"$TOP/scripts/queue/excerpt.sh" "$tarball" "$work" ||
	die "$version is no base for the series as it is: see above"

# Hooks of one file stand on each other: what applies of one is kept.
cd "$work"
moved=0
broken=0
"$TOP/scripts/queue/plan.sh" | sed -n 's/^patch //p' >.patches
while read -r patch; do
	grep -q '^+++ ' "$TOP/$PATCHES/$patch" || continue
	if git apply -v --reject --whitespace=nowarn "$TOP/$PATCHES/$patch" >.log 2>&1; then
		verdict=applies
		! grep -q offset .log || {
			verdict="applies, at other lines"
			moved=$((moved + 1))
		}
	else
		verdict="DOES NOT APPLY"
		broken=$((broken + 1))
	fi
	say "$verdict: $PATCHES/$patch"
	awk '
	/^(Checking|Applying) patch / { file = $3; sub(/\.\.\.$/, "", file) }
	/^Hunk .* \(offset / { sub(/.*\(/, ""); sub(/\).*/, ""); hunks[file ": " $0]++ }
	/^Rejected hunk / { gsub(/[#.]/, "", $3); print "  " file ": hunk " $3 " does not apply" }
	END { for (where in hunks) print "  " where " (hunks: " hunks[where] ")" }' .log
done <.patches
say "$(wc -l <.patches) patches, $moved with hunks at other lines, $broken do not apply"

if [ "$broken" -ne 0 ]; then
	say "what does not apply lies in files *.rej in $work"
	[ -n "$force" ] || die "base.conf is as it was; CONTRIBUTING.md says how to adapt a hook"
fi
[ -z "$report_only" ] || exit 0

pinned=$(sha256sum <"$tarball" | cut -d ' ' -f 1)
sed -i "s/^BASE_VERSION=.*/BASE_VERSION=$version/; s/^BASE_SHA256=.*/BASE_SHA256=$pinned/" "$TOP/bases/$BASE/base.conf"
say "bases/$BASE/base.conf pins $version now; git checkout bases/$BASE takes that back"
[ "$broken" -eq 0 ] || exit 1
# The other scripts take this lock themselves.
exec 9>&-
"$TOP/scripts/queue/tree.sh"
"$TOP/scripts/queue/refresh.sh"
exec "$TOP/scripts/test/test.sh"
