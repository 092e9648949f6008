#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests what mpolctl does on any kernel. Prints TAP.
# Usage: mpolctl.sh [MPOLCTL]

tests=$(dirname "$0")
mpolctl=${1:-$tests/../../tools/mm/placement/mpolctl}
if [ ! -x "$mpolctl" ]; then
	echo "Bail out! no $mpolctl: run make -C tools/mm/placement, or name the program"
	exit 1
fi

program=mpolctl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
weights=$work/weights
filter=
. "$tests/../../scripts/lib/tap.sh"

# Runs mpolctl, under $filter when there is one; leaves $status and the files out and err
run() {
	status=0
	$filter "$mpolctl" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# prints TEXT ARGUMENT...: success, and just this text
prints() {
	text=$1
	shift
	run "$@"
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ] && [ "$(cat "$work/out")" = "$text" ]
	result $? "mpolctl $* prints what it should"
}

# says TEXT ARGUMENT...: success, and a line that contains this text
says() {
	text=$1
	shift
	run "$@"
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ] && grep -qF -- "$text" "$work/out"
	result $? "mpolctl $*: \"$text\""
}

reset_weights() {
	rm -rf "$weights"
	mkdir "$weights"
	echo 5 >"$weights/node0"
	echo 1 >"$weights/node1"
	echo junk >"$weights/nodes"
}

# The first lines of the weight files, or none where a file is missing
weights_are() {
	have=$(for file in "$weights/node0" "$weights/node1"; do
		head -n 1 "$file"
	done | tr '\n' ' ')
	[ "$have" = "$1 " ]
}

# bad_weights MESSAGE ARGUMENT...: refused, and nothing is written
bad_weights() {
	message=$1
	shift
	reset_weights
	refused 2 "$message" weights --dir "$weights" "$@"
	weights_are "5 1"
	result $? "mpolctl weights $* wrote nothing"
}

test_general() {
	says 'Usage: mpolctl run' --help
	says 'Exit status: 0 done' --help
	prints 'mpolctl 1.0' --version
	says 'Usage: mpolctl run' -h
	prints 'mpolctl 1.0' -V
	for command in run set show weights save restore doctor; do
		says "Usage: mpolctl $command" "$command" --help
		says "Usage: mpolctl $command" "$command" -h
	done
	refused 2 'no subcommand'
	refused 2 "'dance' is not a subcommand" dance
	refused 2 "'' is not a subcommand" ''
	refused 2 "'--json' is not a subcommand" --json

	status=0
	"$mpolctl" --help >/dev/full 2>"$work/err" || status=$?
	: >"$work/out"
	[ "$status" -eq 1 ] && grep -q 'cannot write the output' "$work/err"
	result $? 'a full disk is an error'
}

test_bad_lists() {
	for list in '' ' ' ',' 0 0= =5 '0=5,' ',0=5' '0=5,,1=1' '0=5 1=1' '0=5, 1=1' ' 0=5' 0=5x \
		0x1=5 0=0x5 0=-5 0=+5 0:5 0==5 0=5=1 a=5 0=5.0 0=5/1; do
		refused 125 'is not a list of weights' run --weights "$list" -- true
		refused 2 'is not a list of weights' show --weights "$list" --file /dev/null
		bad_weights 'is not a list of weights' "$list"
	done
	for weight in 0 00 05 256 257 511 65537 4294967297 18446744073709551617; do
		refused 125 "'$weight' is not a weight for node 1" \
			run --weights "0=5,1=$weight" -- true
		bad_weights "'$weight' is not a weight for node 1" 0=9 "1=$weight"
	done
	for node in 1024 00 01 4294967296 18446744073709551616; do
		refused 125 "'$node' is not a node" run --weights "$node=5" -- true
		bad_weights "'$node' is not a node" 0=9 "$node=5"
	done
	refused 125 'node 0 has two weights' run --weights 0=5,1=1,0=5 -- true
	refused 125 'node 1 has two weights' run --weights 1=5 --weights 0=1,1=5 -- true
	refused 2 'node 0 has two weights' show --weights 0=5,0=5 --file /dev/null
	bad_weights 'node 0 has two weights' 0=9 0=9
	bad_weights 'node 0 has two weights' 0=9,1=1,0=8
}

test_run_options() {
	refused 125 'no weights: add --weights' run
	refused 125 'no weights: add --weights' run -- true
	refused 125 'no command' run --weights 0=5
	refused 125 'no command' run --weights 0=5 --
	refused 125 '--static and --relative exclude each other' \
		run --static --relative --weights 0=5 true
	refused 125 "option '--dynamic'" run --dynamic --weights 0=5 true
	refused 125 "option '--weights' needs a value" run --weights
	refused 125 "option '-w' needs a value" run -w
	refused 125 "option '-x'" run -x
	refused 125 "option '--larger-than' needs a value" run --larger-than
	for size in '' 64 0M M 64m 64MB -64M 1048577M ' 64M' 6.4G; do
		refused 125 "--larger-than: '$size' is not a size: write it like 64M or 1G" \
			run --larger-than "$size" --weights 0=5 -- true
	done
	for size in 31M 32767K 1K; do
		refused 125 "--larger-than: $size is less than 32M" \
			run --larger-than "$size" --weights 0=5 -- true
	done
	refused 125 'no weights: add --weights' run --larger-than 64M -- true
	if [ -r /sys/devices/system/node/has_memory ]; then
		refused 125 'node 1023 has no memory: use nodes out of' \
			run --weights 1023=5 true
		refused 125 'node 1023 has no memory: use nodes out of' \
			run --static --weights 1023=5 true
	else
		skip 'a node without memory is refused' 'this kernel has no nodes'
		skip 'a node without memory is refused with --static' 'this kernel has no nodes'
	fi
}

test_set_options() {
	refused 2 'no weights: add --weights, as in --weights 0=5,1=1, or --default' set
	refused 2 'no weights: add --weights' set $$
	refused 2 'no PID: give one PID behind the options' set --weights 0=5
	refused 2 'no PID' set --default
	refused 2 'more than one argument' set --weights 0=5 $$ $$
	for pid in '' 0 -1 01 a 1.5 2147483648 4294967297; do
		refused 2 "'$pid' is not a PID" set --weights 0=5 -- "$pid"
	done
	refused 2 '--static and --relative exclude each other' \
		set --static --relative --weights 0=5 $$
	for option in --weights=0=5 --static --relative --move; do
		refused 2 '--default goes with --tree alone' set --default "$option" $$
	done
	refused 2 "option '--dynamic'" set --dynamic --weights 0=5 $$
	refused 2 "option '--weights' needs a value" set --weights
	refused 2 "'0=5,' is not a list of weights" set --weights=0=5, $$
	refused 2 "'256' is not a weight for node 0" set --weights=0=256 $$
}

# With its own shell for a process; --default is what that has
test_set() {
	run set --default $$
	if [ "$status" -eq 3 ]; then
		refused 3 'process_set_mempolicy2 is not available here; this kernel lacks it' \
			set --weights 0=5 $$
		skip 'a process has the policy' 'this kernel has no process_set_mempolicy2'
		return
	fi
	if grep -q ptrace_scope "$work/err"; then
		skip 'a process has the policy' 'kernel.yama.ptrace_scope is not 0'
	else
		[ "$status" -eq 0 ] && [ "$(cat "$work/out")" = $$ ]
		result $? 'a process has the policy'
	fi
	refused 1 'there is no process 2147483647' set --default 2147483647
}

# Where the kernel has no such call it seems to succeed, so that all but the
# policy can be tested.
test_run() {
	list=$first_node=3
	run run --weights "$list" -- cat /proc/self/numa_maps
	if [ "$status" -eq 0 ]; then
		grep -q " weighted interleave:$first_node " "$work/out"
		result $? 'a command has the policy'
		run run --static --weights "$list" -- cat /proc/self/numa_maps
		grep -q " weighted interleave=static:$first_node " "$work/out"
		result $? 'a command has the policy, with --static'
		run run --relative --weights 0=3 -- cat /proc/self/numa_maps
		grep -q ' weighted interleave=relative:[0-9]' "$work/out"
		result $? 'a command has the policy, with --relative'
	else
		refused 125 'set_mempolicy2 is not available here; this kernel lacks it' \
			run --weights "$list" -- true
		skip 'a command has the policy' 'this kernel has no set_mempolicy2'
		skip 'a command has the policy, with --static' 'this kernel has no set_mempolicy2'
		skip 'a command has the policy, with --relative' 'this kernel has no set_mempolicy2'
	fi

	if ! filtered 0; then
		skip 'commands are run' "$why"
		return
	fi
	run run --weights "$list" -- sh -c 'exit 42'
	[ "$status" -eq 42 ]
	result $? 'the status of a command is that of mpolctl run'
	prints '--help -- x' run --weights "$list" printf '%s %s %s' --help -- x
	prints '--weights' run --weights "$list" echo --weights
	: >"$work/script"
	refused 126 "cannot run '$work/script'" run --weights "$list" "$work/script"
	refused 127 "cannot run '$work/missing'" run --weights "$list" "$work/missing"
	refused 127 "cannot run ''" run --weights "$list" ''
	filter=
}

# filtered ERRNO: from now on set_mempolicy2 fails with that; else says $why not
filtered() {
	why='there is no compiler'
	command -v "${CC:-gcc}" >/dev/null || return 1
	why='this machine allows no seccomp filter'
	"${CC:-gcc}" -I"$tests/../../tools/mm/placement" -o "$work/seccomp-errno" \
		"$tests/seccomp-errno.c" || return 1
	"$work/seccomp-errno" "$1" true || return 1
	filter="$work/seccomp-errno $1"
}

test_filters() {
	if ! filtered 1; then
		skip 'a filter that forbids the call' "$why"
		return
	fi
	refused 125 'a filter of system calls, as containers have, forbids it' \
		run --weights "$first_node=3" -- true
	filtered 38
	refused 125 'this kernel lacks it, or a filter hides it' \
		run --weights "$first_node=3" -- true
	filter=
}

test_weights() {
	reset_weights
	prints 'NODE  WEIGHT   SHARE
   0       5   83.3%  #################...
   1       1   16.7%  ###.................' weights --dir "$weights"
	prints '{"auto":null,"weights":[{"node":0,"weight":5},{"node":1,"weight":1}]}' \
		weights --json --dir "$weights"

	run weights --dir "$weights" 0=9 1=2
	[ "$status" -eq 0 ] && [ ! -s "$work/out" ] && [ ! -s "$work/err" ] && weights_are "9 2"
	result $? 'mpolctl weights 0=9 1=2 writes both'
	run weights --dir "$weights" 1=255
	[ "$status" -eq 0 ] && weights_are "9 255"
	result $? 'mpolctl weights 1=255 leaves node 0 alone'
	run weights --dir "$weights" 1=7,0=3
	[ "$status" -eq 0 ] && weights_are "3 7"
	result $? 'mpolctl weights 1=7,0=3 writes both'

	bad_weights 'node 2 has no weight in' 0=9 2=1
	grep -q 'nodes with one are 0-1$' "$work/err"
	result $? 'the nodes that have a weight are named'
	bad_weights "'999' is not a weight for node 1" 0=9 1=999
	bad_weights "'auto' is not a list" 0=9 auto
	bad_weights "'auto' stands alone" auto 0=9
	bad_weights '--json is for showing' --json 0=9
	bad_weights "option '--frob'" --frob
	bad_weights "option '-1'" 0=9 -1=5
	bad_weights "option '--json=x'" --json=x
	refused 2 "option '--dir' needs a value" weights --dir
	refused 3 'this kernel has no weighted interleaving' weights --dir "$work/missing"
	refused 3 'this kernel has no weighted interleaving' weights --dir "$work/missing" 0=1
	mkdir "$work/empty"
	refused 1 "there is no file of a node in $work/empty" weights --dir "$work/empty"

	reset_weights
	echo 300 >"$weights/node1"
	refused 1 'cannot read the weights' weights --dir "$weights"
}

test_auto() {
	reset_weights
	refused 3 'by which a kernel derives weights: set them' weights --dir "$weights" auto
	[ ! -e "$weights/auto" ]
	result $? 'mpolctl weights auto creates no file'

	echo false >"$weights/auto"
	says 'auto: false' weights --dir "$weights"
	run weights --dir "$weights" auto
	[ "$status" -eq 0 ] && [ "$(head -n 1 "$weights/auto")" = true ] && weights_are "5 1"
	result $? 'mpolctl weights auto writes true to the file'
	says '{"auto":true,' weights --json --dir "$weights"
}

# A file that holds 1, and takes nothing but 0 and 1
find_switch() {
	for file in /proc/sys/fs/protected_symlinks /proc/sys/fs/protected_hardlinks \
		/proc/sys/kernel/timer_migration /proc/sys/kernel/watchdog; do
		if [ -w "$file" ] && [ "$(cat "$file")" = 1 ]; then
			echo "$file"
			return 0
		fi
	done
	return 1
}

# Files of /proc that cannot be written stand for a kernel that refuses.
test_refusing_kernel() {
	reset_weights
	what='when a file cannot be opened no weight is written'
	file=/proc/sys/kernel/cap_last_cap
	if [ -r "$file" ]; then
		ln -sf "$file" "$weights/node1"
		run weights --dir "$weights" 0=9 1=1
		[ "$status" -eq 1 ] && grep -qF "$weights/node1" "$work/err" &&
			[ "$(cat "$weights/node0")" = 5 ]
		result $? "$what"
	else
		skip "$what" "there is no $file"
	fi

	reset_weights
	if [ "$(id -u)" -ne 0 ] || ! switch=$(find_switch); then
		skip 'when a write fails the weights written before are restored' \
			'needs root and a switch of /proc/sys that is on'
		skip 'where weights were derived, deriving them restores them' \
			'needs root and a switch of /proc/sys that is on'
		return
	fi
	ln -sf "$switch" "$weights/node1"
	run weights --dir "$weights" 0=9 1=8
	[ "$status" -eq 1 ] && grep -qF "cannot write $weights/node1" "$work/err" &&
		[ "$(cat "$weights/node0")" = 5 ] && [ "$(cat "$switch")" = 1 ]
	result $? 'when a write fails the weights written before are restored'
	echo true >"$weights/auto"
	run weights --dir "$weights" 0=9 1=8
	[ "$status" -eq 1 ] && [ "$(cat "$weights/auto")" = true ] &&
		[ "$(cat "$weights/node0")" = 9 ] && [ "$(cat "$switch")" = 1 ]
	result $? 'where weights were derived, deriving them restores them'
}

write_maps() {
	cat >"$work/maps" <<-'EOF'
		55d0c0a00000 default file=/usr/bin/a\040b mapped=3 N0=3 kernelpagesize_kB=4
		55d0c1a00000 default heap
		7f0000000000 weighted interleave:0-1 anon=60 dirty=60 active=0 N0=50 N1=10 kernelpagesize_kB=4
		7f1000000000 weighted interleave=static:0-1 file=/dev/hugepages/x huge anon=4 dirty=4 N0=1 N1=3 kernelpagesize_kB=2048
		7f2000000000 interleave:0,2 anon=3 dirty=3 N0=1 N2=2 kernelpagesize_kB=4
		7f3000000000 prefer (many):0-1 anon=1 dirty=1 N7=1 kernelpagesize_kB=4
		7f4000000000 weighted interleave:0-2 anon=2 dirty=2 N1=2 kernelpagesize_kB=4
	EOF
}

test_show_table() {
	write_maps
	prints 'ADDRESS       POLICY                        PAGE  NODE       PAGES   SHARE  EXPECTED                         MAPPING
55d0c0a00000  default                         4K     0           3  100.0%         -  ####################   file=/usr/bin/a\040b
55d0c1a00000  default                          -     -           0       -         -                         heap
7f0000000000  weighted interleave:0-1         4K     0          50   83.3%     83.3%  #################|..
                                                     1          10   16.7%     16.7%  ###|................
7f1000000000  weighted interleave=static:0-1     2048K     0           1   25.0%     83.3%  #####............|..   file=/dev/hugepages/x
                                                     1           3   75.0%     16.7%  ###|###########.....
7f2000000000  interleave:0,2                  4K     0           1   33.3%     50.0%  #######...|.........
                                                     2           2   66.7%     50.0%  ##########|##.......
7f3000000000  prefer (many):0-1               4K     0           0    0.0%         -  ....................
                                                     1           0    0.0%         -  ....................
                                                     7           1  100.0%         -  ####################
7f4000000000  weighted interleave:0-2         4K     0           0    0.0%         ?  ....................
                                                     1           2  100.0%         ?  ####################
                                                     2           0    0.0%         ?  ....................
all                                           1K     0        2264   26.7%         -  #####...............
                                                     1        6192   73.1%         -  ###############.....
                                                     2           8    0.1%         -  ....................
                                                     7           4    0.0%         -  ....................

EXPECTED of weighted interleave is from --weights.' show --weights 0=5,1=1 --file "$work/maps"

	reset_weights
	says '16.7%     16.7%' show --dir "$weights" --file "$work/maps"
	says 'else from the global weights' show --dir "$weights" --file "$work/maps"
	says '50.0%' show --weights 0=7,1=7 --dir "$weights" --file "$work/maps"
	says '16.7%         ?' show --file "$work/maps"
	says 'else unknown (?): give the ratio' show --file "$work/maps"
	sed 's/^7f0.*/& weights=0:2,1:3/' "$work/maps" >"$work/own"
	says '83.3%     40.0%' show --file "$work/own"
	says '83.3%     40.0%' show --dir "$weights" --file "$work/own"
	says '25.0%     83.3%' show --dir "$weights" --file "$work/own"
	says '83.3%     50.0%' show --weights 0=7,1=7 --dir "$weights" --file "$work/own"

	echo '1000 default N0=1 kernelpagesize_kB=4' >"$work/maps"
	run show --file "$work/maps"
	[ "$status" -eq 0 ] && ! grep -q EXPECTED\ of "$work/out"
	result $? 'without weighted interleave there is no word about it'
}

test_show_json() {
	cat >"$work/maps" <<-'EOF'
		1000 default file=/tmp/a"b\040\\c mapped=1 N0=1 kernelpagesize_kB=4
		2000 weighted interleave:0-1 anon=4 N0=3 N1=1 kernelpagesize_kB=2048
		3000 bind:1 stack
	EOF
	json='{"pid":null,"expected_from":"option","mappings":['
	json=$json'{"address":"1000","policy":"default","policy_cut":false,"mapping":"file=/tmp/a\"b\\040\\\\c",'
	json=$json'"page_kB":4,"pages":1,"nodes":[{"node":0,"pages":1,"share":1.000000,"expected":null}]},'
	json=$json'{"address":"2000","policy":"weighted interleave:0-1","policy_cut":false,"mapping":"","page_kB":2048,"pages":4,'
	json=$json'"nodes":[{"node":0,"pages":3,"share":0.750000,"expected":0.800000},'
	json=$json'{"node":1,"pages":1,"share":0.250000,"expected":0.200000}]},'
	json=$json'{"address":"3000","policy":"bind:1","policy_cut":false,"mapping":"stack","page_kB":null,"pages":0,'
	json=$json'"nodes":[{"node":1,"pages":0,"share":0.000000,"expected":null}]}],'
	json=$json'"nodes":[{"node":0,"kB":6148},{"node":1,"kB":2048}],"whole":true}'
	prints "$json" show --json --weights 0=4,1=1 --file "$work/maps"
	says '"expected_from":null' show --json --file "$work/maps"
	reset_weights
	says '"expected_from":"global"' show --json --dir "$weights" --file "$work/maps"

	printf '1000 default file=/tmp/\033[2J\303\251 mapped=1 N0=1 kernelpagesize_kB=4\n' \
		>"$work/maps"
	says "file=/tmp/\\033[2J$(printf '\303\251')" show --file "$work/maps"
	says "\"file=/tmp/\\\\033[2J$(printf '\303\251')\"" show --json --file "$work/maps"
	# A control, a change of direction, a name cut off, too long a form, a surrogate, beyond Unicode
	for hidden in '\302\233' '\342\200\256' '\303' '\300\257' '\355\240\200' '\364\220\200\200' '\251'; do
		printf "1000 default file=/tmp/%b mapped=1 N0=1 kernelpagesize_kB=4\n" "$(echo "$hidden" | sed 's/\\/\\0/g')" \
			>"$work/maps"
		says "file=/tmp/$hidden" show --file "$work/maps"
	done
	says '"file=/tmp/\\251"' show --json --file "$work/maps"
	printf '1000 default file=/tmp/\344\270\255\360\237\220\247 mapped=1 N0=1 kernelpagesize_kB=4\n' >"$work/maps"
	says "file=/tmp/$(printf '\344\270\255\360\237\220\247')" show --file "$work/maps"
}

# Old kernels tell no size of pages, and no kernel that of a mapping without any.
test_show_page_sizes() {
	cat >"$work/maps" <<-'EOF'
		00400000 default file=/usr/bin/prog mapped=7 N0=5 N1=2
		7f0000000000 bind:0 huge dirty=2 N0=2 kernelpagesize_kB=1048576
		7f0010000000 bind:0 stack
	EOF
	prints 'ADDRESS       POLICY                        PAGE  NODE       PAGES   SHARE  EXPECTED                         MAPPING
00400000      default                          -     0           5   71.4%         -  ##############......   file=/usr/bin/prog
                                                     1           2   28.6%         -  ######..............
7f0000000000  bind:0                    1048576K     0           2  100.0%         -  ####################
7f0010000000  bind:0                           -     -           0       -         -                         stack
all                                           1K     0     2097152  100.0%         -  ####################   but those of unknown size' \
		show --file "$work/maps"
	says '"page_kB":null,"pages":7' show --json --file "$work/maps"
	says '"page_kB":1048576,"pages":2' show --json --file "$work/maps"
	says '"page_kB":null,"pages":0' show --json --file "$work/maps"
}

# cut_maps POLICY [WORD]: an interleaved mapping with a page on node 38, and another one
cut_maps() {
	printf '%s\n' "1000 $1 anon=2 N0=1 N38=1 kernelpagesize_kB=4${2:+ $2}" \
		'2000 default N0=1 kernelpagesize_kB=4' >"$work/maps"
}

# shows NODES CUT EXPECTED NAME: of the first mapping
shows() {
	run show --json --file "$work/maps"
	line=$(sed 's/.*"address":"1000"//; s/"address":"2000".*//' "$work/out")
	nodes=$(printf '%s\n' "$line" | grep -o '"node":[0-9]*' | sed 's/.*://' | tr '\n' ' ')
	[ "$status" -eq 0 ] && [ "$nodes" = "$1 " ] && grep -q '"address":"2000"' "$work/out" &&
		case $line in *"\"policy_cut\":$2,"*"\"expected\":$3"*) true ;; *) false ;; esac
	result $? "$4"
}

# Kernels without the series have room for 63 characters of a policy.
test_show_cut_policies() {
	even=0,2,4,6,8,10,12,14,16,18,20,22,24,26,28
	known=$(echo "$even" | tr , ' ')
	weighted="weighted interleave:$even"
	cut_maps "$weighted,30,"
	shows "$known 30 38" true null 'a list that is cut behind a comma'
	cut_maps "interleave=static:$even,30,3"
	shows "$known 30 38" true null 'a list that is cut within a number, whatever its length'
	cut_maps "weighted interleave:24,28,3"
	shows '0 24 28 38' true null 'a list that ends in a number that cannot be the next'
	cut_maps "interleave=relative:$even,100"
	shows "$known 38" true null 'a number at the end of 63 characters may be a part of one'
	cut_maps "interleave=static:$even,30-35"
	shows "$known 30 38" true null 'so may the end of a range'
	cut_maps "$weighted,30"
	shows "$known 30 38" false null 'a list of 62 characters is whole'
	cut_maps "$weighted,30," weights=0:1,38:1
	shows '0 38' false 0.500000 'own weights tell the nodes of a list that is cut'
	cut_maps "$weighted,30,"
	says '30,...' show --weights 0=1 --file "$work/maps"
	says 'has more nodes than the kernel shows' show --file "$work/maps"
	says '50.0%         ?' show --weights 0=1 --file "$work/maps"
}

# bad_maps TEXT: the second line of the file is wrong, and no table is begun
bad_maps() {
	printf '1000 default\n%s\n' "$1" >"$work/maps"
	refused 1 'line 2 is not one of numa_maps' show --file "$work/maps"
	refused 1 'line 2 is not one of numa_maps' show --json --file "$work/maps"
}

test_show_bad_files() {
	bad_maps ''
	bad_maps 'hello world'
	bad_maps '1000'
	bad_maps '1000 '
	bad_maps '1000 interleave:'
	bad_maps '1000 interleave:1-0'
	bad_maps '1000 interleave:0-1024'
	bad_maps '1000 interleave:0-'
	bad_maps '1000 weighted interleave:0,'
	bad_maps '1000 default N0='
	bad_maps '1000 default N0=-1'
	bad_maps '1000 default N1024=1'
	bad_maps '1000 default N0=99999999999999999999'
	bad_maps '1000 default N0=1 kernelpagesize_kB=x'
	for list in '' 0 0: :1 0:0 0:256 '0:1,' 0:1,1 1024:1 0:-1; do
		bad_maps "1000 weighted interleave:0-1 N0=1 weights=$list"
	done
	: >"$work/maps"
	refused 1 'is empty: it is no copy of numa_maps' show --file "$work/maps"
	refused 1 "cannot read $work/missing" show --file "$work/missing"
	refused 1 "cannot read $work" show --file "$work"
}

test_show_options() {
	refused 2 'no PID' show
	refused 2 'no PID' show --json
	refused 2 'more than one argument' show 1 2
	refused 2 'exclude each other' show --file "$work/maps" 1
	refused 2 '--watch needs a process' show --watch --file "$work/maps"
	for pid in '' 0 -1 +1 01 1x ' 1' self 2147483648 99999999999999999999; do
		refused 2 "'$pid' is not a PID" show -- "$pid"
	done
	for seconds in '' 0 -1 x 1.5 01 86401 99999999999999999999; do
		refused 2 "'$seconds' is not an interval" show "--watch=$seconds" 1
	done
	refused 2 "option '--wet'" show --wet
	refused 2 "option '-x'" show -x 1
	refused 1 "cannot read the weights in $work/missing" show --dir "$work/missing" $$
	refused 1 'there is no process 2147483647' show 2147483647
}

test_show_process() {
	if [ ! -e /proc/self/numa_maps ]; then
		refused 3 'this kernel is built without NUMA' show $$
		for what in 'a process' 'JSON' 'watching'; do
			skip "$what" 'this kernel has no numa_maps'
		done
		return
	fi
	says "Process $$" show $$
	says "{\"pid\":$$," show --json $$

	sleep 3 &
	run show --json --watch=1 $!
	[ "$status" -eq 0 ] && [ "$(grep -c '^{"pid":.*}$' "$work/out")" -ge 2 ]
	result $? '--watch shows a process again until it has ended'
}

# What show --json has of the processes in $sleepers on all nodes, KiB
sums_of_processes() {
	for process in $sleepers; do
		run show --json "$process"
		sed 's/.*"nodes":\[\([^]]*\)\],"whole".*/\1/' "$work/out" | grep -o '"kB":[0-9]*'
	done | awk -F : '{ sum += $2 } END { print sum + 0 }'
}

test_show_summary() {
	refused 2 '--summary goes with --json and --watch alone' show --summary name 1
	refused 2 '--summary goes with --json and --watch alone' show --summary name --file "$work/maps"
	refused 2 '--summary goes with --json and --watch alone' show --summary name --dir "$weights"
	refused 2 '--summary goes with --json and --watch alone' show --summary name --weights 0=1
	refused 2 "'' is no name" show --summary ''
	refused 2 "option '--summary'" show --summary
	if [ ! -e /proc/self/numa_maps ]; then
		refused 3 'this kernel is built without NUMA' show --summary name
		return
	fi
	refused 1 'no process with memory is called no process at all' show --summary 'no process at all'

	# Processes of their own name, of more characters than the kernel keeps, and one with less
	cp "$(command -v sleep)" "$work/sleeps-for-long-$$"
	cp "$(command -v sleep)" "$work/sleeps-for-lon"
	sleepers=
	for process in 1 2; do
		"$work/sleeps-for-long-$$" 120 &
		sleepers="$sleepers $!"
	done
	"$work/sleeps-for-lon" 120 &
	other=$!
	for process in $sleepers $other; do
		until grep -q sleeps-for "/proc/$process/comm"; do
			sleep 0.1
		done
	done
	sum=$(sums_of_processes)
	run show --json --summary "sleeps-for-long-$$"
	grep -o '"pid":[0-9]*' "$work/out" | cut -d : -f 2 | sort >"$work/pids"
	# shellcheck disable=SC2086 # these are numbers
	printf '%s\n' $sleepers | sort | cmp -s - "$work/pids" && [ "$status" -eq 0 ]
	result $? 'the processes of a name are in its summary, and no others'
	sed 's/.*\],"nodes"://' "$work/out" | grep -o '"kB":[0-9]*' |
		awk -F : -v sum="$sum" '{ have += $2 } END { exit have != sum || !sum }' && grep -q '"whole":true}$' "$work/out"
	result $? 'the whole of it is the sum of what each process has'
	run show --summary sleeps-for-lon
	[ "$status" -eq 0 ] && [ "$(grep -c . "$work/out")" -eq 3 ] && grep -q "^$other " "$work/out" && grep -q '^all ' "$work/out"
	result $? 'a shorter name is another one; a process and all'
	says 'What several of them share is counted for each.' show --summary "sleeps-for-long-$$"
	# shellcheck disable=SC2086 # these are numbers
	kill $sleepers
	(sleep 2 && kill $other) &
	run show --json --watch=1 --summary sleeps-for-lon
	[ "$status" -eq 0 ] && [ "$(grep -c '^{"name":"sleeps-for-lon",' "$work/out")" -ge 2 ]
	result $? '--watch shows a summary again until all of them have ended'
}

# A tree with the files of a kernel: two nodes, one of which is slow
root=$work/root
sysfs_weights=/sys/kernel/mm/mempolicy/weighted_interleave

# put FILE VALUE
put() {
	mkdir -p "$(dirname "$root$1")"
	echo "$2" >"$root$1"
}

reset_root() {
	rm -rf "$root"
	put /sys/kernel/mm/tiering/node0/abstract_distance 576
	put /sys/kernel/mm/tiering/node1/abstract_distance 2880
	put /sys/kernel/mm/numa/demotion_enabled true
	put /proc/sys/kernel/numa_balancing 2
	put /proc/sys/kernel/numa_balancing_rate_limit_mbps 2000
	put /proc/sys/kernel/numa_balancing_promote_rate_limit_MBps 2000
	put /proc/sys/kernel/numa_balancing_hot_threshold_ms 1000
	put /sys/kernel/migration/auto_migrate_enable 1
	put /sys/kernel/migration/auto_migrate_interval 60
	put /sys/kernel/migration/auto_migrate_lazy 0
	put /sys/kernel/migration/migrate_max_mapcount 1
	put $sysfs_weights/mix 40
	put $sysfs_weights/node0 9
	put $sysfs_weights/node1 2
	put $sysfs_weights/auto false
}

# All files of the tree with what is in them
tree() {
	(cd "$root" && grep -r . . | sort)
}

test_save() {
	reset_root
	what='all settings are saved, in the order in which they can be set'
	run save --root "$root"
	grep -v '^#' "$work/out" >"$work/settings"
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ] && cmp -s "$work/settings" - <<-EOF
		/sys/kernel/mm/tiering/node0/abstract_distance = 576
		/sys/kernel/mm/tiering/node1/abstract_distance = 2880
		/sys/kernel/mm/numa/demotion_enabled = true
		kernel.numa_balancing_rate_limit_mbps = 2000
		kernel.numa_balancing_hot_threshold_ms = 1000
		kernel.numa_balancing = 2
		/sys/kernel/migration/auto_migrate_interval = 60
		/sys/kernel/migration/auto_migrate_lazy = 0
		/sys/kernel/migration/migrate_max_mapcount = 1
		/sys/kernel/migration/auto_migrate_enable = 1
		$sysfs_weights/mix = 40
		$sysfs_weights/node0 = 9
		$sysfs_weights/node1 = 2
		$sysfs_weights/auto = false
	EOF
	result $? "$what"

	echo true >"$root$sysfs_weights/auto"
	run save --root "$root"
	[ "$status" -eq 0 ] && ! grep -q "^$sysfs_weights/node" "$work/out" &&
		grep -qx "# $sysfs_weights/node0 = 9, derived" "$work/out" &&
		grep -qx "$sysfs_weights/auto = true" "$work/out"
	result $? 'weights that the kernel derives are told, not set'

	rm "$root/proc/sys/kernel/numa_balancing_rate_limit_mbps"
	says 'kernel.numa_balancing_promote_rate_limit_MBps = 2000' save --root "$root"

	cp "$work/out" "$work/wanted"
	echo old >"$work/file"
	ln -sf file "$work/link"
	run save --root "$root" "$work/link"
	[ "$status" -eq 0 ] && [ ! -s "$work/out" ] && [ -h "$work/link" ] &&
		cmp -s "$work/wanted" "$work/file"
	result $? 'a file is written where a link leads to'
	says "$sysfs_weights/auto = true" save --root "$root" /dev/stdout
	[ "$(find "$work" -name 'file.*' -o -name 'link.*')" = '' ]
	result $? 'nothing is left beside it'

	echo 4 >"$root/proc/sys/kernel/numa_balancing"
	echo old >"$work/file"
	refused 1 'kernel.numa_balancing has a value that is not known here' \
		save --root "$root" "$work/file"
	[ "$(cat "$work/file")" = old ] && [ "$(find "$work" -name 'file.*')" = '' ]
	result $? 'a file stays as it was when there is something that cannot be saved'
	refused 1 "cannot write beside $work/missing/file" save --root "$root" "$work/missing/file"
	rm -r "$root"
	refused 3 'this kernel has no settings of placement' save --root "$root" "$work/file"
	refused 2 "one file, not 'b' as well" save a b
	refused 2 "option '--wet'" save --wet
}

# bad_settings MESSAGE LINE...: refused, and nothing is set
bad_settings() {
	message=$1
	shift
	reset_root
	tree >"$work/before"
	printf '%s\n' 'kernel.numa_balancing_hot_threshold_ms = 9' "$@" >"$work/file"
	refused 2 "$message" restore --root "$root" "$work/file"
	tree | cmp -s "$work/before" -
	result $? "of $* nothing is set"
}

test_restore() {
	reset_root
	tree >"$work/before"
	"$mpolctl" save --root "$root" "$work/file"
	prints '' restore --root "$root" "$work/file"

	echo 0 >"$root/proc/sys/kernel/numa_balancing"
	echo false >"$root/sys/kernel/mm/numa/demotion_enabled"
	echo 576 >"$root/sys/kernel/mm/tiering/node1/abstract_distance"
	echo 67 >"$root$sysfs_weights/mix"
	echo 1 >"$root$sysfs_weights/node0"
	echo true >"$root$sysfs_weights/auto"
	prints "/sys/kernel/mm/tiering/node1/abstract_distance = 2880, was 576
/sys/kernel/mm/numa/demotion_enabled = true, was false
kernel.numa_balancing = 2, was 0
$sysfs_weights/mix = 40, was 67
$sysfs_weights/node0 = 9, was 1
$sysfs_weights/auto = false, was true" restore --root "$root" "$work/file"
	tree | cmp -s "$work/before" -
	result $? 'what was saved is set again'

	printf '\n  # a comment\n\t kernel.numa_balancing=1\t\r\n%s' \
		'/sys/kernel/mm/numa/demotion_enabled =  0' >"$work/file"
	"$mpolctl" restore --root "$root" <"$work/file" >"$work/out" 2>"$work/err" &&
		[ ! -s "$work/err" ] &&
		[ "$(cat "$root/proc/sys/kernel/numa_balancing")" = 1 ] &&
		[ "$(cat "$root/sys/kernel/mm/numa/demotion_enabled")" = false ]
	result $? 'comments, blanks and ends of lines do not matter, nor a file or a pipe'
}

test_restore_what_is_there() {
	reset_root
	"$mpolctl" save --root "$root" "$work/file"
	rm -r "$root/sys/kernel/mm/tiering/node1" "$root$sysfs_weights/node1"
	echo 1 >"$root$sysfs_weights/node0"
	run restore --root "$root" "$work/file"
	[ "$status" -eq 0 ] && [ "$(cat "$root$sysfs_weights/node0")" = 9 ] &&
		[ "$(grep -c 'is left out: node 1 is not there' "$work/err")" -eq 2 ] &&
		[ "$(wc -l <"$work/err")" -eq 2 ] && [ ! -e "$root$sysfs_weights/node1" ]
	result $? 'what is of a node that is not there is left out, and said'
	rm "$root/sys/kernel/mm/numa/demotion_enabled"
	echo 0 >"$root/proc/sys/kernel/numa_balancing"
	run restore --root "$root" "$work/file"
	[ "$status" -eq 3 ] && [ "$(cat "$root/proc/sys/kernel/numa_balancing")" = 2 ] &&
		grep -q 'demotion_enabled is left out: this kernel has no such setting' "$work/err"
	result $? 'what the kernel lacks is left out, and said by the status too'
}

test_restore_bad_files() {
	bad_settings "line 2: 'numa' is not NAME = VALUE" numa
	bad_settings "line 4: '' is not a setting" '' '# a' '= 1'
	for name in kernel.panic /etc/passwd ../kernel.numa_balancing /sys/kernel/mm/tiering/node0/budget \
		/sys/kernel/mm/tiering/node/abstract_distance $sysfs_weights/node01 \
		$sysfs_weights/node1024 $sysfs_weights/node1/x kernel.numa_balancing.; do
		bad_settings "line 2: '$name' is not a setting" "$name = 1"
	done
	for value in '' 0 256 05 -1 1x 1,2 99999999999999999999; do
		bad_settings "line 2: '$value' is wrong for $sysfs_weights/node0: use 1 to 255" \
			"$sysfs_weights/node0 = $value"
	done
	bad_settings 'use 1 to 65535' '/sys/kernel/mm/tiering/node1/abstract_distance = 0'
	bad_settings 'use a number from 0' 'kernel.numa_balancing_rate_limit_mbps = 2147483648'
	bad_settings 'use 0 to 3' 'kernel.numa_balancing = 4'
	echo 'kernel.numa_balancing_hot_threshold_ms = 1073741824' >"$work/file"
	refused 2 'use 1 to 1073741823' restore --root "$root" "$work/file"
	bad_settings 'use 5 to 300' '/sys/kernel/migration/auto_migrate_interval = 4'
	bad_settings 'use true or false' '/sys/kernel/mm/numa/demotion_enabled = yes'
	bad_settings 'line 3: kernel.numa_balancing stands there twice' \
		'kernel.numa_balancing = 1' 'kernel.numa_balancing = 2'
	bad_settings 'with auto = true the kernel derives all weights' \
		"$sysfs_weights/node0 = 9" "$sysfs_weights/auto = true"
	bad_settings "line 2: '$(printf '%060d' 0)' is not NAME" "$(printf '%0600d' 0)"
	printf 'kernel.numa_balancing = 1\0x\n' >"$work/file"
	refused 2 'line 1 is no text' restore --root "$root" "$work/file"
	refused 1 "cannot read $work/missing" restore "$work/missing"
	refused 1 "cannot read $work" restore "$work"
	refused 2 "one file, not 'b' as well" restore a b
	refused 2 "option '--wet'" restore --wet
}

# As in test_refusing_kernel
test_restore_refused() {
	reset_root
	what='when a setting is refused those before it are undone'
	if [ "$(id -u)" -ne 0 ] || ! switch=$(find_switch); then
		skip "$what" 'needs root and a switch of /proc/sys that is on'
		skip 'where weights were derived, they are again when one is refused' \
			'needs root and a switch of /proc/sys that is on'
		return
	fi
	echo true >"$root$sysfs_weights/auto"
	ln -sf "$switch" "$root$sysfs_weights/node1"
	tree >"$work/before"
	printf '%s\n' 'kernel.numa_balancing = 1' "$sysfs_weights/node0 = 7" \
		"$sysfs_weights/auto = false" "$sysfs_weights/node1 = 8" >"$work/file"
	run restore --root "$root" "$work/file"
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] &&
		grep -q "cannot set $sysfs_weights/node1 to 8" "$work/err" &&
		grep -q 'all is as it was before' "$work/err" && tree | cmp -s "$work/before" -
	result $? "$what"

	# How the value is spelled tells that it was written
	echo 1 >"$root$sysfs_weights/auto"
	printf '%s\n' "$sysfs_weights/node0 = 7" "$sysfs_weights/node1 = 8" >"$work/file"
	run restore --root "$root" "$work/file"
	[ "$status" -eq 1 ] && [ "$(cat "$root$sysfs_weights/node0")" = 9 ] &&
		[ "$(cat "$root$sysfs_weights/auto")" = true ]
	result $? 'where weights were derived, they are again when one is refused'
}

# A machine on which nothing is to be mended: DRAM with CPUs, and a node that firmware tells of
reset_machine() {
	reset_root
	put /sys/devices/system/node/has_memory 0-1
	put /sys/devices/system/node/has_cpu 0
	put /sys/devices/system/node/node1/access0/initiators/read_bandwidth 22528
	put /sys/devices/system/memory/block_size_bytes 8000000
	put /sys/devices/system/memory/memory0/state online
	put /proc/sys/vm/zone_reclaim_mode 0
	mkdir -p "$root/sys/bus/dax/devices/dax1.0"
	ln -s ../../drivers/kmem "$root/sys/bus/dax/devices/dax1.0/driver"
}

# mends COMMAND WHAT: the only thing to mend, and by this command
mends() {
	run doctor --root "$root"
	[ "$status" -eq 4 ] && [ ! -s "$work/err" ] && [ "$(sed -n 's/^\t//p' "$work/out")" = "$1" ] &&
		[ "$(wc -l <"$work/out")" -eq 2 ] && grep -qF -- "$2" "$work/out"
	result $? "mpolctl doctor: $2"
}

test_doctor() {
	reset_machine
	prints 'Nothing to mend.' doctor --root "$root"

	put /sys/devices/system/memory/memory8/state offline
	put /sys/devices/system/memory/memory9/state offline
	mends 'chmem --enable --zone Movable 256M' 'Memory that is offline: 0.2 GiB.'
	reset_machine
	cxl=/sys/bus/cxl/devices
	put $cxl/mem0/pmem/size 0x400000000
	put $cxl/mem0/ram/size 0x200000000
	for decoder in 0.1 0.0 0.2; do
		put $cxl/decoder$decoder/create_pmem_region region0
	done
	put $cxl/decoder1.0/size 0x400000000
	prints 'Nothing to mend.' doctor --root "$root"
	put $cxl/decoder12.0/size 0x0
	put $cxl/decoder12.1/size 0x0
	mkdir -p "$root$cxl/endpoint12"
	ln -s ../../../pci/mem0 "$root$cxl/endpoint12/uport"
	run doctor --root "$root"
	[ "$status" -eq 4 ] && grep -qFx 'The card mem0 has 16.0 GiB that nobody has set up. What is on it is lost by:' "$work/out" &&
		[ "$(sed -n 's/^\t//p' "$work/out")" = 'cxl create-region -m -d decoder0.0 -w 1 -t pmem mem0
ndctl create-namespace -m devdax -M mem' ]
	result $? 'mpolctl doctor: a card without a region'
	put $cxl/decoder12.1/size 0x400000000
	prints 'Nothing to mend.' doctor --root "$root"
	put $cxl/decoder12.1/size 0x0
	put $cxl/mem0/pmem/size 0x0
	prints 'Nothing to mend.' doctor --root "$root"
	put $cxl/decoder0.0/create_ram_region region0
	mends 'cxl create-region -m -d decoder0.0 -w 1 -t ram mem0' 'The card mem0 has 8.0 GiB that nobody has set up.'

	reset_machine
	put /sys/bus/dax/devices/dax2.0/size 68719476736
	put /sys/bus/dax/devices/dax2.0/target_node 2
	mends 'daxctl reconfigure-device --mode=system-ram dax2.0' \
		'dax2.0 is a device and no memory of the kernel: 64.0 GiB that would be node 2.'
	ln -s ../../drivers/device_dax "$root/sys/bus/dax/devices/dax2.0/driver"
	mends 'daxctl reconfigure-device --mode=system-ram dax2.0' 'dax2.0 is a device'
	put /sys/devices/system/memory/auto_online_blocks offline
	mends 'daxctl reconfigure-device --mode=system-ram dax2.0' 'dax2.0 is a device'
	for policy in online online_kernel online_movable; do
		put /sys/devices/system/memory/auto_online_blocks $policy
		mends 'daxctl reconfigure-device --mode=system-ram --force dax2.0' 'dax2.0 is a device'
	done

	reset_machine
	put /sys/kernel/mm/numa/demotion_enabled false
	mends 'echo 1 > /sys/kernel/mm/numa/demotion_enabled' 'no cold ones demoted to make room'
	put /proc/sys/kernel/numa_balancing 1
	prints 'Nothing to mend.' doctor --root "$root"
	put /sys/kernel/mm/numa/demotion_enabled true
	mends 'sysctl kernel.numa_balancing=3' 'not promoted when they are hot again'
	rm "$root/proc/sys/kernel/numa_balancing"
	prints 'Nothing to mend.' doctor --root "$root"

	reset_machine
	put $sysfs_weights/node1 9
	mends 'mpolctl weights auto' 'Weighted interleaving is even, though node 1 has no CPUs'
	rm -r "$root/sys/devices/system/node/node1"
	mends 'bwactl --apply' 'Weighted interleaving is even, though node 1 has no CPUs'
	put $sysfs_weights/auto true
	mends 'bwactl --apply' 'Firmware tells no bandwidth of node 1: its weight is a guess.'
	put /sys/devices/system/node/node1/access1/initiators/read_bandwidth 22528
	prints 'Nothing to mend.' doctor --root "$root"
	rm "$root$sysfs_weights/auto"
	mends 'bwactl --apply' 'Weighted interleaving is even'

	reset_machine
	rm -r "$root/sys/devices/system/node/node1"
	put /sys/kernel/mm/tiering/node1/abstract_distance 576
	mends 'echo 2880 > /sys/kernel/mm/tiering/node1/abstract_distance    # if slower; 256 for HBM' \
		'Firmware does not tell how node 1 differs from node 0'
	reset_machine
	put /proc/sys/vm/zone_reclaim_mode 1
	mends 'sysctl vm.zone_reclaim_mode=0' 'A full node is reclaimed before another one is used.'

	put /sys/devices/system/node/has_memory 0
	prints 'Nothing to mend: one node has all memory.' doctor --root "$root"
	rm -r "$root/sys/devices/system/node"
	refused 3 'this kernel is built without NUMA' doctor --root "$root"
	refused 2 "no argument, not 'x'" doctor x
	refused 2 "option '--wet'" doctor --wet
}

# The first node with memory
first_node=$(sed "s/[^0-9].*//" /sys/devices/system/node/has_memory 2>/dev/null)
first_node=${first_node:-0}

test_general
test_bad_lists
test_run_options
test_set_options
test_run
test_set
test_filters
test_weights
test_auto
test_refusing_kernel
test_show_table
test_show_json
test_show_page_sizes
test_show_cut_policies
test_show_bad_files
test_show_options
test_show_process
test_show_summary
test_save
test_restore
test_restore_what_is_there
test_restore_bad_files
test_restore_refused
test_doctor

echo "1..$count"
[ "$failed" -eq 0 ]
