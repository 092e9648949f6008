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

complete -c bwactl -f
complete -c bwactl -n 'not __bwactl_after --mix --from --sysfs' -a '(__bwactl_options)'
complete -c bwactl -n '__bwactl_after --mix' -a '(__bwactl_mixes)'
complete -c bwactl -n '__bwactl_after --from --sysfs' -F
