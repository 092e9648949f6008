#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Writes the commits of build/tree back: what they change in files of the
# base to its patches, their new files to the overlay, or to files/ of the base.  A commit belongs to the
# patch of the same subject; a commit with a new subject becomes a new patch
# behind the one before it.  Without edits nothing changes, unless the base
# has moved: then the hunks get its line numbers.  A new file wants git add -f,
# for Debian's .gitignore hides everything.

set -e
. "$(dirname "$0")/../lib/lib.sh"

tree=$BUILD/tree
work=$BUILD/.refresh
series=$TOP/$PATCHES/series

g() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C "$tree" "$@"
}

in_base() {
	g cat-file -e "$base:$1" 2>/dev/null
}

# owner FILE: the patch that brings it
owner() {
	awk -v "file=$1" '
		$1 == "patch" { patch = $2 }
		$1 == "file" && $2 == file { print patch }' "$work/plan"
}

# plain PATCHFILE: what it says, whatever tool wrote it
plain() {
	git mailinfo --encoding=UTF-8 "$work/body" /dev/null <"$1" | grep -v '^Date: '
	git stripspace <"$work/body"
	awk '
	left_old > 0 || left_new > 0 {
		print
		kind = substr($0, 1, 1)
		if (kind != "+" && kind != "\\")
			left_old--
		if (kind != "-" && kind != "\\")
			left_new--
		next
	}
	/^\\/ { print }
	/^(---|\+\+\+) [ab]\// { print $1, $2 }
	/^@@ / {
		print $1, $2, $3, $4
		left_old = split($2, part, ",") > 1 ? part[2] : 1
		left_new = split($3, part, ",") > 1 ? part[2] : 1
	}' "$1"
}

# A Makefile of ours gets an object with the patch that brings its source:
# tree.sh sees to that.
grows() {
	grep -qxF "grown $1" "$work/plan"
}

# edited FILE: since make tree
edited() {
	[ "$(g rev-parse -q --verify "refs/series/head:$1")" != "$(g rev-parse "$head:$1")" ]
}

# has_rows PATCH: the rows of system call tables are its, and made from a list
has_rows() {
	awk -v "patch=$1" '
		$1 == "patch" { mine = $2 == patch }
		$1 == "rows" && mine { found = 1 }
		END { exit !found }' "$work/plan"
}

# write COMMIT FILE: the commit as a patch of quilt's form
write() {
	g diff-tree -r --no-commit-id --no-renames --name-status "$1" >"$work/changes"
	: >"$work/hooks"
	: >"$work/brought"
	while read -r status file; do
		if in_base "$file"; then
			[ "$status" = M ] || die "commit \"$subject\" adds or removes $file, a file of the base; a hook changes lines only"
			case $file in
			*.tbl) ! has_rows "$(basename "$2")" || continue ;;
			esac
			printf '%s\n' "$file" >>"$work/hooks"
		elif [ "$status" = A ]; then
			printf '%s\n' "$file" >>"$work/brought"
		elif ! grows "$file"; then
			die "commit \"$subject\" changes $file, which an earlier commit brought;" \
				"fold the change into that commit (git rebase -i)"
		fi
	done <"$work/changes"
	{
		g log -1 --format='From: %an <%ae>%nSubject: %s%n%n%b' "$1" | git stripspace
		if [ -s "$work/hooks" ]; then
			echo
			# shellcheck disable=SC2046 # names of the base have no blanks
			g diff-tree -r -p --no-commit-id --no-renames --no-ext-diff --no-color \
				"$1" -- $(cat "$work/hooks") >"$work/diff"
			! grep -q '^old mode' "$work/diff" ||
				die "commit \"$subject\" changes the mode of a file of the base; a hook changes lines only"
			sed '/^diff --git /d; /^index [0-9a-f]*\.\./d' "$work/diff"
		fi
	} >"$2"
}

# list FILE below PATCH in the series, behind the files that it has already
list() {
	awk -v "patch=$2" -v "line=#   $1" '
	mine && !/^#(  |\t)/ { print line; mine = 0 }
	{ print }
	$1 == patch { mine = 1 }
	END { if (mine) print line }' "$series" >"$work/series"
	cp "$work/series" "$series"
	say "$PATCHES/series: $1 belongs to $2"
}

# insert PATCH into the series behind PREDECESSOR and its files
insert() {
	awk -v "patch=$1" -v "previous=$2" '
	mine && !/^#(  |\t)/ { print patch; mine = 0 }
	{ print }
	$1 == previous { mine = 1 }
	END { if (mine || previous == "") print patch }' "$series" >"$work/series"
	cp "$work/series" "$series"
	say "$PATCHES/series: $1 is new"
}

[ -d "$tree/.git" ] || die "build/tree does not exist; run make tree"
rm -rf "$work"
mkdir -p "$work"
if [ "$(g rev-parse HEAD)" = "$(g rev-parse refs/series/head)" ]; then
	"$TOP/scripts/queue/tree.sh"
fi
"$TOP/scripts/queue/plan.sh" >"$work/plan"
if [ "$("$TOP/scripts/queue/tree-input.sh" <"$work/plan")" != "$(cat "$tree/.git/series-input")" ]; then
	die "$PATCHES/ or the overlay have changed since make tree, and build/tree has commits of its own;" \
		"set the former aside (git stash), run make refresh, and take them up again"
fi
g update-index -q --refresh >/dev/null || :
g diff-index --quiet HEAD -- ||
	die "build/tree has uncommitted changes; amend the commit they belong to first"

base=$(g rev-parse refs/series/base)
head=$(g rev-parse HEAD)
g merge-base --is-ancestor "$base" "$head" ||
	die "the commits of build/tree do not stand on its base, refs/series/base"
[ -z "$(g rev-list --merges "$base..$head")" ] ||
	die "build/tree has a merge; rebase it to a line of commits"

# Which commit is which patch: by subject, the rest in order
sed -n 's/^patch //p' "$work/plan" | while read -r patch; do
	printf '%s\t%s\n' "$patch" "$(git mailinfo --encoding=UTF-8 /dev/null /dev/null \
		<"$TOP/$PATCHES/$patch" | sed -n 's/^Subject: //p')"
done >"$work/patches"
g log --reverse --format='%H%x09%s%x09%f' "$base..$head" >"$work/commits"
awk -F '\t' '
NR == FNR && FILENAME == ARGV[1] {
	if ($2 in patch) {
		print "two patches of the series have the subject \"" $2 "\""
		exit failed = 1
	}
	patch[$2] = $1
	place[$1] = ++patches
	next
}
{
	commit[++commits] = $1
	slug[commits] = $3
	subject[commits] = $2
	if ($2 in patch) {
		name[commits] = patch[$2]
		taken[patch[$2]] = 1
	}
}
END {
	if (failed)
		exit 1
	for (s in patch)
		if (!(patch[s] in taken))
			rest[place[patch[s]]] = patch[s]
	missing = 0
	for (i = 1; i <= patches; i++)
		if (i in rest)
			left[++missing] = rest[i]
	strange = 0
	for (i = 1; i <= commits; i++)
		if (!(i in name))
			strange++
	if (missing && missing != strange) {
		print "build/tree has no commit for " left[1] \
			"; remove the patch and its line in series, or bring the commit back"
		exit 1
	}
	last = 0
	for (i = 1; i <= commits; i++) {
		if (!(i in name))
			name[i] = missing ? left[++used] : slug[i] ".patch"
		if (name[i] in place) {
			if (place[name[i]] < last) {
				print "build/tree has " name[i] \
					" at another place than series; reorder that, then run make tree"
				exit 1
			}
			last = place[name[i]]
		}
		print commit[i], name[i]
	}
}' "$work/patches" "$work/commits" >"$work/pairs" || die "$(cat "$work/pairs")"

# Nothing is written before every commit has proved to be writable.
mkdir -p "$work/new"
while read -r commit patch; do
	subject=$(g log -1 --format=%s "$commit")
	write "$commit" "$work/new/$patch"
	while read -r file; do
		other=$(owner "$file")
		[ -z "$other" ] || [ "$other" = "$patch" ] ||
			die "commit \"$subject\" brings $file, which $PATCHES/series lists for $other; move the line"
	done <"$work/brought"
	cp "$work/brought" "$work/new/$patch.brought"
done <"$work/pairs"
sed -n 's/^file //p' "$work/plan" | while read -r file; do
	g cat-file -e "$head:$file" 2>/dev/null || printf '%s\n' "$file"
done >"$work/gone"
[ ! -s "$work/gone" ] ||
	die "$(head -n 1 "$work/gone") is gone from build/tree; remove it and its line in $PATCHES/series by hand"

changed=0
previous=
while read -r commit patch; do
	new=$work/new/$patch
	if [ ! -f "$TOP/$PATCHES/$patch" ]; then
		cp "$new" "$TOP/$PATCHES/$patch"
		insert "$patch" "$previous"
		changed=$((changed + 1))
	else
		plain "$TOP/$PATCHES/$patch" >"$work/old.plain"
		plain "$new" >"$work/new.plain"
		if ! cmp -s "$work/old.plain" "$work/new.plain"; then
			cp "$new" "$TOP/$PATCHES/$patch"
			say "$PATCHES/$patch: refreshed"
			changed=$((changed + 1))
		fi
	fi
	while read -r file; do
		[ -n "$(owner "$file")" ] || list "$file" "$patch"
		from=$commit
		if grows "$file"; then
			# It lacks what only other bases have the source of.
			edited "$file" || continue
			from=$head
		fi
		g cat-file blob "$from:$file" >"$work/blob"
		mode=$(g ls-tree "$commit" -- "$file" | cut -d ' ' -f 1)
		source=$(source_of "$file")
		mkdir -p "$(dirname "$TOP/$source")"
		if ! cmp -s "$work/blob" "$TOP/$source"; then
			cat "$work/blob" >"$TOP/$source"
			say "$source: refreshed"
			changed=$((changed + 1))
		fi
		case $mode in
		100755) chmod +x "$TOP/$source" ;;
		*) chmod -x "$TOP/$source" ;;
		esac
	done <"$new.brought"
	previous=$patch
done <"$work/pairs"

# What was written must give the same tree again.
g update-ref refs/series/head "$head"
"$TOP/scripts/queue/tree.sh"
[ "$(g rev-parse 'HEAD^{tree}')" = "$(g rev-parse "$head^{tree}")" ] ||
	die "the refreshed series makes another tree than build/tree had; that one is commit $head there"
say "refresh: $changed files changed"
rm -rf "$work"
