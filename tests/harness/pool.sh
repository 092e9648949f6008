#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A part of make test that leaves no result has failed, however it ends, and takes no other one with it. It is shown on a checkout whose
# parts end in every way. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"
unset ONLY TESTS SCENARIO ROUNDS

selftests=tools/testing/selftests/mm/placement
for room in lib host kernel test; do
	mkdir -p "$work/top/scripts/$room"
done
mkdir -p "$work/top/$selftests"
cp -R "$TOP/scenarios" "$TOP/Makefile" "$TOP/bases" "$work/top"
cp "$TOP/$selftests/Makefile" "$work/top/$selftests"
cp "$TOP/scripts/lib/lib.sh" "$TOP/scripts/lib/scenario.sh" "$work/top/scripts/lib"
cp "$TOP/scripts/test/test.sh" "$TOP/scripts/test/soak.sh" "$TOP/scripts/test/dearest.sh" "$work/top/scripts/test"
cat > "$work/top/scripts/host/setup.sh" <<'END'
#!/bin/sh
[ ! -e "$0.fails" ]
END
for script in kernel selftests tools; do
	cp "$work/top/scripts/host/setup.sh" "$work/top/scripts/kernel/$script.sh"
done
cat > "$work/top/scripts/test/part.sh" <<'END'
#!/bin/sh
if [ "$1" = -n ]; then
	for part in takes-its-shell good fails machines silent empty garbled doubled blank nothing mute denies shouts dies; do
		echo "$part -"
	done
	echo "repeats - once"
	exit
fi
while [ "$1" != -o ]; do
	shift
done
mkdir -p "$2"
echo "$3" >> "$(dirname "$2")/ran"
echo "7 9" > "$2/time"
exec > "$2/counts"
: > "$2/verdict"
case $3 in
silent) rm "$2/counts" ;;
empty) ;;
garbled) echo "3 passed" ;;
doubled) printf '3 0 0\n4 0 0\n' ;;
blank) echo "3  0" ;;
nothing) echo "0 0 0" ;;
mute)
	rm "$2/verdict"
	echo "3 0 0"
	;;
denies) echo "3 1 0" ;;
shouts)
	echo "FAIL: it does" > "$2/verdict"
	echo "3 0 0"
	;;
fails)
	echo "FAIL: it does" > "$2/verdict"
	echo "2 1 1"
	exit 1
	;;
dies) kill -KILL $$ ;;
takes-its-shell) kill -KILL $PPID ;;
*) echo "5 0 2" ;;
esac
END
chmod +x "$work"/top/scripts/*/*.sh

# runs TARGET WANTED VARIABLE=VALUE...: what make ends with
runs() {
	target=$1 want=$2
	shift 2
	status=0
	env "$@" make -s -C "$work/top" "$target" > "$work/out" 2> "$work/err" < /dev/null || status=$?
	tail -n 1 "$work/out" > "$work/last"
	held=0
	[ "$(cat "$work/last")" = "$want" ] || held=1
	case $want in
	*' 0 failed'*) [ $status -eq 0 ] || held=1 ;;
	*) [ $status -ne 0 ] || held=1 ;;
	esac
	result $held "make $target $*: $want"
}

# fails PART...: just these, each with a line of its own
fails() {
	printf '%s\n' "$@" | sort > "$work/wanted"
	sed -n 's/^FAIL: \([^:]*\): .*/\1/p' "$work/out" | sort > "$work/failed"
	held=0
	diff "$work/wanted" "$work/failed" > "$work/difference" || held=1
	result $held "failed are: $*"
}

runs test "5 passed, 0 failed, 2 skipped" ONLY=good
runs test "7 passed, 1 failed, 3 skipped" "ONLY=fails good"
fails fails
held=0
grep -qx ' *7 fails' "$work/out" && grep -qx ' *7 good' "$work/out" || held=1
result $held "what took longest is told"
bad="silent empty garbled doubled blank nothing mute denies shouts dies takes-its-shell"
for part in $bad; do
	runs test "5 passed, 1 failed, 2 skipped" "ONLY=good $part"
	fails "$part"
done
runs test "7 passed, 12 failed, 3 skipped" "ONLY=good fails $bad"
result $(($(wc -l < "$work/top/build/test/default/ran") - 13)) "all of them were begun"
runs test "5 passed, 0 failed, 2 skipped" "ONLY=good nothing" TESTS=weighted_interleave_abi
runs soak "15 passed, 0 failed, 6 skipped" ONLY=good ROUNDS=3
runs soak "15 passed, 3 failed, 6 skipped" "ONLY=good dies" ROUNDS=3
fails dies.1 dies.2 dies.3
runs soak "20 passed, 0 failed, 8 skipped" "ONLY=good repeats" ROUNDS=3
for script in host/setup kernel/kernel kernel/selftests kernel/tools; do
	touch "$work/top/scripts/$script.sh.fails"
	runs test "0 passed, 1 failed, 0 skipped" ONLY=good
	fails setup
	rm "$work/top/scripts/$script.sh.fails"
done

# A machine that is made with Debian's packages, where these are not to be had
mkdir -p "$work/bin" "$work/top/build/selftests/mm" "$work/top/build/log"
echo weighted_interleave_swap > "$work/top/build/selftests/mm/kselftest-list"
cp "$TOP/scripts/test/scenario.sh" "$work/top/scripts/test"
sed -i 's/^packages=.*/packages=no-such-package/' "$work/top/scenarios/disk.conf"
printf '#!/bin/sh\nexit 100\n' > "$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
machine=$work/top/build/test/disk
status=0
PATH="$work/bin:$PATH" "$work/top/scripts/test/scenario.sh" -u -o "$machine" disk weighted_interleave_swap > "$work/out" 2> "$work/err" ||
	status=$?
held=0
[ "$status:$(cat "$machine/counts")" = "0:0 0 1" ] || held=1
result $held "a machine whose packages are not to be had is skipped"
held=0
grep -q '^SKIP: error: .*no-such-package$' "$machine/verdict" || held=1
result $held "and says which"

echo "1..$count"
[ "$failed" -eq 0 ]
