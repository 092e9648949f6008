#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Names that do not exist: what takes them says which there are, and ends before anything is built; so does make deb where there is no
# room for what it builds. It is shown on a checkout in which set-up ends with a word of its own. Prints TAP.
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"
unset DRAW SEED ONLY TESTS SCENARIO ROUNDS CONFIG LOCALMODCONFIG BTF DEB_MB

selftests=tools/testing/selftests/mm/placement
mkdir -p "$work/top/$selftests" "$work/top/tests"
cp -R "$TOP/scripts" "$TOP/scenarios" "$TOP/Makefile" "$TOP/bases" "$TOP/mm" "$TOP/include" "$work/top"
cp -R "$TOP/tests/mutants" "$work/top/tests"
cp "$TOP/$selftests/Makefile" "$work/top/$selftests"
printf 'weighted_interleave_abi\tabi.*\tcxl2 uma\t-\n' > "$work/top/tests/timed"
printf 'weighted_interleave_abi\tabi.*\tuma\t-\n' > "$work/top/tests/races"
cat > "$work/top/scripts/host/setup.sh" <<'END'
#!/bin/sh
echo "set-up begins"
exit 1
END

# runs TARGET VARIABLE=VALUE...: make, with these in its environment as a person types them
runs() {
	target=$1
	shift
	rm -rf "$work/top/build"
	status=0
	env "$@" make -s -C "$work/top" "$target" > "$work/out" 2> "$work/err" < /dev/null || status=$?
}

# refuses NAME WORD TARGET VARIABLE=VALUE...: it ends, with a message about NAME that has WORD, one of the names that there are
refuses() {
	name=$1 word=$2
	shift 2
	runs "$@"
	held=0
	[ $status -ne 0 ] && grep '^error: ' "$work/err" | grep -qF -- "$name" &&
		tr -s '[:space:]' '\n' < "$work/err" | grep -qxF "$word" &&
		! grep -q 'set-up begins' "$work/out" "$work/err" && [ -z "$(find "$work/top/build" -type f)" ] || held=1
	result $held "make $*: says what there is"
}

# takes TARGET VARIABLE=VALUE...: the names are good, it goes on to the set-up
takes() {
	runs "$@"
	held=0
	grep -q 'set-up begins' "$work/out" "$work/err" || held=1
	result $held "make $*: goes on"
}

for target in test debug-test soak; do
	refuses "'nonsense'" cxl2 "$target" ONLY=nonsense
	refuses "'nonsense'" cxl2 "$target" "ONLY=uma nonsense"
	refuses "'cxl'" cxl2 "$target" ONLY=cxl
	refuses "'*'" cxl2 "$target" 'ONLY=*'
	refuses "ONLY is blank" cxl2 "$target" "ONLY= "
	refuses "'arm64'" cxl2 "$target" ONLY=arm64
	refuses "'nonsense'" weighted_interleave_abi "$target" TESTS=nonsense
	refuses "'all'" weighted_interleave_abi "$target" TESTS=all
	refuses "TESTS is blank" weighted_interleave_abi "$target" "TESTS= "
	takes "$target" ONLY= TESTS=
	takes "$target" "ONLY=uma  cxl2" "TESTS=weighted_interleave_abi bwactl.sh mempolicy_mbind_32"
done
refuses "'nonsense'" cxl2 coverage "ONLY=checked nonsense"
refuses "'nonsense'" weighted_interleave_abi coverage ONLY=uma TESTS=nonsense
takes coverage ONLY=checked TESTS=weighted_interleave_abi
takes coverage "ONLY=checked  uma"
refuses "'count'" oldcalls debug-test ONLY=count
takes test "ONLY=count debtools uma"
refuses configs/nonsense.config distribution test CONFIG=nonsense
refuses configs/nonsense.config distribution kernel CONFIG=nonsense
takes test CONFIG=distribution "ONLY=cxl2 disk emulated"
refuses "'dual-keys'" dual test CONFIG=distribution ONLY=dual-keys
takes kernel CONFIG=distribution
refuses "'cxl2'" arm64 arm64-test ONLY=cxl2
refuses "'nonsense'" weighted_interleave_abi arm64-test TESTS=nonsense
refuses "'cxl3'" cxl2 timed-test ONLY=cxl3
takes timed-test ONLY=uma
refuses "TESTS: which programs" tests/timed timed-test TESTS=weighted_interleave_abi
refuses "'cxl2'" uma kcsan-test ONLY=cxl2
takes kcsan-test ONLY=uma
refuses "TESTS: which programs" tests/races kcsan-test TESTS=weighted_interleave_abi
refuses "ROUNDS is '0'" number, soak ROUNDS=0
refuses "ROUNDS is '-1'" number, kcsan-test ROUNDS=-1
refuses "ROUNDS is 'many'" number, timed-test ROUNDS=many
refuses "'nonsense'" interleave mutants ONLY=nonsense
refuses "'nonsense'" rebind mutants "ONLY=tiering nonsense"
takes mutants "ONLY=tiering rebind"
refuses "'nonsense'" number, mutants DRAW=nonsense
refuses "'0'" number, mutants DRAW=0
refuses "'-1'" number, mutants DRAW=1 SEED=-1
refuses DRAW=number given mutants SEED=1
refuses "'rebind'" interleave mutants DRAW=1 ONLY=rebind
takes mutants DRAW=1 SEED=7 ONLY=tiering
for target in test run vm sim; do
	refuses "'nonsense'" cxl2 "$target" SCENARIO=nonsense RUN=true
	refuses "'../list'" cxl2 "$target" SCENARIO=../list RUN=true
done
refuses cxl2 ONLY=\"cxl2\" test SCENARIO=cxl2
refuses cxl2 SCENARIO=cxl2 run SCENARIO=cxl2
refuses "'nonsense'" sockets sim SCENARIO=nonsense RUN=true
takes vm SCENARIO=cxl2 RUN=true
takes run SCENARIO=
refuses "'nonsense'" system bench ONLY=nonsense
refuses "ONLY is blank" system bench "ONLY= "
takes bench "ONLY=system sim"
refuses "'nonsense'" powerpc cross ONLY=nonsense
takes cross "ONLY=powerpc s390"

# A disk that has $ROOM MB
mkdir "$work/bin"
cat > "$work/bin/df" <<'END'
#!/bin/sh
echo Filesystem
echo "disk 0 0 $ROOM"
END
chmod 755 "$work/bin/df"
PATH=$work/bin:$PATH
refuses "takes up to 20000 MB" '19999;' deb ROOM=19999
takes deb ROOM=20000
refuses "takes up to 5000 MB" '4999;' deb LOCALMODCONFIG=1 ROOM=4999
takes deb LOCALMODCONFIG=1 ROOM=5000
takes deb CONFIG=scenarios/configs/debian-vm.config ROOM=5000
refuses "takes up to 20000 MB" '5000;' deb CONFIG=scenarios/configs/default.config ROOM=5000
refuses "takes up to 6 MB" '5;' deb DEB_MB=6 ROOM=5
takes deb DEB_MB=6 ROOM=6
refuses "DEB_MB is 'much'" number, deb DEB_MB=much ROOM=6

# The names that are taken are those of the kselftests that were built.
selftest_names > "$work/names"
sort "$BUILD/selftests/mm/kselftest-list" > "$work/list"
status=0
diff "$work/names" "$work/list" > "$work/out" || status=$?
: > "$work/err"
result $status "the names of the kselftests are those of their Makefile"

echo "1..$count"
[ "$failed" -eq 0 ]
