# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion for bash: what mpolctl's own help names.

_mpolctl_options() {
	"$@" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u
}

_mpolctl() {
	local tool=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help 2>/dev/null |
			sed -n 's/^.* mpolctl \([a-z][a-z]*\).*/\1/p') --help --version" -- "$word")
		return
	fi
	case $before in
	--weights | --larger-than) return ;;
	esac
	for ((i = 2; i < COMP_CWORD; i++)); do
		# What comes after the options of "run" is another command's.
		if [ "$command" = run ] && { [ "${COMP_WORDS[i]}" = -- ] ||
			[[ ${COMP_WORDS[i]} != -* && ! ${COMP_WORDS[i - 1]} =~ ^--(weights|larger-than)$ ]]; }; then
			if [ $((i + 1)) -eq "$COMP_CWORD" ] && [ "${COMP_WORDS[i]}" = -- ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$word")
			fi
			return
		fi
	done
	case $command:$word in
	*:-*) mapfile -t COMPREPLY < <(compgen -W "$(_mpolctl_options "$tool" "$command")" -- "$word") ;;
	run:*) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
	set:* | show:*) mapfile -t COMPREPLY < <(cd /proc && compgen -G "$word*" | grep -x '[0-9]*') ;;
	save:* | restore:*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	weights:*) mapfile -t COMPREPLY < <(compgen -W auto -- "$word") ;;
	esac
}

complete -F _mpolctl mpolctl
