# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What bash proposes for a tool: completions.bash PREFIX TOOL. Each option that the tool's help
# names has to be among it.

prefix=$1
tool=$2
PATH=$prefix/bin:$PATH
# shellcheck disable=SC1090 # of the tool that is asked for
. "$prefix/share/bash-completion/completions/$tool"
failed=0

# proposes WANTED WORD...: WANTED, words or nothing, is what follows these words
proposes() {
	local wanted=$1 word
	shift
	COMP_WORDS=("$tool" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	"_$tool" "$tool"
	for word in $wanted; do
		[[ " ${COMPREPLY[*]} " == *" $word "* ]] && continue
		echo "$tool $*: not proposed: $word"
		failed=1
	done
	if [ -z "$wanted" ] && [ ${#COMPREPLY[@]} -ne 0 ]; then
		echo "$tool $*: proposed: ${COMPREPLY[*]}"
		failed=1
	fi
}

options() {
	"$tool" "$@" --help | sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}

case $tool in
mpolctl)
	commands=$("$tool" --help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')
	[ -n "$commands" ] || failed=1
	proposes "$commands --help --version" ""
	for command in $commands; do
		[ -n "$(options "$command")" ] || failed=1
		proposes "$(options "$command")" "$command" --
	done
	proposes "--watch --weights" show --w
	proposes "$$" show "$$"
	proposes auto weights a
	proposes "" run --weights ""
	proposes bash run --weights 0=5,1=1 -- ba
	;;
bwactl)
	[ -n "$(options)" ] || failed=1
	proposes "$(options)" ""
	proposes "read write 2:1 1:1 nt-write" --mix ""
	proposes /etc/passwd --from /etc/passw
	proposes /etc --sysfs /et
	proposes "" --runtime ""
	proposes tune t
	[ -n "$(options tune)" ] || failed=1
	proposes "$(options tune)" tune --
	proposes bash tune --runs 8 -- ba
	;;
esac
exit $failed
