#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What policies with weights of their own cost those who have many, and others,
# beside the base: bench/tenants/run.sh. out/bench gets tenants.txt and tenants.csv.
set -eu
. "$(dirname "$0")/../../lib/lib.sh"
. "$TOP/scripts/machine/counting/boot.sh"

[ $# -eq 0 ] || die "usage: bench/tenants/run.sh"
out=$BUILD/bench/tenants
lock bench-tenants
rm -rf "$out"
mkdir -p "$out" "$TOP/out/bench"
reason=$(counting_works) || die "$reason"

counting_prepare "$TOP/scripts/bench/tenants/tenants.c"
for kernel in default-base default; do
	counting_kernel "$kernel"
done
# The longest come first.
cat > "$out/plan" <<END
default tenants 8 192 sets work=sets
default-base tenants 16 128 rebind-2-base work=rebind policy=interleave cgroup=2
default tenants 16 128 rebind-2 work=rebind cgroup=2
default-base tenants 16 128 rebind-base work=rebind policy=interleave
default tenants 16 128 rebind work=rebind
default-base tenants 64 64 move-base work=move policy=interleave
default tenants 64 64 move work=move
default tenants 64 64 fold work=fold
END
# Here stretches are those between two points where a task can be preempted.
cat > "$out/preemptible" <<END
default tenants 64 128 write work=write
END
# shellcheck disable=SC2034 # for counting_boot
boots() {
	one_processor=yes
	plugin=,lines=off,open=_raw_spin_lock_irqsave,close=_raw_spin_unlock_irqrestore
	counting_boots < "$out/plan" || return
	plugin=,lines=off,open=__cond_resched,close=__cond_resched
	counting_boots < "$out/preemptible"
}
step "counting what tenants cost each other" "$BUILD/log/bench-tenants.log" boots ||
	die "a virtual machine did not end its run; its console is in $out"
"$TOP/scripts/bench/tenants/judge.py" "$out" "$TOP/out/bench"
