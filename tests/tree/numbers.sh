#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each number of the documentation is in tests/numbers, which says where it is from, and is the same there; and what holds the two against
# each other sees each kind of mistake. usage: numbers.sh [DIRECTORY], another checkout; prints TAP.
# shellcheck disable=SC2016 # backquotes of the pages
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"
page=$work/top/README.md
guide=$work/top/Documentation/admin-guide/mm/guide.rst
manual=$work/top/tools/mm/placement/man/bwactl.8
figures=$work/top/Documentation/mm/memory-placement-figures.rst
table=$work/top/tests/numbers

# told STATUS WHAT [LINE]: what is said of the small checkout in $work/top, which is then as it should be again. LINE is a pattern for a
# line of it; a refusal is one line.
told() {
	status=0
	"$TOP/tests/tree/claims.py" "$work/top" > "$work/out" 2> "$work/err" || status=$?
	held=0
	[ $status -eq "$1" ] || held=1
	[ -z "${3-}" ] || grep -q -- "$3" "$work/out" "$work/err" || held=1
	[ -s "$work/out" ] || [ "$(wc -l < "$work/err")" -eq 1 ] || held=1
	result $held "$2"
	rm -rf "$work/top"
	mkdir -p "$work/top/Documentation/admin-guide/mm" "$work/top/Documentation/mm" "$work/top/tools/mm/placement/man" "$work/top/tests"
	printf '%s\n' 'It is *up to*' '41 % faster, Linux 6.1' '```sh' 'sleep 99.5 # 3 s' '```' '```text' 'ran 9.9 s' '```' > "$page"
	printf 'About 8,200 pages of 4 KiB, at 12.6/3.6k or 30 GB/s, for 8 to 12 s.\n' > "$work/top/Documentation/page.md"
	printf 'Look::\n\n\t# sleep 1.5\n\t$ sleep 2.5 \\\n\t\t3.5\n\t7 ms\n\nso it is ``1.5`` billion\n' > "$guide"
	printf '.TH bwactl 8 1.5\n.EX\n.RB # " sleep 4.5"\n.EE\nwithin\n.B 4\\ %%\nof it\n' > "$manual"
	printf '  a line     40.6   12592\n  another  3577, 8,193\n  1531 million\n' > "$figures"
	echo 'bandwidth=30400M' > "$work/top/machine"
	{
		printf '# SOURCE\n'
		printf 'figures\tREADME.md\tup to 41 %%\ta line 40.6\n'
		printf 'example\tREADME.md\tran 9.9 s\n'
		printf 'figures\tDocumentation/page.md\tAbout 8,200 pages\tanother 3577, 8,193\n'
		printf 'figures\tDocumentation/page.md\t12.6/3.6k\tline 40.6 12592\tanother 3577\n'
		printf 'file machine\tDocumentation/page.md\t30 GB/s\tbandwidth=30400M\n'
		printf 'sum\tDocumentation/page.md\tfor 8 to 12 s\t2 * (1 + 3)\t(2 - 1 / 2) * 8\n'
		printf 'example\tDocumentation/admin-guide/mm/guide.rst\t7 ms\n'
		printf 'figures\tDocumentation/admin-guide/mm/guide.rst\t1.5 billion\t1531 million\n'
		printf 'hand\ttools/mm/placement/man/bwactl.8\twithin 4 %%\ta scale is needed\n'
	} > "$table"
}

# planted WHAT FILE EXPRESSION LINE: sed makes a mistake in a file, which is seen, and LINE says so
planted() {
	cp "$2" "$work/before"
	sed -i "$3" "$2"
	! cmp -s "$2" "$work/before" || die "no mistake: $1"
	told 1 "$1" "$4"
}

told 1 "an empty checkout is refused" 'there is no README.md'
told 0 "pages whose numbers are in the table" '^ok 4'
rm "$table"
told 1 "a table that is missing is refused" 'there is no tests/numbers'
rm "$guide"
told 1 "guides that are missing are refused" 'there is no Documentation/admin-guide'
rm "$manual"
told 1 "manual pages that are missing are refused" 'there is no tools/mm'

missing="^not ok 2"
echo 'It takes 5 minutes.' >> "$page"
told 1 "a page's number without a row is seen" "README.md: '5 minutes'"
for number in '3 %' '1,000 pages' '1.25 of it' '2 GB/s' '12k' '60 instructions' '1.05 times' '2 to 3 points' '1 GiB a second'; do
	echo "And $number." >> "$page"
	told 1 "'$number' is a number" "$missing"
done
for number in '64 KiB' 'Linux 6.12' 'since 6.9' 'QEMU 10.0' 'numactl 2.0.19' 'weights 5:1' '0x7f5e1000' 'three times' '300M@0x1'; do
	echo "And $number." >> "$page"
	told 0 "'$number' is none"
done
printf '\n\t$ sleep 1\n\t2.5 s passed\n' >> "$guide"
told 1 "a guide's output without a row is seen" "guide.rst: '2.5 s'"
printf '.IP 5\n.RB "10\\ %%" now\n' >> "$manual"
told 1 "a manual page's number without a row is seen" "bwactl.8: '10 %'"

away="^not ok 3"
planted "a row that is not in its page is seen" "$table" 's/up to 41/up to 40/' "$away"
planted "a row of a page that is not there is seen" "$table" 's/README.md/NOTHING.md/' "$away"
planted "a row without a number is seen" "$table" 's/up to 41 %/faster/' "$away"
planted "a row with a part of a number is seen" "$table" 's/up to 41 %/up to 41/' "$away"
echo 'Here it is up to 41 % as well.' >> "$page"
told 1 "a row that is in its page twice is seen" "$away"

wrong="^not ok 4"
planted "a page that tells another number is seen" "$page" 's/9.9 s/9.9 s, twice 41 %/' "$missing"
for pair in 's/40.6/41.6/' 's/12592/12692/' 's/3577/3477/' 's/8,193/8,293/' 's/1531/1731/'; do
	planted "figures that are others, $pair, are seen" "$figures" "$pair" "$wrong"
done
planted "a file that says another number is seen" "$work/top/machine" 's/30400/31400/' "$wrong"
planted "a needle that is not in the figures is seen" "$table" 's/a line 40.6/b line 40.6/' 'is in no line'
planted "a needle over two lines is seen" "$table" 's/another 3577$/12592 another 3577/' 'is in no line'
planted "a needle with another number is seen" "$table" 's/a line 40.6/another 3577/' "'another 3577' says none"
planted "a needle that nobody needs is seen" "$table" 's/a line 40.6/&\tanother 3577/' "'another 3577' says none"
planted "a needle that is a number alone is seen" "$table" 's/a line 40.6/40.6/' 'does not say what'
planted "a number that no needle has is seen" "$table" 's/\tanother 3577$//' '3.6 is not in'
planted "a file that is missing is seen" "$table" 's/^file machine/file nothing/' 'there is no nothing'
rm "$figures"
told 1 "figures that are missing are seen" 'there is no Documentation/mm'
planted "a sum that is wrong is seen" "$table" 's/2 \* (1 + 3)/2 * (1 + 4)/' "$wrong"
for sum in '__import__("os").getpid()' '2 ** 3' '-8' 'True * 8' '8 +' '8 \/ 0' '[8][0]' 'abs(8)'; do
	planted "'$sum' is no arithmetic" "$table" "s/2 \\* (1 + 3)/$sum/" 'is no arithmetic'
done

shape="^not ok 1"
planted "a source that is none is refused" "$table" 's/^hand/moon/' "$shape"
planted "an example with a needle is refused" "$table" 's/ran 9.9 s/&\tmore/' "$shape"
planted "hand without a reason is refused" "$table" 's/\ta scale.*//' "$shape"
planted "figures without a needle are refused" "$table" 's/\ta line 40.6//' "$shape"
planted "figures with a path are refused" "$table" 's/^figures/figures machine/' "$shape"
planted "a file without a path is refused" "$table" 's/^file machine/file/' "$shape"
planted "an empty column is refused" "$table" 's/\ta line 40.6/\t/' "$shape"

status=0
"$TOP/tests/tree/claims.py" "${1:-$TOP}" > "$work/out" 2> "$work/err" || status=$?
result $status "the numbers of the documentation are in tests/numbers, and where that says"
echo "1..$count"
[ "$failed" -eq 0 ]
