#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What the kernel without the series answers is kept in bases/NAME/answers, so that make test has no such kernel to build.
# usage: answers.sh       prints the directory; fails, with a line that says why, when the answers are of something else than what is there
#        answers.sh -b    the same, and fails in any case: the base kernel is to be asked
#        answers.sh -w    writes what they are of, for those who write answers
# They depend on the base, on the compiler (instructions), and on the configuration.
set -eu
. "$(dirname "$0")/../lib/lib.sh"

answers=$TOP/bases/$BASE/answers
of() {
	sed -n 's/^name /base: /p' "$BUILD/base.stamp"
	echo "compiler: $(gcc --version | head -n 1)"
	echo "configuration: $(sed '/^# CONFIG_/!{/^#/d}; /^$/d' "$TOP/scenarios/configs/default.config" | sha256sum | cut -d ' ' -f 1)"
}

case ${1:-} in
-w)
	mkdir -p "$answers"
	of > "$answers/of"
	;;
-b) exit 1 ;;
*)
	of | cmp -s - "$answers/of" || {
		say "bases/$BASE/answers are of another base, compiler or configuration: the base kernel is asked" >&2
		exit 1
	}
	echo "$answers"
	;;
esac
