#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Whatever hangs ends, and leaves what it was at: kernels in every way, parts on the host, .ci/run as a whole. What a busy host holds up
# does not hang. The limits, minutes otherwise, are seconds here. Prints TAP.
# usage: hangs.sh [-k KERNELDIR] [-x SLOWDOWN]
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

kernel=$BUILD/kernel/default slowdown=1
while getopts k:x: option; do
	case $option in
	k) kernel=$OPTARG ;;
	x) slowdown=$OPTARG ;;
	*) die "usage: hangs.sh [-k KERNELDIR] [-x SLOWDOWN]" ;;
	esac
done

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"
unset ONLY TESTS SCENARIO ROUNDS STEP_TIMES RUNNING STEP_PREFIX
watch=$TOP/scripts/lib/watch.py
status=0

# holds TITLE COMMAND...
holds() {
	title=$1
	shift
	held=0
	"$@" || held=1
	result $held "$title"
}

# gone COMMAND...: nobody runs one of these
gone() {
	for gone; do
		# in brackets, so that it is not found in what looks for it
		! grep -lzx "[${gone%"${gone#?}"}]${gone#?}" /proc/[0-9]*/cmdline 2> /dev/null | grep -q . || return 1
	done
}

# --- kernels ---

# boot NAME ARGUMENTS TEST...: a run whose kernel is not waited for long; its files are in $work/NAME
boot() {
	booted=$work/$1
	"$TOP/scripts/test/scenario.sh" -u -k "$kernel" -x "$slowdown" -t 120 -q $((8 * slowdown)) -a "$2" -o "$booted" \
		-s "$TOP/tests/harness/skips" -f "$TOP/tests/harness/guest:/usr/lib/kselftests/mm" uma "$3" \
		> "$work/out" 2> "$work/err" || status=$?
}

# hangs PATTERN FUNCTION NAME ARGUMENTS TEST: the run fails, says PATTERN, and the console has the stack with FUNCTION, if there is one
hangs() {
	pattern=$1 function=$2
	shift 2
	boot "$@"
	holds "$1: the run ends, and fails" [ "$(cut -d ' ' -f 2 "$booted/counts")" -gt 0 ]
	holds "$1: the verdict says why" grep -qE "FAIL: .*($pattern)" "$booted/verdict"
	[ -z "$function" ] || holds "$1: the stack of what hangs is there" grep -q " $function+0x" "$booted/console.log"
}

# A host without a processor to spare does not see that a machine waits: its kernel ends by itself after 240 s, or the host ends it when its
# ticks have taken as much as one may take that works without a line.
silent="printed nothing while"
idles="hung_task: blocked tasks|neither printed anything|blocked for more than|$silent"
spins="detected stalls|self-detected stall|soft lockup|$silent"
hangs "$idles" lkdtm_module_init a-deadlock-at-boot "lkdtm.cpoint_name=DIRECT lkdtm.cpoint_type=HUNG_TASK" passes
hangs "blocked for more than" direct_entry a-blocked-test "" blocks
hangs "$spins" direct_entry interrupts-off "" deafens
hangs "$spins" direct_entry a-hog "" hogs
hangs "neither printed anything" "" a-halted-machine "" halts
hangs "the unit test waits_for_ever timed out" panic a-unit-test-that-times-out "" times-out
boot a-good-test "" passes
holds "a good test is not taken for one that hangs" grep -qx "2 0 1" "$booted/counts"

# watchers CONSOLE: who ends the machine with that console when it is silent
watchers() {
	grep -lz -- "$1" /proc/[0-9]*/cmdline 2> /dev/null | while read -r process; do
		! grep -qsz -- '--quiet' "$process" || echo "$process"
	done
}

# until_300 COMMAND...: true as soon as that is, false after 300 s
until_300() {
	begin=$(date +%s)
	until "$@"; do
		[ $(($(date +%s) - begin)) -le 300 ] || return 1
		sleep 0.2
	done
}

is_watched() {
	watchers "$work/tests.console" | grep -q .
}
"$TOP/scripts/machine/vm.sh" -s uma -k "$kernel" -o "$work/tests.console" -q 240 -r true > "$work/out" 2> "$work/err" &
tests=$!
holds "a machine of tests is watched" until_300 is_watched
wait "$tests" || :

# What a person runs may be silent: nothing watches over it but the limit of processor time.
"$TOP/scripts/machine/vm.sh" -s uma -k "$kernel" -o "$work/own.console" -r "sleep 5; echo mine" > "$work/out" 2> "$work/err" &
own=$!
until_300 grep -qs "machine as described" "$work/own.console" || :
watchers "$work/own.console" > "$work/watchers"
holds "a command of a person's own is not watched" [ ! -s "$work/watchers" ]
status=0
wait "$own" || status=$?
holds "and ends as it does" [ "$status:$(tr -d '\r' < "$work/out")" = 0:mine ]

# --- commands on the host ---

# ends STATUS PATTERN TITLE OPTION... COMMAND...
ends() {
	want=$1 pattern=$2 title=$3
	shift 3
	status=0
	"$watch" "$@" > "$work/out" 2> "$work/err" || status=$?
	held=0
	[ "$status" -eq "$want" ] || held=1
	if [ -n "$pattern" ]; then
		tail -n 1 "$work/err" | grep -qE -- "$pattern" || held=1
	else
		! grep -qE "the processes|$silence|printed nothing|the time limit|the self test" "$work/err" || held=1
	fi
	result $held "$title"
}

silence="neither printed anything nor took .* within 3 s"
cat > "$work/loop" << 'END'
while :; do
	:
done
END
ends 0 "" "a command that ends does so by itself" --quiet 3 true
ends 7 "" "with its own status" --quiet 3 sh -c 'exit 7'
ends 124 "$silence" "one that waits is ended" --quiet 3 sleep 1000
ends 0 "" "one that waits and prints is not" --quiet 3 --log "$work/out" sh -c 'for i in 1 2 3 4 5 6; do echo; sleep 1; done'
ends 9 "" "one that works in silence is not, either" --quiet 3 sh -c "timeout 6 sh '$work/loop' || exit 9"
ends 124 "printed nothing while it took 2 s of processor time" "but has a limit if that is asked for" --quiet 300 --busy 2 sh "$work/loop"
ends 124 "the time limit of 2 s" "and one by the host's clock" --limit 2 sh "$work/loop"
# shellcheck disable=SC2016 # for that shell
ends 5 "" "one that somebody has stopped does not hang" --quiet 3 sh -c '(sleep 6; kill -CONT $$) & kill -STOP $$; exit 5'

# A machine's self tests, as watch.py knows of them: runs NAME COMMAND... while the console says so
cat > "$work/runs" << END
echo "[    1.000000] vm: begin \$1" >> "$work/console"
shift
status=0
"\$@" || status=\$?
echo "[    2.000000] vm: end \$1 \$status" >> "$work/console"
exit \$status
END
: > "$work/console"
over="the self test slow has taken its 3 s"
ends 124 "$over" "a self test that works for longer than it may is ended" \
	--program 3 --console "$work/console" sh "$work/runs" slow timeout 60 sh "$work/loop"
ends 124 "$over" "so is one that waits" --program 3 --console "$work/console" sh "$work/runs" slow sleep 1000
ends 0 "" "several that each take less are not" --program 3 --console "$work/console" \
	sh -c "sh '$work/runs' one sleep 2; sh '$work/runs' two sleep 2; sleep 4"

setsid sleep 1111 &
mine=$!
cat > "$work/family" << 'END'
setsid sleep 1101 &
setsid sh -c "trap : TERM; sleep 1102; sleep 1103"
wait
END
ends 124 "$silence" "what it started ends with it" --quiet 3 sh "$work/family"
holds "all of it" gone 1101 1102 1103
holds "and nothing else" kill "$mine"

# Little of a processor, while others take all there is: 3 s of the clock are hundredths of one for this command
loops=''
for _ in 1 2 3 4 5 6; do
	timeout 60 sh "$work/loop" &
	loops="$loops $!"
done
ends 9 "" "one that gets nothing of a busy host does not hang" --quiet 3 nice -n 19 sh -c "timeout 8 sh '$work/loop' || exit 9"
ends 9 "" "nor has a self test taken its time" --program 3 --console "$work/console" \
	nice -n 19 sh "$work/runs" starved sh -c "timeout 8 sh '$work/loop' || exit 9"
# shellcheck disable=SC2086 # a list of numbers
kill $loops

# --- a checkout whose parts and whose .ci/run hang ---

top=$work/top
mkdir -p "$top/tests" "$top/build/log" "$top/.ci"
cp -R "$TOP/scripts" "$TOP/scenarios" "$TOP/bases" "$top"
cp "$TOP/.ci/run" "$top/.ci"
ln -s "$BUILD/base" "$top/build/base"
: > "$top/tests/marks"
: > "$top/tests/skips"
mkfifo "$work/fifo"
cat > "$top/tests/waits.sh" << END
#!/bin/sh
echo "TAP version 13"
case \$1 in
pipe) cat "$work/fifo" ;;
lock) flock "$work/lock" true ;;
child)
	sleep 1104 &
	wait
	;;
esac
END
chmod +x "$top/tests/waits.sh"
for kind in pipe lock child; do
	printf '%s\ttest\t-\t%s %s\tit waits\n' "$kind" tests/waits.sh "$kind"
done > "$top/scripts/test/list"
# shellcheck disable=SC2016 # for that shell
flock -n "$work/lock" sh -c 'echo $$ > "$0"; exec sleep 1106' "$work/holder" &
holder=$!
for kind in pipe:cat lock:flock child:sleep; do
	part=${kind%:*}
	status=0
	PART_QUIET=3 "$top/scripts/test/part.sh" -o "$top/build/test/$part" "$part" > "$work/out" 2> "$work/err" || status=$?
	sed 's/ [1-9] / some /' "$top/build/test/$part/counts" > "$work/counts"
	holds "a part that waits for a $part has failed" [ "$status:$(cat "$work/counts")" = "1:0 some 0" ]
	holds "and leaves the tree of its processes" grep -qE "^  $part:     *[0-9]+ S [a-z_0-9.-]+: ${kind#*:} " "$work/out"
	holds "and why" grep -q "$silence" "$work/out"
done
kill "$(cat "$work/holder")"
wait "$holder" || :

cat > "$top/Makefile" << 'END'
test:
	@tests/long.sh
debug-test check:
	@echo "FAIL: $@: first"; echo "      and why"; echo "0 passed, 1 failed, 0 skipped"; exit 1
END
cat > "$top/tests/long.sh" << 'END'
#!/bin/sh
. "$(dirname "$0")/../scripts/lib/lib.sh"
step "a long part" build/part.log sh -c 'seq 7 40; sleep 1105'
END
chmod +x "$top/tests/long.sh"
begin=$(date +%s)
status=0
CI_MB=1 CI_SECONDS=5 "$top/.ci/run" > "$work/out" 2> "$work/err" || status=$?
holds ".ci/run ends at its limit, with status 1" [ "$status" -eq 1 ]
holds "which is its own, not somebody else's" [ $(($(date +%s) - begin)) -ge 5 ]
holds "it says what was running" grep -q "^still running after [0-9]* s: a long part; the end of build/part.log:" "$work/out"
seq 26 40 > "$work/wanted"
grep -A 15 '^still running' "$work/out" | sed '1d; s/^  //' > "$work/shown"
holds "and its last fifteen lines" cmp -s "$work/wanted" "$work/shown"
holds "and ends it" gone 1105
holds "it says why" grep -qx "the time limit of 5 s was reached" "$work/err"
sed -i 's/sleep 1105/true/' "$top/tests/long.sh"
status=0
CI_MB=1 CI_SECONDS=60 "$top/.ci/run" > "$work/out" 2> "$work/err" || status=$?
tail -n 60 "$work/out" > "$work/last"
holds "a stage that fails is a failure" [ "$status" -eq 1 ]
holds "the last lines name it" [ "$(grep -c '^FAIL: check: first$' "$work/last")" = 2 ]
holds "and what is said of it" grep -qx "      and why" "$work/last"

status=0
CI_MB=999999999 "$top/.ci/run" > "$work/out" 2> "$work/err" || status=$?
holds "without room for what it builds .ci/run does not begin" [ "$status:$(wc -c < "$work/out")" = 1:0 ]
holds "and says so" grep -qx "error: build/ takes up to 999999999 MB, and there is room for [0-9]*" "$work/err"

echo "1..$count"
[ "$failed" -eq 0 ]
