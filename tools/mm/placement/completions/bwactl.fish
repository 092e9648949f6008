# SPDX-License-Identifier: GPL-2.0
# Completion for fish: what bwactl's own help names.

function __bwactl_options
	bwactl --help | string match -ra -- '--[a-z][a-z-]*' | sort -u
end

function __bwactl_mixes
	bwactl --help | sed -n '/--mix/,/^  -/s/^    *\([a-z0-9][a-z0-9:-]*\)  .*/\1/p'
end

function __bwactl_after
	contains -- (commandline -opc)[-1] $argv
end

function __bwactl_tune_options
	bwactl tune --help | string match -ra -- '--[a-z][a-z-]*' | sort -u
end

complete -c bwactl -f
complete -c bwactl -n '__fish_seen_subcommand_from tune' \
	-a '(__bwactl_tune_options) (__fish_complete_command)'
complete -c bwactl \
	-n 'not __fish_seen_subcommand_from tune; and not __bwactl_after --mix --from --sysfs' \
	-a 'tune (__bwactl_options)'
complete -c bwactl -n '__bwactl_after --mix' -a '(__bwactl_mixes)'
complete -c bwactl -n '__bwactl_after --from --sysfs' -F
