#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Asks the kernel without the series, and writes what it answers to bases/NAME/answers: after a change of the base, of the configuration,
# or of what is asked. make test compares with that.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

for kernel in '' -b; do
	"$TOP/scripts/kernel/kernel.sh" $kernel
done
"$TOP/scripts/kernel/selftests.sh"
"$TOP/scripts/kernel/tools.sh"
"$TOP/scripts/kernel/answers.sh" -w
"$TOP/scripts/test/old-calls.sh" -w
"$TOP/tests/boot/parameters.sh" -w
"$TOP/scripts/bench/allocation/run.sh" --answers
git -C "$TOP" status --short "bases/$BASE/answers"
