# SPDX-License-Identifier: GPL-2.0
# What zsh proposes for a tool: completions.zsh PREFIX TOOL. Functions of zsh's own are proposed by their names.

prefix=$1
tool=$2
path=($prefix/bin $path)

compadd() {
	[[ $1 != -- ]] || shift
	proposed_words+=("$@")
}

_call_program() {
	shift
	"$@"
}

for name in _files _pids _command_names _normal; do
	functions[$name]="proposed_words+=($name)"
done

propose() {
	words=("$tool" "$@")
	CURRENT=$#words
	proposed_words=()
	. "$prefix/share/zsh/vendor-completions/_$tool"
	((!$#proposed_words)) || print -rl -- $proposed_words
}

. "${0:h}/completions.sh"
proposes_all
case $tool in
mpolctl)
	proposes _pids show ""
	proposes _pids set ""
	proposes auto weights ""
	proposes _files restore ""
	proposes _normal run --weights 0=5,1=1 -- ba
	;;
bwactl)
	proposes _files --from ""
	proposes "" --runtime ""
	proposes "" tune --runs ""
	proposes _command_names tune --runs 8 ""
	;;
esac
exit $failed
