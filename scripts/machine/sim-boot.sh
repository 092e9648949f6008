#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One boot of a plan, see sim-plan.sh: sim-boot.sh [-k KERNELDIR] [-t SECONDS] DIRECTORY NAME
set -eu
. "$(dirname "$0")/../lib/lib.sh"

usage="usage: sim-boot.sh [-k KERNELDIR] [-t SECONDS] DIRECTORY NAME"
default=$BUILD/kernel/default limit=1800
while getopts k:t: option; do
	case $option in
	k) default=$OPTARG ;;
	t) limit=$OPTARG ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 2 ] || die "$usage"
file=$1/$2

read -r _ name scenario kernel window < "$file.plan"
case ${kernel:--} in
-) kernel=$default ;;
*) kernel=$BUILD/kernel/$kernel ;;
esac
sed 1d "$file.plan" > "$file.commands"
start=$(date +%s)
"$TOP/scripts/machine/vm.sh" -m -s "sim/$scenario" -k "$kernel" -o "$file.console.log" -t "$limit" ${window:+-w "$window"} \
	-f "$file.commands:/etc/plan" -r "bench-sim /etc/plan" > "$file.txt" 2> "$file.err" || {
	cat "$file.txt" "$file.err"
	die "boot $name on sim/$scenario did not end its run"
}
say "$name: $(($(date +%s) - start)) s"
