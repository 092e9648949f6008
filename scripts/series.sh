#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Writes the series as mails into build/series, with a cover letter, and
# shows that git am applies them to a clean base.  The first line of
# patches/cover, where that exists, is the cover letter's subject, the rest
# its text.

set -e
. "$(dirname "$0")/lib.sh"

tree=$BUILD/tree
mails=$BUILD/series
work=$BUILD/.series

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

"$TOP/scripts/tree.sh"
lock series

base=$(git -C "$tree" rev-parse refs/series/base)
head=$(git -C "$tree" rev-parse refs/series/head)
[ "$base" != "$head" ] || die "patches/series lists no patch; there is nothing to mail"
name=$(sed -n 's/^name //p' "$BUILD/base.stamp")

rm -rf "$mails" "$work"
mkdir -p "$mails"
# The cover letter is by the author of the last patch, at its time.
author=$(git -C "$tree" log -1 --format=%an "$head")
address=$(git -C "$tree" log -1 --format=%ae "$head")
date=$(git -C "$tree" log -1 --format=%aI "$head")
GIT_COMMITTER_NAME=$author GIT_COMMITTER_EMAIL=$address \
	GIT_COMMITTER_DATE=$date \
	git -C "$tree" format-patch -q --no-signature --cover-letter --base="$base" \
	--no-renames -o "$mails" "$base..$head"

subject="Patches for $(echo "$name" | cut -d ' ' -f 1,2)"
if [ -f "$TOP/patches/cover" ]; then
	subject=$(sed -n 1p "$TOP/patches/cover")
	{
		sed 1d "$TOP/patches/cover" | git stripspace
		echo
	} >"$mails/text"
fi
echo "The series applies to $name." >>"$mails/text"
awk -v "subject=$subject" -v "text=$mails/text" '
/^Subject: / { sub(/\*\*\* SUBJECT HERE \*\*\*/, subject) }
/^\*\*\* BLURB HERE \*\*\*$/ {
	while ((getline line <text) > 0)
		print line
	next
}
{ print }' "$mails"/0000-cover-letter.patch >"$mails/cover.new"
mv "$mails/cover.new" "$mails/0000-cover-letter.patch"
rm -f "$mails/text"

# Only the files that the series touches are checked out.
apply() {
	git clone -q -s -n "$tree" "$work" &&
		cd "$work" &&
		git config user.name git-am &&
		git config user.email git-am@localhost &&
		git diff-tree -r --no-renames --name-only "$base" "$head" |
		git sparse-checkout set --no-cone --stdin &&
		git checkout -q --detach "$base" &&
		git am -q "$@" &&
		[ "$(git rev-parse 'HEAD^{tree}')" = "$(git rev-parse "$head^{tree}")" ]
}

set --
for mail in "$mails"/*.patch; do
	case $mail in
	*/0000-cover-letter.patch) ;;
	*) set -- "$@" "$mail" ;;
	esac
done
step "applying $# mails with git am" "$BUILD/log/series.log" apply "$@" ||
	die "the mails do not reproduce the series on a clean base"
rm -rf "$work"
say "build/series: $# mails and a cover letter"
