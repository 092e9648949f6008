#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Checks the series and the scripts without booting anything.  BASE_REF names
# the commit that a change is measured against when the steps to build are
# chosen, origin/main by default; STEP_SECONDS limits how long those builds go
# on, the last step apart.

set -e
. "$(dirname "$0")/../lib/lib.sh"

tree=$BUILD/tree
# The repository's own files, the kernel's among them
files() {
	(
		cd "$TOP"
		git ls-files -co --exclude-standard | while read -r file; do
			[ ! -f "$file" ] || printf '%s\n' "$file"
		done
	)
}

check_mails() {
	# Debian's python3 has the modules, whichever else comes first.
	# Who looks after new files: one patch says it, see check_maintainers.
	find "$BUILD/series" -name '*.patch' ! -name 0000-cover-letter.patch | sort |
		PATH=/usr/bin:$PATH xargs -P "$(nproc)" -n 1 perl "$BUILD/base/scripts/checkpatch.pl" --root="$tree" --strict \
			--no-summary --show-types --ignore FILE_PATH_CHANGES
}

# Somebody looks after each file of the overlay, and each entry has files.
check_maintainers() {
	git -C "$tree" diff refs/series/base HEAD -- MAINTAINERS | sed -n 's/^+F:[[:space:]]*//p' >"$BUILD/.entries"
	"$TOP/scripts/queue/overlay.sh" | awk '
		FILENAME == ARGV[1] {
			entry[++entries] = $0
			gsub(/[.+]/, "\\\\&")
			gsub(/\*/, "[^/]*")
			pattern[entries] = "^" $0 ($0 ~ /\/$/ ? "" : "$")
			next
		}
		{
			cared_for = 0
			for (i = 1; i <= entries; i++)
				if ($0 ~ pattern[i])
					used[i] = cared_for = 1
			if (!cared_for) {
				print "no entry of MAINTAINERS has " $0
				failed = 1
			}
		}
		END {
			for (i = 1; i <= entries; i++)
				if (!(i in used)) {
					print "MAINTAINERS: there is no " entry[i]
					failed = 1
				}
			exit failed
		}' "$BUILD/.entries" -
}

check_kernel_doc() {
	"$TOP/scripts/queue/overlay.sh" | grep '\.[ch]$' | while read -r file; do source_of "$file"; done | (
		cd "$TOP"
		xargs -r perl "$BUILD/base/scripts/kernel-doc" -none -Werror
	)
}

# Those of the files that are shell scripts
shell_files() {
	files | (
		cd "$TOP"
		while read -r file; do
			case $(head -c 32 "$file" | head -n 1) in
			'#!/bin/sh'*) printf '%s\n' "$file" ;;
			*) case $file in *.sh) printf '%s\n' "$file" ;; esac ;;
			esac
		done
	)
}

check_shell() {
	shell_files | (cd "$TOP" && xargs -P "$(nproc)" -n 20 shellcheck)
}

# None of their lines is wider than 140 columns, a tab counting as 8.
check_columns() {
	shell_files | (
		cd "$TOP"
		# shellcheck disable=SC2016 # awk's
		xargs awk '
			{ gsub(/\t/, "        ") }
			length($0) > 140 {
				print FILENAME ":" FNR ": " length($0) " columns"
				wide = 1
			}
			END { exit wide }'
	)
}

# Of a patch only what it says and adds: the rest is the base's spelling.
check_spelling() {
	rm -rf "$BUILD/spelling"
	mkdir -p "$BUILD/spelling"
	for patch in "$TOP/$PATCHES"/*.patch; do
		[ ! -f "$patch" ] || sed '/^--- a\//,$ { /^+/!d; }' "$patch" \
			>"$BUILD/spelling/$(basename "$patch")"
	done
	# nd: NVDIMM devices are called that
	files | grep -v '^bases/.*\.patch$' | (cd "$TOP" && xargs codespell -L nd) &&
		codespell -L nd "$BUILD/spelling"
}

# The numbers of the steps that differ from BASE_REF, and the last one
changed_steps() {
	cd "$TOP"
	ref=$(git rev-parse -q --verify "${BASE_REF:-origin/main}^{commit}") || ref=
	# Without that branch, and on it, the last commit is the change.
	if [ -z "$ref" ] || [ "$ref" = "$(git rev-parse -q --verify HEAD)" ]; then
		ref=HEAD~1
	fi
	{
		git diff --name-only "$ref" -- 2>/dev/null || :
		git ls-files -o --exclude-standard
	} | sed "s,^$PATCHES/,,; s,^bases/$BASE/files/,," >"$BUILD/.changed"
	"$TOP/scripts/queue/plan.sh" >"$BUILD/.plan"
	awk '
		FILENAME == ARGV[1] { changed[$0] = 1; next }
		$1 == "patch" { step++ }
		$2 in changed { wanted[step] = 1 }
		END {
			if (step)
				print step
			for (i = 1; i < step; i++)
				if (i in wanted)
					print i
		}' "$BUILD/.changed" "$BUILD/.plan"
	rm -f "$BUILD/.changed" "$BUILD/.plan"
}

"$TOP/scripts/host/setup.sh"
# the last two are for checkpatch's look at licences
need_packages shellcheck codespell sparse python3-ply python3-git
"$TOP/scripts/queue/tree.sh"

check "shellcheck" check_shell
check "width of shell lines" check_columns
check "codespell" check_spelling
check "kernel-doc" check_kernel_doc
if "$TOP/scripts/queue/plan.sh" | grep -q '^patch '; then
	check "git am on a clean base" "$TOP/scripts/queue/series.sh"
	check "system call tables" "$TOP/scripts/check/syscalls.sh"
	check "checkpatch" check_mails
	check "entries of MAINTAINERS" check_maintainers
	check "sparse and W=1" "$TOP/scripts/check/analyse.sh"
	check "Sphinx" "$TOP/scripts/check/docs.sh"
fi

begin=$(date +%s)
count=0
steps=$(changed_steps)
for number in $steps; do
	count=$((count + 1))
	if [ "$count" -gt 1 ] && [ $(($(date +%s) - begin)) -gt "${STEP_SECONDS:-600}" ]; then
		say "time is up: step $number and later changed ones are left to make check-all"
		break
	fi
	commit=$(git -C "$tree" rev-list --reverse refs/series/base..refs/series/head | sed -n "${number}p")
	check "step $number with NUMA" "$TOP/scripts/kernel/step.sh" \
		"$commit" numa "mm/ kernel/ fs/proc/"
	check "step $number without NUMA" "$TOP/scripts/kernel/step.sh" \
		"$commit" uma "mm/ kernel/ fs/proc/" NUMA=n
done

check_summary
