# SPDX-License-Identifier: GPL-2.0
# Completion for fish: what mpolctl's own help names.

function __mpolctl_commands
	mpolctl --help | string replace -rf '^.* mpolctl ([a-z]+).*' '$1'
end

function __mpolctl_options
	mpolctl (commandline -opc)[2] --help | string match -ra -- '--[a-z][a-z-]*' | sort -u
end

complete -c mpolctl -f
complete -c mpolctl -n 'not __fish_seen_subcommand_from (__mpolctl_commands)' \
	-a '(__mpolctl_commands) --help --version'
complete -c mpolctl -n '__fish_seen_subcommand_from (__mpolctl_commands)' -a '(__mpolctl_options)'
complete -c mpolctl -n '__fish_seen_subcommand_from set show' -a '(__fish_complete_pids)'
complete -c mpolctl -n '__fish_seen_subcommand_from run' -a '(__fish_complete_command)'
complete -c mpolctl -n '__fish_seen_subcommand_from weights' -a auto
complete -c mpolctl -n '__fish_seen_subcommand_from save restore' -F
