# fish completion for sleeptune(1): commands and options are those of --help

function __sleeptune_commands
    command sleeptune --help | string replace -rf '^  ([a-z]+)  +([^ ].*)' '$1\t$2' | string match -v 'sleeptune*'
    printf '%s\t%s\n' help 'a command' lab 'run sleeptune-lab'
end

function __sleeptune_options
    set -l words (commandline -opc)
    command sleeptune $words[2] --help 2>/dev/null | string replace -rf '^  (?:-[a-z], )?(--[a-z-]+)[^ ]*(?: [A-Z][^ ]*)?(?:, --[a-z]+)?  +(.*)' '$1\t$2'
end

complete -c sleeptune -n __fish_use_subcommand -f -a '(__sleeptune_commands)'
complete -c sleeptune -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__sleeptune_options)'
complete -c sleeptune -n '__fish_seen_subcommand_from report apply revert' -a '(command sleeptune report --list | string replace -rf "^([a-z]+-[a-z0-9-]+) .*" "\$1")'
