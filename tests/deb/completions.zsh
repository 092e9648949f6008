# SPDX-License-Identifier: GPL-2.0
# What zsh proposes for a tool: completions.zsh PREFIX TOOL FILE. Each option that the tool's help
# names has to be among it. What zsh's own functions would do is noted down.

prefix=$1
tool=$2
file=$3
path=($prefix/bin $path)
failed=0

compadd() {
	[[ $1 != -- ]] || shift
	proposed+=("$@")
}

_call_program() {
	shift
	"$@"
}

for name in _files _pids _command_names _normal; do
	functions[$name]="proposed+=($name)"
done

# proposes WANTED WORD...: WANTED, words or nothing, is what follows these words
proposes() {
	local wanted=(${=1}) word
	shift
	words=("$tool" "$@")
	CURRENT=$#words
	proposed=()
	. "$file"
	for word in $wanted; do
		(($proposed[(Ie)$word])) && continue
		echo "$tool $*: not proposed: $word"
		failed=1
	done
	if (($#wanted == 0 && $#proposed)); then
		echo "$tool $*: proposed: $proposed"
		failed=1
	fi
}

options() {
	"$tool" "$@" --help | sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}

case $tool in
mpolctl)
	subcommands=$("$tool" --help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')
	[[ -n $subcommands ]] || failed=1
	proposes "$subcommands --help --version" ""
	for command in ${=subcommands}; do
		[[ -n $(options $command) ]] || failed=1
		proposes "$(options $command)" $command --
	done
	proposes _pids show ""
	proposes _pids set ""
	proposes auto weights ""
	proposes _files restore ""
	proposes _normal run --weights 0=5,1=1 -- ba
	;;
bwactl)
	[[ -n $(options) && -n $(options tune) ]] || failed=1
	proposes "$(options)" ""
	proposes tune ""
	proposes "read write 2:1 1:1 nt-write" --mix ""
	proposes _files --from ""
	proposes "" --runtime ""
	proposes "$(options tune)" tune --
	proposes "" tune --runs ""
	proposes _command_names tune --runs 8 ""
	;;
esac
exit $failed
