# shellcheck shell=bash
# bash completion for sleeptune-lab(1)

_sleeptune_lab() {
    local cur=$2 prev=$3 command=${COMP_WORDS[1]} words=''
    COMPREPLY=()
    case $prev in
    --plot | --export-json | --output | -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --kind | -k) words='box series line slices' ;;
    --policy) words='fifo rr other' ;;
    --rounding) words='tvtohz tvtohz-fixed none' ;;
    --every) words='1s 100ms 10ms 1333us' ;;
    --unit | --time-unit) words='ns us ms s' ;;
    --format)
        words='text json csv markdown'
        ;;
    --method) words=$(sleeptune-lab series --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --mechanisms) words=$(sleeptune-lab wake --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --calls) words=$(sleeptune-lab syscall --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --durations) words='64f 128f 256f 512f 5ms 10ms' ;;
    --budget) words='10s 60s 10m' ;;
    esac
    if [ -z "$words" ] && [ "$COMP_CWORD" -eq 1 ]; then
        words='exec syscall wake series analyse simulate compare plot table help --help --version'
    elif [ -z "$words" ]; then
        case $command in
        exec) words='--durations --parameters --command-name --start --setup --prepare --cleanup --ignore-failure --runs --warmup --budget --seed --time-unit --plot --export-json --json --format --quiet --help' ;;
        syscall) words='--calls --list --count --fresh --brief --plot --export-json --json --format --quiet --help' ;;
        wake) words='--mechanisms --slices --kinds --placements --list --rounds --budget --seed
            --plot --export-json --json --format --quiet --help' ;;
        series) words='--every --frames --rate --count --sleepers --full-second --clocks --list --method --policy --priority --plot --json --format --quiet
            --help' ;;
        analyse) words='--every --unit --frames --rate --tick-hz --plot --json --format --help' ;;
        simulate) words='--hz --rounding --drift-ppm --timer-hz --table --pll-gain --every --frames --rate --count --noise --seed --plot --json --format --help' ;;
        compare) words='--every --unit --help' ;;
        plot) words='--output -o --kind -k --every --unit --title --axis --label --overlay --csv --help' ;;
        table) words='--samples --time-unit --format --help' ;;
        help) words='exec syscall wake series analyse simulate compare plot table' ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ $command == @(analyse|compare|plot|table) ]] && [ ${#COMPREPLY[@]} -eq 0 ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _sleeptune_lab sleeptune-lab
