# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion for bash: what bwactl's own help names.

_bwactl() {
	local tool=$1 word=${COMP_WORDS[COMP_CWORD]}

	if [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[1]}" = tune ]; then
		case ${COMP_WORDS[COMP_CWORD - 1]}:$word in
		--number:* | --runs:* | --slow:*) COMPREPLY=() ;;
		*:-*) mapfile -t COMPREPLY < <(compgen -W "$("$tool" tune --help 2>/dev/null |
			grep -o -e '--[a-z][a-z-]*' | sort -u)" -- "$word") ;;
		*) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
		esac
		return
	fi
	case ${COMP_WORDS[COMP_CWORD - 1]} in
	--from) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	--sysfs) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	# The list of them follows the option, further in than options are.
	--mix) mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help 2>/dev/null |
		sed -n '/--mix/,/^  -/s/^    *\([a-z0-9][a-z0-9:-]*\)  .*/\1/p')" -- "$word") ;;
	--buffer | --max-weight | --runtime | --topology) COMPREPLY=() ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help 2>/dev/null |
		grep -o -e '--[a-z][a-z-]*' | sort -u) tune" -- "$word") ;;
	esac
}

complete -F _bwactl bwactl
