#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each command of the documentation is in tests/commands, which says where it runs; and what holds the two against each other sees each
# kind of mistake. usage: commands.sh [DIRECTORY], another checkout; prints TAP.
# shellcheck disable=SC2016 # backquotes of the pages
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

program=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$TOP/scripts/lib/tap.sh"

# told STATUS WHAT: what is said of the small checkout in $work/top, which is then as it should be again
told() {
	status=0
	"$TOP/tests/tree/commands.py" "$work/top" > "$work/out" 2> "$work/err" || status=$?
	held=0
	[ $status -eq "$1" ] || held=1
	result $held "$2"
	rm -rf "$work/top"
	mkdir -p "$work/top/Documentation/admin-guide/mm" "$work/top/tools/mm/placement/man" "$work/top/tests"
	printf '```sh\nmake run      # a remark\n```\n' > "$work/top/README.md"
	printf 'Type::\n\n\t# echo 1 > /sys/file\n\t1\n\nthen\n' > "$work/top/Documentation/admin-guide/mm/guide.rst"
	printf '.EX\n.RB # " bwactl \\-\\-apply"\n.EE\n' > "$work/top/tools/mm/placement/man/bwactl.8"
	printf 'by README.md\tmake run\nhand\techo 1 > /sys/file\ta file\nhost\tbwactl --apply\techo\n' > "$work/top/tests/commands"
}

told 1 "an empty checkout is refused"
told 0 "three pages whose commands are in the table"
echo 'hand	reboot	a machine' >> "$work/top/tests/commands"
told 1 "a row that no page has is seen"
printf '```sh\nmake test\n```\n' >> "$work/top/README.md"
told 1 "a page's command without a row is seen"
printf '\n\t# reboot \\\n\t    now\n' >> "$work/top/Documentation/admin-guide/mm/guide.rst"
printf 'Again::\n\n\t# reboot\n' >> "$work/top/Documentation/admin-guide/mm/guide.rst"
told 1 "a guide's command without a row is seen"
printf '.EX\n$ mpolctl weights\n.EE\n' >> "$work/top/tools/mm/placement/man/bwactl.8"
told 1 "a manual page's command without a row is seen"
printf '```\nwords\n```\n' >> "$work/top/README.md"
told 1 "a block that does not say what it holds is seen"
printf '```text\nmake run\n```\n' >> "$work/top/README.md"
told 1 "a command in a block of text is seen"
printf '\nMore::\n\n\tmake run\n' >> "$work/top/Documentation/admin-guide/mm/guide.rst"
told 1 "a guide's command without a prompt is seen"
for row in 'hand	make run' 'by nothing	make run' 'machine nowhere	make run' 'moon	make run' 'by README.md'; do
	sed -i "1s,.*,$row," "$work/top/tests/commands"
	told 1 "a row '$(echo "$row" | tr '\t' ' ')' is refused"
done
sed -i '1p' "$work/top/tests/commands"
told 1 "a command that has two rows is refused"

status=0
"$TOP/tests/tree/commands.py" "${1:-$TOP}" > "$work/out" 2> "$work/err" || status=$?
result $status "the commands of the documentation are in tests/commands"
echo "1..$count"
[ "$failed" -eq 0 ]
