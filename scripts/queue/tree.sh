#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes build/tree: a git repository with the base as its first commit and
# one commit a patch of the series, each with the overlay files it
# brings.  The same input gives the same commits; a repeat touches only the
# files that changed.

set -e
. "$(dirname "$0")/../lib/lib.sh"

tree=$BUILD/tree
work=$BUILD/.tree

# The person's own git settings must not change the result.
g() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C "$tree" "$@"
}

# Seconds since the epoch of the first commit; patch n comes n minutes later.
epoch=1767225600

# commit TREE DATE NAME EMAIL [-p PARENT] <message
commit() {
	commit_tree=$1
	commit_date="@$2 +0000"
	commit_name=$3
	commit_email=$4
	shift 4
	GIT_AUTHOR_NAME=$commit_name GIT_AUTHOR_EMAIL=$commit_email \
		GIT_AUTHOR_DATE=$commit_date GIT_COMMITTER_NAME=$commit_name \
		GIT_COMMITTER_EMAIL=$commit_email GIT_COMMITTER_DATE=$commit_date \
		g commit-tree "$commit_tree" "$@"
}

# The commits on the base up to $1, apart from their dates
content() {
	g log --format='%T %an <%ae>%n%B' "refs/series/base..$1" | sha256sum
}

# unsaved HEAD: commits that a person made in build/tree and that neither
# make refresh has written back nor HEAD has
unsaved() {
	[ "$(g rev-parse HEAD)" != "$(g rev-parse refs/series/head)" ] &&
		[ "$(content HEAD)" != "$(content "$1")" ]
}

# The index knows each file by its inode and times as well, which are others
# in a copy of the checkout.
refresh_index() {
	g update-index -q --refresh >/dev/null || :
}

changed() {
	refresh_index
	! g diff-index --quiet HEAD --
}

base_repository() {
	rm -rf "$tree" "$tree.new" &&
		cp -a "$BUILD/base" "$tree.new" &&
		cd "$tree.new" &&
		git init -q -b series &&
		git config core.compression 1 &&
		git config core.autocrlf false &&
		git config gc.auto 0 &&
		git add -A -f . &&
		git write-tree >.git/series-base-tree
}

import_base() {
	(
		export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
		base_repository
	) || return 1
	mv "$tree.new" "$tree"
	# Objects of an old tree may be younger than the files of this one.
	rm -rf "$BUILD/obj" "$BUILD/step"
	root=$(sed -n 's/^name //p' "$BUILD/base.stamp" |
		commit "$(cat "$tree/.git/series-base-tree")" "$epoch" base base@localhost)
	g update-ref refs/series/base "$root"
	g update-ref refs/series/head "$root"
	g update-ref HEAD "$root"
	cp "$BUILD/base.stamp" "$tree/.git/series-base"
}

# bring: puts the overlay files that $work/files lists into the index
bring() {
	[ -s "$work/files" ] || return 0
	while read -r file; do
		printf '%s/%s\n' "$TOP" "$(source_of "$file")"
	done <"$work/files" >"$work/sources"
	g hash-object -w --no-filters --stdin-paths <"$work/sources" >"$work/blobs"
	while read -r file <&3 && read -r blob <&4 && read -r source <&5; do
		mode=100644
		[ ! -x "$source" ] || mode=100755
		printf '%s %s\t%s\n' "$mode" "$blob" "$file"
	done 3<"$work/files" 4<"$work/blobs" 5<"$work/sources" >"$work/entries"
	GIT_INDEX_FILE=$work/index g update-index --add --index-info <"$work/entries"
}

# grow: a Makefile of ours has the objects and tests in the index whose sources are there
grow() {
	sed -n 's/^grown //p' "$work/plan" | while read -r file; do
		GIT_INDEX_FILE=$work/index g ls-files -- "${file%Makefile}" >"$work/room"
		grep -qxF "$file" "$work/room" || continue
		awk -v "room=${file%Makefile}" '
		FILENAME == ARGV[1] { there[$0] = 1; next }
		{
			line = ""
			words = split($0, word, " ")
			dropped = left = 0
			for (i = 1; i <= words; i++) {
				source = word[i]
				if (source ~ /\.o$/)
					sub(/o$/, "c", source)
				else if (/^TEST_/ && source ~ /^[a-z0-9_]+$/)
					sub(/(_32)?$/, ".c", source)
				made = source != word[i] || (/^TEST_/ && source ~ /\.sh$/)
				if (made && !(room source in there)) {
					dropped++
					continue
				}
				left += made
				line = line (line == "" ? "" : " ") word[i]
			}
			if (!dropped)
				print
			else if (left)
				print line
		}' "$work/room" "$TOP/$(source_of "$file")" >"$work/makefile"
		printf '100644 %s\t%s\n' "$(g hash-object -w --no-filters "$work/makefile")" "$file"
	done >"$work/entries"
	GIT_INDEX_FILE=$work/index g update-index --index-info <"$work/entries"
}

# rows: the tables of system calls in the index get rows for ours
rows() {
	known=$(sed -n '/^[0-9]/{ s/.* //p; q; }' "$TOP/$PATCHES/syscall-rows")
	GIT_INDEX_FILE=$work/index g grep --cached -lw "$known" -- 'arch/*.tbl' 'scripts/*.tbl' 'tools/*.tbl' >"$work/tables"
	while read -r file; do
		GIT_INDEX_FILE=$work/index g cat-file blob ":$file" | "$TOP/scripts/queue/rows.sh" "$file" >"$work/table"
		printf '100644 %s\t%s\n' "$(g hash-object -w --no-filters "$work/table")" "$file"
	done <"$work/tables" >"$work/entries"
	GIT_INDEX_FILE=$work/index g update-index --index-info <"$work/entries"
}

# hook PATCH: applies it to the index, without fuzz
hook() {
	grep -q '^+++ ' "$TOP/$PATCHES/$1" || return 0
	g apply --numstat -z "$TOP/$PATCHES/$1" | tr '\0' '\n' |
		cut -f 3 >"$work/touched"
	while read -r file; do
		[ -e "$BUILD/base/$file" ] ||
			die "$PATCHES/$1 changes $file, which the base does not have; new files belong into the overlay"
	done <"$work/touched"
	if ! GIT_INDEX_FILE=$work/index g apply -v --cached --whitespace=nowarn \
		"$TOP/$PATCHES/$1" >"$work/apply.log" 2>&1; then
		cat "$work/apply.log" >&2
		file=$(sed -n 's/^error: patch failed: \(.*\):[0-9]*$/\1/p' "$work/apply.log" | head -n 1)
		die "$PATCHES/$1 does not apply to ${file:-the base} of $(sed -n 's/^name //p' "$BUILD/base.stamp");" \
			"adapt the hunk to that file, or use the base that base.conf pins"
	fi
	sed -n "s,^Hunk .*offset.*,$PATCHES/$1: &,p" "$work/apply.log"
}

# add PATCH: one commit on top of $head
add() {
	git mailinfo --encoding=UTF-8 "$work/body" /dev/null \
		<"$TOP/$PATCHES/$1" >"$work/info"
	name=$(sed -n 's/^Author: //p' "$work/info")
	email=$(sed -n 's/^Email: //p' "$work/info")
	subject=$(sed -n 's/^Subject: //p' "$work/info")
	if [ -z "$name" ] || [ -z "$email" ]; then
		die "$PATCHES/$1 has no author; begin it with From: Name <address>"
	fi
	[ -n "$subject" ] || die "$PATCHES/$1 has no Subject: line"
	hook "$1"
	bring
	grow
	[ ! -e "$work/rows" ] || rows
	number=$((number + 1))
	head=$({
		printf '%s\n\n' "$subject"
		cat "$work/body"
	} | git stripspace | commit "$(GIT_INDEX_FILE=$work/index g write-tree)" \
		$((epoch + number * 60)) "$name" "$email" -p "$head")
}

"$TOP/scripts/queue/base.sh"
lock tree
mkdir -p "$work"
"$TOP/scripts/queue/plan.sh" >"$work/plan"

input=$("$TOP/scripts/queue/tree-input.sh" <"$work/plan")

if [ -d "$tree/.git" ] && cmp -s "$BUILD/base.stamp" "$tree/.git/series-base" &&
	[ "$(cat "$tree/.git/series-input" 2>/dev/null)" = "$input" ]; then
	if unsaved refs/series/head; then
		say "build/tree has commits of its own: taken as they are; make refresh writes them to $PATCHES/"
	elif changed; then
		say "build/tree has uncommitted changes: taken as they are"
	fi
	exit
fi

if ! [ -d "$tree/.git" ] || ! cmp -s "$BUILD/base.stamp" "$tree/.git/series-base"; then
	if [ -d "$tree/.git" ]; then
		if unsaved refs/series/head || changed; then
			die "the base has changed, and build/tree holds work that make refresh has not written back;" \
				"save it, then remove build/tree"
		fi
	fi
	step "making a repository of the base" "$BUILD/log/tree.log" import_base ||
		die "build/tree could not be made; is the disk full?"
fi

head=$(g rev-parse refs/series/base)
number=0
rm -f "$work/index"
GIT_INDEX_FILE=$work/index g read-tree "$head"
sed -n 's/^patch //p' "$work/plan" >"$work/patches"
while read -r patch; do
	awk -v "patch=$patch" '
		$1 == "patch" { mine = $2 == patch }
		$1 == "file" && mine { print $2 }' "$work/plan" >"$work/files"
	rm -f "$work/rows"
	! awk -v "patch=$patch" '
		$1 == "patch" { mine = $2 == patch }
		$1 == "rows" && mine { found = 1 }
		END { exit !found }' "$work/plan" || : >"$work/rows"
	add "$patch"
done <"$work/patches"

if unsaved "$head"; then
	die "build/tree has commits of its own; write them back with make refresh," \
		"or drop them with: git -C build/tree reset --hard refs/series/head"
fi
refresh_index
g reset -q --keep "$head" ||
	die "build/tree has uncommitted changes where the series changes too; commit and make refresh," \
		"or drop them with: git -C build/tree reset --hard"
g update-ref refs/series/head "$head"
printf '%s\n' "$input" >"$tree/.git/series-input"
say "build/tree: $number patches on $(sed -n 's/^name //p' "$BUILD/base.stamp")"
