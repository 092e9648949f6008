#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Limits go by processor time: who gets little of the host reaches them later, and no sooner. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"

# ends STATUS MESSAGE TITLE SECONDS COMMAND...: the limit leads to that status, and to that line or none
ends() {
	want=$1 message=$2 title=$3
	shift 3
	status=0
	limited "$@" > "$work/out" 2> "$work/err" || status=$?
	held=0
	[ $status -eq "$want" ] && [ "$(grep '^the time limit' "$work/err")" = "$message" ] || held=1
	result $held "$title"
}

# busy SECONDS: takes that much processor time, with two processes
cat > "$work/busy.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static long seconds;

static void *busy(void *unused)
{
	while (clock() < seconds * CLOCKS_PER_SEC)
		;
	return unused;
}

int main(int argc, char *argv[])
{
	pthread_t other;

	seconds = atol(argv[argc - 1]);
	pthread_create(&other, NULL, busy, NULL);
	busy(NULL);
	return pthread_join(other, NULL);
}
END
gcc -O1 -pthread -o "$work/busy" "$work/busy.c"

reached="the time limit of 2 seconds of processor time was reached"
ends 0 "" "a command without a limit ends by itself" 0 "$work/busy" 1
ends 0 "" "one that takes less than its limit ends by itself" 2 "$work/busy" 1
ends 124 "$reached" "one that takes more does not" 2 "$work/busy" 30
ends 0 "" "one that waits takes nothing" 1 sleep 3
ends 7 "" "a status stays what it is" 2 sh -c 'exit 7'
# shellcheck disable=SC2016 # for that shell
ends 137 "" "one that somebody else kills has not reached its limit" 2 sh -c 'kill -KILL $$'

# Less of the host than the limit would be by its clock: none at all for three seconds
cat > "$work/held" << 'END'
"$0" 1 &
kill -STOP $!
sleep 3
kill -CONT $!
wait $!
END
start=$(date +%s)
ends 0 "" "one that is held up for longer has not reached its limit" 2 sh -c "$(cat "$work/held")" "$work/busy"
status=$(($(date +%s) - start))
held=0
[ "$status" -gt 2 ] || held=1
result $held "that took longer by the host's clock"

idle_limits() {
	for seconds in 0 1 180 181 600; do
		idle_limit $seconds
	done
}
status=0
idle_limits > "$work/out"
: > "$work/err"
held=0
[ "$(tr '\n' ' ' < "$work/out")" = "0 3600 3600 3620 12000 " ] || held=1
result $held "waiting has a limit that is twenty times as long, an hour at least"
idle_limit() {
	echo 2
}
ends 124 "the time limit of 2 seconds was reached" "one that waits for ever ends by that" 1 sleep 1000

echo "1..$count"
[ "$failed" -eq 0 ]
