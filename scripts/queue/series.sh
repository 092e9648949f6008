#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Writes the series as mails into build/series, with a cover letter and, in
# FILE.cc beside each mail, whom get_maintainer names for it; then shows that
# git am applies them to a clean base, and to VANILLA if that is given:
#	VANILLA=yes	the tarball of that release from Debian's source package
#	VANILLA=PATH	a tarball
#
# The first line of the base's patches/cover is the cover letter's subject, the rest its
# text.  There "@FILE TITLE" stands for a section of a documentation file of
# this repository, and "@FILE" for all of it: figures are written once.  A line
# "Change-id: ..." is for b4.

set -e
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=bases/6.1/base.conf
. "$TOP/bases/$BASE/base.conf"

tree=$BUILD/tree
mails=$BUILD/series
work=$BUILD/.series

# Who sends signs off; without an identity of git's that is each author.
sender=$(git -C "$TOP" config user.name || :)
sender_address=$(git -C "$TOP" config user.email || :)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

"$TOP/scripts/queue/tree.sh"
lock series

base=$(git -C "$tree" rev-parse refs/series/base)
head=$(git -C "$tree" rev-parse refs/series/head)
[ "$base" != "$head" ] || die "$PATCHES/series lists no patch; there is nothing to mail"
name=$(sed -n 's/^name //p' "$BUILD/base.stamp")

# section FILE TITLE: what stands below that title, or all of the file
section() {
	[ -f "$TOP/$1" ] || die "$PATCHES/cover wants $1, which does not exist"
	awk -v "title=$2" '
	{ line[NR] = $0 }
	END {
		begin = title == "" ? 1 : 0
		end = NR
		for (i = 2; i <= NR; i++) {
			if (line[i] !~ /^(=+|-+|~+)$/ || length(line[i]) < length(line[i - 1]) || line[i - 1] !~ /^[^ ]/)
				continue
			mark = substr(line[i], 1, 1)
			if (begin && title != "" && mark == level) {
				end = i - 2
				break
			}
			if (line[i - 1] == title) {
				begin = i + 1
				level = mark
			}
		}
		if (!begin)
			exit 1
		for (i = begin; i <= end; i++)
			print line[i]
	}' "$TOP/$1" || die "$PATCHES/cover wants the section \"$2\" of $1, which has none"
}

# "Patches 1 to 4 do this, 5 and 6 that, and 7 ...": each patch has its place there, in order, to the last one.
awk -v patches="$(git -C "$tree" rev-list --count "$base..$head")" '
/^Patches 1 / { inside = 1 }
/^$/ { inside = 0 }
inside {
	for (i = 1; i <= NF; i++) {
		if ($i ~ /^[0-9]+$/) {
			if (word == "to" ? $i <= last : $i != last + 1)
				wrong = 1
			last = $i
		}
		word = $i
	}
}
END { exit wrong || last != patches }' "$TOP/$PATCHES/cover" ||
	die "$PATCHES/cover does not name all patches of the series by their numbers, in order"

rm -rf "$mails" "$work"
mkdir -p "$mails"
# The cover letter is by the author of the last patch, at its time.
author=$(git -C "$tree" log -1 --format=%an "$head")
address=$(git -C "$tree" log -1 --format=%ae "$head")
date=$(git -C "$tree" log -1 --format=%aI "$head")
GIT_COMMITTER_NAME=${sender:-$author} GIT_COMMITTER_EMAIL=${sender_address:-$address} \
	GIT_COMMITTER_DATE=$date \
	git -C "$tree" format-patch -q -s --no-signature --cover-letter --base="$base" \
	--no-renames -o "$mails" "$base..$head"

sed '1d; /^Change-id: /d' "$TOP/$PATCHES/cover" | while read -r line; do
	case $line in
	@*' '*)
		file=${line%% *}
		section "${file#@}" "${line#* }"
		;;
	@*) section "${line#@}" ;;
	*) printf '%s\n' "$line" ;;
	esac
done >"$mails/text" || exit 1
printf '\nThe series applies to %s.\n' "$name" >>"$mails/text"
git stripspace <"$mails/text" >"$mails/text.new"
awk -v "subject=$(sed -n 1p "$TOP/$PATCHES/cover")" -v "text=$mails/text.new" \
	-v "change=$(sed -n 's/^Change-id: //p' "$TOP/$PATCHES/cover")" '
/^Subject: / { sub(/\*\*\* SUBJECT HERE \*\*\*/, subject) }
/^\*\*\* BLURB HERE \*\*\*$/ {
	while ((getline line <text) > 0)
		print line
	next
}
{ print }
/^base-commit: / && change != "" { print "change-id: " change }
' "$mails"/0000-cover-letter.patch >"$mails/cover.new"
mv "$mails/cover.new" "$mails/0000-cover-letter.patch"
rm -f "$mails/text" "$mails/text.new"

set --
for mail in "$mails"/*.patch; do
	case $mail in
	*/0000-cover-letter.patch) continue ;;
	esac
	set -- "$@" "$mail"
	signer=$(git mailinfo /dev/null /dev/null <"$mail" | sed -n 's/^Author: //p')
	grep -q "^Signed-off-by: $signer <" "$mail" ||
		die "$(basename "$mail") is not signed off by its author, $signer"
done

maintainers() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	(cd "$tree" && printf '%s\n' "$@" | xargs -P "$(nproc)" -I MAIL sh -c 'perl scripts/get_maintainer.pl \
		--no-git --no-git-fallback --no-rolestats "$0" >"$0.cc"' MAIL) &&
		sort -u "$mails"/*.patch.cc >"$mails/0000-cover-letter.patch.cc"
}
step "asking get_maintainer" "$BUILD/log/series-cc.log" maintainers "$@" ||
	die "get_maintainer.pl of the base does not answer"

apply() {
	git -C "$work" config user.name git-am &&
		git -C "$work" config user.email git-am@localhost &&
		git -C "$work" am -q "$@"
}

# Only the files that the series touches are checked out.
apply_base() {
	git clone -q -s -n "$tree" "$work" &&
		git -C "$tree" diff-tree -r --no-renames --name-only "$base" "$head" |
		git -C "$work" sparse-checkout set --no-cone --stdin &&
		git -C "$work" checkout -q --detach "$base" &&
		apply "$@" &&
		[ "$(git -C "$work" rev-parse 'HEAD^{tree}')" = "$(git -C "$work" rev-parse "$head^{tree}")" ]
}
step "applying $# mails to the base with git am" "$BUILD/log/series.log" apply_base "$@" ||
	die "the mails do not reproduce the series on a clean base"
rm -rf "$work"

case ${VANILLA:-} in
'') ;;
yes)
	release=${BASE_VERSION%-*}
	VANILLA=$BUILD/vanilla/linux_$release.orig.tar.xz
	[ -f "$VANILLA" ] || step "fetching the tarball of $release" "$BUILD/log/vanilla.log" \
		"$TOP/scripts/host/fetch-deb.sh" -S -s "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
		-d "$BUILD/vanilla" "linux=$BASE_VERSION" ||
		die "Debian's source package linux $BASE_VERSION cannot be fetched; give VANILLA=linux-$release.tar.xz"
	;;
*) [ -f "$VANILLA" ] || die "VANILLA=$VANILLA: no such file" ;;
esac
if [ -n "${VANILLA:-}" ]; then
	step "unpacking what the series changes of $(basename "$VANILLA")" "$BUILD/log/excerpt.log" \
		"$TOP/scripts/queue/excerpt.sh" "$VANILLA" "$work" || die "not the base that the series needs: see above"
	step "applying $# mails to $(basename "$VANILLA") with git am" "$BUILD/log/series-vanilla.log" apply "$@" ||
		die "the mails do not apply to $VANILLA"
	rm -rf "$work"
fi
say "build/series: $# mails and a cover letter"
