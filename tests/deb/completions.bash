# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What bash proposes for a tool: completions.bash PREFIX TOOL.

prefix=$1
tool=$2
PATH=$prefix/bin:$PATH
# shellcheck disable=SC1090 # of the tool that is asked for
. "$prefix/share/bash-completion/completions/$tool"

propose() {
	COMP_WORDS=("$tool" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	"_$tool" "$tool"
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}

. "${0%/*}/completions.sh"
proposes_all
case $tool in
mpolctl)
	proposes "$$" show "$$"
	proposes auto weights a
	proposes "" run --weights ""
	proposes bash run --weights 0=5,1=1 -- ba
	;;
bwactl)
	proposes /etc/passwd --from /etc/passw
	proposes /etc --sysfs /et
	proposes "" --runtime ""
	proposes "" tune --runs ""
	proposes bash tune --runs 8 -- ba
	;;
esac
exit $failed
