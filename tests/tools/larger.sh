#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# mpolctl run --larger-than: what programs that are linked with the C library of this machine get by it, on cxl2. Prints TAP.
# usage: larger.sh [-k KERNELDIR] [-x SLOWDOWN] [-o RESULTDIR]
set -eu
. "$(dirname "$0")/../../scripts/lib/lib.sh"

part_options larger "$@"
rm -rf "$results"
mkdir -p "$results"
work=$results
. "$TOP/scripts/lib/tap.sh"

# As it is written, and not what the compiler makes of calls that it knows
gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -pthread -fno-builtin -o "$work/larger" "$TOP/tests/tools/larger.c"
gcc -O2 -static -o "$work/static" -x c - << 'END'
int main(void)
{
	return 0;
}
END
gcc -O2 -o "$work/program" -x c - << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char line[1024];
	char *memory = malloc(65 << 20);
	FILE *maps = fopen("/proc/self/numa_maps", "r");

	memset(memory, 1, 65 << 20);
	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "weighted"))
			printf("typed %s", line);
	}
	return 0;
}
END
cat > "$work/guest" << 'END'
echo 40 > /proc/sys/vm/nr_hugepages
run() {
	LD_PRELOAD=libc.so.6 mpolctl run --larger-than 32M --weights 0=3,1=1 -- "$@"
}
echo "begin larger"
run /larger
echo "end larger $?"
for call in malloc calloc realloc memalign aligned_alloc posix_memalign valloc pvalloc; do
	echo "steps $call $(/larger $call) $(run /larger $call)"
done
# What the documentation says to type
mpolctl run --larger-than 64M --weights 0=9,1=1 -- ./program
mpolctl run --larger-than 64M --weights 0=5,1=1 -- ./program
mpolctl run --larger-than 66M --weights 0=7,1=1 -- ./program
# refused COMMAND...: the status, and the one line that it says
refused() {
	"$@" > /tmp/out 2>&1
	echo "refused $? $(tr '\n' '|' < /tmp/out)"
}
cp /static /tmp/setuid
chown 1:1 /tmp/setuid
chmod 4755 /tmp/setuid
printf '#!/static\n' > /tmp/script
chmod 755 /tmp/script
mkdir /tmp/elsewhere
cp /usr/bin/mpolctl /tmp/elsewhere
refused run /static
refused run /tmp/script
refused run /tmp/setuid
refused mpolctl run --larger-than 32M --weights 0=1,7=1 -- /larger
refused /tmp/elsewhere/mpolctl run --larger-than 32M --weights 0=1 -- /larger
refused env PATH=/nowhere:/ /usr/bin/mpolctl run --larger-than 32M --weights 0=1 -- static
# What is executed: no directory, and of a script the interpreter
mkdir -p /tmp/directory/static
refused env PATH=/tmp/directory:/ /usr/bin/mpolctl run --larger-than 32M --weights 0=1 -- static
cp /tmp/script /tmp/setuid-script
chown 1:1 /tmp/setuid-script
chmod 4755 /tmp/setuid-script
refused run /tmp/setuid-script
refused run /missing
END
status=0
"$TOP/scripts/machine/vm.sh" -s cxl2 -k "$kernel" -o "$work/console" -t $((300 * slowdown)) \
	-f "$work/guest:/guest $work/larger:/larger $work/static:/static $work/program:/program" -r "cd /; sh /guest" \
	> "$work/raw" 2> "$work/err" || status=$?
tr -d '\r' < "$work/raw" > "$work/out"
result "$status" "a machine with programs under --larger-than"
sed -n '/^begin larger$/,/^end larger/ p' "$work/out" > "$work/program"
while read -r line; do
	case $line in
	'ok '*) result 0 "${line#*- }" ;;
	'not ok '*) result 1 "${line#*- }" ;;
	esac
done < "$work/program"
held=0
grep -qx 'end larger 0' "$work/program" || held=1
result $held "the program ends as it does alone"

# "realloc" measures two calls.
for call in malloc calloc realloc memalign aligned_alloc posix_memalign valloc pvalloc; do
	limit=20
	[ $call != realloc ] || limit=40
	held=0
	awk -v call=$call -v limit=$limit '
		$1 == "steps" && $2 == call && $3 > 0 && $4 > $3 && $4 - $3 < limit { found = 1 }
		END { exit !found }' "$work/out" || held=1
	result $held "a call of $call under the size takes less than $limit instructions more"
done

for weights in 0:9,1:1 0:5,1:1; do
	held=0
	[ "$(grep -c "^typed .* weighted interleave:0-1 .* weights=$weights" "$work/out")" -eq 1 ] || held=1
	result $held "./program has 65 MiB with weights $weights"
done
held=0
[ "$(grep -c '^typed ' "$work/out")" -eq 2 ] || held=1
result $held "and no other memory with weights"

# answered NUMBER STATUS MESSAGE: what that command of those that are refused says, in one line
answered() {
	sed -n 's/^refused //p' "$work/out" | sed -n "$1p" > "$work/answer"
	held=0
	grep -q "^$2 [^|]*|$" "$work/answer" && grep -qF -- "$3" "$work/answer" || held=1
	result $held "status $2, \"$3\""
}
answered 1 125 "'/static' is linked statically, so nothing is loaded into it: leave out --larger-than"
answered 2 125 "'/static' is linked statically, so nothing is loaded into it: leave out --larger-than"
answered 3 125 "'/tmp/setuid' runs with the rights of its owner"
answered 4 125 "node 7 has no memory: use nodes out of 0-1"
answered 5 125 "no mpolctl-larger.so in /tmp/elsewhere or"
answered 6 125 "'//static' is linked statically"
answered 7 125 "'//static' is linked statically"
answered 8 125 "'/static' is linked statically"
answered 9 127 "cannot run '/missing'"

echo "1..$count"
[ "$failed" -eq 0 ]
