# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Results of a program's tests as TAP; sourced. The one who sources has the
# program's name in $program, a directory in $work, and run() to run it, which
# leaves $status and the files out and err there.
# shellcheck disable=SC2154 # it does

echo "TAP version 13"
count=0
failed=0

# result STATUS NAME: ends a test
result() {
	name=$(printf '%s\n' "$2" | sed "s,$work/,,g; s,$$,PID,g")
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $count - $name"
	echo "# status $status"
	sed 's/^/# stdout: /' "$work/out"
	sed 's/^/# stderr: /' "$work/err"
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# try TITLE COMMAND...: a test passes when the command succeeds
try() {
	title=$1
	shift
	status=0
	"$@" >"$work/out" 2>"$work/err" || status=$?
	result "$status" "$title"
}

# refused STATUS MESSAGE ARGUMENT...: this status, this one line, no output
refused() {
	want=$1
	message=$2
	shift 2
	run "$@"
	[ "$status" -eq "$want" ] && [ ! -s "$work/out" ] &&
		[ "$(wc -l <"$work/err")" -eq 1 ] &&
		grep -qF -- "$message" "$work/err"
	result $? "$program $*: status $want, \"$message\""
}
