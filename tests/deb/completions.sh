# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# What shells propose for the tools: all that their help names. Read by bash, zsh and, for fish, sh. Who reads it has $tool and the function
# propose WORD...: what may follow the words behind $tool, a line each; the last word has been begun.

failed=0

options() {
	"$tool" "$@" --help | sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}

commands() {
	"$tool" --help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p'
}

# proposes WANTED WORD...: WANTED, lines or nothing, is what follows these words
proposes() {
	wanted=$1
	shift
	proposed=$(propose "$@")
	if [ -z "$wanted" ] && [ -n "$proposed" ]; then
		echo "$tool $*: proposed: $proposed"
		failed=1
	elif [ -n "$wanted" ] && echo "$wanted" | grep -vxF -e "$proposed"; then
		echo "$tool $*: these are not proposed"
		failed=1
	fi
}

# proposes_help WORD...: at least one option, and each
proposes_help() {
	[ -n "$(options "$@")" ] || failed=1
	proposes "$(options "$@")" "$@" --
}

proposes_all() {
	case $tool in
	mpolctl)
		[ -n "$(commands)" ] || failed=1
		proposes "$(commands; echo --help; echo --version)" ""
		while read -r command; do
			proposes_help "$command"
		done <<-END
			$(commands)
		END
		;;
	bwactl)
		proposes_help
		proposes tune t
		proposes_help tune
		proposes "$(printf '%s\n' read write 2:1 1:1 nt-write)" --mix ""
		;;
	esac
}
