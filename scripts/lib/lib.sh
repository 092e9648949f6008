# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What every script shares; sourced, never run.

TOP=$(cd "$(dirname "$0")" && pwd -P)
while [ ! -e "$TOP/bases" ] && [ "$TOP" != / ]; do
	TOP=$(dirname "$TOP")
done

# The kernel that the series stands on, and what follows from that: the hooks, from
# the top, and where things are built
export BASE="${BASE:-6.1}"
if [ ! -f "$TOP/bases/$BASE/base.conf" ]; then
	echo "error: BASE=$BASE: there is no bases/$BASE; there are: $(ls "$TOP/bases")" >&2
	exit 1
fi
export PATCHES="bases/$BASE/patches"
export BUILD="$TOP/build"
[ "$BASE" = 6.1 ] || BUILD=$TOP/build/$BASE
mkdir -p "$BUILD" || exit 1

# source_of FILE: from the top, where a file lies that the series brings: most are the same for all bases, some a base has of its own
source_of() {
	[ ! -f "$TOP/bases/$BASE/files/$1" ] || printf 'bases/%s/files/' "$BASE"
	printf '%s\n' "$1"
}

# git on generated trees: no person's settings, no surrounding repository
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
# These belong to whoever made the copy of a checkout, or to whom it was made from.
export GIT_CONFIG_COUNT=3 \
	GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="$TOP" \
	GIT_CONFIG_KEY_1=safe.directory GIT_CONFIG_VALUE_1="$BUILD/tree" \
	GIT_CONFIG_KEY_2=safe.directory GIT_CONFIG_VALUE_2="$BUILD/step"
# the kernel's make is no child of the front door's
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

say() {
	printf '%s\n' "$*"
}

die() {
	printf 'error: %s\n' "$*" >&2
	exit 1
}

# last_lines FILE: what a person would look at first
last_lines() {
	tail -n 15 "$1" | sed "s|^|${STEP_PREFIX:-}|"
}

# live_awk ARGUMENT...: awk that has each line when it is written. Debian's, mawk, waits for 4 KiB otherwise.
live_awk() {
	case $(awk -W version 2>/dev/null </dev/null | head -n 1) in
	mawk*) awk -W interactive "$@" ;;
	*) awk "$@" ;;
	esac
}

# step TITLE LOGFILE COMMAND...: runs a long command with signs of life. While it
# runs $RUNNING has a file with its title, its beginning and its log; $STEP_TIMES
# gets how long it took, if that is the name of a file. $STEP_LINES, if it is set,
# is about how many lines the log will have: how much is done goes by that.
export RUNNING="${RUNNING:-$BUILD/running}"
step_estimate() {
	step_lines=$(wc -l <"$step_log")
	[ "$step_lines" -gt 0 ] && [ "$step_lines" -lt "${STEP_LINES:-0}" ] || return 0
	echo " $((100 * step_lines / STEP_LINES)) % done, about $((step_time * (STEP_LINES - step_lines) / step_lines)) s more,"
}
step() {
	step_title=$1
	step_log=$2
	shift 2
	step_start=$(date +%s)
	mkdir -p "$(dirname "$step_log")"
	say "$step_title ..."
	(
		while sleep 30 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
			step_time=$(($(date +%s) - step_start))
			say "  $step_title: $step_time s so far,$(step_estimate) log $step_log"
		done
	) </dev/null 9>&- &
	step_heart=$!
	mkdir -p "$RUNNING"
	step_entry=$RUNNING/$$.$step_heart
	printf '%s\n' "$step_title" "$step_start" "$step_log" >"$step_entry"
	step_status=0
	"$@" >"$step_log" 2>&1 </dev/null || step_status=$?
	kill "$step_heart" 2>/dev/null || :
	wait "$step_heart" 2>/dev/null || :
	rm -f "$step_entry"
	step_time=$(($(date +%s) - step_start))
	[ -z "${STEP_TIMES:-}" ] || printf '%s\t%s\n' "$step_time" "$step_title" >>"$STEP_TIMES"
	if [ "$step_status" -ne 0 ]; then
		last_lines "$step_log"
		say "$step_title: failed with status $step_status after $step_time s, log $step_log"
	else
		say "$step_title: done in $step_time s"
	fi
	return "$step_status"
}

# check TITLE COMMAND...: a step whose outcome check_summary counts
check() {
	check_title=$1
	shift
	check_log=$BUILD/log/check/$(echo "$check_title" | tr -c 'a-zA-Z0-9\n' -).log
	if step "$check_title" "$check_log" "$@"; then
		check_passed=$((${check_passed:-0} + 1))
	else
		check_failed=$((${check_failed:-0} + 1))
		check_failures="${check_failures:-}FAIL: $check_title
$(tail -n 5 "$check_log" | sed 's/^/      /')
"
	fi
}

# check_summary: the last lines, and the status, of a script of checks
check_summary() {
	printf '%s' "${check_failures:-}"
	say "${check_passed:-0} passed, ${check_failed:-0} failed"
	[ "${check_failed:-0}" -eq 0 ]
}

# lock NAME [-s]: one run at a time; -s lets readers share
lock() {
	lock_file=$BUILD/.lock-$1
	lock_mode=${2:--x}
	exec 9>"$lock_file"
	flock -n "$lock_mode" 9 && return
	say "waiting for another run that holds $lock_file"
	flock "$lock_mode" 9
}

# processor_time FILE: the seconds of processor time that the children of the
# shell took whose "times" left FILE
processor_time() {
	awk 'NR == 2 {
		for (i = 1; i <= 2; i++) {
			split($i, part, /[ms]/)
			seconds += 60 * part[1] + part[2]
		}
		printf "%.0f\n", seconds
	}' "$1"
}

# idle_limit SECONDS: how long a command may take that is allowed so many seconds
# of processor time
idle_limit() {
	idle_limit=$(($1 * 20))
	[ "$1" -eq 0 ] || [ "$idle_limit" -ge 3600 ] || idle_limit=3600
	echo "$idle_limit"
}

# limited SECONDS COMMAND...: ends it when all of its threads together have taken
# so many seconds of processor time, with status 124 and a line that says so on
# standard error. How long that is by the host's clock depends on what else the
# host does. A command that waits for ever is ended as well, much later.
# 0 is no limit.
limited() {
	limited_cpu=$1
	shift
	limited_wall=$(idle_limit "$limited_cpu")
	# by SIGXCPU, and who does not mind that by SIGKILL five seconds on
	limited_range=$limited_cpu:$((limited_cpu + 5))
	[ "$limited_cpu" -ne 0 ] || limited_range=unlimited
	limited_start=$(date +%s)
	limited_status=0
	# One byte: 0 would not keep a handler of core files from taking one.
	timeout --foreground -k 5 "$limited_wall" \
		prlimit --core=1 --cpu="$limited_range" "$@" || limited_status=$?
	limited_time=$(($(date +%s) - limited_start))
	# SIGKILL may be somebody else's
	if [ "$limited_wall" -ne 0 ] && [ "$limited_time" -ge "$limited_wall" ]; then
		case $limited_status in
		124 | 137)
			say "the time limit of $limited_wall seconds was reached" >&2
			return 124
			;;
		esac
	fi
	# 128 and SIGXCPU
	[ "$limited_status" -eq 152 ] || return "$limited_status"
	say "the time limit of $limited_cpu seconds of processor time was reached" >&2
	return 124
}

# rows TABLE: its lines; fields are separated by tabs, and the first one is the name
rows() {
	sed '/^#/d' "$1"
}

# field TABLE NAME NUMBER: this field of the row NAME
field() {
	rows "$1" | awk -F '\t' -v name="$2" -v number="$3" '$1 == name { print $number }'
}

# known VARIABLE NAMES: ends, and says which there are, when a word of the variable
# is not among the words NAMES. One that is empty asks for nothing in particular.
known() (
	# an asterisk is none of them either
	set -f
	eval "asked=\${$1:-}"
	names=$(echo "$2" | tr '\n' ' ')
	names=${names% }
	count=0
	for word in $asked; do
		count=$((count + 1))
		case " $names " in
		*" $word "*) ;;
		*) die "$1: '$word' is none of: $names" ;;
		esac
	done
	[ -z "$asked" ] || [ "$count" -gt 0 ] || die "$1 is blank; it takes some of: $names"
)

# selftest_names: the kselftests that there are, by their Makefile; those that take
# a compiler for 32-bit programs are among them
selftest_names() {
	sed -n 's/^TEST_\(GEN_\)\{0,1\}PROGS *[:+]\{0,1\}= *//p' "$TOP/tools/testing/selftests/mm/placement/Makefile" |
		tr ' ' '\n' | sort
}

# part_options NAME "$@": $kernel, $slowdown and $results of a part of make test that boots a machine and takes no other options
# shellcheck disable=SC2034 # for those who source this
part_options() {
	part_name=$1
	shift
	kernel=$BUILD/kernel/default slowdown=1 results=$BUILD/test/$part_name
	while getopts k:x:o: option; do
		case $option in
		k) kernel=$OPTARG ;;
		x) slowdown=$OPTARG ;;
		o) results=$OPTARG ;;
		*) die "usage: $part_name.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]" ;;
		esac
	done
}

# hash_files FILE...: one checksum over the names and contents
hash_files() {
	sha256sum -- "$@" | sha256sum | cut -d ' ' -f 1
}

missing_packages() {
	for package; do
		# shellcheck disable=SC2016 # dpkg-query's own format
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || printf '%s\n' "$package"
	done
}

# as_root COMMAND...: runs it with the rights that apt-get needs, if it may
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# by_hand COMMAND...: the line that a person types to have these run with these rights, each of them a word here. Without "-" su would
# leave the directories out in which dpkg looks for programs.
by_hand() {
	by_hand_line=
	by_hand_sudo=
	[ "$(id -u)" -eq 0 ] || ! command -v sudo >/dev/null || by_hand_sudo='sudo '
	for by_hand_command; do
		by_hand_line="${by_hand_line:+$by_hand_line && }$by_hand_sudo$by_hand_command"
	done
	if [ "$(id -u)" -eq 0 ] || [ -n "$by_hand_sudo" ]; then
		printf '%s' "$by_hand_line"
	else
		printf "su - -c '%s'" "$by_hand_line"
	fi
}

# have_lists: has apt read what any archive offers? A fresh machine has not.
have_lists() {
	# shellcheck disable=SC2016 # apt expands it
	[ -n "$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -n 1)" ]
}

update_lists() {
	step "fetching the package lists" "$BUILD/log/apt-update.log" \
		as_root apt-get -q update 8>&-
}

# install_by_hand PACKAGE...: what a person types to install them
install_by_hand() {
	set -- "apt-get install --no-install-recommends $*"
	have_lists || set -- "apt-get update" "$@"
	by_hand "$@"
}

install_packages() {
	step "installing $*" "$BUILD/log/apt-install.log" \
		as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y install --no-install-recommends "$@" 8>&-
}

# debian_mirror: the one that this machine's apt uses for Debian itself
debian_mirror() {
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Packages Debian Debian //p' | head -n 1
}

# need_packages PACKAGE...: installs what is missing, or says how
need_packages() {
	need=$(missing_packages "$@" | tr '\n' ' ')
	need=${need% }
	[ -n "$need" ] || return 0
	as_root true 2>/dev/null ||
		die "packages are missing; install them with: $(install_by_hand "$need")"
	# Parts of make test that run at the same time wait for each other here.
	(
		exec 8>"$BUILD/.lock-apt"
		flock 8
		missing=$(missing_packages "$@" | tr '\n' ' ')
		[ -n "$missing" ] || exit 0
		have_lists || update_lists
		# The lists may be too old: then a second time with new ones.
		# shellcheck disable=SC2086 # one word a package
		install_packages $missing || { update_lists && install_packages $missing; }
	) ||
		die "not installed; try by hand: $(install_by_hand "$need")"
}
