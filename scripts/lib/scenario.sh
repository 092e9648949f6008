# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What scenarios/ says of machines and of the kernels that they boot; sourced, after lib.sh. scenarios/list explains the keys.

# scenario_conf SCENARIO: the path of its description; ends, and says which there are, where there is none
scenario_conf() {
	[ -f "$TOP/scenarios/$1.conf" ] || {
		grep -v '^#' "$TOP/scenarios/list" >&2
		die "no scenario is called '$1': take one of the names above"
	}
	echo "$TOP/scenarios/$1.conf"
}

# scenario_lines CONF: what it says, and of the machine that it is like what it says nothing of
scenario_lines() (
	sed '/^#/d; /^like=/d' "$1"
	like=$(sed -n 's/^like=//p' "$1")
	[ -z "$like" ] || scenario_lines "$TOP/scenarios/$like.conf" |
		awk -F = 'FILENAME == ARGV[1] { own[$1] = 1; next } !($1 in own)' "$1" -
)

# scenario_value CONF KEY: its values, of several lines in one, without blanks around them; nothing where there is none
scenario_value() {
	scenario_lines "$1" | sed -n "s/^$2=//p" | tr '\n' ' ' | sed 's/ *$//'
}

# scenario_tests SCENARIO [often]: the kselftests that run there, or "all"; with "often" those of make test
scenario_tests() {
	scenario_tests=$(awk -F '\t' -v name="$1" -v often="${2:-}" '
		$1 == name { print often || $3 == "=" ? $2 : $3; found = 1 }
		END { exit !found }' "$TOP/scenarios/tests") || die "scenarios/tests does not say which self tests run on $1"
	case $scenario_tests in
	"all but "*)
		for scenario_test in $(selftest_names); do
			case " ${scenario_tests#all but } " in
			*" $scenario_test "*) ;;
			*) printf '%s ' "$scenario_test" ;;
			esac
		done
		echo
		;;
	*) echo "$scenario_tests" ;;
	esac
}

# scenario_config SCENARIO: the configuration of the kernel that it boots
scenario_config() {
	scenario_conf=$(scenario_conf "$1") || exit
	scenario_config=$(scenario_value "$scenario_conf" config)
	echo "${scenario_config:-default}"
}

# config_has CONFIG LAYER: is that LAYER, on top of it, or with all that it has?
config_has() {
	config_layer=$1
	while [ -f "$TOP/scenarios/configs/$config_layer.config" ]; do
		[ "$config_layer" != "$2" ] || return 0
		! grep -qx "# layer: $2" "$TOP/scenarios/configs/$config_layer.config" || return 0
		config_layer=$(sed -n 's/^# on top of: //p' "$TOP/scenarios/configs/$config_layer.config")
	done
	return 1
}

# target CONFIG: what its file in scenarios/configs says of the machine that
# it is for: $arch and $image, the kernel's file; $compiler, the prefix of the
# cross compiler if it needs one, and $compiler_packages; $programs, where
# programs for it are built
# shellcheck disable=SC2034 # for those who source this
target() {
	target_file=$TOP/scenarios/configs/$1.config
	[ -f "$target_file" ] ||
		die "scenarios/configs/$1.config does not exist; there are:$(
			cd "$TOP/scenarios/configs" && printf ' %s' *.config | sed 's/\.config//g')"
	arch=$(sed -n 's/^# architecture: //p' "$target_file")
	compiler=$(sed -n 's/^# compiler: //p' "$target_file")
	compiler_packages=$(sed -n 's/^# packages: //p' "$target_file")
	arch=${arch:-x86_64}
	case $arch in
	arm64) image=arch/arm64/boot/Image ;;
	*) image=arch/x86/boot/bzImage ;;
	esac
	programs=$BUILD
	if [ -n "$compiler" ]; then
		compiler_packages="gcc-$compiler $compiler_packages"
		compiler=$compiler-
		programs=$BUILD/$arch
	fi
}
