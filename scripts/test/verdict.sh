#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Has verdict.py judge a run, and sees to it that there is a verdict whatever happens: a program that dies has not found the run good.
# usage: verdict.sh [-p PROGRAM] RESULTDIR NAME [OPTION...]
#   -p  in place of verdict.py
# The options are verdict.py's. RESULTDIR gets verdict, all that it says, and counts, its last line: "PASSED FAILED SKIPPED". The rest is
# printed as well, each line with NAME before it. The exit status is 0 when something passed and nothing failed, and 1 otherwise.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

program=$TOP/scripts/test/verdict.py
while getopts p: option; do
	case $option in
	p) program=$OPTARG ;;
	*) die "usage: verdict.sh [-p PROGRAM] RESULTDIR NAME [OPTION...]" ;;
	esac
done
shift $((OPTIND - 1))
results=${1:?a directory for the verdict is needed}
name=${2:?a name is needed}
shift 2

mkdir -p "$results"
rm -f "$results/counts"
status=0
python3 "$program" --parser "$BUILD/base/tools/testing/kunit" --marks "$TOP/tests/marks" "$@" \
	> "$results/verdict" 2> "$results/verdict.err" || status=$?

# Only these two ends are a verdict's: nothing failed of what there was and status 0, or something did and status 1.
last=$(tail -n 1 "$results/verdict" | grep -xE '[0-9]+ [0-9]+ [0-9]+') || last=''
[ "$last" != "0 0 0" ] || last=''
case $status:$last in
0:*' 0 '* | 1:*' '[1-9]*' '*) ;;
*)
	{
		echo "FAIL: $name: the verdict program died (status $status)"
		sed 's/^/      /' "$results/verdict" "$results/verdict.err"
		echo "0 1 0"
	} > "$results/verdict.new"
	mv "$results/verdict.new" "$results/verdict"
	last="0 1 0"
	status=1
	;;
esac
rm "$results/verdict.err"
echo "$last" > "$results/counts"
sed '$d' "$results/verdict" | sed "s|^|  $name: |"
exit $status
