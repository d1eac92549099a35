# fish completion for sleeptune-lab(1): commands and options are those of --help

function __sleeptune_lab_commands
    command sleeptune-lab --help | string replace -rf '^  ([a-z]+)  +([^ ].*)' '$1\t$2'
    printf '%s\t%s\n' help 'a command'
end

function __sleeptune_lab_options
    set -l words (commandline -opc)
    set -l lines (command sleeptune-lab $words[2] --help 2>/dev/null | string match -r '^ +(?:-[a-z], )?--[a-z].*')
    string replace -rf '^ +(?:-[a-z], )?(--[a-z-]+).*?(?:   *([^ -].*))?$' '$1\t$2' -- $lines
    string replace -rf '^ +--[^ ]*(?: [A-Z]+)?, (--[a-z-]+).*?(?:   *([^ -].*))?$' '$1\t$2' -- $lines
end

function __sleeptune_lab_list
    command sleeptune-lab $argv --list 2>/dev/null | string replace -rf '^([a-z][^ ]*).*' '$1'
end

complete -c sleeptune-lab -n __fish_use_subcommand -f -a '(__sleeptune_lab_commands)'
complete -c sleeptune-lab -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__sleeptune_lab_options)'
complete -c sleeptune-lab -n '__fish_seen_subcommand_from series' -l method -x -a '(__sleeptune_lab_list series)'
complete -c sleeptune-lab -n '__fish_seen_subcommand_from syscall' -l calls -x -a '(__sleeptune_lab_list syscall)'
complete -c sleeptune-lab -n '__fish_seen_subcommand_from wake' -l mechanisms -x -a '(__sleeptune_lab_list wake)'
complete -c sleeptune-lab -n '__fish_seen_subcommand_from plot' -l kind -s k -x -a 'box series line slices'
complete -c sleeptune-lab -n 'not __fish_use_subcommand' -l time-unit -l unit -x -a 'ns us ms s'
complete -c sleeptune-lab -n 'not __fish_use_subcommand' -l format -x -a 'text json csv markdown'
